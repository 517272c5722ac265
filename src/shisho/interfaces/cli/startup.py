"""Start quickly: an assistant waits for its server's first message, a person for every command."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin


@contextmanager
def hasten_imports() -> Iterator[None]:
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
