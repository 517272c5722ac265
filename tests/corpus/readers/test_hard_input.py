"""Lines, blocks and tables that are empty, white, of one character or without end: each is read or refused,
in linear time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import docx
import pptx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pptx.util import Inches

from shisho.corpus.chunk import cut
from shisho.corpus.layout import HEADING_CHARS, lay_out
from shisho.corpus.readers import docx as word_reader
from shisho.corpus.readers import html, markdown, media, paragraphs, pdf, running, shapes, text
from shisho.corpus.readers import pptx as slide_reader
from shisho.corpus.readers.paragraphs import find_tables
from shisho.corpus.readers.pdfpage import PdfLine, PdfPage, Typeface, _sort_lines
from shisho.domain.corpus import Reading
from shisho.errors import UnusableDocument
from shisho.language.sentences import split_sentences
from tests.corpus.readers.making import saved, unembedded
from tests.faults.children import LONG as IS_LONG
from tests.machine import cpu_seconds, grows_in_line

WHITE = ("", " ", "\u3000", "\t", "\n", " \u3000\t ", "\u00a0", "\x0b\x0c", "\x85", "\u2028")
SINGLE = (
    "a",
    "あ",
    "。",
    "「",
    "」",
    "・",
    "-",
    "1",
    "第",
    "図",
    "表",
    "|",
    "#",
    "<",
    "=",
    "\u200b",
    "\U0001f600",
    "\U00020b9f",
)
LONG = 20_000
PIECES = (
    *WHITE,
    *SINGLE,
    "a" * 300,
    "あ" * 300,
    " " * 300,
    "1. ",
    "第1章 総則",
    "表 1: 値",
    "図 2-1 ",
    "x = y",
    "。" * 40,
)

words = st.one_of(st.sampled_from(PIECES), st.text(max_size=12))
places = st.one_of(st.sampled_from((0.0, 72.0, 300.0, -5.0)), st.floats(-100, 900, width=16))
extents = st.one_of(st.sampled_from((0.0, 10.5)), st.floats(0, 600, width=16))
sizes = st.sampled_from((0.0, 0.1, 1.0, 9.0, 10.5, 14.0, 400.0))


@st.composite
def printed_lines(draw: st.DrawFn, page: int = 1) -> PdfLine:
    left = draw(places)
    top = draw(places)
    right = draw(extents)
    down = draw(extents)
    begins = sorted(draw(st.lists(extents, max_size=3)))
    gaps = tuple((begin, begin + 20) for begin in begins)
    set_in = Typeface(draw(sizes), draw(places), draw(st.booleans()))
    return PdfLine(
        draw(words), page, (left, top, left + right, top + down), set_in, draw(st.booleans()), gaps
    )


pages = st.lists(
    st.builds(
        PdfPage,
        st.lists(printed_lines(), max_size=8),
        st.sampled_from((0.0, 595.0)),
        st.sampled_from((0.0, 400.0, 842.0)),
    ),
    max_size=4,
)


def check(reading: Reading) -> None:
    """Every span stands where it says, and every passage has words and at most its size."""
    layout = lay_out(reading)
    for block in reading.blocks:
        assert all(0 <= line.start <= line.end <= len(block.text) for line in block.lines)
    for piece in cut(layout):
        assert layout.text[piece.start : piece.end].strip()
        assert piece.end - piece.start <= 500
        assert len(piece.heading) < 10_000


def read_or_refused(read: Callable[[], Reading]) -> None:
    try:
        reading = read()
    except UnusableDocument as reason:
        assert len(reason.message) > 20
    else:
        check(reading)


@pytest.mark.slow
@settings(max_examples=150 if IS_LONG else 40, deadline=None)
@given(pages)
def test_any_lines_of_a_page_are_put_together(drawn: list[PdfPage]) -> None:
    found = paragraphs.build_blocks(drawn)
    check(Reading(found))
    kept = {id(line) for page in running.drop_running_heads(drawn) for line in page.lines}
    assert sum(len(block.lines) for block in found) == len(kept)


@settings(max_examples=100 if IS_LONG else 30, deadline=None)
@given(st.lists(printed_lines(), max_size=12))
def test_any_lines_are_ordered_and_searched_for_tables(drawn: list[PdfLine]) -> None:
    ordered = _sort_lines(drawn)
    assert sorted(map(id, ordered)) == sorted(map(id, drawn))
    assert all(first <= row < len(drawn) for row, first in find_tables(drawn).items())


@pytest.mark.parametrize("blank", ["\x01", "\x01\x02", "\x7f", "\x85", "\u3000", "\u00a0 "])
def test_a_line_of_nothing_but_white_space_is_passed_over(blank: str) -> None:
    reading = pdf.read(unembedded(f"決定係数は、\n{blank}\n当てはまりの良さを表す。", "H", named=True))
    read = "".join("".join(block.text.split()) for block in reading.blocks)
    assert read == "決定係数は、当てはまりの良さを表す。"


@pytest.mark.parametrize("blank", WHITE)
def test_lines_of_white_space_among_others_in_a_paragraph(blank: str) -> None:
    def line(words: str, top: float) -> PdfLine:
        return PdfLine(words, 1, (72, top - 8, 500, top + 2), Typeface(10.5, top, False), False)

    found = paragraphs.build_blocks(
        [PdfPage([line("決定係数は、", 100), line(blank, 117), line("指標である。", 134)], 595, 842)]
    )
    assert "決定係数は、" in found[0].text


@pytest.mark.parametrize(
    "content", [*WHITE, *SINGLE, " " * LONG, "a" * LONG, "あ" * LONG, "\n" * LONG, "あ。" * LONG]
)
@pytest.mark.parametrize(
    "around", ["{}", "<p>{}</p>", "<table><tr><td>{}</td></tr></table>", "<h1>{}</h1>本文", "<pre>{}</pre>"]
)
def test_text_formats_take_any_content(content: str, around: str) -> None:
    data = around.format(content).encode()
    for read in (text.read, markdown.read, html.read):
        read_or_refused(lambda read=read: read(data))  # type: ignore[misc]
    if "".join(content.split()):
        shown = [(text.read, around.format(content))] + [(html.read, content)] * ("<" in around)
        for read, whole in shown:
            blocks = "".join(block.text for block in read(data).blocks)
            assert "".join(whole.split()) in "".join(blocks.split())
    for mark in (
        "# {}\n\n本文",
        "- {}",
        "| {} |\n|---|\n| {} |",
        "> {}",
        "```\n{}\n```",
        "---\ntitle: {}\n---\n本文",
    ):
        read_or_refused(lambda mark=mark: markdown.read(mark.replace("{}", content).encode()))  # type: ignore[misc]


def word_of(*texts: str) -> bytes:
    document = docx.Document()
    for content in texts:
        document.add_heading(content, 1)
        document.add_paragraph(content)
        table = document.add_table(2, 2)
        table.cell(0, 0).text = content
        table.cell(1, 0).merge(table.cell(1, 1))
    return saved(document)


def deck_of(*texts: str) -> bytes:
    deck = pptx.Presentation()
    for content in texts:
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        slide.shapes.title.text = content
        slide.notes_slide.notes_text_frame.text = content
        table = slide.shapes.add_table(2, 2, 0, 0, Inches(3), Inches(1)).table
        table.cell(0, 0).text = content
        table.cell(1, 0).merge(table.cell(1, 1))
    return saved(deck)


WRITABLE = [content for content in (*WHITE, *SINGLE) if content.isprintable() or content in " \t\n\u3000"]


@pytest.mark.slow
def test_office_formats_take_any_content() -> None:
    for content in (*WRITABLE, "a" * LONG, " " * LONG, "あ。" * LONG):
        read_or_refused(lambda content=content: word_reader.read(word_of(content)))  # type: ignore[misc]
        read_or_refused(lambda content=content: slide_reader.read(deck_of(content)))  # type: ignore[misc]
    reading = word_reader.read(word_of(*WRITABLE))
    check(reading)
    assert "あ" in {block.text for block in reading.blocks}
    check(slide_reader.read(deck_of(*WRITABLE)))


def grid(rows: int, *, merged: bool) -> bytes:
    """A table with a first column that is one cell, where `merged`."""
    document = docx.Document()
    table = document.add_table(rows, 2)
    for row, element in enumerate(table._tbl.tr_lst):
        first, second = element.tc_lst
        if merged:
            first.vMerge = "continue" if row else "restart"
        first.p_lst[0].add_r().text = f"群{row}"
        second.p_lst[0].add_r().text = str(row)
    return saved(document)


def test_a_cell_over_many_rows_stands_in_each_of_them() -> None:
    (block,) = word_reader.read(grid(2_000, merged=True)).blocks
    assert block.text.split("\n") == [f"群0\t{row}" for row in range(2_000)]


def test_neighbours_that_say_the_same_are_two_cells() -> None:
    document = docx.Document()
    table = document.add_table(2, 3)
    for cell, content in zip(table._cells, ("10", "10", "20", "計", "計", "30"), strict=True):
        cell.text = content
    table.cell(1, 0).merge(table.cell(1, 1)).text = "計"
    inner = table.cell(0, 2).add_table(1, 1)
    inner.cell(0, 0).text = "内の表"
    (block,) = word_reader.read(saved(document)).blocks
    assert block.text == "10\t10\t20 内の表\n計\t30"

    deck = pptx.Presentation()
    shape = deck.slides.add_slide(deck.slide_layouts[6]).shapes.add_table(1, 3, 0, 0, Inches(3), Inches(1))
    for cell, content in zip(shape.table.rows[0].cells, ("5", "5", "6"), strict=True):
        cell.text = content
    (block,) = slide_reader.read(saved(deck)).blocks
    assert block.text == "5\t5\t6"


def test_a_heading_without_end_is_named_in_paths_by_its_beginning() -> None:
    reading = markdown.read(("# " + "長" * 100_000 + "\n\n本文。\n\n次の本文。").encode())
    assert [len(path) for block in reading.blocks[1:] for path in block.headings] == [HEADING_CHARS] * 2
    assert len(reading.blocks[0].text) == 100_000
    check(reading)


# Of one character, and of what begins something in one of the formats.
REPEATED = (
    "a",
    " ",
    "あ",
    "。",
    ".",
    "「",
    "」",
    "\n",
    " \n",
    "- a\n",
    "# ",
    "|",
    "> ",
    "*",
    "_",
    "[",
    "<",
    "`",
    "~",
    "\\",
    "a ",
)


def _through(read: Callable[[bytes], Reading]) -> Callable[[str], object]:
    def work(content: str) -> None:
        read_or_refused(lambda: read(content.encode()))

    return work


@pytest.mark.parametrize("unit", REPEATED)
def test_rules_about_the_words_of_a_line_are_linear(unit: str) -> None:
    def rules(content: str) -> Sequence[object]:
        yes_or_no = (
            shapes.is_item,
            shapes.has_label,
            shapes.has_ended,
            shapes.is_caption,
            shapes.is_formula,
            shapes.is_wordless,
        )
        return [
            *(rule(content) for rule in yes_or_no),
            shapes.parse_depth(content),
            shapes.can_be_heading(content),
            split_sentences(content),
        ]

    assert grows_in_line(rules, lambda size: unit * (size // len(unit)) + "x", 20_000)


@pytest.mark.slow
@pytest.mark.parametrize("unit", REPEATED)
@pytest.mark.parametrize("read", [text.read, markdown.read, html.read], ids=["text", "markdown", "html"])
def test_readers_of_text_are_linear(unit: str, read: Callable[[bytes], Reading]) -> None:
    assert grows_in_line(_through(read), lambda size: unit * (size // len(unit)) + "x", 4_000)


def test_white_space_in_code_of_a_page_is_linear() -> None:
    assert grows_in_line(
        _through(html.read),
        lambda size: f"<html><body><p>本文である。<code>{' ' * size}</code>終わり。</p></body></html>",
        5_000,
    )


def test_a_title_with_white_space_inside_is_linear() -> None:
    assert grows_in_line(
        _through(markdown.read), lambda size: f"---\ntitle: a{' ' * size}b\n---\n本文。", 5_000
    )


def test_a_sentence_without_end_is_cut_in_linear_time() -> None:
    assert grows_in_line(_through(text.read), lambda size: "あ" * size, 60_000)


def test_a_page_of_many_short_vertical_lines_is_ordered_in_linear_time() -> None:
    def lines(size: int) -> list[PdfLine]:
        return [
            PdfLine("縦書き", 1, (float(at), 10.0, at + 8.0, 700.0), Typeface(8.0, 10.0, False), True)
            for at in reversed(range(size))
        ]

    small = lines(500)
    large = lines(4_000)
    short = cpu_seconds(lambda: _sort_lines(small))
    assert cpu_seconds(lambda: _sort_lines(large)) < max(0.02, 24 * short)


def test_comments_before_a_page_are_passed_over_once_each() -> None:
    """Told in the parent process: the rule that tried comments in every order took twice as long for each
    further one."""
    assert media.sniff("page", b"<!---->" * 5_000 + b"<html><body>") == media.HTML
    assert media.sniff("page", b"<!-- a - b -- c -->\n" * 20 + b"<html>") == media.HTML
    assert media.sniff("page", b"<!---->" * 5_000 + b"x") == media.TEXT


def test_a_page_may_begin_with_its_title_and_markdown_with_a_paragraph_of_html() -> None:
    assert media.sniff("page", b"<title>a</title><p>b") == media.HTML
    assert media.sniff("page", b"<title-group><title>a</title></title-group>") == media.TEXT
    assert media.sniff("page", b"<p align=center>a</p>\n\n# b") == media.TEXT
