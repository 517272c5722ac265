"""The rules for an assistant that is its own librarian: its goals, its findings, its sentences. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from math import isfinite

from shisho.domain.corpus import NumberedPassage
from shisho.domain.inquiry import EvidenceRef, Finding, Goal, GoalStatus, Sentence, Strategy
from shisho.domain.session import CitedSentence, SentenceRevision, StoredEvidence, SupportCounts
from shisho.errors import InvalidParams
from shisho.librarian import condition as conditions
from shisho.librarian import mending
from shisho.librarian.citations import Citations
from shisho.librarian.evidence import VerifiedQuote, is_telling, verify, with_table_header
from shisho.librarian.reflect import open_goals
from shisho.librarian.strategy import MAX_GOALS, check_question, strategy
from shisho.messages.message import Message

_GOAL_ID = re.compile(r"G[1-9]\d{0,2}")


class Assistant:
    """The librarian's rules for sessions of an assistant, as `desk.sessions.AssistantRules` asks for
    them."""

    def aim(self, question: str, goals: Sequence[Goal], condition: str) -> tuple[Strategy, str]:
        """Make the strategy, and tell what was wrong with the condition: an unreadable one asks for all
        goals. Raises InvalidParams for a blank question or goals that cannot be told apart."""
        made_strategy = strategy(question)
        if goals:
            held_goals = tuple(replace(goal, question=check_question(goal.question)) for goal in goals)
            ids = [goal.id for goal in held_goals]
            if len(set(ids)) < len(ids) or len(ids) > MAX_GOALS or not all(map(_GOAL_ID.fullmatch, ids)):
                raise InvalidParams(
                    "Goals are G1, G2, … each once, at most {max_goals}; not {goals}.",
                    max_goals=MAX_GOALS,
                    goals=", ".join(ids),
                )
            made_strategy = replace(made_strategy, goals=held_goals, condition=" and ".join(ids))
        if not condition.strip():
            return made_strategy, ""
        _, remark = conditions.read(condition, [goal.id for goal in made_strategy.goals])
        return (
            (made_strategy, remark) if remark else (replace(made_strategy, condition=condition.strip()), "")
        )

    def judge(
        self, finding: Finding, passages: Sequence[NumberedPassage], aim: Strategy
    ) -> VerifiedQuote | str:
        """The finding as a span of what was shown, or why it is refused."""
        if finding.goal_id not in {goal.id for goal in aim.goals}:
            return Message("there is no goal {goal}", goal=finding.goal_id)
        if not (isfinite(finding.score) and 0 <= finding.score <= 1):
            return Message("score takes 0 to 1")
        if not any(passage.temp_index == finding.index for passage in passages):
            return Message("no passage {number} was shown in this session", number=finding.index)
        if not is_telling(finding.snippet):
            return Message("a mark or a single letter is no quotation: copy the words that say it")
        return verify(finding, passages) or Message(
            "these words do not stand in that passage: copy them from it"
        )

    def status(self, aim: Strategy, refs: Sequence[StoredEvidence]) -> tuple[tuple[GoalStatus, ...], bool]:
        """How far each goal has come, and whether the condition holds."""
        citations = Citations()
        numbered = [replace(stand.ref, number=citations.take(stand.citation)) for stand in refs]
        status = citations.status(aim.goals, numbered)
        expression, _ = conditions.read(aim.condition, [goal.id for goal in aim.goals])
        return status, conditions.holds(
            expression, [goal_status.goal_id for goal_status in status if goal_status.met]
        )

    def list_missing(self, aim: Strategy, status: Sequence[GoalStatus]) -> tuple[str, ...]:
        """The questions of goals that are not met."""
        return tuple(goal.question for goal in open_goals(aim.goals, status))

    def name_headers(self, aim: Strategy, refs: Sequence[StoredEvidence]) -> list[StoredEvidence]:
        """Evidence with the header of the table that it is a row of."""
        return [
            replace(stand, ref=with_table_header(stand.ref, stand.citation, aim.question)) for stand in refs
        ]

    def cite(
        self,
        evidence: Sequence[EvidenceRef],
        passages: Sequence[NumberedPassage],
        aim: Strategy,
        said_sentence: CitedSentence,
    ) -> CitedSentence | Finding:
        """The sentence as it cites, or, where it cites nothing that stands and is no frame, with the evidence
        that carries it; a Finding where only a shown passage does."""
        return mending.cite(evidence, passages, aim.goals, said_sentence)

    def mend(
        self, aim: Strategy, evidence: Sequence[EvidenceRef], said_sentences: Sequence[CitedSentence]
    ) -> list[tuple[Sentence | None, SentenceRevision]]:
        """Each sentence as it may stand, and what was done to it. None: it is left out."""
        refs = {ref.number: ref for ref in evidence}
        return [
            mending.mend(sentence, refs, aim.question) for sentence in said_sentences if sentence.text.strip()
        ]

    def counts(self, mended: Sequence[SentenceRevision]) -> SupportCounts:
        """How many sentences came out how."""
        return mending.counts(mended)

    def render(
        self,
        aim: Strategy,
        evidence: Sequence[EvidenceRef],
        sentences: Sequence[Sentence],
        counts: SupportCounts,
    ) -> str:
        """The answer's text: each sentence with its numbers and what came of its check, then the counts."""
        return mending.render(aim.question, {ref.number: ref for ref in evidence}, sentences, counts)
