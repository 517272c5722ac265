"""How documents word what people ask."""

from __future__ import annotations

from importlib.resources import files

import pytest

from shisho.language.meanings import mean_same
from shisho.language.terms import fold, query, terms
from shisho.language.word_groups import read_list
from shisho.language.wordings import (
    MOST_TERMS,
    add_synonyms,
    find_long_words,
    join_wordings,
    list_synonyms,
    list_wordings,
)

LISTS = ("asked_words", "everyday_words", "near_words", "opposite_words", "same_words")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("在宅勤務は週2日までとします", [("在宅", "勤務")]),
        ("勤務は在宅で", []),
    ],
)
def test_a_listed_word_of_several_terms_is_found_where_they_stand_in_a_row(
    text: str, expected: list[tuple[str, ...]]
) -> None:
    assert find_long_words(terms(fold(text))) == expected


def test_a_word_of_several_terms_means_the_same_as_others_of_its_group() -> None:
    assert ("在宅", "勤務") in list_synonyms("テレワーク")
    assert ("テレワーク",) in list_synonyms("在宅勤務")
    assert mean_same("テレワーク", "在宅勤務")


def test_what_people_ask_with_is_worded_otherwise_but_means_no_more_than_it_did() -> None:
    assert ("接種",) in list_wordings("注射")
    assert not mean_same("注射", "接種")
    assert "注射" not in join_wordings("注射")


def test_a_query_gets_the_synonyms_of_its_terms_and_of_its_words_of_several() -> None:
    widened = add_synonyms(query(["在宅勤務の日数"]))
    assert widened.terms == ("在宅", "勤務", "日数")
    assert all(("テレワーク",) in widened.synonyms[term] for term in ("在宅", "勤務"))
    assert set(widened.terms) <= set(widened.all_terms) and "テレワーク" in widened.all_terms


def test_a_long_query_gets_no_synonyms() -> None:
    numbers = " ".join(f"a{number}" for number in range(MOST_TERMS))
    assert add_synonyms(query([f"在宅勤務 {numbers}"])).synonyms == {}


@pytest.mark.parametrize("listed", LISTS)
def test_the_lists_hold_lines_of_words_that_are_used(listed: str) -> None:
    lines = files("shisho.language").joinpath("lists", f"{listed}.txt").read_text("utf-8").splitlines()
    assert len(lines) == len(set(lines)) > 800
    for line in lines:
        words = line.split(" ")
        assert len(words) == len(set(words)) > 1, line


@pytest.mark.parametrize("listed", LISTS)
def test_the_japanese_words_of_the_lists_are_written_as_they_are_read(listed: str) -> None:
    """All but those whose parts are read otherwise together: 御+金 is お金."""
    words = [word for line in read_list(listed) for word in line if not "".join(word).isascii()]
    changed = [word for word in words if any(terms(part) != [part] for part in word)]
    assert len(changed) < len(words) / 50, changed
