"""Ask a model in one call whether quotations support the units of an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shisho.domain.model import ModelUse
from shisho.librarian.allowance import ModelAllowance
from shisho.librarian.checking.check import ReadUnit
from shisho.librarian.model_calls import ModelCalls
from shisho.librarian.model_replies import JudgeReply, JudgeVerdict
from shisho.librarian.prompting import fence_claims, load_prompt, make_boundary


async def ask_judge(
    calls: ModelCalls, allowance: ModelAllowance, question: str, units: Sequence[ReadUnit]
) -> tuple[Mapping[int, str], tuple[ModelUse, ...]]:
    """Return the verdict on each unit by its place, of those that need one and have room in the call.
    `question`: empty if the units answer none."""
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
