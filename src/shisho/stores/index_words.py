"""Words as 32-bit hashes, for indexes that must not contain text."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from shisho.language.vectors import TERM_BYTES, term_code
from shisho.stores.index_feed import DocumentWords
from shisho.stores.proposals import HEADING, Word

PAIR = "\v"  # before a pair of characters, which must differ from a term with the same letters
CODE = "I"
assert array(CODE).itemsize == 4


def word_code(word: Word) -> int:
    """Return the code of a word.

    A word shares its code with one of ten million others once in four hundred times; our scoring, which reads
    the words themselves, ranks the candidates.
    """
    field, text = word
    return int.from_bytes(term_code(text if field == "terms" else PAIR + text), "little")


def count_codes(terms: bytes, heading: bytes, pairs: str) -> tuple[Counter[int], Counter[int]]:
    """Count the terms and the pairs of a passage by code; terms of the heading have a higher weight.

    `terms` and `heading` are those of `language.vectors.term_codes`.
    """
    counted = Counter(_list_codes(terms))
    for code in _list_codes(heading):
        counted[code] += HEADING
    return counted, Counter(word_code(("bigrams", pair)) for pair in pairs.split())


def _list_codes(codes: bytes) -> Iterator[int]:
    """Yield codes in order, without line ends."""
    numbers = (
        int.from_bytes(codes[at : at + TERM_BYTES], "little") for at in range(0, len(codes), TERM_BYTES)
    )
    return (number for number in numbers if number)


def pack_words(words: Mapping[int, int]) -> bytes:
    """Pack codes and counts into 8 bytes per word."""
    return array(CODE, [part for pair in sorted(words.items()) for part in pair]).tobytes()


def differences_of(
    before: Iterable[tuple[int, bytes]], after: Iterable[DocumentWords | None]
) -> list[tuple[int, int, int]]:
    """Return the changes of counts, from packed words before and words now, by corpus.

    Each change has the corpus, the word, and the difference in its number of passages. They are sorted, so
    that concurrent updates wait for each other without a deadlock.
    """
    differences: Counter[tuple[int, int]] = Counter()
    for corpus, packed in before:
        for code, count in unpack_words(packed).items():
            differences[corpus, code] -= count
    for words in after:
        if words is not None:
            for code, count in words.passages.items():
                differences[words.corpus, code] += count
    return sorted((*word, count) for word, count in differences.items() if count)


def unpack_words(packed: bytes) -> dict[int, int]:
    """Unpack the result of `pack_words`."""
    numbers = array(CODE, packed)
    return dict(zip(numbers[::2], numbers[1::2], strict=True))
