"""The headings above a block, tracked while a document is read from top to bottom."""

from __future__ import annotations

from shisho.corpus.layout import label_heading


class Headings:
    """The open headings, outermost first."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    @property
    def path(self) -> tuple[str, ...]:
        return tuple(text for _, text in self._open)

    def open(self, text: str, level: int) -> tuple[str, ...]:
        """Open a heading, closing those of its level and below. Return the path above it."""
        self.close(level)
        above = self.path
        self._open.append((level, label_heading(text)))
        return above

    def close(self, level: int) -> None:
        """Close the headings of this level and below."""
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
