"""Spans as OpenTelemetry traces, if a collector is configured.

OpenTelemetry is not imported otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

from shisho.errors import ExtraMissing
from shisho.settings import Settings
from shisho.telemetry import send_traces_to

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export import SpanExporter

PATH = "/v1/traces"


@contextmanager
def trace(settings: Settings, exporter: SpanExporter | None = None) -> Iterator[None]:
    """Send spans to the configured collector or `exporter` while entered. Raises: ExtraMissing."""
    address = settings.read_text("traces")
    if not address and exporter is None:
        yield
        return
    try:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        exporter = exporter or _build_exporter(address)
    except ImportError as error:
        raise ExtraMissing("blobs.extra_missing", setting="traces", extra="otel") from error
    # Set explicitly: the resource detector starts a subprocess to identify the machine.
    provider = TracerProvider(resource=Resource({"service.name": "shisho"}), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    tracer: Any = provider.get_tracer("shisho")

    def open_span(name: str, facts: Mapping[str, object]) -> AbstractContextManager[object]:
        attributes = {f"shisho.{key}": value for key, value in facts.items() if value is not None}
        # The message of an error may contain a file name or a document's words: record only its class.
        span: AbstractContextManager[object] = tracer.start_as_current_span(
            name, attributes=attributes, record_exception=False, set_status_on_exception=False
        )
        return span

    try:
        with send_traces_to(open_span):
            yield
    finally:
        provider.shutdown()


def _build_exporter(address: str) -> SpanExporter:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    return OTLPSpanExporter(endpoint=address.rstrip("/") + PATH)
