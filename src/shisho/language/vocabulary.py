"""The words of a library: runs of kanji, katakana and Latin letters, with text counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from shisho.language.patterns import compile_lazily
from shisho.language.terms import fold

_RUN = compile_lazily(r"[一-鿿々〆ァ-ヺー・]{2,24}|[a-z][a-z'-]{3,30}")


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """A vocabulary, equal only to itself.

    `counts`: the number of texts that contain a run. `text`: all of the texts, folded, for searching.
    """

    counts: Mapping[str, int]
    text: str

    def has(self, writing: str) -> bool:
        """Return whether the library contains this spelling, alone or inside a longer word."""
        return writing in self.text


def read_vocabulary(texts: Iterable[str]) -> Vocabulary:
    """Collect the words of these texts; a word broken at the end of a line is whole."""
    folded = [_join_broken(fold(text)) for text in texts]
    counts = Counter(run for text in folded for run in set(_RUN.findall(text)))
    return Vocabulary(counts, "\n".join(folded))


_BREAK = compile_lazily(r"(?<=[^\x00-\x7f])\n(?=[^\x00-\x7f])")


def _join_broken(text: str) -> str:
    return _BREAK.sub("", text)
