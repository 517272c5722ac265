"""Recompute the calculations that a sentence writes out, exactly, from known figures. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

from shisho.language import compile_lazily
from shisho.language.numbers import (
    COUNTERS,
    LocatedFigure,
    Measure,
    TextFigures,
    find_figures,
    fold_figures,
    locate_figures,
)
from shisho.records import dataclass

_OPERATORS = str.maketrans("×x÷−–", "**/--")
FIRST_MARK = 0xE000  # private characters stand for the figures of a text
_MARK = compile_lazily(r"[\ue000-\uf8ff]")
_SIGN = "[-+×*x÷/−–]"
_EQUATION = compile_lazily(
    rf"(?<![-+×*÷/−–(])(?<!{_MARK.pattern}x)(?<!\)x)"
    rf"(\(*+{_MARK.pattern}(?:[()]*+{_SIGN}[()]*+{_MARK.pattern})*+[()]*+)([=≒≈])[()]*+{_MARK.pattern}"
)
_DECIMAL = compile_lazily(r"(?<![\d,])\d[\d,]*+\.\d+")
_SHARES = {"%": 100, "割": 10, "ppm": 1_000_000}
# Units of one kind, each in the smallest of them.
_KINDS = (
    {"秒": 1, "分": 60, "時間": 3_600, "日": 86_400, "週": 604_800},
    {"月": 1, "年": 12},
    {"mm": 1, "cm": 10, "m": 1_000, "km": 1_000_000},
    {"μg": 1, "mg": 1_000, "g": 1_000_000, "kg": 1_000_000_000, "t": 1_000_000_000_000},
    {"ml": 1, "l": 1_000, "m^3": 1_000_000},
    {"m^2": 1, "ha": 10_000, "km^2": 1_000_000},
    {unit: 1_000_000 // parts for unit, parts in _SHARES.items()},
)
_SCALES = {unit: (kind, factor) for kind, units in enumerate(_KINDS) for unit, factor in units.items()}
PLAIN_NUMBERS = (Measure(Decimal(1)), Measure(Decimal(100)), Measure(Decimal(100), "%"))  # of shares
MAX_TOKENS = 60
MAX_ROUNDING = Fraction(1, 10)  # of a value that is rounded to tens or more: 5 is not about 10
_DIGITS = 20  # a fraction that does not end within so many digits does not end


@dataclass(frozen=True, slots=True)
class Calculation:
    """A calculation as it is written."""

    text: str
    result: Measure
    is_right: bool


@dataclass(frozen=True, slots=True)
class Quantity:
    """An intermediate value of a calculation. `units`: those that its result may have."""

    value: Fraction
    units: frozenset[str]


def work_out(sentence: str, known_text: str) -> tuple[Calculation, ...]:
    """Recompute the calculations of a sentence.

    Operands are figures of the known text, earlier results, and these in other units. A calculation with any
    other operand proves nothing and is left out.
    """
    quoted_figures = find_figures(known_text)
    derived: list[Measure] = []
    calculations: list[Calculation] = []
    for text, expression, operands, result, exponent in _list_equations(fold_figures(sentence)):
        converts = _is_converted(operands[0], result)
        needed = operands[:1] if converts else operands
        if not all(_is_known(figure, quoted_figures, derived, operands) for figure in needed):
            continue
        try:
            is_right = _has_result(_compute(expression, operands), result, exponent) or converts
        except (ValueError, SyntaxError, ZeroDivisionError):
            continue
        calculations.append(Calculation(text, result, is_right))
        if is_right:
            derived.append(result)
    return tuple(calculations)


def convert(measure: Measure, unit: str) -> Fraction | None:
    """Return the value in another unit of the same kind, or None if the unit is of another kind."""
    if measure.unit == unit:
        return Fraction(measure.value)
    if measure.unit not in _SCALES or unit not in _SCALES or _SCALES[measure.unit][0] != _SCALES[unit][0]:
        return None
    return Fraction(measure.value) * _SCALES[measure.unit][1] / _SCALES[unit][1]


def _list_equations(plain: str) -> Iterator[tuple[str, str, list[Measure], Measure, int]]:
    """Yield the calculations of a legible text; `a × b = c = d` is two.

    Each is its text, its expression with a Python name for each operand, the operands, the result, and the
    exponent of the last digit of the result.
    """
    masked = _MARK.sub(" ", plain)
    measured: list[tuple[LocatedFigure, Measure]] = []
    for place in reversed(locate_figures(plain)):
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
        if len(operands) <= MAX_TOKENS:
            start = operands[0][0].start
            for _ in range(len(match[0]) - len(match[0].lstrip("("))):
                start = plain.rfind("(", 0, start)
            place, measure = result
            exponent = _find_exponent(measure, plain[place.start : place.end])
            expression = _MARK.sub(" figure ", match[1]).translate(_OPERATORS)
            yield (
                plain[start : place.end],
                expression,
                [operand for _, operand in operands],
                replace(measure, rough=measure.rough or match[2] != "="),
                exponent,
            )


def _find_exponent(measure: Measure, written: str) -> int:
    """Return the exponent of the last digit of a figure; a written 94.0 is exact to the tenth."""
    decimal = _DECIMAL.search(written)
    zeros = 0
    if decimal:
        digits = decimal[0].replace(".", "")
        zeros = len(digits) - len(digits.rstrip("0") or "0")
    return int(measure.value.normalize().as_tuple().exponent) - zeros


def _compute(expression: str, operands: Sequence[Measure]) -> Quantity:
    """Compute by the usual precedence. Raises SyntaxError or ValueError if it makes no sense."""
    surplus = expression.count("(") - expression.count(")")  # opening brackets of the words around it
    tree = ast.parse(expression.replace("(", "", max(0, surplus)).strip(), mode="eval")
    return _compute_node(tree.body, iter(operands))


def _compute_node(node: ast.expr, operands: Iterator[Measure]) -> Quantity:
    if isinstance(node, ast.Name):
        measure = next(operands)
        if measure.power:
            raise ValueError("powers")
        return Quantity(Fraction(measure.value), frozenset({measure.unit} - {""}))
    if not isinstance(node, ast.BinOp):
        raise ValueError("no operation")
    first, other = _compute_node(node.left, operands), _compute_node(node.right, operands)
    if isinstance(node.op, ast.Add | ast.Sub):
        first, other = _convert_alike(first, other)
        value = first.value + other.value if isinstance(node.op, ast.Add) else first.value - other.value
        return Quantity(value, first.units | other.units)
    first, other = _make_factor(first), _make_factor(other)
    if isinstance(node.op, ast.Mult):
        return Quantity(first.value * other.value, first.units | other.units)
    return Quantity(first.value / other.value, first.units | other.units | {""})


def _convert_alike(first: Quantity, other: Quantity) -> tuple[Quantity, Quantity]:
    """Return two values that may be added: the second in the unit of the first.

    1 next to a percentage is 100 %.

    Raises:
        ValueError: The units are of different kinds.
    """
    units = first.units - {""}
    other_units = other.units - {""}
    if units == other_units or not units or not other_units:
        if _is_share(first) != _is_share(other):
            return _make_factor(first), _make_factor(other)
        return first, other
    if len(units) == len(other_units) == 1:
        (unit,) = units
        (other_unit,) = other_units
        value = convert(Measure(Decimal(1), other_unit), unit)
        if value is not None:
            return first, Quantity(other.value * value, first.units)
    raise ValueError("units")


def _is_share(quantity: Quantity) -> bool:
    return bool(quantity.units & _SHARES.keys())


def _make_factor(quantity: Quantity) -> Quantity:
    """Return a share as a plain factor: 20% as 0.2."""
    for unit in quantity.units & _SHARES.keys():
        return Quantity(quantity.value / _SHARES[unit], quantity.units - _SHARES.keys())
    return quantity


def _has_result(quantity: Quantity, result: Measure, exponent: int) -> bool:
    units = quantity.units - {""}
    factors = [convert(Measure(Decimal(1), unit), result.unit) for unit in units]
    fits = {quantity.value, *(quantity.value * factor for factor in factors if factor is not None)}
    if result.unit in _SHARES and not _is_share(quantity):
        fits.add(quantity.value * _SHARES[result.unit])
    is_unit = not units or not result.unit or result.unit in _SHARES
    is_ratio = "" in quantity.units and result.unit in COUNTERS
    if not (is_unit or is_ratio or any(factor is not None for factor in factors)):
        return False
    return any(exact == Fraction(result.value) or _is_rounded(exact, result, exponent) for exact in fits)


def _is_rounded(exact: Fraction, result: Measure, exponent: int) -> bool:
    """Return whether the result is the exact value rounded to its digits, and says so or can't be exact."""
    is_endless = 10**_DIGITS % exact.denominator != 0
    if not result.rough and not (is_endless and exponent < 0):
        return False
    error = abs(exact - Fraction(result.value))
    if exponent > 0 and error > MAX_ROUNDING * abs(exact):
        return False
    return error * 2 <= Fraction(10) ** exponent


