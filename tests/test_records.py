"""`shisho.records.dataclass` makes what `dataclasses.dataclass` makes."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from dataclasses import FrozenInstanceError, field
from typing import Any

import pytest

from shisho import records


@records.dataclass(frozen=True, slots=True)
class Point:
    """A point with a name."""

    x: int
    y: int = 0
    name: str = field(default="", compare=False)
    secret: str = field(default="", repr=False)
    tags: list[str] = field(default_factory=list, compare=False)


@records.dataclass(frozen=True, slots=True)
class Deeper(Point):
    z: int = 0


@records.dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    first: int
    second: int = 2

    def __post_init__(self) -> None:
        if self.first > self.second:
            raise ValueError(self.first)


@records.dataclass(frozen=True, slots=True)
class Empty:
    """Nothing."""


@records.dataclass(frozen=True, slots=True)
class OwnMethods:
    x: int

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 7

    def __repr__(self) -> str:
        return "own"


@records.dataclass(frozen=True, slots=True)
class OwnEquality:
    x: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OwnEquality)


def test_fields_defaults_and_factories_are_set() -> None:
    point = Point(1, tags=["a"])
    assert (point.x, point.y, point.name, point.tags) == (1, 0, "", ["a"])
    assert Point(1).tags == [] and Point(1).tags is not Point(1).tags
    assert dataclasses.asdict(point) == {"x": 1, "y": 0, "name": "", "secret": "", "tags": ["a"]}
    assert [each.name for each in dataclasses.fields(Deeper)] == ["x", "y", "name", "secret", "tags", "z"]


def test_nothing_can_be_set_or_deleted() -> None:
    for record in (Point(1), Deeper(1), Empty(), Named(first=1)):
        with pytest.raises(FrozenInstanceError):
            record.x = 2  # type: ignore[union-attr, misc]
        with pytest.raises(FrozenInstanceError):
            del record.x  # type: ignore[union-attr]
        assert not hasattr(record, "__dict__")


def test_standard_dataclasses_inherit_from_it() -> None:
    @dataclasses.dataclass(frozen=True)
    class Further(Point):
        w: int = 5

    assert Further(1) == Further(1, w=5) and Further(1).x == 1 and Further(1) != Further(1, w=6)
    with pytest.raises(FrozenInstanceError):
        Further(1).w = 2  # type: ignore[misc]


def test_compared_fields_alone_decide_equality_and_hash() -> None:
    assert Point(1, name="a") == Point(1, name="b") and hash(Point(1, name="a")) == hash(Point(1))
    assert Point(1) != Point(2) and Point(1) != Deeper(1) and Empty() == Empty()
    assert len({Point(1), Point(1, name="a"), Point(2), Deeper(1)}) == 3


def test_repr_is_that_of_the_standard_library_without_hidden_fields() -> None:
    assert repr(Point(1, secret="hidden")) == "Point(x=1, y=0, name='', tags=[])"
    assert repr(Empty()) == "Empty()" and repr(OwnMethods(1)) == "own"


def test_own_methods_are_kept() -> None:
    assert OwnMethods(1) == OwnMethods(2) and hash(OwnMethods(1)) == 7
    assert OwnEquality(1) == OwnEquality(2) and hash(OwnEquality(1)) == hash((1,))


def test_keywords_and_post_init() -> None:
    assert Named(first=1).second == 2
    with pytest.raises(TypeError):
        Named(1)  # type: ignore[misc]
    with pytest.raises(ValueError, match="3"):
        Named(first=3)
    with pytest.raises(ValueError, match="9"):
        dataclasses.replace(Named(first=1), first=9)


@pytest.mark.parametrize("record", [Point(1, 2, "n", "s", ["t"]), Deeper(1, z=3), Empty(), Named(first=1)])
def test_copies_pickles_and_replacements_are_equal(record: Any) -> None:
    assert pickle.loads(pickle.dumps(record)) == record
    assert copy.copy(record) == record and copy.deepcopy(record) == record
    assert dataclasses.replace(record) == record and dataclasses.is_dataclass(record)


def test_signature_names_the_parameters() -> None:
    assert [*inspect.signature(Point).parameters] == ["x", "y", "name", "secret", "tags"]
    match Point(3, 4):
        case Point(x, y):
            assert (x, y) == (3, 4)


def test_a_field_without_a_default_after_one_with_a_default_is_refused() -> None:
    with pytest.raises(SyntaxError):

        @records.dataclass(frozen=True, slots=True)
        class Wrong:  # type: ignore[misc]
            x: int = 0
            y: int
