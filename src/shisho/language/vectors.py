"""Texts as codes for scoring. They are computed once, during ingest.

A search then compares numbers and reads no text.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable

TERM_BYTES = 4  # a word of a search's passages collides with a term of its query in one of 100,000 searches
CHARACTER_BYTES = 2
LINE_END = bytes(TERM_BYTES)
RECENT = 50_000  # terms whose codes are cached


class _Codes(dict[str, bytes]):
    """A cache of codes by term. A hit costs no call, unlike one of `lru_cache`."""

    def __missing__(self, term: str) -> bytes:
        if len(self) >= RECENT:
            self.clear()
        own = hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=TERM_BYTES).digest()
        code = LINE_END if term == "\n" else own
        self[term] = code
        return code


_codes = _Codes()


def encode_terms(terms: str) -> bytes:
    """Return index terms, one sentence per line, as 4 bytes each, in order.

    A line end is 4 zero bytes.
    """
    words = terms.replace("\n", " \n ").split(" ")
    return b"".join(map(_codes.__getitem__, filter(None, words)))


def encode_term(term: str) -> bytes:
    """Return 32 bits of the hash of a term."""
    return _codes[term]


def find_terms(terms: Iterable[str], codes: bytes) -> set[str]:
    """Return the terms that occur in the result of `encode_terms`."""
    present = {*memoryview(codes).cast("I")}
    return {term for term in terms if int.from_bytes(encode_term(term), sys.byteorder) in present}


def encode_characters(text: str) -> bytes:
    """Return the characters of a text in UTF-16, without white space.

    Width and case are folded as by `squeeze`.
    """
    from shisho.language.terms import squeeze  # here: opening any library loads this module

    return squeeze(text).encode("utf-16-le", "surrogatepass")


def count_words(words: str) -> int:
    """Return the number of words, separated by one space or line feed."""
    return words.count(" ") + words.count("\n") + 1 if words else 0
