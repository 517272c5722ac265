"""Every path that a command takes, where there is no such folder, where a folder stands in a file's place or
a file in a home's, and where it may not be opened: one typed sentence, and nothing is made."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, get_args

import pytest
import typer
from typer.testing import CliRunner

from shisho.bootstrap.library import open_library
from shisho.domain.corpus import Source
from shisho.inference.model_files import ModelFile, ModelManifest, digest, write_manifest
from shisho.interfaces.cli.app import app
from tests.faults.children import LONG
from tests.interfaces.serving import empty_box

QUESTION = "決定係数とは何か"
TEXT = "決定係数とは、回帰式の当てはまりの良さを示す値である。"
MODEL = "some/model"
PATH = "{path}"
FILE, FOLDER, EITHER, HOME = "file", "folder", "either", "home"
# A call of each command with the one path, and what the path should be.
CALLS: dict[tuple[str, str], tuple[str, list[str]]] = {
    ("", "home"): (HOME, ["--home", PATH, "list"]),
    ("add", "paths"): (EITHER, ["add", PATH]),
    ("add", "references"): (EITHER, ["add", "{new}", "--references", PATH]),
    ("ask", "folders"): (FOLDER, ["ask", QUESTION, "--in", PATH, "--sources", "documents"]),
    ("ask", "plan"): (FILE, ["ask", QUESTION, "--plan", PATH]),
    ("report", "folders"): (FOLDER, ["report", QUESTION, "--folder", PATH, "--yes"]),
    ("search", "folders"): (FOLDER, ["search", "決定係数", "--in", PATH]),
    ("sync", "folders"): (FOLDER, ["sync", PATH]),
    ("watch", "folders"): (FOLDER, ["watch", PATH]),
    ("watch", "forget"): (FOLDER, ["watch", "--forget", PATH]),
    ("export", "out"): (FILE, ["export", "last", "--out", PATH]),
    ("verify", "file"): (FILE, ["verify", PATH]),
    ("verify", "page"): (FILE, ["verify", "--page", PATH]),
    ("backup", "file"): (FILE, ["backup", PATH]),
    ("copy", "source"): (HOME, ["copy", "--from", PATH, "--to", "{there}"]),
    ("copy", "target"): (HOME, ["copy", "--from", "{home}", "--to", PATH]),
    ("eval", "places"): (FOLDER, ["eval", PATH]),
    ("box", "folder"): (FOLDER, ["box", "--folder", PATH, "--topics", "0", "--pages", "4"]),
    ("engines parse", "file"): (FILE, ["engines", "parse", "auto", PATH]),
    ("models try", "folders"): (FOLDER, ["models", "try", QUESTION, "--model", "ollama/x", "--in", PATH]),
    ("models export", "file"): (FILE, ["models", "export", MODEL, PATH]),
    ("models import", "file"): (FILE, ["models", "import", PATH]),
}
NO_PATH = {"copy": ("source", "target")}  # a path, or an address
# A home is made where it is missing, and a box beside it; who follows nothing is told so.
MADE = {("", "home"), ("copy", "target"), ("box", "folder")}


def list_paths(command: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """Every parameter of every command that is a path."""
    for name, inner in getattr(command, "commands", {}).items():
        yield from list_paths(inner, (*words, name))
    for parameter in command.params:
        kind = getattr(getattr(parameter, "type_descriptor", None), "annotation", None)
        if Path in (kind, *get_args(kind)) or parameter.name in NO_PATH.get(" ".join(words), ()):
            yield " ".join(words), parameter.name


def test_every_path_of_every_command_is_tried() -> None:
    assert {*list_paths(typer.main.get_command(app))} == {*CALLS}


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """A home with an answer and a model; a folder and a file beside it."""
    with TemporaryDirectory() as outer:  # of pytest's own nobody else may look into
        made = Path(outer, "place")
        made.mkdir()
        furnish(made)
        yield made


def furnish(place: Path) -> None:
    home = place / "home"

    async def answer() -> None:
        async with open_library(home=home) as library:
            await library.documents.add_source(Source("一.txt", TEXT.encode()))
            await library.questions.ask(QUESTION)

    asyncio.run(answer())
    model = home / "models" / MODEL
    model.mkdir(parents=True)
    (model / "model.onnx").write_bytes(b"x")
    held = ModelFile("model.onnx", 1, digest(model / "model.onnx", "sha256"))
    write_manifest(model, ModelManifest(MODEL, "1", "https://example.org", (held,)))
    (place / "new.txt").write_text("新しい。", "utf-8")
    (place / "folder").mkdir()
    (place / "file").write_text("一つの文。", "utf-8")


def call(place: Path, key: tuple[str, str], path: Path, language: str) -> tuple[int, str]:
    words = [
        word.format(path=path, new=place / "new.txt", home=place / "home", there=place / "there")
        for word in CALLS[key][1]
    ]
    home = () if key == ("", "home") else ("--home", str(place / "home"))
    outside = {"SHISHO_BOX": str(empty_box()), "SHISHO_EMBEDDER": "none"}
    result = CliRunner().invoke(app, ["--language", language, *home, *words], env=outside)
    assert isinstance(result.exception, SystemExit | None), (words, result.exception)
    assert "Traceback" not in result.output
    return result.exit_code, result.stderr


def hold(place: Path) -> set[str]:
    """What stands in the folders, but for what a home makes beside its database."""
    return {str(path) for path in place.rglob("*") if place / "home" not in path.parents}


def check(place: Path, key: tuple[str, str], path: Path, language: str) -> None:
    """The call fails with one sentence that names the path and ends with a step, and makes nothing."""
    before = hold(place)
    code, said = call(place, key, path, language)
    assert code in (1, 2), (key, said)
    assert said.count("\n") == 1 or "╭" in said, (key, said)
    assert path.name in said.replace("\n", ""), (key, said)
    assert said.rstrip().rstrip("│╯─╰\n ").endswith((".", "。")), (key, said)
    assert hold(place) == before, key


LANGUAGES = ("ja", "en") if LONG else ("ja",)


@pytest.mark.parametrize("key", [key for key in CALLS if key not in MADE], ids=" ".join)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_missing_folder_is_told(place: Path, key: tuple[str, str], language: str) -> None:
    check(place, key, place / "missing" / "x.txt", language)


@pytest.mark.parametrize("key", [("add", "paths"), ("sync", "folders"), ("watch", "folders")], ids=" ".join)
def test_a_name_that_is_too_long_is_told(place: Path, key: tuple[str, str]) -> None:
    code, said = call(place, key, place / ("x" * 300), "en")
    assert code == 2 and said.endswith("the name is too long. Choose another one.\n"), said


@pytest.mark.parametrize("key", [key for key, (want, _) in CALLS.items() if want == FILE], ids=" ".join)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_folder_in_place_of_a_file_is_told(place: Path, key: tuple[str, str], language: str) -> None:
    check(place, key, place / "folder", language)


@pytest.mark.parametrize("key", [key for key, (want, _) in CALLS.items() if want == HOME], ids=" ".join)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_file_in_place_of_a_home_is_told(place: Path, key: tuple[str, str], language: str) -> None:
    check(place, key, place / "file", language)


@pytest.mark.parametrize("key", [*CALLS], ids=" ".join)
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_may_not_be_opened_is_told(place: Path, key: tuple[str, str], language: str) -> None:
    """As nobody: root may open everything."""
    if sys.platform == "win32":
        pytest.skip("Windows keeps rights otherwise")
    shut = place / "shut"
    shut.mkdir(exist_ok=True)
    (shut / "x.txt").write_text("閉じている。", "utf-8")
    shut.chmod(0o755)
    is_root = os.geteuid() == 0
    if is_root:
        place.parent.chmod(0o755)
        place.chmod(0o755)
        for path in (place / "home", *(place / "home").rglob("*")):
            os.chown(path, 65534, 65534)
    call(place, key, place / "file" / "x.txt", language)  # what is imported late is there then
    shut.chmod(0o000)
    try:
        if is_root:
            os.seteuid(65534)
        check(place, key, shut / "x.txt", language)
    finally:
        if is_root:
            os.seteuid(0)
        shut.chmod(0o755)
