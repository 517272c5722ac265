"""What stands outside the package and measures it takes from it only what is there: `make test` runs hardly
any of it."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MEASURING = sorted(
    path for folder in ("bench", "eval", "docs/site") for path in (ROOT / folder).rglob("*.py")
)


def taken(text: str) -> Iterator[tuple[str, str]]:
    """Each name that is imported from the package, with its module."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "shisho":
            yield from ((node.module or "", alias.name) for alias in node.names)


def given(module: str) -> set[str]:
    """What a module of the package has to give: its own names, and the modules below it."""
    path = ROOT / "src" / Path(*module.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    below = {part.stem for part in path.iterdir()} if path.is_dir() else set[str]()
    return below | set(bound_names(ast.parse(file.read_text("utf-8")))) if file.is_file() else below


def bound_names(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.alias):
            yield node.asname or node.name


@pytest.mark.parametrize("path", MEASURING, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_what_is_imported_is_there(path: Path) -> None:
    wanted = set(taken(path.read_text("utf-8")))
    assert [name for name in sorted(wanted) if name[1] not in given(name[0])] == []


def test_what_is_not_there_is_told() -> None:
    (wanted,) = taken("from shisho.stores.embedded.rows import no_such_name")
    assert wanted[1] not in given(wanted[0])
    assert given("shisho.no_such_room") == set()


def test_the_large_end_is_measured_to_its_end_and_without_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a small end. Unless a limit is given there is none, and vectors are not made where they could be."""
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    large = importlib.import_module("large")
    monkeypatch.setenv("SHISHO_EMBEDDER", "a folder that is not there")
    sources = importlib.import_module("large_sources")
    sources.text_file(tmp_path / "small.txt", 0.1)
    large.added("text, 0.1 MB", tmp_path / "small.txt", large.read_limits([]))
    said = capsys.readouterr().out
    assert "1 pages" in said and " 0 failed" in said and "cut off" not in said and "NOT HELD" not in said
    assert (tmp_path / "small.err").read_text("utf-8").count("\n") == 1, "nothing but the CPU seconds"
    limited = large.read_limits(["--seconds", "60", "--vectors"])
    assert (limited.seconds, limited.with_vectors) == (60.0, True)
