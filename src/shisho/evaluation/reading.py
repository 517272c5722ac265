"""Questions put to real documents: what a right quotation must hold, and what came of asking."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import Any

from shisho.domain.inquiry import Answer
from shisho.errors import InvalidParams

HALVES = ("dev", "test")
TRAIN = "train"  # questions by two more writers, to fit on
BLIND = "blind"  # questions by others than who made the rules; read since
FRESH = "fresh"  # questions to documents of which no other set asks
FURTHER = "further"  # questions by somebody who had seen no rules, most to pages of which no other set asks
LATER = "later"  # questions by somebody else who had seen no rules either
NOT_THERE = "not there"
NUMBER_MARKS = ".,"
USELESS_SPACE = re.compile(r"(?<!\d) | (?!\d)")


@dataclass(frozen=True, slots=True)
class GoldSpan:
    """Where an answer stands: the words as Shisho stores them, the file's name, the page (from 1) of a
    PDF."""

    document: str
    page: int | None
    text: str


@dataclass(frozen=True, slots=True)
class ReadingQuestion:
    """A question by hand. `needs`: of each list, one string must stand in the quotations; none where no
    document answers."""

    id: str
    kind: str
    language: str
    text: str
    gold: tuple[GoldSpan, ...]
    needs: tuple[tuple[str, ...], ...]
    note: str = ""

    @property
    def half(self) -> str:
        """dev or test: the id decides, so that no look at the answers can."""
        return HALVES[int(sha256(self.id.encode()).hexdigest()[0], 16) % 2]


class ReadingOutcome(StrEnum):
    """The outcome of a question. `right`: printed as an answer, and its quotations hold every need. `wrong`:
    printed as an answer without. `related`: not printed as an answer, or with a part said to be missing, and
    some need stands there. `abstained`: nothing is claimed, and nothing of use was shown."""

    RIGHT = "right"
    RELATED = "related"
    WRONG = "wrong"
    ABSTAINED = "abstained"


def load_questions(path: Path) -> list[ReadingQuestion]:
    """A question a line. Raises InvalidParams that says where."""
    questions = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        try:
            questions.append(_question(json.loads(line)))
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidParams(
                "eval.bad_question",
                name=path.name,
                number=number,
            ) from error
    return questions


def judge(question: ReadingQuestion, answer: Answer) -> ReadingOutcome:
    """Judge an answer. A question that nothing answers has only two outcomes, `abstained` and `wrong`."""
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
    """The needs of which no alternative stands in any one quotation."""
    folded = [fold_text(quotation) for quotation in quotations]
    return tuple(tuple(alternatives) for alternatives in needs if not _any_stands(alternatives, folded))


def read_needs(lists: Iterable[Iterable[str]]) -> tuple[tuple[str, ...], ...]:
    """The needs of a line, each with its alternatives. Raises ValueError."""
    needs = tuple(map(tuple, lists))
    if not all(alternatives and all(map(str.strip, alternatives)) for alternatives in needs):
        raise ValueError("a need is blank")
    return needs


def fold_text(text: str) -> str:
    """Compatible forms made one, small letters, no space but between two figures: what a line break or a
    full-width figure changes is gone, and two cells of a table do not become one number."""
    spaced = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return USELESS_SPACE.sub("", spaced)


def stands_in(need: str, folded: str) -> bool:
    """Does the need stand in the folded text, and is it no part of a longer number: 25 is not in 2.25?"""
    wanted = fold_text(need)
    start = folded.find(wanted)
    while start >= 0:
        if not _cuts_number(folded, start, start + len(wanted)):
            return True
        start = folded.find(wanted, start + 1)
    return False


def _any_stands(alternatives: Iterable[str], folded: Sequence[str]) -> bool:
    return any(stands_in(need, text) for need in alternatives for text in folded)


def _cuts_number(text: str, start: int, end: int) -> bool:
    before = text[max(0, start - 2) : start]
    after = text[end : end + 2]
    return (text[start].isdecimal() and _is_number_edge(before[::-1])) or (
        text[end - 1].isdecimal() and _is_number_edge(after)
    )


def _is_number_edge(beside: str) -> bool:
    """Does a number go on here? `beside`: the next two characters, nearest first."""
    if beside[:1].isdecimal():
        return True
    return beside[:1] in NUMBER_MARKS and beside[1:2].isdecimal()


def _question(row: Mapping[str, Any]) -> ReadingQuestion:
    return ReadingQuestion(
        id=row["id"],
        kind=row["kind"],
        language=row["lang"],
        text=row["question"],
        gold=tuple(GoldSpan(span["document"], span["page"], span["text"]) for span in row["gold"]),
        needs=read_needs(row["needs"]),
        note=row["note"],
    )
