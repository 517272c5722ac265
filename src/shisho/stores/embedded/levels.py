"""SQL functions for the scripts that rename stored answer levels and compress stored steps."""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import sha256

import apsw

from shisho.stores.step_content import pack_step

NEW_NAMES = {"near": "related", "not_found": "nothing"}
# A level is followed by the next key of a goal's status, a draft or an answer, unlike metadata of documents.
_OLD_LEVEL = re.compile(r'("level": ?)"(near|not_found)"(?=, ?"(?:met|missing|loop_stop)":)')


def rename_levels(text: str) -> str:
    """Rename the levels in our JSON."""
    return _OLD_LEVEL.sub(lambda found: f'{found[1]}"{NEW_NAMES[found[2]]}"', text)


def hash_input(node: str, input_: str) -> str:
    """Return the hash of a step's input, as run records store it."""
    return sha256(f'["{node}",{input_}]'.encode()).hexdigest()


def compress_step(output: str) -> bytes:
    """Return the stored content of a step with this output."""
    return pack_step(output, (), lambda slices: [])


FUNCTIONS: dict[str, tuple[Callable[..., str | bytes], int]] = {
    "compress_step": (compress_step, 1),
    "rename_levels": (rename_levels, 1),
    "hash_input": (hash_input, 2),
}


def register(connection: apsw.Connection) -> None:
    """Register the functions, for schema scripts."""
    for name, (function, arguments) in FUNCTIONS.items():
        connection.create_scalar_function(name, function, arguments, deterministic=True)
