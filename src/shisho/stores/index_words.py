"""Words as an index of numbers knows them: 32 bits of a hash each, so that the index holds no text."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping

from shisho.language.vectors import term_code
from shisho.stores.index_feed import DocumentWords
from shisho.stores.proposals import HEADING, Word

PAIR = "\v"  # before a pair of characters, which is another word than the term of the same letters
CODE = "I"
assert array(CODE).itemsize == 4


def word_code(word: Word) -> int:
    """The number of a word. Two words of ten million share one once in four hundred times; our scoring, which
    reads the words themselves, ranks what is proposed."""
    field, text = word
    return int.from_bytes(term_code(text if field == "terms" else PAIR + text), "little")


def count_codes(terms: str, heading_terms: str, bigrams: str) -> tuple[Counter[int], Counter[int]]:
    """How often each term of a passage stands in it, one of the heading several times over; and each pair."""
    counted = Counter(word_code(("terms", term)) for term in terms.split())
    for term in heading_terms.split():
        counted[word_code(("terms", term))] += HEADING
    return counted, Counter(word_code(("bigrams", pair)) for pair in bigrams.split())


def pack_words(words: Mapping[int, int]) -> bytes:
    """Codes and their numbers, 8 bytes a word."""
    return array(CODE, [part for pair in sorted(words.items()) for part in pair]).tobytes()


def differences_of(
    before: Iterable[tuple[int, bytes]], after: Iterable[DocumentWords | None]
) -> list[tuple[int, int, int]]:
    """Of the words of documents as they were packed, by corpus, and as they are: each corpus, word, and in
    how many passages more or less it stands there; in order, so that two who count them wait for each other
    and do not lock each other out."""
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
    """Read what `pack_words` packed."""
    numbers = array(CODE, packed)
    return dict(zip(numbers[::2], numbers[1::2], strict=True))
