"""Whether quotations carry a sentence, whether a sentence may stand without any, and whether two quotations disagree."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from shisho.language.clauses import clauses
from shisho.language.names import names
from shisho.language.numbers import UNITS, Date, Figures, Measure, figures
from shisho.language.sentences import sentences
from shisho.language.terms import fold, squeeze, terms

COVERED = 0.6  # share of a sentence's content terms that must be in its quotations or the question
TOLD = 0.75  # share of the nouns it adds to the question that must be in its quotations
SAME_MATTER = 0.5  # share of the shorter's terms that two quotations share when they speak of one thing
SAME_CLAUSE = 0.6  # share of a clause's terms in another, from which their polarity must agree

_NEGATION = re.compile(
    r"ない|なかっ|なく(?!と)|なけれ|なし(?:に|で)|ません|ず(?=[、。にはと]|$)|(?<=[かがさたなばまらわ])ぬ|ざる|まい(?=[。、]|$)|不可能|無関係|皆無"
    r"|\bnot\b|n't\b|\bno\b|\bnever\b|\bwithout\b|\bneither\b|\bnor\b|\bcannot\b|\bunable\b"
)
# Words that look like a negation and are none, and doubled ones.
_NO_NEGATION = re.compile(
    r"(?:なければ|なくては|ないと)(?:なら|いけ)(?:ない|ません|なかった)|だけで(?:は)?なく|のみならず|に(?:違い|ちがい)ない|かもしれ(?:ない|ません)"
    r"|少なく(?:と|ない)|少ない|(?:ほか|他|しか)(?:は)?ない|ないことはない|ないわけではない|必ず|まず|わず(?:か|に)|はず|ずつ|思わず|相変わらず"
    r"|にもかかわらず|に関わらず|を問わず|幼い|危ない|つまらない|なくな"
    r"|\bnot only\b|\bno doubt\b"
)
# Terms of connective sentences, as the index has them.
_GENERIC = frozenset(
    word
    for line in (
        "以下 次 通り 点 答え 回答 説明 結果 資料 文書 記述 引用 内容 情報 質問 観点 順 例 場合 理由 違い 特徴 要点 概要 詳細",
        "前者 後者 両者 双方 一方 他方 上記 下記 本文 関連 存在 此れ 其れ 為る 有る 成る 居る 因る 述べる 示す",
        "overview answer question follow document source passage point differ reason detail summari describ accord both first",
        "second final also howev therefor moreov say show find found mention give state see below abov here thing each other",
    )
    for word in line.split()
)
_SUBJECT = re.compile(r"([^、。はが\s]{1,30})[はが](?=[^、。はが]{0,30}\d)")
_TECHNICAL = re.compile(r"[一-鿿々]{2,}|[ァ-ヺー]{2,}|[a-z0-9]{3,}")


@dataclass(frozen=True, slots=True)
class Support:
    """`missing` names what the quotations do not say: a figure, a name, `negation` or `words`."""

    supported: bool
    missing: tuple[str, ...]


def check(sentence: str, quotations: Sequence[str], question: str = "") -> Support:
    """Every number, date, unit, name and negation of the sentence must be in its quotations, and most of its words.

    The question may bring words that the sentence repeats, never figures or names: give a quotation's heading as one more
    quotation where it names the subject.
    """
    there = "\n".join(quotations)
    lacking = [*_figures_lacking(figures(sentence), figures(there)), *_names_lacking(sentence, there)]
    if not _polarity_agrees(sentence, quotations):
        lacking.append("negation")
    said, asked = set(terms(fold(sentence))), set(terms(fold(question)))
    quoted = {*terms(fold(squeeze(there))), *terms(fold(there))}
    # What the sentence tells beyond the question stands in its nouns (verbs have synonyms; figures were compared above).
    told = {term for term in said - asked - _GENERIC - UNITS if not ("ぁ" <= term[-1] <= "ん" or re.search(r"\d", term))}
    if len(said & (quoted | asked | UNITS)) < COVERED * len(said) or len(told & quoted) < TOLD * len(told):
        lacking.append("words")
    return Support(not lacking, tuple(dict.fromkeys(lacking)))


def connective(sentence: str, question: str) -> bool:
    """Whether a sentence may stand without a citation: no figure, name or technical term that the question lacks."""
    if re.search(r"\d", fold(sentence)) and _figures_lacking(figures(sentence), figures(question)):
        return False
    if _names_lacking(sentence, question):
        return False
    known = {*terms(fold(question)), *_GENERIC}
    return not any(_TECHNICAL.fullmatch(term) and term not in known for term in terms(fold(sentence)))


def contradiction(one: str, other: str) -> str:
    """What two quotations about the same thing disagree in: `date`, `number`, `negation`, or nothing."""
    a, b = _matter(one), _matter(other)
    if set(names(one)) != set(names(other)):  # two temples were founded in two years
        return ""
    if not a & b or len(a & b) < SAME_MATTER * min(len(a), len(b)):
        return ""
    measured, other_measured = _measured(one), _measured(other)
    if measured and other_measured and not measured & b and not other_measured & a:  # a lake's depth and its height
        return ""
    mine, theirs = figures(one), figures(other)
    if mine.dates and theirs.dates and not _any_agree(mine.dates, theirs.dates):
        return "date"
    if _units_clash(mine.measures, theirs.measures):
        return "number"
    return "" if _polarity_agrees(one, [other]) and _polarity_agrees(other, [one]) else "negation"


def _figures_lacking(wanted: Figures, there: Figures) -> list[str]:
    dates = [date for date in wanted.dates if not any(have.says(date) for have in there.dates) and not _bare_year(date, there)]
    amounts = [measure for measure in wanted.measures if not any(have.says(measure) for have in there.measures)]
    amounts = [measure for measure in amounts if not (measure.unit in ("", "年") and _is_year(measure, there))]
    return [
        *map(_date_word, dates),
        *(f"{m.value:f}{m.power}{m.unit}" for m in amounts),
        *sorted(wanted.symbols - there.symbols),
    ]


def _bare_year(date: Date, there: Figures) -> bool:
    """(1998) stands for 1998年 too."""
    return date == Date(date.year) and any(have.value == date.year and have.unit in ("", "年") for have in there.measures)


def _is_year(measure: Measure, there: Figures) -> bool:
    return any(measure.value == have.year for have in there.dates)


def _date_word(date: Date) -> str:
    return "-".join(str(part) for part in (date.year, date.month, date.day) if part is not None)


def _names_lacking(sentence: str, there: str) -> list[str]:
    known = fold(squeeze(there))
    words = {*terms(fold(there)), *_GENERIC, *UNITS}
    return sorted(name for name in names(sentence) if name not in known and not words.issuperset(terms(name) or [name]))


def _polarity_agrees(sentence: str, quotations: Iterable[str]) -> bool:
    """Each clause is negated as the quoted clause nearest to it; where none is near, a negation must be quoted at all."""
    quoted = [clause for quotation in quotations for clause in _clauses(quotation)]
    for words, negated in _clauses(sentence):
        near = max(quoted, key=lambda clause: len(words & clause[0]), default=None)
        if near is not None and words and len(words & near[0]) >= SAME_CLAUSE * len(words):
            alike = [no for said, no in quoted if len(words & said) == len(words & near[0])]
            if negated not in alike:
                return False
        elif negated and not any(no for _, no in quoted):
            return False
    return True


def _clauses(text: str) -> list[tuple[frozenset[str], bool]]:
    parts = (text[a:b] for start, end in sentences(text) for a, b in clauses(text, start, end))
    return [(frozenset(terms(fold(part))), _negated(part)) for part in parts]


def _negated(clause: str) -> bool:
    return len(_NEGATION.findall(_NO_NEGATION.sub("", fold(clause)))) % 2 == 1


def _matter(text: str) -> frozenset[str]:
    return frozenset(term for term in terms(fold(text)) if not re.search(r"\d", term))


def _measured(text: str) -> frozenset[str]:
    """What the text's figures are figures of: 最大水深は45メートル."""
    subjects = (terms(found[1]) for found in _SUBJECT.finditer(fold(text)))
    return frozenset(said[-1] for said in subjects if said)


def _any_agree(mine: Sequence[Date], theirs: Sequence[Date]) -> bool:
    return any(a.says(b) or b.says(a) for a in mine for b in theirs)


def _units_clash(mine: Sequence[Measure], theirs: Sequence[Measure]) -> bool:
    """Both give amounts in one unit, and none of them is the same."""
    units: dict[str, set[Decimal]] = {}
    for measure in mine:
        units.setdefault(measure.unit, set()).add(measure.value)
    others = {unit: {measure.value for measure in theirs if measure.unit == unit} for unit in units}
    return any(others[unit] and not values & others[unit] for unit, values in units.items())
