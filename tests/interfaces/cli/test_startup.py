"""Classes whose methods are compiled when they are first called are those that Python makes."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from typing import Any, ClassVar

import pytest

from shisho.interfaces.cli.startup import make_record


def shape() -> type:
    class Shape:
        """A shape."""

        KIND: ClassVar[str] = "shape"
        name: str
        sides: int = 4
        tags: list[str] = field(default_factory=list)
        hidden: str = field(default="", repr=False, compare=False)
        weight: float = field(default=1.0, kw_only=True)

        def __post_init__(self) -> None:
            object.__setattr__(self, "name", self.name.strip())

        @property
        def label(self) -> str:
            return f"{self.name} {self.sides}"

    return Shape


def point() -> type:
    class Point:
        """A point."""

        x: int
        y: int = 0

    return Point


def empty() -> type:
    class Empty:
        """Nothing."""

    return Empty


@make_record
class Stored:
    """What can be pickled: a class that its module names."""

    x: int
    y: str = ""


def outcome(act: Callable[[], Any]) -> Any:
    try:
        return act()
    except Exception as error:
        return type(error), str(error)


def pair(make: Callable[[], type]) -> tuple[type, type]:
    return make_record(make()), dataclass(frozen=True, slots=True)(make())


ACTS: list[Callable[[Any], Any]] = [
    lambda cls: repr(cls("a", 3, hidden="h", weight=2.0)).rpartition(".")[2],
    lambda cls: cls("a") == cls("a", hidden="other"),
    lambda cls: cls("a") == cls("b"),
    lambda cls: cls("a") == "a",
    lambda cls: cls(" a ").name,
    lambda cls: cls("a").label,
    lambda cls: cls("a").tags is cls("a").tags,
    lambda cls: cls(),
    lambda cls: cls("a", 1, [], "", 2.0),
    lambda cls: cls("a", no=1),
    lambda cls: hash(cls("a")),
    lambda cls: setattr(cls("a"), "name", "b"),
    lambda cls: delattr(cls("a"), "name"),
    lambda cls: replace(cls("a"), sides=5).sides,
    lambda cls: copy.copy(cls("a", 7)).sides,
    lambda cls: copy.deepcopy(cls("a", 7)).tags,
    lambda cls: dataclasses.asdict(cls("a")),
    lambda cls: [(one.name, one.type, one.kw_only, one.default) for one in fields(cls)],
    lambda cls: str(cls.__dataclass_params__),
    lambda cls: (cls.__match_args__, cls.__slots__, cls.__doc__, cls.__qualname__, cls.__module__, cls.KIND),
    lambda cls: sorted(name for name in vars(cls) if name != "__weakref__"),
    lambda cls: object.__new__(cls) == object.__new__(cls),
]


@pytest.mark.parametrize("act", ACTS)
def test_a_class_compiled_later_does_what_python_makes_it_do(act: Callable[[Any], Any]) -> None:
    ours, pythons = pair(shape)
    assert outcome(lambda: act(ours)) == outcome(lambda: act(pythons))
    assert outcome(lambda: act(ours)) == outcome(lambda: act(pythons))  # compiled by now


def test_equal_records_have_one_hash_and_the_same_as_python_gives() -> None:
    ours, pythons = pair(point)
    assert hash(ours(1, 2)) == hash(ours(1, 2)) == hash(pythons(1, 2))
    ours, pythons = pair(empty)
    assert ours() == ours() and hash(ours()) == hash(pythons())
    with pytest.raises(FrozenInstanceError):
        ours().x = 1


def test_a_record_is_pickled_and_read_again() -> None:
    stored = Stored(1, "a")  # type: ignore[call-arg]
    assert pickle.loads(pickle.dumps(stored)) == stored


EVERY_CLASS = """
import contextlib, dataclasses, importlib, inspect, pkgutil, sys
from shisho.interfaces.cli.startup import hasten_records
if sys.argv[1:]:
    hasten_records()
import shisho.desk, shisho.domain
for page in pkgutil.iter_modules(shisho.domain.__path__):
    importlib.import_module(f"shisho.domain.{page.name}")
for name, module in sorted(sys.modules.items()):
    for cls in vars(module).values() if name.startswith("shisho.") else ():
        if isinstance(cls, type) and dataclasses.is_dataclass(cls) and cls.__module__ == name:
            later = cls.__init__.__name__ != "__init__"
            for act in (cls, lambda: repr(object.__new__(cls)), lambda: hash(object.__new__(cls))):
                with contextlib.suppress(AttributeError, TypeError):
                    act()
            taken = inspect.signature(cls).parameters.values()
            told = [(one.name, str(one.kind), one.annotation, one.default is one.empty) for one in taken]
            print(name, cls.__qualname__, told, sorted(vars(cls)))
            print("later" if later else "at once", file=sys.stderr)
"""


def test_every_class_of_the_domain_is_what_python_makes_of_it() -> None:
    """Each in a process of its own, as classes are made when they are imported."""
    pythons, ours = (
        subprocess.run(
            [sys.executable, "-c", EVERY_CLASS, *words], capture_output=True, text=True, check=True
        )
        for words in ([], ["later"])
    )
    assert ours.stdout == pythons.stdout
    assert "later" not in pythons.stderr
    assert ours.stderr.count("later") > 100 > ours.stderr.count("at once")
