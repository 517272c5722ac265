"""One seam for logs and figures: `with span("ingest.read", name=...)`."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager

log = logging.getLogger("shisho")


@contextmanager
def span(name: str, **facts: object) -> Iterator[None]:
    """Log how long a stretch of work took, in milliseconds, with the facts that tell it apart."""
    started = time.perf_counter()
    try:
        yield
    finally:
        if log.isEnabledFor(logging.DEBUG):
            duration_ms = (time.perf_counter() - started) * 1000
            log.debug(
                "%s %.1f ms %s",
                name,
                duration_ms,
                " ".join(f"{key}={value}" for key, value in facts.items()),
            )
