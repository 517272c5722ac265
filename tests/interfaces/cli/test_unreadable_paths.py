"""A path that may not be read stops no other: Typer's own reader of paths refused all of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from typer.testing import CliRunner

from shisho.interfaces.cli.app import app
from tests.interfaces.serving import empty_box


@contextmanager
def rights_of_nobody(*folders: Path) -> Iterator[None]:
    """Root may read everything. Asked are the rights of the real user, not of the effective one."""
    if sys.platform == "win32":
        pytest.skip("Windows keeps rights otherwise")
    if os.geteuid() != 0:
        yield
        return
    for folder in folders:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, 65534, 65534)
    os.setresuid(65534, 65534, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


def run(home: Path, *words: str) -> tuple[int, str]:
    outside = {"SHISHO_BOX": str(empty_box()), "SHISHO_EMBEDDER": "none"}
    result = CliRunner().invoke(app, ["--language", "en", "--home", str(home), *words], env=outside)
    assert isinstance(result.exception, SystemExit | None), result.exception
    return result.exit_code, result.output


def test_a_file_that_may_not_be_read_stops_no_other() -> None:
    with TemporaryDirectory() as outer:  # of pytest's own nobody else may look into
        Path(outer).chmod(0o755)
        home = Path(outer, "home")
        folder = Path(outer, "notes")
        folder.mkdir()
        readable = folder / "a.txt"
        readable.write_text("灯台は岬にある。", "utf-8")
        shut = folder / "b.txt"
        shut.write_text("閉じている。", "utf-8")
        run(home, "add", str(readable))  # what is imported late is there then
        run(home, "remove", str(readable), "--purge", "--yes")
        shut.chmod(0o000)
        with rights_of_nobody(Path(outer), home, folder):
            code, printed = run(home, "add", str(readable), str(shut))
    assert code == 1 and "DOCUMENT_UNREADABLE: The file can't be opened: permission denied." in printed
    assert "1 added · 0 new versions · 0 unchanged · 1 not added" in printed
