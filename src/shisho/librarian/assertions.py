"""The assertions of a quotation, clause by clause, as far as two can be compared: of what, how much,
when, whether denied."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import lru_cache
from itertools import chain

from shisho.language.names import names
from shisho.language.numbers import Date, FigurePlace, Measure, figure_places
from shisho.language.phrase import Phrase, Statement
from shisho.language.phrases import phrases
from shisho.language.terms import fold, terms
from shisho.language.weights import LIGHT, word_set

_EXAMPLE = re.compile(
    r"例えば|たとえば|(?<![一-鿿])例[:：]|[(（]例|など(?:が|を)挙げ|\b(?:e\.g\.|ex\.|for example|for instance)",
    re.IGNORECASE,
)
_TABLE = re.compile(r"\t|\||✓|^\s*[●・•▪]|(?:\S+[ 　]+\d[\d,.]*[ 　]*){3,}", re.MULTILINE)
_SUM = re.compile(r"内訳|そのうち|うち|\d\s*[+＋×]\s*\d|=\s*\d|それぞれ|各々|いずれも")
# What stands in for words of another sentence, or tells the time by another sentence.
_POINTING = re.compile(
    r"(?:^|[、,(「『])(?:そして|また|しかし|なお)?、?(?:この|その|これ|それ|ここ|次の|翌)(?!\d)"
    r"|(?:この|その)(?:年|月|日|時|際|後|頃|ころ)|同(?:年|月|日|館|社|市|町|村|氏|校|作|時期|時点|じ(?:く|頃|年|時期))|翌(?:年|月|日)(?!\d)|次の|前(?:年|回|述)|当初|当時|再び|再度|上記|下記"
)
_FROM = re.compile(
    r"(?:[-~–—]|から|ないし|または|又は|か)\s*$|(?:紀元前|少なくとも|最大で?|最低|最低でも|優に|最高)\s*$"
)
_TO = re.compile(
    r"\s*(?:[-~–—]\s*(?:[a-z]+\s*)?\d|から|ないし|または|又は|以上|以下|未満|以内|超|もの|を(?:優に)?(?:超|越|上回|下回|切)|近く|弱|強|余|台|ずつ|か(?=\d))"
)
_ROUGH_BEFORE = re.compile(r"(?:約|およそ|凡そ|ほぼ|概ね|おおよそ)\s*$")
_ROUGH_AFTER = re.compile(r"\s*(?:程度|ほど|前後|あまり|くらい|ぐらい)")
_ASIDE = re.compile(r"\s*\([^()]*\)|\s*\)")
_NO_DAY = re.compile(
    r"\s*(?:から|まで|以降|以前|以来|頃|ごろ|ころ|時点|現在|年代|代|度|の|末|春|夏|秋|冬|半ば|前半|後半|初頭|初め|[-~–—])"
)
_PAST = re.compile(r"(?:た|だった|でした|ました)[。.」』)）\]\d\[]*\s*$")
_NOUN_AT_END = re.compile(r"[一-鿿ァ-ヺー][。」』]*\s*$")
_ORDINAL_UNITS = word_set("号 番 条 世 代 話 次 期 番目 位 巻 章 度")
_STATES = word_set(
    "有る 居る 持つ 有する 達する 及ぶ 成る 占める 示す 置く 構成 備える 出来る 存在 為る 御座る 佇む 立つ 乗る"
)
# What happens to a thing or a person once. Whatever else has a day may have several.
ONCE = word_set(
    "生まれる 誕生 出生 死去 死亡 死ぬ 没する 没 崩御 逝去 設立 創設 創立 結成 発足 建立 創業 開業 開校 開通 開港 竣工 完成",
    "発見 発明 制定 公布 締結 調印 創刊 発売 刊行 出版 始まる 開戦 終結 閉山 廃止 閉鎖 登録 任命 結婚 処刑 暗殺 独立 滅亡",
    "建国 併合 就航 初飛行 発布 沈没 即位 戴冠 開園 開設 落成 初演 放送 挙行 bear born die found open discov invent establish",
    "publish",
)
_UNCOUNTED = LIGHT | word_set(
    "約 程度 以上 以下 未満 以内 超 前後 余り 弱 強 近く 凡そ 程 第 計 総 初め 始め 中心 其処 間 者 氏"
)


@dataclass(frozen=True, slots=True)
class Amount:
    """A definite amount of a unit; `rough`: it is said to be about so much."""

    value: Decimal
    unit: str
    rough: bool

    def disagrees(self, other: Amount, ratio: Decimal) -> bool:
        """True where both cannot be true: rounding explains a small difference, and a rough one must lie
        far off."""
        low, high = sorted((abs(self.value), abs(other.value)))
        if self.rough or other.rough:
            return high > low * ratio
        return abs(self.value - other.value) >= max(_rounding(self.value), _rounding(other.value))


@dataclass(frozen=True, slots=True)
class Assertion:
    """A clause.

    `words`: its content words with the sentence's topic. `topic`: what the sentence is about (は, が) and
    what that belongs to; `scope`: that with the topics before it. `names`: words of names; `named`: each name
    as one word. `nouns`: words of no verb. `ordinals`: which one of several (the third exhibition). `day`:
    when it happened, if it says so exactly; `dates`: all that the sentence has named so far. `passing`: it
    tells of what was or was done, not of what is."""

    words: frozenset[str]
    topic: frozenset[str]
    scope: frozenset[str]
    names: frozenset[str]
    named: frozenset[str]
    nouns: frozenset[str]
    predicate: frozenset[str]
    amounts: tuple[Amount, ...]
    ordinals: frozenset[tuple[str, Decimal]]
    day: Date | None
    dates: tuple[Date, ...]
    denied: bool
    sure: bool
    passing: bool

    def ordinals_differ(self, other: Assertion) -> bool:
        """True where they tell of different ones: the second and the third, A330-200 and A330-300."""
        for unit in {unit for unit, _ in self.ordinals | other.ordinals}:
            our_ordinals = {value for kind, value in self.ordinals if kind == unit}
            their_ordinals = {value for kind, value in other.ordinals if kind == unit}
            if our_ordinals != their_ordinals and (
                not unit or (our_ordinals and their_ordinals and not our_ordinals & their_ordinals)
            ):
                return True
        return False


def is_indefinite(text: str) -> bool:
    """Examples, rows of tables, and sums or parts of sums say nothing that another text could deny."""
    return bool(_EXAMPLE.search(text) or _TABLE.search(text) or _SUM.search(text))


@lru_cache(maxsize=500)
def assertions(text: str) -> tuple[Assertion, ...]:
    """The clauses of a text that can be understood alone, in order."""
    clear = (statement for statement in phrases(text) if not _POINTING.search(statement.text))
    return tuple(chain.from_iterable(map(_clauses, clear)))


@dataclass(slots=True)
class _Sentence:
    """The context that the clauses of a sentence hand on to the next: its topic, its last day, whether
    it tells of what was."""

    text: str
    passing: bool
    topic: frozenset[str] = frozenset()
    scope: frozenset[str] = frozenset()
    dates: tuple[Date, ...] = ()
    ordinals: frozenset[tuple[str, Decimal]] = frozenset()
    day: Date | None = None
    year: int | None = None


def _clauses(statement: Statement) -> Iterator[Assertion]:
    places = iter(figure_places(statement.text))
    row = statement.phrases
    sentence = _Sentence(statement.text, bool(_PAST.search(statement.text)) or _is_event(row, statement.text))
    clause: list[tuple[Phrase, list[FigurePlace]]] = []
    for at, phrase in enumerate(row):
        clause.append((phrase, [place for _, place in zip(phrase.figures, places, strict=False)]))
        measured = any(isinstance(figure, Measure) for figure in phrase.figures) and not phrase.role
        if at == len(row) - 1 or (phrase.broken and (phrase.predicate or measured)):
            yield _assertion(clause, sentence)
            clause = []


def _is_event(row: Sequence[Phrase], text: str) -> bool:
    """最高位2位を記録。"""
    return len(row) > 1 and row[-2].role in ("を", "に") and bool(_NOUN_AT_END.search(text))


def _assertion(clause: Sequence[tuple[Phrase, list[FigurePlace]]], sentence: _Sentence) -> Assertion:
    phrases = [phrase for phrase, _ in clause]
    predicate = next((phrase for phrase in reversed(phrases) if phrase.predicate), None)
    sentence.topic = _topic(phrases) or sentence.topic
    sentence.scope |= sentence.topic
    plain = [phrase for phrase in phrases if not (phrase.adverb or phrase.aside)]
    words = frozenset(word for phrase in plain for word in _content(phrase)) | sentence.topic
    figures = _figures(clause, sentence)
    marks = frozenset(mark for phrase in phrases for mark in phrase.marks)
    names = [phrase for phrase in phrases if phrase.name]
    nouns = [phrase for phrase in phrases if not phrase.predicate]
    return Assertion(
        words=words,
        topic=sentence.topic,
        scope=sentence.scope,
        names=frozenset(word for phrase in names for word in phrase.terms) - _UNCOUNTED,
        named=frozenset(phrase.whole for phrase in names),
        nouns=frozenset(word for phrase in nouns for word in phrase.terms) | sentence.topic,
        predicate=frozenset(predicate.terms) if predicate is not None else words,
        amounts=tuple(figures.amounts),
        ordinals=sentence.ordinals,
        day=sentence.day,
        dates=sentence.dates,
        denied=sum("not" in phrase.marks for phrase in phrases) % 2 == 1,
        sure=not marks & {"maybe", "sometimes", "if"},
        passing=sentence.passing or (predicate is not None and not _is_state(predicate)),
    )


def _is_state(predicate: Phrase) -> bool:
    """True for a predicate that is, has or shows something rather than does something."""
    if not predicate.terms or predicate.figures or _STATES & set(predicate.terms):
        return True
    return not ({"passive", "cause"} & predicate.marks or predicate.terms[-1][-1] in "うくぐすつぬぶむる")


def _topic(phrases: Sequence[Phrase]) -> frozenset[str]:
    """The terms of a clause's topic, with what it belongs to: ミネアポリス市の総面積は."""
    at = next(
        (
            at
            for at, phrase in enumerate(phrases)
            if phrase.role in ("は", "が", "には", "では") and not phrase.aside
        ),
        None,
    )
    if at is None:
        return frozenset()
    start = at
    while start and phrases[start - 1].role == "の":
        start -= 1
    return frozenset(word for phrase in phrases[start : at + 1] for word in _content(phrase))


