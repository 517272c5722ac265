"""One interface for logs, metrics and traces: `with span("ingest.read", name=...)`, `count("searches")`.

It costs next to nothing without subscribers.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Protocol

log = logging.getLogger("shisho")

SHOWN_FACTS = frozenset({"kind", "id", "task", "attempt", "passages", "candidates", "since"})
"""Facts of a span that may leave the process. Others, such as a file's name, only go to this machine's
log.
"""
NO_SUBJECT: Mapping[str, str] = {}

subject: ContextVar[Mapping[str, str]] = ContextVar("subject", default=NO_SUBJECT)
"""The ids of the current job and task, as included in each log line."""


class MetricSink(Protocol):
    """A receiver of metrics. Labels have few values, and none that identifies a person."""

    def add(self, name: str, amount: float, labels: Mapping[str, str]) -> None: ...

    def observe(self, name: str, seconds: float, labels: Mapping[str, str]) -> None: ...


Tracer = Callable[[str, Mapping[str, object]], AbstractContextManager[object]]
"""Opens a trace span by its name and facts."""
_sinks: list[MetricSink] = []
_tracers: list[Tracer] = []


@contextmanager
def send_metrics_to(sink: MetricSink) -> Iterator[None]:
    """Send the metrics of this process to a sink during the block."""
    _sinks.append(sink)
    try:
        yield
    finally:
        _sinks.remove(sink)


@contextmanager
def send_traces_to(tracer: Tracer) -> Iterator[None]:
    """Send the spans of this process to a tracer during the block."""
    _tracers.append(tracer)
    try:
        yield
    finally:
        _tracers.remove(tracer)


def count(name: str, amount: float = 1.0, **labels: str) -> None:
    """Increase a counter."""
    for sink in _sinks:
        sink.add(name, amount, labels)


def measure(name: str, seconds: float, **labels: str) -> None:
    """Observe a duration."""
    for sink in _sinks:
        sink.observe(name, seconds, labels)


@contextmanager
def bind_ids(**ids: str) -> Iterator[None]:
    """Add ids to the log lines of the block."""
    token = subject.set({**subject.get(), **ids})
    try:
        yield
    finally:
        subject.reset(token)


@contextmanager
def span(name: str, **facts: object) -> Iterator[None]:
    """Measure the duration of a block.

    The log gets milliseconds and the facts, the metrics only the name, and a trace, if any, a span.
    """
    started = time.perf_counter()
    try:
        with _trace_block(name, facts):
            yield
    finally:
        seconds = time.perf_counter() - started
        measure("span_seconds", seconds, span=name)
        if log.isEnabledFor(logging.DEBUG):
            words = " ".join(f"{key}={value}" for key, value in facts.items())
            log.debug("%s %.1f ms %s", name, seconds * 1000, words)


def _trace_block(name: str, facts: Mapping[str, object]) -> AbstractContextManager[object]:
    if not _tracers:
        return nullcontext()
    shown = {key: value for key, value in facts.items() if key in SHOWN_FACTS}
    return _tracers[-1](name, {**subject.get(), **shown})
