"""Write an answer with a model, and have it checked.

Sentences without citations get one search for support, and a judge reads all of them with their quotations in
one call.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from shisho.domain.inquiry import (
    AnswerNote,
    EvidenceRef,
    NoteRole,
    Sentence,
    SupportOutcome,
    list_sentences,
)
from shisho.domain.loop_state import Draft
from shisho.domain.model import UNFORMED_FAULTS, ModelUse
from shisho.domain.session import SentenceRevision
from shisho.language import is_in_language
from shisho.librarian.allowance import ModelAllowance
from shisho.librarian.answer import frame_answer, list_remarks, show_uncited_passages
from shisho.librarian.answer_blocks import KnownWords, build_blocks, list_units
from shisho.librarian.checking.check import (
    UNCITED,
    AnswerUnit,
    ReadUnit,
    decide,
    read_units,
    summarise_support,
)
from shisho.librarian.checking.search import SupportSearch
from shisho.librarian.evidence import ANSWERING_SCORE, is_by_rules, is_near_duplicate
from shisho.librarian.model_calls import ModelCalls, mark_unusable
from shisho.librarian.model_replies import AnswerReply, BlockReply, JudgeReply, JudgeVerdict
from shisho.librarian.policy import AnswerInput, SeekSupport, StepResult, quote_evidence
from shisho.librarian.prompting import (
    PromptFile,
    fence_claims,
    fence_evidence,
    fence_lines,
    list_goals,
    load_prompt,
    make_boundary,
    size_reply,
)
from shisho.rendering.answer_text import write_numbers

MAX_SOUGHT = 3  # sentences of one answer with a search for support


class AnswerWriter:
    """A writer of one answer."""

    def __init__(
        self,
        calls: ModelCalls,
        inputs: AnswerInput,
        allowance: ModelAllowance,
        hear: Callable[[str], None],
        seek: SeekSupport,
    ) -> None:
        self._calls = calls
        self._inputs = replace(
            inputs,
            evidence=[ref for ref in inputs.evidence if ref.score >= ANSWERING_SCORE or not is_by_rules(ref)],
        )
        self._with_reserve = inputs
        self._allowance = allowance
        self._hear = hear
        self._seek = seek
        self._supplied = 0

    async def write(self) -> StepResult[Draft]:
        """Write with the model; by rules if nothing of its answer is accepted.

        Text that it wrote while reading is tried first.
        """
        judged: tuple[ModelUse, ...] = ()
        if self._inputs.written and self._is_in_language(self._inputs.written):
            draft, _, judged = await self._check_blocks(self._inputs.written)
            if draft is not None:
                return StepResult(draft, judged)
        prompt, values = self._fill_prompt()
        room = self._calls.measure_room(prompt, values)
        values["evidence"] = fence_evidence(self._inputs.evidence, values["boundary"], room)
        reply, uses = await self._calls.ask("answer", AnswerReply, self._allowance, values, prompt=prompt)
        blocks = () if reply is None else reply.blocks
        if not self._is_in_language(blocks):
            uses = (*judged, *mark_unusable(uses, reply))
            return StepResult(self._quote(reply, uses, "answer_unwritten"), uses)
        draft, revisions, judging = await self._check_blocks(blocks)
        dropped, contradicted = _count_changes(revisions)
        uses = tuple(
            replace(use, dropped=dropped, rewritten=contradicted, supplied=self._supplied) for use in uses
        )
        if draft is None:
            head = "answer_unwritten" if uses else ""
            uses = (*judged, *mark_unusable(uses, reply), *judging)
            return StepResult(self._quote(reply, uses, head), uses)
        return StepResult(draft, (*judged, *uses, *judging))

    def _quote(self, reply: AnswerReply | None, uses: Sequence[ModelUse], head: str) -> Draft:
        """Return the quoting answer. If the model replied and can't write, it may not read either.

        A section is no whole answer: the model planned the report and took its quotations.
        """
        if self._inputs.section or (reply is None and not any(use.fault in UNFORMED_FAULTS for use in uses)):
            return quote_evidence(self._inputs, head)
        return _quote_by_rules(self._with_reserve, head)

    def _is_in_language(self, blocks: Sequence[BlockReply]) -> bool:
        written = " ".join(unit.text for unit in list_units(blocks))
        return is_in_language(written, self._inputs.strategy.question)

    async def _check_blocks(
        self, blocks: Sequence[BlockReply]
    ) -> tuple[Draft | None, list[SentenceRevision], tuple[ModelUse, ...]]:
        """Return the answer of these blocks, or None, and the results of its check."""
        units = await self._cite(list_units(blocks))
        revisions, judging = await self._check(units)
        # A section is one text: a passage after it would read like a sentence out of place.
        beside = [] if self._inputs.section else _list_uncited_evidence(self._inputs, revisions)
        if beside and not any(revision.support is SupportOutcome.SUPPORTED for revision in revisions):
            return None, revisions, judging  # what rules are sure of is better
        draft = _write_draft(self._inputs, blocks, revisions, beside)
        if draft is not None:
            self._send_sentences(units, revisions)
        return draft, revisions, judging

    def _fill_prompt(self) -> tuple[PromptFile, dict[str, str]]:
        """Return the prompt, and its values without the quotations."""
        aim = self._inputs.strategy
        values = {"question": aim.question, "goals": list_goals(aim.goals), "boundary": make_boundary()}
        section = self._inputs.section
        if section is None:
            return size_reply(load_prompt("answer"), aim, self._calls.context), values
        lines = [f"{number}. {heading}" for number, heading in enumerate(section.headings, 1)]
        return load_prompt("section"), {
            **values,
            "heading": section.headings[section.number - 1],
            "outline": fence_lines("outline", lines, values["boundary"]),
            "length": section.length,
        }

    async def _cite(self, units: list[AnswerUnit]) -> list[AnswerUnit]:
        """Cite existing evidence, or that of one search, for sentences without citations."""
        search = SupportSearch(self._inputs.evidence, (), self._inputs.strategy.goals)
        cited: list[AnswerUnit] = []
        sought = 0
        for unit in units:
            found = await asyncio.to_thread(search.cite, unit)
            supplied = isinstance(found, AnswerUnit) and found != unit
            if isinstance(found, AnswerUnit):
                unit = found
            (reading,) = await asyncio.to_thread(list, read_units([unit], self._inputs.evidence, ""))
            if reading.refusal == UNCITED and sought < MAX_SOUGHT:
                sought += 1
                ref = await self._seek(unit.text)
                if ref is not None:
                    self._inputs = replace(self._inputs, evidence=(*self._inputs.evidence, ref))
                    unit = replace(unit, cites=(ref.number,))
                    supplied = True
            self._supplied += supplied
            cited.append(unit)
        return cited

    async def _check(
        self, units: Sequence[AnswerUnit]
    ) -> tuple[list[SentenceRevision], tuple[ModelUse, ...]]:
        question = self._inputs.strategy.question
        return await check_units(self._calls, self._allowance, question, units, self._inputs.evidence)

    def _send_sentences(self, units: Sequence[AnswerUnit], revisions: Sequence[SentenceRevision]) -> None:
        """Send each accepted sentence and item; a cell means nothing alone."""
        for unit, revision in zip(units, revisions, strict=True):
            if revision.became == "kept" and not unit.context:
                sentence = Sentence(revision.text, revision.evidence, revision.support, revision.by)
                self._hear(sentence.text + write_numbers(sentence))


def _quote_by_rules(inputs: AnswerInput, head: str) -> Draft:
    """Return the quoting answer of what rules took, as it would be without a model."""
    by_rules = [
        ref if ref.rule_score is None else replace(ref, score=ref.rule_score)
        for ref in inputs.evidence
        if ref.rule_score != 0
    ]
    return quote_evidence(replace(inputs, evidence=by_rules), head)


def _list_uncited_evidence(inputs: AnswerInput, revisions: Sequence[SentenceRevision]) -> list[EvidenceRef]:
    """Return the evidence that rules are sure of, for goals whose best passage the text does not cite.

    Of a passage that it cites, only the words that it does not cite are returned.
    """
    numbers = {number for revision in revisions if revision.became == "kept" for number in revision.evidence}
    cited = [ref for ref in inputs.evidence if ref.number in numbers]
    beside: list[EvidenceRef] = []
    for goal in inputs.strategy.goals:
        refs = [
            replace(ref, score=ref.rule_score or 0.0)
            for ref in inputs.evidence
            if ref.goal_id == goal.id and min(ref.score, ref.rule_score or 0.0) >= ANSWERING_SCORE
        ]
        best = max((ref.score for ref in refs), default=0.0)
        uncited = [ref for ref in refs if not any(_is_repetition(ref, other) for other in cited)]
        if all(ref in uncited for ref in refs if ref.score == best):
            beside += [
                replace(ref, passage="", offset=0)
                if any(_is_in_same_passage(ref, other) for other in cited)
                else ref
                for ref in uncited
            ]
    return beside


def _is_repetition(ref: EvidenceRef, other: EvidenceRef) -> bool:
    """Return whether two quotations have words in common: in one passage, or as copies."""
    if ref.number == other.number or is_near_duplicate(ref.snippet, other.snippet):
        return True
    begin = max(ref.offset, other.offset)
    end = min(ref.offset + len(ref.snippet), other.offset + len(other.snippet))
    return _is_in_same_passage(ref, other) and begin < end


def _is_in_same_passage(ref: EvidenceRef, other: EvidenceRef) -> bool:
    """Return whether two quotations are of one passage, which ends with the sentence of its quotation."""
    shorter, longer = sorted((ref.passage, other.passage), key=len)
    return shorter != "" and ref.heading == other.heading and longer.startswith(shorter)


def _write_draft(
    inputs: AnswerInput,
    replied: Sequence[BlockReply],
    revisions: Sequence[SentenceRevision],
    beside: Sequence[EvidenceRef],
) -> Draft | None:
    """Return the answer of these blocks, or None if no unit with a quotation is accepted.

    Passages that rules are sure of and that it does not cite come after it.
    """
    if not any(revision.became == "kept" and revision.evidence for revision in revisions):
        return None
    blocks = build_blocks(replied, revisions, KnownWords(inputs.strategy.question, inputs.evidence))
    if not any(sentence.evidence for sentence in list_sentences(blocks)):
        return None
    counted = summarise_support(revisions, inputs.strategy.question)
    notes = [AnswerNote(counted, NoteRole.REMARK)] if counted else []
    return frame_answer(
        inputs.strategy,
        inputs.status,
        inputs.evidence,
        inputs.verdict,
        inputs.unsearched,
        "answer_written",
        [
            *blocks,
            *show_uncited_passages(beside, inputs.strategy),
            *list_remarks(inputs.evidence, inputs.strategy),
            *notes,
        ],
        inputs.asked,
    )


def _count_changes(revisions: Sequence[SentenceRevision]) -> tuple[int, int]:
    """Return the number of omitted units and of contradicted ones."""
    became = [revision.became for revision in revisions]
    return became.count("removed"), became.count("contradicted")


async def check_units(
    calls: ModelCalls,
    allowance: ModelAllowance,
    question: str,
    units: Sequence[AnswerUnit],
    evidence: Sequence[EvidenceRef],
) -> tuple[list[SentenceRevision], tuple[ModelUse, ...]]:
    """Return the outcome of each unit, by code and a judge, and the uses of the judge."""
    reading = await asyncio.to_thread(list, read_units(units, evidence, question))
    verdicts, uses = await ask_judge(calls, allowance, question, reading)
    revisions = [decide(unit, verdicts.get(place)) for place, unit in enumerate(reading)]
    contradicted = sum(revision.became == "contradicted" for revision in revisions)
    return revisions, tuple(replace(use, rewritten=contradicted) for use in uses)


async def ask_judge(
    calls: ModelCalls, allowance: ModelAllowance, question: str, units: Sequence[ReadUnit]
) -> tuple[Mapping[int, str], tuple[ModelUse, ...]]:
    """Return the verdict on each unit by its index, if it needs one and fits into the call.

    `question`: empty if the units answer none.
    """
    places = [place for place, unit in enumerate(units) if unit.needs_judge]
    if not places or "judge" not in calls:
        return {}, ()
    boundary = make_boundary()
    values = {"question": question, "boundary": boundary}
    room = calls.measure_room(load_prompt("judge"), values)
    values["claims"], count = fence_claims([units[place] for place in places], boundary, room)
    if not count:
        return {}, ()
    reply, uses = await calls.ask("judge", JudgeReply, allowance, values)
    verdicts = () if reply is None else reply.verdicts
    if any(not 1 <= verdict.sentence <= count for verdict in verdicts):
        return {}, uses  # it numbers sentences in another way, so each verdict may belong to a neighbour
    found: dict[int, set[JudgeVerdict]] = {}
    for verdict in verdicts:
        found.setdefault(verdict.sentence, set()).add(verdict)
    return {
        places[number - 1]: verdict.verdict for number, (verdict, *others) in found.items() if not others
    }, uses
