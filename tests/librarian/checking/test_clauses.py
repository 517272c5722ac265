"""Clauses of a text: where they end, their words and figures, and marks that qualify a statement."""

from __future__ import annotations

from decimal import Decimal

from shisho.language.numbers import Date, Measure
from shisho.librarian.checking.clauses import (
    Figure,
    are_of_one_kind,
    has_different_marks,
    is_in,
    read_clauses,
)
from tests.tables import each_row

YEAR, DAY = Date(2024, None, None), Date(2024, 5, 3)
PEOPLE, YEN, ROUGH = Measure(Decimal(30), "人"), Measure(Decimal(30), "円"), Measure(Decimal(31), "人")


@each_row(
    ("text", "clauses"),
    [
        ("棚は白い。机は黒い。", [(0, "棚は白い。"), (1, "机は黒い。")]),
        ("棚は白く、机は黒い。", [(0, "棚は白く"), (0, "机は黒い")]),
        ("棚は1,000円である。", [(0, "棚は1,000円である")]),
        ("定員は30人と20人。", [(0, "定員は30人"), (0, "20人")]),
        ("A shelf is white and a desk is black.", [(0, "a shelf is white"), (0, "a desk is black")]),
        ("棚、白い\t机、黒い", [(0, "棚、白い\t机、黒い")]),
        ("棚、白い | 机、黒い", [(0, "棚、白い | 机、黒い")]),
        ("、、、", []),
    ],
)
def test_a_text_is_split_into_clauses(text: str, clauses: list[tuple[int, str]]) -> None:
    read = [(clause.sentence, clause.text.rstrip("。")) for clause in read_clauses(text)]
    assert read == [(number, part.rstrip("。")) for number, part in clauses]


@each_row(("written", "read"), [(59, 59), (60, 60), (61, 60)])
def test_sixty_clauses_are_read(written: int, read: int) -> None:
    assert len(read_clauses("、".join(["棚"] * written))) == read


def test_a_clause_has_its_words_and_figures_and_what_is_no_common_word() -> None:
    (clause,) = read_clauses("(2) 第3条の棚の幅は90cmであること")
    assert clause.figures == (Measure(Decimal(90), "cm"),)
    assert "no3" in clause.words and "2" not in clause.words
    assert [token.surface for token in clause.tokens if token.figure] == ["90cm"]
    assert {"棚", "幅"} <= {token.term for token in clause.content}
    assert "条" not in {token.term for token in clause.content}


@each_row(
    ("first", "other", "is_one_kind", "is_said"),
    [
        (PEOPLE, PEOPLE, True, True),
        (PEOPLE, ROUGH, True, False),
        (PEOPLE, YEN, False, False),
        (YEAR, YEAR, True, True),
        (YEAR, DAY, False, True),
        (DAY, YEAR, False, False),
        (YEAR, PEOPLE, False, False),
        (PEOPLE, YEAR, False, False),
    ],
)
def test_figures_of_one_kind_and_figures_that_say_others(
    first: Figure, other: Figure, is_one_kind: bool, is_said: bool
) -> None:
    assert are_of_one_kind(first, other) is is_one_kind
    assert is_in(first, [other]) is is_said


@each_row(
    ("text", "other", "kind", "is_different"),
    [
        ("定員は30人以上", "定員は30人", "bounds", True),
        ("定員は30人以上", "定員は少なくとも30人", "bounds", False),
        ("定員は30人以上", "定員は30人以下", "bounds", True),
        ("定員は30人以上", "定員は30人", "limits", False),
        ("会員のみ入れる", "会員は入れる", "limits", True),
        ("会員以外は入れる", "会員は入れる", "limits", True),
        ("入れると言われる", "入れる", "doubts", True),
        ("入ろうとする", "入る", "doubts", True),
        ("-5度", "5度", "signs", True),
        ("紀元前5年", "5年", "signs", True),
        ("一部の会員", "会員", "parts", True),
        ("すべての会員", "会員", "parts", True),
        ("現在の会員", "会員", "times", True),
        ("5日まで開く", "5日に開く", "times", True),
        ("5日前に開く", "5日に開く", "times", True),
        ("5日後に開く", "5日に開く", "times", True),
    ],
)
def test_marks_that_one_text_has(text: str, other: str, kind: str, is_different: bool) -> None:
    assert has_different_marks(text, other, (kind,)) is is_different
    assert has_different_marks(other, text, (kind,)) is is_different
