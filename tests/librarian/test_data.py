"""The data of the librarian can't be changed once it is made, so that rooms and threads may share it."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import is_dataclass
from functools import cached_property
from typing import Any

from shisho import librarian

GROWING = {"_Trace"}  # collects the steps of one run and is never shared


def list_classes() -> Iterator[type[Any]]:
    for found in pkgutil.walk_packages(librarian.__path__, "shisho.librarian."):
        for value in vars(importlib.import_module(found.name)).values():
            if isinstance(value, type) and is_dataclass(value) and value.__module__ == found.name:
                yield value


def test_every_class_of_data_is_frozen() -> None:
    classes = list(list_classes())
    assert len(classes) > 50
    loose = {each.__name__ for each in classes if not each.__dict__["__dataclass_params__"].frozen}
    assert loose == GROWING


def test_nothing_can_be_added_to_data() -> None:
    """Only what is computed once and kept needs a place of its own."""
    for each in list_classes():
        keeps = any(isinstance(value, cached_property) for value in vars(each).values())
        assert keeps != ("__slots__" in vars(each)), each
