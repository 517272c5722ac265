"""The large end's sources: a PDF of many pages, a text of many megabytes, a folder of many files; Japanese
and English, no two paragraphs alike."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

NOUNS = """
図書館 司書 目録 分類 貸出 書架 索引 標本 分散 回帰 係数 検定 母集団 推定 残差
相関 気象 観測 降水 気温 海流 潮汐 地層 年代 化石 鉱物 結晶 温度 圧力 密度 抵抗
電流 電圧 磁場 波長 振幅 速度 質量 天体 軌道 細胞 遺伝 酵素 代謝 植物 動物 昆虫
生態 森林 河川 湖沼 都市 道路 橋梁 港湾 鉄道 産業 貿易 通貨 物価 賃金 人口 世帯
教育 学校 制度 法律 条約 議会 選挙
""".split()  # noqa: SIM905
VERBS = "増える 減る 変わる 続く 始まる 終わる 広がる 縮まる 保たれる 失われる 測られる".split()  # noqa: SIM905
WORDS = """library record catalogue shelf index sample variance regression coefficient test population estimate residual
 weather observation rainfall temperature current tide layer fossil mineral crystal pressure density voltage field wave
 velocity mass orbit cell enzyme plant animal insect forest river lake city road bridge port railway industry trade""".split()  # noqa: SIM905


def paragraphs(seed: int) -> Iterator[str]:
    """Endlessly, one in Japanese and one in English."""
    rng = random.Random(seed)
    while True:
        yield "".join(_japanese(rng) for _ in range(7))
        yield " ".join(_english(rng) for _ in range(4))


def _japanese(rng: random.Random) -> str:
    first, second, third = rng.choices(NOUNS, k=3)
    verb = rng.choice(VERBS)
    return f"{first}の{second}は{rng.randint(1, 99_999)}番の{third}によって{verb}と第{rng.randint(1, 9_999)}号が述べる。"


def _english(rng: random.Random) -> str:
    first, second, third, fourth = rng.choices(WORDS, k=4)
    subject = f"The {first} of {second} no. {rng.randint(1, 99_999)}"
    return f"{subject} depends on the {third} and on {rng.randint(1, 9_999)} {fourth}s."


def text_file(path: Path, megabytes: float) -> None:
    source = paragraphs(1)
    left = megabytes * 1e6
    with path.open("wb") as file:
        while left > 0:
            data = f"{next(source)}\n\n".encode()
            file.write(data)
            left -= len(data)


def folder(path: Path, files: int) -> None:
    source = paragraphs(2)
    path.mkdir()
    for number in range(files):
        (path / f"{number:05}.txt").write_text(f"{next(source)}\n\n{next(source)}\n", "utf-8")


def pdf(path: Path, pages: int) -> None:
    """A4 in two fonts, about 40 lines a page, a heading every tenth page."""
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont
    from reportlab.pdfbase.pdfmetrics import registerFont
    from reportlab.pdfgen.canvas import Canvas

    registerFont(UnicodeCIDFont("HeiseiMin-W3"))
    source = paragraphs(3)
    canvas = Canvas(str(path), pagesize=(595, 842))
    for page in range(1, pages + 1):
        y = 780
        if page % 10 == 1:
            canvas.setFont("HeiseiMin-W3", 18)
            canvas.drawString(60, y, f"第{page // 10 + 1}章 記録と観測")
            y -= 40
        while y > 90:
            y = _paragraph(canvas, next(source), y)
        canvas.setFont("Helvetica", 9)
        canvas.drawCentredString(297, 40, str(page))
        canvas.showPage()
    canvas.save()


def _paragraph(canvas: object, text: str, y: float) -> float:
    english = text.isascii()
    width = 84 if english else 43
    for line in range(0, len(text), width):
        if y <= 70:
            break
        canvas.setFont("Helvetica" if english else "HeiseiMin-W3", 11)  # type: ignore[attr-defined]
        canvas.drawString(60, y, text[line : line + width])  # type: ignore[attr-defined]
        y -= 17
    return y - 10
