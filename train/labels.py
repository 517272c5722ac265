"""Questions with known answers, and the collections that they are asked of.

Each set was written by other people than the next, so leaving one out measures what strangers will see."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from shisho.domain.corpus import Citation, NumberedPassage
from shisho.evaluation import load
from shisho.evaluation.reading import find_missing_needs

ROOT = Path(__file__).parent.parent
READING_SETS = ("train", "dev", "test", "blind", "fresh", "further", "later")
PDF_SET = "eval-pdf-ja"
ENCYCLOPEDIA_SETS = ("niilc-dev", "jsquad-valid", "jaquad-dev")
ENCYCLOPEDIA_QUESTIONS = 400  # of each set, chosen by the hash of their ids

Grade = Callable[[NumberedPassage, Citation, str], float]
"""How much of the answer a text of this passage holds, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """A question with what its answer must hold.

    `grade` judges a passage or a sentence of it; `holds` whether several texts together hold the answer.
    `gold_sources`: documents that are left out of its twin that nothing answers; empty if it has no twin."""

    set_name: str
    collection: str
    id: str
    text: str
    is_absent: bool
    grade: Grade
    holds: Callable[[Sequence[str], Sequence[float]], bool]
    gold_sources: frozenset[str] = frozenset()


def load_questions(shared: Path) -> list[LabelledQuestion]:
    """Return the questions of all sets."""
    questions = [question for name in READING_SETS for question in _load_reading(name)]
    questions += _load_pdf(shared / PDF_SET)
    for name in ENCYCLOPEDIA_SETS:
        questions += _load_encyclopedia(shared / "eval" / name)
    return questions


def _load_reading(name: str) -> list[LabelledQuestion]:
    path = ROOT / "eval" / "reading" / f"{name}.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [
        LabelledQuestion(
            name,
            "reading",
            row["id"],
            row["question"],
            not row["needs"],
            _grade_needs(row["needs"]),
            _hold_needs(row["needs"]),
        )
        for row in rows
    ]


def _load_pdf(folder: Path) -> list[LabelledQuestion]:
    rows = [json.loads(line) for line in (folder / "questions.jsonl").read_text("utf-8").splitlines()]
    return [
        LabelledQuestion(
            PDF_SET,
            PDF_SET,
            row["id"],
            row["question"],
            False,
            _grade_page(row["document"], row["page"]),
            _hold_any,
        )
        for row in rows
    ]


def _load_encyclopedia(folder: Path) -> list[LabelledQuestion]:
    eval_set = load(folder)
    answerable = [question for question in eval_set.questions if question.answers]
    answerable.sort(key=lambda question: sha256(question.id.encode()).digest())
    return [
        LabelledQuestion(
            folder.name,
            folder.name,
            question.id,
            question.text,
            False,
            _grade_gold(gold := frozenset(eval_set.judged[question.id]), [list(question.answers)]),
            _hold_any,
            gold,
        )
        for question in answerable[:ENCYCLOPEDIA_QUESTIONS]
    ]


def _grade_needs(needs: Sequence[Sequence[str]]) -> Grade:
    def grade(passage: NumberedPassage, source: Citation, text: str) -> float:
        return 1 - len(find_missing_needs(needs, [text])) / len(needs) if needs else 0.0

    return grade


def _grade_page(document: str, page: int) -> Grade:
    def grade(passage: NumberedPassage, source: Citation, text: str) -> float:
        return float(Path(source.source).name == document and source.page == page)

    return grade


def _grade_gold(gold: frozenset[str], needs: Sequence[Sequence[str]]) -> Grade:
    def grade(passage: NumberedPassage, source: Citation, text: str) -> float:
        return float(source.source in gold and not find_missing_needs(needs, [text]))

    return grade


def _hold_needs(needs: Sequence[Sequence[str]]) -> Callable[[Sequence[str], Sequence[float]], bool]:
    return lambda texts, grades: bool(needs) and not find_missing_needs(needs, texts)


def _hold_any(texts: Sequence[str], grades: Sequence[float]) -> bool:
    return max(grades, default=0.0) > 0
