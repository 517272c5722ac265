"""Check a model's reading of passages.

Its quotations, its judgment of the goals, and its sentences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite

from shisho.domain.corpus import NumberedPassage
from shisho.domain.inquiry import Finding, Goal, GoalJudgment, GoalState, Judgment, NextStep, Stance
from shisho.domain.requirements import RequestKind
from shisho.language import compile_lazily
from shisho.language.display import join_lines
from shisho.language.sentences import is_row
from shisho.librarian.evidence import ANSWERING_SCORE, RELATED, VerifiedQuote, is_near_duplicate, verify
from shisho.librarian.model_replies import (
    BlockReply,
    EvaluationReply,
    FactReply,
    FindingReply,
    GoalStateReply,
    renumber_blocks,
)
from shisho.librarian.policy import EvaluateInput
from shisho.records import dataclass

MAX_CLAIMS = 60  # of one reply are checked
MIN_FINDINGS = 3  # for one goal in one round, whatever the others need
MAX_FINDINGS = 12  # for all goals of one round
MAX_AROUND = 4  # passages of one round whose neighbours are also read
MAX_REASON_CHARS = 300
_ITEM_MARK = compile_lazily(r"[・●○■□◆◇•*–-] ?|[（(]?[0-9０-９a-zア-ン]{1,3}[)）.．、]|[①-⑳]")


def limit_findings(goals: Sequence[Goal]) -> int:
    """Return the maximum number of quotations for one goal in a round."""
    return max(MIN_FINDINGS, MAX_FINDINGS // max(1, len(goals)))


@dataclass(frozen=True, slots=True)
class CheckedClaims:
    """Findings of a model that were verified in the passages, and the number of rejected ones."""

    findings: list[Finding]
    dropped: int


def list_claims(reply: EvaluationReply) -> list[FindingReply]:
    """Return the claims that the model scores as related or better, best first."""
    claims = [
        claim for claim in reply.findings[:MAX_CLAIMS] if isfinite(claim.score) and claim.score >= RELATED
    ]
    return sorted(claims, key=lambda claim: -claim.score)


def read_judgment(inputs: EvaluateInput, findings: Sequence[Finding], reply: EvaluationReply) -> Judgment:
    """Return the model's judgment of the open goals.

    A goal that it omits is only complete if it asks for one fact that was found.
    """
    state_replies: dict[str, GoalStateReply] = {judged.goal: judged for judged in reply.goals}
    found_ids = {finding.goal_id for finding in findings} | {ref.goal_id for ref in inputs.evidence}
    passages = {passage.temp_index: passage for passage in inputs.passages}
    # A list that continues after the passage is incomplete, whatever the model judges.
    is_list = inputs.strategy.kind is RequestKind.LIST
    cut = [each for each in findings if is_list and is_cut_list(passages[each.index], each.snippet)]
    judgments = []
    for goal in inputs.goals:
        judged = state_replies.get(goal.id)
        if judged is not None:
            missing = join_lines(judged.missing)[:MAX_REASON_CHARS]
            state = GoalState(judged.state)
            if state is GoalState.COMPLETE and any(finding.goal_id == goal.id for finding in cut):
                state = GoalState.PARTIAL
            judgments.append(GoalJudgment(goal.id, state, missing))
        elif inputs.strategy.kind is not RequestKind.FACT or goal.id not in found_ids:
            judgments.append(
                GoalJudgment(goal.id, GoalState.PARTIAL if goal.id in found_ids else GoalState.OPEN)
            )
    asked_numbers = (*(finding.index for finding in cut), *reply.read_around)
    around = [number for number in dict.fromkeys(asked_numbers) if number in passages]
    return Judgment(
        tuple(judgments),
        tuple(around[:MAX_AROUND]),
        NextStep(reply.status) if reply.status else None,
        join_lines(reply.next_focus)[:MAX_REASON_CHARS],
        join_lines(reply.judgment_reason)[:MAX_REASON_CHARS],
    )


def is_cut_list(passage: NumberedPassage, quotation: str) -> bool:
    """Return whether a quotation has a passage's last item, and the list continues after it."""
    last_line = passage.text.rstrip().rpartition("\n")[2].strip()
    next_line = f"{passage.after}{passage.overleaf}".strip().partition("\n")[0]
    if not last_line or last_line not in quotation:
        return False
    both = (last_line, next_line)
    return all(map(is_row, both)) or all(map(_ITEM_MARK.match, both))


