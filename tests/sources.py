"""The modules of a package for tests that read the code itself: each is read and parsed once in a process."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path


def list_modules(root: Path) -> Iterator[tuple[str, str]]:
    """Yield the path below the root and the text of each module."""
    for path in sorted(root.rglob("*.py")):
        yield path.relative_to(root).as_posix(), read_module(path)


def read_module(path: Path) -> str:
    return _read(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=2_000)
def _read(path: Path, changed: int) -> str:
    """Return the text of a file as it was when it was `changed`."""
    return path.read_text("utf-8")


@lru_cache(maxsize=2_000)
def parse_module(text: str) -> ast.Module:
    return ast.parse(text)


@lru_cache(maxsize=2_000)
def list_nodes(module: ast.Module) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(module))
