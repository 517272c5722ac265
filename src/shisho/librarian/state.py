"""Read the state of the loop: the goals, rounds and evidence that a node works on."""

from __future__ import annotations

from shisho.domain.inquiry import EvidenceRef, Goal, LoopStop, WebResult
from shisho.domain.loop_state import LoopState
from shisho.librarian.model_replies import AnswerReply, BlockReply
from shisho.librarian.policy import AnswerInput
from shisho.librarian.route import open_goals


def get_web_result(state: LoopState) -> WebResult:
    """Return the result of all web searches; an empty one if there was none."""
    return state.get("reached", WebResult())


def count_section_rounds(state: LoopState) -> int:
    """Return the number of rounds of earlier sections."""
    return state["section"].rounds_before if "section" in state else 0


def count_rounds_before(state: LoopState) -> int:
    """Return the number of rounds before the last web search or the current section."""
    return max(get_web_result(state).rounds_before, count_section_rounds(state))


def list_own_evidence(state: LoopState) -> tuple[EvidenceRef, ...]:
    """Return the evidence of the current goals: in a report, those of one section."""
    if "section" not in state:
        return state["evidence"]
    ids = {goal.id for goal in state["strategy"].goals}
    return tuple(ref for ref in state["evidence"] if ref.goal_id in ids)


def list_sought_goals(state: LoopState) -> list[Goal]:
    """Return the open goals, or all if a model wants to continue although none is open."""
    goals = state["strategy"].goals
    return open_goals(goals, state["goal_status"]) or list(goals)


def build_answer_input(state: LoopState) -> AnswerInput:
    """Return the input of the policy that writes the answer."""
    return AnswerInput(
        strategy=state["strategy"],
        status=state["goal_status"],
        evidence=state["evidence"],
        verdict=state["verdicts"][-1],
        unsearched=get_web_result(state).unsearched,
        asked=state.get("question", state["strategy"].question),
        head=_choose_head(state),
        written=_read_written(state),
    )


def _choose_head(state: LoopState) -> str:
    """Return the message key of the first line, which says who read the passages."""
    if state["reads"]:
        return "answer_read"
    return "answer_unread" if state.get("has_model") else "answer_head"


def _read_written(state: LoopState) -> tuple[BlockReply, ...]:
    """Return the answer that a model wrote when it read the last round, if the search ended there."""
    if "written" not in state or state["verdicts"][-1].loop_stop is not LoopStop.CONDITION_MET:
        return ()
    return state["written"].read(AnswerReply).blocks
