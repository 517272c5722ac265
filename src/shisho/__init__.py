"""Shisho: a research librarian you run yourself. `async with shisho.open() as desk: await desk.ask("…")`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shisho.bootstrap.desk import open_desk as open

__version__ = "0.1.0"
__all__ = ["__version__", "open"]


def __getattr__(name: str) -> Any:
    """`shisho.open` is found on first use, so that `import shisho` stays free of heavy imports."""
    if name == "open":
        from shisho.bootstrap.desk import open_desk

        return open_desk
    raise AttributeError(f"module 'shisho' has no attribute {name!r}")
