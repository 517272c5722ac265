"""The desk's long work: everything that is queued, and waited for, stopped, resumed or removed by its task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from shisho.domain.corpus import DEFAULT_CORPUS
from shisho.domain.job import StopMode, TaskId, TaskState
from shisho.domain.task import (
    Adding,
    Asked,
    AskOptions,
    AuthAction,
    AuthTarget,
    Bytes,
    Detail,
    EngineRow,
    Gone,
    Opinion,
    Purge,
    Queued,
    Resolved,
    Resumed,
    Said,
    SearchOptions,
    Status,
    Stopped,
    TaskPage,
    Waiting,
)

SEARCH = SearchOptions()
ASK = AskOptions()


class Tasks:
    """Tasks may be named by id, unique prefix or `last`; every verb that names one raises TaskNotFound where there is none.
    A verb that queues returns after the commit: what it has returned is not lost."""

    async def create_task(
        self, question: str, *, budget: Mapping[str, float] | None = None, idempotency_key: str | None = None
    ) -> TaskId:
        """Open a task. `budget`: max_pages, max_seconds, max_model_calls, max_tokens. Asked again with the same key, the first
        one stands. Raises InvalidParams for a blank question or an unknown ceiling."""
        raise NotImplementedError

    async def queue_searches(
        self,
        queries: Sequence[str],
        *,
        task_id: str | None = None,
        options: SearchOptions = SEARCH,
        idempotency_key: str | None = None,
    ) -> Queued:
        """Queue 1 to 50 web searches; without a task, one is made. Blank, `undefined` and repeated queries are skipped, each
        with its reason. Raises InvalidParams where no query is left or an option is wrong."""
        raise NotImplementedError

    async def queue_urls(
        self, urls: Sequence[str], *, task_id: str | None = None, idempotency_key: str | None = None
    ) -> Queued:
        """Queue addresses (http, https) or DOIs (`10.…`, `doi:…`) to be fetched and taken in."""
        raise NotImplementedError

    async def add_documents(
        self,
        *,
        paths: Sequence[Path | str] = (),
        urls: Sequence[str] = (),
        files: Sequence[Bytes] = (),
        corpus: str = DEFAULT_CORPUS,
        metadata: Mapping[str, str] | None = None,
        password: str | None = None,
        task_id: str | None = None,
        remote: bool = True,
    ) -> Adding:
        """Queue documents to be taken in. `remote`: the caller is no shell of this machine, so that paths must be below
        `allowed_roots` (ForbiddenPath). Raises InvalidParams for a path that is not there."""
        raise NotImplementedError

    async def ask(self, question: str, *, task_id: str | None = None, options: AskOptions = ASK, wait: float = 20.0) -> Asked:
        """Queue a question and wait up to `wait` (0..50 s) for its answer. Raises InvalidParams for a blank or overlong
        question, EmptyCorpus where there is nothing to search, EngineUnavailable for the web without an engine."""
        raise NotImplementedError

    async def get_answer(self, answer_id: str = "last", *, wait: float = 0.0) -> Asked:
        """An answer by id, unique prefix or `last`; one being made is waited for up to `wait` (0..50 s). Raises NotFound,
        or the error that its job ended with."""
        raise NotImplementedError

    async def get_status(
        self,
        task_id: str = "last",
        *,
        wait: float = 20.0,
        since_revision: int | None = None,
        detail: Detail = Detail.SUMMARY,
        cursor: str | None = None,
    ) -> Status:
        """A task as it is. With `since_revision`, waits up to `wait` (0..50 s) until it is another; results, failures and
        cancellations all change it. With `cursor`, only results that came or changed since."""
        raise NotImplementedError

    async def list_tasks(self, *, states: Sequence[TaskState] = (), cursor: str | None = None, limit: int = 50) -> TaskPage:
        """Tasks, newest first."""
        raise NotImplementedError

    async def stop_task(self, task_id: str, *, mode: StopMode = StopMode.GRACEFUL, wait: float = 0.0) -> Stopped:
        """Cancel what has not begun; `immediate` cancels what runs too. Waits up to `wait` for running jobs to end."""
        raise NotImplementedError

    async def resume_task(self, task_id: str) -> Resumed:
        """Queue again what was cancelled or has failed; each goes on after its last step."""
        raise NotImplementedError

    async def remove_task(self, task_id: str, *, purge: Purge = Purge.NONE) -> Gone:
        """Remove a task and its rows; running jobs are cancelled first. `orphans` also erases the web pages that it brought
        and that no other task, answer or session and no corpus of the user's own reaches."""
        raise NotImplementedError

    async def get_auth_queue(self, task_id: str | None = None) -> Sequence[Waiting]:
        """What waits for a person, oldest first."""
        raise NotImplementedError

    async def resolve_auth(self, target: AuthTarget, id: str, action: AuthAction = AuthAction.COMPLETE) -> Resolved:
        """A person has come: jobs are queued again, or, skipped, end with what they have. Raises NotFound where nothing of
        the kind waits."""
        raise NotImplementedError

    async def list_engines(self) -> Sequence[EngineRow]:
        """All engines, those that can be asked first."""
        raise NotImplementedError

    async def feedback(self, opinion: Opinion, target: str) -> Said:
        """Block or unblock a domain (its subdomains too); reject or restore evidence by id or unique prefix. Answers from now
        on do without. Raises InvalidParams for what is no domain, NotFound for unknown evidence."""
        raise NotImplementedError
