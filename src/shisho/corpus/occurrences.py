"""How often terms and runs of characters stand in each of many passages: arrays of codes, one passage after
the other with a zero between two, looked through once for everything that is sought."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shisho.language.vectors import CHARACTER_BYTES, TERM_BYTES, term_code

Whole = NDArray[np.int64]
"""Whole numbers: places in an array of codes, or counts."""

Codes = NDArray[np.unsignedinteger[Any]]

RUNS_AT_ONCE = 250  # so many runs have 1,000 different characters at most, which bounds the tables below
AT_ONCE = 8_192
GAP = 4  # zeros after the last passage: whoever looks so far ahead finds nothing there
_ALL_CODES = 1 << 16


class JoinedTerms:
    """`vectors.term_codes` of some passages."""

    def __init__(self, passages: Sequence[bytes]) -> None:
        self._codes = np.frombuffer(bytes(TERM_BYTES).join((*passages, b"")), f"<u{TERM_BYTES}")
        self._ends = _ends(passages, TERM_BYTES)

    @cached_property
    def _line_ends(self) -> Whole:
        return np.flatnonzero(self._codes == 0)

    @cached_property
    def line_starts(self) -> Whole:
        """The first line of each passage, lines being counted over all passages."""
        return np.searchsorted(self._line_ends, np.concatenate([np.zeros(1, np.int64), self._ends[:-1]]))

    @cached_property
    def line_holders(self) -> Whole:
        """The passage of each line."""
        sizes = np.diff(self.line_starts, append=len(self._line_ends))
        return np.repeat(np.arange(len(sizes)), sizes)

    def count(self, terms: Sequence[str]) -> Whole:
        """How often each term stands in each line: a row a term. No term is named twice."""
        places, which = self._find(terms)
        lines = len(self._line_ends)
        keys = which * lines + np.searchsorted(self._line_ends, places)
        return np.bincount(keys, minlength=len(terms) * lines).reshape(-1, lines)

    def over_passages(self, lines: Whole) -> Whole:
        """What is counted by lines, by passages."""
        sums: Whole = np.add.reduceat(lines, self.line_starts, axis=1)
        return sums

    def holders_of(self, terms: Sequence[str]) -> Whole:
        """The passages in which all of these terms follow one another in one line."""
        sought = np.frombuffer(b"".join(map(term_code, terms)), f"<u{TERM_BYTES}")
        return np.unique(np.searchsorted(self._ends, _sequences(self._codes, sought), side="right"))

    def _find(self, terms: Sequence[str]) -> tuple[Whole, Whole]:
        """Where the terms stand, and which of them it is."""
        sought = np.array([int.from_bytes(term_code(term), "little") for term in terms], np.uint32)
        table = np.zeros(_ALL_CODES, np.bool_)
        table[sought.astype(np.uint16)] = True
        places = np.flatnonzero(_taken(table, self._codes.astype(np.uint16)))
        if not len(places):
            return places, places
        order = np.argsort(sought)
        at = np.searchsorted(sought[order], self._codes[places])
        which = order[np.minimum(at, len(order) - 1)]
        hits = sought[which] == self._codes[places]
        return places[hits], which[hits]


class JoinedCharacters:
    """`vectors.character_codes` of some passages."""

    def __init__(self, passages: Sequence[bytes]) -> None:
        gap = bytes(CHARACTER_BYTES)
        self._codes = np.frombuffer(gap.join((*passages, gap * GAP)), "<u2")
        self._size = len(passages)
        ends = _ends(passages, CHARACTER_BYTES)
        own = np.arange(len(ends), dtype=np.min_scalar_type(len(ends)))
        self._holders = np.repeat(own, np.diff(ends, prepend=0))

    def count(self, runs: Sequence[str]) -> Whole:
        """How often each run of characters stands in each passage, as `str.count` counts it: a row a run. No
        run is named twice."""
        batches = [
            self._counted(runs[first : first + RUNS_AT_ONCE]) for first in range(0, len(runs), RUNS_AT_ONCE)
        ]
        return np.concatenate([np.zeros((0, self._size), np.int64), *batches])

    def _counted(self, runs: Sequence[str]) -> Whole:
        by_length: dict[int, list[tuple[int, ...]]] = {}
        rows: dict[int, list[int]] = {}
        for row, run in enumerate(runs):
            units = tuple(memoryview(run.encode("utf-16-le", "surrogatepass")).cast("H"))
            by_length.setdefault(len(units), []).append(units)
            rows.setdefault(len(units), []).append(row)
        counts = np.zeros((len(runs), self._size), np.int64)
        table = _RunTable(self._codes, *(by_length.pop(size, []) for size in (1, 2, 4)))
        for size, find in ((1, table.singles), (2, table.doubles), (4, table.quads)):
            if size in rows:
                counts[rows[size]] = self._by_passage(*find(), len(rows[size]))
        for size, others in by_length.items():
            for row, units in zip(rows[size], others, strict=True):
                places = _sequences(self._codes, np.array(units, np.uint16))
                counts[row] = self._by_passage(places, np.zeros_like(places), 1)
        return counts

    def _by_passage(self, places: Whole, which: Whole, count: int) -> Whole:
        keys = which * self._size + self._holders[places]
        return np.bincount(keys, minlength=count * self._size).reshape(count, self._size)


Units = tuple[int, ...]
"""A run of characters in UTF-16."""
Occurrences = tuple[Whole, Whole]
"""Where the runs of one length stand, and which of them it is."""


class _RunTable:
    """Numbers for all characters that are sought, then for the pairs of them that are: at every place the
    number of what begins there, 0 for nothing. What is counted itself has the lowest numbers, from 1 on; a run
    of four is found by its two halves."""

    def __init__(
        self, codes: Codes, singles: Sequence[Units], doubles: Sequence[Units], quads: Sequence[Units]
    ) -> None:
        self._singles = len(singles)
        self._doubles = doubles
        characters = _numbers((*singles, *((unit,) for run in (*doubles, *quads) for unit in run)))
        pairs = _numbers((*doubles, *(half for run in quads for half in (run[:2], run[2:]))))
        self._halves = [(pairs[run[:2]], pairs[run[2:]]) for run in quads]
        self._base = len(pairs) + 1
        base = len(characters) + 1
        coded = {characters[first,] * base + characters[second,]: at for (first, second), at in pairs.items()}
        self._ones = _looked_up(codes, {unit: at for (unit,), at in characters.items()}, _ALL_CODES)
        self._twos = _looked_up(_joined(self._ones[:-1], self._ones[1:], base), coded, base**2)

    def singles(self) -> Occurrences:
        return _below(self._ones, self._singles)

    def doubles(self) -> Occurrences:
        """A run of two equal characters does not overlap itself: 々々 stands in 々々々 once."""
        places, which = _below(self._twos, len(self._doubles))
        kept = np.ones(len(places), np.bool_)
        for at, (first, second) in enumerate(self._doubles):
            if first == second:
                own = np.flatnonzero(which == at)
                kept[own] = _apart(places[own])
        return places[kept], which[kept]

    def quads(self) -> Occurrences:
        coded = {first * self._base + second: at for at, (first, second) in enumerate(self._halves, 1)}
        joined = _joined(self._twos[:-2], self._twos[2:], self._base)
        return _below(_looked_up(joined, coded, self._base**2), len(self._halves))


def _numbers(runs: Iterable[Units]) -> dict[Units, int]:
    return {run: at for at, run in enumerate(dict.fromkeys(runs), 1)}


def _looked_up(codes: Codes, numbers: Mapping[int, int], size: int) -> NDArray[np.uint16]:
    """The number of each code, all of which are below `size`."""
    table = np.zeros(size, np.uint16)
    table[list(numbers)] = list(numbers.values())
    return _taken(table, codes)


def _taken(table: NDArray[Any], codes: Codes) -> NDArray[Any]:
    """`table[codes]`, some at a time: numpy makes places of 8 bytes from all of them first, and what takes more
    than 128 kB is asked of the system anew each time, which costs more than the look."""
    taken = np.empty(len(codes), table.dtype)
    for start in range(0, len(codes), AT_ONCE):
        taken[start : start + AT_ONCE] = table[codes[start : start + AT_ONCE]]
    return taken


def _joined(first: NDArray[np.uint16], second: NDArray[np.uint16], base: int) -> Codes:
    """Two numbers below `base` in one."""
    small = base * base <= _ALL_CODES
    return first * np.uint16(base) + second if small else first * np.uint32(base) + second


def _below(numbers: NDArray[np.uint16], count: int) -> Occurrences:
    """The places of the numbers from 1 to `count`, each less one."""
    which = numbers - np.uint16(1)  # 0 becomes the highest number
    places = np.flatnonzero(which < count)
    return places, which[places].astype(np.int64)


def _apart(places: Whole) -> list[bool]:
    """Whether a run of two that begins there begins after the end of the one before it."""
    free = 0
    kept = []
    for place in places.tolist():
        kept.append(place >= free)
        free = place + 2 if place >= free else free
    return kept


def _sequences(codes: NDArray[np.generic], sought: NDArray[np.generic]) -> Whole:
    """Where all of these codes follow one another."""
    if not len(sought) or len(sought) > len(codes):
        return np.zeros(0, np.int64)
    places = np.flatnonzero(codes[: len(codes) - len(sought) + 1] == sought[0])
    for step in range(1, len(sought)):
        places = places[codes[places + step] == sought[step]]
    return places


def _ends(passages: Sequence[bytes], width: int) -> Whole:
    """Where each passage ends, the zero after it counted."""
    return np.cumsum(np.fromiter(map(len, passages), np.int64, len(passages)) // width + 1)
