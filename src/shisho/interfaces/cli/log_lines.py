"""The log on stderr, without secrets of the settings.

A command logs warnings for a person, in their language. A server or worker logs lines for people, or one JSON
object a line with job and task ids, in English, for programs.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Sequence
from datetime import UTC, datetime

from shisho.messages import Message
from shisho.messages.catalogue import process_language, render
from shisho.settings import TABLE, Settings
from shisho.telemetry import log, subject

BARE = "%(message)s"
PLAIN = "%(levelname)s %(name)s: %(message)s"
MIN_SECRET = 4  # shorter values would redact parts of every line
BLOTTED = "***"
NOISY = ("asyncio", "httpcore", "httpx", "langgraph")


class HumanFormatter(logging.Formatter):
    """Lines for people, in the language of the process."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        if isinstance(record.msg, Message):
            record.message = render(record.msg, process_language())
        return super().formatMessage(record)


class TracelessFormatter(HumanFormatter):
    """Lines for people without tracebacks."""

    def formatException(self, ei: object) -> str:
        return ""


class RedactedLines(HumanFormatter):
    """Lines for people without secrets."""

    def __init__(self, secrets: Sequence[str]) -> None:
        super().__init__(PLAIN)
        self._secrets = secrets

    def format(self, record: logging.LogRecord) -> str:
        return redact(super().format(record), self._secrets)


class JsonLines(logging.Formatter):
    """One JSON object a line: `at`, `level`, `logger`, `message`, its context, and an error's traceback."""

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
    """A handler for the current `sys.stderr`, which a progress display replaces temporarily."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            print(self.format(record), file=sys.stderr, flush=True)
        except Exception:
            self.handleError(record)


def redact(text: str, secrets: Sequence[str]) -> str:
    """Return the text with all secrets redacted."""
    for secret in secrets:
        text = text.replace(secret, BLOTTED)
    return text


def list_secrets(settings: Settings) -> list[str]:
    """Return every secret value and the words in it, longest first."""
    values = [settings.read_text(row.name) for row in TABLE if row.secret]
    words = [
        word for value in values for entry in value.split() for word in (entry, entry.rpartition(":")[2])
    ]
    return sorted({word for word in (*values, *words) if len(word) >= MIN_SECRET}, key=len, reverse=True)


def start_command_log(*, debug: bool) -> None:
    """Log warnings to stderr; with `debug` everything, including tracebacks."""
    handler = ErrorStream()
    handler.setFormatter(HumanFormatter(BARE) if debug else TracelessFormatter(BARE))
    if debug:
        for name in NOISY:
            logging.getLogger(name).setLevel(logging.WARNING)
    else:
        handler.addFilter(_is_for_people)
    _install(handler, logging.DEBUG if debug else logging.WARNING)


def start_log(settings: Settings) -> None:
    """Log to stderr in the format of the setting `log_format`."""
    handler = ErrorStream()
    kind = JsonLines if settings.read_text("log_format") == "json" else RedactedLines
    handler.setFormatter(kind(list_secrets(settings)))
    _install(handler)


def _install(handler: ErrorStream, level: int | None = None) -> None:
    """Replace the handler of an earlier call. A log that the host program set up is kept.

    Without a `level` the level is unchanged.
    """
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
    """Return whether it is a warning of Shisho or an error of any library."""
    return record.name.partition(".")[0] == log.name or record.levelno >= logging.ERROR
