"""The plugs of the house: what the rooms need from outside, in verbs of the domain. Implementations stand in `stores/`
and `corpus/readers/`; `bootstrap` plugs them in. No verb here speaks SQL or HTTP."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from shisho.domain.corpus import (
    Citation,
    Complexity,
    Corpus,
    Document,
    DocumentId,
    Intake,
    Line,
    Passage,
    PassageId,
    Reading,
    Round,
    RoundRecord,
    Scope,
    SearchRequest,
    Source,
)
from shisho.domain.inquiry import Answer, Evidence
from shisho.domain.job import (
    Claim,
    Enqueued,
    Event,
    Halt,
    Job,
    JobError,
    JobId,
    NewJob,
    NewTask,
    Removed,
    Running,
    Snapshot,
    StopMode,
    Task,
    TaskId,
    TaskState,
    WorkerId,
)
from shisho.domain.web import EngineAbout, Query, Request, Response, Serp, State


class Clock(Protocol):
    """The only source of time."""

    def now(self) -> str:
        """Wall-clock time, ISO 8601 in UTC."""

    def monotonic(self) -> float:
        """Seconds that never run backwards."""


class Reader(Protocol):
    """Bytes to blocks. Hostile bytes end in a typed error within the reader's time and memory limits, never in a crash."""

    async def read(self, source: Source) -> Reading:
        """Raises an `UnusableDocument` that says why these bytes cannot be taken in."""

    async def close(self) -> None:
        """End what was started for reading."""


class Shelf(Protocol):
    """The documents and their passages: the truth from which every index is derived."""

    async def ensure_corpus(self, name: str, owner: str) -> Corpus: ...

    async def corpora(self, owner: str) -> Sequence[Corpus]: ...

    async def known(self, corpus: str, owner: str, sha256: str) -> Document | None:
        """The live document of this corpus with these bytes."""

    async def put(self, intake: Intake) -> DocumentId | None:
        """Store a whole document in one transaction and return the version it superseded (same corpus, owner and source)."""

    async def meet_again(self, document: Document, source: str, metadata: Mapping[str, str]) -> None:
        """A known document stands at this source too, and this is said of it."""

    async def document(self, document_id: DocumentId) -> Document:
        """Raises NotFound."""

    async def documents_by_id(self, ids: Sequence[DocumentId]) -> Mapping[DocumentId, Document]: ...

    async def find_documents(self, prefix: str, owner: str, limit: int = 2) -> Sequence[Document]: ...

    async def at_place(self, name: str, owner: str) -> Sequence[Document]:
        """Live documents whose source is this path, or a file of this name."""

    async def documents(self, scope: Scope, after: str = "", limit: int = 100) -> Sequence[Document]:
        """Live documents in scope, oldest first; `after` is the id of the last one seen."""

    async def text(self, document_id: DocumentId) -> str:
        """The original text. Raises NotFound, or SourceRemoved after a purge."""

    async def lines(self, document_id: DocumentId) -> Sequence[Line]:
        """Geometry of the printed lines, offsets in the original text; empty where the format has none."""

    async def passages(self, ids: Sequence[PassageId]) -> Mapping[PassageId, Passage]:
        """Those of `ids` whose document is live."""

    async def passages_of(self, document_id: DocumentId) -> Sequence[Passage]:
        """All passages of a document in order, live or not; none after a purge."""

    async def akin(self, owner: str, bands: Sequence[int]) -> Sequence[Passage]:
        """Passages that share one of these bands: candidates for the same cluster."""

    async def places(self, corpus: str, owner: str) -> Mapping[str, DocumentId]:
        """Every source of a corpus and the document that stands for it."""

    async def leave(self, corpus: str, owner: str, source: str) -> DocumentId | None:
        """The source is no longer there: its document, returned, is removed if no other source holds it."""

    async def count(self, scope: Scope) -> int:
        """N: live passages in scope."""

    async def remove(self, document_id: DocumentId, *, purge: bool) -> None:
        """Tombstone: found no more, citations still open. `purge` erases text, passages, snippets and ledger copies too."""


class Index(Protocol):
    """A lexical index derived from the shelf. It may be deleted at any time and catches up."""

    async def catch_up(self) -> None:
        """Take in what the shelf has changed since the last time."""

    async def propose(
        self, terms: Sequence[str], bigrams: Sequence[str], scope: Scope, limit: int, seen: frozenset[PassageId]
    ) -> Sequence[PassageId]:
        """The best `limit` passages in scope that are not in `seen`, by the index's own score."""

    async def frequencies(self, field: str, terms: Sequence[str]) -> Mapping[str, int]:
        """In how many passages each term stands, in the text or the heading; `field` is terms or bigrams."""

    async def statistics(self) -> Mapping[str, float]:
        """`passages` on the shelf, and of a passage the mean number of `terms`, `bigrams` and `heading` terms."""


