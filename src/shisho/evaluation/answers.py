"""Check the quotations of an answer to a question with its own passages, without a model.

The required contents come from the gold answer if the passages contain it verbatim, and from the gold
reasoning if the answer has to be derived.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from shisho.domain.inquiry import ANSWERING_LEVELS, Answer, AnswerLevel, Evidence
from shisho.errors import InvalidParams
from shisho.evaluation.reading import fold_text, read_needs, stands_in
from shisho.language.keywords import find_keywords
from shisho.language.numbers import UNITS, Date, LocatedFigure, Measure, fold_figures, locate_figures
from shisho.language.terms import ENGLISH_STOP, GRAMMAR, fold, split_terms
from shisho.records import dataclass

GROUPS = {"I_": "I integration", "R_": "R reasoning", "L_": "L wording", "T_": "T tables"}
ABSTAIN = ("A_negative_only", "A_chunk_incompletion", "A_conflicted")
SHORTEST_NAME = 3  # characters: shorter nouns of an answer are mostly Sino-Japanese verbs (達成, 可能)
SHORTEST_QUOTED = 8  # characters: shorter quoted words of a reasoning are labels of rows and columns
_NUMBER = re.compile(r"[\d.,/]+")
_TAG = re.compile(r"<[^<>]*>")
_ROW = re.compile(r"<tr\b.*?</tr>", re.DOTALL)
_LINE = re.compile(r"/n|\n|。|</(?:tr|p|li|h\d|div|caption)>")
_QUOTED = re.compile(r"[「“\"]([^「」“”\"]+)[」”\"]")
_LATIN_NAME = re.compile(r"[A-Z][A-Za-z0-9-]{2,}")
# 16 × 4 = 64 and これら2つ: computed or counted results only occur in a passage by chance.
_RESULT = re.compile(r"(?<![(（])[=＝]\s*$|これらの?$")
_TOPIC = re.compile(r"^[^、。]*?は")
_GENERAL = frozenset({"以上", "以下", "以内", "未満", "合計", "必要", "場合"}) | GRAMMAR | ENGLISH_STOP


@dataclass(frozen=True, slots=True)
class AnswerItem:
    """A question and its passages.

    `kinds`: the labels of the set. `positive`: the passages with the answer, empty if it is unanswerable.
    `needs`: at least one string of each list must be in the quotations; if empty, they are derived from the
    gold answer.
    """

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
        """Return False if the librarian should abstain."""
        return not any(kind in ABSTAIN for kind in self.kinds)


@dataclass(frozen=True, slots=True)
class Requirement:
    """A figure or name that one quotation must contain.

    The quotation must also contain at least one of the words that are near it in both the passage and the
    gold text; without such words, the figure suffices. Any of `alternatives` can replace the name.
    """

    text: str
    figure: Date | Measure | None = None
    words: frozenset[str] = frozenset()
    alternatives: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerResult:
    """The outcome of an item.

    `held`: the `needs` found in quotations of positive passages. `characters`: the length of all quotations.
    `is_explained`: an abstention that names the missing information. `citations`: the numbers cited by
    sentences; `right_citations`: those of positive passages; `held_by_cited`: the needs found in these.
    """

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
    """Load a gzipped file with one item a line. Raises: InvalidParams with the line number."""
    items = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                items.append(_read_item(json.loads(line)))
            except (KeyError, TypeError, ValueError) as error:
                raise InvalidParams(
                    "eval.bad_answer_item",
                    name=path.name,
                    number=number,
                ) from error
    return items


def judge_answer(item: AnswerItem, answer: Answer, positive_documents: frozenset[str]) -> AnswerResult:
    """Judge the answer to an item whose positive passages are the documents of these names.

    Quotations of other passages count for nothing.
    """
    needs = find_needs(item)
    positive = {
        evidence.number: _print_evidence(evidence)
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
    """Group results by kind; an item is in the group of each of its kinds.

    Answerable items: I, R, L, T and all of them; then unanswerable ones by sub-kind and all of them. No group
    is empty.
    """
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
    """Compute the metrics of each group."""
    return {name: _compute_figures(group) for name, group in group_results(results).items()}


def _compute_figures(results: Sequence[AnswerResult]) -> dict[str, float]:
    def count(level: AnswerLevel) -> int:
        return sum(result.level is level for result in results)

    def count_holding(level: AnswerLevel) -> int:
        return sum(result.holds_all for result in results if result.level is level)

    shares = [len(result.held) / len(result.needs) for result in results if result.needs]
    return {
        "items": len(results),
        **{str(level): count(level) for level in AnswerLevel},
        "answered and holds all": sum(map(count_holding, ANSWERING_LEVELS)),
        "related and holds all": count_holding(AnswerLevel.RELATED),
        "share of needs held": round(fmean(shares), 3) if shares else 0.0,
        "characters quoted": round(fmean(result.characters for result in results)),
        "abstained": count(AnswerLevel.RELATED) + count(AnswerLevel.NOTHING),
        "abstained, says what is missing": sum(result.is_explained for result in results),
    }


def find_needs(item: AnswerItem) -> tuple[Requirement, ...]:
    """List the required contents of quotations, in the order of the gold text.

    Empty for unanswerable items.

    1. Figures and names of the gold answer that a passage contains and the question does not name. The part
    before its は is its topic. 2. If there are none, or one is in no passage (it is computed or paraphrased),
    or the item requires reasoning: also the figures, quoted words and Latin names of the gold reasoning that
    a passage contains. Excluded are a result behind =, a bare year or month, and a number without a unit.

    A passage contains a figure if it is in a line that shares another word with the gold sentence or the
    question; words of the line before it count too. Needs listed by the item itself replace all of these.
    """
    if not item.is_answerable:
        return ()
    if item.needs:
        return tuple(Requirement(first, alternatives=tuple(others)) for first, *others in item.needs)
    question_line = _LineWords(item.question)
    lines = [line for passage in item.positive for line in _list_context_lines(passage)]
    answer = item.answer.strip("。 ")
    names = _list_names(answer)
    needs = [*_require_figures(answer, lines, question_line), *_require_names(names, lines, question_line)]
    known_names = {need.text for need in needs}
    is_whole = all(name in known_names or stands_in(name, question_line.folded) for name in names) and all(
        any(line.has_figure(place.figure) for line in (*lines, question_line))
        for place in _find_figures(answer)
    )
    if not needs or not is_whole or any(kind.startswith("R_") for kind in item.kinds):
        for sentence in re.split(r"。\s*(?![^「」]*」)|\n", item.reasoning):
            needs += _require_reasoning(sentence, lines, question_line)
    return tuple({need.figure or need.text: need for need in reversed(needs)}.values())[::-1]


def find_held_needs(needs: Sequence[Requirement], quotations: Sequence[str]) -> tuple[Requirement, ...]:
    """Return the needs that at least one quotation fulfils."""
    texts = [_LineWords(quotation) for quotation in quotations]
    return tuple(need for need in needs if any(text.holds(need) for text in texts))


def split_lines(passage: str) -> Iterator[str]:
    """Yield sentences, lines, and rows of tables with tags, bars or commas."""
    joined = _ROW.sub(lambda row: " ".join(row[0].split()), passage)
    for line in _LINE.split(joined):
        plain = " ".join(_TAG.sub(" ", line).split())
        if plain:
            yield plain


class _LineWords:
    """A line with its searchable contents.

    `context`: words of the line before it, which count too.
    """

    def __init__(self, line: str, context: str = "") -> None:
        self.folded = fold_text(line)
        self.figures = [place.figure for place in _find_figures(line)]
        self.words = frozenset(_list_content_words(f"{context}\n{line}"))

    def has_figure(self, figure: Date | Measure) -> bool:
        return any(_is_same(figure, other) for other in self.figures)

    def holds(self, need: Requirement) -> bool:
        if need.figure is None:
            return any(stands_in(text, self.folded) for text in (need.text, *need.alternatives))
        return self.has_figure(need.figure) and (not need.words or bool(need.words & self.words))


def _list_context_lines(passage: str) -> Iterator[_LineWords]:
    before = ""
    for line in split_lines(passage):
        yield _LineWords(line, before)
        before = line


def _require_figures(
    sentence: str, lines: Sequence[_LineWords], question_line: _LineWords
) -> Iterator[Requirement]:
    """Yield the figures of a gold sentence that a line contains."""
    words = frozenset(_list_content_words(sentence)) | question_line.words
    plain = fold_figures(sentence)
    for place in _find_figures(sentence):
        if (
            question_line.has_figure(place.figure)
            or _is_vague(place.figure)
            or _RESULT.search(plain[: place.start])
        ):
            continue
        shared = [line.words & words for line in lines if line.has_figure(place.figure)]
        if best := max(shared, key=len, default=frozenset()):
            yield Requirement(plain[place.start : place.end].strip(), place.figure, best)


def _require_names(
    names: Iterable[str], lines: Sequence[_LineWords], question_line: _LineWords
) -> Iterator[Requirement]:
    for name in names:
        if not stands_in(name, question_line.folded) and any(stands_in(name, line.folded) for line in lines):
            yield Requirement(name)


def _require_reasoning(
    sentence: str, lines: Sequence[_LineWords], question_line: _LineWords
) -> Iterator[Requirement]:
    """Yield the figures, quoted words and names of a sentence of the gold reasoning.

    Quoted figures count as figures.
    """
    needs = [
        need
        for need in _require_figures(sentence, lines, question_line)
        if isinstance(need.figure, Date) or _has_unit(need, fold_figures(sentence))
    ]
    yield from needs
    quoted = [part for quotation in _QUOTED.findall(sentence) for part in quotation.split("。")]
    quoted = [part for part in quoted if len(part) >= SHORTEST_QUOTED and not _find_figures(part)]
    yield from _require_names([*quoted, *_LATIN_NAME.findall(sentence)], lines, question_line)


def _has_unit(need: Requirement, plain: str) -> bool:
    """Return whether the figure has a unit or is an ordinal (第11条).

    A unit is a known one, or one in Latin letters: 1,000 ppm, not 2025WCM.
    """
    known = isinstance(need.figure, Measure) and need.figure.unit
    number = re.escape(need.text)
    return bool(known or re.search(rf"第{number}|{number} [a-z]{{2,4}}(?![a-z])", plain))


def _list_names(answer: str) -> list[str]:
    """Return the whole nouns of an answer without its topic.

    Short ones only if there are no others.
    """
    nouns = [keyword.text for keyword in find_keywords(_TOPIC.sub("", answer)) if keyword.noun]
    nouns = [noun for noun in nouns if not any(map(str.isdecimal, noun))]
    return [noun for noun in nouns if len(noun) >= SHORTEST_NAME] or nouns


def _find_figures(text: str) -> list[LocatedFigure]:
    return locate_figures(fold_figures(text))


def _is_vague(figure: Date | Measure) -> bool:
    """Return whether it is a bare year or month.

    Those only date a statement, and occur in titles.
    """
    return (
        isinstance(figure, Date) and None in (figure.year, figure.day) and not (figure.month and figure.day)
    )


def _is_same(one: Date | Measure, other: Date | Measure) -> bool:
    """Return whether both are the same day, or the same number with the same unit.

    A cell of a table may lack the unit: its heading has it.
    """
    if isinstance(one, Date) or isinstance(other, Date):
        return one == other
    return (one.value, one.power) == (other.value, other.power) and (
        one.unit == other.unit or not one.unit or not other.unit
    )


def _list_content_words(text: str) -> Iterator[str]:
    """Yield index terms that are neither figures nor units."""
    for line in fold(text).splitlines():
        yield from (
            term for term in split_terms(line) if not _NUMBER.fullmatch(term) and term not in _GENERAL | UNITS
        )


def _print_evidence(evidence: Evidence) -> str:
    return f"{evidence.heading}\n{evidence.snippet}"


def _read_item(row: Mapping[str, Any]) -> AnswerItem:
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
