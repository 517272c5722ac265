"""Topics, their synonyms and forms, and what is said of the counted documents."""

from __future__ import annotations

from functools import partial

from shisho.domain.corpus import DocumentId, PassageId, TermVector
from shisho.language.vectors import LINE_END, encode_term, encode_terms
from shisho.messages.catalogue import translate_word
from shisho.surveys.counting import (
    MAX_FORMS,
    SoughtWord,
    count_documents,
    count_mentions,
    list_forms,
    name_words,
    read_topic,
)
from tests.tables import each_row

say = partial(translate_word, language="en")


@each_row(
    ("topic", "texts"),
    [
        ("the roof", ["roof"]),
        ("a roof", ["roof"]),
        ("An oven", ["oven"]),
        ("the roof and the oven", ["roof", "oven"]),
        ("the roof as well as an oven", ["roof", "oven"]),
        ("「屋根」と「床」", ["屋根", "床"]),
        ("屋根と床", ["屋根と床"]),
        ("sand", ["sand"]),
        ("。", []),
    ],
)
def test_topic_is_read_without_articles_and_cut_between_several(topic: str, texts: list[str]) -> None:
    assert [word.text for word in read_topic(topic)] == texts


def test_synonyms_replace_a_word_and_are_others() -> None:
    (word,) = read_topic("設立")
    assert ("結成",) in word.synonyms
    assert word.terms not in word.synonyms
    assert len(set(word.synonyms)) == len(word.synonyms)
    assert read_topic("雨漏り")[0].synonyms == ()


def make_vector(text: str, heading: str = "") -> TermVector:
    counts = (len(text.split()), len(heading.split()))
    name, document = PassageId("p"), DocumentId("d")
    return TermVector(name, document, encode_terms(text), encode_terms(heading), b"", *counts, 0, 0)


@each_row(
    ("text", "heading", "count"),
    [
        ("new roof", "", 1),
        ("new roof leaks new roof", "new roof", 2),
        ("roof new", "", 0),
        ("new\nroof", "", 0),
        ("the roof", "a new roof", 1),
        ("the roof", "new roof\nnew roof", 1),
        ("the roof", "roof new", 0),
        ("", "", 0),
    ],
)
def test_adjacent_terms_are_counted_in_the_text_or_else_once_in_the_heading(
    text: str, heading: str, count: int
) -> None:
    assert count_mentions(make_vector(text, heading), ("new", "roof")) == count


def test_codes_are_compared_from_the_first_byte_of_a_term() -> None:
    code = encode_term("roof")
    shifted = b"\1" + code + b"\1\1\1"
    assert count_mentions(make_vector("")._replace(terms=shifted), ("roof",)) == 0
    assert count_mentions(make_vector("")._replace(terms=LINE_END + code), ("roof",)) == 1


def test_forms_are_those_of_the_word_or_its_synonyms_and_few() -> None:
    (word,) = read_topic("run")
    text = "Run, runs, running; runners ran."
    assert list_forms([text], word, [word.terms]) == ["runs", "running"]
    assert list_forms(["A newly made roof"], word, [("newli", "made")]) == []
    own = SoughtWord("設立", ("設立",), (("結成",),))
    assert list_forms(["会を結成し、設立した。"], own, [own.terms, *own.synonyms]) == ["結成"]
    synonyms = [("roof",), ("door",), ("wall",), ("floor",), ("stair",)]
    many = ["Roof, door, wall, floor, stair."]
    assert list_forms(many, own, synonyms) == ["roof", "door", "wall", "floor"]
    assert MAX_FORMS == 4


def test_words_are_named_with_their_forms() -> None:
    assert name_words(["roof"], [], say) == "“roof”"
    assert name_words(["roof", "oven"], ["roofs", "ovens"], say) == "“roof” and “oven” (or “roofs”; “ovens”)"


@each_row(
    ("count", "of_all", "noun", "are_together", "lines"),
    [
        (0, 0, "letter", False, ["No document contains X."]),
        (0, 0, "", True, ["No document contains X."]),
        (1, 1, "", False, ["1 document contains X."]),
        (3, 3, "", False, ["3 documents contain X."]),
        (0, 2, "letter", False, ["2 documents contain X.", "No title or file name contains “letter”."]),
        (
            1,
            2,
            "letter",
            False,
            ["Documents that contain X: 2. With “letter” in the title or file name: 1."],
        ),
        (2, 2, "letter", True, [say("survey_together", words="X", count=2)]),
    ],
)
def test_counted_documents_are_said_with_their_kind(
    count: int, of_all: int, noun: str, are_together: bool, lines: list[str]
) -> None:
    assert count_documents(count, of_all, "X", noun, are_together, say) == lines
