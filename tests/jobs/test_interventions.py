"""What belongs together of what waits for a person, and how it is named."""

from __future__ import annotations

import pytest

from shisho.domain.intervention import (
    AuthTarget,
    InterventionState,
    PendingIntervention,
    find_intervention,
    find_solved_together,
    select_interventions,
    select_unannounced,
)
from shisho.domain.job import JobId, TaskId


def waits(id_: str, engine: str, domain: str, task: str = "t1") -> PendingIntervention:
    state = InterventionState.PENDING
    return PendingIntervention(
        id_, JobId(id_[:2]), TaskId(task), domain, f"https://{domain}/", engine, "captcha", state, "", None
    )


HELD = [
    waits("a1-1", "mojeek", "www.mojeek.com"),
    waits("a2-1", "mojeek", "consent.example", "t2"),
    waits("b1-1", "", "consent.example"),
    waits("c1-3", "brave", "search.brave.com", "t2"),
    waits("d1-1", "", "paper.example"),
]


@pytest.mark.parametrize(
    ("target", "name", "freed"),
    [
        (AuthTarget.ITEM, "a1-1", {"a1-1", "a2-1"}),  # its engine, at another domain
        (AuthTarget.ITEM, "a2-1", {"a1-1", "a2-1", "b1-1"}),
        (AuthTarget.ITEM, "b1-1", {"a2-1", "b1-1"}),  # pages without an engine have none in common
        (AuthTarget.ITEM, "d1-1", {"d1-1"}),
        (AuthTarget.DOMAIN, "search.brave.com", {"c1-3"}),
        (AuthTarget.TASK, "t2", {"a1-1", "a2-1", "b1-1", "c1-3"}),
        (AuthTarget.ITEM, "a1", set()),
        (AuthTarget.DOMAIN, "", set()),
    ],
)
def test_one_solution_frees_what_the_same_domain_or_engine_holds(
    target: AuthTarget, name: str, freed: set[str]
) -> None:
    assert {one.id for one in find_solved_together(HELD, select_interventions(target, name))} == freed


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("last", "d1-1"),
        ("consent.example", "b1-1"),
        ("a2-1", "a2-1"),
        ("c", "c1-3"),
        ("a", None),
        ("", None),
        ("nowhere.example", None),
    ],
)
def test_an_item_is_named_by_id_beginning_domain_or_last(name: str, found: str | None) -> None:
    one = find_intervention(HELD, name)
    assert (one and one.id) == found
    assert find_intervention([], name) is None


def test_news_are_one_of_each_domain() -> None:
    assert [one.id for one in select_unannounced(HELD, set())] == ["a1-1", "b1-1", "c1-3", "d1-1"]
    assert [one.id for one in select_unannounced(HELD, {"a2-1", "c1-3"})] == ["a1-1", "d1-1"]
    assert select_unannounced(HELD, {one.id for one in HELD}) == []
