"""Gates: reasons for which a passage is shown but not called an answer.

A gate compares the question with the marked sentences and their surroundings. It closes only on a plain sign
of another thing, another period or the opposite. A missing name is none: answers say "the state".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise, takewhile
from operator import or_
from types import MappingProxyType
from typing import Any

from shisho.language import compile_lazily, is_japanese, read_words
from shisho.language.dates import find_periods
from shisho.language.designations import (
    Designation,
    find_designations,
    find_others,
    is_named,
    is_same_kind,
)
from shisho.language.meanings import IRREGULAR_VERBS, is_negated
from shisho.language.numbers import Date
from shisho.language.terms import ENGLISH_STOP, fold, get_tokenizer, split_terms, stem
from shisho.records import dataclass

_OPEN_PERIOD = compile_lazily(
    r"[年月日度](?:から|まで|以[降前後来]|より[前後]|~|〜|の間|現在)"
    r"|\b(?:since|until|between|before|after|by|from) (?:\w+ ){0,2}\w*[0-9]"
)
_ASKS_DATE = compile_lazily(r"いつ|何[年月日]|\bwhen\b|\b(?:what|which) (?:date|day|year|month)\b")
NO_SHORT_NAMES: Mapping[str, frozenset[str]] = MappingProxyType({})
MIN_SHARED_TERMS = 2  # of a question and a clause that denies it

# Words that many names share, or that stand for the same thing in other words.
_NO_NAME = ENGLISH_STOP | read_words(
    "january february march april may june july august september october november december monday tuesday",
    "wednesday thursday friday saturday sunday mr mrs ms dr prof department institute trust company",
    "university school society association office agency ministry committee board center centre club",
    "group inc ltd american united states he she him her his my our your some many most 日本",
)
_VARIANTS = str.maketrans(
    "ァィゥェォヴ澤邊邉齋齊濱廣櫻國髙﨑嶋眞德惠龍瀧學會",
    "アイウエオブ沢辺辺斎斉浜広桜国高崎島真徳恵竜滝学会",
    "ーッ",
)
_FOREIGN_SOUNDS = (("ヴァ", "バ"), ("ヴィ", "ビ"), ("ヴェ", "ベ"), ("ヴォ", "ボ"))
_HONORIFICS = read_words("の さん 氏 様 君 先生")
_AUXILIARIES = read_words("is are was were do does did has have had can could will would which what")
# Before a verb, "was led" makes of the subject an object; behind it, "by" makes of the object a subject.
_TURNS = {">": read_words("is are was were been"), "<": frozenset({"by"})}
_PRESENT = {past: verb for verb, *forms in map(str.split, IRREGULAR_VERBS.split(";")) for past in forms}

_CLAUSE_END = compile_lazily(r"(?<![.,;:!?()])[.,;:!?()]++(?:\s|$)|[、。\n]|\bbut\b")
_ATTRIBUTE = compile_lazily(
    r"(?:た|て[いあ]る|れる)(?=[一-鿿ァ-ヶーa-z])|\b(?:that|(?:i|we|you)(?: have)? (?=\w+ed\b))"
)
_ASKING = compile_lazily(r"(?:[何誰]|だれ|どこ|いつ|ど[れのうん]|どちら|なぜ|いく[らつ]|なに|なん)(?!で?も)")
_YES_NO = compile_lazily(
    r"^(?:is|are|was|were|am|do|does|did|can|could|may|might|must|should|shall|will|would|has|have|had)\b|か[?。\s]*$"
)
_SELECTS = compile_lazily(
    r"(?!.*(?:\bwhy\b|理由|なぜ|何故|どうして|原因|すれば)).*"
    r"(?:\b(?:which|who|whom)\b|誰|だれ|どの|どれ(?!くらい|ほど|だけ)|どんな|どちら|何(?:です|が|か))",
    re.S,
)


class Gate(StrEnum):
    """The reason for which a passage is not an answer."""

    DESIGNATION = "designation"
    PERIOD = "period"
    NAME = "name"
    OPPOSITE = "opposite"
    NEGATION = "negation"


@dataclass(frozen=True, slots=True)
class GateSource:
    """A shown passage. `heading` is its heading path; `sentences` are the marked ones."""

    text: str
    heading: str
    title: str
    sentences: tuple[str, ...]

    @property
    def marked(self) -> str:
        """The marked sentences as one text."""
        return "\n".join(self.sentences)

    @property
    def above(self) -> str:
        """The heading path and the title."""
        return f"{self.heading}\n{self.title}"


def find_closed_gate(
    question: str, source: GateSource, short_names: Mapping[str, frozenset[str]] = NO_SHORT_NAMES
) -> Gate | None:
    """Return the first gate that forbids calling this passage an answer, or None."""
    # NFKC without change of case: a capital letter designates a hall and begins a name.
    question, text, heading, title, *sentences = (
        unicodedata.normalize("NFKC", part)
        for part in (question, source.text, source.heading, source.title, *source.sentences)
    )
    plain = GateSource(
        _add_short_names(f"{text}\n{heading}\n{title}", short_names), heading, title, tuple(sentences)
    )
    return next((gate for gate, closes, _ in GATES if closes(question, plain)), None)


def _add_short_names(text: str, short_names: Mapping[str, frozenset[str]]) -> str:
    """Return a text with all names of the things that it names."""
    spelled = _spell(text)
    groups = ({name, *others} for name, others in short_names.items())
    matching = (group for group in groups if any(_spell(name) in spelled for name in group))
    return "\n".join([text, *(name for group in matching for name in group)])


def _spell(text: str) -> str:
    """Return a text without what spellings of one name differ in: case, hyphens, plurals, long vowels."""
    folded = fold(text)
    for foreign, plain in _FOREIGN_SOUNDS:
        folded = folded.replace(foreign, plain)
    words = ("".join(filter(str.isalnum, word)) for word in folded.translate(_VARIANTS).split())
    return "".join(word.rstrip("s") for word in words)


def _is_another_designation(question: str, source: GateSource) -> bool:
    sought = find_designations(question)
    return any(
        _is_missing(designation, [other for other in sought if is_same_kind(designation, other)], source)
        for designation in sought
    )


def _is_missing(designation: Designation, wanted: Sequence[Designation], source: GateSource) -> bool:
    """True if others of the kind are named, and none of those of the kind that the question names."""
    if any(is_named(other, source.above) for other in wanted):
        return False
    if find_others(designation, source.marked):
        beside = source.text if designation.is_reference else source.marked
    else:
        beside = source.text if find_others(designation, source.above) else ""
    return bool(beside) and not any(is_named(other, beside) for other in wanted)


def _is_another_period(question: str, source: GateSource) -> bool:
    """True if the marked sentences, or else the headings, state other periods than the one in question."""
    folded = fold(question)
    if _OPEN_PERIOD.search(folded):
        return False
    texts = (question, source.marked, source.above, source.text)
    sought, stated, higher, beside = map(find_periods, texts)
    if sought.fiscal_years:
        years = stated.fiscal_years | higher.fiscal_years | higher.years_of_dates
        others = years if stated.fiscal_years else years | beside.fiscal_years
        return bool(years) and sought.fiscal_years.isdisjoint(others)
    titled = higher.dates or higher.bare_years
    if _ASKS_DATE.search(folded) or _OPEN_PERIOD.search(fold(source.marked)) or not (stated.dates or titled):
        return False
    dates = (*stated.dates, *stated.bare_years, *higher.dates, *higher.bare_years)
    dates += () if stated.dates else (*beside.dates, *beside.bare_years)
    return any(not any(_is_compatible(date, other) for other in dates) for date in sought.dates)


def _is_compatible(date: Date, other: Date) -> bool:
    pairs = ((date.year, other.year), (date.month, other.month), (date.day, other.day))
    return all(a == b for a, b in pairs if a is not None and b is not None)


def _is_another_name(question: str, source: GateSource) -> bool:
    """True if the passage has a name nowhere, and another name in its place in a marked sentence."""
    if is_japanese(question) != is_japanese(source.text):
        return False  # the name may be written in another script
    spelled, spelled_question = _spell(source.text), _spell(question)
    missing = {place for name, place in find_name_places(question) if _spell(name) not in spelled}
    places = (pair for sentence in source.sentences for pair in find_name_places(sentence))
    return any(place in missing for name, place in places if _spell(name) not in spelled_question)


@lru_cache
def find_name_places(text: str) -> frozenset[tuple[str, str]]:
    """Return the words of names with the content words beside them, marked by their side.

    An object is behind its verb, in the passive voice too: of "is led by Hara" Hara is before `lead`.
    """
    return frozenset(_find_japanese_places(text) if is_japanese(text) else _find_english_places(text))


def _find_japanese_places(text: str) -> Iterator[tuple[str, str]]:
    tokens = [token for token in get_tokenizer().tokenize(text) if token.surface() not in _HONORIFICS]
    for name, neighbour in pairwise(tokens):
        if _is_proper(name) and neighbour.part_of_speech()[0] in ("名詞", "形容詞", "接尾辞"):
            yield name.surface(), neighbour.normalized_form()


def _is_proper(token: Any) -> bool:
    surface = token.surface()
    if surface.isascii():
        return surface.isupper() and len(surface) > 2
    is_unknown = token.is_oov() and "ァ" <= min(surface) <= max(surface) <= "ー"
    is_name = is_unknown or token.part_of_speech()[1] == "固有名詞"
    return is_name and len(surface) > 1 and surface not in _NO_NAME


def _find_english_places(text: str) -> Iterator[tuple[str, str]]:
    for clause in _CLAUSE_END.split(text.replace("’", "'")):
        pieces = (piece.partition("'")[0].strip('"“”[]') for piece in clause.split())
        words = [piece for piece in pieces if piece]
        for at, word in enumerate(words):
            is_name = word[0].isupper() and len(word) > 1 and word.casefold() not in _NO_NAME
            if is_name and (at == 0 or words[at - 1].casefold() not in ("which", "what")):
                yield from ((word, f"{side} {term}") for side, term in _list_neighbours(words, at))


def _list_neighbours(words: Sequence[str], at: int) -> Iterator[tuple[str, str]]:
    small = [word.casefold() for word in words]
    are_grammar = [word in ENGLISH_STOP for word in small]
    are_names = [word[0].isupper() for word in words]
    for side, other, places in (("<", ">", range(at)[::-1]), (">", "<", range(at + 1, len(words)))):
        for are_skipped in (are_grammar, list(map(or_, are_grammar, are_names))):
            between = list(takewhile(are_skipped.__getitem__, places))
            grammar = {small[place] for place in between if are_grammar[place]}
            # "The judges Len Goodman and ..." names the judges, and "did Len" begins a clause.
            if side == "<" and (not grammar or not _AUXILIARIES.isdisjoint(grammar)):
                continue
            for place in places[len(between) : len(between) + 1]:
                is_turned = not (_TURNS[side].isdisjoint(grammar) or small[place].endswith("ing"))
                yield other if is_turned else side, stem(_PRESENT.get(small[place], small[place]))


@lru_cache(maxsize=1)
def read_opposites() -> list[tuple[frozenset[str], frozenset[str]]]:
    """Return pairs of words of which one is not an answer for the other, in index terms, in both orders."""
    lines = files("shisho.librarian.selection").joinpath("opposites.txt").read_text("utf-8").splitlines()
    pairs = [
        [
            frozenset(term for word in side.split() for term in split_terms(fold(word)))
            for side in line.split("|")
        ]
        for line in lines
        if not line.startswith("#")
    ]
    return [pair for a, b in pairs for pair in ((a, b), (b, a))]


def _is_opposite(question: str, source: GateSource) -> bool:
    folded = fold(question)
    if _YES_NO.search(folded) and not _ASKING.search(folded):
        return False  # that it is closed answers whether it is open
    question_terms, core = set(split_terms(folded)), set(split_terms(_find_core(folded)))
    marked_terms, above_terms = (set(split_terms(fold(text))) for text in (source.marked, source.above))
    return any(
        not opposite.isdisjoint(marked_terms)
        and synonyms.isdisjoint(marked_terms | above_terms)
        and not synonyms.isdisjoint(core if opposite & question_terms else question_terms)
        and opposite.isdisjoint(core)
        for synonyms, opposite in read_opposites()
    )


def _find_core(question: str) -> str:
    """Return a question without attributes: of 「デプロイしたリソースを削除するには」 what follows した."""
    return _ATTRIBUTE.split(question)[-1 if is_japanese(question) else 0]


def _is_denied(question: str, source: GateSource) -> bool:
    """Return whether the question and the marked sentences differ in negation.

    The question asks which things do something, and they say which do not, or vice versa.
    """
    folded = fold(question).replace("’", "'")
    if not _SELECTS.match(folded):
        return False
    question_terms, denied = set(split_terms(folded)), find_denied_terms(folded)
    clauses = [clause for clause in _CLAUSE_END.split(fold(source.marked).replace("’", "'")) if clause]
    stated_denied = {
        term
        for clause in clauses
        if len(question_terms.intersection(split_terms(clause))) >= MIN_SHARED_TERMS
        for term in find_denied_terms(clause)
    }
    marked_terms = {
        term for clause in clauses for term in set(split_terms(clause)) - find_denied_terms(clause)
    }
    return not (denied & marked_terms).issubset(stated_denied) or not (
        stated_denied & question_terms
    ).issubset(denied | marked_terms)


def find_denied_terms(clause: str) -> frozenset[str]:
    """Return the index terms that a folded clause denies: 払う of 「払わない」, nut of "contain no nuts"."""
    if not is_negated(clause):
        return frozenset()
    if not is_japanese(clause):
        pieces = re.split(r"\b(?:not?|never|cannot|without)\b|n't\b", clause)[1:]
        return frozenset(term for piece in pieces for term in split_terms(piece)[:1])
    denied = set()
    content = ""
    for token in get_tokenizer().tokenize(clause.replace("ないと", "")):  # 行かないといけない
        kind, detail = token.part_of_speech()[:2]
        if token.surface() == "しか":
            break  # one and no more
        if token.surface() == "なけれ":
            content = ""  # 払わなければならない
        elif kind == "助動詞" and token.dictionary_form() in ("ない", "ぬ", "ず", "ん"):
            denied.add(content)
        elif kind in ("名詞", "動詞", "形容詞") and detail != "非自立可能":
            content = token.normalized_form()
    return frozenset(denied)


GATES: tuple[tuple[Gate, Callable[[str, GateSource], bool], str], ...] = (
    (Gate.DESIGNATION, _is_another_designation, "Hall B is not Hall D, and 第三小学校 is not 第八小学校."),
    (Gate.PERIOD, _is_another_period, "Figures of 2021年度 or of March are none of 2022年度 or of May."),
    (Gate.NAME, _is_another_name, "What is said of the bridge of Toyama is not said of the bridge of Gifu."),
    (Gate.OPPOSITE, _is_opposite, "The command that deploys is not the one that deletes."),
    (Gate.NEGATION, _is_denied, "Dishes without nuts are not those with nuts."),
)
"""Every gate with its rule and its reason, in the order in which they are tried."""
