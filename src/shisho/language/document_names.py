"""The short names and definitions of a document, with keys for looking them up. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from shisho.language import compile_lazily, terms
from shisho.language.definitions import find_definitions
from shisho.language.normalise import fold_text
from shisho.language.sentences import split_sentences
from shisho.language.short_names import ShortName, find_short_names

_KATAKANA = compile_lazily(r"[ァ-ヺー]{3,}(?:[・=＝][ァ-ヺー]+)*")
_LATIN = compile_lazily(r"(?<![A-Za-z0-9])[A-Z][A-Za-z]*[0-9]*(?:[.&'-][A-Za-z0-9]+)*")
_JAPANESE = compile_lazily(r"[ぁ-んァ-ヺ一-鿿々]")


@lru_cache(maxsize=2_000)
def find_names(text: str) -> frozenset[str]:
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
    tokenizer = terms.get_tokenizer()
    pieces = (text[at : at + terms.PIECE_CHARS] for at in range(0, len(text), terms.PIECE_CHARS))
    tokens = chain.from_iterable(tokenizer.tokenize(piece) for piece in pieces)
    surfaces = (token.surface() for token in tokens if token.part_of_speech()[1] == "固有名詞")
    return [surface for surface in surfaces if len(surface) > 1 and not surface.isascii()]


MAX_KEY_TERMS = 12
MAX_PAIRS = 500  # per document: a longer list of names is not a text that people ask about
UNDER = " › "  # between the headings of a path
# Index terms that only ask for a meaning, and name nothing.
_ASKING_TERMS = frozenset(
    (
        *("mean", "meant", "defin", "definit", "explain", "describ", "call", "term", "exact", "tell"),
        *("意味", "定義", "説明", "指す", "用語", "言葉", "意義"),
    )
)
ReadTerms = Callable[[str], Iterable[str]]  # a folded name to its index terms


class SplitPassage(NamedTuple):
    """A passage prepared for reading names.

    Its id, its path of headings, its text and the offset of that in the document, the spans and folded texts
    of its sentences, and whether it is prose, a list or rows.
    """

    id: str
    heading: str
    text: str
    start: int
    spans: Sequence[tuple[int, int]]
    folded: Sequence[str]
    is_prose: bool


def split_passage(id_: str, heading: str, text: str, start: int, is_prose: bool) -> SplitPassage:
    """Return a passage with its sentences found and folded.

    In the folded view 決定⏎係数 is one word; offsets and text remain those of the original.
    """
    spans = split_sentences(text)
    return SplitPassage(id_, heading, text, start, spans, [fold_text(text[a:b]) for a, b in spans], is_prose)


def find_links(
    passages: Sequence[SplitPassage], title: str, aliases: Iterable[str], read: ReadTerms
) -> Iterator[tuple[str, str, str, str]]:
    """Yield both directions of each short name and alias.

    A direction is a key, its name, the other key and the other name. A short name that is a part of the long
    one is skipped, because the long one contains it anyway.
    """
    prose = (sentence for passage in passages if passage.is_prose for sentence in passage.folded)
    pairs = [*find_short_names(prose), *(ShortName(alias, fold_text(title)) for alias in aliases)][:MAX_PAIRS]
    for short, long in {(pair.short, pair.long): None for pair in pairs}:
        short_key = make_key(read(fold_text(short)))
        long_key = make_key(read(long))
        if short_key and long_key and f" {short_key} " not in f" {long_key} ":
            yield short_key, short, long_key, long
            yield long_key, long, short_key, short


def find_marks(
    passages: Sequence[SplitPassage], read: ReadTerms
) -> Iterator[tuple[str, str, int, int, bool]]:
    """Yield the definitions in consecutive passages.

    Each has its key, the id of the passage, the span of the sentence in the document, and whether it states
    the definition.
    """
    heading = None
    for passage in passages:
        if not passage.is_prose:
            continue
        path = fold_text(passage.heading).split(UNDER)
        is_first = passage.heading != heading
        heading = passage.heading
        for definition in find_definitions(
            passage.text, passage.spans, passage.folded, path, is_first=is_first
        ):
            start, end = passage.spans[definition.sentence]
            if key := make_key(read(definition.name)):
                yield key, passage.id, passage.start + start, passage.start + end, definition.is_stated


def make_key(terms: Iterable[str]) -> str:
    """Return the key of a name from its index terms; empty if it would be too long."""
    words = [*dict.fromkeys(terms)]
    return " ".join(words) if len(words) <= MAX_KEY_TERMS else ""


def make_question_key(terms: Iterable[str]) -> str:
    """Return the key of the only thing that a question asks about, without asking terms."""
    words = [*dict.fromkeys(terms)]
    return make_key([word for word in words if word not in _ASKING_TERMS] or words)


def list_keys(terms: Sequence[str]) -> list[str]:
    """Return the keys of all names that a row of terms may contain."""
    keys: dict[str, None] = {}
    for at in range(len(terms)):
        words: dict[str, None] = {}
        for term in terms[at : at + MAX_KEY_TERMS]:
            words[term] = None
            keys[" ".join(words)] = None
    return [*keys]
