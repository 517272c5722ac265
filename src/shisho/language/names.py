"""Names in a text: proper nouns of the dictionary, katakana runs, capitalised Latin words."""

from __future__ import annotations

from functools import lru_cache
from itertools import chain

from shisho.language import terms
from shisho.language.patterns import compile_lazily

_KATAKANA = compile_lazily(r"[ァ-ヺー]{3,}(?:[・=＝][ァ-ヺー]+)*")
_LATIN = compile_lazily(r"(?<![A-Za-z0-9])[A-Z][A-Za-z]*[0-9]*(?:[.&'-][A-Za-z0-9]+)*")
_JAPANESE = compile_lazily(r"[ぁ-んァ-ヺ一-鿿々]")


@lru_cache(maxsize=2_000)
def names(text: str) -> frozenset[str]:
    """Return the names in a text, folded and without white space.

    The capitalised first word of a sentence may be one of them.
    """
    plain = terms.squeeze(text) if _JAPANESE.search(text) else text
    words = {*_KATAKANA.findall(plain), *_find_proper_nouns(plain)}
    words.update(
        word for word in _LATIN.findall(plain) if len(word) > 1 and word.casefold() not in terms.ENGLISH_STOP
    )
    return frozenset("".join(terms.fold(name).split()) for name in words)


def _find_proper_nouns(text: str) -> list[str]:
    if not _JAPANESE.search(text):
        return []
    tokenizer = terms.tokenizer()
    pieces = (text[at : at + terms.PIECE_CHARS] for at in range(0, len(text), terms.PIECE_CHARS))
    tokens = chain.from_iterable(tokenizer.tokenize(piece) for piece in pieces)
    surfaces = (token.surface() for token in tokens if token.part_of_speech()[1] == "固有名詞")
    return [surface for surface in surfaces if len(surface) > 1 and not surface.isascii()]
