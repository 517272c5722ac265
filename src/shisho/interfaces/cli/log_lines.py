"""The log on the error stream. Of a command: what a person should know, in their language. Of a server or
worker: lines for people, or one JSON object a line with the ids of job and task, in English, for programs;
no secret of the settings stands in either."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Sequence
from datetime import UTC, datetime

from shisho.messages.catalogue import process_language, render
from shisho.messages.message import Message
from shisho.settings import TABLE, Settings
from shisho.telemetry import log, subject

BARE = "%(message)s"
PLAIN = "%(levelname)s %(name)s: %(message)s"
LEAST_SECRET = 4  # shorter values would blot out words of every line
BLOTTED = "***"
NOISY = ("asyncio", "httpcore", "httpx", "langgraph")


class SpokenLines(logging.Formatter):
    """Lines for people, in the language of the process."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        if isinstance(record.msg, Message):
            record.message = render(record.msg, process_language())
        return super().formatMessage(record)


class TracelessLines(SpokenLines):
    """Such lines without the traces of errors."""

    def formatException(self, ei: object) -> str:
        return ""


class RedactedLines(SpokenLines):
    """Such lines without secrets."""

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


class ErrorStream(logging.Handler):
    """Writes to the error stream as it is now: a display of progress stands in for it while it shows."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            print(self.format(record), file=sys.stderr, flush=True)
        except Exception:
            self.handleError(record)


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


def start_command_log(*, debug: bool) -> None:
    """Write what a person should know to the error stream; with `debug` everything, with the traces of
    errors."""
    handler = ErrorStream()
    handler.setFormatter(SpokenLines(BARE) if debug else TracelessLines(BARE))
    if debug:
        for name in NOISY:
            logging.getLogger(name).setLevel(logging.WARNING)
    else:
        handler.addFilter(_is_for_people)
    _install(handler, logging.DEBUG if debug else logging.WARNING)


def start_log(settings: Settings) -> None:
    """Write the log of a server to the error stream, as `log_format` says."""
    handler = ErrorStream()
    kind = JsonLines if settings.text("log_format") == "json" else RedactedLines
    handler.setFormatter(kind(secrets_of(settings)))
    _install(handler)


def _install(handler: ErrorStream, level: int | None = None) -> None:
    """In the place of the one before; no level: as it was. A log that somebody else has set up stays."""
    root = logging.getLogger()
    before = [other for other in root.handlers if isinstance(other, ErrorStream)]
    if root.handlers and not before:
        return
    for other in before:
        root.removeHandler(other)
    root.addHandler(handler)
    if level is not None:
        root.setLevel(level)


def _is_for_people(record: logging.LogRecord) -> bool:
    """Warnings of ours. Of what we use only errors, which are in its own words."""
    return record.name.partition(".")[0] == log.name or record.levelno >= logging.ERROR
