"""Every example of docs/python.md runs as it stands, over the samples."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)


@pytest.mark.slow
def test_examples_run_one_after_the_other(tmp_path: Path) -> None:
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    said = []
    for example in EXAMPLE.findall((ROOT / "docs" / "python.md").read_text("utf-8")):
        command = [sys.executable, "-c", example]
        environment = {**os.environ, "SHISHO_LANGUAGE": "en"}
        ended = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert ended.returncode == 0, ended.stderr
        said.append(ended.stdout)
    assert "01-regression.pdf added" in said[0] and "決定係数が0に近いとき" in said[0]
    assert "INVALID_PARAMS False" in said[1] and "max_rounds" in said[1]


def test_both_languages_have_the_same_examples() -> None:
    english, japanese = (
        EXAMPLE.findall((ROOT / "docs" / name).read_text("utf-8")) for name in ("python.md", "python.ja.md")
    )
    assert english == japanese != []
