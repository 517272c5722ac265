"""Sentences that rules are not sure of, asked about in one call: do their quotations say them?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shisho.domain.inquiry import EvidenceRef
from shisho.domain.model import ModelUse
from shisho.librarian.allowance import ModelAllowance
from shisho.librarian.model_calls import ModelCalls
from shisho.librarian.model_replies import EntailmentReply
from shisho.librarian.prompting import fence_claims, load_prompt, make_boundary

Claim = tuple[str, Sequence[EvidenceRef]]
"""A sentence and its quotations."""


async def ask_entailment(
    calls: ModelCalls, allowance: ModelAllowance, question: str, claims: Sequence[Claim]
) -> tuple[Mapping[int, bool], tuple[ModelUse, ...]]:
    """True where its quotations say it, by the number of the claim; nothing for those without room or reply.
    `question`: empty where the sentences answer none."""
    if not claims or "entailment" not in calls:
        return {}, ()
    boundary = make_boundary()
    values = {"question": question, "boundary": boundary}
    room = calls.measure_room(load_prompt("entailment"), values)
    values["claims"], count = fence_claims(claims, boundary, room)
    if not count:
        return {}, ()
    reply, uses = await calls.ask("entailment", EntailmentReply, allowance, values)
    verdicts = () if reply is None else reply.verdicts
    return {
        verdict.sentence: verdict.entailed for verdict in verdicts if 1 <= verdict.sentence <= count
    }, uses
