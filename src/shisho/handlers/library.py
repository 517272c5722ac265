"""What a job of each kind does: here the capabilities meet. A job that is run again goes on after its last step."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

from shisho.corpus.ingest import document_id
from shisho.domain.codec import build, plain
from shisho.domain.corpus import WEB_CORPUS, Condition, DocumentId, Receipt, Scope, Source
from shisho.domain.find import Find, Kept, LeftOut, SearchNote
from shisho.domain.inquiry import Answer, Budget, Goal
from shisho.domain.job import Claim, Job, JobId, NewJob, Stale, TaskId
from shisho.domain.task import JobKind, SearchOptions, Sources
from shisho.errors import EmptyCorpus, Internal, by_code
from shisho.jobs.context import JobContext
from shisho.ports import Ledger, Shelf


class Intakes(Protocol):
    """Takes sources into a corpus."""

    async def add(self, source: Source, corpus: str, owner: str) -> Receipt: ...


class Finds(Protocol):
    """Where what is found is stored. Whatever takes a claim raises `Stale` where it is no longer held."""

    async def add(self, claim: Claim, finds: Sequence[Find]) -> int: ...

    async def expect(self, claim: Claim, canonical_url: str, document_id: DocumentId) -> None: ...

    async def settle(
        self, claim: Claim, canonical_url: str, document_id: DocumentId | None = None, *, code: str = "", reason: str = ""
    ) -> None: ...

    async def mark(self, claim: Claim, canonical_url: str, useful: bool) -> None: ...

    async def note(self, claim: Claim, note: SearchNote) -> None: ...

    async def of_job(self, job_id: JobId) -> Sequence[Kept]: ...


class Staged(Protocol):
    """Bytes that wait for their job."""

    def get(self, key: str) -> bytes: ...

    def drop(self, key: str) -> None: ...


class Disk(Protocol):
    """Files on disk."""

    def find(self, path: Path) -> Iterator[Path]: ...

    def read(self, path: Path) -> bytes: ...


class Inquiries(Protocol):
    """Runs the librarian's loop."""

    async def run(self, run_id: str, notify: Callable[..., None], stop: Callable[[], bool]) -> Answer: ...


@dataclass(frozen=True, slots=True)
class Handed:
    """The input of an ingest job: a file on disk, or staged bytes."""

    source: str
    owner: str
    corpus: str
    metadata: Mapping[str, str] = field(default_factory=dict)
    path: str | None = None
    staged: str | None = None
    password: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """The input of an answer job."""

    question: str
    owner: str
    corpora: tuple[str, ...] = ()
    filters: Mapping[str, Condition] = field(default_factory=dict)
    sources: Sources = Sources.DOCUMENTS
    limits: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Shelving:
    """Takes documents in for a job, and keeps where they came from."""

    intakes: Intakes
    finds: Finds
    disk: Disk
    staging: Staged

    async def ingest(self, job: Job, context: JobContext) -> Mapping[str, Any]:
        """One file or piece of bytes. Ends with its receipt, or with the error that says why it cannot be taken in."""
        handed = build(job.input, Handed)
        receipt: Mapping[str, Any] = await context.step("taken in", partial(self._ingested, job.claim, handed))
        await self.clear(handed.staged, handed.password)
        return receipt

    async def shelve(self, claim: Claim, canonical_url: str, source: Source, corpus: str, owner: str) -> Receipt:
        """Take in a find of this job. A receipt says why where it cannot be."""
        expected = document_id(sha256(source.data).hexdigest(), corpus, owner)
        await self.finds.expect(claim, canonical_url, expected)
        receipt = await self.intakes.add(source, corpus, owner)
        await self.finds.settle(claim, canonical_url, receipt.document_id, code=receipt.code, reason=receipt.reason)
        return receipt

    async def secret(self, key: str | None) -> str | None:
        """A staged password."""
        return None if key is None else (await asyncio.to_thread(self.staging.get, key)).decode()

    async def clear(self, *keys: str | None) -> None:
        """Forget what waited for a job, once its outcome is stored."""
        for key in keys:
            if key is not None:
                await asyncio.to_thread(self.staging.drop, key)

    async def _ingested(self, claim: Claim, handed: Handed) -> Any:
        await self.finds.add(claim, [Find(handed.source, handed.source)])
        if handed.staged is not None:
            data = await asyncio.to_thread(self.staging.get, handed.staged)
        else:
            data = await asyncio.to_thread(self.disk.read, Path(handed.path or handed.source))
        password = await self.secret(handed.password)
        source = Source(handed.source, data, metadata=handed.metadata, password=password)
        return plain(checked(await self.shelve(claim, handed.source, source, handed.corpus, handed.owner)))


