"""Who is alive, by the locks that the system lets go."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from shisho.domain.job import WorkerId
from shisho.stores.presence import FilePresence
from tests.queues import ANA, BEN

HOLDER = """
import sys, time
from pathlib import Path
from shisho.stores.presence import FilePresence
presence = FilePresence(Path(sys.argv[1]))
presence.register("other")
print("entered", flush=True)
time.sleep(600)
"""
OTHER = WorkerId("other")


def test_a_worker_is_alive_until_it_leaves(tmp_path: Path) -> None:
    here = FilePresence(tmp_path / "workers")
    there = FilePresence(tmp_path / "workers")
    here.register(ANA)
    there.register(BEN)
    assert here.find_dead([ANA, BEN]) == there.find_dead([ANA, BEN]) == frozenset()
    there.deregister(BEN)
    assert here.find_dead([ANA, BEN]) == {BEN}
    here.deregister(ANA)
    assert list((tmp_path / "workers").iterdir()) == []


def test_a_killed_process_is_gone_at_once_and_swept_up(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", HOLDER, str(tmp_path)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    here = FilePresence(tmp_path)
    here.register(ANA)
    assert here.find_dead([OTHER]) == frozenset()
    process.kill()
    process.communicate()
    here.register(BEN)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["ana.lock", "ben.lock"]
    assert here.find_dead([OTHER]) == {OTHER}
    here.deregister(ANA)
    here.deregister(BEN)
