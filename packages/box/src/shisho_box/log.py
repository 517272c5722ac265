"""The log of the box: one entry for each connection and each request, in memory and as JSON lines."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import IO


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A request, or (without `method`) an opened connection.

    `at` and `ended` are of the machine's monotonic clock, so they compare across processes; `wall` is seconds
    since 1970. `status` 0: not answered (yet). `engine`, `text` and `page` identify the result page. `note`
    says why the response is unusual: `shell`, `wrong: <reason>`, `solved`, the name of a rule; `desk`: a
    command to the box.
    """

    number: int
    connection: int
    at: float
    wall: float
    scheme: str
    method: str = ""
    host: str = ""
    path: str = ""
    query: Mapping[str, str] = field(default_factory=dict)
    form: Mapping[str, str] = field(default_factory=dict)
    cookies: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    engine: str = ""
    text: str = ""
    page: int = 0
    note: str = ""
    status: int = 0
    ended: float = 0.0

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.host}{self.path}"


class LogRecord:
    """The parsed entries of a log."""

    def __init__(self, entries: Mapping[int, LogEntry]) -> None:
        self._entries = entries

    @property
    def connections(self) -> list[LogEntry]:
        desk = {entry.connection for entry in self._entries.values() if entry.note == "desk"}
        return [
            entry for entry in self._entries.values() if not entry.method and entry.connection not in desk
        ]

    @property
    def requests(self) -> list[LogEntry]:
        return [entry for entry in self._entries.values() if entry.method and entry.note != "desk"]

    @property
    def silent(self) -> list[LogEntry]:
        """Return the connections without a request."""
        spoken = {entry.connection for entry in self.requests}
        return [entry for entry in self.connections if entry.connection not in spoken]

    @property
    def wrong(self) -> list[LogEntry]:
        """Return the requests that violated an engine's contract."""
        return [entry for entry in self.requests if entry.note.startswith("wrong")]

    def select(self, engine: str = "", *, host: str = "", text: str = "", path: str = "") -> list[LogEntry]:
        """Return the requests of an engine's result pages, of a host, of one query, or below a path."""
        return [
            entry
            for entry in self.requests
            if (not engine or (entry.engine == engine and entry.page))
            and host in ("", entry.host)
            and text in ("", entry.text)
            and entry.path.startswith(path)
        ]

    def pages(self, engine: str, text: str = "") -> list[int]:
        """Return the normally answered result pages, in the order of requests."""
        return [
            entry.page for entry in self.select(engine, text=text) if entry.status == 200 and not entry.note
        ]


class Log(LogRecord):
    """The log of a running box.

    An entry is written at its start and again at its end: the later line counts.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._entries: dict[int, LogEntry] = {}
        self._file: IO[str] | None = path.open("w", encoding="utf-8", buffering=1) if path else None
        super().__init__(self._entries)

    def record_connection(self, scheme: str) -> int:
        """Record a connection and return its number."""
        number = len(self._entries) + 1
        self._keep(LogEntry(number, number, time.monotonic(), time.time(), scheme))
        return number

    def record_request(self, entry: LogEntry) -> int:
        number = len(self._entries) + 1
        self._keep(replace(entry, number=number, at=time.monotonic(), wall=time.time()))
        return number

    def record_end(self, number: int, status: int) -> None:
        self._keep(replace(self._entries[number], status=status, ended=time.monotonic()))

    def close(self) -> None:
        if self._file:
            self._file.close()

    def _keep(self, entry: LogEntry) -> None:
        self._entries[entry.number] = entry
        if self._file:
            self._file.write(json.dumps(asdict(entry), ensure_ascii=False) + "\n")


def read(path: Path) -> LogRecord:
    """Return the log of another process's box, as far as it is written."""
    return LogRecord({entry.number: entry for entry in _read_lines(path)})


def _read_lines(path: Path) -> Iterator[LogEntry]:
    for line in path.read_text("utf-8").splitlines(keepends=True):
        if line.endswith("\n"):
            yield LogEntry(**json.loads(line))
