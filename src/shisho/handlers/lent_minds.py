"""Minds that are lent for one question, as long as who lends them waits for its answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shisho.librarian.mind import Mind


class LentMinds:
    """The minds lent in this process, by owner and question: a question is lent one before its run has an id."""

    def __init__(self) -> None:
        self._minds: dict[tuple[str, str], list[Mind]] = {}

    @contextmanager
    def lend(self, owner: str, question: str, mind: Mind) -> Iterator[None]:
        """While it is entered, runs of this question think with this mind."""
        key = (owner, " ".join(question.split()))
        minds = self._minds.setdefault(key, [])
        minds.append(mind)
        try:
            yield
        finally:
            minds.remove(mind)
            if not minds:
                self._minds.pop(key, None)

    def find(self, owner: str, question: str) -> Mind | None:
        """The one lent last; None where there is none."""
        minds = self._minds.get((owner, " ".join(question.split())))
        return minds[-1] if minds else None
