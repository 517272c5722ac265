"""Figures that a sentence works out: its written calculations are done again, exactly, from figures that are
known. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from itertools import combinations

from shisho.language.numbers import COUNTERS, Date, Figures, Measure, figure_places, figures, fold_figures

_OPERATORS = {"+": "+", "-": "-", "×": "*", "*": "*", "x": "*", "÷": "/", "−": "-", "–": "-"}
_GAP = re.compile(r"\s*+((?:[()][()\s]*+)?)([-+×*x÷−–=])\s*+((?:[()][()\s]*+)?)$|\s*+$")
_OPENING = re.compile(r"[(\s]*$")
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
MOST_TOKENS = 60
_DIGITS = 20  # a fraction that does not end within so many digits does not end


@dataclass(frozen=True, slots=True)
class Calculation:
    """A calculation as it is written, or written out for a sentence that only gives its result."""

    text: str
    result: Measure
    is_right: bool


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value on its way through a calculation. `units`: those that its result may have."""

    value: Fraction
    units: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Written:
    """`figures` with `marks` before each of them; the last figure is the result."""

    text: str
    marks: tuple[str, ...]
    figures: tuple[Measure, ...]


def work_out(sentence: str, known_text: str) -> tuple[Calculation, ...]:
    """The calculations of a sentence. Operands are figures of the known text, results before them, and what
    follows from these by their units; a calculation with any other operand is left out: it proves nothing."""
    quoted_figures = figures(known_text)
    derived: list[Measure] = []
    calculations: list[Calculation] = []
    for written in _written(fold_figures(sentence)):
        *operands, result = written.figures
        strangers = [
            figure for figure in operands if not _is_known(figure, quoted_figures, derived, operands)
        ]
        if strangers and not _converts(operands[0], result):
            continue
        try:
            is_right = _gives(_Reader(written).read(), result) or _converts(operands[0], result)
        except (ValueError, ZeroDivisionError):
            continue
        calculations.append(Calculation(written.text, result, is_right))
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


def _written(plain: str) -> Iterable[_Written]:
    """The calculations of a legible text, `a × b = c = d` as two."""
    chain: list[tuple[int, int, Measure]] = []
    gaps: list[str] = []
    for place in [*figure_places(plain), None]:
        gap = _GAP.match(plain[chain[-1][1] : place.start]) if place and chain else None
        is_linked = gap is not None and gap[2] is not None
        if place is not None and isinstance(place.figure, Measure) and is_linked and gap is not None:
            gaps.append(f"{gap[1] or ''}{gap[2]}{gap[3] or ''}")
            chain.append((place.start, place.end, place.figure))
            continue
        yield from _equations(plain, chain, gaps)
        is_number = place is not None and isinstance(place.figure, Measure)
        chain = [(place.start, place.end, place.figure)] if is_number else []  # type: ignore[union-attr,list-item]
        gaps = []


def _equations(
    plain: str, chain: Sequence[tuple[int, int, Measure]], gaps: Sequence[str]
) -> Iterable[_Written]:
    first = 0
    for place, gap in enumerate(gaps):
        if "=" not in gap:
            continue
        opening = _OPENING.search(plain, 0, chain[first][0]) if first == 0 else None
        before = opening[0].strip() if opening else ""
        marks = (before, *gaps[first:place], gap)
        start = chain[first][0] - len(before)
        figures_ = tuple(measure for _, _, measure in chain[first : place + 2])
        if len(figures_) <= MOST_TOKENS:
            yield _Written(plain[start : chain[place + 1][1]], marks, figures_)
        first = place + 1


