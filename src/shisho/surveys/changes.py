"""Changes from one document to another, sentence by sentence."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from shisho.language.terms import fold
from shisho.records import dataclass

WINDOW = 50  # old sentences that a new one is compared with, as each comparison is slow
ALIKE = 0.5  # share of common letters from which a removed and an added sentence are one changed sentence


@dataclass(frozen=True, slots=True)
class Change:
    """The index of a sentence in the old and in the new document; None if it is missing there."""

    old: int | None
    new: int | None


def compare_sentences(old: Sequence[str], new: Sequence[str]) -> tuple[list[Change], int]:
    """Return the changes in order and the number of unchanged sentences.

    White space and character width are ignored.
    """
    before = [" ".join(fold(text).split()) for text in old]
    after = [" ".join(fold(text).split()) for text in new]
    changes: list[Change] = []
    same = 0
    for kind, low, high, start, end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            same += high - low
        else:
            changes += _pair_sentences(before, after, range(low, high), range(start, end))
    return changes, same


def _pair_sentences(
    before: Sequence[str], after: Sequence[str], removed: range, added: range
) -> list[Change]:
    """Pair each new sentence with the first of the next old sentences that is similar."""
    rest = list(removed)
    changes = []
    for at in added:
        twin = next(
            (place for place in rest[:WINDOW] if _measure_likeness(before[place], after[at]) >= ALIKE), None
        )
        if twin is not None:
            skipped = rest[: rest.index(twin)]
            changes += [Change(place, None) for place in skipped]
            rest = rest[len(skipped) + 1 :]
        changes.append(Change(twin, at))
    return changes + [Change(place, None) for place in rest]


def _measure_likeness(first: str, second: str) -> float:
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= ALIKE else 0.0
