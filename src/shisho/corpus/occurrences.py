"""Counts of terms and character runs in many passages.

The passages are one array of codes, separated by zeros, which is scanned once for all searched items.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shisho.language.vectors import CHARACTER_BYTES, TERM_BYTES, encode_term

Integers = NDArray[np.int64]
"""Integers: offsets in an array of codes, or counts."""

Codes = NDArray[np.unsignedinteger[Any]]

RUNS_AT_ONCE = 250  # this many runs have at most 1,000 different characters, which bounds the tables below
GAP = 4  # zeros after the last passage, for reading ahead
_ALL_CODES = 1 << 16


class JoinedTerms:
    """The joined `vectors.encode_terms` of some passages."""

    def __init__(self, passages: Sequence[bytes]) -> None:
        self._codes = np.frombuffer(bytes(TERM_BYTES).join((*passages, b"")), f"<u{TERM_BYTES}")
        self._ends = _find_ends(passages, TERM_BYTES)

    @cached_property
    def _line_ends(self) -> Integers:
        return np.flatnonzero(self._codes == 0)

    @cached_property
    def line_starts(self) -> Integers:
        """The first line of each passage; lines are counted over all passages."""
        return np.searchsorted(self._line_ends, np.concatenate([np.zeros(1, np.int64), self._ends[:-1]]))

    @cached_property
    def line_holders(self) -> Integers:
        """The passage of each line."""
        sizes = np.diff(self.line_starts, append=len(self._line_ends))
        return np.repeat(np.arange(len(sizes)), sizes)

    def count(self, terms: Sequence[str]) -> Integers:
        """Return how often each term occurs in each line, one row per term. Terms must be distinct."""
        places, which = self._find(np.frombuffer(b"".join(map(encode_term, terms)), f"<u{TERM_BYTES}"))
        lines = len(self._line_ends)
        keys = which * lines + np.searchsorted(self._line_ends, places)
        return np.bincount(keys, minlength=len(terms) * lines).reshape(-1, lines)

    def add_up_by_passage(self, lines: Integers) -> Integers:
        """Return counts by passage from counts by line."""
        sums: Integers = np.add.reduceat(lines, self.line_starts, axis=1)
        return sums

    def list_codes(self, passages: Sequence[int]) -> Codes:
        """Return the distinct codes of the terms of these passages, in order."""
        starts = np.concatenate([np.zeros(1, np.int64), self._ends])
        slices = [self._codes[starts[at] : starts[at + 1]] for at in passages]
        codes = np.unique(np.concatenate([self._codes[:0], *slices]))
        return codes[codes > 0]

    def count_codes(self, codes: Codes) -> Integers:
        """Return how often each code occurs in each passage, one row per code.

        Codes must be distinct.
        """
        places, which = self._find(codes)
        passages = len(self._ends)
        keys = which * passages + np.searchsorted(self._ends, places, side="right")
        return np.bincount(keys, minlength=len(codes) * passages).reshape(-1, passages)

    def find_passages(self, terms: Sequence[str]) -> Integers:
        """Return the passages that contain all of these terms in sequence in one line."""
        sought = np.frombuffer(b"".join(map(encode_term, terms)), f"<u{TERM_BYTES}")
        return np.unique(np.searchsorted(self._ends, _find_sequences(self._codes, sought), side="right"))

    def _find(self, sought: Codes) -> tuple[Integers, Integers]:
        """Return the offsets of the codes, and for each the index of its code."""
        table = np.zeros(_ALL_CODES, np.bool_)
        table[sought.astype(np.uint16)] = True
        places = np.flatnonzero(table.take(self._codes.astype(np.uint16)))
        if not len(places):
            return places, places
        order = np.argsort(sought)
        at = np.searchsorted(sought[order], self._codes[places])
        which = order[np.minimum(at, len(order) - 1)]
        hits = sought[which] == self._codes[places]
        return places[hits], which[hits]


class JoinedCharacters:
    """The joined `vectors.encode_characters` of some passages."""

    def __init__(self, passages: Sequence[bytes]) -> None:
        gap = bytes(CHARACTER_BYTES)
        self._codes = np.frombuffer(gap.join((*passages, gap * GAP)), "<u2")
        self._size = len(passages)
        ends = _find_ends(passages, CHARACTER_BYTES)
        own = np.arange(len(ends), dtype=np.min_scalar_type(len(ends)))
        self._holders = np.repeat(own, np.diff(ends, prepend=0))

    def count(self, runs: Sequence[str]) -> Integers:
        """Return how often each run of characters occurs in each passage, one row per run.

        Counts are those of `str.count`. Runs must be distinct.
        """
        batches = [
            self._count_runs(runs[first : first + RUNS_AT_ONCE])
            for first in range(0, len(runs), RUNS_AT_ONCE)
        ]
        return np.concatenate([np.zeros((0, self._size), np.int64), *batches])

    def _count_runs(self, runs: Sequence[str]) -> Integers:
        by_length: dict[int, list[tuple[int, ...]]] = {}
        rows: dict[int, list[int]] = {}
        for row, run in enumerate(runs):
            units = tuple(memoryview(run.encode("utf-16-le", "surrogatepass")).cast("H"))
            by_length.setdefault(len(units), []).append(units)
            rows.setdefault(len(units), []).append(row)
        counts = np.zeros((len(runs), self._size), np.int64)
        table = _RunTable(self._codes, *(by_length.pop(size, []) for size in (1, 2, 4)))
        for size, find in (
            (1, table.find_character_places),
            (2, table.find_pair_places),
            (4, table.find_quads),
        ):
            if size in rows:
                counts[rows[size]] = self._count_by_passage(*find(), len(rows[size]))
        for size, others in by_length.items():
            for row, units in zip(rows[size], others, strict=True):
                places = _find_sequences(self._codes, np.array(units, np.uint16))
                counts[row] = self._count_by_passage(places, np.zeros_like(places), 1)
        return counts

    def _count_by_passage(self, places: Integers, which: NDArray[Any], count: int) -> Integers:
        rows = np.arange(0, count * self._size, self._size)
        keys = rows.take(which) + self._holders.take(places)
        return np.bincount(keys, minlength=count * self._size).reshape(count, self._size)


Units = tuple[int, ...]
"""A run of characters in UTF-16."""
Occurrences = tuple[Integers, NDArray[Any]]
"""The offsets of the runs of one length, and for each the index of its run."""


class _RunTable:
    """Numbers for all searched characters, then for the searched pairs of them.

    Counted items have the lowest numbers, from 1 on; a run of four is found by its two halves. All characters
    are scanned once; after that, only places with a searched character.
    """

    def __init__(
        self, codes: Codes, singles: Sequence[Units], doubles: Sequence[Units], quads: Sequence[Units]
    ) -> None:
        self._length = len(codes)
        self._singles = len(singles)
        self._doubles = doubles
        characters = _number_units((*singles, *((unit,) for run in (*doubles, *quads) for unit in run)))
        pairs = _number_units((*doubles, *(half for run in quads for half in (run[:2], run[2:]))))
        self._halves = [(pairs[run[:2]], pairs[run[2:]]) for run in quads]
        self._pair_base = len(pairs) + 1
        base = len(characters) + 1
        numbers = _make_table({unit: at for (unit,), at in characters.items()}, _ALL_CODES).take(codes)
        self._places = _find_nonzero(numbers)
        self._ones = numbers.take(self._places)
        coded = {characters[first,] * base + characters[second,]: at for (first, second), at in pairs.items()}
        follows = numbers.take(self._places + 1)
        self._pair_places, self._twos = _join_places(self._places, self._ones, follows, base, coded)

    def find_character_places(self) -> Occurrences:
        return _select_numbers(self._places, self._ones, self._singles)

    def find_pair_places(self) -> Occurrences:
        """Return the pairs' places. Equal characters do not overlap: 々々 is in 々々々 once."""
        places, which = _select_numbers(self._pair_places, self._twos, len(self._doubles))
        kept = np.ones(len(places), np.bool_)
        for at, (first, second) in enumerate(self._doubles):
            if first == second:
                own = np.flatnonzero(which == at)
                kept[own] = _find_separate_runs(places[own])
        return places[kept], which[kept]

    def find_quads(self) -> Occurrences:
        base = self._pair_base
        coded = {first * base + second: at for at, (first, second) in enumerate(self._halves, 1)}
        numbers = np.zeros(self._length, self._twos.dtype)
        numbers[self._pair_places] = self._twos
        follows = numbers.take(self._pair_places + 2)
        places, which = _join_places(self._pair_places, self._twos, follows, base, coded)
        return places, which - which.dtype.type(1)


