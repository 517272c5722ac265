"""Compare a sentence with quotations by their words, figures and marks, clause by clause.

One comparer serves the check of answers and the contradictions between sources.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from shisho.language.meanings import is_same_word
from shisho.language.numbers import Date, Measure, figure_places, fold_figures, kanji_number
from shisho.language.patterns import compile_lazily
from shisho.language.polarity import count_negations, is_negated
from shisho.language.sentences import sentences
from shisho.language.terms import fold, terms
from shisho.language.weights import LIGHT, word_set

MAX_CLAUSES = 60  # of one quotation that are compared
MAX_TERMS = 400  # of one quotation that may be synonyms of a word
LEAST_DENSE = 0.4  # share of the words between the first and the last one used that a sentence must use
MOVES = 1
LONGEST_RUN = 8  # clauses of a quotation that one sentence may sum up

_BORDER = compile_lazily(
    r"[。；;：！？、\n]+|(?<=[点人個本枚台回件円社校名冊匹頭%％歳])と(?![いし])|，(?!\d)|(?<![,:.!?])[,:.!?]++(?=\s|$)|\b(?:and|but|while|whereas|although|though)\b"
)
_NUMBER_TERM = compile_lazily(r"[\d.,]+|[〇一二三四五六七八九十百千万億兆]+")
_PARAGRAPH = compile_lazily(r"^[(（]?\d{1,2}[)）.]? (?=\D)")
_NUMBERED = compile_lazily(r"第 ?([0-9]{1,4}|[一二三四五六七八九十]{1,4})")
# What turns a statement into another one, in Japanese and English. Words for `both` must stand on both sides,
# for `said` in the sources if in the sentence, for `quoted` in the sentence if in the sources.
_MARKS = {
    "both": {
        "must": (
            r"(?:なければ|なくては|ねば)(?:なら|いけ)|(?<!不)必要|義務|必須|べき"
            r"|\b(?:must|shall|ha(?:ve|s|d) to|need(?:s|ed)? to|requir\w*|mandatory|should)\b"
        ),
        "can": r"でき(?!る限り)|可能(?!性)|こと[がも]あ[りる]|認め|\b(?:can|could|may|might|optional\w*|possible)\b",
        "only": r"のみ|だけ|限[りらるっ]|しか(?=[一-鿿な])|唯一|\b(?:only|solely|sole|exclusively)\b",
        "least": r"以上|少なくとも|最低|最小|下限|\b(?:at least|minimum|or more)\b",
        "over": r"超え|超過|上回|above|exceed|\b(?:over|more than)\b",
        "most": r"以内|以下(?![「『、のに同])|最大|最長|最高|上限|\b(?:at most|maximum|up to|or less)\b",
        "under": r"未満|下回|below|less than",
        "trying": r"[おこごそとのぼもよろ]うと(?:し|する)|\b(?:about|try\w*|tried|attempt\w*|intend\w*) to\b",
        "era": r"紀元前|\bb\.?c\b",
        "minus": r"(?<![a-z0-9)）])[-−]\d|マイナス|零下|氷点下|\bminus\b",
        "except": r"除[きくい]|以外|\b(?:except|other than|unless)\b",
        "maybe": (
            r"おそれ|可能性|かもしれ|推定|見込|とされ|と(?:も)?(?:言|い)われ|考えられ|ともされ|らしい|ようだ"
            r"|\b(?:perhaps|probabl[ey]|likely|expected|planned)\b"
        ),
    },
    "said": {
        "all": (
            r"全て|すべて|全員|常に|いつも|必ず|いかなる|一切|いつでも|誰でも|どんな"
            r"|\b(?:all|always|every|never|any|none)\b"
        ),
        "now": r"現在|現代|今[はもでな]|今日|\b(?:now|currently|today|still)\b",
        "until": r"まで(?!に)|\b(?:until|till|up to)\b",
        "before": r"前|までに|あらかじめ|\b(?:before|prior|in advance|earlier)\b",
        "after": r"後(?!述)|以降|\b(?:after|since|later)\b",
    },
    "quoted": {
        "if": r"場合|とき|(?<!なけ)れば|たら|\b(?:if|unless|when|in case|provided)\b",
        "denied": r"否定|誤|虚偽|嘘|噂|\b(?:fals\w*|den(?:y|ies|ied)|fail(?:ed|s)? to|claim\w*|alleg\w*|rumou?r\w*)\b",
        "non": r"非(?![常難行])(?=[一-鿿])",
        "part": r"一部|半数|ほとんど|めったに|約(?=[\d一二三四五六七八九十百千数])|およそ"
        r"|\b(?:few|some|half|nearly|almost|hardly|rarely|seldom)\b",
        "range": r"\d[^、。]{0,4}[~〜～–]\s?\d|\d[^、。]{0,6}から\d|の間|\bbetween\b",
    },
}
_REACHING = frozenset({"if", "denied"})  # marks of a clause that bear on the one after it
_MARK_RES = {side: {n: compile_lazily(p) for n, p in marks.items()} for side, marks in _MARKS.items()}
_ABLE = compile_lazily("られ")  # may mean `can`
_OPEN_END = compile_lazily(r"[はをにものと]$")  # a clause in Japanese whose predicate follows
_EXCEPTION = compile_lazily(r"(?:unless|except|if|but only|provided)\b|ただし")
_KANA = compile_lazily("[ぁ-ん]")
_ROLE = compile_lazily(r"([一-鿿々ァ-ヶー]{1,12})(は|が|に|へ|から|より|を)(?![一-鿿]?って)")
# Words that other checks cover, that name a source, or that only join.
_COVERED = LIGHT | word_set(
    "限る 必要 可能 付く 中 項 条 号 良い 資料 文書 手元 定める 出来る 義務 一方 例えば document accord overal need must may"
)


@dataclass(frozen=True)
class Clause:
    """A clause with its content words in order, and its figures as they are meant and written."""

    text: str
    words: tuple[str, ...]
    figures: tuple[Date | Measure, ...]
    surfaces: tuple[str, ...]
    sentence: int

    @cached_property
    def content(self) -> frozenset[str]:
        return frozenset(self.words) - _COVERED


def read_marks(text: str, side: str) -> frozenset[str]:
    """Return the names of the marks of a folded text."""
    return frozenset(name for name, pattern in _MARK_RES[side].items() if pattern.search(text))


@lru_cache(maxsize=2_000)
def read_clauses(text: str) -> tuple[Clause, ...]:
    """Split a text into clauses. A row of a table is one clause."""
    clauses: list[Clause] = []
    for number, (start, end) in enumerate(sentences(text)):
        sentence = text[start:end]
        parts = [sentence] if _is_row(sentence) else _BORDER.split(sentence)
        for part in parts:
            if part and part.strip() and len(clauses) < MAX_CLAUSES:
                clauses.append(_read_clause(part.strip(), number))
    return tuple(clauses)


def _read_clause(text: str, sentence: int) -> Clause:
    plain = _PARAGRAPH.sub("", fold_figures(text))
    plain = _NUMBERED.sub(lambda match: f" no{kanji_number(match[1])} ", plain)
    places = figure_places(plain)
    surfaces = tuple(plain[place.start : place.end].strip() for place in places)
    rest = list(plain)
    for place in places:
        rest[place.start : place.end] = " " * (place.end - place.start)
    words = [word for word in terms("".join(rest)) if not _NUMBER_TERM.fullmatch(word)]
    return Clause(fold(text), tuple(words), tuple(place.figure for place in places), surfaces, sentence)


class SourceWords:
    """The words of sources; finds the one that a word of a sentence stands for."""

    def __init__(self, words: Iterable[str]) -> None:
        self.words = frozenset(words)
        self._ordered = sorted(self.words)[:MAX_TERMS]
        self._found: dict[str, str | None] = {}

    def find(self, word: str) -> str | None:
        if word not in self._found:
            if word in self.words:
                self._found[word] = word
            else:
                self._found[word] = next(
                    (other for other in self._ordered if is_same_word(word, other)), None
                )
        return self._found[word]


class Comparison:
    """A sentence beside its quotations. `headings` and `contexts` name things but carry nothing; the question
    is one of the headings."""

    def __init__(
        self,
        sentence: str,
        quotations: Sequence[str],
        headings: Sequence[str] = (),
        contexts: Sequence[str] = (),
    ) -> None:
        self.text = fold(sentence)
        self.clauses = read_clauses(sentence)
        self.quotations = [read_clauses(quotation) for quotation in quotations]
        self._headed = _list_words(headings)
        quotation_words = [word for rows in self.quotations for clause in rows for word in clause.words]
        self.vocabulary = SourceWords([*quotation_words, *self._headed, *_list_words(contexts)])
        self.words = [word for clause in self.clauses for word in clause.words if word not in _COVERED]
        self.figures = [figure for clause in self.clauses for figure in clause.figures]

    def is_known(self) -> bool:
        """True if every word of the sentence is a word of its sources."""
        return bool(self.words) and all(self.vocabulary.find(word) for word in self.words)

    def share_known(self) -> float:
        """Return the share of the words of the sentence that are words of its sources."""
        common = [word for word in self.words if self.vocabulary.find(word)]
        return len(common) / len(self.words) if self.words else 1.0

    def is_carried(self) -> bool:
        """True if neighbouring clauses of one quotation say the sentence with the same words in the same
        order, the same figures and the same marks."""
        return self.is_known() and any(
            self._is_carried_by(rows, start, end)
            for rows in self.quotations
            for start in range(len(rows))
            for end in range(start + 1, min(len(rows), start + LONGEST_RUN) + 1)
        )

    def _is_carried_by(self, rows: Sequence[Clause], start: int, end: int) -> bool:
        run = rows[start:end]
        return (
            all(any(_is_in(figure, clause.figures) for clause in run) for figure in self.figures)
            and _is_whole(rows, start, end)
            and self._has_words_of(run, opens=not start or rows[start - 1].sentence != run[0].sentence)
            and self._has_marks_of("、".join(clause.text for clause in run))
            and self._denies_as(run)
            and self._takes_shares_of(run)
            and all(
                self._is_paired(figure, clause, run) for clause in self.clauses for figure in clause.figures
            )
        )

    def _has_marks_of(self, run_text: str) -> bool:
        able = {"can"} if _ABLE.search(run_text) or _ABLE.search(self.text) else set()
        return (
            all(
                name in able or len(pattern.findall(self.text)) == len(pattern.findall(run_text))
                for name, pattern in _MARK_RES["both"].items()
            )
            and read_marks(self.text, "said") <= read_marks(run_text, "said")
            and read_marks(run_text, "quoted") <= read_marks(self.text, "quoted")
        )

    def _has_words_of(self, run: Sequence[Clause], *, opens: bool) -> bool:
        """True if the words come in the order of the run, or with one part of it moved and no subject made
        an object. `opens`: the run begins a sentence."""
        places: dict[str, list[int]] = {}
        stated = [word for clause in run for word in clause.words if word not in _COVERED]
        for place, word in enumerate(stated):
            places.setdefault(word, []).append(place)
        words = [self.vocabulary.find(word) or word for word in self.words]
        lead = next((number for number, word in enumerate(words) if word in places), len(words))
        outside = [word for word in words[lead:] if word not in places]
        if outside or not self._headed.issuperset(words[:lead]) or 2 * lead > len(words):
            return False  # only a topic before all else may come from a heading
        moves = 0
        at = -1
        used: set[int] = set()
        for word in words[lead:]:
            free = [place for place in places[word] if place not in used]
            if not free:
                return False
            following = next((place for place in free if place > at), None)
            moves += following is None
            at = free[0] if following is None else following
            used.add(at)
        if lead and used and (min(used) or not opens):
            return False  # a topic of the heading in place of the one that the quotation has
        if not used or (_is_japanese(self.text) and len(stated) - 1 not in used):
            return False  # the predicate of the run says something else
        if len(used) < LEAST_DENSE * (max(used) - min(used) + 1) or not _keeps_openings(run, used):
            return False
        if moves and (moves > MOVES or run[0].sentence != run[-1].sentence or not _is_japanese(self.text)):
            return False  # in English the order says who does what to whom
        return not moves or not self._swaps_roles("、".join(clause.text for clause in run))

    def _denies_as(self, run: Sequence[Clause]) -> bool:
        """True if as many clauses are negated in the run, as often, and speak of the same things."""
        ours = [clause for clause in self.clauses if is_negated(clause.text)]
        quoted_roles = [clause.content for clause in run if is_negated(clause.text)]
        words = [{self.vocabulary.find(word) for word in clause.content} for clause in ours]
        ours_count, quoted_count = (
            sum(count_negations(clause.text) for clause in rows) for rows in (self.clauses, run)
        )
        return (ours_count, len(ours)) == (quoted_count, len(quoted_roles)) and all(
            2 * max(len(content & other) for other in quoted_roles) >= len(content) for content in words
        )

    def _takes_shares_of(self, run: Sequence[Clause]) -> bool:
        """True if the wholes that the sentence takes shares of are wholes in the run."""
        quoted_wholes = _list_wholes(run)
        return all(
            any({self.vocabulary.find(word) for word in whole} <= other for other in quoted_wholes)
            for whole in _list_wholes(self.clauses)
        )

    def _swaps_roles(self, run_text: str) -> bool:
        quoted_roles: dict[str, set[str]] = {}
        for noun, particle in _ROLE.findall(run_text):
            quoted_roles.setdefault(noun, set()).add("が" if particle == "は" else particle)
        return any(
            noun in quoted_roles and ("が" if particle == "は" else particle) not in quoted_roles[noun]
            for noun, particle in _ROLE.findall(self.text)
        )

    def _is_paired(self, figure: Date | Measure, clause: Clause, run: Sequence[Clause]) -> bool:
        """True if all that the clause says beside a figure stands beside it in the run, in a clause without
        figures, or in a heading. Of a row of a table, all figures of the kind must be said."""
        homes = [row for row in run if _is_in(figure, row.figures)]
        topics = {word for row in run if not row.figures for word in row.words} | self._headed
        words = {self.vocabulary.find(word) or word for word in clause.content}
        return any(
            words <= home.content | topics
            and not (
                _is_row(home.text)
                and any(
                    are_of_one_kind(figure, other) and not _is_in(other, self.figures)
                    for other in home.figures
                )
            )
            for home in homes
        )

    def list_misplaced(self, excused: str = "") -> tuple[str, ...]:
        """Return figures that the quotation has for another thing: all else that the clause says stands
        beside another figure of the kind. `excused`: text whose figures need no quotation."""
        if not self.is_known():
            return ()
        excused_figures = [figure for clause in read_clauses(excused) for figure in clause.figures]
        return tuple(
            surface
            for clause in self.clauses
            for figure, surface in zip(clause.figures, clause.surfaces, strict=True)
            if not _is_in(figure, excused_figures)
            and any(self._is_misplaced(figure, clause, rows) for rows in self.quotations)
        )

    def _is_misplaced(self, figure: Date | Measure, clause: Clause, rows: Sequence[Clause]) -> bool:
        homes = [row for row in rows if _is_in(figure, row.figures)]
        if not homes:
            return _is_swapped(figure, self.figures, rows)
        others = [other for other in clause.figures if not are_of_one_kind(figure, other)]
        if others and any(all(_is_in(other, home.figures) for other in others) for home in homes):
            return False
        rivals = [
            row
            for row in rows
            if row not in homes
            and any(
                are_of_one_kind(figure, other) and not _is_in(other, self.figures) for other in row.figures
            )
        ]
        words = {self.vocabulary.find(word) for word in clause.content}
        at_home = [words & row.content for row in homes]
        return any(
            words & rival.content and all(home < words & rival.content for home in at_home)
            for rival in rivals
        )


def _is_japanese(text: str) -> bool:
    return bool(_KANA.search(text))


def _list_words(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(word for text in texts for clause in read_clauses(text) for word in clause.words)


def _list_wholes(clauses: Iterable[Clause]) -> list[set[str]]:
    parts = [clause.text.partition("のうち") for clause in clauses]
    return [set(terms(whole)) - _COVERED for whole, mark, _ in parts if mark]


def _keeps_openings(run: Sequence[Clause], used: set[int]) -> bool:
    """True if the first word, mostly the subject, of each clause after the first one used is used."""
    end = 0
    for clause in run:
        start, end = end, end + sum(word not in _COVERED for word in clause.words)
        if min(used) < start and start not in used and not used.isdisjoint(range(start, end)):
            return False
    return True


def _is_row(text: str) -> bool:
    return "\t" in text or " | " in text


def _is_whole(rows: Sequence[Clause], start: int, end: int) -> bool:
    """True if a run leaves out neither its predicate nor a condition or exception of its sentence."""
    first, last = rows[start], rows[end - 1]
    before = rows[start - 1] if start else None
    after = rows[end] if end < len(rows) else None
    if before and before.sentence == first.sentence and read_marks(before.text, "quoted") & _REACHING:
        return False
    if after and after.text.startswith(("」", "』")):
        return False  # someone else's words
    if after is None or (after.sentence != last.sentence and not after.text.startswith(("ただし", "但し"))):
        return True
    return not (_OPEN_END.search(last.text) or _EXCEPTION.match(after.text))


def _is_swapped(figure: Date | Measure, stated: Sequence[Date | Measure], rows: Sequence[Clause]) -> bool:
    """True if the number stands there with another unit, and the unit with another number."""
    if isinstance(figure, Date) or not figure.unit:
        return False
    measures = [measure for row in rows for measure in row.figures if isinstance(measure, Measure)]
    has_number = any(
        measure.value == figure.value and measure.unit not in ("", figure.unit) for measure in measures
    )
    has_unit = any(measure.unit == figure.unit and not _is_in(measure, stated) for measure in measures)
    return has_number and has_unit


def are_of_one_kind(first: Date | Measure, other: Date | Measure) -> bool:
    """True for two dates with the same parts, or two measures with one unit."""
    if isinstance(first, Date) or isinstance(other, Date):
        return (
            isinstance(first, Date) and isinstance(other, Date) and _list_parts(first) == _list_parts(other)
        )
    return first.unit == other.unit


def _list_parts(date: Date) -> tuple[bool, bool, bool]:
    return (date.year is not None, date.month is not None, date.day is not None)


def _is_in(figure: Date | Measure, others: Iterable[Date | Measure]) -> bool:
    return any(type(other) is type(figure) and other.says(figure) for other in others)  # type: ignore[arg-type]
