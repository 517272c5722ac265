"""Four processes on one file hammer one resource: the limit is kept by all of them together."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from shisho.stores.embedded.connect import Database
from tests.faults.children import ROOT

INTERVAL = 0.05


def requests(path: Path, parallel: int, per_day: int) -> list[tuple[float, float]]:
    """When the requests of all four began and ended, in order."""
    orders = [str(path), "", str(INTERVAL), str(parallel), str(per_day)]
    children = []
    for name in "abcd":
        orders[1] = name
        command = [sys.executable, "-W", "error", "-m", "tests.faults.asker", *orders]
        children.append(subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True))
    said = [child.communicate(timeout=120)[0] for child in children]
    assert [child.returncode for child in children] == [0, 0, 0, 0]
    assert all(said), "a process never got its turn"
    return sorted((began, ended) for lines in said for began, ended in map(json.loads, lines.splitlines()))


@pytest.mark.parametrize("parallel", [1, 2])
async def test_four_processes_keep_one_limit(tmp_path: Path, parallel: int) -> None:
    path, per_day = tmp_path / "shisho.db", 60
    met = requests(path, parallel, per_day)
    assert len(met) == per_day
    overlaps = [sum(began < other_end for _, other_end in met[:place]) for place, (began, _) in enumerate(met)]
    assert max(overlaps) < parallel
    if parallel == 1:
        assert min(after[0] - before[1] for before, after in pairwise(met)) >= INTERVAL
    assert met[-1][0] - met[0][0] >= INTERVAL * (per_day - 1) * (1 if parallel == 1 else 0.95)
    database = Database(path)
    counts = await database.read(lambda connection: list(connection.execute("SELECT day, used FROM pace_days")))
    places = await database.read(lambda connection: list(connection.execute("SELECT ticket, began FROM pace_places")))
    await database.close()
    assert counts == [("2026-07-01", per_day)] and places == []