@dataclass(slots=True)
class _ClauseFigures:
    """The figures of one clause, told apart."""

    amounts: list[Amount] = field(default_factory=list)
    ordinals: set[tuple[str, Decimal]] = field(default_factory=set)
    dates: list[Date] = field(default_factory=list)


def _figures(clause: Sequence[tuple[Phrase, list[FigurePlace]]], sentence: _Sentence) -> _ClauseFigures:
    figures = _ClauseFigures()
    exact = True
    for phrase, place in ((phrase, place) for phrase, places in clause for place in places):
        figure = place.figure
        if isinstance(figure, Date):
            sentence.year = figure.year or sentence.year
            figures.dates.append(replace(figure, year=figure.year or sentence.year))
            exact = exact and _is_exact(place, sentence.text)
        elif _is_ordinal(figure, sentence.text, place):
            figures.ordinals.add((_unit(phrase, figure), figure.value))
        elif (amount := _amount(phrase, place, figure, sentence.text)) is not None:
            figures.amounts.append(amount)
    sentence.ordinals |= figures.ordinals
    sentence.dates += tuple(figures.dates)
    if figures.dates:
        sentence.day = _merged(figures.dates) if exact else None
    return figures


def _is_exact(place: FigurePlace, text: str) -> bool:
    after = _ASIDE.sub("", text[place.end : place.end + 40], count=2)
    return not (_NO_DAY.match(after) or _FROM.search(text[max(0, place.start - 4) : place.start]))