def _is_converted(measure: Measure, result: Measure) -> bool:
    """Return whether the result is this figure in another unit."""
    return measure.unit != result.unit and convert(measure, result.unit) == Fraction(result.value)


def _is_known(
    figure: Measure, quoted_figures: TextFigures, derived: Sequence[Measure], operands: Sequence[Measure]
) -> bool:
    measures = (*quoted_figures.measures, *derived)
    if any(have.can_support(figure) for have in measures):
        return True
    if any(have.unit and convert(have, figure.unit) == Fraction(figure.value) for have in measures):
        return True
    if not figure.unit and any(_is_rate(figure.value, have) for have in measures):
        return True
    return _is_plain_number(figure, operands)


def _is_rate(value: Decimal, have: Measure) -> bool:
    """Return whether the value is a rate of a share: 0.2 and 0.8 of 2割, 1.1 of 10% more."""
    if have.unit not in _SHARES:
        return False
    share = have.value / _SHARES[have.unit]
    return value in (share, 1 - share, 1 + share)


def _is_plain_number(figure: Measure, operands: Sequence[Measure]) -> bool:
    """Return whether the figure needs no source: 1 and 100 of shares, and the number of values in a mean."""
    if figure in PLAIN_NUMBERS:
        return True
    return figure == operands[-1] and figure.unit in COUNTERS and figure.value == len(operands) - 1
