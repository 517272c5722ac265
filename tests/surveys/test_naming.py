"""Names of documents: words of titles, files and folders, and which of two is older."""

from __future__ import annotations

from shisho.surveys.naming import DocumentName, find_named, find_pair, read_name
from tests.tables import each_row


def read_names(*titled: tuple[str, str]) -> list[DocumentName]:
    return [read_name(title, source) for title, source in titled]


@each_row(
    ("source", "words", "others"),
    [
        ("/d/roof-notes.md", {"roof", "note"}, {"md"}),
        ("/d/LICENSE", {"licens"}, set()),
        ("/deep/roof/notes.md", {"roof", "note"}, {"deep"}),
        ("C:\\roof\\notes.md", {"roof", "note"}, {"c"}),
    ],
)
def test_words_are_those_of_the_file_and_its_folder(source: str, words: set[str], others: set[str]) -> None:
    found = read_name("甲", source).words
    assert words <= found
    assert others.isdisjoint(found)


def test_name_needs_half_of_the_title_or_two_of_its_words() -> None:
    documents = read_names(
        ("A long report on flood causes in the valley", "/d/a.md"), ("Roof repair", "/d/b.md")
    )
    assert find_named("flood causes", documents) == [0]
    assert find_named("flood", documents) == []
    assert find_named("repair", documents) == [1]
    assert find_named("the repair", documents) == [1]


def test_kind_of_a_japanese_name_must_be_in_the_title_unless_a_date_says_which() -> None:
    documents = read_names(("旅行の議事録", "/d/a.md"), ("旅行の案内", "/d/b.md"))
    assert find_named("旅行議事録", documents) == [0]
    dated = read_names(
        ("5月5日の会", "/d/minutes.md"), ("5月5日の手紙", "/d/letter.md"), ("5月5日", "/d/c.md")
    )
    assert find_named("5月5日の議事録", dated) == [0]
    assert find_named("5月5日の手紙", dated) == [1]
    assert find_named("5月5日の報告書", dated) == [0, 1, 2]


@each_row(
    ("first", "other"),
    [
        ("budget of 5 May 2024", "budget of 7 June 2023"),
        ("budget of 1 June 2023", "budget of 9 May 2023"),
        ("budget of 8 May 2023", "budget of 6 May 2023"),
        ("budget v10", "budget v9"),
        ("budget b", "budget a"),
    ],
)
def test_older_of_two_has_the_earlier_date_or_else_the_lower_file_name(first: str, other: str) -> None:
    documents = read_names((first, f"/d/{first.split()[-1]}.md"), (other, f"/d/{other.split()[-1]}.md"))
    assert find_pair("the old budget", "the new budget", documents) == (1, 0)


@each_row(
    ("one", "other"),
    [
        ("travel", "rules"),
        ("rules travel v1", "travel rules v1"),
        ("old", "new"),
        ("old travel rules", "old rules for travel"),
    ],
)
def test_names_without_an_age_or_of_one_document_are_no_pair(one: str, other: str) -> None:
    documents = read_names(
        ("Travel rules v1", "/d/travel-rules-v1.md"), ("Travel rules v2", "/d/travel-rules-v2.md")
    )
    assert find_pair(one, other, documents) is None


def test_shared_words_tell_which_of_several_is_the_old_one() -> None:
    documents = read_names(
        ("Old travel rules", "/d/a.md"), ("Old house rules", "/d/b.md"), ("New travel rules", "/d/c.md")
    )
    assert find_pair("old", "new travel rules", documents) == (0, 2)
    assert find_pair("old", "new rules", documents) is None
