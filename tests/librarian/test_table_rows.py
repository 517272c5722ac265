"""Which row of a table a question is about, and when the row tells the answer by itself."""

from __future__ import annotations

import pytest

from shisho.domain.corpus import NumberedPassage
from shisho.domain.inquiry import Finding, Goal
from shisho.librarian.evaluate import ENOUGH, select, terms_wanted
from shisho.librarian.table_rows import add_units, find_labels, find_outdone_rows, is_record

LABELS = ("支店名", "責任者", "内線", "4月売上高(円)", "標高(m)", "締め日")
BRANCHES = (
    ("札幌支店", "田中一郎", "201", "1234567", "17", "毎月20日"),
    ("仙台支店", "佐藤花子", "202", "987654", "38", "毎月25日"),
    ("福岡支店", "鈴木次郎", "203", "765432", "", "毎月末日"),
)
ROWS = [
    "\t".join(f"{label}: {cell}" for label, cell in zip(LABELS, cells, strict=True) if cell)
    for cells in BRANCHES
]
SHEET = NumberedPassage(1, "\n".join(ROWS), "支店一覧", 0.8)


def found(question: str) -> list[Finding]:
    goals = [Goal("G1", question)]
    return select([SHEET], goals, [], dict.fromkeys(terms_wanted(goals), 3.0))


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("札幌支店の4月の売上高はいくらですか", 0),
        ("仙台支店の責任者は誰ですか", 1),
        ("仙台の責任者の名前は", 1),
        ("福岡支店の責任者は誰が務めていますか", 2),
        ("札幌支店の内線は何番ですか", 0),
        ("福岡支店の締め日はいつですか", 2),
        ("仙台支店の標高は何メートルですか", 1),
    ],
)
def test_the_row_that_is_asked_about_answers_alone(question: str, row: int) -> None:
    findings = found(question)
    assert [finding.snippet for finding in findings] == [ROWS[row]]
    assert findings[0].score >= ENOUGH


@pytest.mark.parametrize(
    "question",
    [
        "札幌支店の6月の売上高はいくらですか",
        "札幌支店の4月の売上高の目標はいくらですか",
        "札幌支店の前月の売上高はいくらですか",
        "福岡支店の標高は何メートルですか",
        "旭川支店の責任者は誰ですか",
    ],
)
def test_a_row_that_lacks_what_is_asked_for_is_no_answer(question: str) -> None:
    assert all(finding.score < ENOUGH for finding in found(question))


def test_two_rows_that_are_named_both_answer() -> None:
    snippets = {finding.snippet for finding in found("札幌支店と福岡支店の責任者は誰ですか")}
    assert snippets == {ROWS[0], ROWS[2]}


def test_rows_stand_beside_one_that_does_not_answer_alone() -> None:
    found_rows = found("仙台支店の売上高は全体の平均より多いですか")
    assert {finding.snippet for finding in found_rows} == set(ROWS)
    assert all(finding.score < ENOUGH for finding in found_rows)


def test_a_row_is_outdone_by_one_of_its_table_with_more_of_the_question() -> None:
    more, less, other = frozenset("ab"), frozenset("a"), frozenset("c")
    assert find_outdone_rows([(1, more), (1, less), (2, less), (1, other), (1, more)]) == {1}
    assert find_outdone_rows([]) == set()


@pytest.mark.parametrize(
    ("text", "stands"),
    [
        (ROWS[0], True),
        ("札幌支店\t田中一郎\t201", False),
        ("支店名: 札幌支店\t田中一郎", False),
        ("支店名: 札幌支店", False),
        ("", False),
    ],
)
def test_a_record_has_a_label_in_every_cell(text: str, stands: bool) -> None:
    assert is_record(text) is stands


def test_a_figure_has_the_unit_of_its_column() -> None:
    assert add_units("標高(m): 812 料金[円]: 1,200 年(西暦): 昭和") == (
        "標高(m): 812 812m 料金[円]: 1,200 1,200円 年(西暦): 昭和"
    )


def test_the_labels_of_columns_stand_at_the_end_of_the_heading() -> None:
    assert {"書類", "種類"} <= find_labels("休暇 › 日数 › 休暇の種類 · 日数 · 必要な書類")
    assert not find_labels("休暇 › 日数")
