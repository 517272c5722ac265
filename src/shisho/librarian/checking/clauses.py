"""Read the clauses of a text: their words and figures in order, and marks that qualify a statement. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache

from shisho.language import compile_lazily, read_words
from shisho.language.meanings import LIGHT
from shisho.language.numbers import Date, Measure, fold_figures, locate_figures, parse_kanji
from shisho.language.sentences import split_sentences
from shisho.language.terms import fold, split_terms
from shisho.records import dataclass

Figure = Date | Measure
MAX_CLAUSES = 60  # of one text

_BORDER = compile_lazily(
    r"[。；;：！？、\n]+|(?<=[点人個本枚台回件円社校名冊匹頭%％歳])と(?![いし])|，(?!\d)|(?<![,:.!?])[,:.!?]++(?=\s|$)|\b(?:and|but|while|whereas|although|though)\b"
)
_NUMBER = compile_lazily(r"[\d.,]+|[〇一二三四五六七八九十百千万億兆]+")
_PARAGRAPH = compile_lazily(r"^[(（]?\d{1,2}[)）.]? (?=\D)")
_NUMBERED = compile_lazily(r"第 ?([0-9]{1,4}|[一二三四五六七八九十]{1,4})")
# Words that other checks cover, that name a source, or that only join.
COVERED = LIGHT | read_words(
    "限る 必要 可能 付く 中 項 条 号 良い 資料 文書 手元 定める 出来る 義務 一方 例えば document accord overal need must may"
)

# What bounds, limits, doubts, quantifies or dates a statement, or makes its number negative.
_MARK_PATTERNS = {
    "bounds": (
        r"以上|少なくとも|最低|最小|下限|\b(?:at least|minimum|or more)\b",
        r"超え|超過|上回|above|exceed|\b(?:over|more than)\b",
        r"以内|以下(?![「『、のに同])|(?<=[0-9a-z%°℃一-鿿ァ-ヶー])以下(?=[、のに])"
        r"|最大|最長|最高|上限|\b(?:at most|maximum|up to|or less)\b",
        r"未満|下回|below|less than",
        r"\d[^、。]{0,4}[~〜～–]\s?\d|\d[^、。]{0,6}から\d|の間|\bbetween\b",
    ),
    "limits": (
        r"のみ|だけ|限[りらるっ]|しか(?=[一-鿿な])|唯一|\b(?:only|solely|sole|exclusively)\b",
        r"除[きくい]|以外|\b(?:except|other than|unless)\b",
    ),
    "doubts": (
        r"おそれ|可能性|かもしれ|推定|見込|とされ|と(?:も)?(?:言|い)われ|考えられ|ともされ|らしい|ようだ"
        r"|\b(?:perhaps|probabl[ey]|likely|expected|planned)\b",
        r"[おこごそとのぼもよろ]うと(?:し|する)|\b(?:about|try\w*|tried|attempt\w*|intend\w*) to\b",
    ),
    "signs": (r"紀元前|\bb\.?c\b", r"(?<![a-z0-9)）])[-−]\d|マイナス|零下|氷点下|\bminus\b"),
    "parts": (
        r"全て|すべて|全員|常に|いつも|必ず|いかなる|一切|いつでも|誰でも|どんな|\b(?:all|always|every|never|any|none)\b",
        r"一部|半数|ほとんど|めったに|約(?=[\d一二三四五六七八九十百千数])|およそ"
        r"|\b(?:few|some|half|nearly|almost|hardly|rarely|seldom)\b",
    ),
    "times": (
        r"現在|現代|今[はもでな]|今日|\b(?:now|currently|today|still)\b",
        r"まで(?!に)|\b(?:until|till|up to)\b",
        r"前|までに|あらかじめ|\b(?:before|prior|in advance|earlier)\b",
        r"後(?!述)|以降|\b(?:after|since|later)\b",
    ),
}
MARKS = tuple(_MARK_PATTERNS)
_MARKS = {
    kind: [compile_lazily(pattern) for pattern in patterns] for kind, patterns in _MARK_PATTERNS.items()
}


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
    for number, (start, end) in enumerate(split_sentences(text)):
        sentence = text[start:end]
        parts = [sentence] if "\t" in sentence or " | " in sentence else _BORDER.split(sentence)
        for part in parts:
            if part.strip() and len(clauses) < MAX_CLAUSES:
                clauses.append(Clause(fold(part.strip()), tuple(_read_tokens(part.strip())), number))
    return tuple(clauses)


def are_of_one_kind(first: Figure, other: Figure) -> bool:
    """Return whether two dates have the same parts, or two measures the same unit."""
    if isinstance(first, Measure) and isinstance(other, Measure):
        return first.unit == other.unit
    return isinstance(first, Date) and isinstance(other, Date) and _list_parts(first) == _list_parts(other)


def has_different_marks(text: str, other: str, kinds: Iterable[str]) -> bool:
    """Return whether only one of two folded texts has a mark of these kinds."""
    return any(
        (pattern.search(text) is None) != (pattern.search(other) is None)
        for kind in kinds
        for pattern in _MARKS[kind]
    )


def is_in(figure: Figure, others: Iterable[Figure]) -> bool:
    """Return whether one of the others says the figure."""
    return any(type(other) is type(figure) and other.can_support(figure) for other in others)  # type: ignore[arg-type]


def _read_tokens(text: str) -> Iterator[Token]:
    plain = _PARAGRAPH.sub("", fold_figures(text))
    plain = _NUMBERED.sub(lambda match: f" no{parse_kanji(match[1])} ", plain)
    at = 0
    for place in locate_figures(plain):
        yield from _read_words(plain[at : place.start])
        figure = place.figure
        term = f"{figure.value.normalize()}{figure.unit}" if isinstance(figure, Measure) else str(figure)
        yield Token(term, figure, plain[place.start : place.end].strip())
        at = place.end
    yield from _read_words(plain[at:])


def _read_words(text: str) -> Iterator[Token]:
    return (Token(word) for word in split_terms(text) if not _NUMBER.fullmatch(word))


def _list_parts(date: Date) -> tuple[bool, bool, bool]:
    return (date.year is not None, date.month is not None, date.day is not None)
