"""The wheel holds the whole package, and what is installed from it answers. `.ci/wheel` does it in an empty
environment.

Here the libraries are those of this environment, so that no network is needed and it takes seconds.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.faults.children import LONG
from tests.machine import PATIENCE

ROOT = Path(__file__).parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def run(*command: str | Path, cwd: Path, **variables: str) -> str:
    environment = {
        name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "SHISHO_HOME")
    }
    done = subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env={**environment, **variables},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, (done.stdout, done.stderr)
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, tmp_path_factory.mktemp("dist"))


def build(project: Path, built: Path) -> Path:
    """Build a wheel as `make dist` does, from the sdist, without a network."""
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", built, cwd=project)
    (sdist,) = built.glob("*.tar.gz")
    options = ("-q", "--no-deps", "--no-index", "--no-build-isolation", "--disable-pip-version-check")
    run(sys.executable, "-m", "pip", "wheel", *options, "-w", built, sdist, cwd=built)
    (path,) = built.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def command(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`shisho` in an environment that has the wheel, and the libraries of this one."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False)
    scheme = {"base": str(folder), "platbase": str(folder), "installed_base": str(folder)}
    packages = Path(sysconfig.get_path("purelib", "venv", vars=scheme))
    python = folder / "bin" / "python"
    options = ("-q", "--no-deps", "--no-index", "--disable-pip-version-check")
    run(sys.executable, "-m", "pip", "--python", python, "install", *options, wheel, cwd=folder)
    # A line in a .pth file adds the folder alone: what this environment adds to itself, our sources, stays
    # out.
    (packages / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder / "bin" / "shisho"


def check_package(wheel: Path, package: Path) -> set[str]:
    """Return the names of the package's files, which are those in the checkout."""
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    files = {path.relative_to(package.parent).as_posix() for path in package.rglob("*") if path.is_file()}
    assert names == {name for name in files if "__pycache__" not in name}
    return names


def test_wheel_holds_every_file_of_the_package(wheel: Path) -> None:
    names = check_package(wheel, ROOT / "src" / "shisho")
    assert {"shisho/py.typed", "shisho/__main__.py"} <= names
    assert any(name.endswith(".sql") for name in names) and any(name.endswith(".json") for name in names)


def test_wheel_of_the_box_holds_its_files_and_the_licence(tmp_path: Path) -> None:
    box = ROOT / "packages" / "box"
    wheel = build(box, tmp_path)
    names = check_package(wheel, box / "src" / "shisho_box")
    assert {"shisho_box/py.typed", "shisho_box/world.toml", "shisho_box/pages/pages.toml"} <= names
    (licence,) = [
        name for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".dist-info/licenses/LICENSE")
    ]
    assert zipfile.ZipFile(wheel).read(licence) == (ROOT / "LICENSE").read_bytes()


def test_wheel_tells_who_it_is(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
    lines = archive.read(name).decode().splitlines()
    assert f"Version: {PROJECT['version']}" in lines
    assert [f"Project-URL: {label}, {address}" for label, address in PROJECT.get("urls", {}).items()] == [
        line for line in lines if line.startswith("Project-URL: ")
    ]
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in archive.namelist())


@pytest.mark.skipif(not LONG, reason="SHISHO_LONG=1, and .ci/wheel in an empty environment")
def test_what_the_wheel_installs_answers_with_its_source(command: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "samples" / "lectures", tmp_path / "samples" / "lectures")
    variables = {"SHISHO_HOME": str(tmp_path / "home"), "SHISHO_WEB": "off", "PYTHONUTF8": "1"}
    where = run(
        command.with_name("python"), "-c", "import shisho; print(shisho.__file__)", cwd=tmp_path, **variables
    )
    assert Path(where.strip()).is_relative_to(command.parents[1]), "the sources answered, not the wheel"
    question = "決定係数が0に近いとき何を意味するか"
    answer = run(command, "ask", "--in", "samples/lectures", question, cwd=tmp_path, **variables)
    assert "決定係数が0に近いとき" in answer
    assert "\n[1] 01-regression.pdf" in answer
    assert run(command, "--version", cwd=tmp_path, **variables) == f"shisho {PROJECT['version']}\n"