def _content(phrase: Phrase) -> frozenset[str]:
    unwritten = any(isinstance(figure, Measure) and not figure.unit for figure in phrase.figures)
    return (
        frozenset(phrase.terms) - _UNCOUNTED - (frozenset(_unit_words(phrase)) if unwritten else frozenset())
    )


def _unit_words(phrase: Phrase) -> list[str]:
    """キロワット, of which numbers.py knows nothing."""
    return [
        word
        for word in phrase.terms
        if word not in _UNCOUNTED and re.fullmatch(r"[ァ-ヺー]+|[a-z]+|平方|立方", word)
    ]


def _unit(phrase: Phrase, measure: Measure) -> str:
    return measure.unit or "".join(_unit_words(phrase))


def _is_ordinal(measure: Measure, text: str, place: FigurePlace) -> bool:
    if not measure.unit and re.search(r"[a-zァ-ヺー]\d*[-\s]?$", text[: place.start]):
        return True
    return (
        measure.unit in _ORDINAL_UNITS
        or text[: place.start].endswith("第")
        or text[place.end : place.end + 1] == "目"
    )


def _amount(phrase: Phrase, place: FigurePlace, measure: Measure, text: str) -> Amount | None:
    before = text[max(0, place.start - 6) : place.start]
    after = text[place.end : place.end + 8]
    unit = _unit(phrase, measure) + measure.power
    if not unit or _FROM.search(before) or _TO.match(after):
        return None
    if re.match(r"\d|\^", after):
        unit += after[0]
    rough = bool(_ROUGH_BEFORE.search(before) or _ROUGH_AFTER.match(after))
    return Amount(measure.value, unit, rough)


