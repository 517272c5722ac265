"""Print tasks and jobs of the queue in the shell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any

import typer
from rich.console import Console

from shisho.domain.codec import to_plain
from shisho.domain.intervention import PendingIntervention
from shisho.domain.job import Job
from shisho.domain.payloads import describe_subject
from shisho.domain.task import (
    EngineStatus,
    JobKind,
    JobPage,
    JobsQueued,
    ResultRow,
    TaskPage,
    TaskSnapshot,
    TaskStopped,
)
from shisho.domain.time import Instant
from shisho.domain.web import SearchPaging
from shisho.interfaces.cli.layout import print_columns
from shisho.interfaces.cli.shell import Words, describe_waiting_engine
from shisho.language.display import display_name
from shisho.language.normalise import strip_unseen
from shisho.messages.catalogue import render, render_all

KINDS = frozenset(map(str, JobKind))
_out = Console(highlight=False, soft_wrap=True, markup=False, emoji=False)


def print_queued(done: JobsQueued, words: Words) -> None:
    """Print what was queued and what was skipped."""
    typer.echo(f"{words('task', text=done.task_id)}: {words('queued', n=done.queued)}")
    for skipped_item in done.skipped:
        subject = display_name(skipped_item.subject).strip() or words("blank_subject")
        typer.echo(f"  {words('skipped')}: {subject} — {display_name(render(skipped_item.reason))}")
    typer.echo(words("who_works"))


def to_json(held: TaskSnapshot) -> dict[str, Any]:
    """Return a task as JSON-ready data, with its progress as displayed."""
    counts = {count.name: str(getattr(held.progress, count.name)) for count in fields(held.progress)}
    return {**to_plain(render_all(held)), "progress": counts}


def print_status(snapshot: TaskSnapshot, words: Words) -> None:
    """Print a task, its findings and its errors."""
    typer.echo(f"{words('task', text=snapshot.task_id)}  {display_name(snapshot.question)}")
    follow(words)(snapshot)


def follow(words: Words) -> Callable[[TaskSnapshot], None]:
    """Return a printer of changes: a task's line if it changed, and each finding and error once."""
    printed: set[str] = set()

    def tell(snapshot: TaskSnapshot) -> None:
        progress = snapshot.progress
        lines = [
            words(
                "task_line",
                state=words(f"state_{snapshot.status}"),
                queries=progress.queries,
                pages=progress.pages,
                documents=progress.documents,
                answers=progress.answers,
            )
        ]
        if progress.reading.total:
            lines.append("  " + words("being_read", n=progress.reading.done, total=progress.reading.total))
        lines += [
            f"  {display_name(result.title or result.url)}{_describe_page(result, words)}\n    {strip_unseen(result.url)}"
            for result in snapshot.results
            if result.document_id
        ]
        lines += [_describe_paging(search, words) for search in snapshot.searches]
        lines += [
            strip_unseen(f"  {error.code}: {error.query or ''} {error.url or ''} — {render(error.reason)}")
            for error in snapshot.errors
        ]
        lines += [
            "  "
            + words("put_off", n=delay.jobs, until=_format_time(delay.until), reason=render(delay.reason))
            for delay in snapshot.delays
        ]
        lines += [
            "  " + words("person_needed", text=describe_waiting_engine(intervention))
            for intervention in snapshot.waiting_for
        ]
        for line in lines:
            if line not in printed:
                typer.echo(line)
        printed.update(lines)

    return tell


def _describe_page(result: ResultRow, words: Words) -> str:
    return "" if result.page_number is None else f" ({words('result_page', n=result.page_number)})"


def _describe_paging(search: SearchPaging, words: Words) -> str:
    """Return how a search pages and why it stopped, in short lines."""

    def join(name: str, shares: Sequence[float | None]) -> str:
        return words(name, shares=" ".join("–" if share is None else f"{share:.0%}" for share in shares))

    lines = [
        f"  {search.engine}: {display_name(search.query)}",
        f"    {words('result_pages', n=search.pages)} · {search.paging_stop or words('state_running')}",
        f"    {render(search.reason)}",
        f"    {join('paging_novelty', search.novelty)}",
        f"    {join('paging_harvest', search.harvest)}",
        *(f"    {render(warning)}" for warning in search.warnings),
    ]
    return "\n".join(line for line in lines if line.strip())


