"""A backup is as of one moment, though it is made in many steps and others go on writing meanwhile."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import apsw
import pytest

from shisho.stores.embedded import connect

PAGES = 30


def test_no_commit_makes_it_begin_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between any two of its steps somebody stores something."""
    monkeypatch.setattr(connect, "COPIED_PAGES", 1)
    steps = 0
    with (
        closing(apsw.Connection(str(tmp_path / "shisho.db"))) as writing,
        closing(apsw.Connection(str(tmp_path / "shisho.db"))) as source,
    ):
        writing.pragma("journal_mode", "wal")
        writing.pragma("synchronous", "off")
        writing.execute("CREATE TABLE weight (bytes BLOB); CREATE TABLE ones (n INT)")
        writing.execute("INSERT INTO weight VALUES (zeroblob(?))", (PAGES * 4096,))

        def store() -> None:
            nonlocal steps
            steps += 1
            assert steps < 2 * PAGES, "it begins anew with every commit"
            writing.execute("INSERT INTO ones VALUES (1)")

        connect._copy(source, tmp_path / "copy.db", store)
    assert steps > PAGES
    with closing(apsw.Connection(str(tmp_path / "copy.db"))) as copied:
        assert copied.execute("SELECT count(*) FROM ones").get == 0
        assert copied.execute("PRAGMA quick_check(1)").get == "ok"
