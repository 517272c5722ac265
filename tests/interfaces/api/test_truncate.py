"""Replies fit, and say what was left out."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shisho.interfaces.api import truncate as fitting
from shisho.interfaces.api.truncate import ROOM, dump_compact, strip_hidden
from shisho.language import estimate_tokens

JAPANESE = "決定係数は回帰の当てはまりを示す。" * 40


def fitted(data: dict[str, Any], room: int = ROOM) -> dict[str, Any]:
    return fitting.fit(data, estimate_tokens, room)


def size(data: Any) -> int:
    return estimate_tokens(dump_compact(data))


def rows(count: int) -> list[dict[str, Any]]:
    return [{"id": f"{number:032x}", "text": JAPANESE} for number in range(count)]


def test_what_fits_is_left_as_it_is() -> None:
    data = {"rows": rows(3), "more": False}
    assert fitted(data) == {"rows": rows(3), "more": False}


def test_rows_go_from_the_end_before_texts() -> None:
    data = fitted({"text": JAPANESE, "rows": rows(40), "few": [1, 2], "more": False})
    assert data["more"] is True and data["text"] == JAPANESE and data["few"] == [1, 2]
    assert 0 < len(data["rows"]) < 40 and data["rows"] == rows(40)[: len(data["rows"])]
    assert size(data) <= ROOM


def test_a_nested_answer_is_cut_too() -> None:
    data = fitted({"answer": {"text": "短い", "evidence": rows(40)}, "more": False})
    assert data["more"] is True and 0 < len(data["answer"]["evidence"]) < 40 and size(data) <= ROOM


def test_a_single_text_is_cut_at_a_character() -> None:
    data = fitted({"text": JAPANESE * 20, "more": False})
    assert data["text"].endswith("…") and (JAPANESE * 20).startswith(data["text"][:-1]) and size(data) <= ROOM


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", [JAPANESE, "0123456789abcdef", "The coefficient of determination. ", "𠮷野家", '"\\\n']
)
def test_a_full_reply_is_under_five_thousand_tokens(text: str) -> None:
    data = fitted({"rows": [{"text": text * 3}] * 1000, "more": False})
    assert estimate_tokens(dump_compact(data)) < 5_000


json_text = st.text(max_size=300)


@pytest.mark.slow
@given(
    st.lists(st.dictionaries(st.sampled_from("abc"), json_text), max_size=60),
    st.lists(json_text, max_size=60),
    st.text(max_size=9_000),
    st.integers(600, 3_000),
)
def test_whatever_the_shape_it_fits(
    first: list[dict[str, str]], second: list[str], text: str, room: int
) -> None:
    data = fitted({"first": first, "inner": {"second": list(second)}, "text": text, "more": False}, room)
    assert size(data) <= room
    assert (
        data["first"] == first[: len(data["first"])]
        and data["inner"]["second"] == second[: len(data["inner"]["second"])]
    )
    whole = data["first"] == first and data["inner"]["second"] == second and data["text"] == text
    assert whole is not data["more"]


def test_titles_and_file_names_hide_nothing() -> None:
    hidden = "\u202e決定\U000e0041係数\x07\u2066(上)"
    row = {"title": hidden, "source": f"/{hidden}.pdf", "text": hidden, "place": 3}
    assert strip_hidden({"rows": [row]}) == {
        "rows": [{"title": "決定係数(上)", "source": "/決定係数(上).pdf", "text": hidden, "place": 3}]
    }
