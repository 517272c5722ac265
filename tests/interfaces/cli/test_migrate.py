"""`shisho migrate`: what a roll-out runs once, before the servers of a new version begin."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import apsw

from tests.interfaces.serving import SHISHO, environment


def test_it_makes_the_database_once_and_refuses_one_of_a_newer_version(tmp_path: Path) -> None:
    home = tmp_path / "home"

    def migrate() -> subprocess.CompletedProcess[str]:
        command = [sys.executable, *SHISHO, "migrate"]
        return subprocess.run(
            command, env=environment(home), capture_output=True, text=True, timeout=300, check=False
        )

    for _ in range(2):
        result = migrate()
        assert (result.returncode, result.stderr) == (0, ""), result.stderr
        assert "up to date" in result.stdout
    with closing(apsw.Connection(str(home / "shisho.db"))) as connection:
        connection.execute("INSERT INTO migrations(name, at) VALUES ('9999_later.sql', '')")
    result = migrate()
    assert result.returncode == 1 and "newer version" in result.stderr
