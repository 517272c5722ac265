"""The chapter of a passage in a book, where several stand in one file and where the book lists none."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from shisho.corpus.chunk import cut
from shisho.corpus.layout import lay_out
from shisho.corpus.readers import epub
from tests.corpus.readers import making_books as making

SEA = "海は広い。"
HILL = "山は高い。"
RIVER = "川は長い。"


def link(target: str, title: str, below: str = "") -> str:
    return f'<li><a href="{target}">{title}</a>{f"<ol>{below}</ol>" if below else ""}</li>'


def book(chapters: Mapping[str, str], *links: str) -> bytes:
    body = f'<nav epub:type="toc"><ol>{"".join(links)}</ol></nav>'
    page = f'<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><body>{body}</body></html>'
    return making.book({"本/nav.xhtml": page}, chapters)


def places(data: bytes) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(block.text, block.place, block.headings) for block in epub.read(data).blocks]


LINKS = (link("a.xhtml#sea", "第1章 海"), link("a.xhtml#hill", "第2章 山"))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ('<h1 id="sea">第1章 海</h1>', '<h1 id="hill">第2章 山</h1>'),
        ('<h1><a name="sea"></a>第1章 海</h1>', '<h1><a name="hill"></a>第2章 山</h1>'),
        ('<h1>第1章 海<a id="sea"/></h1>', '<h1>第2章 山<a id="hill"/></h1>'),
        ('<a id="sea"/><h1>第1章 海</h1>', '<div id="hill"/><h1>第2章 山</h1>'),
        ('<section id="sea"><h1>第1章 海</h1>', '</section><section id="hill"><h1>第2章 山</h1>'),
    ],
)
def test_chapters_of_one_file_begin_at_their_anchors(first: str, second: str) -> None:
    data = book({"a.xhtml": f"{first}<p>{SEA}</p>{second}<p>{HILL}</p>"}, *LINKS)
    assert places(data) == [
        ("第1章 海", "第1章 海", ()),
        (SEA, "第1章 海", ("第1章 海",)),
        ("第2章 山", "第2章 山", ()),
        (HILL, "第2章 山", ("第2章 山",)),
    ]
    layout = lay_out(epub.read(data))
    for piece in cut(layout):
        assert (SEA in layout.text[piece.start : piece.end]) == (piece.place == "第1章 海")


def test_chapter_whose_title_is_no_heading_stands_under_none_of_the_one_before() -> None:
    text = f'<h1 id="sea">第1章 海</h1><h2>潮</h2><p>{SEA}</p><p id="hill">第2章 山</p><p>{HILL}</p><h2>峰</h2><p>{RIVER}</p>'
    assert places(book({"a.xhtml": text}, *LINKS))[3:] == [
        ("第2章 山", "第2章 山", ("第2章 山",)),
        (HILL, "第2章 山", ("第2章 山",)),
        ("峰", "第2章 山", ("第2章 山",)),
        (RIVER, "第2章 山", ("第2章 山", "峰")),
    ]


def test_title_of_the_book_above_the_chapters_is_not_below_them() -> None:
    text = f'<h1>風土記</h1><h2 id="sea">第1章 海</h2><p>{SEA}</p><h2 id="hill">第2章 山</h2><p>{HILL}</p>'
    assert places(book({"a.xhtml": text}, *LINKS))[1:] == [
        ("第1章 海", "第1章 海", ()),
        (SEA, "第1章 海", ("第1章 海",)),
        ("第2章 山", "第2章 山", ()),
        (HILL, "第2章 山", ("第2章 山",)),
    ]


def test_innermost_entry_is_the_place() -> None:
    sections = link("a.xhtml#sea", "第1章 海", link("a.xhtml#tide", "第1節 潮"))
    text = f'<h1 id="part">第1部</h1><h2 id="sea">第1章 海</h2><p>{SEA}</p><h3 id="tide">第1節 潮</h3><p>{RIVER}</p>'
    data = book({"a.xhtml": text}, link("a.xhtml#part", "第1部", sections))
    assert places(data)[2:] == [
        (SEA, "第1章 海", ("第1部", "第1章 海")),
        ("第1節 潮", "第1節 潮", ("第1部", "第1章 海")),
        (RIVER, "第1節 潮", ("第1部", "第1章 海", "第1節 潮")),
    ]
    for target in ("a.xhtml", "a.xhtml#sea"):
        alike = link(target, "第1部", link(target, "第1章 海"))
        assert places(book({"a.xhtml": f'<p id="sea">{SEA}</p>'}, alike)) == [
            (SEA, "第1章 海", ("第1部", "第1章 海"))
        ]


def test_text_before_the_first_anchor_goes_on_with_the_chapter_before() -> None:
    links = (link("a.xhtml", "第1章 海"), link("b.xhtml#hill", "第2章 山"), link("b.xhtml#river", "第3章 川"))
    chapters = {
        "a.xhtml": f"<p>{SEA}</p>",
        "b.xhtml": f'<p>波。</p><p id="hill">{HILL}</p><p>谷の<span id="river">こと</span>。</p><p>{RIVER}</p>',
        "c.xhtml": "<p>瀬。</p>",
    }
    assert [(text, place) for text, place, _ in places(book(chapters, *links))] == [
        (SEA, "第1章 海"),
        ("波。", "第1章 海"),
        (HILL, "第2章 山"),
        ("谷のこと。", "第2章 山"),
        (RIVER, "第3章 川"),
        ("瀬。", "第3章 川"),
    ]


def test_entry_for_an_anchor_that_is_not_there_is_one_for_the_file() -> None:
    links = (
        link("a.xhtml#epubcfi(/6/4)", "第1章 海"),
        link("a.xhtml#%E5%B1%B1", "第2章 山"),
        link("b.xhtml#gone", "第3章 川"),
    )
    chapters = {"a.xhtml": f'<p>{SEA}</p><p id="山">{HILL}</p>', "b.xhtml": f"<p>{RIVER}</p>"}
    assert [place for _, place, _ in places(book(chapters, *links))] == ["第1章 海", "第2章 山", "第3章 川"]


@pytest.mark.parametrize(
    "listed", ["第1章 邂逅", "第1章 <ruby>邂逅<rp>(</rp><rt>かいこう</rt><rp>)</rp></ruby>"]
)
def test_chapter_is_named_once_whether_its_readings_are_written_or_not(listed: str) -> None:
    text = f"<h1>第１章　<ruby>邂<rt>かい</rt>逅<rt>こう</rt></ruby></h1><p>{SEA}</p><h2>1.1 港</h2><p>{HILL}</p>"
    assert places(book({"a.xhtml": text}, link("a.xhtml", listed))) == [
        ("第１章　邂(かい)逅(こう)", "第1章 邂逅", ()),
        (SEA, "第1章 邂逅", ("第1章 邂逅",)),
        ("1.1 港", "第1章 邂逅", ("第1章 邂逅",)),
        (HILL, "第1章 邂逅", ("第1章 邂逅", "1.1 港")),
    ]


def test_table_and_list_are_of_the_chapter_that_they_begin_in() -> None:
    rows = '<table><tr><td>潮</td></tr><tr><td id="hill">峰</td></tr></table>'
    text = f'<div id="sea"><ul><li>波</li></ul>{rows}<p>{HILL}</p></div>'
    assert [(text, place) for text, place, _ in places(book({"a.xhtml": text}, *LINKS))] == [
        ("• 波", "第1章 海"),
        ("潮\n峰", "第1章 海"),
        (HILL, "第2章 山"),
    ]


def test_book_without_a_table_of_contents_has_its_headings_for_places() -> None:
    chapters = {
        "a.xhtml": f"<h1>海の章</h1><p>{SEA}</p><h2>潮</h2><p>波。</p><h1>山の章</h1><p>{HILL}</p>",
        "b.xhtml": f"<p>{RIVER}</p>",
    }
    assert places(book(chapters)) == [
        ("海の章", "海の章", ()),
        (SEA, "海の章", ("海の章",)),
        ("潮", "海の章", ("海の章",)),
        ("波。", "海の章", ("海の章", "潮")),
        ("山の章", "山の章", ()),
        (HILL, "山の章", ("山の章",)),
        (RIVER, "", ()),
    ]


def test_many_anchors_cost_no_more_than_their_number() -> None:
    links = (link(f"a.xhtml#c{number}", f"第{number}章") for number in range(5_000))
    text = "".join(f'<p id="c{number}">{number}</p>' for number in range(5_000))
    blocks = epub.read(book({"a.xhtml": text}, *links)).blocks
    assert [block.place for block in blocks] == [f"第{number}章" for number in range(5_000)]
