"""The typesetter of printed answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from shisho.domain.printing import PrintableAnswer


class Typesetter(Protocol):
    """A renderer of answers to PDF."""

    def typeset(self, answer: PrintableAnswer) -> bytes:
        """Return a PDF whose numbers link to quotations and whose links lead to the web. Blocks.

        Raises: ExtraMissing if the typesetting engine, or a font with the answer's letters, is missing.
        """
