"""`engines.toml` of a home, reread when it changes.

The last valid version is used if it becomes invalid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from shisho.errors import InvalidParams
from shisho.messages import Message
from shisho.records import dataclass
from shisho.settings import ENGINE_FILE, read_engine_overrides
from shisho.telemetry import log

if TYPE_CHECKING:
    from shisho.web.engines import Engine
    from shisho.web.serp.stopping import PagingSettings

T = TypeVar("T")
PAGING = "paging"
Stamp = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class EngineConfig:
    """The engines with the user's overrides, and the paging settings of each."""

    overrides: Mapping[str, Mapping[str, Any]]
    engines: Mapping[str, Engine]
    paging: Mapping[str, PagingSettings]


class EngineFile:
    """The file of one home. Each process checks for changes whenever it needs the file."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._stamp: Stamp | None = None
        self._config: EngineConfig | None = None

    def read(self) -> EngineConfig:
        """Return the current file, or the last valid one.

        Raises: InvalidParams if this process never read a valid one.
        """
        stamp = _find_stamp(self._home / ENGINE_FILE)
        if self._config is None or stamp != self._stamp:
            try:
                self._config = read_config(self._home)
            except InvalidParams as error:
                if self._config is None:
                    raise
                log.warning(Message("engine.file_unusable", reason=error.message))
            self._stamp = stamp
        return self._config


class LiveMapping(Mapping[str, T]):
    """A mapping that is read again at each access."""

    def __init__(self, read: Callable[[], Mapping[str, T]]) -> None:
        self._read = read

    def __getitem__(self, key: str) -> T:
        return self._read()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())


@lru_cache(maxsize=64)
def open_engine_file(home: Path) -> EngineFile:
    """Return the one reader of this home's file in this process."""
    return EngineFile(home)


def read_config(home: Path) -> EngineConfig:
    """Read the current file.

    Raises: InvalidParams.
    """
    from shisho.web.engines import create_engines
    from shisho.web.serp.stopping import read_paging

    tables = read_engine_overrides(home)
    overrides = {name: table for name, table in tables.items() if name != PAGING}
    table = create_engines(overrides)
    return EngineConfig(overrides, table, read_paging(tables.get(PAGING, {}), table))


def _find_stamp(path: Path) -> Stamp | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
