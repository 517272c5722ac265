"""Mend an assistant's sentences: each is checked against what it cites, and the answer says how it came
out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from shisho.domain.corpus import NumberedPassage
from shisho.domain.inquiry import EvidenceRef, Finding, Goal, Sentence, SupportOutcome
from shisho.domain.session import CitedSentence, SentenceRevision, SupportCounts
from shisho.language.display import running
from shisho.language.script import answer_language
from shisho.language.sentences import sentences as sentence_spans
from shisho.language.terms import fold, terms
from shisho.librarian.evaluate import ENOUGH
from shisho.librarian.frames import frame
from shisho.librarian.support import check
from shisho.messages.catalogue import word

MAX_SOUGHT = 400  # sentences of shown passages that are read closely in search of support, those with most words in common

_NUMBERS = re.compile(r"\s*[\[［【]\s*(\d{1,9}(?:\s*[,、，;]\s*\d{1,9})*)\s*[\]］】]")


def cite(
    evidence: Sequence[EvidenceRef], shown: Sequence[NumberedPassage], goals: Sequence[Goal], said: CitedSentence
) -> CitedSentence | Finding:
    """The sentence with the evidence that carries it, where it cites none that stands; else as it is."""
    text, cited = _read(said)
    if {one.number for one in evidence}.intersection(cited) or not text or frame(text):
        return said
    for one in evidence:
        if _carries(one.snippet, one.heading, text):
            return replace(said, cites=(*said.cites, one.number))
    return _sought(shown, goals, text) or said


def mend(said: CitedSentence, held: Mapping[int, EvidenceRef], question: str) -> tuple[Sentence | None, SentenceRevision]:
    """The sentence as it may stand, and what was done to it. None: nothing carries it."""
    text, cited = _read(said)
    numbers = tuple(number for number in cited if number in held)
    unknown = tuple(number for number in cited if number not in held)
    if not numbers:
        if frame(text):
            return Sentence(text, (), None), SentenceRevision(text, "kept", None, (), unknown, ())
        return None, SentenceRevision(text, "removed", None, (), unknown, ("citation",))
    quotations = [held[number].snippet for number in numbers]
    support = check(text, quotations, [held[number].heading for number in numbers], question)
    if support.outcome is SupportOutcome.ALTERED:
        sentence = Sentence(_quotation(quotations, question), numbers, support.outcome)
        return sentence, SentenceRevision(text, "replaced", support.outcome, numbers, unknown, support.missing)
    return Sentence(text, numbers, support.outcome), SentenceRevision(
        text, "kept", support.outcome, numbers, unknown, support.missing
    )


def counts(mended: Sequence[SentenceRevision]) -> SupportCounts:
    """How many sentences came out how. Frames are not counted."""
    outcomes = Counter(one.support for one in mended)
    removed = sum(one.became == "removed" for one in mended)
    supported, unverified, altered = (outcomes[outcome] for outcome in SupportOutcome)
    return SupportCounts(supported, unverified, altered, removed)


def render(question: str, held: Mapping[int, EvidenceRef], sentences: Sequence[Sentence], counted: SupportCounts) -> str:
    """Each sentence with its numbers and, unless it is supported, what came of its check; then the counts."""
    language = answer_language(question)
    lines = [_line(one, held, question) for one in sentences] or [word("mended_nothing", language)]
    if counted.unverified or counted.altered or counted.removed:
        figures = {
            "supported": counted.supported,
            "unverified": counted.unverified,
            "altered": counted.altered,
            "removed": counted.removed,
        }
        lines += ["", word("mended_counts", language, **figures)]
    return "\n".join(lines)


def _line(sentence: Sentence, held: Mapping[int, EvidenceRef], question: str) -> str:
    numbers = "".join(f" [{number}]" for number in sentence.evidence)
    if sentence.support in (None, SupportOutcome.SUPPORTED):
        return sentence.text + numbers
    quotation = _quotation([held[number].snippet for number in sentence.evidence], question)
    key = f"mended_{sentence.support}"
    return word(key, answer_language(question), text=sentence.text, numbers=numbers, quotation=quotation)


def _quotation(snippets: Sequence[str], question: str) -> str:
    language = answer_language(question)
    return " ".join(word("answer_quote", language, text=running(snippet)) for snippet in snippets)


def _read(said: CitedSentence) -> tuple[str, tuple[int, ...]]:
    """The bare sentence, and the numbers it cites, in the call or in its words."""
    written = [int(number) for marks in _NUMBERS.findall(said.text) for number in re.findall(r"\d+", marks)]
    return " ".join(_NUMBERS.sub("", said.text).split()), tuple(dict.fromkeys([*said.cites, *written]))


def _carries(quotation: str, heading: str, text: str) -> bool:
    return check(text, [quotation], [heading]).outcome is SupportOutcome.SUPPORTED


def _sought(shown: Sequence[NumberedPassage], goals: Sequence[Goal], text: str) -> Finding | None:
    """The sentence of a shown passage that carries the text, for the goal that it is nearest to."""
    words = frozenset(terms(fold(text)))
    lines = [(one, one.text[start:end]) for one in shown for start, end in sentence_spans(one.text)]
    near = sorted(lines, key=lambda line: -len(words.intersection(terms(fold(line[1])))))[:MAX_SOUGHT]
    for one, line in near:
        if _carries(line, one.heading, text):
            goal = max(goals, key=lambda goal: len(words.intersection(terms(fold(goal.question)))))
            return Finding(one.temp_index, goal.id, line, ENOUGH)
    return None
