"""The turn of writers: one at a time, those who wait one after the other, and who does not move is passed
over once."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from shisho.stores.embedded.writer_lock import WriterLock
from tests.machine import PATIENCE

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has SQLite's own lock alone")


def test_one_at_a_time_and_all_in_the_end(tmp_path: Path) -> None:
    inside = 0
    most = 0
    done = 0
    counting = threading.Lock()

    def write() -> None:
        nonlocal inside, most, done
        writer_lock = WriterLock(tmp_path / "lock")
        for _ in range(50):
            with writer_lock.take(PATIENCE) as in_turn:
                with counting:
                    assert in_turn
                    inside += 1
                    most = max(most, inside)
                with counting:
                    inside -= 1
                    done += 1
        writer_lock.close()

    writers = [threading.Thread(target=write) for _ in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert (most, done) == (1, 200)


def test_who_does_not_move_is_passed_over_and_comes_back(tmp_path: Path) -> None:
    frozen = WriterLock(tmp_path / "lock")
    other = WriterLock(tmp_path / "lock")
    with frozen.take():
        for _ in range(3):
            with other.take(0.05) as in_turn:
                assert not in_turn
        assert sum(thread.name == "shisho-lock" for thread in threading.enumerate()) == 1, (
            "nobody queues twice"
        )
    waiting = [thread for thread in threading.enumerate() if thread.name == "shisho-lock"]
    for thread in waiting:
        thread.join(PATIENCE)
    with other.take(PATIENCE) as in_turn:
        assert in_turn
    frozen.close()
    other.close()


def test_where_no_file_can_be_locked_it_is_always_one_s_turn(tmp_path: Path) -> None:
    with WriterLock(tmp_path / "no folder" / "lock").take() as in_turn:
        assert in_turn
