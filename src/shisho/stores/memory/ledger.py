"""A ledger that keeps nothing: for tests, and for trying things out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import TypeVar

from shisho.domain.codec import Payload, dumps, loads
from shisho.domain.corpus import DocumentId, DocumentState
from shisho.domain.evidence import REMOVED
from shisho.domain.inquiry import Answer, Evidence, Inquiry, LoopStop, RunStep
from shisho.domain.time import Instant
from shisho.errors import NotFound, SourceRemoved
from shisho.messages.message import Message
from shisho.stores.beginnings import check_beginning
from shisho.stores.ledger_rows import word_removals
from shisho.stores.memory.sessions import MemorySessions

T = TypeVar("T")


class MemoryLedger:
    """`ports.Ledger` in dictionaries. Steps go through JSON, as they do in a database."""

    def __init__(self, log: MemorySessions | None = None) -> None:
        self._log = log or MemorySessions()
        self._runs: dict[str, tuple[str, str]] = {}
        self._purged: set[str] = set()
        self._steps: dict[str, dict[int, RunStep]] = {}
        self._answers: dict[str, tuple[str, Answer]] = {}

    async def begin(self, inquiry: Inquiry) -> None:
        self._runs.setdefault(inquiry.run_id, (inquiry.scope.owner, dumps(inquiry)))

    async def find_inquiry(self, run_id: str) -> Inquiry:
        if run_id not in self._runs:
            raise NotFound("There is no run {run_id}.", run_id=run_id)
        if run_id in self._purged:
            raise SourceRemoved(
                "A document that this run read was purged, so it cannot be continued. Ask again."
            )
        return loads(self._runs[run_id][1], Inquiry)

    async def record(
        self, run_id: str, step: int, node: str, input_hash: str, input_: Payload, output: Payload
    ) -> None:
        stored = RunStep(step, node, input_hash, input_, output, Instant(""))
        self._steps.setdefault(run_id, {})[step] = stored

    async def find_step(self, run_id: str, step: int) -> RunStep | None:
        return self._steps.get(run_id, {}).get(step)

    async def forget_from(self, run_id: str, step: int) -> None:
        self._steps[run_id] = {at: stored for at, stored in self._steps.get(run_id, {}).items() if at < step}

    async def list_steps(self, run_id: str) -> Sequence[RunStep]:
        return sorted(self._steps.get(run_id, {}).values(), key=lambda step: step.number)

    async def save(self, answer: Answer, owner: str) -> None:
        self._answers.pop(answer.id, None)
        self._answers[answer.id] = (owner, answer)

    async def answer(self, prefix: str, owner: str) -> Answer:
        answers = [answer for whose, answer in self._answers.values() if whose == owner]
        if prefix == "last":
            answers.sort(key=lambda answer: (answer.created_at, answer.id))
            return word_removals(_single(answers[-1:], "answer", prefix))
        matches = [answer for answer in answers if answer.id.startswith(prefix)]
        return word_removals(_single(matches, "answer", prefix))

    async def find_evidence(self, prefix: str, owner: str) -> Evidence:
        answers = [answer for whose, answer in self._answers.values() if whose == owner]
        evidence = chain.from_iterable(answer.evidence for answer in answers)
        matches = [quotation for quotation in evidence if quotation.id.startswith(prefix)]
        quotation = _single(matches, "evidence", prefix)
        if not quotation.snippet:
            raise SourceRemoved(
                "The document that this evidence quotes was purged. Add it again and ask anew."
            )
        return quotation

    def answers_of(self, run_id: str) -> list[Answer]:
        """The answers of a run, oldest first."""
        return [answer for _, answer in self._answers.values() if run_id in (answer.id, answer.task_id)]

    def forget_run(self, run_id: str) -> int:
        """Erase a run with all it wrote down; how many answers went with it."""
        names = [answer.id for answer in self.answers_of(run_id)]
        for name in names:
            del self._answers[name]
        self._runs.pop(run_id, None)
        self._steps.pop(run_id, None)
        self._log.forget(run_id)
        return len(names)

    def list_quoting(self, document_id: DocumentId) -> list[str]:
        """The answers that quote a document."""
        answers = [answer for _, answer in self._answers.values()]
        return [
            answer.id for answer in answers if any(one.document_id == document_id for one in answer.evidence)
        ]

    def purge(self, document_id: DocumentId) -> None:
        """Erase what runs and answers hold of a document."""
        for run_id in self._log.sessions_shown(document_id):
            self._steps.pop(run_id, None)
            self._purged.add(run_id)
        for answer_id, (owner, answer) in self._answers.items():
            self._answers[answer_id] = (owner, _silenced(answer, document_id))

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


def _silenced(answer: Answer, document_id: DocumentId) -> Answer:
    """The answer without what it quotes of a document."""
    gone = [quotation for quotation in answer.evidence if quotation.document_id == document_id]
    numbers = {quotation.number for quotation in gone}
    texts = [text for quotation in gone for text in (quotation.snippet, quotation.heading)]
    traces = [text for text in texts if text]
    sentences = []
    for sentence in answer.sentences:
        if numbers.intersection(sentence.evidence):
            traces.insert(0, sentence.text)
            sentence = replace(sentence, text=REMOVED)
        sentences.append(sentence)
    text = answer.text
    for trace in sorted(traces, key=len, reverse=True):  # a heading may begin as another one does
        text = text.replace(trace, REMOVED)
    evidence = [
        _blank(quotation) if quotation.document_id == document_id else quotation
        for quotation in answer.evidence
    ]
    return replace(answer, text=text, sentences=tuple(sentences), evidence=tuple(evidence))


def _blank(quotation: Evidence) -> Evidence:
    return replace(
        quotation,
        snippet="",
        title=REMOVED,
        document="",
        heading="",
        source_url=None,
        link="",
        source_state=DocumentState.PURGED,
    )


def _single(matches: list[T], noun: str, prefix: str) -> T:
    check_beginning(prefix, noun)
    if len(matches) == 1:
        return matches[0]
    if not matches:
        if prefix == "last":
            raise NotFound("Nothing has been answered yet.")
        raise NotFound("There is no {noun} {prefix}.", noun=Message(noun), prefix=prefix)
    raise NotFound(
        "More than one {noun} begins with {prefix}: give more of its id.",
        noun=Message(noun),
        prefix=prefix,
    )
