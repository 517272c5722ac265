"""A ledger that keeps nothing: for tests, and for trying things out."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, TypeVar

from shisho.domain.codec import dumps, loads
from shisho.domain.corpus import DocumentId
from shisho.domain.inquiry import Answer, Evidence, Inquiry, LoopStop
from shisho.errors import NotFound
from shisho.messages.message import Message

T = TypeVar("T")


class MemoryLedger:
    """`ports.Ledger` in dictionaries. Steps go through JSON, as they do in a database."""

    def __init__(self) -> None:
        self._runs: dict[str, tuple[str, str]] = {}
        self._steps: dict[str, dict[int, tuple[str, str, str, str]]] = {}
        self._answers: dict[str, tuple[str, Answer]] = {}

    async def begin(self, inquiry: Inquiry) -> None:
        self._runs.setdefault(inquiry.run_id, (inquiry.scope.owner, dumps(inquiry)))

    async def inquiry(self, run_id: str) -> Inquiry:
        if run_id not in self._runs:
            raise NotFound("There is no run {run_id}.", run_id=run_id)
        return loads(self._runs[run_id][1], Inquiry)

    async def record(
        self, run_id: str, step: int, node: str, input_hash: str, input_: Any, output: Any
    ) -> None:
        self._steps.setdefault(run_id, {})[step] = (node, input_hash, dumps(input_), dumps(output))

    async def step(self, run_id: str, step: int) -> tuple[str, str, Any] | None:
        stored = self._steps.get(run_id, {}).get(step)
        return None if stored is None else (stored[0], stored[1], json.loads(stored[3]))

    async def forget_from(self, run_id: str, step: int) -> None:
        self._steps[run_id] = {at: stored for at, stored in self._steps.get(run_id, {}).items() if at < step}

    async def steps(self, run_id: str) -> Sequence[Mapping[str, Any]]:
        numbered = sorted(self._steps.get(run_id, {}).items())
        return [
            {
                "step": step,
                "node": node,
                "input_hash": hash_,
                "input": json.loads(input_),
                "output": json.loads(output),
                "at": "",
            }
            for step, (node, hash_, input_, output) in numbered
        ]

    async def save(self, answer: Answer, owner: str) -> None:
        self._answers.pop(answer.id, None)
        self._answers[answer.id] = (owner, answer)

    async def answer(self, prefix: str, owner: str) -> Answer:
        answers = [answer for whose, answer in self._answers.values() if whose == owner]
        if prefix == "last":
            answers.sort(key=lambda answer: (answer.created_at, answer.id))
            return _single(answers[-1:], "answer", prefix)
        return _single([answer for answer in answers if answer.id.startswith(prefix)], "answer", prefix)

    async def evidence(self, prefix: str, owner: str) -> Evidence:
        answers = [answer for whose, answer in self._answers.values() if whose == owner]
        evidence = chain.from_iterable(answer.evidence for answer in answers)
        return _single(
            [quotation for quotation in evidence if quotation.id.startswith(prefix)], "evidence", prefix
        )

    def quoting(self, document_id: DocumentId) -> list[str]:
        """The answers that quote a document."""
        answers = [answer for _, answer in self._answers.values()]
        return [
            answer.id for answer in answers if any(one.document_id == document_id for one in answer.evidence)
        ]

    async def find_run(self, prefix: str, owner: str) -> str:
        run_ids = [run_id for run_id, (whose, _) in self._runs.items() if whose == owner]
        if prefix != "last":
            return _single([run_id for run_id in run_ids if run_id.startswith(prefix)], "run", prefix)
        answers = [answer for _, answer in self._answers.values() if answer.loop_stop is not LoopStop.STOPPED]
        finished = {run_id for answer in answers for run_id in (answer.id, answer.task_id)}
        unfinished = [run_id for run_id in run_ids if run_id not in finished]
        if not unfinished:
            raise NotFound("No question is unfinished. `shisho show last` shows the last answer.")
        return unfinished[-1]


def _single(matches: list[T], noun: str, prefix: str) -> T:
    if len(matches) == 1:
        return matches[0]
    if not matches:
        if prefix == "last":
            raise NotFound("Nothing has been answered yet.")
        raise NotFound("There is no {noun} {prefix}.", noun=Message(noun), prefix=prefix)
    raise NotFound(
        "More than one {noun} begins with {prefix}: give more of its id.", noun=Message(noun), prefix=prefix
    )