class DenseIndex(Protocol):
    """Nearest passages by vector, exact under any filter and any exclusion."""

    async def nearest(
        self, vector: Sequence[float], scope: Scope, limit: int, seen: frozenset[PassageId]
    ) -> Sequence[PassageId]: ...


class Embedder(Protocol):
    """Text to vectors. Two methods, because queries and passages carry different prefixes."""

    async def passages(self, texts: Sequence[str]) -> Sequence[Sequence[float]]: ...

    async def query(self, text: str) -> Sequence[float]: ...


class SearchSession(Protocol):
    """One inquiry's way through the corpus. It alone knows ids, what was seen, N and k."""

    @property
    def id(self) -> str: ...

    async def search(self, request: SearchRequest, round_: int) -> Round:
        """Round `round_` (from 1). Asked again for a round it has already given, it gives the same passages."""

    async def resolve(self, temp_index: int, start: int, end: int) -> Citation:
        """The span `start:end` of the shown passage's text, as it stands in the document now stored."""

    async def rarity(self, terms: Sequence[str]) -> Mapping[str, float]:
        """idf of each term over the corpus, from 0 (everywhere) upward."""


class SessionLog(Protocol):
    """What each session has shown, so that it outlives its process."""

    async def rounds(self, session_id: str) -> Sequence[RoundRecord]: ...

    async def add(self, session_id: str, record: RoundRecord) -> None:
        """A whole round, or nothing."""


class Searcher(Protocol):
    """Opens sessions over a scope."""

    async def open(
        self, scope: Scope, complexity: Complexity, room_tokens: int, session_id: str | None = None
    ) -> SearchSession: ...


class Ledger(Protocol):
    """What happened in a run, node by node, and what came out of it."""

    async def begin(self, run_id: str, owner: str, facts: Mapping[str, Any]) -> None: ...

    async def facts(self, run_id: str) -> Mapping[str, Any]:
        """What the run was begun with. Raises NotFound."""

    async def record(self, run_id: str, step: int, node: str, input_hash: str, input_: Any, output: Any) -> None: ...

    async def step(self, run_id: str, step: int) -> tuple[str, str, Any] | None:
        """(node, input hash, output) of a step already taken."""

    async def forget_from(self, run_id: str, step: int) -> None:
        """Drop this step and all after it: their input has changed."""

    async def steps(self, run_id: str) -> Sequence[Mapping[str, Any]]: ...

    async def save(self, answer: Answer, owner: str) -> None:
        """The answer and its evidence, in one transaction."""

    async def answer(self, prefix: str, owner: str) -> Answer:
        """By id, unique prefix or `last`. Raises NotFound."""

    async def evidence(self, prefix: str, owner: str) -> Evidence:
        """By id or unique prefix. Raises NotFound, or SourceRemoved after a purge."""

    async def find_run(self, prefix: str, owner: str) -> str:
        """By id, unique prefix or `last`, finished or not. Raises NotFound."""


class JobStore(Protocol):
    """The queue as its workers see it. Every verb that takes a claim raises `Stale` where the claim is no longer held, and
    returns after the commit. A job that was asked to stop and would wait or be queued again is cancelled instead."""

    async def claim(self, worker_id: WorkerId, kinds: Sequence[str]) -> Job | None:
        """Take the first queued job of these kinds whose time has come, by priority, age and id."""

    async def renew(self, claims: Sequence[Claim]) -> Mapping[Claim, bool]:
        """Raise the beat of those still held: they come back, with whether they were asked to stop."""

    async def held(self, claims: Sequence[Claim]) -> Mapping[Claim, bool]:
        """What `renew` returns, without a beat."""

    async def finish(self, claim: Claim, output: Any) -> None:
        """The job is completed. Said again by the same attempt, it changes nothing."""

    async def fail(self, claim: Claim, error: JobError) -> None:
        """The job has failed for good."""

    async def put_back(self, claim: Claim, not_before: str | None = None, error: JobError | None = None) -> None:
        """Queue it again. With an error it counts as a failure: the third without a new step fails the job for good."""

    async def take_back(self, seen: Running, error: JobError) -> None:
        """As `put_back` with an error, for a job of a silent worker. Raises Stale too where it has beaten since `seen`."""

    async def park(self, claim: Claim, until: str) -> bool:
        """Wait for this job's own children, at most `until`. False, and still held, where there are none to wait for."""

    async def await_person(self, claim: Claim, output: Any, until: str) -> None:
        """Wait for a person. Where nobody comes, the job completes with `output`; with None it fails."""

    async def spawn(self, claim: Claim, jobs: Sequence[NewJob]) -> Sequence[JobId]:
        """Queue children with high priority in the same task. Those already there are left as they are. Returns what
        stands, as `TaskStore.enqueue` does. The children of a job that was asked to stop are cancelled from the start."""

    async def keep_step(self, claim: Claim, key: str, output: Any) -> Any:
        """Store the outcome of a step once; returns the one that stands."""

    async def steps(self, job_id: JobId) -> Mapping[str, Any]:
        """The outcomes of all steps taken so far, by key."""

    async def report(self, claim: Claim, progress: Mapping[str, Any]) -> None:
        """Say how far it has come, and wake those who wait."""

    async def charge(self, claim: Claim, amounts: Mapping[str, float]) -> bool:
        """Spend from the task's budget, or nothing of it and False. `pages` is held against `max_pages`, and so on."""

    async def leave(self, worker_id: WorkerId) -> int:
        """Queue again, uncounted, all that this worker still holds. Returns how many."""

    async def running(self) -> Sequence[Running]:
        """All claims now held, by anyone."""

    async def expire(self) -> int:
        """End what has waited until its time: parked jobs are queued, awaiting ones completed or failed. How many."""

    async def job(self, job_id: JobId) -> Job:
        """Raises NotFound."""

    async def children(self, job_id: JobId) -> Sequence[Job]:
        """The jobs that this one spawned, oldest first."""


