"""Text is taken for the choice it names, verb by verb; an unknown word is refused with those there are."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import fields, replace
from enum import Enum
from pathlib import Path
from typing import Any, cast, get_args, get_type_hints

import pytest

from shisho.domain.corpus import Complexity, Source
from shisho.domain.inquiry import Budget
from shisho.domain.intervention import AuthAction, AuthTarget
from shisho.domain.job import Priority, StopMode, TaskState
from shisho.domain.requirements import RequestKind
from shisho.domain.task import (
    AskOptions,
    Opinion,
    PurgeScope,
    SearchOptions,
    Sources,
    StatusDetail,
    StopStrategy,
    WaitCondition,
    WebConsent,
)
from shisho.domain.web import TimeRange
from shisho.errors import ConsentRequired, EngineUnavailable, InvalidParams, NotFound, ShishoError
from shisho.services import Desk
from shisho.services.sessions import Sessions
from shisho.services.tasks import TaskDesk
from tests.faults.children import LONG

SAMPLES_OF_REGRESSION = Path(__file__).parents[2] / "samples" / "lectures" / "01-regression.pdf"
QUESTION = "決定係数が0に近いとき何を意味するか"
Call = Callable[[Desk, Any], Awaitable[object]]
PLACES: Mapping[str, tuple[type[Enum], Call]] = {
    "Desk.ask complexity": (Complexity, lambda desk, word: desk.ask(QUESTION, complexity=word)),
    "Desk.ask kind": (RequestKind, lambda desk, word: desk.ask(QUESTION, kind=word)),
    "Sessions.open_session complexity": (
        Complexity,
        lambda desk, word: desk.sessions.open_session(QUESTION, complexity=word),
    ),
    "Sessions.open_session kind": (
        RequestKind,
        lambda desk, word: desk.sessions.open_session(QUESTION, kind=word),
    ),
    "Desk.ask sources": (Sources, lambda desk, word: desk.ask(QUESTION, sources=word)),
    "TaskDesk.get_status wait_for": (
        WaitCondition,
        lambda desk, word: desk.tasks.get_status(wait=0, wait_for=word),
    ),
    "TaskDesk.get_status detail": (
        StatusDetail,
        lambda desk, word: desk.tasks.get_status(wait=0, detail=word),
    ),
    "TaskDesk.list_tasks states": (TaskState, lambda desk, word: desk.tasks.list_tasks(states=word)),
    "TaskDesk.stop_task mode": (StopMode, lambda desk, word: desk.tasks.stop_task("last", mode=word)),
    "TaskDesk.remove_task purge": (PurgeScope, lambda desk, word: desk.tasks.remove_task("last", purge=word)),
    "TaskDesk.resolve_auth target": (AuthTarget, lambda desk, word: desk.tasks.resolve_auth(word, "last")),
    "TaskDesk.resolve_auth action": (
        AuthAction,
        lambda desk, word: desk.tasks.resolve_auth("item", "last", word),
    ),
    "TaskDesk.feedback opinion": (Opinion, lambda desk, word: desk.tasks.feedback(word, "example.com")),
    "SearchOptions time_range": (
        TimeRange,
        lambda desk, word: desk.tasks.queue_searches(["残差"], options=SearchOptions(time_range=word)),
    ),
    "SearchOptions stop_strategy": (
        StopStrategy,
        lambda desk, word: desk.tasks.queue_searches(["残差"], options=SearchOptions(stop_strategy=word)),
    ),
    "SearchOptions priority": (
        Priority,
        lambda desk, word: desk.tasks.queue_searches(["残差"], options=SearchOptions(priority=word)),
    ),
    "TaskDesk.set_web_consent consent": (WebConsent, lambda desk, word: set_consent(desk, word)),
    "AskOptions sources": (
        Sources,
        lambda desk, word: desk.tasks.queue_question(QUESTION, options=AskOptions(sources=word), wait=0),
    ),
}


async def set_consent(desk: Desk, word: Any) -> None:
    desk.tasks.set_web_consent(word)


@pytest.fixture
async def small(desk: Desk) -> Desk:
    """A desk with one document, which answers the question."""
    text = "決定係数が0に近いとき、回帰式は目的変数のばらつきをほとんど説明できていない。"
    await desk.add_source(Source("regression.md", text.encode(), "text/markdown"))
    return desk


def words_of(kind: type[Enum]) -> dict[str, Enum]:
    return {choice.value if isinstance(choice.value, str) else choice.name.lower(): choice for choice in kind}


def choices_in(annotation: Any) -> list[type[Enum]]:
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return [annotation]
    return [kind for part in get_args(annotation) for kind in choices_in(part)]


def test_no_public_verb_that_takes_a_choice_is_left_out_here() -> None:
    there = set()
    for owner in (Desk, TaskDesk, Sessions):
        for name, verb in inspect.getmembers(owner, inspect.isfunction):
            hints = {} if name.startswith("_") else get_type_hints(verb)
            there |= {
                f"{owner.__name__}.{name} {argument}"
                for argument in hints
                if argument != "return" and choices_in(hints[argument])
            }
    for options in (AskOptions, SearchOptions):
        hints = get_type_hints(options)
        there |= {
            f"{options.__name__} {field.name}" for field in fields(options) if choices_in(hints[field.name])
        }
    assert there == PLACES.keys()


async def outcome(call: Awaitable[object]) -> type[ShishoError] | None:
    """What it raised, but for a word that is not understood."""
    try:
        await call
    except (NotFound, ConsentRequired, EngineUnavailable) as error:
        return type(error)
    except InvalidParams as error:
        assert "takes one of" not in error.message
        return type(error)
    return None


@pytest.mark.parametrize("place", PLACES if LONG else [*PLACES][::2])
async def test_each_word_is_taken_for_its_choice(small: Desk, place: str) -> None:
    kind, call = PLACES[place]
    for word, choice in words_of(kind).items():
        came = []
        for given in (choice, word, word.upper()):
            await small.tasks.create_task("何か")
            came.append(await outcome(call(small, given)))
        assert len(set(came)) == 1, (word, came)


@pytest.mark.parametrize("place", PLACES if LONG else [*PLACES][1::2])
async def test_unknown_word_is_refused_with_the_known_ones(small: Desk, place: str) -> None:
    kind, call = PLACES[place]
    await small.tasks.create_task("何か")
    for word in ("undefined", "", None):
        with pytest.raises(InvalidParams, match="takes one of") as refused:
            await call(small, word)
        assert refused.value.details["known"] == list(words_of(kind))
        assert [known for known in words_of(kind) if known not in refused.value.message] == []
        assert place.rpartition(" ")[2] in refused.value.message


async def test_sources_as_text_mean_what_they_say(stocked: Desk) -> None:
    """Words that nobody has agreed to send: what is asked of documents alone does not miss the web."""
    unknown = "光合成の暗反応とは何か"
    by_choice = {
        choice: (await stocked.ask(unknown, sources=choice)).missing
        for choice in (Sources.AUTO, Sources.DOCUMENTS)
    }
    assert by_choice[Sources.AUTO] != by_choice[Sources.DOCUMENTS]
    assert (await stocked.ask(unknown, sources="auto")).missing == by_choice[Sources.AUTO]
    assert (await stocked.ask(unknown, sources="documents")).missing == by_choice[Sources.DOCUMENTS]


async def test_text_for_a_list_is_one_member_of_it(stocked: Desk) -> None:
    by_list = [hit.passage for hit in await stocked.search(["決定係数"], corpora=["default"])]
    assert [hit.passage for hit in await stocked.search("決定係数", corpora="default")] == by_list != []
    answer = await stocked.ask(QUESTION, folders=str(SAMPLES_OF_REGRESSION))
    assert {evidence.document for evidence in answer.evidence} == {str(SAMPLES_OF_REGRESSION.resolve())}
    queued = await stocked.tasks.queue_documents(paths=SAMPLES_OF_REGRESSION, corpus="other", remote=False)
    assert queued.queued == 1


@pytest.mark.parametrize(
    "limits", [{"max_pagse": 3}, {"max_k": 3}, {"max_rounds": -1}, {"max_seconds": "many"}]
)
async def test_wrong_ceiling_is_refused_before_anything_is_asked(
    small: Desk, limits: Mapping[str, Any]
) -> None:
    calls: tuple[Callable[[], Awaitable[object]], ...] = (
        lambda: small.ask(QUESTION, budget=limits),
        lambda: small.prepare(QUESTION, budget=limits),
        lambda: small.tasks.queue_question(QUESTION, options=AskOptions(budget=limits), wait=0),
        lambda: small.tasks.create_task(QUESTION, budget=limits),
    )
    name = next(iter(limits))
    for call in calls:
        with pytest.raises(InvalidParams, match=name) as refused:
            await call()
        if name.startswith(("max_pagse", "max_k")):
            assert "Known: max_" in refused.value.message
    assert (await small.tasks.list_tasks()).tasks == ()


async def test_ceilings_by_name_or_as_a_budget(small: Desk) -> None:
    for limits in ({"max_rounds": 1, "max_pages": None}, replace(Budget(), max_rounds=1)):
        answer = await small.ask("残差と決定係数の違いは何か", budget=cast("Budget", limits))
        assert answer.rounds == 1
