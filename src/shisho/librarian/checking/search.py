"""Search what was found and shown for the words that support a sentence without a citation."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import log1p

from shisho.domain.corpus import NumberedPassage
from shisho.domain.inquiry import EvidenceRef, Finding, Goal
from shisho.language.sentences import split_sentences as sentence_spans
from shisho.language.terms import fold, split_terms
from shisho.librarian.checking.check import AnswerUnit, check_units
from shisho.librarian.checking.unit_text import frame, list_cited_numbers, strip_marks
from shisho.librarian.evidence import ANSWERING_SCORE
from shisho.records import dataclass

MAX_COMPARED = 8  # candidates that are compared closely with one sentence, of evidence and of passages each


class SupportSearch:
    """A search for evidence that supports a sentence.

    Candidates are chosen by their index terms, and only the nearest few are compared closely, so the cost is
    linear in the shown passages and in the sentences.
    """

    def __init__(
        self,
        evidence: Sequence[EvidenceRef],
        passages: Sequence[NumberedPassage],
        goals: Sequence[Goal],
    ) -> None:
        self._numbers = {ref.number for ref in evidence}
        self._goals = [(goal.id, _read_terms(goal.question)) for goal in goals]
        self._evidence = _Candidates(_Candidate(ref.number, ref.snippet, ref.heading) for ref in evidence)
        self._lines = _Candidates(
            _Candidate(passage.temp_index, passage.text[start:end], passage.heading)
            for passage in passages
            for start, end in sentence_spans(passage.text)
        )

    def cite(self, unit: AnswerUnit) -> AnswerUnit | Finding:
        """Return the unit with the evidence that supports it, or a Finding if only a shown passage does.

        A unit that cites evidence, is a frame, or has no support is returned unchanged.
        """
        text = strip_marks(unit.text)
        if self._numbers.intersection((*unit.cites, *list_cited_numbers(unit.text))) or frame(text):
            return unit
        words = _read_terms(text)
        for ref in self._evidence.find_nearest(words):
            if ref.supports(text):
                return replace(unit, cites=(*unit.cites, ref.number))
        return self._find_line(text, words) or unit

    def find(self, text: str) -> Finding | None:
        """Return the sentence of a passage that supports the text, for the goal that it is nearest to."""
        text = strip_marks(text)
        return self._find_line(text, _read_terms(text))

    def _find_line(self, text: str, words: frozenset[str]) -> Finding | None:
        for line in self._lines.find_nearest(words):
            if line.supports(text):
                goal_id, _ = max(self._goals, key=lambda goal: len(words & goal[1]))
                return Finding(line.number, goal_id, line.text, ANSWERING_SCORE)
        return None


@dataclass(frozen=True, slots=True)
class _Candidate:
    number: int
    text: str
    heading: str

    def supports(self, sentence: str) -> bool:
        ref = EvidenceRef(1, "", self.text, self.heading, 0, 0)
        (revision,) = check_units([AnswerUnit(sentence, (1,))], [ref], "")
        return revision.support == "supported"


class _Candidates:
    """Candidates by their terms; what is computed of one is shared by all sentences."""

    def __init__(self, candidates: Iterable[_Candidate]) -> None:
        self._rows = [(each, _read_terms(f"{each.heading}\n{each.text}")) for each in candidates]
        counts = Counter(word for _, words in self._rows for word in words)
        self._weights = {word: log1p(len(self._rows) / count) for word, count in counts.items()}

    def find_nearest(self, words: frozenset[str]) -> list[_Candidate]:
        """Return the candidates with most of these terms in common, rare terms counting more.

        Equal ones keep their order.
        """
        scored = [
            (sum(self._weights[word] for word in words & own_words), candidate)
            for candidate, own_words in self._rows
        ]
        near = heapq.nlargest(MAX_COMPARED, scored, key=lambda row: row[0])
        return [candidate for score, candidate in near if score]


def _read_terms(text: str) -> frozenset[str]:
    return frozenset(split_terms(fold(text)))
