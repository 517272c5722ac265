"""Print watched folders and their changes in the shell."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.console import Console
from rich.text import Text

from shisho.domain.codec import to_plain
from shisho.domain.corpus import DEFAULT_CORPUS, IntakeOutcome, Receipt
from shisho.domain.folder import WatchedFolder
from shisho.errors import ShishoError
from shisho.interfaces.api.failures import describe_error
from shisho.interfaces.cli.messages import Words
from shisho.interfaces.cli.render_adding import describe_receipt
from shisho.language.display import display_name
from shisho.messages.catalogue import render, render_all
from shisho.services.news import FileTakenIn, FolderFailed, FolderUpToDate, News

_out = Console(highlight=False, soft_wrap=True, markup=False, emoji=False)
_err = Console(stderr=True, highlight=False, soft_wrap=True, markup=False, emoji=False)


def print_watched(folders: Sequence[WatchedFolder], words: Words) -> None:
    """Print a line for each folder."""
    if not folders:
        _out.print(words("nothing_watched"))
    for folder in folders:
        corpus = "" if folder.corpus == DEFAULT_CORPUS else f"  {words('corpus')} {folder.corpus}"
        _out.print(display_name(f"{folder.path}{corpus}"))


def print_trouble(path: str, error: ShishoError, json_: bool) -> None:
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
    told_failures: set[tuple[str, str]] = field(default_factory=set)
    even: set[str] = field(default_factory=set)

    def notify(self, news: News) -> None:
        """Print one event."""
        if isinstance(news, FileTakenIn):
            self._tell(news.receipt)
        elif isinstance(news, FolderFailed):
            print_trouble(news.folder.path, news.error, self.json_)
        elif isinstance(news, FolderUpToDate):
            self._tell_even(news.folder)

    def _tell(self, receipt: Receipt) -> None:
        failure = (receipt.source, str(receipt.reason))
        if receipt.outcome is IntakeOutcome.KNOWN or failure in self.told_failures:
            return
        if receipt.outcome is IntakeOutcome.FAILED:
            self.told_failures.add(failure)
        if self.json_:
            print(json.dumps(to_plain(render_all(receipt)), ensure_ascii=False), flush=True)
        else:
            _out.print(describe_receipt(receipt, self.words, display_name(receipt.source)))

    def _tell_even(self, folder: WatchedFolder) -> None:
        if self.json_:
            print(json.dumps({"folder": folder.path, "even": True}, ensure_ascii=False), flush=True)
        elif folder.path not in self.even:
            self.even.add(folder.path)
            _err.print(self.words("even", text=display_name(folder.path)))
