"""Rules for an assistant that is its own librarian: its goals, its findings, its sentences.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite

from shisho.domain.corpus import NumberedPassage
from shisho.domain.inquiry import (
    AnswerBlock,
    AnswerNote,
    EvidenceRef,
    Finding,
    GoalStatus,
    NoteRole,
    Strategy,
)
from shisho.domain.requirements import Requirements
from shisho.domain.session import SentenceRevision, StoredEvidence, SupportCounts
from shisho.language import answer_language
from shisho.librarian.answer_blocks import build_flat
from shisho.librarian.checking.check import count_outcomes, summarise_support
from shisho.librarian.evidence import Citations, VerifiedQuote, is_informative, verify, with_table_header
from shisho.librarian.route import is_condition_met, open_goals
from shisho.librarian.strategy import strategy
from shisho.messages import Message
from shisho.messages.catalogue import translate_word
from shisho.rendering.answer_text import write_text


class Assistant:
    """The librarian's rules for sessions of an assistant: `services.sessions`."""

    def aim(self, question: str, required: Requirements) -> Strategy:
        """Make the strategy. Raises: the errors of `strategy`."""
        return strategy(question, required)

    def judge(
        self, finding: Finding, passages: Sequence[NumberedPassage], aim: Strategy
    ) -> VerifiedQuote | str:
        """Return the finding as a span of a shown passage, or why it is rejected."""
        if finding.goal_id not in {goal.id for goal in aim.goals}:
            return Message("finding.unknown_goal", goal=finding.goal_id)
        if not (isfinite(finding.score) and 0 <= finding.score <= 1):
            return Message("finding.bad_score")
        if not any(passage.temp_index == finding.index for passage in passages):
            return Message("finding.unknown_passage", number=finding.index)
        if not is_informative(finding.snippet):
            return Message("finding.too_short")
        return verify(finding, passages) or Message("finding.not_in_passage")

    def status(
        self, aim: Strategy, refs: Sequence[StoredEvidence], *, is_over: bool
    ) -> tuple[tuple[GoalStatus, ...], bool]:
        """Return the progress of each goal, and whether the condition is true.

        `is_over`: the search has ended, so that goals without evidence count as absent.
        """
        citations = Citations()
        numbered = [replace(stand.ref, number=citations.take(stand.citation)) for stand in refs]
        status = citations.status(aim.goals, numbered)
        return status, is_condition_met(aim, status, is_over=is_over)

    def list_missing(self, aim: Strategy, status: Sequence[GoalStatus]) -> tuple[str, ...]:
        """Return the questions of unfulfilled goals."""
        return tuple(goal.question for goal in open_goals(aim.goals, status))

    def name_headers(self, aim: Strategy, refs: Sequence[StoredEvidence]) -> list[StoredEvidence]:
        """Return evidence with the headers of its tables."""
        return [
            replace(stand, ref=with_table_header(stand.ref, stand.citation, aim.question)) for stand in refs
        ]

    def counts(self, revisions: Sequence[SentenceRevision]) -> SupportCounts:
        """Count the outcomes of sentences."""
        return count_outcomes(revisions)

    def write(
        self, aim: Strategy, evidence: Sequence[EvidenceRef], revisions: Sequence[SentenceRevision]
    ) -> tuple[tuple[AnswerBlock, ...], str]:
        """Return the answer's blocks and text: accepted sentences with verdicts, then the counts."""
        blocks = build_flat(revisions)
        counted = summarise_support(revisions, aim.question)
        if not blocks:
            nothing = translate_word("checked_nothing", answer_language(aim.question))
            blocks = (AnswerNote(nothing, NoteRole.REMARK),)
        if counted:
            blocks = (*blocks, AnswerNote(counted, NoteRole.REMARK))
        snippets = {ref.number: ref.snippet for ref in evidence}
        return blocks, write_text(blocks, snippets, answer_language(aim.question))
