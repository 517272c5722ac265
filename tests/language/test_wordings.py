"""Synonyms by which passages are searched for."""

from __future__ import annotations

from collections import Counter
from importlib.resources import files
from itertools import combinations

from shisho.language.meanings import (
    MAX_TERMS,
    add_synonyms,
    find_long_words,
    list_synonyms,
    mean_same,
    read_list,
)
from shisho.language.terms import fold, make_query, split_terms
from tests.tables import each_row

LISTS = ("near_words", "same_words")


@each_row(
    ("text", "expected"),
    [
        ("市長選に立候補した人", [("立", "候補")]),
        ("候補が立つ", []),
    ],
)
def test_a_listed_word_of_several_terms_is_found_where_they_stand_in_a_row(
    text: str, expected: list[tuple[str, ...]]
) -> None:
    assert find_long_words(split_terms(fold(text))) == expected


def test_a_word_of_several_terms_means_the_same_as_others_of_its_group() -> None:
    assert ("立", "候補") in list_synonyms("出馬")
    assert ("出馬",) in list_synonyms("立候補")
    assert mean_same("出馬", "立候補")


def test_a_query_gets_the_synonyms_of_its_terms_and_of_its_words_of_several() -> None:
    widened = add_synonyms(make_query(["立候補の日数"]))
    assert widened.terms == ("立", "候補", "日数")
    assert all(("出馬",) in widened.synonyms[term] for term in ("立", "候補"))
    assert set(widened.terms) <= set(widened.all_terms) and "出馬" in widened.all_terms


def test_a_long_query_gets_no_synonyms() -> None:
    numbers = " ".join(f"a{number}" for number in range(MAX_TERMS))
    assert add_synonyms(make_query([f"立候補 {numbers}"])).synonyms == {}


def test_every_line_of_near_words_says_something_that_no_other_line_does() -> None:
    near, same = (
        [[(word, "".join(word)) for word in line] for line in read_list(name)]
        for name in ("near_words", "same_words")
    )
    facts = [
        {*combinations(sorted({name for _, name in line}), 2), *(word for word, _ in line if word[1:])}
        for line in (*near, *same)
    ]
    counts = Counter(fact for of_line in facts for fact in of_line)
    assert [
        line for line, of_line in zip(near, facts, strict=False) if all(counts[fact] > 1 for fact in of_line)
    ] == []


@each_row("listed", LISTS)
def test_the_lists_hold_lines_of_words_that_are_used(listed: str) -> None:
    lines = files("shisho.language").joinpath("lists", f"{listed}.txt").read_text("utf-8").splitlines()
    assert len(lines) == len(set(lines)) > 800
    for line in lines:
        words = line.split(" ")
        assert len(words) == len(set(words)) > 1, line


@each_row("listed", LISTS)
def test_the_japanese_words_of_the_lists_are_written_as_they_are_read(listed: str) -> None:
    """All but those whose parts are read otherwise together: 御+金 is お金."""
    words = [word for line in read_list(listed) for word in line if not "".join(word).isascii()]
    changed = [word for word in words if any(split_terms(part) != [part] for part in word)]
    assert len(changed) < len(words) / 50, changed
