"""Start quickly: an assistant waits for its server's first message, a person for every command."""

from __future__ import annotations

import copy
import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import typer
from typer.main import get_command_name


@contextmanager
def accelerate_imports() -> Iterator[None]:
    """Make imports cheaper while entered.

    Pydantic models and their union adapters are built at first use: the SDK defines hundreds, and a server
    uses a few dozen. The garbage collector is off, as there is no garbage yet.
    """
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


OPTIONS_WITH_VALUE = ("--home", "--language")  # options before a command that take the next word


def keep_named(app: typer.Typer, words: Sequence[str]) -> typer.Typer:
    """Return the shell with only the command or group that these words name, if any."""
    name = _find_name(words)
    commands = [
        command
        for command in app.registered_commands
        if command.callback is not None
        and name == (command.name or get_command_name(command.callback.__name__))
    ]
    groups = [group for group in app.registered_groups if group.name == name]
    if not commands and not groups:
        return app
    kept = copy.copy(app)
    kept.registered_commands = commands
    kept.registered_groups = groups
    return kept


def _find_name(words: Sequence[str]) -> str:
    remaining = iter(words)
    for word in remaining:
        if word in OPTIONS_WITH_VALUE:
            next(remaining, None)
        elif not word.startswith("-"):
            return word
    return ""
