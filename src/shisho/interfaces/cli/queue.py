"""The queue in the shell: `shisho queue …`, `jobs`, `worker`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from shisho.interfaces.cli.frames import CommandGroup
from shisho.interfaces.cli.interrupts import EndRequest, end_request, exit_interrupted
from shisho.interfaces.cli.shell import Json, Shell, Terminal, library_command

if TYPE_CHECKING:
    from shisho.domain.task import TaskSnapshot
    from shisho.services import Library
    from shisho.settings import Settings

queue = typer.Typer(cls=CommandGroup, help="help.queue", no_args_is_help=True)

TaskName = Annotated[str, typer.Argument(metavar="TASK", help="help.argument_answer")]
WAIT = 20.0


@queue.command(help="help.queue_add")
@library_command("interrupted_queue")
async def add(
    shell: Shell,
    queries: Annotated[list[str], typer.Argument(help="help.argument_queries")],
    task: Annotated[str | None, typer.Option(help="help.option_task")] = None,
    engine: Annotated[list[str], typer.Option(help="help.option_engine")] = [],  # noqa: B006
    category: Annotated[list[str], typer.Option(help="help.option_category")] = [],  # noqa: B006
    lang: Annotated[str, typer.Option(help="help.option_page_language")] = "ja",
    time_range: Annotated[
        Literal["all", "day", "week", "month", "year"], typer.Option(help="help.option_time_range")
    ] = "all",
    results: Annotated[int, typer.Option(min=1, max=100, help="help.option_pages")] = 10,
    pages: Annotated[int | None, typer.Option(min=1, max=10, help="help.option_result_pages")] = None,
    stop: Annotated[
        Literal["auto", "fixed", "exhaustive"],
        typer.Option(help="help.option_stop_strategy"),
    ] = "auto",
    page: Annotated[int, typer.Option(min=1, max=10, help="help.option_first_page")] = 1,
    priority: Annotated[
        Literal["high", "medium", "low"], typer.Option(help="help.option_priority")
    ] = "medium",
    json_: Json = False,
) -> None:
    """Queue web searches and return at once."""
    from shisho.domain.job import Priority
    from shisho.domain.task import SearchOptions, StopStrategy
    from shisho.domain.web import TimeRange
    from shisho.interfaces.cli import render_queue
    from shisho.interfaces.cli.consent import confirm_queries

    options = SearchOptions(
        engines=tuple(engine),
        categories=tuple(category),
        language=lang,
        time_range=TimeRange(time_range),
        max_results_per_query=results,
        serp_page=page,
        serp_max_pages=pages,
        stop_strategy=StopStrategy(stop),
        priority=Priority[priority.upper()],
    )
    await confirm_queries(shell.library, shell.say, queries)
    queued = await shell.library.tasks.queue_searches(queries, task_id=task, options=options)
    shell.show(queued, lambda: render_queue.print_queued(queued, shell.say))


@queue.command(help="help.queue_status")
@library_command("interrupted_queue")
async def status(shell: Shell, task: TaskName = "last", json_: Json = False) -> None:
    """Show the current state of a task."""
    from shisho.interfaces.cli import render_queue

    snapshot = await shell.library.tasks.get_status(task, wait=0, detail="full")
    if json_:
        typer.echo(json.dumps(render_queue.to_json(snapshot), ensure_ascii=False, indent=2))
    else:
        render_queue.print_status(snapshot, shell.say)


@queue.command(help="help.queue_watch")
@library_command("interrupted_queue")
async def watch(shell: Shell, task: TaskName = "last", json_: Json = False) -> None:
    """Follow a task until it ends; with --json, a line for every change."""
    from shisho.domain.job import TaskState
    from shisho.interfaces.cli import render_queue

    tell = render_queue.follow(shell.say)

    def print_status(snapshot: TaskSnapshot) -> None:
        if json_:
            typer.echo(json.dumps(render_queue.to_json(snapshot), ensure_ascii=False))
        else:
            tell(snapshot)

    news = await shell.library.tasks.get_status(task, wait=0, detail="full")
    print_status(news)
    while news.more or news.status in (TaskState.RUNNING, TaskState.WAITING):
        since = None if news.more else news.revision
        news = await shell.library.tasks.get_status(
            news.task_id, wait=WAIT, since_revision=since, cursor=news.cursor, detail="full"
        )
        if news.changed:
            print_status(news)


@queue.command("stop", help="help.queue_cancel")
@library_command("interrupted_queue")
async def stop_(
    shell: Shell,
    task: TaskName = "last",
    now: Annotated[bool, typer.Option("--now", help="help.option_cancel_running")] = False,
    wait: Annotated[float, typer.Option(min=0, max=50, help="help.option_cancel_wait")] = 0.0,
    json_: Json = False,
) -> None:
    """Cancel queued jobs and let running ones finish."""
    from shisho.domain.job import StopMode
    from shisho.interfaces.cli import render_queue

    mode = StopMode.IMMEDIATE if now else StopMode.GRACEFUL
    stopped = await shell.library.tasks.stop(task, mode=mode, wait=wait)
    shell.show(stopped, lambda: render_queue.print_stopped(stopped, shell.say))


@queue.command(help="task.resume_hint")
@library_command("interrupted_queue")
async def resume(shell: Shell, task: TaskName = "last", json_: Json = False) -> None:
    """Requeue cancelled and failed jobs; each resumes after its last completed step."""
    resumed = await shell.library.tasks.resume(task)
    shell.show(resumed, lambda: typer.echo(shell.say("requeued", n=resumed.requeued)))


@library_command("interrupted_queue")
async def jobs(
    shell: Shell,
    task: Annotated[
        str | None,
        typer.Argument(metavar="[TASK]", help="help.argument_task"),
    ] = None,
    after: Annotated[str | None, typer.Option(help="help.option_after_row")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1_000)] = 50,
    json_: Json = False,
) -> None:
    """List the tasks, or the jobs of one with their errors."""
    from shisho.interfaces.cli import render_queue

    if task is None:
        page = await shell.library.tasks.list(cursor=after, limit=limit)
        shell.show(page, lambda: render_queue.print_tasks(page, after is not None, shell.say))
    else:
        job_page = await shell.library.tasks.list_jobs(task, cursor=after, limit=limit)
        shell.show(job_page, lambda: render_queue.print_jobs(job_page, shell.say))


@library_command("interrupted_worker")
async def worker(
    shell: Shell,
    slots: Annotated[
        int | None,
        typer.Option("-n", min=1, max=64, help="help.option_workers"),
    ] = None,
    drain: Annotated[bool, typer.Option("--drain", help="help.option_until_done")] = False,
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65_535, help="help.option_health_port"),
    ] = None,
    host: Annotated[str, typer.Option(help="help.option_health_host")] = "127.0.0.1",
) -> None:
    """Run jobs of the queue until interrupted. Any number of workers may share one home."""
    from shisho.bootstrap.tracing import trace
    from shisho.interfaces.cli.log_lines import start_log

    loaded = shell.load_settings()
    start_log(loaded)
    await shell.library.check_ready()
    request = end_request()
    with trace(loaded):
        async with (
            shell.library.working(slots, Terminal(shell.say)),
            _serve_health(shell.library, loaded, host, port, request),
        ):
            typer.echo(shell.say("working", n=slots or loaded.read_int("workers")), err=True)
            await _wait_for_end(shell.library, request, drain)
    if request.interrupted:
        exit_interrupted(shell, "interrupted_worker")


@asynccontextmanager
async def _serve_health(
    library: Library, loaded: Settings, host: str, port: int | None, request: EndRequest
) -> AsyncIterator[None]:
    """Serve health and metrics while entered, if a port is given."""
    if port is None:
        yield
        return
    from shisho.interfaces.cli.serve import access_rules
    from shisho.interfaces.http.server import serve_health

    started = partial(typer.echo, err=True)
    showing = asyncio.create_task(serve_health(library, access_rules(loaded, host), port, started, request))
    showing.add_done_callback(lambda _: request.set())  # if the port is in use, the worker stops
    try:
        yield
    finally:
        request.set()
        await showing


async def _wait_for_end(library: Library, request: EndRequest, drain: bool) -> None:
    """Wait for a stop request, or with `drain` until the queue is empty."""
    while not request.is_set() and not (drain and await _is_idle(library)):
        try:
            async with asyncio.timeout(1.0 if drain else None):
                await request.wait()
        except TimeoutError:
            continue


async def _is_idle(library: Library) -> bool:
    from shisho.domain.job import TaskState

    return not (await library.tasks.list(states=[TaskState.RUNNING], limit=1)).tasks
