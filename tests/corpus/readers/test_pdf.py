"""PDF: lines, boxes, blocks, headings, running heads, passwords and pages without text."""

import json
import re

import pypdfium2
import pytest

from shisho.corpus.readers import pdf as reader
from shisho.corpus.readers import specimen
from shisho.domain.corpus import BlockKind, Reading
from shisho.errors import DocumentEncrypted, DocumentUnreadable, NeedsOcr, UnusableDocument
from tests.corpus.readers.making import lines, pdf, unembedded
from tests.shared import shared

BODY = (
    "決定係数は、回帰モデルの当てはまりの良さを表す指標であり、",
    "0から1の値をとる。10²とR²と½と㈱とｶﾞｲﾄﾞを含む。",
)
JAPANESE = re.compile("[\u3041-\u30ff一-鿿]")


def text_of(reading: Reading) -> str:
    return "\n".join(block.text for block in reading.blocks)


def test_text_is_verbatim_and_pages_count_from_one() -> None:
    reading = reader.read(pdf([lines(*BODY), lines("二頁目の文である。")], title="回帰ノート"))
    assert reading.title == "回帰ノート"
    assert reading.page_count == 2
    assert [(block.page, block.text) for block in reading.blocks] == [
        (1, "\n".join(BODY)),
        (2, "二頁目の文である。"),
    ]


def test_a_line_knows_its_box_from_the_top_left() -> None:
    (block,) = reader.read(pdf([lines(*BODY)])).blocks
    assert [block.text[line.start : line.end] for line in block.lines] == list(BODY)
    left, top, right, bottom = block.lines[0].box
    assert 70 <= left <= 76
    assert 105 <= top < bottom <= 125  # the base line stands at 120
    assert right > 300


def test_large_type_makes_headings_and_paths() -> None:
    page = [
        ("第1章 回帰", 18.0, 72.0, 100.0),
        *lines(*BODY, top=140),
        ("1.1 定義", 14.0, 72.0, 200.0),
        *lines(*BODY, top=240),
    ]
    reading = reader.read(pdf([lines("表紙"), page, page, lines(*BODY * 9)]))
    heads = [(block.text, block.headings) for block in reading.blocks if block.kind is BlockKind.HEADING]
    assert heads[:2] == [("第1章 回帰", ()), ("1.1 定義", ("第1章 回帰",))]
    bodies = [block.headings for block in reading.blocks if block.text == "\n".join(BODY)]
    assert bodies[:2] == [("第1章 回帰",), ("第1章 回帰", "1.1 定義")]


def test_a_slide_is_headed_by_its_title_alone() -> None:
    def slide(title: str) -> list[tuple[str, float, float, float]]:
        return [
            (title, 36.0, 100.0, 80.0),
            *[(text, 18.0, 72.0, 200.0 + 30 * row) for row, text in enumerate(BODY)],
            ("結論", 30.0, 72.0, 400.0),
        ]

    reading = reader.read(pdf([slide("決定係数"), slide("標準誤差")], slides=True))
    assert [block.text for block in reading.blocks if block.kind is BlockKind.HEADING] == [
        "決定係数",
        "標準誤差",
    ]
    assert {
        block.headings for block in reading.blocks if block.page == 2 and block.kind is not BlockKind.HEADING
    } == {("標準誤差",)}


def test_running_heads_are_said_once_and_page_numbers_never() -> None:
    pages = [
        [
            ("統計学入門", 9.0, 72.0, 40.0),
            *lines(f"{name}の本文である。", "例 3"),
            (f"- {n} -", 9.0, 290.0, 800.0),
        ]
        for n, name in enumerate("甲乙丙丁戊", 1)
    ]
    text = text_of(reader.read(pdf(pages)))
    assert text.count("統計学入門") == 1
    assert "-" not in text
    assert all(f"{name}の本文である。" in text for name in "甲乙丙丁戊")


def test_a_hyphen_at_the_end_of_a_line_stays_readable() -> None:
    text = text_of(reader.read(pdf([lines("The coefficient of deter-", "mination is a measure of fit.")])))
    assert text == "The coefficient of deter-\nmination is a measure of fit."


def test_columns_are_not_mixed() -> None:
    left = [(f"左段の{n}行目の文がここにあり、", 10.5, 60.0, 100.0 + 16 * n) for n in range(6)]
    right = [(f"右段の{n}行目の文がここにあり、", 10.5, 320.0, 100.0 + 16 * n) for n in range(6)]
    text = text_of(reader.read(pdf([left + right])))
    assert [line[0] for line in text.split("\n")] == ["左"] * 6 + ["右"] * 6


def test_passwords() -> None:
    locked = pdf([lines(*BODY)], password="himitsu")
    with pytest.raises(DocumentEncrypted, match="--password"):
        reader.read(locked)
    with pytest.raises(DocumentEncrypted, match="wrong"):
        reader.read(locked, "chigau")
    assert BODY[0] in text_of(reader.read(locked, "himitsu"))


def test_pages_without_text_are_named() -> None:
    reading = reader.read(pdf([lines(*BODY), []]))
    assert reading.needs_ocr == (2,)
    assert "ocrmypdf" in reading.warnings[0]
    with pytest.raises(NeedsOcr, match="ocrmypdf"):
        reader.read(pdf([[]]))