class TaskStore(Protocol):
    """The queue as its visitors see it. Every verb that names a task raises TaskNotFound where there is none."""

    async def open(self, task: NewTask) -> Task:
        """Open a task, or return the one that stands under its id or its owner's idempotency key."""

    async def enqueue(self, task: NewTask | TaskId, jobs: Sequence[NewJob]) -> Enqueued:
        """Queue jobs in one transaction, opening the task where it is new. Asking again adds nothing."""

    async def task(self, task_id: TaskId) -> Task: ...

    async def find(self, prefix: str, owner: str) -> TaskId:
        """By id, unique prefix or `last`."""

    async def tasks(
        self, owner: str, states: Sequence[TaskState] = (), after: TaskId | None = None, limit: int = 50
    ) -> Sequence[Task]:
        """Newest first; `after` is the id of the last one seen."""

    async def snapshot(self, task_id: TaskId, after: JobId | None = None, limit: int = 200) -> Snapshot: ...

    async def events(self, task_id: TaskId, after: int = 0, limit: int = 200) -> Sequence[Event]:
        """What happened after revision `after`, in order."""

    async def stop(self, task_id: TaskId, mode: StopMode) -> Halt:
        """Cancel what is queued, parked or awaiting. `immediate` cancels what runs too; `graceful` lets it come to its end."""

    async def resume(self, task_id: TaskId) -> Sequence[JobId]:
        """Queue again what was cancelled or has failed, and take back what was asked of running jobs."""

    async def resolve(self, job_ids: Sequence[JobId], *, skip: bool = False) -> Sequence[JobId]:
        """The person has come: these jobs are queued again, or, where skipped, completed with what they have. Returns
        those that were waiting."""

    async def remove(self, task_id: TaskId) -> Removed:
        """Delete the rows of a task: jobs, steps, events. A worker that still runs one finds its claim stale."""

    async def durations(self, kind: str, limit: int = 20) -> Sequence[float]:
        """Seconds from claim to end of the latest completed jobs of a kind."""


class Ear(Protocol):
    """One listener at the bell."""

    async def wait(self, seconds: float) -> bool:
        """True as soon as it has rung since the last wait, or since listening began; False after so long in silence."""


class Bell(Protocol):
    """Tells that something has changed, never what: the table is the truth. Belongs to one event loop."""

    def ring(self, topics: Iterable[str]) -> None:
        """To be called after the commit. A topic is a task's id or a kind of event."""

    def listen(self, *topics: str) -> AbstractContextManager[Ear]:
        """Listen first, then read, then wait: what happens in between is not missed."""


class Presence(Protocol):
    """Which workers are alive. A hint that saves waiting; safety is the fence's."""

    def enter(self, worker_id: WorkerId) -> None:
        """This process works under this name, until it leaves or dies."""

    def leave(self, worker_id: WorkerId) -> None: ...

    def gone(self, worker_ids: Iterable[WorkerId]) -> frozenset[WorkerId]:
        """Those known to be dead."""


class SerpEngine(Protocol):
    """A search engine as two pure functions and what is known of it. It sends nothing itself."""

    @property
    def about(self) -> EngineAbout: ...

    def request(self, query: Query, page: int, state: State) -> Request:
        """The request for result page `page` (from 1); `state` is what the page before gave. Raises InvalidParams."""

    def parse(self, response: Response) -> Serp:
        """Challenges and "no results" are answers. Raises ParserFailed (unknown layout) or EngineUnavailable."""


class Fetcher(Protocol):
    """The way to a web page: guarded, polite, bounded."""

    async def fetch(self, request: Request) -> Response:
        """Whatever the server answered, errors and challenges too. Raises a ShishoError where there was no answer to be had."""
