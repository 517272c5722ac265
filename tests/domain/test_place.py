"""Where something stands in a document without pages, and the link that opens it there."""

from functools import partial

from shisho.domain.corpus import Citation, DocumentId, PassageId
from shisho.domain.link import link_citation
from shisho.domain.place import (
    describe_place,
    format_cells,
    format_column,
    format_notebook_cell,
    restrict_place,
    split_cells,
)
from shisho.messages.catalogue import translate_word
from tests.tables import each_row


@each_row(("number", "name"), [(1, "A"), (26, "Z"), (27, "AA"), (702, "ZZ"), (16384, "XFD")])
def test_columns_have_the_names_of_sheets(number: int, name: str) -> None:
    assert format_column(number) == name


def test_a_span_has_the_rows_that_it_touches() -> None:
    text = "一\t二\n三\t四\n五\t六"
    place = format_cells("売上", 1, 5, 2, 7)
    assert place == "売上!A5:B7"
    assert restrict_place(place, text, 4, 7) == "売上!A6:B6"
    assert restrict_place(place, text, 0, 7) == "売上!A5:B6"
    assert restrict_place(place, text, 0, len(text)) == place
    assert restrict_place("A9", text, 4, 7) == "A10"
    assert restrict_place("第3章 重さ", text, 4, 7) == "第3章 重さ"
    assert split_cells("a!b!C3") == ("a!b", "C3", 3)
    assert split_cells("第3章") is None


@each_row(("language", "said"), [("ja", "セル5"), ("en", "cell 5")])
def test_the_cell_of_a_notebook_is_said_in_the_readers_language(language: str, said: str) -> None:
    say = partial(translate_word, language=language)
    assert describe_place(format_notebook_cell(5), lambda n: say("notebook_cell", n=n)) == said
    for place in ("売上!A5:B7", "第3章 重さ", "cell 5 of the battery", "cell 0", ""):
        assert describe_place(place, lambda n: say("notebook_cell", n=n)) == place


def citation(source: str, page: int | None, place: str) -> Citation:
    return Citation(
        document_id=DocumentId("doc_1"),
        title="",
        source=source,
        page=page,
        start=0,
        end=1,
        snippet="字",
        sha256="",
        passage_id=PassageId("p"),
        cluster="",
        place=place,
    )


@each_row(
    ("source", "page", "place", "link"),
    [
        ("/本/a.xlsx", 2, "売上!A5:D5", "file:///%E6%9C%AC/a.xlsx#'%E5%A3%B2%E4%B8%8A'!A5:D5"),
        ("/a.xlsx", 1, "a'b!C3", "file:///a.xlsx#'a''b'!C3"),
        ("/a.csv", None, "A5:D6", "file:///a.csv#row=5"),
        ("/a.epub", 3, "第3章", "file:///a.epub#epubcfi(/6/6!/4)"),
        ("/a.pdf", 3, "", "file:///a.pdf#page=3"),
        ("a.xlsx", 2, "売上!A5", "document://doc_1/page/2"),
        ("https://a.example/b.csv#x", None, "A5", "https://a.example/b.csv#row=5"),
    ],
)
def test_a_link_opens_cells_rows_and_chapters(source: str, page: int | None, place: str, link: str) -> None:
    assert link_citation(citation(source, page, place)) == link
