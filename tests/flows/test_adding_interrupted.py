"""Ctrl-C while a folder of many files is added: what was done is kept, and the next run goes on with the
rest."""

from __future__ import annotations

import json
import signal
from collections import Counter
from pathlib import Path

import pytest

from tests.flows.conftest import Shell

FILES = 800


@pytest.mark.timeout(600)
def test_what_was_added_before_ctrl_c_is_kept_and_the_next_run_goes_on(shell: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(FILES):
        (folder / f"{number:05}.txt").write_text(f"第{number}号の短い本文である。", "utf-8")
    process = shell.start("add", "--json", folder)
    assert process.stdout is not None
    first = [json.loads(process.stdout.readline()) for _ in range(50)]
    process.send_signal(signal.SIGINT)
    rest, said = process.communicate(timeout=300)
    assert process.returncode == 130 and "Traceback" not in said, said
    told = [*first, *(json.loads(line) for line in rest.splitlines() if line.startswith('{"source"'))]
    assert all(receipt["outcome"] == "added" for receipt in told) and len(told) < FILES
    command = shell.start("add", "--json", folder)
    printed, said = command.communicate(timeout=500)
    again = {receipt["source"]: receipt["outcome"] for receipt in map(json.loads, printed.splitlines())}
    counted = Counter(again.values())
    assert counted["known"] >= len(told) and counted["known"] + counted["added"] == FILES, (counted, said)
    assert all(again[receipt["source"]] == "known" for receipt in told)
