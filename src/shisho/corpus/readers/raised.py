"""Super- and subscripts that only markup tells, written as characters: 10<sup>2</sup> must not become 102."""

from __future__ import annotations

_RAISED = str.maketrans("0123456789+-−=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ")
_LOWERED = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")


def write_raised(text: str) -> str:
    return _written(text, _RAISED, "^")


def write_lowered(text: str) -> str:
    return _written(text, _LOWERED, "_")


def _written(text: str, table: dict[int, int], mark: str) -> str:
    if not text.strip():
        return text
    if all(ord(char) in table for char in text):
        return text.translate(table)
    return f"{mark}{text}"
