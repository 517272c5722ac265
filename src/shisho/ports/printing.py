"""Paper, as the librarian's answers need it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from shisho.domain.printing import PrintableAnswer


class Typesetter(Protocol):
    """Sets answers on pages."""

    def typeset(self, answer: PrintableAnswer) -> bytes:
        """A PDF in which numbers lead to quotations and links to the web. It blocks. Raises ExtraMissing
        where what sets type, or a font with the letters of the answer, is not there."""
