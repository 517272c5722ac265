"""Pictures and scanned pages: recognised with a box for each line, marked, and within limits."""

from __future__ import annotations

import io
import unicodedata
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
import pytest_asyncio
from PIL import Image, ImageDraw, ImageFont

from shisho.corpus.readers import media, ocr
from shisho.corpus.readers.killable import KillableReader
from shisho.domain.corpus import IntakeStage, Reading, Source
from shisho.errors import DocumentUnreadable, NeedsOcr, TooLarge
from shisho.services.library import Library
from shisho.services.news import News, PageRecognised
from tests.corpus.readers.making import lines, pdf
from tests.faults.children import LONG

pylopdf_fonts_jp = pytest.importorskip("pylopdf_fonts_jp")
pytest.importorskip("rapidocr")

DPI = 200
TEXT = """第1章 図書館における研究支援の現状と課題
大学図書館は、学生および研究者の情報要求に応えるため、さまざまな
サービスを提供している。レファレンスサービスはその代表であり、
利用者の質問に対して、信頼できる資料を根拠として示しながら回答する。
2024年度の調査によれば、全国の国公私立大学810校のうち、約78.3%が
電子リソースの利用講習会を開催していた(前年度比+4.1ポイント)。
一方で、予算の縮小により専任職員の数は減少傾向にあり、平均職員数は
1館あたり6.2人から5.7人へと低下した。決定係数は0.91であった。
機械学習を用いた検索システムの導入は、こうした状況を改善する手段の
ひとつとして期待されているが、著作権法第30条の4の解釈をはじめ、
検討すべき論点は多い。査読付き論文の引用は正確でなければならない。
「司書」という語は、書物をつかさどる者を意味し、江戸時代には幕府の
紅葉山文庫に書物奉行が置かれていた。ゲーテは「ファウスト」を書いた。
表1に示すとおり、貸出冊数は年間12,450冊から9,876冊に減った。"""


def page(text: str = TEXT, points: float = 10.5, serif: bool = False) -> Image.Image:
    """An A4 page as a scanner gives it, in grey."""
    font = pylopdf_fonts_jp.serif_path() if serif else pylopdf_fonts_jp.sans_path()
    size = round(points * DPI / 72)
    made = Image.new("L", (1654, 2339), 255)
    draw = ImageDraw.Draw(made)
    for row, line in enumerate(text.split("\n")):
        draw.text((180, 200 + row * int(size * 1.7)), line, 0, ImageFont.truetype(str(font), size))
    return made


def saved(*pages: Image.Image, form: str = "PNG") -> bytes:
    file = io.BytesIO()
    first, *others = pages
    more = {"save_all": True, "append_images": others} if others else {}
    first.save(file, form, dpi=(DPI, DPI), **({"resolution": DPI} if form == "PDF" else {}), **more)
    return file.getvalue()


def letters(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split())


@pytest.mark.parametrize(
    ("recognised", "printed"),
    [
        ("飲料水はー人ー日三リットル", "飲料水は一人一日三リットル"),
        ("ー般の利用者", "一般の利用者"),
        ("スーパー銭湯、コーヒー豆", "スーパー銭湯、コーヒー豆"),
        ("らーめん、5ー6", "らーめん、5ー6"),
        ("调査の过程", "調査の過程"),
    ],
)
def test_letters_that_japanese_has_not_there_are_what_was_printed(recognised: str, printed: str) -> None:
    assert ocr.fix_letters(recognised) == printed


def errors(wanted: str, got: str) -> int:
    """Letters to put in, take out or exchange."""
    last = list(range(len(got) + 1))
    for row, letter in enumerate(wanted, 1):
        this = [row]
        for column, other in enumerate(got, 1):
            this.append(min(last[column] + 1, this[-1] + 1, last[column - 1] + (letter != other)))
        last = this
    return last[-1]


def text_of(reading: Reading) -> str:
    return "\n".join(block.text for block in reading.blocks)


# Those who share the reader share its event loop.
in_one_loop = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def reader() -> AsyncIterator[KillableReader]:
    """One for all of them: its child loads what recognises letters once."""
    made = KillableReader(60, 1024, 50 * 2**20)
    yield made
    await made.close()


@pytest.mark.slow
@in_one_loop
@pytest.mark.parametrize(
    "serif",
    [False, pytest.param(True, marks=pytest.mark.skipif(not LONG, reason="SHISHO_LONG=1 reads both"))],
    ids=["gothic", "mincho"],
)
async def test_at_most_15_of_1000_letters_of_a_printed_page_are_wrong(
    reader: KillableReader, serif: bool
) -> None:
    reading = await reader.read(Source("a.png", saved(page(serif=serif))))
    wrong = errors(letters(TEXT), letters(text_of(reading)))
    assert wrong <= 0.015 * len(letters(TEXT))
    assert all(block.ocr and block.page == 1 for block in reading.blocks)
    rows = [line for block in reading.blocks for line in block.lines]
    assert len(rows) >= len(TEXT.split("\n"))
    left, top, right, bottom = rows[0].box
    assert left == pytest.approx(180 * 72 / DPI, abs=6)
    assert 200 * 72 / DPI - 6 < top < bottom < 200 * 72 / DPI + 30
    assert right < 1654 * 72 / DPI


