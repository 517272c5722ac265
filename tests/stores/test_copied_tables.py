"""Every table is copied, or has its reason why not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from shisho.stores.sql.table_copy import NOT_COPIED, TABLES

STORES = Path(__file__).parents[2] / "src" / "shisho" / "stores"
CREATE = re.compile(r"^CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?(\w+)", re.MULTILINE)


def tables_of(kind: str) -> set[str]:
    scripts = (STORES / kind / "schema").glob("*.sql")
    return {name for script in scripts for name in CREATE.findall(script.read_text("utf-8"))}


@pytest.mark.parametrize("kind", ["embedded", "postgres"])
def test_every_table_is_copied_or_says_why_not(kind: str) -> None:
    tables = tables_of(kind)
    assert tables >= {"users", "user_groups", "group_members", "grants", "quotas", "audit"}
    assert sorted(tables - TABLES.keys() - NOT_COPIED.keys()) == [], "name it in stores/sql/table_copy.py"


def test_no_table_is_named_that_is_not_there() -> None:
    known = tables_of("embedded") | tables_of("postgres") | {"migrations"}
    assert sorted((TABLES.keys() | NOT_COPIED.keys()) - known) == []
    assert not TABLES.keys() & NOT_COPIED.keys()
