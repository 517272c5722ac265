"""Starting quickly: an assistant waits for its server to say the first word, a person for every command."""

from __future__ import annotations

import dataclasses
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain
from types import UnionType
from typing import Annotated, Any, NoReturn, Union, get_args, get_origin

OURS = "shisho."
PLAIN = {"frozen": True, "slots": True}
# Methods that are compiled together, and the options by which Python makes no others.
COMPILED = {
    ("__init__",): {"frozen": True, "repr": False, "eq": False},
    ("__repr__",): {"init": False, "eq": False},
    ("__eq__", "__hash__"): {"init": False, "repr": False, "unsafe_hash": True},
}
METHODS = frozenset(chain.from_iterable(COMPILED))

_make = dataclasses.dataclass


@contextmanager
def hasten_imports() -> Iterator[None]:
    """Make imports cheaper meanwhile. Pydantic models, and adapters of unions of them, are built when they
    are first used: the SDK defines hundreds and a server uses a few dozen. Nothing is garbage yet, so that
    nothing is looked through for it."""
    from pydantic import BaseModel, TypeAdapter

    make = TypeAdapter.__init__

    def defer(
        self: Any, type: Any, *, config: Any = None, _parent_depth: int = 2, module: Any = None
    ) -> None:
        if config is None and _is_union(type):
            config = {"defer_build": True}
        make(self, type, config=config, _parent_depth=_parent_depth + 1, module=module)

    gc.disable()
    BaseModel.model_config["defer_build"] = True
    TypeAdapter.__init__ = defer  # type: ignore[method-assign]
    try:
        yield
    finally:
        TypeAdapter.__init__ = make  # type: ignore[method-assign]
        del BaseModel.model_config["defer_build"]
        gc.freeze()
        gc.enable()


def _is_union(kind: Any) -> bool:
    plain_kind = get_args(kind)[0] if get_origin(kind) is Annotated else kind
    return get_origin(plain_kind) in (Union, UnionType)


def hasten_records() -> None:
    """From now on compile the methods of our frozen dataclasses when they are first called. Python compiles
    six for each, half a millisecond a class; most are never called. What they do stays what Python makes of
    them."""
    dataclasses.dataclass = _dataclass


def _dataclass(cls: type | None = None, /, **options: Any) -> Any:
    def wrap(cls: type) -> type:
        is_plain = cls.__bases__ == (object,) and bool(cls.__doc__) and vars(cls).keys().isdisjoint(METHODS)
        return make_record(cls) if is_plain and cls.__module__.startswith(OURS) else _make(cls, **options)

    if options != PLAIN:
        return _make(cls, **options)
    return wrap if cls is None else wrap(cls)


def make_record(original: type) -> type:
    """What `dataclass(frozen=True, slots=True)` makes of a class that has a docstring and inherits from
    none, but for the time when its methods are compiled."""
    names = dict(vars(original), __qualname__=original.__qualname__)
    del names["__dict__"], names["__weakref__"]
    cls: Any = _make(original, slots=True, init=False, repr=False, eq=False)
    for option in ("init", "repr", "eq", "frozen"):
        setattr(cls.__dataclass_params__, option, True)

    def compile_methods(together: tuple[str, ...]) -> None:
        twin: type = _make(type(original.__name__, (), dict(names)), **COMPILED[together])
        for name in together:
            setattr(cls, name, vars(twin)[name])

    for together in COMPILED:
        for name in together:
            setattr(cls, name, _compiled_first(cls, name, partial(compile_methods, together)))
    cls.__setattr__ = _refuse_to_set
    cls.__delattr__ = _refuse_to_delete
    cls.__getstate__ = _Frozen.__getstate__
    cls.__setstate__ = _Frozen.__setstate__  # type: ignore[attr-defined]
    return cls  # type: ignore[no-any-return]


def _compiled_first(cls: type, name: str, compile_methods: Callable[[], None]) -> Callable[..., Any]:
    def call(*arguments: Any, **named: Any) -> Any:
        compile_methods()
        return getattr(cls, name)(*arguments, **named)

    return call


def _refuse_to_set(record: Any, name: str, value: Any) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(record: Any, name: str) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


@_make(frozen=True, slots=True)
class _Frozen:
    """The source of how such a class is copied and pickled, which is alike in all."""
