"""Which removed sentence is the earlier form of an added one."""

from __future__ import annotations

from shisho.surveys.changes import Change, compare_sentences
from tests.tables import each_row


@each_row(
    ("new", "is_changed"),
    [("abcdefxy", True), ("abcdwxyz", True), ("abcvwxyz", False), ("stuvwxyz", False), ("hgfedcba", False)],
)
def test_sentence_with_half_of_the_letters_is_the_same_one_changed(new: str, is_changed: bool) -> None:
    changes, same = compare_sentences(["abcdefgh"], [new])
    assert changes == ([Change(0, 0)] if is_changed else [Change(None, 0), Change(0, None)])
    assert same == 0


@each_row(("before", "is_found"), [(0, True), (1, True), (49, True), (50, False)])
def test_fifty_removed_sentences_are_compared(before: int, is_found: bool) -> None:
    old = [*(f"{number}" for number in range(before)), "the roof leaks"]
    changes, _ = compare_sentences(old, ["the roof leaked"])
    assert (Change(before, 0) in changes) is is_found
    assert {change.old for change in changes} - {None} == set(range(before + 1))


def test_removed_sentences_stand_before_the_one_that_follows_them() -> None:
    old = ["12345", "the roof leaks", "67890", "the door is shut"]
    changes, _ = compare_sentences(old, ["the roof leaked", "the door was shut"])
    assert changes == [Change(0, None), Change(1, 0), Change(2, None), Change(3, 1)]
