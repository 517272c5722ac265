"""A text as the codes that a searcher weighs it by. They are made once, when a passage is taken in, so that a
search compares numbers and reads no text."""

from __future__ import annotations

import hashlib
from functools import lru_cache

from shisho.language.terms import squeeze

TERM_BYTES = 4  # a word of the passages of a search passes for a term of its query once in 100,000 searches
CHARACTER_BYTES = 2
LINE_END = bytes(TERM_BYTES)


def term_codes(terms: str) -> bytes:
    """Index terms, one sentence a line, as 4 bytes each in their order; a line's end is 4 zero bytes."""
    words = terms.replace("\n", " \n ").split(" ")
    return b"".join(map(term_code, filter(None, words)))


@lru_cache(maxsize=50_000)
def term_code(term: str) -> bytes:
    """32 bits of the hash of a term."""
    if term == "\n":
        return LINE_END
    return hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=TERM_BYTES).digest()


def character_codes(text: str) -> bytes:
    """The characters of a text without white space, width and case kept apart as `squeeze` does, in
    UTF-16."""
    return squeeze(text).encode("utf-16-le", "surrogatepass")


def word_count(words: str) -> int:
    """How many words there are: one space or line feed stands between two."""
    return words.count(" ") + words.count("\n") + 1 if words else 0
