"""What a model's plan may limit a search to, and what it is told before it plans."""

from __future__ import annotations

import pytest

from shisho.domain.corpus import FilterRange
from shisho.domain.inquiry import Budget
from shisho.librarian.model_policy import read_filters
from shisho.librarian.model_replies import EvaluationReply, FilterReply, PlanReply
from tests.librarian.library import Library
from tests.librarian.scripted import policy_of
from tests.librarian.test_loop import LEAVES, TWO
from tests.librarian.test_model_policy import asked, scripted
from tests.tables import each_row

pytestmark = pytest.mark.usefixtures("temporary_stores")

YEAR = FilterReply("年度", "2024")


async def test_a_plan_limits_the_search_to_fields_that_there_are() -> None:
    plan = PlanReply(("決定係数",), "定義", "定義を探す", (YEAR, FilterReply("部署", "統計")))
    library = Library(LEAVES, 3)
    answer = await asked(policy_of(scripted(PlanReply=plan)), TWO, library=library)
    request = library.requests[0][2]
    assert request.filter_conditions == {"年度": "2024"} and request.are_filters_optional
    assert next(use.dropped for use in answer.model_uses if use.node == "plan") == 1


async def test_a_plan_is_told_the_condition_the_round_the_fields_and_what_is_missing() -> None:
    llm = scripted(EvaluationReply=EvaluationReply(()))
    await asked(policy_of(llm), TWO, budget=Budget(max_rounds=1), library=Library(LEAVES, 3))
    text = next(prompt.text for prompt in llm.prompts if "Fields of documents:" in prompt.text)
    for words in ("holds: G1\n", "round 1.", "page, 年度", "(quotations: 0 of 1, sources: 0 of 1)"):
        assert words in text


@each_row(
    ("value", "condition"),
    [
        ("3", "3"),
        ("3..5", FilterRange("3", "5")),
        ("..5", FilterRange(None, "5")),
        ("三", None),
        ("..", None),
    ],
)
def test_a_page_is_a_number_or_a_range(value: str, condition: object) -> None:
    filters, refused = read_filters([FilterReply("page", value)], ["page"])
    assert (filters.get("page"), list(refused)) == (condition, [] if condition else ["page"])
