"""Lines, blocks, tables and cells that are empty, white, of one character or of a million, in every format
that is read: what stands before and after them is found, and reading takes time in proportion."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy

import docx
import pytest
from docx.enum.style import WD_STYLE_TYPE

from shisho.corpus.readers import delimited, eml, epub, html, markdown, media, notebook, pdf, rtf, xlsx
from shisho.corpus.readers import docx as word_reader
from shisho.corpus.readers import pptx as slide_reader
from shisho.domain.corpus import Reading
from tests.corpus.readers import making
from tests.corpus.readers.hard_files import (
    AFTER,
    BEFORE,
    FILES,
    empty_chapters,
    empty_sheets,
    in_page,
    in_rich_text,
    in_text,
    letter,
    notebook_of,
    slides_of_empty_tables,
    word_of_empty_tables,
)
from tests.corpus.readers.making import saved
from tests.corpus.readers.test_hard_input import SINGLE, WHITE, check, read_or_refused
from tests.faults.children import LONG as IS_LONG
from tests.machine import grows_in_line

MILLION = 1_000_000
LETTERS = ("あ。", *(("a", " ", "あ", "1", "\u3000", "「", "a ") if IS_LONG else ()))
# Of many lines: what costs more for each than a letter does is tried with fewer.
LINES = ("a\n", "あ。\n\n", *(("\n", "1. a\n", "a\t") if IS_LONG else ()))
SHORT_LINES = 80_000 if IS_LONG else 20_000
# Of each reader one place in the short form, another for letters than for lines.
FIRST_PLACES = FILES if IS_LONG else {read: name for name, (read, _) in reversed(FILES.items())}.values()
LAST_PLACES = FILES if IS_LONG else {read: name for name, (read, _) in FILES.items()}.values()


def text_of(reading: Reading) -> str:
    check(reading)
    return "\n".join(block.text for block in reading.blocks)


def test_every_reader_is_tried() -> None:
    tried = {f"{read.__module__}:{read.__name__}" for read, _ in FILES.values()}
    assert tried == {item.read for item in media.FORMATS}


@pytest.mark.parametrize("name", FILES)
def test_what_is_empty_white_or_one_character_hides_nothing_around_it(name: str) -> None:
    read, make = FILES[name]
    for content in (*WHITE, *SINGLE):
        found = text_of(read(make(content)))
        assert BEFORE in found and AFTER in found, repr(content)
        if content.isalnum() and content.isprintable() and ord(content) < 0x10000:
            assert content in found.replace(BEFORE, "").replace(AFTER, ""), repr(content)


EMPTY: dict[str, tuple[Callable[[bytes], Reading], bytes]] = {
    "html": (
        html.read,
        in_page(
            "<table></table><table><tr></tr><tr><td></td></tr></table><ul><li></li></ul><p></p><h2></h2>"
            "<table><caption></caption><tr><td> </td></tr></table><pre>\n</pre><dl></dl><blockquote></blockquote>"
        )(""),
    ),
    "markdown": (markdown.read, in_text("|  |  |\n|---|---|\n|  |  |\n\n#\n\n-\n\n>\n\n```\n```")("")),
    "docx": (word_reader.read, word_of_empty_tables()),
    "pptx": (slide_reader.read, slides_of_empty_tables()),
    "xlsx": (xlsx.read, empty_sheets()),
    "epub": (epub.read, empty_chapters()),
    "rtf": (rtf.read, in_rich_text(r"\trowd\row\trowd\cellx9\cell\row\par\par ")("")),
    "csv": (delimited.read, f"{BEFORE},b\n,\n\n,,,\n{AFTER},1\n".encode()),
    "eml": (eml.read, letter("html", in_page("<table></table><br><br>"))("")),
    "ipynb": (
        notebook.read,
        notebook_of({}, {"cell_type": "code"}, {"cell_type": "markdown", "source": []}, {"outputs": [{}]})(
            ""
        ),
    ),
    "pdf": (pdf.read, making.pdf([[], making.lines(BEFORE), [], making.lines("", " ", AFTER), []])),
}


@pytest.mark.parametrize("name", EMPTY)
def test_empty_blocks_and_tables_hide_nothing_around_them(name: str) -> None:
    read, file = EMPTY[name]
    found = text_of(read(file))
    assert BEFORE in found and AFTER in found


@pytest.mark.slow
@pytest.mark.parametrize("name", LAST_PLACES)
def test_a_million_characters_in_one_place_take_eight_times_an_eighth(name: str) -> None:
    read, make = FILES[name]
    for unit in LETTERS:
        files = {size: make(unit * (size // len(unit))) for size in (MILLION // 8, MILLION)}
        assert grows_in_line(
            lambda file: read_or_refused(lambda: read(file)), files.__getitem__, MILLION // 8
        ), unit


@pytest.mark.slow
@pytest.mark.parametrize("name", FIRST_PLACES)
def test_many_lines_in_one_place_take_eight_times_an_eighth(name: str) -> None:
    read, make = FILES[name]
    for unit in LINES:
        files = {size: make(unit * (size // len(unit))) for size in (SHORT_LINES // 8, SHORT_LINES)}
        assert grows_in_line(
            lambda file: read_or_refused(lambda: read(file)), files.__getitem__, SHORT_LINES // 8
        ), unit


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit", ["a ", "a, ", '"', "(", "<", "=?", "=?utf-8?q?a", "=?utf-8?b?44GC?= ", "a=b; ", "\\", "%41"]
)
@pytest.mark.parametrize("field", ["Subject", "To", "Content-Type", "Content-Disposition"])
def test_a_field_of_a_letter_without_end_is_read_in_linear_time(field: str, unit: str) -> None:
    def make(size: int) -> bytes:
        head = "Date: Mon, 01 Apr 2024 09:00:00 +0900"
        value = "text/plain; " * field.startswith("Content") + unit * (size // len(unit))
        return f"{head}\n{field}: {value}\n\n{BEFORE}\n\n{AFTER}\n".encode()

    found = text_of(eml.read(make(5_000)))
    assert BEFORE in found and AFTER in found
    assert grows_in_line(eml.read, make, 20_000)


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [
        "<b>a</b>",
        "<span>a</span>",
        "文<a href='x'>a</a>",
        "<img>a",
        "x<sup>2</sup>",
        "<kbd>a</kbd>",
        "<br>a",
        "<i><b>a</b></i>",
    ],
)
def test_very_many_pieces_of_a_paragraph_are_read_in_linear_time(unit: str) -> None:
    long = "本文である。" * 300
    make = in_page(f"<article><p>{long}</p><p>MARK</p></article>")("").decode().replace
    assert grows_in_line(html.read, lambda size: make("MARK", unit * (size // len(unit))).encode(), 20_000)


def test_marks_of_very_many_letters_take_no_letter_with_them() -> None:
    words = "".join(f"<b>第{number}</b>と<i><u>次</u></i>、" for number in range(2_000))
    page = in_page(f"<article><p>{words}</p></article>")("")
    assert "".join(f"第{number}と次、" for number in range(2_000)) in text_of(html.read(page))


@pytest.mark.slow
def test_lines_of_code_that_are_paragraphs_each_are_put_together_in_linear_time() -> None:
    def make(count: int) -> bytes:
        document = docx.Document()
        style = document.styles.add_style("Source Code", WD_STYLE_TYPE.PARAGRAPH)
        line = document.add_paragraph("a" * 200, style)._p
        for _ in range(count):
            line.addnext(deepcopy(line))
        return saved(document)

    assert len(word_reader.read(make(3)).blocks[0].text.split("\n")) == 4
    assert grows_in_line(word_reader.read, make, 500)
