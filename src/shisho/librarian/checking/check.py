"""Check the sentences, items and cells of an answer against the quotations they cite.

A writer of blocks hands over the units of an answer in their order: each sentence of a paragraph, each item
of a list, each cell of a table, with its `cites` and, as `context`, the words that the reader sees beside it
and that say what it is about (the heading above, the head of the column and of the row, the lead-in of a
list). Headings and empty cells are not units: they need no citation and never get one.

    reading = read_units(units, evidence, question)            # code only; cheap and linear
    verdicts, uses = await ask_judge(calls, allowance, question, reading)   # one call; {} without a judge
    revisions = [decide(unit, verdicts.get(number)) for number, unit in enumerate(reading)]

The revisions are in the order of the units, one for each. `became` says whether a unit stays in the text
(`kept`), is listed under the answer with its quotation (`contradicted`), or is left out (`removed`: it cites
nothing). No unit is ever replaced by other words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from html import unescape
from itertools import accumulate, chain

from shisho.domain.inquiry import EvidenceRef, SupportedBy, SupportOutcome
from shisho.domain.session import SentenceRevision, SupportCounts
from shisho.language import answer_language, is_in_language
from shisho.language.table_headers import spell_out_units
from shisho.language.terms import fold, squeeze
from shisho.librarian.checking.arithmetic import Calculation, work_out
from shisho.librarian.checking.clauses import read_clauses
from shisho.librarian.checking.figures import (
    KnownFigures,
    list_foreign_addresses,
    list_foreign_figures,
    list_misplaced,
    strip_counters,
    unwrap,
)
from shisho.librarian.checking.support import SupportFeatures, load_support_weights, measure_support
from shisho.librarian.checking.unit_text import frame, list_cited_numbers, strip_marks
from shisho.messages.catalogue import translate_word
from shisho.records import dataclass

MAX_UNIT_CHARS = 1_000
MAX_RESULTS = 20  # calculations of other units
MIN_COVERAGE = 0.15  # of a unit by its sources before a judge is believed
UNCITED = ("citation",)  # what a unit lacks that cites nothing
UNCHECKED = ("unchecked",)  # and one that was not reached in time
SUPPORTED = "supported"  # verdicts of a judge
CONTRADICTED = "contradicted"


@dataclass(frozen=True, slots=True)
class AnswerUnit:
    """A sentence, an item of a list or a cell of a table, as its writer gave it."""

    text: str
    cites: tuple[int, ...] = ()
    context: str = ""


@dataclass(frozen=True, slots=True)
class ReadUnit:
    """A unit as code reads it.

    `refs`: the evidence that it cites. `is_frame`: it states nothing. `suspect`: the figures that its sources
    do not have, or have for another thing, and wrong calculations. `is_misplaced`: some stand there for
    another thing. `is_foreign`: it has next to no word of its sources, in their language, or is in another
    language than the question.
    `features`: what the score of support sees. `refusal`: why it can't stand, whatever a judge says.
    """

    text: str
    context: str
    refs: tuple[EvidenceRef, ...]
    unknown: tuple[int, ...]
    is_frame: bool = False
    is_quotation: bool = False
    is_misplaced: bool = False
    is_foreign: bool = False
    suspect: tuple[str, ...] = ()
    features: SupportFeatures | None = None
    refusal: tuple[str, ...] = ()

    @property
    def needs_judge(self) -> bool:
        return not (self.refusal or self.is_frame or self.is_quotation)

    @property
    def is_supported_by_code(self) -> bool:
        """True if code alone supports the unit. A cell does not say of which row it is."""
        if self.context or self.suspect or self.features is None:
            return False
        return load_support_weights().is_supported(self.features)


def read_units(
    units: Iterable[AnswerUnit], evidence: Sequence[EvidenceRef], question: str
) -> Iterator[ReadUnit]:
    """Read each unit beside its sources. A figure may be computed from those of the units around it."""
    refs = {ref.number: ref for ref in evidence}
    read = [_read_unit(unit, refs) for unit in units]
    quotations = [_quote(unit.refs) for unit in read]
    figures = [
        KnownFigures(
            "\n".join([*quotations[place], *_list_names(unit), *(ref.context for ref in unit.refs)]),
            question,
            beside="\n".join(
                chain(*quotations[max(0, place - 1) : place], *quotations[place + 1 : place + 2])
            ),
        )
        for place, unit in enumerate(read)
    ]
    calculations: list[Sequence[Calculation]] = []
    for unit, sources in zip(read, figures, strict=True):
        known = replace(sources, results=_list_results(calculations))
        calculations.append(work_out(strip_counters(unit.text), f"{known.text}\n{known.beside}"))
    for place, unit in enumerate(read):
        if not unit.needs_judge:
            yield unit
            continue
        sources = replace(
            figures[place], results=_list_results(calculations[:place] + calculations[place + 1 :])
        )
        yield _compare(unit, quotations[place], sources, calculations[place])


def decide(unit: ReadUnit, verdict: str | None = None) -> SentenceRevision:
    """Return what becomes of a unit. `verdict`: of a judge, None without one."""
    if unit.refusal:
        return _revise(unit, "removed", None, None, unit.refusal)
    if unit.is_frame:
        return _revise(unit, "kept", None)
    if unit.is_quotation:
        return _revise(unit, "kept", SupportOutcome.SUPPORTED, SupportedBy.QUOTATION)
    if verdict is None:
        return _decide_by_code(unit)
    if verdict == SUPPORTED:
        if not unit.suspect and not unit.is_foreign:
            return _revise(unit, "kept", SupportOutcome.SUPPORTED, SupportedBy.JUDGE)
        return _revise(unit, "kept", SupportOutcome.UNVERIFIED, None, unit.suspect or ("words",))
    if verdict == CONTRADICTED or unit.suspect:
        return _revise(unit, "contradicted", SupportOutcome.CONTRADICTED, None, unit.suspect or (verdict,))
    return _revise(unit, "kept", SupportOutcome.UNVERIFIED, None, (verdict,))


def check_units(
    units: Iterable[AnswerUnit], evidence: Sequence[EvidenceRef], question: str
) -> Iterator[SentenceRevision]:
    """Check units without a judge."""
    return map(decide, read_units(units, evidence, question))


def leave_unchecked(unit: AnswerUnit, evidence: Sequence[EvidenceRef]) -> SentenceRevision:
    """Return a unit that was not reached in time: unverified if it cites evidence, else left out."""
    read = _read_unit(unit, {ref.number: ref for ref in evidence})
    if not read.refs:
        return _revise(read, "removed", None, None, (*UNCITED, *UNCHECKED))
    return _revise(read, "kept", SupportOutcome.UNVERIFIED, None, UNCHECKED)


def count_outcomes(revisions: Sequence[SentenceRevision]) -> SupportCounts:
    """Count units by outcome. Frames, which state nothing themselves, have none."""
    outcomes = [revision.support for revision in revisions]
    return SupportCounts(
        supported=outcomes.count(SupportOutcome.SUPPORTED),
        unverified=outcomes.count(SupportOutcome.UNVERIFIED),
        contradicted=outcomes.count(SupportOutcome.CONTRADICTED),
        removed=sum(revision.became == "removed" for revision in revisions),
        by_judge=sum(revision.by is SupportedBy.JUDGE for revision in revisions),
    )


def summarise_support(revisions: Sequence[SentenceRevision], question: str) -> str:
    """Return a line with how many units came out how; empty if code and quotations support all of them."""
    counted = count_outcomes(revisions)
    if not (counted.unverified or counted.contradicted or counted.removed or counted.by_judge):
        return ""
    names = ("supported", "by_judge", "unverified", "contradicted", "removed")
    figures = {name: str(getattr(counted, name)) for name in names}
    return translate_word("checked_counts", answer_language(question), **figures)


def _read_unit(unit: AnswerUnit, refs: dict[int, EvidenceRef]) -> ReadUnit:
    cited = tuple(dict.fromkeys((*unit.cites, *list_cited_numbers(unit.text))))
    found_refs = tuple(refs[number] for number in cited if number in refs)
    unknown = tuple(number for number in cited if number not in refs)
    if len(unit.text) > MAX_UNIT_CHARS:
        return ReadUnit(unit.text[:MAX_UNIT_CHARS], unit.context, (), unknown, refusal=("sentence",))
    text = strip_marks(unit.text)
    if not found_refs:
        is_frame = frame(text)
        return ReadUnit(text, unit.context, (), unknown, is_frame, refusal=() if is_frame else UNCITED)
    return ReadUnit(
        text,
        unit.context,
        found_refs,
        unknown,
        is_quotation=not unit.context and _is_quotation(text, found_refs),
    )


def _list_results(calculations: Iterable[Sequence[Calculation]]) -> tuple[str, ...]:
    right = [each.text for of_unit in calculations for each in of_unit if each.is_right]
    return tuple(right[:MAX_RESULTS])


def _compare(
    unit: ReadUnit, quotations: Sequence[str], sources: KnownFigures, calculations: Sequence[Calculation]
) -> ReadUnit:
    addresses = list_foreign_addresses(unit.text, sources.text)
    if addresses:  # no reading makes an address out of others
        return ReadUnit(unit.text, unit.context, unit.refs, unit.unknown, refusal=("address",))
    foreign = list_foreign_figures(unit.text, sources, calculations)
    text = strip_counters(unit.text)
    headings = [*_list_names(unit), *(ref.context for ref in unit.refs)]
    misplaced = list_misplaced(
        text, quotations, [*headings, sources.question], "\n".join([sources.question, *sources.results])
    )
    features = measure_support(text, quotations, headings)
    has_words = any(clause.content for clause in read_clauses(unit.text))  # 「している」 has none
    is_foreign = (
        has_words
        and features.coverage < MIN_COVERAGE
        and answer_language(unit.text) == answer_language("".join(quotations))
    )
    return ReadUnit(
        unit.text,
        unit.context,
        unit.refs,
        unit.unknown,
        is_misplaced=bool(misplaced),
        is_foreign=is_foreign or not is_in_language(unit.text, sources.question),
        suspect=foreign or misplaced,
        features=features,
    )


def _decide_by_code(unit: ReadUnit) -> SentenceRevision:
    if unit.is_misplaced:
        return _revise(unit, "contradicted", SupportOutcome.CONTRADICTED, None, unit.suspect)
    if unit.is_supported_by_code:
        return _revise(unit, "kept", SupportOutcome.SUPPORTED, SupportedBy.CODE)
    return _revise(unit, "kept", SupportOutcome.UNVERIFIED, None, unit.suspect or ("words",))


def _revise(
    unit: ReadUnit,
    became: str,
    support: SupportOutcome | None,
    by: SupportedBy | None = None,
    lacking: tuple[str, ...] = (),
) -> SentenceRevision:
    numbers = () if became == "removed" else tuple(ref.number for ref in unit.refs)
    return SentenceRevision(unit.text, became, support, numbers, unit.unknown, lacking, by)


def _list_names(unit: ReadUnit) -> list[str]:
    return [unit.context, *(f"{ref.heading}\n{ref.table_header}".strip() for ref in unit.refs)]


def _quote(refs: Iterable[EvidenceRef]) -> list[str]:
    # Some collections keep &amp;.
    return [unwrap(spell_out_units(unescape(ref.snippet), ref.context)) for ref in refs]


def _is_quotation(text: str, refs: Iterable[EvidenceRef]) -> bool:
    """Return whether the text is one or several whole sentences of a quotation."""
    bare = "".join(_list_bare(text))
    for ref in refs:
        lines = _list_bare(ref.snippet)
        borders = {0, *accumulate(map(len, lines))}
        at = "".join(lines).find(bare) if bare else -1
        if at in borders and at + len(bare) in borders:
            return True
    return False


def _list_bare(text: str) -> list[str]:
    return [squeeze(fold(line)).strip("「」『』“”\"'。.") for line in unwrap(text).split("\n")]
