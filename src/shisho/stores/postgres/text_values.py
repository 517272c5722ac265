"""Text for PostgreSQL, which cannot store the NUL character.

Web pages and file names may contain it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg
from psycopg.adapt import AdaptersMap
from psycopg.types.string import StrDumperUnknown

from shisho.stores.nouns import replace_nul

if TYPE_CHECKING:
    from psycopg.abc import Buffer


class NulFreeDumper(StrDumperUnknown):
    """A dumper that replaces NUL characters."""

    def dump(self, obj: str) -> Buffer | None:
        return super().dump(replace_nul(obj))


class TextContext:
    """The `context` of a connection that sends text without NUL."""

    connection: psycopg.Connection[Any] | None = None

    def __init__(self) -> None:
        self.adapters = AdaptersMap(psycopg.adapters)
        self.adapters.register_dumper(str, NulFreeDumper)
