"""`shisho` exports every type that a caller meets through the library: parameters, returns, their fields,
errors.

Run as a program it prints those that are missing, of whatever `shisho` is on the path."""

from __future__ import annotations

import inspect
import os
import re
import shutil
import subprocess
import sys
import typing
from collections.abc import Iterator
from dataclasses import is_dataclass
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent


def missing_types() -> list[str]:
    """The names of the types that a caller meets and that are not exported."""
    import shisho
    from shisho import errors

    exported = {id(getattr(shisho, name)) for name in shisho.__all__}
    met = {id(kind): kind for kind in _types_met(shisho.Library)}
    for kind in vars(errors).values():
        if isinstance(kind, type) and issubclass(kind, errors.ShishoError):
            met[id(kind)] = kind
    return sorted(kind.__name__ for number, kind in met.items() if number not in exported)


def _types_met(library: type) -> Iterator[Any]:
    seen: dict[int, Any] = {}  # held, so that no other hint gets the id of one that is gone
    todo: list[Any] = [library]
    while todo:
        hint = todo.pop()
        if id(hint) in seen:
            continue
        seen[id(hint)] = hint
        todo += (
            [*hint] if isinstance(hint, list) else typing.get_args(hint)
        )  # a list: the parameters of a Callable
        todo += [getattr(hint, "__supertype__", None)]
        if isinstance(hint, typing.TypeVar):
            continue
        if (
            getattr(hint, "__module__", "").partition(".")[0] != "shisho"
            or typing.get_origin(hint) is not None
        ):
            continue
        yield hint
        if isinstance(hint, type) and not issubclass(hint, Enum):
            todo += _hints_of(hint)


def _hints_of(kind: type) -> Iterator[Any]:
    """The types of what a caller calls and reads on it."""
    if is_dataclass(kind):
        fields = typing.get_type_hints(kind, _names_of(kind))
        yield from (hint for name, hint in fields.items() if not name.startswith("_"))
    for name, member in inspect.getmembers(kind):
        verb = getattr(member, "fget", None) or getattr(member, "func", None) or member
        if not name.startswith("_") and inspect.isfunction(verb):
            yield from typing.get_type_hints(verb, _names_of(verb)).values()


def _names_of(thing: Any) -> dict[str, Any]:
    """What its annotations may name, imports for the type checker too."""
    names = dict(vars(sys.modules[thing.__module__]))
    source = inspect.getsource(sys.modules[thing.__module__])
    for block in re.findall(r"^if TYPE_CHECKING:\n((?:    .*\n|\n)+)", source, re.M):
        exec(inspect.cleandoc("\n" + block), names)
    return names


def run_over(source: Path) -> list[str]:
    environment = {**os.environ, "PYTHONPATH": str(source)}
    ended = subprocess.run(
        [sys.executable, __file__], env=environment, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.split()


def test_every_type_that_a_caller_meets_is_exported() -> None:
    assert missing_types() == []


SINS = {
    "a field of what is returned": (
        "domain/inquiry.py",
        "    abstained: bool\n",
        "    abstained: bool\n    planted: PlantedType\n",
    ),
    "a parameter of a verb": (
        "services/library.py",
        "    async def check_ready(self) -> None:",
        "    async def check_ready(self, how: PlantedType) -> None:",
    ),
    "what a verb returns": (
        "services/web.py",
        "    def get_consent_time(self) -> str:",
        "    def get_consent_time(self) -> Sequence[PlantedType]:",
    ),
    "an error": (
        "errors.py",
        "class NotFound(",
        'class PlantedType(InvalidParams):\n    """Planted."""\n\n\nclass NotFound(',
    ),
}


def test_unexported_types_planted_in_a_copy_are_found(tmp_path: Path) -> None:
    copy = tmp_path / "src"
    shutil.copytree(ROOT / "src", copy, ignore=shutil.ignore_patterns("__pycache__"))
    for number, (path, old, new) in enumerate(SINS.values()):
        plant(copy / "shisho", path, old, new.replace("PlantedType", f"Planted{number}"), f"Planted{number}")
    assert run_over(copy) == [f"Planted{number}" for number in range(len(SINS))]


def plant(package: Path, path: str, old: str, new: str, name: str) -> None:
    """A type of this name where something that a caller meets speaks of it."""
    page = package / path
    text = page.read_text("utf-8")
    assert old in text
    definition = f'class {name}:\n    """Planted."""\n'
    if path.startswith("services/"):
        (package / "domain" / f"{name.lower()}.py").write_text(definition, "utf-8")
        imported = f"\nfrom shisho.domain.{name.lower()} import {name}\nfrom shisho."
        text = text.replace("\nfrom shisho.", imported, 1)
    elif path.startswith("domain/"):
        text = text.replace("\n\n\n", f"\n\n\n{definition}\n\n", 1)
    page.write_text(text.replace(old, new), "utf-8")


def test_exports_are_sorted_and_there() -> None:
    import shisho

    names = [name for name in shisho.__all__ if name != "__version__"]
    assert names == sorted(names, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    assert len(set(names)) == len(names)
    assert dir(shisho) == sorted(shisho.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Libary'"):
        shisho.Libary  # noqa: B018


def test_import_alone_loads_nothing_of_ours() -> None:
    code = "import sys, shisho; print(*(name for name in sys.modules if name.startswith('shisho.')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["shisho.version"]


def test_type_checker_sees_what_is_exported(tmp_path: Path) -> None:
    """mypy knows the types, so that a misspelt verb or a wrong argument is found before it runs."""
    page = tmp_path / "caller.py"
    page.write_text(
        "import shisho\n"
        "async def main() -> None:\n"
        "    async with shisho.open(web='off') as library:\n"
        "        answer = await library.questions.ask('q', sources=shisho.Sources.DOCUMENTS)\n"
        "        reveal_type(answer)\n"
        "        await library.aks('q')\n",
        "utf-8",
    )
    ended = subprocess.run(
        [sys.executable, "-m", "mypy", str(page)],  # with what `make check` knows of our own modules
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "MYPYPATH": str(ROOT / "src")},
    )
    assert 'Revealed type is "shisho.domain.inquiry.Answer"' in ended.stdout, ended.stdout
    assert ended.stdout.count(": error:") == 1 and 'has no attribute "aks"' in ended.stdout


def test_a_library_shows_its_parts_and_their_methods(tmp_path: Path) -> None:
    """What a library is built from is private: only methods and parts with further methods are there."""
    import shisho
    from shisho.bootstrap.library import build_library
    from shisho.settings import load

    library = build_library(load(home=tmp_path, web="off"))
    parts = {name for name, member in vars(shisho.Library).items() if isinstance(member, cached_property)}
    assert {"documents", "questions", "tasks", "conversations", "folders", "viewer", "team"} <= parts
    for name in parts:
        part = getattr(library, name)
        assert isinstance(part, getattr(shisho, type(part).__name__))
        assert part is getattr(library, name)
        public = {member for member in dir(part) if not member.startswith("_")}
        assert public and public == {member for member in vars(type(part)) if not member.startswith("_")}
    assert {"create", "get_status", "list", "queue_searches", "stop"} <= set(dir(library.tasks))
    assert "cited answer" in str(inspect.getdoc(library.questions.ask))


if __name__ == "__main__":
    print("\n".join(missing_types()))
