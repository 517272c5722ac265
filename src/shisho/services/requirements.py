"""Conversion of a caller's requirements into `Requirements`, and resolving of the excluded ids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from itertools import count
from typing import Any

from shisho.domain.corpus import Complexity, DocumentId, PassageId, Scope
from shisho.domain.discovered_url import ExcludedSources
from shisho.domain.inquiry import Budget, Goal
from shisho.domain.report import (
    CALL_TOKENS,
    MAX_SECTIONS,
    MAX_WORDS,
    MIN_SECTIONS,
    MIN_WORDS,
    REPORT_ROUNDS,
    count_least_calls,
    estimate_report,
)
from shisho.domain.requirements import RequestKind, Requirements
from shisho.domain.task import AskOptions, Sources
from shisho.errors import InvalidParams, NotFound
from shisho.ports import Shelf
from shisho.services.access import CorpusAccess
from shisho.services.choosing import find_one_document
from shisho.services.coercion import coerce, coerce_strings

MAX_EXCLUDED_IDS = 500
GOAL_FIELDS = tuple(field.name for field in fields(Goal))
GoalLike = Goal | str | Mapping[str, Any]
"""A goal; its question alone; or a mapping with `question` and, optionally, the other fields of a goal."""


def build_requirements(
    goals: GoalLike | Sequence[GoalLike] = (),
    condition: str = "",
    complexity: Complexity | str | None = None,
    kind: RequestKind | str = RequestKind.AUTO,
    exclude_ids: str | Sequence[str] = (),
    sections: int = 0,
    words: int = 0,
) -> Requirements:
    """Build the requirements; goals without an id become G1, G2, … Raises InvalidParams."""
    several = (goals,) if isinstance(goals, Goal | str | Mapping) else tuple(goals)
    all_goals = [_read_goal(goal) for goal in several]
    used_ids = {goal.id.strip().casefold() for goal in all_goals}
    free = (f"G{number}" for number in count(1) if f"g{number}" not in used_ids)
    ids = coerce_strings(exclude_ids)
    if len(ids) > MAX_EXCLUDED_IDS:
        raise InvalidParams(
            "common.out_of_range",
            name="exclude_ids",
            least=0,
            most=MAX_EXCLUDED_IDS,
            value=len(ids),
        )
    return Requirements(
        tuple(_with_id(goal, free) for goal in all_goals),
        _replace_surrogates(condition) if condition.strip() else "",
        None if complexity is None else coerce(Complexity, complexity, "complexity"),
        coerce(RequestKind, kind, "kind"),
        ids,
        _read_size("sections", sections, MIN_SECTIONS, MAX_SECTIONS),
        _read_size("words", words, MIN_WORDS, MAX_WORDS),
    )


def _read_size(name: str, value: int, least: int, most: int) -> int:
    """Return a size of a report, 0 for any. Raises InvalidParams."""
    if value and not least <= value <= most:
        raise InvalidParams("common.out_of_range", name=name, least=least, most=most, value=value)
    return value


def fill_report_ceilings(
    required: Requirements, ceilings: Mapping[str, float], budget: Budget
) -> dict[str, float]:
    """Return the ceilings of a question, with those of a report filled in. `budget`: the configured one.

    Raises InvalidParams if a report of this size can't be written within them.
    """
    if required.kind is not RequestKind.REPORT:
        return dict(ceilings)
    estimate = estimate_report(required, ceilings, budget)
    least_calls = count_least_calls(estimate.sections)
    least_tokens = CALL_TOKENS * least_calls
    if estimate.max_model_calls < least_calls or estimate.max_tokens < least_tokens:
        raise InvalidParams(
            "report.over_budget",
            sections=estimate.sections,
            calls=least_calls,
            tokens=least_tokens,
        )
    return {
        "max_rounds": REPORT_ROUNDS,
        **ceilings,
        "max_model_calls": estimate.max_model_calls,
        "max_tokens": estimate.max_tokens,
        "max_seconds": estimate.max_seconds,
    }


def choose_report_sources(required: Requirements, sources: Sources) -> Sources:
    """Return the sources of a question: a report reads only documents. Raises InvalidParams."""
    if required.kind is not RequestKind.REPORT:
        return sources
    if sources in (Sources.WEB, Sources.BOTH):
        raise InvalidParams("report.documents_only")
    return Sources.DOCUMENTS


def coerce_ask(options: AskOptions) -> AskOptions:
    """Return the options with all values converted. Raises InvalidParams."""
    required = options.requirements
    return replace(
        options,
        corpora=coerce_strings(options.corpora),
        sources=coerce(Sources, options.sources, "sources"),
        requirements=build_requirements(
            required.goals,
            required.condition,
            required.complexity,
            required.kind,
            required.exclude_ids,
            required.sections,
            required.words,
        ),
    )


async def find_excluded(shelf: Shelf, access: CorpusAccess, ids: Sequence[str]) -> ExcludedSources:
    """Return the passages and documents that these ids name. Raises InvalidParams for an unknown one."""
    passages = await shelf.fetch_passages([PassageId(id_) for id_ in ids])
    readable = [id_ for id_, passage in passages.items() if await access.is_readable(passage.document_id)]
    documents: list[DocumentId] = []
    for id_ in ids:
        if id_ in readable:
            continue
        try:
            documents.append((await find_one_document(shelf, access.owner, id_)).id)
        except NotFound:
            raise InvalidParams("goal.unknown_exclusion", id=id_) from None
    return ExcludedSources(tuple(documents), tuple(readable))


def exclude(scope: Scope, *excluded: ExcludedSources) -> Scope:
    """Return the scope without these."""
    documents = [*scope.without, *(id_ for each in excluded for id_ in each.documents)]
    passages = [*scope.rejected, *(id_ for each in excluded for id_ in each.passages)]
    return replace(scope, without=tuple(dict.fromkeys(documents)), rejected=tuple(dict.fromkeys(passages)))


def _read_goal(source: GoalLike) -> Goal:
    if isinstance(source, Goal):
        values: Mapping[str, Any] = {name: getattr(source, name) for name in GOAL_FIELDS}
    else:
        values = {"question": source} if isinstance(source, str) else source
    unknown = [str(name) for name in values if name not in GOAL_FIELDS]
    if unknown or not isinstance(values.get("question"), str):
        raise InvalidParams(
            "goal.unknown_field",
            fields=", ".join(GOAL_FIELDS),
            unknown=", ".join(unknown) or "–",
        )
    least = {name: values[name] for name in GOAL_FIELDS[2:] if values.get(name) is not None}
    for name, value in least.items():
        if not isinstance(value, int):
            raise InvalidParams("common.not_whole", name=name, value=str(value))
    return Goal(str(values.get("id") or ""), _join_lines(values["question"]), **least)


def _with_id(goal: Goal, free: Iterator[str]) -> Goal:
    return goal if goal.id.strip() else Goal(next(free), goal.question, goal.min_evidence, goal.min_sources)


def _join_lines(text: str) -> str:
    return " ".join(_replace_surrogates(text).split())


def _replace_surrogates(text: str) -> str:
    # No store accepts a lone surrogate.
    return text.encode("utf-8", "replace").decode()