def check_claims(
    inputs: EvaluateInput,
    claims: Sequence[FindingReply],
    most: int,
    copies: Mapping[int, tuple[int, ...]],
) -> CheckedClaims:
    """Return the model's verified findings of open goals, best first, without repeated evidence.

    `most`: for each goal. `copies`: the near-duplicates of passages.
    """
    earlier_snippets: dict[str, list[str]] = {goal.id: [] for goal in inputs.goals}
    for ref in inputs.evidence:
        if ref.score >= ANSWERING_SCORE:
            earlier_snippets.setdefault(ref.goal_id, []).append(ref.snippet)
    findings: list[Finding] = []
    dropped = 0
    for claim in claims:
        finding = _make_finding(claim, copies.get(claim.passage, ()))
        verified = verify(finding, inputs.passages)
        if verified is None or claim.goal not in {goal.id for goal in inputs.goals}:
            dropped += 1
            continue
        snippets = earlier_snippets[claim.goal]
        same = next(
            (place for place, other in enumerate(findings) if _is_repeated(other, finding, verified)), -1
        )
        if same >= 0:
            findings[same] = _with_copies(findings[same], finding)
            continue
        of_goal = sum(other.goal_id == claim.goal for other in findings)
        if of_goal == most or any(is_near_duplicate(verified.snippet, snippet) for snippet in snippets):
            continue
        findings.append(replace(finding, snippet=verified.snippet))
    return CheckedClaims(findings, dropped)


def cite_findings(
    inputs: EvaluateInput, reply: FactReply, findings: Sequence[Finding], judgment: Judgment
) -> tuple[BlockReply, ...]:
    """Return the blocks that a model wrote, each citing indexes of `findings`, from 1.

    Empty if a goal is incomplete, or a cited quotation was rejected: then the answer is written later.
    """
    if not findings or any(row.state is not GoalState.COMPLETE for row in judgment.goals):
        return ()
    places: dict[int, int | None] = {}
    for number, claim in enumerate(reply.findings, 1):
        finding = _make_finding(claim)
        verified = verify(finding, inputs.passages)
        same = (place for place, other in enumerate(findings, 1) if _is_repeated(other, finding, verified))
        places[number] = next(same, None)
    cited = {number for block in reply.blocks for number in _list_cites(block)}
    if not cited or any(places.get(number) is None for number in cited):
        return ()
    return renumber_blocks(reply.blocks, {number: place for number, place in places.items() if place})


def _is_repeated(finding: Finding, later: Finding, verified: VerifiedQuote | None) -> bool:
    return (
        verified is not None
        and finding.goal_id == later.goal_id
        and is_near_duplicate(finding.snippet, verified.snippet)
    )


def _with_copies(finding: Finding, later: Finding) -> Finding:
    """Return the finding with the passages of the later one added."""
    others = [number for number in (later.index, *later.also) if number != finding.index]
    return replace(finding, also=tuple(dict.fromkeys((*finding.also, *others))))


def _make_finding(claim: FindingReply, also: tuple[int, ...] = ()) -> Finding:
    score = round(min(1.0, claim.score), 4)
    stance = Stance(claim.stance)
    return Finding(claim.passage, claim.goal, claim.quotation, score, stance=stance, also=also)


def _list_cites(block: BlockReply) -> list[int]:
    units = (*block.sentences, *(cell for row in block.rows for cell in row))
    return [number for unit in units for number in unit.cites]