def _rounding(value: Decimal) -> Decimal:
    """One unit of the last digit that is written, where digits are left out: 58.7, 1400万."""
    exponent = value.normalize().as_tuple().exponent
    assert isinstance(exponent, int)
    return Decimal(10) ** exponent if exponent <= 0 or exponent >= 4 else Decimal(1)


def clash(date: Date, other: Date) -> bool:
    """True where no day fits both dates."""
    if date.year is not None and other.year is not None and date.year != other.year:
        return True
    if (date.year is None) != (other.year is None):
        return False
    for our_part, their_part in ((date.month, other.month), (date.day, other.day)):
        if our_part is None or their_part is None:
            return False
        if our_part != their_part:
            return True
    return False


def _merged(dates: Sequence[Date]) -> Date | None:
    """One day out of 1914年(大正3年)12月; nothing where they are several."""
    if not dates or any(clash(date, other) for date in dates for other in dates):
        return None
    year, month, day = (
        next((part for part in parts if part is not None), None)
        for parts in zip(*((date.year, date.month, date.day) for date in dates), strict=True)
    )
    return Date(year, month, day)


def are_of_one_time(our_dates: Iterable[Date], their_dates: Iterable[Date]) -> bool:
    """True where two texts speak of one time: neither names any, or both name the same, at least the
    same year."""
    ours = tuple(our_dates)
    others = tuple(their_dates)
    if not ours and not others:
        return True
    date = _merged(ours)
    other = _merged(others)
    if date is None or other is None or clash(date, other):
        return False
    return date.year == other.year or (date.month, date.day) == (other.month, other.day)


def topic_words(heading: str) -> frozenset[str]:
    """The terms of what a heading names."""
    return frozenset(terms(fold(heading))) - LIGHT


def names_of(text: str) -> frozenset[str]:
    """The terms of the names in a text; a single word in katakana is rather a thing's."""
    spelt = (terms(name) or [name] for name in names(text))
    several = frozenset(chain.from_iterable(words for words in spelt if len(words) > 1))
    return (
        several | frozenset(word for said_assertion in assertions(text) for word in said_assertion.names)
    ) - _UNCOUNTED
