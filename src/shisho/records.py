"""Frozen dataclasses that are quick to define.

`dataclasses.dataclass(frozen=True, slots=True)` compiles six functions for each class. For the 390 classes of
one `shisho ask` that took a third of its processor time. Here only `__init__` is compiled, and the other five
are closures. The classes are dataclasses: `fields`, `replace`, `asdict`, `match` and pickles work.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(*, frozen: bool = False, slots: bool = False, eq: bool = True, **options: Any):
        """Decorate as `dataclasses.dataclass` does."""
        standard = dataclasses.dataclass(frozen=frozen, slots=slots, eq=eq, **options)
        if not (frozen and slots):
            return standard

        def decorate(cls: type) -> type:
            if any(dataclasses.is_dataclass(base) for base in cls.__mro__[1:]):
                return standard(cls)
            own = {"__repr__", "__eq__", "__hash__"} & cls.__dict__.keys()
            if "__eq__" in own and cls.__dict__["__hash__"] is None:  # set by Python, not by the class
                own.remove("__hash__")
            plain = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True, **options)
            made = plain(cls)
            methods = _make_methods(made, dataclasses.fields(made))
            for name, method in methods.items():
                if name not in own and (eq or name not in ("__eq__", "__hash__")):
                    setattr(made, name, method)
            made.__dataclass_params__.frozen = True  # so that frozen dataclasses can inherit from it
            return made

        return decorate


def _make_methods(cls: type, fields: tuple[Field[Any], ...]) -> dict[str, Callable[..., Any]]:
    names = [field.name for field in fields]
    shown = [field.name for field in fields if field.repr]
    get_compared = _make_getter([field.name for field in fields if field.compare])
    get_all = _make_getter(names)

    @recursive_repr()
    def describe(self: Any) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
        return f"{self.__class__.__qualname__}({values})"

    def compare(self: Any, other: object) -> bool:
        return (
            get_compared(self) == get_compared(other) if other.__class__ is self.__class__ else NotImplemented
        )

    def compute_hash(self: Any) -> int:
        return hash(get_compared(self))

    def refuse_setting(self: Any, name: str, value: object) -> None:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def refuse_deleting(self: Any, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def get_state(self: Any) -> tuple[Any, ...]:
        return get_all(self)

    def set_state(self: Any, state: tuple[Any, ...]) -> None:
        for name, value in zip(names, state, strict=True):
            object.__setattr__(self, name, value)

    return {
        "__init__": _compile_init(cls, fields),
        "__repr__": describe,
        "__eq__": compare,
        "__hash__": compute_hash,
        "__setattr__": refuse_setting,
        "__delattr__": refuse_deleting,
        "__getstate__": get_state,
        "__setstate__": set_state,
    }


def _make_getter(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """Return a function from an object to the tuple of these attributes."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda record: tuple(getattr(record, name) for name in names)


def _compile_init(cls: type, fields: tuple[Field[Any], ...]) -> Callable[..., None]:
    """Compile `__init__`. Raises SyntaxError if a field without a default follows one with a default."""
    values: dict[str, Any] = {"_set": object.__setattr__, "_MISSING": MISSING}
    positional = ["self"]
    named: list[str] = []
    body: list[str] = []
    for field in fields:
        parameter = value = field.name
        if field.default is not MISSING:
            values[f"_default_{field.name}"] = field.default
            parameter += f"=_default_{field.name}"
        elif field.default_factory is not MISSING:
            values[f"_make_{field.name}"] = field.default_factory
            parameter += "=_MISSING"
            value = f"_make_{field.name}() if {field.name} is _MISSING else {field.name}"
        (named if field.kw_only else positional).append(parameter)
        body.append(f" _set(self, {field.name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        body.append(" self.__post_init__()")
    parameters = [*positional, *(["*", *named] if named else [])]
    exec(f"def __init__({', '.join(parameters)}):\n" + "\n".join(body or [" pass"]), values)
    init: Callable[..., None] = values["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__annotations__ = {**{field.name: field.type for field in fields}, "return": None}
    return init
