"""The same content in every format that is read: as a line, a block, a heading and a cell, between words that
must be found."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable
from functools import lru_cache
from html import escape

import docx
import openpyxl
import pptx
from pptx.util import Inches

from shisho.corpus.readers import delimited, eml, epub, html, markdown, notebook, pdf, rtf, text, xlsx
from shisho.corpus.readers import docx as word_reader
from shisho.corpus.readers import pptx as slide_reader
from shisho.domain.corpus import Reading
from tests.corpus.readers.making import saved, unembedded
from tests.corpus.readers.making_books import CHAPTERS, book

BEFORE = "Words before."
AFTER = "Words after."
MARK = "CONTENT"  # stands in a file where the content will
_OUTSIDE_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")

Maker = Callable[[str], bytes]


def in_text(form: str) -> Maker:
    whole = f"{BEFORE}\n\n{form}\n\n{AFTER}\n"
    return lambda content: whole.replace(MARK, content).encode()


def in_page(form: str) -> Maker:
    whole = f"<html><body><p>{BEFORE}</p>{form}<p>{AFTER}</p></body></html>"
    return lambda content: whole.replace(MARK, escape(content)).encode()


def in_rich_text(form: str) -> Maker:
    whole = rf"{{\rtf1\ansi {BEFORE}\par {form}\pard {AFTER}\par}}"
    return lambda content: whole.replace(MARK, _rich(content)).encode("ascii")


def _rich(content: str) -> str:
    return content.translate({ord(letter): _rich_letter(letter) for letter in set(content)})


def _rich_letter(letter: str) -> str:
    if letter == "\n":
        return "\\line "
    if letter.isascii():
        return f"\\{letter}" if letter in "\\{}" else letter
    units = letter.encode("utf-16-le")
    numbers = [int.from_bytes(units[at : at + 2], "little", signed=True) for at in range(0, len(units), 2)]
    return "".join(f"\\u{number}?" for number in numbers)


def in_package(template: Callable[[], bytes], line_break: str) -> Maker:
    """A zip of XML. Nothing is packed: a million letters of a kind would be refused as a bomb."""

    def make(content: str) -> bytes:
        written = escape(_OUTSIDE_XML.sub("", content)).replace("\n", line_break).encode()
        file = io.BytesIO()
        with (
            zipfile.ZipFile(io.BytesIO(template())) as parts,
            zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as made,
        ):
            for name in parts.namelist():
                made.writestr(name, parts.read(name).replace(MARK.encode(), written))
        return file.getvalue()

    return make


@lru_cache
def word_line() -> bytes:
    document = docx.Document()
    for words in (BEFORE, MARK, AFTER):
        document.add_paragraph(words)
    return saved(document)


@lru_cache
def word_heading() -> bytes:
    document = docx.Document()
    document.add_paragraph(BEFORE)
    document.add_heading(MARK, 1)
    document.add_paragraph(AFTER)
    return saved(document)


@lru_cache
def word_cell() -> bytes:
    document = docx.Document()
    document.add_paragraph(BEFORE)
    table = document.add_table(2, 2)
    table.cell(0, 0).text = MARK
    table.cell(1, 0).merge(table.cell(1, 1)).text = MARK
    document.add_paragraph(AFTER)
    return saved(document)


@lru_cache
def slide() -> bytes:
    deck = pptx.Presentation()
    for words in (BEFORE, MARK, AFTER):
        page = deck.slides.add_slide(deck.slide_layouts[5])
        page.shapes.title.text = words
        page.notes_slide.notes_text_frame.text = words
    return saved(deck)


@lru_cache
def slide_cell() -> bytes:
    deck = pptx.Presentation()
    page = deck.slides.add_slide(deck.slide_layouts[5])
    page.shapes.title.text = BEFORE
    table = page.shapes.add_table(2, 2, 0, 0, Inches(3), Inches(1)).table
    table.cell(0, 0).text = MARK
    table.cell(1, 0).merge(table.cell(1, 1))
    page.notes_slide.notes_text_frame.text = AFTER
    return saved(deck)


@lru_cache
def sheet_cell() -> bytes:
    """openpyxl writes no cell of a million letters, though a file may hold one."""
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    for row in ((BEFORE, "b"), (MARK, MARK), (MARK, 1), (AFTER, 2)):
        sheet.append(row)
    return saved(workbook)


@lru_cache
def chapter_line() -> bytes:
    return book(chapters={**CHAPTERS, "c1.xhtml": f"<p>{BEFORE}</p><p>{MARK}</p><p>{AFTER}</p>"})


@lru_cache
def chapter_cell() -> bytes:
    cell = f"<h2>{MARK}</h2><table><tr><td>{MARK}</td><td>1</td></tr></table>"
    return book(chapters={**CHAPTERS, "c1.xhtml": f"<p>{BEFORE}</p>{cell}<p>{AFTER}</p>"})


def word_of_empty_tables() -> bytes:
    document = docx.Document()
    document.add_paragraph(BEFORE)
    document.add_table(0, 0)
    document.add_table(2, 2)
    row = document.add_table(1, 1).rows[0]._tr
    row.remove(row.tc_lst[0])
    cell = document.add_table(1, 1).cell(0, 0)._tc
    cell.remove(cell.p_lst[0])
    document.add_paragraph("")
    document.add_heading("", 1)
    document.add_paragraph(AFTER)
    return saved(document)


def slides_of_empty_tables() -> bytes:
    deck = pptx.Presentation()
    deck.slides.add_slide(deck.slide_layouts[6])
    for words in (BEFORE, "", AFTER):
        page = deck.slides.add_slide(deck.slide_layouts[5])
        page.shapes.title.text = words
        page.shapes.add_table(2, 2, 0, 0, Inches(3), Inches(1))
        row = page.shapes.add_table(1, 1, 0, 0, Inches(3), Inches(1)).table._tbl.tr_lst[0]
        row.remove(row.tc_lst[0])
    return saved(deck)


def empty_sheets() -> bytes:
    workbook = openpyxl.Workbook()
    sheet = workbook.create_sheet()
    for row in ((BEFORE, None), (), (None, None), ("", " "), (AFTER, "")):
        sheet.append(row)
    workbook.create_sheet()
    return saved(workbook)


def empty_chapters() -> bytes:
    chapters = {
        "c1.xhtml": "",
        "c2.xhtml": f"<p>{BEFORE}</p><table></table><h1></h1><ul><li/></ul><p>{AFTER}</p>",
        "c3.xhtml": "<table><tr><td></td></tr></table>",
    }
    return book(chapters=chapters)


def letter(subtype: str, make: Maker) -> Maker:
    head = f"From: a@b.example\nSubject: Words\nContent-Type: text/{subtype}; charset=utf-8\n\n".encode()
    return lambda content: head + make(content)


def letter_subject(content: str) -> bytes:
    line = " ".join(content.splitlines())
    return f"From: a@b.example\nSubject: {line}\n\n{BEFORE}\n\n{AFTER}\n".encode()


def notebook_of(*cells: dict[str, object]) -> Maker:
    """What is empty may say less than the format asks for."""
    before, after = ({"cell_type": "markdown", "source": words} for words in (BEFORE, AFTER))
    whole = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [before, *cells, after]}
    written = json.dumps(whole)
    return lambda content: written.replace(MARK, json.dumps(content)[1:-1]).encode()


def delimited_cell(content: str) -> bytes:
    quoted = content.replace('"', '""')
    return f'{BEFORE},b\n"{quoted}",1\n{AFTER},2\n'.encode()


def printed_line(content: str) -> bytes:
    shown = "".join(letter for letter in dict.fromkeys(content) if letter == "\n" or ord(letter) < 0x10000)
    kept = content if len(shown) == len(set(content)) else shown
    return unembedded(f"{BEFORE}\n{kept}\n{AFTER}", "H", named=True)


FILES: dict[str, tuple[Callable[[bytes], Reading], Maker]] = {
    "text": (text.read, in_text(MARK)),
    "markdown line": (markdown.read, in_text(MARK)),
    "markdown heading": (markdown.read, in_text(f"# {MARK}")),
    "markdown item": (markdown.read, in_text(f"- {MARK}")),
    "markdown code": (markdown.read, in_text(f"```\n{MARK}\n```")),
    "markdown cell": (markdown.read, in_text(f"| {MARK} | b |\n|---|---|\n| {MARK} | 1 |")),
    "html line": (html.read, in_page(f"<p>{MARK}</p>")),
    "html heading": (html.read, in_page(f"<h1>{MARK}</h1>")),
    "html code": (html.read, in_page(f"<pre>{MARK}</pre>")),
    "html cell": (html.read, in_page(f"<table><tr><td>{MARK}</td><td>1</td></tr></table>")),
    "docx line": (word_reader.read, in_package(word_line, "</w:t><w:br/><w:t>")),
    "docx heading": (word_reader.read, in_package(word_heading, "</w:t><w:br/><w:t>")),
    "docx cell": (word_reader.read, in_package(word_cell, "</w:t><w:br/><w:t>")),
    "pptx line": (slide_reader.read, in_package(slide, "</a:t></a:r><a:br/><a:r><a:t>")),
    "pptx cell": (slide_reader.read, in_package(slide_cell, "</a:t></a:r><a:br/><a:r><a:t>")),
    "xlsx cell": (xlsx.read, in_package(sheet_cell, "\n")),
    "epub line": (epub.read, in_package(chapter_line, "<br/>")),
    "epub cell": (epub.read, in_package(chapter_cell, "<br/>")),
    "eml line": (eml.read, letter("plain", in_text(MARK))),
    "eml cell": (eml.read, letter("html", in_page(f"<table><tr><td>{MARK}</td></tr></table>"))),
    "eml subject": (eml.read, letter_subject),
    "ipynb": (
        notebook.read,
        notebook_of(
            {"cell_type": "markdown", "source": MARK},
            {"cell_type": "code", "source": MARK, "outputs": [{"output_type": "stream", "text": MARK}]},
        ),
    ),
    "rtf line": (rtf.read, in_rich_text(rf"{MARK}\par ")),
    "rtf cell": (rtf.read, in_rich_text(rf"\trowd\cellx99\cellx199 {MARK}\cell 1\cell\row ")),
    "csv cell": (delimited.read, delimited_cell),
    "pdf line": (pdf.read, printed_line),
}
