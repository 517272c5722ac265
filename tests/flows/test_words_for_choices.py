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
from shisho.services import Library
from shisho.services.documents import Documents
from shisho.services.questions import Questions
from shisho.services.sessions import Sessions
from shisho.services.tasks import Tasks
from shisho.services.web import Web
from tests.faults.children import LONG

SAMPLES_OF_REGRESSION = Path(__file__).parents[2] / "samples" / "lectures" / "01-regression.pdf"
QUESTION = "決定係数が0に近いとき何を意味するか"
Call = Callable[[Library, Any], Awaitable[object]]
OPTIONAL = {"Questions.ask complexity", "Sessions.open_session complexity"}  # None: read from the question
PLACES: Mapping[str, tuple[type[Enum], Call]] = {
    "Questions.ask complexity": (
        Complexity,
        lambda library, word: library.questions.ask(QUESTION, complexity=word),
    ),
    "Questions.ask kind": (RequestKind, lambda library, word: library.questions.ask(QUESTION, kind=word)),
    "Sessions.open_session complexity": (
        Complexity,
        lambda library, word: library.sessions.open_session(QUESTION, complexity=word),
    ),
    "Sessions.open_session kind": (
        RequestKind,
        lambda library, word: library.sessions.open_session(QUESTION, kind=word),
    ),
    "Questions.ask sources": (Sources, lambda library, word: library.questions.ask(QUESTION, sources=word)),
    "Tasks.get_status wait_for": (
        WaitCondition,
        lambda library, word: library.tasks.get_status(wait=0, wait_for=word),
    ),
    "Tasks.get_status detail": (
        StatusDetail,
        lambda library, word: library.tasks.get_status(wait=0, detail=word),
    ),
    "Tasks.list states": (TaskState, lambda library, word: library.tasks.list(states=word)),
    "Tasks.stop mode": (StopMode, lambda library, word: library.tasks.stop("last", mode=word)),
    "Tasks.remove purge": (PurgeScope, lambda library, word: library.tasks.remove("last", purge=word)),
    "Web.resolve_auth target": (AuthTarget, lambda library, word: library.web.resolve_auth(word, "last")),
    "Web.resolve_auth action": (
        AuthAction,
        lambda library, word: library.web.resolve_auth("item", "last", word),
    ),
    "Questions.record_feedback opinion": (
        Opinion,
        lambda library, word: library.questions.record_feedback(word, "example.com"),
    ),
    "SearchOptions time_range": (
        TimeRange,
        lambda library, word: library.tasks.queue_searches(["残差"], options=SearchOptions(time_range=word)),
    ),
    "SearchOptions stop_strategy": (
        StopStrategy,
        lambda library, word: library.tasks.queue_searches(
            ["残差"], options=SearchOptions(stop_strategy=word)
        ),
    ),
    "SearchOptions priority": (
        Priority,
        lambda library, word: library.tasks.queue_searches(["残差"], options=SearchOptions(priority=word)),
    ),
    "Web.set_consent consent": (WebConsent, lambda library, word: set_consent(library, word)),
    "AskOptions sources": (
        Sources,
        lambda library, word: library.questions.queue(QUESTION, options=AskOptions(sources=word), wait=0),
    ),
}


async def set_consent(library: Library, word: Any) -> None:
    library.web.set_consent(word)


@pytest.fixture
async def small(library: Library) -> Library:
    """A library with one document, which answers the question."""
    text = "決定係数が0に近いとき、回帰式は目的変数のばらつきをほとんど説明できていない。"
    await library.documents.add_source(Source("regression.md", text.encode(), "text/markdown"))
    return library


def words_of(kind: type[Enum]) -> dict[str, Enum]:
    return {choice.value if isinstance(choice.value, str) else choice.name.lower(): choice for choice in kind}


def choices_in(annotation: Any) -> list[type[Enum]]:
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return [annotation]
    return [kind for part in get_args(annotation) for kind in choices_in(part)]


