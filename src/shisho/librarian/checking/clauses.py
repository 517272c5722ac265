"""Read the clauses of a text, with their words and figures in order. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from shisho.language.numbers import Date, Measure, figure_places, fold_figures, kanji_number
from shisho.language.patterns import compile_lazily
from shisho.language.sentences import sentences
from shisho.language.terms import fold, terms
from shisho.language.weights import LIGHT, word_set

Figure = Date | Measure
MAX_CLAUSES = 60  # of one text

_BORDER = compile_lazily(
    r"[。；;：！？、\n]+|(?<=[点人個本枚台回件円社校名冊匹頭%％歳])と(?![いし])|，(?!\d)|(?<![,:.!?])[,:.!?]++(?=\s|$)|\b(?:and|but|while|whereas|although|though)\b"
)
_NUMBER = compile_lazily(r"[\d.,]+|[〇一二三四五六七八九十百千万億兆]+")
_PARAGRAPH = compile_lazily(r"^[(（]?\d{1,2}[)）.]? (?=\D)")
_NUMBERED = compile_lazily(r"第 ?([0-9]{1,4}|[一二三四五六七八九十]{1,4})")
# Words that other checks cover, that name a source, or that only join.
COVERED = LIGHT | word_set(
    "限る 必要 可能 付く 中 項 条 号 良い 資料 文書 手元 定める 出来る 義務 一方 例えば document accord overal need must may"
)


@dataclass(frozen=True, slots=True)
class Token:
    """An index term, or a figure and how it is written."""

    term: str
    figure: Figure | None = None
    surface: str = ""


@dataclass(frozen=True)
class Clause:
    """A clause of the sentence of this number, folded, with its tokens."""

    text: str
    tokens: tuple[Token, ...]
    sentence: int

    @cached_property
    def words(self) -> tuple[str, ...]:
        return tuple(token.term for token in self.tokens if token.figure is None)

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        return tuple(token.figure for token in self.tokens if token.figure is not None)

    @cached_property
    def content(self) -> tuple[Token, ...]:
        return tuple(token for token in self.tokens if token.term not in COVERED)


@lru_cache(maxsize=2_000)
def read_clauses(text: str) -> tuple[Clause, ...]:
    """Split a text into clauses. A row of a table is one clause."""
    clauses: list[Clause] = []
    for number, (start, end) in enumerate(sentences(text)):
        sentence = text[start:end]
        parts = [sentence] if "\t" in sentence or " | " in sentence else _BORDER.split(sentence)
        for part in parts:
            if part.strip() and len(clauses) < MAX_CLAUSES:
                clauses.append(Clause(fold(part.strip()), tuple(_read_tokens(part.strip())), number))
    return tuple(clauses)


def are_of_one_kind(first: Figure, other: Figure) -> bool:
    """True for two dates with the same parts, or two measures with one unit."""
    if isinstance(first, Measure) and isinstance(other, Measure):
        return first.unit == other.unit
    return isinstance(first, Date) and isinstance(other, Date) and _list_parts(first) == _list_parts(other)


def is_in(figure: Figure, others: Iterable[Figure]) -> bool:
    """True if one of the others says the figure."""
    return any(type(other) is type(figure) and other.says(figure) for other in others)  # type: ignore[arg-type]


def _read_tokens(text: str) -> Iterator[Token]:
    plain = _PARAGRAPH.sub("", fold_figures(text))
    plain = _NUMBERED.sub(lambda match: f" no{kanji_number(match[1])} ", plain)
    at = 0
    for place in figure_places(plain):
        yield from _read_words(plain[at : place.start])
        figure = place.figure
        term = f"{figure.value.normalize()}{figure.unit}" if isinstance(figure, Measure) else str(figure)
        yield Token(term, figure, plain[place.start : place.end].strip())
        at = place.end
    yield from _read_words(plain[at:])


def _read_words(text: str) -> Iterator[Token]:
    return (Token(word) for word in terms(text) if not _NUMBER.fullmatch(word))


def _list_parts(date: Date) -> tuple[bool, bool, bool]:
    return (date.year is not None, date.month is not None, date.day is not None)
