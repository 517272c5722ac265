"""An answer written by a model: its sentences are checked as they arrive; those that cite nothing get one
search for support, and those that rules cannot judge are asked about in one call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from shisho.domain.loop_state import Draft
from shisho.domain.model import ModelUse
from shisho.domain.session import CitedSentence
from shisho.language.script import answers_in_language
from shisho.librarian.allowance import ModelAllowance
from shisho.librarian.answer_blocks import list_units
from shisho.librarian.entailment import ask_entailment
from shisho.librarian.model_calls import ModelCalls, mark_unusable
from shisho.librarian.model_replies import AnswerReply, SentenceReply
from shisho.librarian.policy import AnswerInput, SeekSupport, StepResult, quote_evidence
from shisho.librarian.prompting import fence_evidence, list_goals, load_prompt, make_boundary
from shisho.librarian.written_answer import SentenceChecker, count_revisions, write_draft

MAX_SOUGHT = 3  # sentences of one answer that a search is made for


class AnswerWriter:
    """Writes one answer."""

    def __init__(
        self,
        calls: ModelCalls,
        inputs: AnswerInput,
        allowance: ModelAllowance,
        hear: Callable[[str], None],
        seek: SeekSupport,
    ) -> None:
        self._calls = calls
        self._inputs = inputs
        self._allowance = allowance
        self._seek = seek
        self._checker = SentenceChecker(inputs, hear, is_judge_coming="entailment" in calls)

    async def write(self) -> StepResult[Draft]:
        """By the model; by rules where it gives nothing that stands."""
        boundary = make_boundary()
        values = {
            "question": self._inputs.strategy.question,
            "goals": list_goals(self._inputs.strategy.goals),
            "boundary": boundary,
        }
        room = self._calls.measure_room(load_prompt("answer"), values)
        values["evidence"] = fence_evidence(self._inputs.evidence, boundary, room)
        reply, uses = await self._calls.ask("answer", AnswerReply, self._allowance, values, self._listen)
        blocks = () if reply is None else reply.blocks
        sentences = list_units(blocks)
        written = " ".join(sentence.text for sentence in sentences)
        if not answers_in_language(written, self._inputs.strategy.question):
            return StepResult(quote_evidence(self._inputs, "answer_unwritten"), mark_unusable(uses, reply))
        for sentence in sentences:
            self._checker.check(sentence)
        self._checker.reconsider(sentences)
        supplied = await self._supply(sentences)
        judging = await self._judge(sentences)
        mended = [self._checker.check(sentence) for sentence in sentences]
        dropped, rewritten = count_revisions(mended)
        uses = tuple(replace(use, dropped=dropped, rewritten=rewritten, supplied=supplied) for use in uses)
        draft = write_draft(self._checker.inputs, blocks, mended)
        if draft is None:
            head = "answer_unwritten" if uses else ""
            return StepResult(quote_evidence(self._inputs, head), (*mark_unusable(uses, reply), *judging))
        return StepResult(draft, (*uses, *judging))

    def _listen(self, sentence: SentenceReply) -> None:
        if sentence.text.strip():
            self._checker.check(CitedSentence(sentence.text, sentence.cites))

    async def _supply(self, sentences: list[CitedSentence]) -> int:
        """Search for what carries sentences that cite nothing; how many sentences were given a quotation."""
        for sentence in self._checker.find_uncited(sentences)[:MAX_SOUGHT]:
            ref = await self._seek(sentence.text)
            if ref is not None:
                self._checker.supply(sentence, ref)
        return self._checker.supplied

    async def _judge(self, sentences: list[CitedSentence]) -> tuple[ModelUse, ...]:
        """Ask about all sentences that rules are not sure of at once."""
        unsure = self._checker.find_unverified(sentences)
        claims = self._checker.claims(unsure)
        question = self._inputs.strategy.question
        verdicts, uses = await ask_entailment(self._calls, self._allowance, question, claims)
        for number, sentence in enumerate(unsure, 1):
            self._checker.settle(sentence, verdicts.get(number))
        denied = sum(not is_entailed for is_entailed in verdicts.values())
        return tuple(replace(use, rewritten=denied) for use in uses)
