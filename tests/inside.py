"""The parts inside an open library, for tests that check what is stored."""

from __future__ import annotations

from shisho.bootstrap.parts import PartBuilder
from shisho.services import Library


def builder_of(library: Library) -> PartBuilder:
    builder = library._builder
    assert isinstance(builder, PartBuilder)
    return builder