def _number_units(runs: Iterable[Units]) -> dict[Units, int]:
    return {run: at for at, run in enumerate(dict.fromkeys(runs), 1)}


def _make_table(numbers: Mapping[int, int], size: int) -> NDArray[Any]:
    """Return the number of each code below `size`, 0 for codes without one.

    The type is as narrow as the numbers allow, since looking up every character of the passages is most of
    the work.
    """
    table = np.zeros(size, np.min_scalar_type(len(numbers)))
    table[list(numbers)] = list(numbers.values())
    return table


def _join_places(
    places: Integers, first: Codes, second: Codes, base: int, numbers: Mapping[int, int]
) -> Occurrences:
    """Return the places followed by a second number, with the number of the pair.

    Both numbers are below `base`; pairs without a number are dropped.
    """
    wide = np.min_scalar_type(base**2)
    both = _make_table(numbers, base**2).take(first.astype(wide) * base + second)
    present = _find_nonzero(both)
    return places.take(present), both.take(present)


def _select_numbers(places: Integers, numbers: NDArray[Any], count: int) -> Occurrences:
    """Return the places of the numbers from 1 to `count`, and the numbers minus one."""
    present = np.flatnonzero(numbers <= count)
    return places.take(present), numbers.take(present) - numbers.dtype.type(1)


def _find_nonzero(numbers: NDArray[Any]) -> Integers:
    """Return `np.flatnonzero`, which is six times as fast on booleans."""
    return np.flatnonzero(numbers != 0)


def _find_separate_runs(places: Integers) -> list[bool]:
    """Return for each run of two whether it starts after the end of the previous one."""
    free = 0
    kept = []
    for place in places.tolist():
        kept.append(place >= free)
        free = place + 2 if place >= free else free
    return kept


def _find_sequences(codes: NDArray[np.generic], sought: NDArray[np.generic]) -> Integers:
    """Return the offsets of all of these codes in sequence."""
    if not len(sought) or len(sought) > len(codes):
        return np.zeros(0, np.int64)
    places = np.flatnonzero(codes[: len(codes) - len(sought) + 1] == sought[0])
    for step in range(1, len(sought)):
        places = places[codes[places + step] == sought[step]]
    return places


def _find_ends(passages: Sequence[bytes], width: int) -> Integers:
    """Return the end of each passage, including its separator."""
    return np.cumsum(np.fromiter(map(len, passages), np.int64, len(passages)) // width + 1)
