"""Figures that a sentence works out: its written calculations are done again, exactly, from figures that are
known. Pure."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from operator import add, mul, sub, truediv

from shisho.language.numbers import (
    COUNTERS,
    FigurePlace,
    Figures,
    Measure,
    figure_places,
    figures,
    fold_figures,
)
from shisho.language.patterns import compile_lazily

_OPERATORS = str.maketrans("×x÷−–", "**/--")
FIRST_MARK = 0xE000  # private characters stand for the figures of a text
_MARK = compile_lazily(r"[\ue000-\uf8ff]")
_SIGN = "[-+×*x÷/−–]"
_EQUATION = compile_lazily(
    rf"(?<![-+×*÷/−–(])(?<!{_MARK.pattern}x)(?<!\)x)"
    rf"(\(*+{_MARK.pattern}(?:[()]*+{_SIGN}[()]*+{_MARK.pattern})*+[()]*+)=[()]*+{_MARK.pattern}"
)
_OPERATIONS: Mapping[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: add,
    ast.Sub: sub,
    ast.Mult: mul,
    ast.Div: truediv,
}
_SHARES = {"%": 100, "割": 10, "ppm": 1_000_000}
# Units of one kind, each in the smallest of them; shares as parts of a whole.
_KINDS: tuple[Mapping[str, int | Fraction], ...] = (
    {"秒": 1, "分": 60, "時間": 3_600, "日": 86_400, "週": 604_800},
    {"月": 1, "年": 12},
    {"mm": 1, "cm": 10, "m": 1_000, "km": 1_000_000},
    {"μg": 1, "mg": 1_000, "g": 1_000_000, "kg": 1_000_000_000, "t": 1_000_000_000_000},
    {"ml": 1, "l": 1_000, "m^3": 1_000_000},
    {"m^2": 1, "ha": 10_000, "km^2": 1_000_000},
    {unit: Fraction(1, parts) for unit, parts in _SHARES.items()},
)
_SCALES = {
    unit: (kind, Fraction(factor)) for kind, units in enumerate(_KINDS) for unit, factor in units.items()
}
MOST_TOKENS = 60
_DIGITS = 20  # a fraction that does not end within so many digits does not end


@dataclass(frozen=True, slots=True)
class Calculation:
    """A calculation as it is written."""

    text: str
    result: Measure
    is_right: bool


def work_out(sentence: str, known_text: str) -> tuple[Calculation, ...]:
    """Do the calculations of a sentence again. Operands are figures of the known text, results before them,
    and what follows from these by their units; a calculation with any other operand is left out: it proves
    nothing."""
    quoted_figures = figures(known_text)
    derived: list[Measure] = []
    calculations: list[Calculation] = []
    for text, expression, operands, result in _list_equations(fold_figures(sentence)):
        converts = _converts(operands[0], result)
        if not converts and not all(
            _is_known(figure, quoted_figures, derived, operands) for figure in operands
        ):
            continue
        try:
            is_right = converts or _is_right(expression, operands, result)
        except (ValueError, SyntaxError, ZeroDivisionError):
            continue
        calculations.append(Calculation(text, result, is_right))
        if is_right:
            derived.append(result)
    return tuple(calculations)


def convert(measure: Measure, unit: str) -> Fraction | None:
    """Its value in another unit of its kind; None where that is none."""
    if measure.unit == unit:
        return Fraction(measure.value)
    if measure.unit not in _SCALES or unit not in _SCALES or _SCALES[measure.unit][0] != _SCALES[unit][0]:
        return None
    return Fraction(measure.value) * _SCALES[measure.unit][1] / _SCALES[unit][1]


def _list_equations(plain: str) -> Iterator[tuple[str, str, list[Measure], Measure]]:
    """Yield the calculations of a legible text, `a × b = c = d` as two: as written, with a name of Python for
    each operand, the operands, and the result."""
    masked = _MARK.sub(" ", plain)
    measured: list[tuple[FigurePlace, Measure]] = []
    for place in reversed(figure_places(plain)):
        mark = "."
        if isinstance(place.figure, Measure):
            mark = chr(FIRST_MARK + len(measured))
            measured.append((place, place.figure))
        masked = f"{masked[: place.start]}{mark}{masked[place.end :]}"
    masked = "".join(masked.split())
    at = 0
    while match := _EQUATION.search(masked, at):
        at = match.end() - 1  # the result may begin the next one
        *operands, result = (measured[ord(mark) - FIRST_MARK] for mark in _MARK.findall(match[0]))
        if len(operands) <= MOST_TOKENS:
            start = operands[0][0].start
            for _ in range(len(match[0]) - len(match[0].lstrip("("))):
                start = plain.rfind("(", 0, start)
            text = plain[start : result[0].end]
            expression = _MARK.sub(" figure ", match[1]).translate(_OPERATORS)
            yield text, expression, [measure for _, measure in operands], result[1]


def _is_right(expression: str, operands: Sequence[Measure], result: Measure) -> bool:
    """Return whether a calculation comes out, with its figures as written or in the smallest units of their
    kinds. Raises SyntaxError, ValueError or ZeroDivisionError if it makes no sense."""
    surplus = expression.count("(") - expression.count(")")  # opening brackets of the words around it
    tree = ast.parse(expression.replace("(", "", max(0, surplus)).strip(), mode="eval")
    if any(measure.power for measure in operands):
        raise ValueError("powers")
    written = [Fraction(measure.value) for measure in operands]
    scaled = [value * _find_factor(measure) for value, measure in zip(written, operands, strict=True)]
    return _rounds(_compute(tree.body, iter(written)), result) or _rounds(
        _compute(tree.body, iter(scaled)) / _find_factor(result), result
    )


def _find_factor(measure: Measure) -> Fraction:
    """Return the factor that converts a measure to the base unit of its kind: 1/100 for a percentage."""
    return _SCALES[measure.unit][1] if measure.unit in _SCALES else Fraction(1)


def _compute(node: ast.expr, values: Iterator[Fraction]) -> Fraction:
    if isinstance(node, ast.Name):
        return next(values)
    if not isinstance(node, ast.BinOp):
        raise ValueError("no operation")
    first, other = _compute(node.left, values), _compute(node.right, values)
    return _OPERATIONS[type(node.op)](first, other)


def _rounds(exact: Fraction, result: Measure) -> bool:
    """Return whether the result is the exact value, or that value to the digits it has if it says so or can't
    be written in full."""
    exponent = int(result.value.as_tuple().exponent)
    is_endless = 10**_DIGITS % exact.denominator != 0
    difference = abs(exact - Fraction(result.value))
    if not result.rough and not (is_endless and exponent < 0):
        return difference == 0
    return difference * 2 <= Fraction(10) ** exponent


def _converts(measure: Measure, result: Measure) -> bool:
    """True where the result is this figure in another unit, whatever it was multiplied with."""
    return measure.unit != result.unit and convert(measure, result.unit) == Fraction(result.value)


def _is_known(
    figure: Measure, quoted_figures: Figures, derived: Sequence[Measure], operands: Sequence[Measure]
) -> bool:
    measures = (*quoted_figures.measures, *derived)
    if any(have.says(figure) for have in measures):
        return True
    if any(have.unit and convert(have, figure.unit) == Fraction(figure.value) for have in measures):
        return True
    if not figure.unit and any(_is_rate(figure.value, have) for have in measures):
        return True
    return _is_plain_number(figure, operands)


def _is_rate(value: Decimal, have: Measure) -> bool:
    """0.2 and 0.8 for 2割, 1.1 for 10% more."""
    if have.unit not in _SHARES:
        return False
    share = have.value / _SHARES[have.unit]
    return value in (share, 1 - share, 1 + share)


def _is_plain_number(figure: Measure, operands: Sequence[Measure]) -> bool:
    """1 and 100 belong to shares, and the number of all others to their mean."""
    if figure in (Measure(Decimal(1)), Measure(Decimal(100)), Measure(Decimal(100), "%")):
        return True
    return figure == operands[-1] and figure.unit in COUNTERS and figure.value == len(operands) - 1
