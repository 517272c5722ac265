"""Print tasks and jobs of the queue in the shell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any

import typer
from rich.console import Console

from shisho.domain.codec import plain
from shisho.domain.intervention import PendingIntervention
from shisho.domain.job import Job
from shisho.domain.payloads import read_payload
from shisho.domain.task import EngineStatus, JobPage, JobsQueued, TaskPage, TaskSnapshot, TaskStopped
from shisho.interfaces.cli.columns import print_columns
from shisho.interfaces.cli.messages import Words
from shisho.messages.catalogue import render, rendered

_out = Console(highlight=False, soft_wrap=True, markup=False, emoji=False)


def queued(done: JobsQueued, words: Words) -> None:
    """Print what was queued and what was skipped."""
    typer.echo(f"{words('task', text=done.task_id)}: {words('queued', n=done.queued)}")
    for one in done.skipped:
        typer.echo(f"  {words('skipped')}: {one.subject.strip() or words('blank_subject')} — {render(one.reason)}")
    typer.echo(words("who_works"))


def to_json(held: TaskSnapshot) -> dict[str, Any]:
    """A task as JSON-ready data, its progress as it is shown."""
    counts = {count.name: str(getattr(held.progress, count.name)) for count in fields(held.progress)}
    return {**plain(rendered(held)), "progress": counts}


def status(held: TaskSnapshot, words: Words) -> None:
    """A task, what it has found and what went wrong."""
    typer.echo(f"{words('task', text=held.task_id)}  {held.question}")
    follow(words)(held)


def follow(words: Words) -> Callable[[TaskSnapshot], None]:
    """Prints a task's line when it differs from the last one, each finding when it comes, each error once."""
    said: set[str] = set()

    def tell(held: TaskSnapshot) -> None:
        progress = held.progress
        lines = [
            words(
                "task_line",
                state=words(f"state_{held.status}"),
                queries=progress.queries,
                pages=progress.pages,
                documents=progress.documents,
                answers=progress.answers,
            )
        ]
        lines += [f"  {one.title or one.url}\n    {one.url}" for one in held.results if one.document_id]
        lines += [f"  {one.code}: {one.query or ''} {one.url or ''} — {render(one.reason)}" for one in held.errors]
        lines += ["  " + words("person_needed", text=_where(one)) for one in held.waiting_for]
        for line in lines:
            if line not in said:
                typer.echo(line)
        said.update(lines)

    return tell


def stopped(done: TaskStopped, words: Words) -> None:
    """How much was cancelled."""
    gone = done.cancelled
    number = gone.queued + gone.running + gone.parked + gone.awaiting_auth
    typer.echo(words("stopped", n=number, running=len(done.still_running)))


def tasks(page: TaskPage, words: Words) -> None:
    """Tasks, newest first."""
    if not page.tasks:
        typer.echo(words("nothing_queued"))
        return
    rows = [(one.task_id, words(f"state_{one.status}"), one.created_at[:19], one.question) for one in page.tasks]
    print_columns(_out, [words("id"), words("state"), words("created"), words("question")], rows)


def jobs(page: JobPage, words: Words) -> None:
    """The jobs of a task, oldest first, each with its last error."""
    rows = [
        (job.id, words(f"job_{job.kind}"), words(f"state_{job.state}"), read_payload(job).subject, _error(job))
        for job in page.jobs
    ]
    print_columns(_out, [words("id"), words("kind"), words("state"), words("subject"), words("error")], rows)


def waiting(held: Sequence[PendingIntervention], words: Words) -> None:
    """Print the interventions that wait for a person."""
    if not held:
        typer.echo(words("nobody_needed"))
        return
    heads = [words("id"), words("domain"), words("kind"), words("state"), "URL"]
    rows = [(one.id, one.domain, words(f"proof_{one.kind}"), words(f"state_{one.state}"), one.url) for one in held]
    print_columns(_out, heads, rows)


def engines(rows: Sequence[EngineStatus], words: Words) -> None:
    """Each engine: whether it can be asked, how it has answered, what is left of its day; below it, why not and what failed."""
    heads = ["", *(words(name) for name in ("engine", "tier", "health", "answered", "latency", "left_today", "rests_until"))]
    print_columns(_out, heads, [_engine(one, words) for one in rows])
    for one in rows:
        for said in (render(one.reason), one.last_error and f"{words('error')}: {one.last_error}"):
            if said:
                typer.echo(said if said.startswith(one.name) else f"{one.name}: {said}")


def _engine(one: EngineStatus, words: Words) -> tuple[str, ...]:
    return (
        "○" if one.available else "-",
        one.name,
        words(f"tier_{one.tier}"),
        words(f"breaker_{one.breaker}"),
        "" if one.success_rate is None else f"{one.success_rate:.0%}",
        "" if one.median_latency_s is None else f"{one.median_latency_s:.1f} s",
        "" if one.quota_left is None else f"{one.quota_left}/{one.per_day}",
        "" if one.cool_down_until is None else f"{datetime.fromisoformat(one.cool_down_until).astimezone():%m-%d %H:%M}",
    )


class Terminal:
    """`ports.Notifier`: a line on the error stream, since the other one may carry a protocol."""

    def __init__(self, words: Words) -> None:
        self._words = words

    async def notify(self, waiting: PendingIntervention) -> None:
        typer.echo(self._words("person_needed", text=_where(waiting)), err=True)


def _where(one: PendingIntervention) -> str:
    return f"{one.engine} ({one.domain})" if one.engine else one.domain


def _error(job: Job) -> str:
    return f"{job.errors[-1].code}: {render(job.errors[-1].message)}" if job.errors else ""
