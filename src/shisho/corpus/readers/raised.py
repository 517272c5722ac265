"""Super- and subscripts that only markup tells, written as characters: 10<sup>2</sup> must not become 102."""

from __future__ import annotations

from typing import Any

MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"

_RAISED = str.maketrans("0123456789+-−=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ")
_LOWERED = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")


def write_raised(text: str) -> str:
    return _written(text, _RAISED, "^")


def write_lowered(text: str) -> str:
    return _written(text, _LOWERED, "_")


def formula(element: Any) -> str:
    """The letters of a formula of an office file (OMML), its super- and subscripts as such."""
    parts = []
    for letters in element.iter(f"{MATH}t"):
        above = [outer.tag for outer in letters.iterancestors() if outer.tag in (f"{MATH}sup", f"{MATH}sub")]
        write = {f"{MATH}sup": write_raised, f"{MATH}sub": write_lowered}[above[0]] if above else str
        parts.append(write(letters.text or ""))
    return "".join(parts)


def _written(text: str, table: dict[int, int], mark: str) -> str:
    """White space around the letters is on the line: a run of an office file may hold some."""
    letters = text.strip()
    if not letters:
        return text
    is_covered = all(ord(char) in table for char in letters)
    return text.replace(letters, letters.translate(table) if is_covered else f"{mark}{letters}", 1)
