"""Check single sentences against quotations: by rules, and by a model if one is set."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from shisho.bootstrap.models import build_llm
from shisho.domain.inquiry import Budget, EvidenceRef, SupportOutcome
from shisho.records import dataclass
from shisho.settings import Settings

if TYPE_CHECKING:
    from shisho.librarian.checking.check import ReadUnit
    from shisho.ports import Llm

SENTENCES_PER_CALL = 20  # sentences in one call
UNBOUNDED = 10**9
AN_HOUR_S = 3_600.0


@dataclass(frozen=True, slots=True)
class SupportJudge:
    """A judge of sentences.

    `llm` decides uncertain cases if set; `context` in tokens, `seconds` of one call.
    """

    llm: Llm | None
    context: int
    seconds: float

    async def judge(self, pairs: Sequence[tuple[str, str]]) -> list[SupportOutcome]:
        """Return the outcome of each (quotation, sentence) pair."""
        from shisho.librarian.checking.check import decide

        reading = await asyncio.to_thread(lambda: [_read(*pair) for pair in pairs])
        verdicts: dict[int, str] = {}
        for start in range(0, len(reading) if self.llm else 0, SENTENCES_PER_CALL):
            asked = await self._ask(reading[start : start + SENTENCES_PER_CALL])
            verdicts |= {start + place: verdict for place, verdict in asked.items()}
        decided = (decide(unit, verdicts.get(place)).support for place, unit in enumerate(reading))
        return [support or SupportOutcome.UNVERIFIED for support in decided]

    async def _ask(self, reading: Sequence[ReadUnit]) -> Mapping[int, str]:
        from shisho.domain.loop_state import Spending
        from shisho.librarian.allowance import ModelAllowance
        from shisho.librarian.model_calls import ModelCalls, ModelLimits
        from shisho.librarian.model_writing import ask_judge

        assert self.llm is not None
        calls = ModelCalls({"judge": self.llm}, ModelLimits(self.context, self.seconds))
        budget = Budget(max_model_calls=UNBOUNDED, max_tokens=UNBOUNDED, max_seconds=AN_HOUR_S)
        verdicts, _ = await ask_judge(calls, ModelAllowance(budget, Spending()), "", reading)
        return verdicts


def _read(quotation: str, sentence: str) -> ReadUnit:
    from shisho.librarian.checking.check import AnswerUnit, read_units

    ref = EvidenceRef(1, "G1", quotation, "", 1.0, 1)
    return next(read_units([AnswerUnit(sentence, (1,))], [ref], ""))


def build_judge(settings: Settings) -> SupportJudge:
    """Build the judge; it only uses rules if no model is set. Raises: the errors of `build_llm`."""
    llm = build_llm(settings, "model_answer")
    return SupportJudge(llm, settings.read_int("model_context"), settings.read_float("model_seconds"))