class _Reader:
    """Reads one calculation by the usual precedence. Raises ValueError where it has no sense."""

    def __init__(self, written: _Written) -> None:
        self._tokens: list[str | Measure] = []
        for mark, figure in zip(written.marks, written.figures, strict=True):
            signs = mark.replace(" ", "").split("=")[0]
            self._tokens += list(signs)
            if "=" in mark:
                break
            self._tokens.append(figure)
        missing = self._tokens.count("(") - self._tokens.count(")")
        if missing < 0:
            raise ValueError("brackets")
        for _ in range(missing):  # an opening bracket of the words around it
            self._tokens.remove("(")
        self._at = 0

    def read(self) -> Quantity:
        quantity = self._sum()
        if self._at != len(self._tokens):
            raise ValueError("tokens left")
        return quantity

    def _sum(self) -> Quantity:
        total = self._product()
        while self._next() in ("+", "-"):
            sign = self._take()
            other = self._product()
            total, other = _alike(total, other)
            value = total.value + other.value if sign == "+" else total.value - other.value
            total = Quantity(value, total.units | other.units)
        return total

    def _product(self) -> Quantity:
        quantity = self._part()
        while self._next() in ("*", "/"):
            sign = self._take()
            first = _as_factor(quantity)
            other = _as_factor(self._part())
            if sign == "*":
                quantity = Quantity(first.value * other.value, first.units | other.units)
            else:
                quantity = Quantity(first.value / other.value, first.units | other.units | {""})
        return quantity

    def _part(self) -> Quantity:
        token = self._take()
        if isinstance(token, Measure):
            if token.power:
                raise ValueError("powers")
            return Quantity(Fraction(token.value), frozenset({token.unit} - {""}))
        if token != "(":
            raise ValueError("sign")
        quantity = self._sum()
        if self._take() != ")":
            raise ValueError("brackets")
        return quantity

    def _next(self) -> str | None:
        token = self._tokens[self._at] if self._at < len(self._tokens) else None
        return _OPERATORS.get(token, token) if isinstance(token, str) else None

    def _take(self) -> str | Measure:
        if self._at >= len(self._tokens):
            raise ValueError("end")
        token = self._tokens[self._at]
        self._at += 1
        return _OPERATORS.get(token, token) if isinstance(token, str) else token


def _alike(first: Quantity, other: Quantity) -> tuple[Quantity, Quantity]:
    """Two that may be added: the second in the unit of the first, 1 beside a share as all of it."""
    units = first.units - {""}
    other_units = other.units - {""}
    if units == other_units or not units or not other_units:
        if _is_share(first) != _is_share(other):
            return _as_factor(first), _as_factor(other)
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


def _as_factor(quantity: Quantity) -> Quantity:
    """20% as 0.2."""
    for unit in quantity.units & _SHARES.keys():
        return Quantity(quantity.value / _SHARES[unit], quantity.units - _SHARES.keys())
    return quantity


def _gives(quantity: Quantity, result: Measure) -> bool:
    value = Fraction(result.value)
    fits = {quantity.value}
    if result.unit in _SHARES and not _is_share(quantity):
        fits.add(quantity.value * _SHARES[result.unit])
    units = quantity.units - {""}
    is_unit = result.unit in units or not units or not result.unit or result.unit in _SHARES
    is_ratio = "" in quantity.units and result.unit in COUNTERS
    converted = [convert(Measure(Decimal(1), unit), result.unit) for unit in units if len(units) == 1]
    fits |= {quantity.value * factor for factor in converted if factor is not None}
    if not (is_unit or is_ratio or any(factor is not None for factor in converted)):
        return False
    return value in fits or any(_rounds(exact, result) for exact in fits)


def _rounds(exact: Fraction, result: Measure) -> bool:
    """True where the result is the exact value to the digits it has, and says so, or cannot be written in
    full."""
    exponent = int(result.value.as_tuple().exponent)
    is_endless = 10**_DIGITS % exact.denominator != 0
    if not result.rough and not (is_endless and exponent < 0):
        return False
    return abs(exact - Fraction(result.value)) * 2 <= Fraction(10) ** exponent


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
    if figure.unit in ("", "日", "泊") and figure.value in _days_between(quoted_figures.dates):
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


def _days_between(dates: Sequence[Date]) -> set[Decimal]:
    days = []
    for day in dates:
        if day.year and day.month and day.day:
            try:
                days.append(date(day.year, day.month, day.day))
            except ValueError:  # 2023-02-30
                continue
    return {Decimal(abs((first - other).days)) for first, other in combinations(days[:MOST_TOKENS], 2)}