@in_one_loop
@pytest.mark.parametrize("form", ["JPEG", "TIFF"])
async def test_every_kind_of_picture_is_read(reader: KillableReader, form: str) -> None:
    short = "決定係数は当てはまりの良さを表す。"
    pages: Sequence[Image.Image] = (
        [page(short), page("平均は中心を表す。")] if form == "TIFF" else [page(short)]
    )
    reading = await reader.read(Source("a.bin", saved(*pages, form=form)))
    assert short in text_of(reading)
    assert reading.page_count == len(pages)
    assert {block.page for block in reading.blocks} == set(range(1, len(pages) + 1))


@in_one_loop
async def test_a_scanned_pdf_is_recognised_page_by_page_and_tells_how_far_it_is(
    reader: KillableReader,
) -> None:
    told: list[tuple[IntakeStage, int, int]] = []
    scan = saved(page("決定係数は当てはまりの良さを表す。"), page("平均は中心を表す。"), form="PDF")
    source = Source("a.pdf", scan, notify=lambda *progress: told.append(progress))
    reading = await reader.read(source)
    assert [(block.page, block.text, block.ocr) for block in reading.blocks] == [
        (1, "決定係数は当てはまりの良さを表す。", True),
        (2, "平均は中心を表す。", True),
    ]
    recognised = [counts for stage, *counts in told if stage is IntakeStage.RECOGNISING]
    assert recognised == [[1, 2], [2, 2]]
    assert reading.needs_ocr == ()
    (warning,) = reading.warnings
    assert "1, 2" in warning


@in_one_loop
async def test_only_the_pages_without_text_are_recognised(reader: KillableReader) -> None:
    import pypdfium2

    joined = pypdfium2.PdfDocument.new()
    for data in (pdf([lines("文字の層がある頁である。")]), saved(page("平均は中心を表す。"), form="PDF")):
        joined.import_pages(pypdfium2.PdfDocument(data))
    file = io.BytesIO()
    joined.save(file)
    reading = await reader.read(Source("a.pdf", file.getvalue()))
    assert [(block.page, block.ocr) for block in reading.blocks] == [(1, False), (2, True)]


@pytest.mark.slow
@in_one_loop
async def test_columns_are_read_one_after_the_other(reader: KillableReader) -> None:
    made = page("")
    draw = ImageDraw.Draw(made)
    font = ImageFont.truetype(str(pylopdf_fonts_jp.sans_path()), 29)
    for row in range(8):
        for column, name in enumerate("左右"):
            draw.text(
                (120 + column * 780, 300 + row * 50),
                f"{name}の段の{row + 1}行目に書かれている本文の文字",
                0,
                font,
            )
    solid = letters(text_of(await reader.read(Source("a.png", saved(made)))))
    assert solid.index("左の段の8行目") < solid.index("右の段の1行目")


def test_chinese_forms_are_written_as_they_were_printed_and_no_japanese_letter_is_touched() -> None:
    forms = ocr._FORMS
    assert "审查管理课".translate(forms) == "審査管理課"
    assert all(chr(letter).encode("cp932", "ignore") == b"" for letter in forms)
    assert all(chr(int(letter)).encode("euc_jp") for letter in forms.values())


@pytest.mark.slow
async def test_off_means_off() -> None:
    made = KillableReader(60, 1024, 50 * 2**20, ocr=False)
    try:
        with pytest.raises(NeedsOcr):
            await made.read(Source("a.png", saved(page("平均"))))
        scan = saved(page("平均"), form="PDF")
        with pytest.raises(NeedsOcr):
            await made.read(Source("a.pdf", scan))
        assert (await made.read(Source("a.pdf", scan, ocr=True))).blocks
    finally:
        await made.close()


@in_one_loop
async def test_pictures_without_words_too_large_or_damaged_end_in_a_reason(reader: KillableReader) -> None:
    with pytest.raises(DocumentUnreadable):
        await reader.read(Source("a.png", saved(page(""))))
    with pytest.raises(DocumentUnreadable):
        await reader.read(Source("a.png", saved(page(""))[:200]))
    with pytest.raises(TooLarge):
        await reader.read(Source("a.png", saved(Image.new("1", (20_000, 20_000)))))
    assert media.sniff("a.txt", saved(page(""))) in media.PICTURES


@pytest.mark.slow
async def test_a_scan_is_found_quoted_with_its_box_and_marked(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "報告.pdf"
    path.write_bytes(saved(page("\n".join(TEXT.split("\n")[-3:])), form="PDF"))
    told: list[News] = []
    async for receipt in library.documents.add(path, notify=told.append):
        assert receipt.outcome == "added"
    assert PageRecognised(str(path), 1, 1) in told
    answer = await library.questions.ask("紅葉山文庫には何が置かれていたか")
    evidence = next(one for one in answer.evidence if "書物奉行" in one.snippet)
    assert evidence.ocr
    assert evidence.page == 1
    assert "(OCR)" in answer.text
    assert (await library.documents.search("紅葉山文庫"))[0].ocr


@pytest.fixture
async def library(tmp_path: Path) -> AsyncIterator[Library]:
    from shisho.bootstrap.library import open_library

    async with open_library(home=tmp_path / "home") as opened:
        yield opened
