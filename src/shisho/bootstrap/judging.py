"""The support check by itself: rules, and the model for what they are not sure of."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shisho.bootstrap.models import build_llm
from shisho.domain.inquiry import Budget, EvidenceRef, SupportOutcome
from shisho.settings import Settings

if TYPE_CHECKING:
    from shisho.ports import Llm

AT_ONCE = 20  # sentences in one call
UNBOUNDED = 10**9
AN_HOUR_S = 3_600.0


@dataclass(frozen=True, slots=True)
class SupportJudge:
    """`llm`: asked about what rules are not sure of; None: nobody is. `context`: its tokens; `seconds`: of
    one call."""

    llm: Llm | None
    context: int
    seconds: float

    async def judge(self, pairs: Sequence[tuple[str, str]]) -> list[SupportOutcome]:
        """The outcome of each sentence, second of its pair, against the quotation before it."""
        from shisho.librarian.support import check

        checked = await asyncio.to_thread(
            lambda: [check(sentence, [quotation]).outcome for quotation, sentence in pairs]
        )
        unsure = [place for place, outcome in enumerate(checked) if outcome is SupportOutcome.UNVERIFIED]
        for start in range(0, len(unsure) if self.llm else 0, AT_ONCE):
            places = unsure[start : start + AT_ONCE]
            for number, is_entailed in (await self._ask([pairs[place] for place in places])).items():
                checked[places[number - 1]] = (
                    SupportOutcome.SUPPORTED if is_entailed else SupportOutcome.ALTERED
                )
        return checked

    async def _ask(self, pairs: Sequence[tuple[str, str]]) -> Mapping[int, bool]:
        from shisho.domain.loop_state import Spending
        from shisho.librarian.allowance import ModelAllowance
        from shisho.librarian.entailment import ask_entailment
        from shisho.librarian.model_calls import ModelCalls, ModelLimits

        assert self.llm is not None
        calls = ModelCalls({"entailment": self.llm}, ModelLimits(self.context, self.seconds))
        budget = Budget(max_model_calls=UNBOUNDED, max_tokens=UNBOUNDED, max_seconds=AN_HOUR_S)
        claims = [
            (sentence, [EvidenceRef(number, "G1", quotation, "", 1.0, 1)])
            for number, (quotation, sentence) in enumerate(pairs, 1)
        ]
        verdicts, _ = await ask_entailment(calls, ModelAllowance(budget, Spending()), "", claims)
        return verdicts


def build_judge(settings: Settings) -> SupportJudge:
    """By rules alone where no model is set. Raises as `build_llm`."""
    llm = build_llm(settings, "model_answer")
    return SupportJudge(llm, settings.read_int("model_context"), settings.read_float("model_seconds"))
