"""A text as the codes that a searcher weighs it by. They are made once, when a passage is taken in, so that a
search compares numbers and reads no text."""

from __future__ import annotations

import hashlib

TERM_BYTES = 4  # a word of the passages of a search passes for a term of its query once in 100,000 searches
CHARACTER_BYTES = 2
LINE_END = bytes(TERM_BYTES)
RECENT = 50_000  # terms whose codes are at hand


class _Codes(dict[str, bytes]):
    """Codes by their terms, made when they are asked for: a hit costs no call, as one of `lru_cache` does."""

    def __missing__(self, term: str) -> bytes:
        if len(self) >= RECENT:
            self.clear()
        own = hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=TERM_BYTES).digest()
        code = LINE_END if term == "\n" else own
        self[term] = code
        return code


_codes = _Codes()


def term_codes(terms: str) -> bytes:
    """Index terms, one sentence a line, as 4 bytes each in their order; a line's end is 4 zero bytes."""
    words = terms.replace("\n", " \n ").split(" ")
    return b"".join(map(_codes.__getitem__, filter(None, words)))


def term_code(term: str) -> bytes:
    """32 bits of the hash of a term."""
    return _codes[term]


def character_codes(text: str) -> bytes:
    """The characters of a text without white space, width and case kept apart as `squeeze` does, in
    UTF-16."""
    from shisho.language.terms import squeeze  # here, as every library is opened with the code of a vector

    return squeeze(text).encode("utf-16-le", "surrogatepass")


def word_count(words: str) -> int:
    """How many words there are: one space or line feed stands between two."""
    return words.count(" ") + words.count("\n") + 1 if words else 0
