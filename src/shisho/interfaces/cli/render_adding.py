"""Show added files and watched folders in the shell: a line for each, a bar, and the failures."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import field
from pathlib import PurePath
from typing import TYPE_CHECKING

from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.table import Column
from rich.text import Text

from shisho.domain.codec import to_plain
from shisho.domain.corpus import DEFAULT_CORPUS, FileSurvey, IntakeOutcome, Receipt
from shisho.domain.folder import WatchedFolder
from shisho.domain.reference import MatchedBy, ReferenceMatch
from shisho.errors import ShishoError
from shisho.interfaces.api.failures import describe_error
from shisho.interfaces.cli.shell import Words
from shisho.language.display import display_name, join_lines
from shisho.messages.catalogue import render, render_all
from shisho.records import dataclass
from shisho.services.news import (
    FileNews,
    FilesSurveyed,
    FileTakenIn,
    FolderFailed,
    FolderUpToDate,
    News,
    PageRecognised,
    PagesRead,
    TextPartStored,
    VectorsMade,
)

if TYPE_CHECKING:
    from shisho.services import Library

MAX_KINDS = 6  # of skipped files that a line names
MAX_ENTRIES = 20  # listed entries of each kind
REPEATED = 200  # failures that are repeated at the end
LINES = 10  # of progress in a long PDF if there is no bar

_out = Console(highlight=False, soft_wrap=True, markup=False, emoji=False)
_err = Console(stderr=True, highlight=False, soft_wrap=True, markup=False, emoji=False)


def file_name(source: str) -> str:
    """Return the last part of a path."""
    return display_name(PurePath(source).name)


@dataclass(slots=True)
class AddingDisplay:
    """`notify` for `Documents.add`, and its receipts.

    `name` returns a file's display name. `json_`: print only a line of JSON for each receipt. `quiet`: print
    only failures, to stderr. `changes_only`: only count unchanged files.
    """

    words: Words
    name: Callable[[str], str] = file_name
    json_: bool = False
    quiet: bool = False
    changes_only: bool = False
    counts: Counter[IntakeOutcome] = field(default_factory=Counter)
    failures: list[Receipt] = field(default_factory=list)
    bar: Progress | None = None
    last_share: tuple[str, int] = ("", 0)  # of a long PDF, in the last printed line

    def notify(self, news: News) -> None:
        """Show the number of files, the skipped ones, and the progress in a long file."""
        if isinstance(news, FileNews):
            self._show_file_progress(news)
        elif isinstance(news, FilesSurveyed):
            self._show_survey(news.survey)

    def _show_survey(self, survey: FileSurvey) -> None:
        total = len(survey.files)
        if survey.left_out and not self.json_:
            _err.print(describe_left_out(survey, self.words))
        if self.bar is not None:
            self.bar.update(self.bar.task_ids[0], total=total, visible=total > 1)

    def _show_file_progress(self, news: FileNews) -> None:
        """Show the progress in a long file."""
        if self.json_ or self.quiet:
            return
        if self.bar is not None and not self.bar.disable:
            text = f"{describe_progress(news, self.words)}  {file_name(news.source)}"
            self.bar.update(self.bar.task_ids[0], within=text, visible=True)
        elif not isinstance(news, PagesRead) or self._has_progressed(news):
            _err.print(f"{self.name(news.source)}: {describe_progress(news, self.words)}")

    def _has_progressed(self, news: PagesRead) -> bool:
        share = (news.source, LINES * news.pages // news.total)
        is_another = share != self.last_share
        self.last_share = share
        return is_another

    async def show(self, coming: AsyncGenerator[Receipt, None]) -> Sequence[Receipt]:
        """Show each file when it is done, then the total, then the failures.

        If interrupted, the results so far.
        """
        with build_progress(self.words) as self.bar:
            self.bar.add_task("", total=None, visible=False, page="")
            try:
                async with aclosing(coming) as receipts:
                    async for receipt in receipts:
                        self._show_receipt(receipt)
                self.counts.setdefault(IntakeOutcome.ADDED, 0)
            finally:
                self.bar.stop()
                if self.counts:  # an interruption before the first file has its own message
                    self._end()
        return self.failures

    def _show_receipt(self, receipt: Receipt) -> None:
        self.counts[receipt.outcome] += 1
        if receipt.outcome is IntakeOutcome.FAILED:
            self.failures.append(receipt)
        if self.changes_only and receipt.outcome is IntakeOutcome.KNOWN:
            pass
        elif self.json_ and not self.quiet:
            print(json.dumps(to_plain(render_all(receipt)), ensure_ascii=False), flush=True)
        elif not self.quiet:
            _out.print(describe_receipt(receipt, self.words, self.name(receipt.source)))
        elif receipt.outcome not in (IntakeOutcome.KNOWN, IntakeOutcome.ADDED):
            _err.print(describe_receipt(receipt, self.words, self.name(receipt.source)))
        if self.bar is not None:
            self.bar.update(self.bar.task_ids[0], advance=1, within="")

    def _end(self) -> None:
        if self.json_ or self.quiet:
            return
        counts = {str(outcome): self.counts[outcome] for outcome in IntakeOutcome}
        _out.print(self.words("sync_total" if self.changes_only else "total", **counts))
        if self.failures and self.counts.total() > 1:
            _out.print(self.words("failures"))
            for receipt in self.failures[:REPEATED]:
                _out.print(
                    Text(f"  {self.name(receipt.source)}\n    {receipt.code}: {render(receipt.reason)}")
                )
            if len(self.failures) > REPEATED:
                _out.print("  " + self.words("more_failures", n=len(self.failures) - REPEATED))


def describe_progress(news: FileNews, words: Words) -> str:
    """Describe the progress in a file, without its name."""
    match news:
        case PagesRead(_, pages, total):
            return words("pages_read", n=pages, total=total)
        case PageRecognised(_, page, pages):
            return words("recognised", n=page, total=pages)
        case TextPartStored(_, characters, total):
            return words("part_stored", n=100 * characters // total)


def describe_receipt(receipt: Receipt, words: Words, name: str) -> Text:
    """Return the line with the outcome of a file."""
    line = Text(f"{words(str(receipt.outcome))}  {name}")
    if receipt.references:
        return line.append(describe_references(receipt, words))
    if receipt.outcome is IntakeOutcome.FAILED:
        line.append(f"\n    {receipt.code}: {render(receipt.reason)}", style="yellow")
    elif receipt.outcome is not IntakeOutcome.GONE:
        pages = [words("pages", n=receipt.pages)] if receipt.pages else []
        line.append("  " + " · ".join([*pages, words("passages", n=receipt.passages)]), style="dim")
    for warning in map(render, receipt.warnings):
        line.append(f"\n    {warning}", style="yellow")
    return line


def describe_left_out(survey: FileSurvey, words: Words) -> str:
    """Describe the kinds and numbers of skipped files and folders."""
    counted = Counter(survey.left_out).most_common()
    names = [
        display_name(name) if count == 1 else f"{display_name(name)} ×{count}"
        for name, count in counted[:MAX_KINDS]
    ]
    rest = sum(count for _, count in counted[MAX_KINDS:])
    more = [words("and_others", n=rest)] if rest else []
    return words("left_out", text=" · ".join([*names, *more]))


class _MiddleColumn(ProgressColumn):
    """The bar of all files, or the progress in a long file, with its name truncated to fit."""

    bar = BarColumn(bar_width=None)

    def render(self, task: Task) -> RenderableType:
        within = task.fields.get("within", "")
        return Text(within, no_wrap=True, overflow="ellipsis") if within else self.bar.render(task)


def build_progress(words: Words) -> Progress:
    """Return a progress bar on stderr; nothing is shown if that is a pipe or a file."""
    of_all = TextColumn(words("counted", n="{task.completed:.0f}", total="{task.total:.0f}"))
    return Progress(
        of_all,
        TextColumn("{task.fields[page]}", markup=False),
        _MiddleColumn(Column(ratio=1)),
        TimeRemainingColumn(compact=True),
        console=_err,
        transient=True,
        expand=True,
        disable=not _err.is_terminal,
        redirect_stdout=sys.stdout.isatty(),
        redirect_stderr=False,
    )


def describe_references(receipt: Receipt, words: Words) -> Text:
    """Return the number of matches, the added matches, and unmatched entries with advice."""
    matches = receipt.references
    matched = [match for match in matches if match.document_id]
    lost = [match for match in matches if not match.document_id]
    lines = Text("\n    " + words("references", found=len(matched), n=len(matches)), style="dim")
    named_matches = matched if receipt.outcome is IntakeOutcome.DESCRIBED else []
    for match in named_matches[:MAX_ENTRIES]:
        sign = words(f"matched_{match.by}")
        lines.append(f"\n      {_format_key(match)} → {display_name(PurePath(match.source).name)} ({sign})")
    lines.append(_describe_rest(named_matches, words))
    if lost:
        lines.append("\n    " + words("references_lost"), style="yellow")
    for match in lost[:MAX_ENTRIES]:
        reason = f" ({words('matched_several')})" if match.by is MatchedBy.SEVERAL else ""
        lines.append(f"\n      {_format_key(match)}  {join_lines(match.title)}{reason}")
    lines.append(_describe_rest(lost, words))
    if lost:
        lines.append("\n    " + words("references_way"))
    return lines


def _format_key(match: ReferenceMatch) -> str:
    return display_name(match.key) or "–"


def _describe_rest(matches: Sequence[ReferenceMatch], words: Words) -> str:
    more = len(matches) - MAX_ENTRIES
    return "\n      " + words("more_failures", n=more) if more > 0 else ""


def print_watched(folders: Sequence[WatchedFolder], words: Words) -> None:
    """Print a line for each folder."""
    if not folders:
        _out.print(words("nothing_watched"))
    for folder in folders:
        corpus = "" if folder.corpus == DEFAULT_CORPUS else f"  {words('corpus')} {folder.corpus}"
        _out.print(display_name(f"{folder.path}{corpus}"))


def print_sync_error(path: str, error: ShishoError, json_: bool) -> None:
    """Print why a folder cannot be synchronized now."""
    if json_:
        print(json.dumps({"folder": path, **describe_error(error)}, ensure_ascii=False), flush=True)
    else:
        _err.print(Text(f"{error.code}: {render(error.message)}", style="yellow"))


@dataclass(slots=True)
class FollowingDisplay:
    """`notify` for `folders.follow`: a line for each change, and the reason of each failure once.

    `json_`: a line of JSON for each, and one when the library matches a folder.
    """

    words: Words
    json_: bool
    shown_failures: set[tuple[str, str]] = field(default_factory=set)
    even: set[str] = field(default_factory=set)

    def notify(self, news: News) -> None:
        """Print one event."""
        if isinstance(news, FileTakenIn):
            self._show_receipt(news.receipt)
        elif isinstance(news, FolderFailed):
            print_sync_error(news.folder.path, news.error, self.json_)
        elif isinstance(news, FolderUpToDate):
            self._show_up_to_date(news.folder)

    def _show_receipt(self, receipt: Receipt) -> None:
        failure = (receipt.source, str(receipt.reason))
        if receipt.outcome is IntakeOutcome.KNOWN or failure in self.shown_failures:
            return
        if receipt.outcome is IntakeOutcome.FAILED:
            self.shown_failures.add(failure)
        if self.json_:
            print(json.dumps(to_plain(render_all(receipt)), ensure_ascii=False), flush=True)
        else:
            _out.print(describe_receipt(receipt, self.words, display_name(receipt.source)))

    def _show_up_to_date(self, folder: WatchedFolder) -> None:
        if self.json_:
            print(json.dumps({"folder": folder.path, "even": True}, ensure_ascii=False), flush=True)
        elif folder.path not in self.even:
            self.even.add(folder.path)
            _err.print(self.words("even", text=display_name(folder.path)))


async def embed_shown(library: Library, words: Words) -> None:
    """Embed the missing passages. If interrupted, the next run continues."""
    with build_progress(words) as bar:
        line = bar.add_task("", total=None, visible=False, page=words("embedding"))

        def notify(news: News) -> None:
            if not isinstance(news, VectorsMade):
                return
            progress = news.progress
            is_on = progress.done < progress.total
            bar.update(line, completed=progress.done, total=progress.total, visible=is_on)

        await library.embeddings.embed(notify)
