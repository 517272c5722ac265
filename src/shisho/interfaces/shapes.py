"""Nouns of replies that the domain has no word for, and types of arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from shisho.domain import corpus
from shisho.domain.intervention import Waiting
from shisho.domain.task import EngineRow, TaskRow


@dataclass(frozen=True, slots=True)
class Created:
    """A task that is there now. Queue searches or addresses in it, or ask in it."""

    task_id: str
    next: str = "queue_searches"


@dataclass(frozen=True, slots=True)
class Documents:
    """Documents in the order of their adding."""

    documents: tuple[corpus.Document, ...]
    more: bool
    cursor: str | None


@dataclass(frozen=True, slots=True)
class RemovedDocument:
    """What was removed. `purged`: its text and every quotation of it are erased; else its citations still open."""

    document: corpus.Document
    purged: bool


@dataclass(frozen=True, slots=True)
class AuthQueue:
    """What waits for a person, oldest first."""

    waiting: tuple[Waiting, ...]


@dataclass(frozen=True, slots=True)
class Engines:
    """Search engines, those that can be asked first."""

    engines: tuple[EngineRow, ...]


@dataclass(frozen=True, slots=True)
class Tasks:
    """Tasks, newest first."""

    tasks: tuple[TaskRow, ...]
    more: bool
    cursor: str | None


class Asked(BaseModel):
    """Base of arguments that are objects."""

    model_config = ConfigDict(extra="forbid")


class Range(Asked):
    """An inclusive range; either end may be open."""

    low: str | None = None
    high: str | None = None


Text = Annotated[str, Field(max_length=2_000)]
Name = Annotated[str, Field(min_length=1, max_length=500)]
Id = Annotated[str, Field(min_length=1, max_length=500, description="id, its unique beginning, or `last`")]
Cursor = Annotated[str | None, Field(max_length=200, description="`cursor` of the reply before")]
Limit = Annotated[int, Field(ge=1, le=200)]
Key = Annotated[str | None, Field(max_length=200, description="repeat the call unchanged with its key for the same reply")]
Wait = Annotated[float, Field(ge=0, le=50, description="seconds to wait at most")]
Corpora = Annotated[list[Name], Field(max_length=50, description="only these corpora; none: all")]
Filter = Annotated[str, Field(max_length=500)] | Annotated[list[Name], Field(min_length=1, max_length=50)] | Range
Filters = Annotated[
    dict[Name, Filter],
    Field(max_length=20, description="by metadata, `page` or date: a value, a list (any of them) or {low, high}"),
]


def conditions(filters: Mapping[str, str | list[str] | Range]) -> dict[str, corpus.Condition]:
    """Filters in the words of the domain."""
    return {key: _condition(value) for key, value in filters.items()}


def _condition(value: str | list[str] | Range) -> corpus.Condition:
    if isinstance(value, Range):
        return corpus.Range(value.low, value.high)
    return tuple(value) if isinstance(value, list) else value
