"""One seam for logs, figures and traces: `with span("ingest.read", name=...)`, `count("searches")`. Where
nobody listens it costs next to nothing."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Protocol

log = logging.getLogger("shisho")

SHOWN_FACTS = frozenset({"kind", "id", "task", "attempt", "passages", "candidates", "since"})
"""Facts of a span that leave the process. The others, such as the name of a file, are for the log of this
machine."""
NO_SUBJECT: Mapping[str, str] = {}

subject: ContextVar[Mapping[str, str]] = ContextVar("subject", default=NO_SUBJECT)
"""Ids of the job and the task that the present work is for, as each line of the log says them."""


class FigureSink(Protocol):
    """Where figures go. Labels have few values, and none that tells of a person."""

    def add(self, name: str, amount: float, labels: Mapping[str, str]) -> None: ...

    def observe(self, name: str, seconds: float, labels: Mapping[str, str]) -> None: ...


Tracer = Callable[[str, Mapping[str, object]], AbstractContextManager[object]]
"""Opens a span of a trace by its name and facts."""
_sinks: list[FigureSink] = []
_tracers: list[Tracer] = []


@contextmanager
def figures_to(sink: FigureSink) -> Iterator[None]:
    """While it is entered, the figures of this process go there too."""
    _sinks.append(sink)
    try:
        yield
    finally:
        _sinks.remove(sink)


@contextmanager
def traces_to(tracer: Tracer) -> Iterator[None]:
    """While it is entered, the spans of this process go there too."""
    _tracers.append(tracer)
    try:
        yield
    finally:
        _tracers.remove(tracer)


def count(name: str, amount: float = 1.0, **labels: str) -> None:
    """It has happened, so often or so much."""
    for sink in _sinks:
        sink.add(name, amount, labels)


def measure(name: str, seconds: float, **labels: str) -> None:
    """It has taken so long."""
    for sink in _sinks:
        sink.observe(name, seconds, labels)


@contextmanager
def bind_ids(**ids: str) -> Iterator[None]:
    """Log lines are about these while it is entered."""
    token = subject.set({**subject.get(), **ids})
    try:
        yield
    finally:
        subject.reset(token)


@contextmanager
def span(name: str, **facts: object) -> Iterator[None]:
    """Tell how long a stretch of work took, with the facts that tell it apart: the log in milliseconds, the
    figures by its name alone, a trace where one is kept."""
    started = time.perf_counter()
    try:
        with _traced(name, facts):
            yield
    finally:
        seconds = time.perf_counter() - started
        measure("span_seconds", seconds, span=name)
        if log.isEnabledFor(logging.DEBUG):
            words = " ".join(f"{key}={value}" for key, value in facts.items())
            log.debug("%s %.1f ms %s", name, seconds * 1000, words)


def _traced(name: str, facts: Mapping[str, object]) -> AbstractContextManager[object]:
    if not _tracers:
        return nullcontext()
    shown = {key: value for key, value in facts.items() if key in SHOWN_FACTS}
    return _tracers[-1](name, {**subject.get(), **shown})
