"""Links that open a citation on its span."""

from __future__ import annotations

from urllib.parse import unquote

from shisho.domain.corpus import Citation, DocumentId, PassageId
from shisho.domain.link import END, link_citation, make_text_directive
from tests.tables import each_row

LONG = "決定係数とは、目的変数の分散のうち説明変数によって説明できる割合のことであり、" * 4
ENGLISH = "The coefficient of determination is the share of the variance of the dependent variable " * 3


def citation(source: str, snippet: str = "決定係数は指標である。", page: int | None = None) -> Citation:
    return Citation(
        DocumentId("doc_1"), "題", source, page, 0, len(snippet), snippet, "0" * 64, PassageId("1"), ""
    )


@each_row(
    ("source", "page", "link"),
    [
        ("/home/someone/講義 1.pdf", 3, "file:///home/someone/%E8%AC%9B%E7%BE%A9%201.pdf#page=3"),
        ("/home/someone/notes.md", None, "file:///home/someone/notes.md"),
        ("C:\\papers\\a.pdf", 2, "file:///C:/papers/a.pdf#page=2"),
        ("report.pdf", 2, "document://doc_1/page/2"),
        ("report.md", None, "document://doc_1"),
        ("https://a.example/paper.pdf", 7, "https://a.example/paper.pdf#page=7"),
        ("https://a.example/paper.pdf#view=fit", 7, "https://a.example/paper.pdf#page=7"),
    ],
)
def test_what_has_pages_opens_on_its_page(source: str, page: int | None, link: str) -> None:
    assert link_citation(citation(source, page=page)) == link


@each_row(
    ("source", "before"),
    [
        ("https://a.example/x", "https://a.example/x#:~:"),
        ("https://a.example/x#part-2", "https://a.example/x#part-2:~:"),
        ("https://a.example/x#:~:text=old", "https://a.example/x#:~:"),
        ("https://a.example/x#part-2:~:text=old", "https://a.example/x#part-2:~:"),
    ],
)
def test_a_web_page_opens_on_its_text(source: str, before: str) -> None:
    text = (
        "%E6%B1%BA%E5%AE%9A%E4%BF%82%E6%95%B0%E3%81%AF%E6%8C%87%E6%A8%99%E3%81%A7%E3%81%82%E3%82%8B%E3%80%82"
    )
    assert link_citation(citation(source)) == f"{before}text={text}"


@each_row(
    ("span", "directive"),
    [
        ("a-b, c & d", "text=a%2Db%2C%20c%20%26%20d"),
        ("100% ~ (x) #1?", "text=100%25%20~%20%28x%29%20%231%3F"),
        ("one  two\tthree", "text=one%20two%20three"),
        (" \n ", ""),
        ("• one two", "text=one%20two"),
        ("12. one two", "text=one%20two"),
        ("1.5 km", "text=1.5%20km"),
        ("\ud800", "text=%3F"),
    ],
)
def test_marks_of_the_grammar_are_encoded(span: str, directive: str) -> None:
    assert make_text_directive(span) == directive


@each_row("span", [LONG, ENGLISH.strip(), "見出しの行である\n本文の行である。"])
def test_a_long_span_is_named_by_its_ends(span: str) -> None:
    start, end = (unquote(part) for part in make_text_directive(span).removeprefix("text=").split(","))
    flat = " ".join(span.split())
    assert flat.startswith(start) and flat.endswith(end) and max(len(start), len(end)) <= END[1]


def test_where_no_word_ends_the_end_is_longer() -> None:
    katakana = "カタカナ" * 15
    start, end = (
        unquote(part)
        for part in make_text_directive(f"{katakana}を使う。{LONG}{katakana}")
        .removeprefix("text=")
        .split(",")
    )
    assert start == f"{katakana}を" and end == katakana
    assert unquote(make_text_directive("ア" * 300)) == "text=" + "ア" * 300


def test_an_end_is_cut_where_a_word_ends() -> None:
    start, end = (
        unquote(part) for part in make_text_directive(ENGLISH.strip()).removeprefix("text=").split(",")
    )
    assert (
        start == "The coefficient of determination is the" and end == "the variance of the dependent variable"
    )
