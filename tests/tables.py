"""Tables of examples for pure functions, each as one test."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any


def each_row(
    names: str | tuple[str, ...], rows: Iterable[Any]
) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """Call a test with each row of a table, and show every row that failed.

    `pytest.mark.parametrize` makes each row a test, which costs more than most rules that a table is for: use
    it for rows with fixtures, marks, or work of their own.
    """
    columns = [name.strip() for name in names.split(",")] if isinstance(names, str) else [*names]
    table = [(row,) if len(columns) == 1 else (*row,) for row in rows]
    assert table, "a table without rows tests nothing"

    def decorate(test: Callable[..., None]) -> Callable[[], None]:
        @functools.wraps(test)
        def run() -> None:
            failed = []
            for row in table:
                try:
                    test(**dict(zip(columns, row, strict=True)))
                except Exception as error:
                    error.add_note(f"row: {row!r}")
                    failed.append(error)
            if failed:
                raise ExceptionGroup(f"{len(failed)} of {len(table)} rows", failed)

        run.__signature__ = inspect.Signature()  # type: ignore[attr-defined]
        return run

    return decorate
