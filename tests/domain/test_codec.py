"""Values to JSON and back: what comes back equals what went in, and what fits no shape is refused."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NewType

import pytest

from shisho.domain.codec import Payload, UnreadablePayload, build, dumps, loads, to_plain
from tests.tables import each_row

Name = NewType("Name", str)


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True, slots=True)
class Leaf:
    name: Name
    colour: Colour | None = None


@dataclass(frozen=True, slots=True)
class Tree:
    leaves: tuple[Leaf, ...] = ()
    payload: Payload = field(default_factory=Payload)


def test_value_comes_back_as_it_was() -> None:
    tree = Tree(
        (Leaf(Name("決定係数"), Colour.RED), Leaf(Name("R²"))), Payload.wrap({"b": 1, "a": [None, 2.5]})
    )
    assert loads(dumps(tree), Tree) == tree


@each_row(
    ("data", "names"),
    [
        ({"leaves": [], "payload": {}, "roots": 1}, ["Tree", "'roots'"]),
        ({"leaves": [{"name": "a", "color": "red"}]}, ["Leaf", "'color'"]),
        ({"colour": "red", "shade": 1, "tint": 2}, ["Tree", "'shade', 'tint'"]),
    ],
)
def test_unknown_key_is_an_error_that_names_it(data: Any, names: list[str]) -> None:
    with pytest.raises(TypeError) as refused:
        build(data, Tree)
    assert all(name in str(refused.value) for name in names)


def test_who_is_lenient_reads_what_is_known() -> None:
    data = {"leaves": [{"name": "a", "shade": 1}], "payload": {"any": 2}, "tint": 3}
    assert build(data, Tree, is_lenient=True) == Tree((Leaf(Name("a")),), Payload.wrap({"any": 2}))
    with pytest.raises(UnreadablePayload, match="shade"):
        Payload.wrap(data["leaves"]).read(tuple[Leaf, ...])
    with pytest.raises(UnreadablePayload, match="str expected"):
        Payload.wrap({"name": 1, "shade": 1}).read(Leaf, is_lenient=True)


@each_row(
    ("data", "shape"),
    [
        ({"name": 1}, Leaf),
        ({}, Leaf),
        ({"name": "a", "colour": "blue"}, Leaf),
        (["a"], Leaf),
        ({"leaves": [1]}, Tree),
    ],
)
def test_other_shape_is_refused(data: Any, shape: type) -> None:
    with pytest.raises((TypeError, ValueError, AttributeError)):
        build(data, shape)


def test_payload_is_an_object_in_json_and_is_read_by_who_knows_its_shape() -> None:
    payload = Payload.wrap(Leaf(Name("a")))
    assert to_plain({"input": payload}) == {"input": {"name": "a", "colour": None}}
    assert payload.read(Leaf) == Leaf(Name("a"))
    assert build({"colour": None, "name": "a"}, Payload) == payload
