"""The sample lectures hold what `samples/questions.toml` says they hold, as PDFium reads them; our reader
keeps them whole."""

import re
import tomllib
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pypdfium2
import pytest

from shisho.corpus.readers import pdf as reader
from shisho.corpus.readers.shapes import is_formula
from shisho.domain.corpus import Block, BlockKind

SAMPLES = Path(__file__).parents[1] / "samples"
LECTURES = sorted((SAMPLES / "lectures").glob("*.pdf"))
QUESTIONS: list[dict[str, Any]] = tomllib.loads((SAMPLES / "questions.toml").read_text("utf-8"))["question"]


def pages(path: Path) -> list[str]:
    with pypdfium2.PdfDocument(path) as pdf:
        return [pdf[number].get_textpage().get_text_range() for number in range(len(pdf))]


def unbroken(text: str, language: str = "ja") -> str:
    """Without line breaks, which end no word in Japanese and one in English."""
    return (" " if language == "en" else "").join(text.split())


@pytest.mark.parametrize("row", QUESTIONS, ids=lambda row: row["question"])
def test_the_answer_stands_on_its_page_and_no_other(row: dict[str, Any]) -> None:
    wanted = unbroken(row["answer"], row["language"])
    read = [unbroken(text, row["language"]) for text in pages(SAMPLES / row["file"])]
    found = [number for number, text in enumerate(read, 1) if wanted in text]
    assert found == [row["page"]]


@pytest.mark.parametrize("path", LECTURES, ids=lambda path: path.name)
def test_a_lecture_is_small_titled_and_numbered(path: Path) -> None:
    assert path.stat().st_size < 400_000
    with pypdfium2.PdfDocument(path) as pdf:
        assert pdf.get_metadata_value("Title")
    read = pages(path)
    assert 4 <= len(read) <= 8
    for number, text in enumerate(read, 1):
        assert text.splitlines()[-1] == f"{number} / {len(read)}"


def test_the_characters_that_normalising_would_change_are_there() -> None:
    text = "".join(unbroken(page) for path in LECTURES for page in pages(path))
    for mark in ("R²", "10²", "½", "㈱", "ｶﾀｶﾅ", "①", "令和6年"):
        assert mark in text


def test_every_lecture_is_asked_about() -> None:
    assert {row["file"] for row in QUESTIONS} == {f"lectures/{path.name}" for path in LECTURES}
    assert {row["language"] for row in QUESTIONS} == {"ja", "en"}


@cache
def blocks(path: Path) -> tuple[Block, ...]:
    return reader.read(path.read_bytes()).blocks


OUTLINES = {
    "01-regression.pdf": """
回帰分析
1 この回で学ぶこと
2 回帰分析とは
  2.1 例：勉強時間と得点
3 最小二乗法
  3.1 考え方
  3.2 計算してみる
4 残差
5 決定係数
  5.1 定義
  5.2 決定係数の読み方
  5.3 してはいけない読み方
6 重回帰と多重共線性
  6.1 偏回帰係数
  6.2 多重共線性とは
7 分析の順番と報告の書き方
8 練習問題
  8.1 解答の要点
9 この回の用語
  9.1 次回までに
  9.2 読書案内
""",
    "02-testing.pdf": """
仮説検定と信頼区間
1 この回で学ぶこと
2 仮説検定の組み立て
  2.1 二つの仮説
  2.2 p値
  2.3 手順
3 例：菓子の内容量
  3.1 t検定
  3.2 結論の書き方
4 二種類の過誤と検出力
  4.1 第一種の過誤と第二種の過誤
  4.2 検出力と標本の大きさ
5 信頼区間
  5.1 定義と計算
  5.2 信頼区間を報告する理由
6 何度も検定するとき
7 よくある誤解
8 練習問題
  8.1 解答の要点
  8.2 次回
""",
    "03-information-retrieval.pdf": """
情報検索のしくみ
1 この回で学ぶこと
2 情報検索とは
3 語に切り分ける
  3.1 文字の正規化
  3.2 形態素解析
4 転置索引
5 順位付け：BM25
  5.1 三つの考え方
  5.2 計算例
6 検索の良さを測る
  6.1 適合率と再現率
  6.2 順位を考えた尺度
7 司書とレファレンスサービス
  7.1 司書の役割
  7.2 レファレンスサービス
8 用語集
  8.1 次回
9 練習問題
  9.1 解答の要点
""",
    "04-reading-a-regression.pdf": """
Reading a Regression
1 What this lecture is for
2 The line and its parts
3 R-squared
  3.1 What it is
  3.2 What it is not
4 A table that misleads
  4.1 The first analysis
  4.2 The second look
5 Confounding
6 Randomisation
  6.1 Why it works
  6.2 Three habits of good design
7 Five questions for any table
  7.1 A Japanese word list
8 Exercises
  8.1 Short answers
""",
}


