"""Mend an assistant's sentences: each is checked against what it cites, and the answer says how it came
out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from shisho.domain.inquiry import EvidenceRef, Sentence, SupportOutcome
from shisho.domain.session import CitedSentence, SentenceRevision, SupportCounts
from shisho.language.display import join_lines, make_legible
from shisho.language.script import answer_language
from shisho.librarian.cited_support import check_cited
from shisho.librarian.frames import frame
from shisho.messages.catalogue import word

UNCHECKED = ("unchecked",)  # what a sentence lacks that the time of its call did not suffice for

# As models mark what they cite: [1, 2] [1-3] 【1†source】 [^1] [quotation 1] (quotations 1 and 2) （引用1）
# Neither the digits [0-9] nor the years [2019-2021].
_SPAN = r"(?:(?![0０])\d{1,3}\s{0,3}[-–〜～~]\s{0,3}(?![0０])\d{1,3}(?!\d)|(?![0０])\d{1,9})"
_NUMBERED = rf"\s{{0,3}}(?P<%s>{_SPAN}(?:\s{{0,3}}(?:[,、，;・と]|and)\s{{0,3}}{_SPAN}){{0,40}})\s{{0,3}}"
_CITED = re.compile(r"(\d+)(?:\s*[-–〜～~]\s*(\d+))?")
LONGEST_RANGE = 40
_BOLD = re.compile(
    r"(?<![A-Za-z0-9_)\]*])\*{2,3}(?=[\w「『（(“])([^*]{1,400})(?<=[\w」』）)”。、])\*{2,3}(?![A-Za-z0-9_(*])"
)
# Neither a minus nor a sign that is spoken of: "- 40℃", 「* 印は」
_LIST_MARK = re.compile(r"^\s*(?:[-•]\s+(?!\d)|#{2,6}\s+|\*\s+(?![印記]))")
_NAMED = r"\s{0,3}(?:quotations?|quotes?|sources?|引用文?|出典)"
_MARKS = re.compile(
    rf"\s{{0,3}}(?:[\[［【]\^?(?:{_NAMED})?{_NUMBERED % 'bracketed'}(?:†[^\]］】]{{0,80}})?[\]］】]"
    rf"|[(（]{_NAMED}{_NUMBERED % 'named'}[)）])",
    re.IGNORECASE,
)


def mend(
    said_sentence: CitedSentence,
    refs: Mapping[int, EvidenceRef],
    question: str,
    worked: Sequence[str] = (),
) -> tuple[Sentence | None, SentenceRevision]:
    """The sentence as it may stand, and what was done to it. None: nothing carries it. `worked`: calculations
    of other sentences that rest on the same quotations."""
    text, cited = _read(said_sentence)
    numbers = tuple(number for number in cited if number in refs)
    unknown = tuple(number for number in cited if number not in refs)
    if not numbers:
        if frame(text):
            return Sentence(text, (), None), SentenceRevision(text, "kept", None, (), unknown, ())
        return None, SentenceRevision(text, "removed", None, (), unknown, ("citation",))
    said_text = text
    text, support = check_cited(text, [refs[number] for number in numbers], question, worked)
    revision = SentenceRevision(said_text, "kept", support.outcome, numbers, unknown, support.missing)
    if support.outcome is SupportOutcome.ALTERED:
        cited_refs = [refs[number] for number in numbers]
        return replace_by_quotations(revision, numbers, cited_refs, question, support.missing)
    return Sentence(text, numbers, support.outcome), revision


def leave_unchecked(
    said_sentence: CitedSentence, refs: Mapping[int, EvidenceRef]
) -> tuple[Sentence | None, SentenceRevision]:
    """Return a sentence that was not reached in time: unverified if it cites evidence, else left out."""
    text, cited = _read(said_sentence)
    numbers = tuple(number for number in cited if number in refs)
    unknown = tuple(number for number in cited if number not in refs)
    if not numbers:
        return None, SentenceRevision(text, "removed", None, (), unknown, ("citation", *UNCHECKED))
    support = SupportOutcome.UNVERIFIED
    return Sentence(text, numbers, support), SentenceRevision(
        text, "kept", support, numbers, unknown, UNCHECKED
    )


def replace_by_quotations(
    revision: SentenceRevision,
    numbers: tuple[int, ...],
    refs: Sequence[EvidenceRef],
    question: str,
    lacking: tuple[str, ...],
) -> tuple[Sentence, SentenceRevision]:
    """The quotations in the place of a sentence that says something else than they do."""
    altered = SupportOutcome.ALTERED
    text = _quotation([ref.snippet for ref in refs], question)
    return Sentence(text, numbers, altered), replace(
        revision, became="replaced", support=altered, lacking=lacking
    )


def list_cited_numbers(said_sentence: CitedSentence) -> tuple[int, ...]:
    """The numbers that a sentence cites, in the call or in its words."""
    return _read(said_sentence)[1]


def counts(mended: Sequence[SentenceRevision]) -> SupportCounts:
    """How many sentences came out how. Frames are not counted."""
    outcomes = Counter(sentence_revision.support for sentence_revision in mended)
    removed = sum(sentence_revision.became == "removed" for sentence_revision in mended)
    supported, unverified, altered = (outcomes[outcome] for outcome in SupportOutcome)
    return SupportCounts(supported, unverified, altered, removed)


def say_counts(revisions: Sequence[SentenceRevision], question: str) -> str:
    """Return a line with how many sentences came out how; "" if all are supported."""
    counted = counts(revisions)
    if not (counted.unverified or counted.altered or counted.removed):
        return ""
    figures = {
        name: str(getattr(counted, name)) for name in ("supported", "unverified", "altered", "removed")
    }
    return word("mended_counts", answer_language(question), **figures)


def _quotation(snippets: Sequence[str], question: str) -> str:
    language = answer_language(question)
    return " ".join(word("answer_quote", language, text=join_lines(snippet)) for snippet in snippets)


def _read(said_sentence: CitedSentence) -> tuple[str, tuple[int, ...]]:
    """The bare sentence, and the numbers it cites, in the call or in its words."""
    marks = [mark["bracketed"] or mark["named"] for mark in _MARKS.finditer(said_sentence.text)]
    written = [number for mark in marks for number in _list_numbers(mark)]
    return strip_marks(said_sentence.text), tuple(dict.fromkeys([*said_sentence.cites, *written]))


def _list_numbers(mark: str) -> Iterator[int]:
    for first, last in _CITED.findall(mark):
        is_range = last and 0 < int(last) - int(first) < LONGEST_RANGE
        yield from range(int(first), int(last) + 1) if is_range else map(int, filter(None, (first, last)))


def strip_marks(text: str) -> str:
    """Return a sentence on one line without its citations, invisible characters and Markdown."""
    plain = _BOLD.sub(r"\1", _LIST_MARK.sub("", _MARKS.sub("", text)))
    return " ".join(make_legible(plain).split())