def test_no_public_verb_that_takes_a_choice_is_left_out_here() -> None:
    there = set()
    for owner in (Documents, Questions, Tasks, Web, Sessions):
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
        assert "must be one of" not in error.message
        return type(error)
    return None


@pytest.mark.parametrize("place", PLACES if LONG else [*PLACES][::2])
async def test_each_word_is_taken_for_its_choice(small: Library, place: str) -> None:
    kind, call = PLACES[place]
    for word, choice in words_of(kind).items():
        came = []
        for given in (choice, word, word.upper()):
            await small.tasks.create("何か")
            came.append(await outcome(call(small, given)))
        assert len(set(came)) == 1, (word, came)


@pytest.mark.parametrize("place", PLACES if LONG else [*PLACES][1::2])
async def test_unknown_word_is_refused_with_the_known_ones(small: Library, place: str) -> None:
    kind, call = PLACES[place]
    await small.tasks.create("何か")
    for word in ("undefined", "", *(() if place in OPTIONAL else (None,))):
        with pytest.raises(InvalidParams, match="must be one of") as refused:
            await call(small, word)
        assert refused.value.details["known"] == list(words_of(kind))
        assert [known for known in words_of(kind) if known not in refused.value.message] == []
        assert place.rpartition(" ")[2] in refused.value.message


async def test_sources_as_text_mean_what_they_say(stocked: Library) -> None:
    """Words that nobody has agreed to send: what is asked of documents alone does not miss the web."""
    unknown = "光合成の暗反応とは何か"
    by_choice = {
        choice: (await stocked.questions.ask(unknown, sources=choice)).missing
        for choice in (Sources.AUTO, Sources.DOCUMENTS)
    }
    assert by_choice[Sources.AUTO] != by_choice[Sources.DOCUMENTS]
    assert (await stocked.questions.ask(unknown, sources="auto")).missing == by_choice[Sources.AUTO]
    assert (await stocked.questions.ask(unknown, sources="documents")).missing == by_choice[Sources.DOCUMENTS]


async def test_text_for_a_list_is_one_member_of_it(stocked: Library) -> None:
    by_list = [hit.passage for hit in await stocked.documents.search(["決定係数"], corpora=["default"])]
    assert (
        [hit.passage for hit in await stocked.documents.search("決定係数", corpora="default")]
        == by_list
        != []
    )
    answer = await stocked.questions.ask(QUESTION, folders=str(SAMPLES_OF_REGRESSION))
    assert {evidence.document for evidence in answer.evidence} == {str(SAMPLES_OF_REGRESSION.resolve())}
    queued = await stocked.tasks.queue_documents(paths=SAMPLES_OF_REGRESSION, corpus="other", remote=False)
    assert queued.queued == 1


@pytest.mark.parametrize(
    "limits", [{"max_pagse": 3}, {"max_k": 3}, {"max_rounds": -1}, {"max_seconds": "many"}]
)
async def test_wrong_ceiling_is_refused_before_anything_is_asked(
    small: Library, limits: Mapping[str, Any]
) -> None:
    calls: tuple[Callable[[], Awaitable[object]], ...] = (
        lambda: small.questions.ask(QUESTION, budget=limits),
        lambda: small.questions.prepare(QUESTION, budget=limits),
        lambda: small.questions.queue(QUESTION, options=AskOptions(budget=limits), wait=0),
        lambda: small.tasks.create(QUESTION, budget=limits),
    )
    name = next(iter(limits))
    for call in calls:
        with pytest.raises(InvalidParams, match=name) as refused:
            await call()
        if name.startswith(("max_pagse", "max_k")):
            assert "Known limits: max_" in refused.value.message
    assert (await small.tasks.list()).tasks == ()


async def test_ceilings_by_name_or_as_a_budget(small: Library) -> None:
    for limits in ({"max_rounds": 1, "max_pages": None}, replace(Budget(), max_rounds=1)):
        answer = await small.questions.ask("残差と決定係数の違いは何か", budget=cast("Budget", limits))
        assert answer.rounds == 1
