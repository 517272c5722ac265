"""Code keeps its lines and stands by itself; cells of tables that reach over rows and columns are there in
each."""

from __future__ import annotations

import json

import pytest

from shisho.corpus.readers import html, markdown, notebook
from shisho.corpus.readers.html import MAX_ADDED
from shisho.domain.corpus import Block, BlockKind

CODE = "def tell(name):\n    # 名前を言う。終わり。\n    return name\n\nprint(tell('司書'))"
PROSE = "これは本文である。長い説明がここに続き、何をするためのものかを述べる。" * 3
TABLE = """<table><caption>売上</caption>
<tr><th rowspan="2">地域</th><th colspan="2">売上</th></tr>
<tr><th>上期</th><th>下期</th></tr>
<tr><td rowspan="2">東日本</td><td>10</td><td>20</td></tr>
<tr><td>11</td><td>21</td></tr>
<tr><td colspan="3">単位は億円</td></tr></table>"""
ROWS = [
    "地域\t売上\t売上",
    "地域\t上期\t下期",
    "東日本\t10\t20",
    "東日本\t11\t21",
    "単位は億円",
]


def page(*parts: str) -> bytes:
    body = "".join(f"<p>{PROSE}</p>{part}<p>{PROSE}</p>" for part in parts)
    return f"<html><body><article><h1>題</h1>{body}</article></body></html>".encode()


def of_kind(blocks: tuple[Block, ...] | list[Block], kind: BlockKind) -> list[str]:
    return [block.text for block in blocks if block.kind is kind]


def test_code_of_markdown_is_code_as_it_stands() -> None:
    indented = "\n".join(f"    {line}" for line in CODE.splitlines())
    text = f"# 題\n\n本文の `x = 1` である。\n\n```python\n{CODE}\n```\n\n後。\n\n{indented}\n"
    reading = markdown.read(text.encode())
    assert of_kind(reading.blocks, BlockKind.CODE) == [CODE, CODE]
    assert "本文の x = 1 である。" in of_kind(reading.blocks, BlockKind.PARAGRAPH)


@pytest.mark.parametrize("whole", [False, True], ids=["the main text", "everything"])
def test_code_of_html_is_code_as_it_stands(whole: bool) -> None:
    listing = f"<pre><code class='python'>{CODE}</code></pre><p>語 <code>x = 1</code> である。</p>"
    data = page(listing, "<pre>make test</pre>")
    blocks = html.read_whole_blocks(data.decode()) if whole else html.read(data).blocks
    assert of_kind(blocks, BlockKind.CODE) == [CODE, "make test"]
    assert "語 x = 1 である。" in of_kind(blocks, BlockKind.PARAGRAPH)


def test_cell_of_a_notebook_that_is_run_is_code() -> None:
    cells = [
        {"cell_type": "markdown", "source": "本文。"},
        {"cell_type": "code", "source": CODE, "outputs": []},
    ]
    reading = notebook.read(json.dumps({"nbformat": 4, "metadata": {}, "cells": cells}).encode())
    assert of_kind(reading.blocks, BlockKind.CODE) == [CODE]


@pytest.mark.parametrize("whole", [False, True], ids=["the main text", "everything"])
def test_rows_and_columns_that_a_cell_reaches_over_have_it(whole: bool) -> None:
    data = page(TABLE)
    blocks = html.read_whole_blocks(data.decode()) if whole else html.read(data).blocks
    (table,) = of_kind(blocks, BlockKind.TABLE)
    assert [row.rstrip("\t") for row in table.split("\n")] == ROWS
    assert "売上" in [block.text for block in blocks]


def test_tables_in_html_inside_markdown_too() -> None:
    (table,) = of_kind(markdown.read(f"# 題\n\n{TABLE}\n".encode()).blocks, BlockKind.TABLE)
    assert [row.rstrip("\t") for row in table.split("\n")] == ROWS


@pytest.mark.parametrize(
    ("attributes", "rows"),
    [
        ("rowspan='0'", ["甲\t1", "甲\t2"]),
        ("rowspan='-3'", ["甲\t1", "2"]),
        ("rowspan='x' colspan='²'", ["甲\t1", "2"]),
        ("rowspan='999999999999'", ["甲\t1", "甲\t2"]),
    ],
)
def test_odd_spans_are_read_as_browsers_read_them(attributes: str, rows: list[str]) -> None:
    text = f"<table><tr><th {attributes}>甲</th><td>1</td></tr><tr><td>2</td></tr></table>"
    (table,) = of_kind(html.read_whole_blocks(text), BlockKind.TABLE)
    assert table.split("\n") == rows


def test_page_that_asks_for_millions_of_cells_gets_a_few() -> None:
    row = "<tr>" + "<th colspan='1000' rowspan='1000'>甲</th>" * 40 + "</tr>"
    (table,) = of_kind(html.read_whole_blocks(f"<table>{row * 100}</table>"), BlockKind.TABLE)
    assert 4_000 <= table.count("甲") <= MAX_ADDED + 4_000
