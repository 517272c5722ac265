"""Starting quickly: an assistant waits for its server to say the first word."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import BaseModel


@contextmanager
def hasten_imports() -> Iterator[None]:
    """Make imports cheaper meanwhile. Pydantic models are built when they are first used: the SDK
    defines hundreds and a server uses a few dozen. Nothing is garbage yet, so that nothing is looked
    through for it."""
    gc.disable()
    BaseModel.model_config["defer_build"] = True
    try:
        yield
    finally:
        del BaseModel.model_config["defer_build"]
        gc.freeze()
        gc.enable()
