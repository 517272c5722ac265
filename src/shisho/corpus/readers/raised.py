"""Super- and subscripts of markup as characters: 10<sup>2</sup> must not become 102."""

from __future__ import annotations

_RAISED = str.maketrans("0123456789+-−=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ")
_LOWERED = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")


def write_raised(text: str) -> str:
    return _translate_letters(text, _RAISED, "^")


def write_lowered(text: str) -> str:
    return _translate_letters(text, _LOWERED, "_")


def write_placed(text: str, place: str | None) -> str:
    """Return the text of a run by its position in an office file.

    `superscript`, `subscript`, or on the line.
    """
    if place == "superscript":
        return write_raised(text)
    return write_lowered(text) if place == "subscript" else text


def _translate_letters(text: str, table: dict[int, int], mark: str) -> str:
    """Return the letters raised or lowered.

    White space around the letters stays on the line: a run of an office file may contain some.
    """
    letters = text.strip()
    if not letters:
        return text
    is_covered = all(ord(char) in table for char in letters)
    return text.replace(letters, letters.translate(table) if is_covered else f"{mark}{letters}", 1)