def print_stopped(done: TaskStopped, words: Words) -> None:
    """Print the number of cancelled jobs."""
    gone = done.cancelled
    number = gone.queued + gone.running + gone.parked + gone.awaiting_auth
    typer.echo(words("stopped", n=number, running=len(done.still_running)))


def print_tasks(page: TaskPage, is_rest: bool, words: Words) -> None:
    """Print tasks, newest first. `is_rest`: this is not the first page."""
    if not page.tasks:
        typer.echo(words("nothing_more_queued" if is_rest else "nothing_queued"))
        return
    rows = [
        (task.task_id, words(f"state_{task.status}"), task.created_at[:19], task.question)
        for task in page.tasks
    ]
    print_columns(_out, [words("id"), words("state"), words("created"), words("question")], rows)


def print_jobs(page: JobPage, words: Words) -> None:
    """Print the jobs of a task, oldest first, each with its last error."""
    rows = [
        (
            job.id,
            words(f"job_{job.kind}") if job.kind in KINDS else job.kind,
            words(f"state_{job.state}"),
            render(describe_subject(job)),
            _describe_error(job),
        )
        for job in page.jobs
    ]
    print_columns(_out, [words("id"), words("kind"), words("state"), words("subject"), words("error")], rows)


def print_waiting(interventions: Sequence[PendingIntervention], words: Words) -> None:
    """Print the interventions that wait for a person."""
    if not interventions:
        typer.echo(words("nobody_needed"))
        return
    heads = [words("id"), words("domain"), words("kind"), words("state"), "URL"]
    rows = [
        (
            intervention.id,
            intervention.domain,
            words(f"proof_{intervention.kind}"),
            words(f"state_{intervention.state}"),
            intervention.url,
        )
        for intervention in interventions
    ]
    print_columns(_out, heads, rows)


def print_engines(rows: Sequence[EngineStatus], words: Words) -> None:
    """Print each engine with its availability, its success rate and its remaining daily quota.

    Reasons and errors follow below, once for all engines that share them.
    """
    heads = [
        "",
        *(
            words(name)
            for name in (
                "engine",
                "tier",
                "health",
                "answered",
                "latency",
                "left_today",
                "rests_until",
            )
        ),
    ]
    print_columns(_out, heads, [_describe_engine(row, words) for row in rows])
    counts = Counter(row.reason for row in rows if row.reason)
    shared = [reason for reason, count in counts.items() if count > 1]
    for reason in shared:
        typer.echo(render(reason))
    for row in rows:
        reason = "" if row.reason in shared else render(row.reason)
        for note in (reason, row.last_error and f"{words('error')}: {row.last_error}"):
            if note:
                typer.echo(display_name(note if note.startswith(row.name) else f"{row.name}: {note}"))


def _describe_engine(engine_status: EngineStatus, words: Words) -> tuple[str, ...]:
    return (
        "○" if engine_status.available else "-",
        engine_status.name,
        words(f"tier_{engine_status.tier}"),
        words(f"breaker_{engine_status.breaker}"),
        "" if engine_status.success_rate is None else f"{engine_status.success_rate:.0%}",
        "" if engine_status.median_latency_s is None else f"{engine_status.median_latency_s:.1f} s",
        "" if engine_status.quota_left is None else f"{engine_status.quota_left}/{engine_status.per_day}",
        "" if engine_status.cool_down_until is None else _format_time(engine_status.cool_down_until),
    )


def _format_time(at: Instant) -> str:
    return f"{datetime.fromisoformat(at).astimezone():%m-%d %H:%M}"


def _describe_error(job: Job) -> str:
    return f"{job.errors[-1].code}: {render(job.errors[-1].message)}" if job.errors else ""
