"""Show the progress of a question in the shell.

Searches, pages and evidence, line by line on stderr.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from rich.console import Console
from rich.text import Text

from shisho.domain.answer_news import ModelWaits, SentenceWritten, StepTaken
from shisho.domain.corpus import IntakeOutcome
from shisho.domain.job import Job, JobState
from shisho.domain.payloads import AnswerOutcome, SearchOutcome, describe_subject, read_known_outcome
from shisho.domain.survey import PORTION, SurveyKind
from shisho.domain.task import JobKind, TaskSnapshot
from shisho.interfaces.cli.render_adding import (
    describe_left_out,
    describe_progress,
    describe_receipt,
    file_name,
)
from shisho.interfaces.cli.shell import Words
from shisho.language.display import join_lines
from shisho.language.normalise import strip_unseen
from shisho.services.news import AnswerReady, FileNews, FilesSurveyed, FileTakenIn, News, Notify, TaskChanged

SPINNER = 2  # columns before the last line

Show = Callable[[Text | str], None]


@contextmanager
def show_progress(words: Words, *, quiet: bool = False) -> Iterator[Notify]:
    """Return a listener for `Questions.ask` and `resume`.

    On a terminal the last line counts the running work. Elsewhere lines are plain, and only failed documents
    are shown, as nobody is waiting.
    """
    console = Console(stderr=True, highlight=False, markup=False, emoji=False, quiet=quiet)
    show = partial(console.print, soft_wrap=True)
    documents = _Documents(words, show)
    web = _Searches(words, show)

    if not console.is_terminal:

        def show_plainly(news: News) -> None:
            web.hear(news)
            documents.show_losses(news)

        yield show_plainly
        return
    with console.status("") as line:

        def notify(news: News) -> None:
            web.hear(news)
            documents.tell(news)
            if isinstance(news, TaskChanged):
                line.update(_format_counts(news.status, words))
            elif isinstance(news, FileNews):
                text = Text(f"{describe_progress(news, words)}  {file_name(news.source)}")
                text.truncate(console.width - SPINNER, overflow="ellipsis")
                line.update(text)
            elif isinstance(news, FileTakenIn):
                line.update("")

        yield notify


def _format_counts(status: TaskSnapshot, words: Words) -> str:
    progress = status.progress
    if not progress.queries.total:
        return ""
    return words("web_line", queries=progress.queries, pages=progress.pages)


class _Documents:
    """Added files, rounds, and accepted evidence."""

    def __init__(self, words: Words, show: Show) -> None:
        self._words = words
        self._show = show
        self._rounds = 0

    def show_losses(self, news: News) -> None:
        """Show only skipped and failed files, and before a long summary is written what it takes."""
        match news:
            case StepTaken(node="strategy", replayed=False, change=change) if (
                "survey" in change
                and change["survey"].kind is SurveyKind.SUMMARY
                and len(change["evidence"]) > PORTION
            ):
                read = len(change["evidence"])
                calls = (
                    2 * math.ceil(read / PORTION) + 2
                )  # each portion is written and judged, then the whole
                self._show(self._words("summary_budget", n=read, calls=calls))
            case FilesSurveyed(survey) if survey.left_out:
                self._show(describe_left_out(survey, self._words))
            case FileTakenIn(receipt) if receipt.outcome is IntakeOutcome.FAILED:
                self._show(describe_receipt(receipt, self._words, file_name(receipt.source)))

    def tell(self, news: News) -> None:
        words = self._words
        self.show_losses(news)
        match news:
            case FileTakenIn(receipt) if receipt.outcome not in (IntakeOutcome.KNOWN, IntakeOutcome.FAILED):
                self._show(describe_receipt(receipt, words, file_name(receipt.source)))
            case StepTaken(node="plan", change=change):
                self._rounds += 1
                self._show(words("round", n=self._rounds, text=" ".join(change["plans"][-1].keyword_query)))
            case StepTaken(node="evaluate", change=change):
                self._show(words("kept", n=len(change["evidence"])))
            case StepTaken(node="route", change=change) if change["verdicts"][-1].model_reason:
                self._show(words("search_on", text=change["verdicts"][-1].model_reason))
            case ModelWaits(seconds):
                self._show(words("model_waits", n=f"{seconds:g}"))
            case SentenceWritten(text):
                self._show(Text(text, style="dim"))


class _Searches:
    """The searches of a task, the pages that were read, and the accepted evidence, each shown once."""

    def __init__(self, words: Words, show: Show) -> None:
        self._words = words
        self._show = show
        self._shown_lines: set[str] = set()

    def hear(self, news: News) -> None:
        """Show the final results: an answer may arrive before its job is seen to finish."""
        if isinstance(news, TaskChanged):
            self.tell(news.status, news.jobs)
        elif isinstance(news, AnswerReady):
            self._show_once(self._words("kept", n=len(news.answer.evidence)))

    def tell(self, status: TaskSnapshot, jobs: Sequence[Job]) -> None:
        """Print the changes in a task."""
        words = self._words
        searches = [job for job in jobs if job.kind == JobKind.SEARCH]
        for job in searches:
            self._show_once(words("web_asked", text=words.render(describe_subject(job))))
        for result in status.results:
            if result.document_id:
                self._show_once(
                    words(
                        "web_read",
                        text=f"{join_lines(result.title)}  {result.url}" if result.title else result.url,
                    )
                )
        for failure in status.errors:
            if failure.url:
                self._show_once(words("web_unread", text=failure.url, code=failure.code))
        for job in filter(_has_ended, searches):
            self._show_once(self._end(job))
        for waiting in status.waiting_for:
            self._show_once(words("person_needed", text=waiting.url))
        for job in jobs:
            if job.kind == JobKind.ANSWER and job.state is JobState.COMPLETED:
                outcome = read_known_outcome(job)
                if isinstance(outcome, AnswerOutcome):
                    self._show_once(words("kept", n=outcome.evidence))
                remaining = sum(not _has_ended(search) for search in searches)
                if remaining > len(status.waiting_for):
                    self._show_once(words("web_left", n=remaining - len(status.waiting_for)))

    def _end(self, job: Job) -> str:
        outcome = read_known_outcome(job)
        if job.state is JobState.COMPLETED and isinstance(outcome, SearchOutcome):
            return self._words(
                "web_ended",
                text=outcome.query,
                engine=outcome.engine,
                pages=len(outcome.pages),
                documents=len(outcome.documents),
            )
        code = job.errors[-1].code if job.errors else self._words(f"state_{job.state}")
        return self._words("web_failed", text=self._words.render(describe_subject(job)), code=code)

    def _show_once(self, text: str) -> None:
        line = strip_unseen(text)
        if line not in self._shown_lines:
            self._shown_lines.add(line)
            self._show(Text(line))


def _has_ended(job: Job) -> bool:
    return job.state in (JobState.COMPLETED, JobState.FAILED, JobState.CANCELLED)