def test_a_text_layer_of_private_characters_is_none() -> None:
    assert reader._is_nonsense("\ue001\ue002\ue003ab")
    assert reader._is_nonsense("(cid:12)(cid:40)")
    assert not reader._is_nonsense("決定係数\ue001は指標である。")
    assert reader._is_nonsense("ĂăĄąćĈċ\u0377", unnamed="ĂăĄąćĈċ\u0377")
    assert not reader._is_nonsense("の削除について", unnamed="の削除について")


def test_damage() -> None:
    with pytest.raises(DocumentUnreadable):
        reader.read(b"%PDF-1.7\nnothing of the kind")


def test_letters_without_their_fonts_are_read_in_every_script_and_direction() -> None:
    reading = reader.read(specimen.make_specimen())
    assert specimen.list_unread(text_of(reading)) == []
    assert reading.warnings == ()
    heights = [line.box[3] - line.box[1] for block in reading.blocks for line in block.lines]
    assert len(heights) == 2 * len(specimen.TEXTS)
    assert min(heights) > 9  # of type of 12 points


def test_a_specimen_that_lost_letters_names_its_language() -> None:
    korean = specimen.TEXTS["script.korean"][2]
    text = text_of(reader.read(specimen.make_specimen()))
    assert specimen.list_unread(text.replace(korean, "", 1)) == ["script.korean"]
    assert specimen.list_unread("") == list(specimen.TEXTS)


@pytest.mark.parametrize("direction", ["H", "V"])
def test_words_that_name_their_letters_are_read_whatever_their_font_is_called(direction: str) -> None:
    """As programs write that were told not to embed common fonts: nothing says which script the font is
    of."""
    text = "決定係数は指標である。한글ไทย"
    reading = reader.read(unembedded(text, direction, named=True))
    assert text_of(reading) == text
    assert reading.warnings == ()


def test_letters_that_the_file_does_not_name_are_counted_in_the_receipt() -> None:
    with pytest.raises(NeedsOcr, match="ocrmypdf"):
        reader.read(unembedded("決定係数は指標である。", "H", named=False))
    reading = reader.read(shared("pdf", "ja", "luatexja__luatexja__test__test19-ivs.pdf").read_bytes())
    assert any(
        "doesn't identify 81 of its characters on page 1, 2." in warning and "ocrmypdf" in warning
        for warning in reading.warnings
    )


def test_all_letters_of_a_vertical_file_without_its_fonts_are_read() -> None:
    reading = reader.read(shared("pdf", "ja", "pdfminer__pdfminer.six__samples__jo.pdf").read_bytes())
    assert len(JAPANESE.findall(text_of(reading))) == 865
    assert all(line.box[3] - line.box[1] > 1 for block in reading.blocks for line in block.lines)


def test_vertical_writing_reads_from_right_to_left() -> None:
    text = text_of(reader.read(shared("pdf", "ja", "pdfminer__pdfminer.six__samples__jo.pdf").read_bytes()))
    order = [
        "わたくしといふ現象は",
        "假定された有機交流電燈の",
        "ひとつの青い照明です",
        "これらは二十二箇月の",
        "けれどもこれら新世代沖積世の",
        "大正十三年一月廿日",
    ]
    places = [text.index(line) for line in order]
    assert places == sorted(places)


# Where we rightly differ from the other tool's count: overlapping diagrams that PDFium reads once, fonts
# only it maps, and six pages of contents lines.
OUTLIERS = ("JDA-DM", "noembed", "90ms_rksj", "simple3", "Application-Security-Verification")


@pytest.mark.slow
def test_real_files_lose_no_japanese() -> None:
    compared = 0
    for row in map(json.loads, shared("pdf", "manifest.jsonl").read_text("utf-8").splitlines()):
        counted = (row["kana"] or 0) + (row["kanji"] or 0)
        if (
            not row["path"].startswith("pdf/ja/")
            or counted < 50
            or any(name in row["path"] for name in OUTLIERS)
        ):
            continue
        reading = reader.read(shared(row["path"]).read_bytes())
        assert reading.page_count == row["pages"]
        found = sum(
            len(JAPANESE.findall(block.text))
            for block in reading.blocks
            if block.page is not None and block.page <= 6
        )
        # Running heads, which we drop, are up to a third of the characters of a slide deck.
        assert 0.65 <= found / counted <= 1.02, row["path"]
        compared += 1
    assert compared >= 15


def test_every_line_stands_on_the_page_where_pdfium_finds_it() -> None:
    checked = 0
    for path in sorted(shared("pdf", "ja").glob("*OWASP*Requirements.pdf")) + sorted(
        shared("pdf", "en").glob("*multi_page.pdf")
    ):
        data = path.read_bytes()
        with pypdfium2.PdfDocument(data) as document:
            pages = [document[number].get_textpage().get_text_range() for number in range(len(document))]
        for block in reader.read(data).blocks:
            for line in block.lines:
                printed = block.text[line.start : line.end]
                # A tab parts the cells of a table, where PDFium has a space; it knows no empty cells.
                words = " ".join(filter(None, printed.removesuffix("-").split("\t")))
                assert words in pages[line.page - 1]
                checked += 1
    assert checked > 300


def test_no_file_leaves_without_a_reading_or_a_reason() -> None:
    for path in sorted(shared("pdf", "en").glob("*.pdf")):
        try:
            assert reader.read(path.read_bytes()).blocks
        except UnusableDocument as reason:
            assert len(reason.message) > 20