@pytest.mark.parametrize("path", LECTURES, ids=lambda path: path.name)
def test_the_outline_is_the_lecture_s(path: Path) -> None:
    heads = [block for block in blocks(path) if block.kind is BlockKind.HEADING]
    assert "\n".join("  " * len(head.headings) + head.text for head in heads) == OUTLINES[path.name].strip()


@pytest.mark.parametrize("row", QUESTIONS, ids=lambda row: row["question"])
def test_the_answer_stands_whole_in_one_block(row: dict[str, Any]) -> None:
    wanted = unbroken(row["answer"], row["language"])
    found = [
        block for block in blocks(SAMPLES / row["file"]) if wanted in unbroken(block.text, row["language"])
    ]
    assert [(block.page, block.kind) for block in found] == [(row["page"], BlockKind.PARAGRAPH)]


FLOWING = (BlockKind.PARAGRAPH, BlockKind.LIST)
END = re.compile(r"[。.?!;:][」”]?$")
ENDS_WITHOUT_A_MARK = {
    "0に近いとき、1に近いとき",
    "覚えておくこと",
    "p値の定義",
    "95%の意味",
    "二つの尺度",
    "対話の例",
    "• 文書1：図書館で統計の本を借りる",
    "• 文書2：統計の講義を図書館で聴く",
    "• 文書3：司書が本を探す",
    "After this lecture you can",
    "Definition",
}


@pytest.mark.parametrize("path", LECTURES, ids=lambda path: path.name)
def test_no_block_begins_in_mid_sentence_but_after_a_page_break(path: Path) -> None:
    flowing = [block for block in blocks(path) if block.kind in FLOWING]
    for before, block in pairwise(flowing):
        if before.page == block.page and before.headings == block.headings:
            formula = is_formula(before.text.splitlines()[0])
            assert formula or END.search(before.text) or before.text in ENDS_WITHOUT_A_MARK, block.text


@pytest.mark.parametrize("path", LECTURES, ids=lambda path: path.name)
def test_tables_and_captions_are_told_from_text(path: Path) -> None:
    captions = [block.text for block in blocks(path) if block.kind is BlockKind.CAPTION]
    tables = [block.text for block in blocks(path) if block.kind is BlockKind.TABLE]
    named = sorted(
        set(re.findall(r"^(?:図|表|Figure|Table) \d(?=: )", "\n".join(b.text for b in blocks(path)), re.M))
    )
    assert sorted(caption.split(":")[0] for caption in captions) == named
    assert len(tables) == sum(name.startswith(("表", "Table")) for name in named)
    assert all(len(table.splitlines()) >= 3 for table in tables)


def test_a_table_is_whole() -> None:
    table = next(block for block in blocks(LECTURES[0]) if block.kind is BlockKind.TABLE)
    assert [line.split("\t") for line in table.text.splitlines()] == [
        ["学生", *"①②③④⑤⑥⑦⑧"],
        ["時間 x", *"12345678"],
        ["得点 y", "50", "55", "61", "61", "68", "71", "77", "77"],
        ["予測値 ŷ", "51", "55", "59", "63", "67", "71", "75", "79"],
        ["残差 e", "−1", "0", "2", "−2", "1", "0", "2", "−2"],
    ]


@pytest.mark.parametrize("path", LECTURES, ids=lambda path: path.name)
def test_only_running_heads_and_page_numbers_are_dropped(path: Path) -> None:
    read = pages(path)
    for number, text in enumerate(read, 1):
        head, *body, foot = text.splitlines()
        lines = [line for block in blocks(path) if block.page == number for line in block.text.splitlines()]
        kept = [" ".join(filter(None, line.split("\t"))) for line in lines]  # an empty cell is no text
        assert foot == f"{number} / {len(read)}"
        assert head not in kept
        assert sorted(kept) == sorted(line.rstrip() for line in body)


@pytest.mark.slow
@pytest.mark.parametrize("path", LECTURES, ids=lambda path: path.name)
def test_a_box_holds_its_line(path: Path) -> None:
    """Also below a formula, whose letters PDFium counts double."""
    with pypdfium2.PdfDocument(path) as pdf:
        for block in blocks(path):
            for line in block.lines:
                page = pdf[line.page - 1]
                left, top, right, bottom = line.box
                height = page.get_height()
                printed = page.get_textpage().get_text_bounded(
                    left - 1, height - bottom - 1, right + 1, height - top + 1
                )
                assert unbroken(block.text[line.start : line.end]) in unbroken(printed)
