"""Questions that come with their own passages, some of which answer nothing: what the quotations of an answer
must hold, decided without a model.

What must be held is read off the gold answer where the passages say it word for word, and off the gold
reasoning where it is worked out from what they say."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from shisho.domain.inquiry import Answer, AnswerLevel, Evidence
from shisho.errors import InvalidParams
from shisho.evaluation.reading import fold_text, read_needs, stands_in
from shisho.language.keywords import keywords
from shisho.language.numbers import UNITS, Date, FigurePlace, Measure, figure_places, fold_figures
from shisho.language.terms import ENGLISH_STOP, GRAMMAR, fold, terms

GROUPS = {"I_": "I integration", "R_": "R reasoning", "L_": "L wording", "T_": "T tables"}
ABSTAIN = ("A_negative_only", "A_chunk_incompletion", "A_conflicted")
SHORTEST_NAME = 3  # characters: shorter nouns of an answer are mostly verbs in Chinese dress (達成, 可能)
SHORTEST_QUOTED = 8  # characters: shorter quoted words of a reasoning are labels of rows and columns
_NUMBER = re.compile(r"[\d.,/]+")
_TAG = re.compile(r"<[^<>]*>")
_ROW = re.compile(r"<tr\b.*?</tr>", re.DOTALL)
_LINE = re.compile(r"/n|\n|。|</(?:tr|p|li|h\d|div|caption)>")
_QUOTED = re.compile(r"[「“\"]([^「」“”\"]+)[」”\"]")
_LATIN_NAME = re.compile(r"[A-Z][A-Za-z0-9-]{2,}")
# 16 × 4 = 64 and これら2つ: what is worked out or counted stands in no passage but by chance.
_RESULT = re.compile(r"(?<![(（])[=＝]\s*$|これらの?$")
_TOPIC = re.compile(r"^[^、。]*?は")
_GENERAL = frozenset({"以上", "以下", "以内", "未満", "合計", "必要", "場合"}) | GRAMMAR | ENGLISH_STOP


@dataclass(frozen=True, slots=True)
class AnswerItem:
    """A question and its passages. `kinds` as the set names them, `positive` those that answer it, none
    where nothing does. `needs`: of each list, one string must stand in the quotations; where it is empty,
    what they must hold is read off the gold."""

    id: str
    kinds: tuple[str, ...]
    question: str
    answer: str
    reasoning: str
    positive: tuple[str, ...]
    negative: tuple[str, ...]
    needs: tuple[tuple[str, ...], ...] = ()

    @property
    def is_answerable(self) -> bool:
        """False where a librarian should abstain."""
        return not any(kind in ABSTAIN for kind in self.kinds)


@dataclass(frozen=True, slots=True)
class Requirement:
    """A need that one quotation must hold: the figure or the name, and, of the words that stand beside it in
    the passage and in the gold text, at least one. No words: it speaks for itself. One
    of `alternatives` will do in place of a name."""

    text: str
    figure: Date | Measure | None = None
    words: frozenset[str] = frozenset()
    alternatives: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerResult:
    """The outcome of an item. `held` of `needs` stand in quotations of passages that answer it; `characters`
    counts all that was quoted; `is_explained`: an abstention names what is missing. `citations` counts the
    numbers that sentences cite, `right_citations` those of passages that answer it, `held_by_cited` the needs
    that stand in these."""

    item: AnswerItem
    level: AnswerLevel
    needs: tuple[Requirement, ...]
    held: tuple[Requirement, ...]
    characters: int
    is_explained: bool
    citations: int = 0
    right_citations: int = 0
    held_by_cited: int = 0

    @property
    def holds_all(self) -> bool:
        return bool(self.needs) and len(self.held) == len(self.needs)


def load_items(path: Path) -> list[AnswerItem]:
    """An item a line, gzipped. Raises InvalidParams that says where."""
    items = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                items.append(_item(json.loads(line)))
            except (KeyError, TypeError, ValueError) as error:
                raise InvalidParams(
                    "eval.bad_answer_item",
                    name=path.name,
                    number=number,
                ) from error
    return items


def judge_answer(item: AnswerItem, answer: Answer, positive_documents: frozenset[str]) -> AnswerResult:
    """Judge an item whose answering passages are the documents of these names. A quotation of another
    passage holds nothing, whatever stands in it."""
    needs = find_needs(item)
    positive = {
        evidence.number: _printed(evidence)
        for evidence in answer.evidence
        if evidence.document in positive_documents
    }
    quotations = [*positive.values()]
    cited = [number for sentence in answer.sentences for number in sentence.evidence]
    cited_quotations = [positive[number] for number in dict.fromkeys(cited) if number in positive]
    return AnswerResult(
        item=item,
        level=answer.level,
        needs=needs,
        held=find_held_needs(needs, quotations),
        characters=sum(len(evidence.snippet) for evidence in answer.evidence),
        is_explained=answer.abstained and bool(answer.missing),
        citations=len(cited),
        right_citations=sum(number in positive for number in cited),
        held_by_cited=len(find_held_needs(needs, cited_quotations)),
    )


def group_results(results: Sequence[AnswerResult]) -> dict[str, list[AnswerResult]]:
    """By kind, an item under each of its kinds: of the items to answer those of I, R, L, T and all of them,
    then those to abstain from by sub-kind and all of them. No group is empty."""
    answerable = [result for result in results if result.item.is_answerable]
    groups = {
        name: [result for result in answerable if any(kind.startswith(prefix) for kind in result.item.kinds)]
        for prefix, name in GROUPS.items()
    }
    absent = [result for result in results if not result.item.is_answerable]
    sub_kinds = {kind: [result for result in absent if kind in result.item.kinds] for kind in ABSTAIN}
    rows = {**groups, "all to answer": answerable, **sub_kinds, "all to abstain from": absent}
    return {name: group for name, group in rows.items() if group}


def summarise(results: Sequence[AnswerResult]) -> dict[str, dict[str, float]]:
    """Figures of each group."""
    return {name: _figures_of(group) for name, group in group_results(results).items()}


def _figures_of(results: Sequence[AnswerResult]) -> dict[str, float]:
    def count(level: AnswerLevel) -> int:
        return sum(result.level is level for result in results)

    def holding(level: AnswerLevel) -> int:
        return sum(result.holds_all for result in results if result.level is level)

    shares = [len(result.held) / len(result.needs) for result in results if result.needs]
    return {
        "items": len(results),
        **{str(level): count(level) for level in AnswerLevel},
        "answered and holds all": holding(AnswerLevel.ANSWERED),
        "related and holds all": holding(AnswerLevel.RELATED),
        "share of needs held": round(fmean(shares), 3) if shares else 0.0,
        "characters quoted": round(fmean(result.characters for result in results)),
        "abstained": len(results) - count(AnswerLevel.ANSWERED),
        "abstained, says what is missing": sum(result.is_explained for result in results),
    }


def find_needs(item: AnswerItem) -> tuple[Requirement, ...]:
    """List what quotations of the item's positive passages must hold, in the order of the gold text; nothing
    where one should abstain.

    1. Figures and names of the gold answer that the question does not name and a passage says. What stands
       before its は is its topic.
    2. Where it has none, or has one that no passage says (it is worked out or put in other words), or the
       item is one of reasoning: also the figures, quoted words and Latin names of the gold reasoning that a
       passage says. A result behind =, a bare year or month, and a number without a unit are none.

    A passage says a figure where it stands in a line that, with the line before it, has a further word of the
    gold sentence or of the question. Needs that the item itself lists stand instead of all that.
    """
    if not item.is_answerable:
        return ()
    if item.needs:
        return tuple(Requirement(first, alternatives=tuple(others)) for first, *others in item.needs)
    question_line = _LineWords(item.question)
    lines = [line for passage in item.positive for line in _lines_in_context(passage)]
    answer = item.answer.strip("。 ")
    names = _names(answer)
    needs = [*_figure_needs(answer, lines, question_line), *_said_names(names, lines, question_line)]
    known_names = {need.text for need in needs}
    is_whole = all(name in known_names or stands_in(name, question_line.folded) for name in names) and all(
        any(line.has_figure(place.figure) for line in (*lines, question_line)) for place in _figures(answer)
    )
    if not needs or not is_whole or any(kind.startswith("R_") for kind in item.kinds):
        for sentence in re.split(r"。\s*(?![^「」]*」)|\n", item.reasoning):
            needs += _reasoned_needs(sentence, lines, question_line)
    return tuple({need.figure or need.text: need for need in reversed(needs)}.values())[::-1]


def find_held_needs(needs: Sequence[Requirement], quotations: Sequence[str]) -> tuple[Requirement, ...]:
    """Those that one of the quotations holds."""
    texts = [_LineWords(quotation) for quotation in quotations]
    return tuple(need for need in needs if any(text.holds(need) for text in texts))


def split_lines(passage: str) -> Iterator[str]:
    """Sentences, lines, and rows of tables, whether they are drawn with tags, bars or commas."""
    joined = _ROW.sub(lambda row: " ".join(row[0].split()), passage)
    for line in _LINE.split(joined):
        plain = " ".join(_TAG.sub(" ", line).split())
        if plain:
            yield plain


class _LineWords:
    """A line with what is looked up in it. `context`: words of the line before it count as its own."""

    def __init__(self, line: str, context: str = "") -> None:
        self.folded = fold_text(line)
        self.figures = [place.figure for place in _figures(line)]
        self.words = frozenset(_content_words(f"{context}\n{line}"))

    def has_figure(self, figure: Date | Measure) -> bool:
        return any(_is_same(figure, other) for other in self.figures)

    def holds(self, need: Requirement) -> bool:
        if need.figure is None:
            return any(stands_in(text, self.folded) for text in (need.text, *need.alternatives))
        return self.has_figure(need.figure) and (not need.words or bool(need.words & self.words))


def _lines_in_context(passage: str) -> Iterator[_LineWords]:
    before = ""
    for line in split_lines(passage):
        yield _LineWords(line, before)
        before = line


def _figure_needs(
    sentence: str, lines: Sequence[_LineWords], question_line: _LineWords
) -> Iterator[Requirement]:
    """The figures of a gold sentence that a line says."""
    words = frozenset(_content_words(sentence)) | question_line.words
    plain = fold_figures(sentence)
    for place in _figures(sentence):
        if (
            question_line.has_figure(place.figure)
            or _is_vague(place.figure)
            or _RESULT.search(plain[: place.start])
        ):
            continue
        shared = [line.words & words for line in lines if line.has_figure(place.figure)]
        if best := max(shared, key=len, default=frozenset()):
            yield Requirement(plain[place.start : place.end].strip(), place.figure, best)


def _said_names(
    names: Iterable[str], lines: Sequence[_LineWords], question_line: _LineWords
) -> Iterator[Requirement]:
    for name in names:
        if not stands_in(name, question_line.folded) and any(stands_in(name, line.folded) for line in lines):
            yield Requirement(name)


def _reasoned_needs(
    sentence: str, lines: Sequence[_LineWords], question_line: _LineWords
) -> Iterator[Requirement]:
    """List what a sentence of the gold reasoning names. A quoted figure is needed as a figure."""
    needs = [
        need
        for need in _figure_needs(sentence, lines, question_line)
        if isinstance(need.figure, Date) or _has_unit(need, fold_figures(sentence))
    ]
    yield from needs
    quoted = [part for quotation in _QUOTED.findall(sentence) for part in quotation.split("。")]
    quoted = [part for part in quoted if len(part) >= SHORTEST_QUOTED and not _figures(part)]
    yield from _said_names([*quoted, *_LATIN_NAME.findall(sentence)], lines, question_line)


def _has_unit(need: Requirement, plain: str) -> bool:
    """A unit that is known, one in Latin letters (1,000 ppm, not 2025WCM), or an ordinal (第11条)."""
    known = isinstance(need.figure, Measure) and need.figure.unit
    number = re.escape(need.text)
    return bool(known or re.search(rf"第{number}|{number} [a-z]{{2,4}}(?![a-z])", plain))


def _names(answer: str) -> list[str]:
    """Whole nouns of an answer but for its topic; short ones only where there is nothing else."""
    nouns = [keyword.text for keyword in keywords(_TOPIC.sub("", answer)) if keyword.noun]
    nouns = [noun for noun in nouns if not any(map(str.isdecimal, noun))]
    return [noun for noun in nouns if len(noun) >= SHORTEST_NAME] or nouns


def _figures(text: str) -> list[FigurePlace]:
    return figure_places(fold_figures(text))


def _is_vague(figure: Date | Measure) -> bool:
    """A year or a month by itself: it says when, and stands in titles."""
    return (
        isinstance(figure, Date) and None in (figure.year, figure.day) and not (figure.month and figure.day)
    )


def _is_same(one: Date | Measure, other: Date | Measure) -> bool:
    """The same day, or the same number with the same unit. A cell of a table may have no unit: its heading
    has."""
    if isinstance(one, Date) or isinstance(other, Date):
        return one == other
    return (one.value, one.power) == (other.value, other.power) and (
        one.unit == other.unit or not one.unit or not other.unit
    )


def _content_words(text: str) -> Iterator[str]:
    """Index terms that are neither figures nor units."""
    for line in fold(text).splitlines():
        yield from (
            term for term in terms(line) if not _NUMBER.fullmatch(term) and term not in _GENERAL | UNITS
        )


def _printed(evidence: Evidence) -> str:
    return f"{evidence.heading}\n{evidence.snippet}"


def _item(row: Mapping[str, Any]) -> AnswerItem:
    return AnswerItem(
        id=row["id"],
        kinds=tuple(row["qa_type"]),
        question=row["question"],
        answer=row["answer"],
        reasoning=row["reasoning_content"],
        positive=tuple(map(str, row["positive_chunk_list"])),
        negative=tuple(map(str, row["negative_chunk_list"])),
        needs=read_needs(row.get("needs", ())),
    )
