"""The Dockerfile's text against what is there. No container is run: its command and its health check are, on
this machine."""

from __future__ import annotations

import fnmatch
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import typer.main

from shisho.interfaces.cli.app import app
from shisho.settings import TABLE
from tests.interfaces.serving import serving

ROOT = Path(__file__).parent.parent
TEXT = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text("utf-8"))
LINES = [line.partition(" ")[::2] for line in TEXT.splitlines() if line and not line.startswith("#")]


def values(instruction: str) -> list[str]:
    return [value for name, value in LINES if name == instruction]


def copied_sources() -> list[str]:
    """What is taken from the repository."""
    copies = [value.split() for value in values("COPY") if not value.startswith("--from")]
    return [source for copy in copies for source in copy[:-1]]


def health_check() -> list[str]:
    (line,) = values("HEALTHCHECK")
    command: list[str] = json.loads(line.partition("CMD ")[2])
    return command


def test_what_is_copied_exists_and_nothing_else_reaches_the_build() -> None:
    ignored = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    allowed = [line[1:] for line in ignored if line.startswith("!")]
    assert ignored[1] == "*"
    assert allowed == copied_sources()
    assert [name for name in allowed if not (ROOT / name).exists()] == []


def test_what_is_copied_suffices_for_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    needed = [project["project"]["readme"], *project["project"]["license-files"]]
    needed += project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    for name in needed:
        assert any(name == source or name.startswith(f"{source}/") for source in copied_sources()), name


def test_its_python_is_one_that_fits() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for image in values("FROM"):
        (version,) = re.findall(r"^python:(3\.\d+)-slim", image)
        assert f"Programming Language :: Python :: {version}" in project["classifiers"]
    assert any(
        fnmatch.fnmatch(value, "*--require-hashes --no-deps -r requirements/server.lock")
        for value in values("RUN")
    )


def test_it_runs_as_nobody_in_particular_and_keeps_its_data_in_the_volume() -> None:
    (user,) = values("USER")
    (volume,) = values("VOLUME")
    names = [name for name, _ in LINES]
    assert user not in ("root", "0") and names.index("USER") < names.index("CMD")
    variables = dict(pair.split("=", 1) for pair in " ".join(values("ENV")).split())
    assert variables["SHISHO_HOME"] == volume
    assert {name for name in variables if name.startswith("SHISHO_")} <= {
        f"SHISHO_{row.name.upper()}" for row in TABLE
    }
    assert f"-m 700 -o {user} -g {user} {volume}" in TEXT


def test_its_port_is_the_port_of_the_server() -> None:
    (port,) = values("EXPOSE")
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    (default,) = [option.default for option in commands["serve"].params if option.name == "port"]
    assert port == str(default)
    assert f"http://127.0.0.1:{port}/livez" in health_check()[-1]


def run_health_check(address: str) -> int:
    (port,) = values("EXPOSE")
    program, *words = health_check()
    assert program == "python"
    command = [
        sys.executable,
        *(word.replace(f":{port}", f":{address.rpartition(':')[2]}") for word in words),
    ]
    return subprocess.run(command, capture_output=True, timeout=120, check=False).returncode


def test_its_command_serves_and_its_health_check_sees_it(tmp_path: Path) -> None:
    entry = json.loads(values("ENTRYPOINT")[0])
    program, *words = json.loads(values("CMD")[0])
    assert (entry, program) == (["shisho"], "serve")
    with serving(tmp_path / "data", *words, SHISHO_TOKEN="a-word-that-only-the-test-knows") as address:
        assert run_health_check(address) == 0
    assert run_health_check(address) != 0


@pytest.mark.parametrize("page", ["docs/howto/container.md", "docs/howto/container.ja.md"])
def test_howto_names_port_volume_and_token(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    (port,) = values("EXPOSE")
    (volume,) = values("VOLUME")
    assert f"127.0.0.1:{port}:{port}" in text and f":{volume} " in text and "SHISHO_TOKEN" in text
