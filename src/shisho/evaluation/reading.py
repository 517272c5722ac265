"""Questions about real documents.

The required contents of a correct quotation, and the outcomes.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import Any

from shisho.domain.inquiry import Answer
from shisho.errors import InvalidParams
from shisho.records import dataclass

HALVES = ("dev", "test")
TRAIN = "train"  # questions by two more writers, for fitting
BLIND = "blind"  # questions by people other than the authors of the rules; read since
FRESH = "fresh"  # questions about documents that no other set covers
FURTHER = "further"  # by a writer who had not seen the rules, mostly about pages that no other set covers
LATER = "later"  # questions by another writer who had not seen the rules
NOT_THERE = "not there"
NUMBER_MARKS = ".,"
USELESS_SPACE = re.compile(r"(?<!\d) | (?!\d)")


@dataclass(frozen=True, slots=True)
class GoldSpan:
    """The position of an answer: the stored words, the file's name, the page (from 1) of a PDF."""

    document: str
    page: int | None
    text: str


@dataclass(frozen=True, slots=True)
class ReadingQuestion:
    """A handwritten question.

    `needs`: at least one string of each list must be in the quotations; empty if no document answers.
    """

    id: str
    kind: str
    language: str
    text: str
    gold: tuple[GoldSpan, ...]
    needs: tuple[tuple[str, ...], ...]
    note: str = ""

    @property
    def half(self) -> str:
        """Dev or test: derived from the id, so that knowing the answers cannot influence it."""
        return HALVES[int(sha256(self.id.encode()).hexdigest()[0], 16) % 2]


class ReadingOutcome(StrEnum):
    """The outcome of a question.

    `right`: presented as an answer, and its quotations contain every need. `wrong`: presented as an answer
    without them. `related`: not presented as an answer, or with a part reported missing, but some need is
    shown. `abstained`: no claim, and nothing useful was shown.
    """

    RIGHT = "right"
    RELATED = "related"
    WRONG = "wrong"
    ABSTAINED = "abstained"


def load_questions(path: Path) -> list[ReadingQuestion]:
    """Load one question a line. Raises: InvalidParams with the line number."""
    questions = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        try:
            questions.append(_read_question(json.loads(line)))
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidParams(
                "eval.bad_question",
                name=path.name,
                number=number,
            ) from error
    return questions


def judge(question: ReadingQuestion, answer: Answer) -> ReadingOutcome:
    """Judge an answer. For an unanswerable question only `abstained` and `wrong` are possible."""
    if not question.needs:
        return ReadingOutcome.ABSTAINED if answer.abstained else ReadingOutcome.WRONG
    missing = find_missing_needs(question.needs, list_shown_texts(answer))
    some = len(missing) < len(question.needs)
    if answer.abstained:
        return ReadingOutcome.RELATED if some else ReadingOutcome.ABSTAINED
    if not missing:
        return ReadingOutcome.RIGHT
    return ReadingOutcome.RELATED if some and answer.missing else ReadingOutcome.WRONG


def list_shown_texts(answer: Answer) -> list[str]:
    """Return the shown passages, or without any the quotations, each with its heading."""
    if answer.passages:
        return [f"{passage.heading}\n{passage.text}" for passage in answer.passages]
    return [f"{evidence.heading}\n{evidence.snippet}" for evidence in answer.evidence]


def find_missing_needs(
    needs: Sequence[Sequence[str]], quotations: Sequence[str]
) -> tuple[tuple[str, ...], ...]:
    """Return the needs without an alternative in any single quotation."""
    folded = [fold_text(quotation) for quotation in quotations]
    return tuple(tuple(alternatives) for alternatives in needs if not _has_any(alternatives, folded))


def read_needs(lists: Iterable[Iterable[str]]) -> tuple[tuple[str, ...], ...]:
    """Read the needs of a line, each with its alternatives. Raises: ValueError."""
    needs = tuple(map(tuple, lists))
    if not all(alternatives and all(map(str.strip, alternatives)) for alternatives in needs):
        raise ValueError("a need is blank")
    return needs


def fold_text(text: str) -> str:
    """Normalize with NFKC, case folding, and no spaces except between two figures.

    This removes the effects of line breaks and full-width figures, without joining two table cells into one
    number.
    """
    spaced = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return USELESS_SPACE.sub("", spaced)


def stands_in(need: str, folded: str) -> bool:
    """Return whether the need is in the folded text, and not inside a longer number.

    25 is not in 2.25.
    """
    wanted = fold_text(need)
    start = folded.find(wanted)
    while start >= 0:
        if not _is_inside_number(folded, start, start + len(wanted)):
            return True
        start = folded.find(wanted, start + 1)
    return False


def _has_any(alternatives: Iterable[str], folded: Sequence[str]) -> bool:
    return any(stands_in(need, text) for need in alternatives for text in folded)


def _is_inside_number(text: str, start: int, end: int) -> bool:
    before = text[max(0, start - 2) : start]
    after = text[end : end + 2]
    return (text[start].isdecimal() and _is_number_edge(before[::-1])) or (
        text[end - 1].isdecimal() and _is_number_edge(after)
    )


def _is_number_edge(beside: str) -> bool:
    """Return whether a number continues here.

    The argument is the next two characters, nearest first.
    """
    if beside[:1].isdecimal():
        return True
    return beside[:1] in NUMBER_MARKS and beside[1:2].isdecimal()


def _read_question(row: Mapping[str, Any]) -> ReadingQuestion:
    return ReadingQuestion(
        id=row["id"],
        kind=row["kind"],
        language=row["lang"],
        text=row["question"],
        gold=tuple(GoldSpan(span["document"], span["page"], span["text"]) for span in row["gold"]),
        needs=read_needs(row["needs"]),
        note=row["note"],
    )
