"""Reference terms: GiNZA's lemmas of content words, 200 to 400 times slower than `split_terms`.

Needs the extra `ginza`. Without it every function here raises ImportError, which the caller explains to the
user.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import Any

from shisho.language import compile_lazily
from shisho.language.terms import (
    PIECE_CHARS,
    TERM_CHARS,
    Analysis,
    TermQuery,
    analyse_with,
    build_query,
    fold,
)

CONTENT = frozenset({"NOUN", "VERB", "ADJ", "PROPN", "NUM"})
# A single kana has no meaning, and ASCII symbols have less.
_DROPPED = compile_lazily(r"[ぁ-んー]|[!-/:-@\[-`{-~]+|\W+")
_local = threading.local()


def load() -> Any:
    """Return the pipeline of this thread (its tokenizer is not thread-safe).

    Raises:
        ImportError: GiNZA is not installed.
    """
    if not hasattr(_local, "pipeline"):
        import ja_ginza

        _local.pipeline = ja_ginza.load(exclude=["parser", "ner"])
    return _local.pipeline


def analyse(sentences: Sequence[str]) -> Analysis:
    """Analyse like `terms.analyse`: the same shape, other terms."""
    return analyse_with(sentences, split_terms)


def query(texts: Sequence[str]) -> TermQuery:
    """Build a query like `terms.make_query`."""
    return build_query(texts, split_terms)


def split_terms(line: str) -> list[str]:
    """Return the lemmas of the content words of one folded sentence, in order."""
    pipeline = load()
    pieces = (line[at : at + PIECE_CHARS] for at in range(0, len(line), PIECE_CHARS))
    return [lemma for piece in pieces for lemma in _list_lemmas(pipeline(piece))]


def _list_lemmas(tokens: Iterable[Any]) -> Iterable[str]:
    for token in tokens:
        lemma = fold(token.lemma_).replace(" ", "_")[:TERM_CHARS]
        if token.pos_ in CONTENT and not token.is_stop and not _DROPPED.fullmatch(lemma):
            yield lemma