@dataclass(frozen=True, slots=True)
class Answering:
    """Answers questions by the same loop that the shell runs. The run and its answer bear the job's id."""

    shelf: Shelf
    ledger: Ledger
    inquiries: Inquiries
    left_out: Callable[[str], Awaitable[LeftOut]]
    goals: Callable[[str], Sequence[Goal]]
    left: Callable[[TaskId], Awaitable[Mapping[str, float]]]
    budget: Budget

    async def answer(self, job: Job, context: JobContext) -> Mapping[str, Any]:
        """From documents, or after searches of its own have come to their end. A killed run is replayed and goes on."""
        asked = build(job.input, Question)
        if asked.sources in (Sources.WEB, Sources.BOTH):
            await context.spawn(*(_search(job, goal, asked) for goal in self.goals(asked.question)))
            await context.park(asked.limits.get("max_seconds", self.budget.max_seconds))
        facts = await context.step("asked", partial(self._facts, job, asked))
        await self.ledger.begin(job.id, asked.owner, facts)
        telling: list[asyncio.Task[None]] = []

        def notify(event: str, **facts: Any) -> None:
            telling.append(asyncio.create_task(_tell(context, event, facts)))

        try:
            answer = await self.inquiries.run(job.id, notify, lambda: False)
        finally:
            await asyncio.gather(*telling, return_exceptions=True)
        used = answer.budget_used
        await context.charge(**{name: used[name] for name in ("seconds", "model_calls", "tokens") if used.get(name)})
        return {"answer_id": answer.id, "abstained": answer.abstained, "loop_stop": answer.loop_stop, "rounds": answer.rounds}

    async def _facts(self, job: Job, asked: Question) -> Any:
        left = await self.left_out(asked.owner)
        corpora = (WEB_CORPUS,) if asked.sources is Sources.WEB else asked.corpora
        scope = Scope(asked.owner, corpora, asked.filters, left.documents, left.passages)
        if await self.shelf.count(scope) == 0:
            raise EmptyCorpus("There is nothing to answer from: no page or document in this scope. See the errors of the task.")
        budget = within(replace(self.budget, **dict[str, Any](asked.limits)), await self.left(job.task_id))
        run = {"run_id": job.id, "question": asked.question, "scope": scope, "budget": budget}
        return plain(run | {"folders": (), "task_id": job.task_id})


def within(budget: Budget, left: Mapping[str, float]) -> Budget:
    """No ceiling higher than what is left of the task's own."""
    lower: dict[str, Any] = {name: most for name, most in left.items() if most < getattr(budget, name, most)}
    return replace(budget, **{name: most if name == "max_seconds" else int(most) for name, most in lower.items()})


def checked(receipt: Receipt) -> Receipt:
    """Raises the error that a failed receipt tells of."""
    if receipt.code:
        raise by_code().get(receipt.code, Internal)(receipt.reason, source=receipt.source)
    return receipt


async def _tell(context: JobContext, event: str, facts: Mapping[str, Any]) -> None:
    with suppress(Stale):  # the run finds out by itself
        await context.progress(node=event, step=facts.get("step", 0), replayed=bool(facts.get("replayed")))


def _search(job: Job, goal: Goal, asked: Question) -> NewJob:
    # The same for the same goal, so that a job that is run again adds none.
    name = sha256(f"{job.id}/{goal.id}".encode()).hexdigest()[:32]
    input_ = {**plain(SearchOptions()), "query": goal.question, "owner": asked.owner, "corpus": WEB_CORPUS}
    return NewJob(JobId(name), JobKind.SEARCH, input_)
