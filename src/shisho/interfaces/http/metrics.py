"""GET /metrics: counters of this process and job counts of the library, in Prometheus text format."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from fastapi.responses import Response

from shisho.errors import ShishoError
from shisho.messages import Message
from shisho.messages.system import explain_error
from shisho.services import Library
from shisho.telemetry import log, send_metrics_to

if TYPE_CHECKING:
    from shisho.domain.library import LibraryMetrics

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
SECONDS = 5.0
COUNTERS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "searches": ("searches of the library", ()),
    "answers": ("questions that ended, by the level of the answer", ("level",)),
    "model_calls": ("calls of language models, by node and fault", ("node", "fault")),
    "model_tokens": ("tokens that language models read and wrote", ("direction",)),
    "engine_requests": ("pages of results asked for, by engine and outcome", ("engine", "outcome")),
    "jobs_ended": ("attempts at jobs that ended, by kind and outcome", ("kind", "outcome")),
}
DURATIONS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "job_wait_seconds": ("from when a job was queued until it was first claimed", ("kind",)),
    "job_seconds": ("one attempt at a job", ("kind",)),
    "pool_wait_seconds": ("until a connection to PostgreSQL was free", ()),
    "span_seconds": ("stretches of work", ("span",)),
}
BUCKETS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0)


class PrometheusFigures:
    """The metrics of one process, as a `telemetry.MetricSink`."""

    def __init__(self) -> None:
        import prometheus_client as prometheus  # imported here: it takes as long as a small search
        from prometheus_client.core import GaugeMetricFamily

        self.registry = prometheus.CollectorRegistry()
        self._generate = prometheus.generate_latest
        self._gauge = GaugeMetricFamily
        self._counters = {
            name: prometheus.Counter(f"shisho_{name}", text, labels, registry=self.registry)
            for name, (text, labels) in COUNTERS.items()
        }
        self._durations = {
            name: prometheus.Histogram(
                f"shisho_{name}", text, labels, registry=self.registry, buckets=BUCKETS
            )
            for name, (text, labels) in DURATIONS.items()
        }
        prometheus.ProcessCollector(registry=self.registry)

    def add(self, name: str, amount: float, labels: Mapping[str, str]) -> None:
        _set_labels(self._counters[name], labels).inc(amount)

    def observe(self, name: str, seconds: float, labels: Mapping[str, str]) -> None:
        _set_labels(self._durations[name], labels).observe(seconds)

    def text(self, library: LibraryMetrics | None) -> str:
        """Return all metrics; those of the library are the same in every process."""
        gauges = _Gauges(self._gauge, library)
        self.registry.register(gauges)
        try:
            return str(self._generate(self.registry).decode())
        finally:
            self.registry.unregister(gauges)


class _Gauges:
    """The job counts of the library, as a collector of the registry."""

    def __init__(self, gauge: Any, library: LibraryMetrics | None) -> None:
        self._gauge = gauge
        self._library = library

    def collect(self) -> Iterator[Any]:
        up = self._gauge("shisho_store_up", "1 where the store answers")
        up.add_metric([], 0.0 if self._library is None else 1.0)
        yield up
        if self._library is None:
            return
        jobs = self._gauge("shisho_jobs", "jobs of the library by kind and state", labels=["kind", "state"])
        for (kind, state), number in self._library.jobs.items():
            jobs.add_metric([kind, state], number)
        yield jobs
        for name, (text, value) in self._library.list_gauges().items():
            family = self._gauge(f"shisho_{name}", text)
            family.add_metric([], value)
            yield family


def _set_labels(metric: Any, labels: Mapping[str, str]) -> Any:
    return metric.labels(**labels) if labels else metric


@contextmanager
def figures_kept() -> Iterator[PrometheusFigures]:
    """Count in this process while entered."""
    figures = PrometheusFigures()
    with send_metrics_to(figures):
        yield figures


def add_metrics(app: FastAPI, library: Library, metrics: PrometheusFigures) -> None:
    """Add the route. It requires a token, like all but health.

    Even bare counts reveal what people do.
    """

    @app.get("/metrics", operation_id="metrics", tags=["health"], response_class=Response)
    async def show_metrics() -> Response:
        """Return the counters of this process and the job counts of the library (Prometheus text)."""
        figures = None
        try:
            async with asyncio.timeout(SECONDS):
                figures = await library.read_figures()
        except (ShishoError, TimeoutError) as error:
            log.warning(Message("metrics.unreadable", why=explain_error(error)))
        return Response(metrics.text(figures), media_type=MEDIA_TYPE)
