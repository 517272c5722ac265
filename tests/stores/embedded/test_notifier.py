"""Commits of other processes are noticed, also if the log changes before the commit can be seen."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from shisho.stores.embedded import notifier as bell_module
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.notifier import EmbeddedNotifier


async def test_a_changed_log_is_asked_about_until_its_commit_can_be_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bell_module, "ASK_SECONDS", 1e6)
    database = Database(tmp_path / "shisho.db")
    notifier = EmbeddedNotifier(database, poll_seconds=1e6)
    with notifier.subscribe("task"):
        watch = notifier._watch
        assert watch is not None
        monkeypatch.setattr(bell_module, "SETTLE_SECONDS", 1e6)
        await database.write(lambda connection: connection.execute("DELETE FROM events") and None)
        assert [watch._may_have_news() for _ in range(3)] == [True, True, True]
        monkeypatch.setattr(bell_module, "SETTLE_SECONDS", -1.0)
        assert not watch._may_have_news(), "nothing has changed since"
    await database.close()


async def test_polls_are_rarer_the_longer_nothing_happens(tmp_path: Path) -> None:
    database = Database(tmp_path / "shisho.db")
    notifier = EmbeddedNotifier(database)
    with notifier.subscribe("task"):
        watch = notifier._watch
        assert watch is not None
        pauses = []
        for seconds in (0, 10, 100):
            watch._changed_at = time.monotonic() - seconds
            pauses.append(watch._pause())
    assert pauses == [0.02, 0.08, 0.2]
    await database.close()
