"""Verbs over tasks: the queue, its status, and its challenges for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from shisho.domain.intervention import AuthAction, AuthResolved, AuthTarget
from shisho.domain.job import Priority, StopMode, TaskState
from shisho.domain.task import (
    MAX_QUERIES,
    FeedbackRecorded,
    Opinion,
    PurgeScope,
    SearchesQueued,
    SearchOptions,
    StatusDetail,
    StopStrategy,
    TaskDeleted,
    TaskResumed,
    TaskSnapshot,
    TaskStopped,
    UrlsQueued,
    WaitCondition,
)
from shisho.domain.web import TimeRange
from shisho.interfaces.api.inputs import InputObject
from shisho.interfaces.api.operations import Effect, ReplyForm, Verb
from shisho.interfaces.api.replies import (
    AuthQueue,
    Cursor,
    EngineList,
    Id,
    Key,
    Limit,
    Name,
    TaskCreated,
    TaskList,
    TaskStatus,
    Text,
    Wait,
    to_task_status,
)
from shisho.services import Library

MAX_REVISION = 2**53 - 1  # up to here every reader of JSON counts exactly, and every database holds it


class TaskBudget(InputObject):
    """Ceilings of a task, checked before they are spent."""

    max_pages: Annotated[int | None, Field(ge=1, le=100_000)] = None
    max_seconds: Annotated[float | None, Field(gt=0, le=86_400)] = None
    max_model_calls: Annotated[int | None, Field(ge=0, le=100_000)] = None
    max_tokens: Annotated[int | None, Field(ge=0, le=100_000_000)] = None


class SearchOptionsInput(InputObject):
    """How the queries are searched."""

    OTHER_NAMES: ClassVar[Mapping[str, str]] = {"strategy": "stop_strategy", "max_pages": "serp_max_pages"}
    engines: Annotated[list[Name], Field(max_length=20, description="none: by category")] = Field(default=[])
    categories: Annotated[list[Name], Field(max_length=10)] = Field(default=[])
    language: Annotated[str, Field(max_length=20, description='a tag: ja, en, pt-br; "": any')] = "ja"
    region: Annotated[str | None, Field(max_length=2, description="a country: jp, us")] = None
    time_range: Annotated[TimeRange, Field(description="how old a page may be")] = TimeRange.ALL
    max_results_per_query: Annotated[
        int, Field(ge=1, le=100, description="pages to read for each query; none: 10")
    ] = 10
    serp_page: Annotated[int, Field(ge=1, le=10, description="result page to begin with")] = 1
    serp_max_pages: Annotated[
        int | None, Field(ge=1, le=10, description="null: as the category suggests")
    ] = None
    stop_strategy: Annotated[
        StopStrategy,
        Field(description="auto: until nothing new comes; fixed: all pages; exhaustive: to the engine's end"),
    ] = StopStrategy.AUTO
    priority: Literal["high", "medium", "low"] = "medium"

    def to_options(self) -> SearchOptions:
        """Convert to the options of the domain."""
        given = self.model_dump() | {
            "engines": tuple(self.engines),
            "categories": tuple(self.categories),
            "priority": Priority[self.priority.upper()],
        }
        return SearchOptions(**given)


async def create_task(
    library: Library, question: Text, budget: TaskBudget | None = None, idempotency_key: Key = None
) -> TaskCreated:
    """Create a research task that groups searches, pages and questions under one id and one budget.

    Use it to set a budget first; queue_searches and ask create a task by themselves. Returns task_id.
    """
    ceilings = budget.model_dump(exclude_none=True) if budget else {}
    return TaskCreated(await library.tasks.create(question, budget=ceilings, idempotency_key=idempotency_key))


async def queue_searches(
    library: Library,
    queries: Annotated[list[Text], Field(min_length=1, max_length=MAX_QUERIES)],
    task_id: Annotated[Id | None, Field(description="none: create a task")] = None,
    options: Annotated[
        SearchOptionsInput | None,
        Field(description="the arguments after it may stand in here instead"),
    ] = None,
    idempotency_key: Key = None,
) -> SearchesQueued:
    """Queue web searches; the pages they find are fetched and added to the library.

    Use it when the user's documents do not have the answer. Send all queries in one call, go on with other
    work, then call get_status. Returns at once: task_id, the number queued, and the queries skipped and why.
    """
    search_options = (options or SearchOptionsInput()).to_options()
    return await library.tasks.queue_searches(
        queries, task_id=task_id, options=search_options, idempotency_key=idempotency_key
    )


async def queue_urls(
    library: Library,
    urls: Annotated[list[Name], Field(min_length=1, max_length=200, description="http(s) addresses or DOIs")],
    task_id: Annotated[Id | None, Field(description="none: create a task")] = None,
    idempotency_key: Key = None,
) -> UrlsQueued:
    """Queue web addresses or DOIs; each is fetched and added to the library.

    Use it when you know the address. Returns at once with task_id; then call get_status.
    """
    return await library.tasks.queue_urls(urls, task_id=task_id, idempotency_key=idempotency_key)


async def get_status(
    library: Library,
    task_id: Id = "last",
    wait: Wait = 20.0,
    wait_for: Annotated[
        WaitCondition,
        Field(
            description="what ends the wait: any change; the end of a job, or an error; the end of all jobs"
        ),
    ] = WaitCondition.CHANGE,
    since_revision: Annotated[
        int | None,
        Field(ge=0, le=MAX_REVISION, description="`revision` of the last reply: return only what is newer"),
    ] = None,
    detail: Annotated[StatusDetail, Field(description="full: all fields")] = StatusDetail.SUMMARY,
    cursor: Cursor = None,
) -> TaskSnapshot:
    """Wait for a task and get what it has found.

    Use it after queue_searches or add_documents: with wait=50 and wait_for=done, again while `status` is
    running. To read results as they come, use wait_for=result with the last `revision` as since_revision.
    Returns status, progress, new results and errors; `waiting_for` lists pages that need the user: give the
    user the `url` and say that the page "Queue" or `shisho auth open` opens it. What you know, and what is
    null, is left out.
    """
    return await library.tasks.get_status(
        task_id,
        wait=wait,
        wait_for=wait_for,
        since_revision=since_revision,
        detail=detail,
        cursor=cursor,
    )


async def stop_task(
    library: Library, task_id: Id, mode: StopMode = StopMode.GRACEFUL, wait: Wait = 0.0
) -> TaskStopped:
    """Stop a task.

    Use it when you have enough, or if the user asks. graceful: running jobs finish; immediate: they are
    cancelled too. Returns what was cancelled and what still runs. Results are kept, and the user can resume
    the task.
    """
    return await library.tasks.stop(task_id, mode=mode, wait=wait)


async def resume_task(library: Library, task_id: Id) -> TaskResumed:
    """Resume a task: queue its stopped and failed jobs again.

    Use it if the user asks; each job continues after the last page it stored. Returns the number of jobs
    queued.
    """
    return await library.tasks.resume(task_id)


async def remove_task(
    library: Library,
    task_id: Id,
    purge: Annotated[
        PurgeScope, Field(description="orphans: also erase web pages that nothing else reaches")
    ] = PurgeScope.NONE,
) -> TaskDeleted:
    """Remove a task and its rows.

    Use it only if the user asks. Documents of the user's own corpora are never touched. Returns what was
    removed.
    """
    return await library.tasks.remove(task_id, purge=purge)


async def list_tasks(
    library: Library,
    states: Annotated[list[TaskState], Field(max_length=10, description="none: all")] = [],  # noqa: B006
    cursor: Cursor = None,
    limit: Limit = 50,
) -> TaskList:
    """List tasks, newest first.

    Use it to find the id of an earlier task. Returns the id, question and status of each.
    """
    page = await library.tasks.list(states=states, cursor=cursor, limit=limit)
    return TaskList(page.tasks, page.cursor is not None, page.cursor)


async def get_auth_queue(library: Library, task_id: Id | None = None) -> AuthQueue:
    """List the searches that wait for the user at a CAPTCHA, a login or a consent page.

    Use it when a task is waiting, and tell the user what to open. Returns the id, address and kind of each.
    """
    return AuthQueue(tuple(await library.web.get_auth_queue(task_id)))


async def resolve_auth(
    library: Library,
    target: Annotated[AuthTarget, Field(description="what `id` names")],
    id: Name,
    action: Annotated[
        AuthAction,
        Field(description="complete: the user has solved it; skip: end with what there is"),
    ],
) -> AuthResolved:
    """Let the searches go on that waited for the user.

    Use it after the user has solved a page, or wants to skip it. Returns the jobs that go on.
    """
    return await library.web.resolve_auth(target, id, action)


async def list_engines(
    library: Library,
    names: Annotated[list[Name], Field(max_length=50, description="only these; none: all")] = [],  # noqa: B006
) -> EngineList:
    """List the search engines.

    Use it to choose `engines`, or to see why a search found nothing. Returns which can be asked now, and why
    others cannot.
    """
    engines = await library.web.list_engines()
    return EngineList(tuple(engine for engine in engines if not names or engine.name in names))


async def feedback(
    library: Library,
    opinion: Opinion,
    target: Annotated[Name, Field(description="a domain, or the id of evidence")],
) -> FeedbackRecorded:
    """Keep answers away from a domain or a piece of evidence, or undo that.

    Use it if the user distrusts a source. Returns what was recorded.
    """
    return await library.questions.record_feedback(opinion, target)


TASK = "task://{0.task_id}"
GET_STATUS = Verb(
    get_status,
    TaskStatus,
    "Status of a task",
    ("GET", "/tasks/{task_id}"),
    Effect("read"),
    form=ReplyForm(link=TASK, rows=("results", "place"), shape=to_task_status),
)
VERBS = (
    Verb(
        create_task,
        TaskCreated,
        "Create a task",
        ("POST", "/tasks"),
        Effect("add", again=False),
        form=ReplyForm(link=TASK),
    ),
    Verb(
        queue_searches,
        SearchesQueued,
        "Queue searches",
        ("POST", "/searches"),
        Effect("add", again=False, outside=True),
        form=ReplyForm(link=TASK),
        spread="options",
    ),
    Verb(
        queue_urls,
        UrlsQueued,
        "Queue addresses",
        ("POST", "/urls"),
        Effect("add", again=False, outside=True),
        form=ReplyForm(link=TASK),
    ),
    GET_STATUS,
    Verb(
        list_tasks,
        TaskList,
        "List tasks",
        ("GET", "/tasks"),
        Effect("read"),
        form=ReplyForm(rows=("tasks", "task_id")),
    ),
    Verb(
        stop_task,
        TaskStopped,
        "Stop a task",
        ("POST", "/tasks/{task_id}/stop"),
        Effect("change"),
        form=ReplyForm(link=TASK),
    ),
    Verb(
        resume_task,
        TaskResumed,
        "Resume a task",
        ("POST", "/tasks/{task_id}/resume"),
        Effect("change", outside=True),
        form=ReplyForm(link=TASK),
    ),
    Verb(remove_task, TaskDeleted, "Remove a task", ("DELETE", "/tasks/{task_id}"), Effect("destroy")),
    Verb(get_auth_queue, AuthQueue, "What waits for the user", ("GET", "/auth"), Effect("read")),
    Verb(
        resolve_auth,
        AuthResolved,
        "The user has come",
        ("POST", "/auth/resolve"),
        Effect("change", outside=True),
    ),
    Verb(list_engines, EngineList, "Search engines", ("GET", "/engines"), Effect("read")),
    Verb(feedback, FeedbackRecorded, "Block or reject", ("POST", "/feedback"), Effect("change")),
)
