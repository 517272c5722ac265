"""The log of a server or worker: lines for people, or one JSON object a line with the ids of job and task. No
secret of the settings stands in either."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from datetime import UTC, datetime

from shisho.settings import TABLE, Settings
from shisho.telemetry import subject

PLAIN = "%(levelname)s %(name)s: %(message)s"
LEAST_SECRET = 4  # shorter values would blot out words of every line
BLOTTED = "***"


class RedactedLines(logging.Formatter):
    """Lines for people."""

    def __init__(self, secrets: Sequence[str]) -> None:
        super().__init__(PLAIN)
        self._secrets = secrets

    def format(self, record: logging.LogRecord) -> str:
        return redact(super().format(record), self._secrets)


class JsonLines(logging.Formatter):
    """One JSON object a line: `at`, `level`, `logger`, `message`, what it is about, and the trace of an
    error."""

    def __init__(self, secrets: Sequence[str]) -> None:
        super().__init__()
        self._secrets = secrets

    def format(self, record: logging.LogRecord) -> str:
        facts = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **subject.get(),
        }
        if record.exc_info:
            facts["trace"] = self.formatException(record.exc_info)
        shown = {name: redact(text, self._secrets) for name, text in facts.items()}
        return json.dumps(shown, ensure_ascii=False)


def redact(text: str, secrets: Sequence[str]) -> str:
    """The text without what is secret."""
    for secret in secrets:
        text = text.replace(secret, BLOTTED)
    return text


def secrets_of(settings: Settings) -> list[str]:
    """Every value that is secret, and the words that it consists of; the longest first."""
    values = [settings.text(row.name) for row in TABLE if row.secret]
    words = [
        word for value in values for entry in value.split() for word in (entry, entry.rpartition(":")[2])
    ]
    return sorted({word for word in (*values, *words) if len(word) >= LEAST_SECRET}, key=len, reverse=True)


def start_log(settings: Settings, level: int = logging.WARNING) -> None:
    """Write the log to the error stream, as `log_format` says. One that is set up already stays."""
    handler = logging.StreamHandler()
    kind = JsonLines if settings.text("log_format") == "json" else RedactedLines
    handler.setFormatter(kind(secrets_of(settings)))
    logging.basicConfig(level=level, handlers=[handler])
