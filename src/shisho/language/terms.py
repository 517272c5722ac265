"""Text to index terms: Sudachi normalised forms and short units for Japanese, word and stem for English, character pairs
for what the dictionary does not know. Passages and queries go through the same pipeline."""

from __future__ import annotations

import re
import threading
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import snowballstemmer

MAX_BYTES = 40_000  # Sudachi raises above 49,149 bytes
CONTENT = frozenset({"名詞", "動詞", "形容詞", "形状詞", "接尾辞", "接頭辞", "副詞", "連体詞", "感動詞"})
_LATIN = re.compile(r"[a-z0-9][a-z0-9._+#'-]*", re.ASCII)
_PAIRABLE = re.compile(r"[一-鿿々〆ヶァ-ヺー]+")
_DROPPED = re.compile(r"[ぁ-んー]|[!-/:-@\[-`{-~]+|\W+")
_local = threading.local()


@dataclass(frozen=True, slots=True)
class Analysis:
    """Terms of a text: sentences on lines, terms separated by spaces; character pairs likewise in one line."""

    terms: str
    bigrams: str


def analyse(sentences: list[str]) -> Analysis:
    """Terms of a text given as sentences."""
    folded = [fold(sentence) for sentence in sentences]
    return Analysis("\n".join(" ".join(_terms(line)) for line in folded), " ".join(_pairs(" ".join(folded))))


def fold(text: str) -> str:
    """NFKC and case folding, the form in which terms are compared."""
    return unicodedata.normalize("NFKC", text).casefold()


def _tokenizer() -> Any:
    # Tokenizers are not thread-safe: one per thread.
    if not hasattr(_local, "tokenizer"):
        from sudachipy import Dictionary, SplitMode

        _local.tokenizer = Dictionary(dict="core").create(mode=SplitMode.C)
        _local.short = SplitMode.A
    return _local.tokenizer


def _terms(line: str) -> list[str]:
    found: list[str] = []
    for piece in _bounded(line):
        for token in _tokenizer().tokenize(piece):
            if token.part_of_speech()[0] not in CONTENT:
                continue
            units = token.split(_local.short)
            for unit in units:
                term = unit.normalized_form()
                if not _DROPPED.fullmatch(term):
                    found.append(_stem(term) if term.isascii() else term.replace(" ", "_"))
    return found


def _bounded(line: str) -> list[str]:
    if len(line.encode()) <= MAX_BYTES:
        return [line]
    return [line[at : at + 10_000] for at in range(0, len(line), 10_000)]


def _pairs(text: str) -> list[str]:
    return [run[at : at + 2] for run in _PAIRABLE.findall(text) for at in range(len(run) - 1)]


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    return str(_stemmer().stemWord(word))


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    return snowballstemmer.stemmer("english")
