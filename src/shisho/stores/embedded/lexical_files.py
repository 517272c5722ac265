"""The tantivy indexes of the lexical index: one for each corpus, in a folder of its own, so that nothing of a
corpus has a part in the scores of another.

Fields are white-space tokenised, frequencies only. BM25 in tantivy is fixed at k1=1.2, b=.75.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

import tantivy

from shisho.messages.message import Message
from shisho.messages.system import reason_of
from shisho.stores.proposals import WEIGHTS
from shisho.system.turn import FileTurn
from shisho.telemetry import log

FORMAT = "2"
HEAP = 128 << 20
LOCK = "lock"
WATERMARK = "watermark"


class CorpusIndexes:
    """The indexes below a folder, and the number of the last change that all of them have taken in."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._opened: dict[int, Any] = {}
        self._turn = FileTurn(folder / LOCK)
        self._is_passing = False
        self._passing_mark = 0

    def find(self, corpus_id: int) -> Any | None:
        """The index of a corpus; None where nothing of it has been taken in."""
        return self._opened.get(corpus_id)

    def list_corpora(self) -> Sequence[int]:
        """The corpora that have an index."""
        return tuple(self._opened)

    def close(self) -> None:
        """Let go of them: each that is open has a thread."""
        self._opened = {}

    def reload(self) -> int:
        """Look at what other processes have written since. Returns the watermark."""
        if self._is_passing:
            return self._passing_mark
        try:
            seen = self._watermark()
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._open_all()
        except (OSError, ValueError) as error:  # it can neither be read nor be made anew
            return self.pass_by(error)
        return seen or 0

    def _open_all(self) -> None:
        there = {int(path.name): path for path in self._folder.iterdir() if path.name.isdecimal()}
        self._opened = {corpus_id: index for corpus_id, index in self._opened.items() if corpus_id in there}
        for index in self._opened.values():
            index.reload()
        for corpus_id in there.keys() - self._opened.keys():
            if (there[corpus_id] / "meta.json").is_file():
                self._opened[corpus_id] = _prepare(tantivy.Index(_schema(), str(there[corpus_id])))

    def pass_by(self, error: Exception) -> int:
        """From now on indexes that end with this process, for a home that cannot be written. Returns what
        they have seen."""
        why = reason_of(error) if isinstance(error, OSError) else Message("they are damaged")
        log.warning(Message("The index is made in memory; its files cannot be used: {why}.", why=why))
        self._is_passing = True
        self._passing_mark = 0
        self._opened = {}
        return 0

    def mark(self, seen: int) -> None:
        """The mark up to which all of them have taken in."""
        if self._is_passing:
            self._passing_mark = seen
            return
        # After the commits: a crash between the two repeats a batch, and taking in a document twice changes
        # nothing.
        fresh = self._folder / f"{WATERMARK}.new"
        fresh.write_text(f"{FORMAT} {seen}", "ascii")
        fresh.replace(self._folder / WATERMARK)

    def take(self) -> bool:
        """The turn to write, until `end`; False while another process has it. What has another form is
        deleted."""
        if not (self._is_passing or os.access(self._folder, os.W_OK)):
            self.pass_by(PermissionError(errno.EACCES, "", str(self._folder)))
        if self._is_passing:
            return True
        if not self._turn.take():
            return False
        if self._watermark() is None:
            self._clear()
        return True

    def end(self) -> None:
        """Let another process write."""
        self._turn.end()

    def ensure(self, corpus_id: int) -> Any:
        """The index of a corpus, which is there afterwards."""
        index = self.find(corpus_id)
        if index is None:
            path = self._path(corpus_id)
            if not self._is_passing:
                path.mkdir(mode=0o700, parents=True, exist_ok=True)
            new_index = tantivy.Index(_schema()) if self._is_passing else tantivy.Index(_schema(), str(path))
            index = _prepare(new_index)
            self._opened[corpus_id] = index
        return index

    def _watermark(self) -> int | None:
        """None where there is none of this form."""
        current = self._folder / WATERMARK
        mark = current.read_text("ascii").split() if current.is_file() else []
        return int(mark[1]) if len(mark) == 2 and mark[0] == FORMAT else None

    def _clear(self) -> None:
        self._opened = {}
        for path in self._folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            elif path.name != LOCK:
                with suppress(OSError):
                    path.unlink()

    def _path(self, corpus_id: int) -> Path:
        return self._folder / str(corpus_id)


class CorpusWriter:
    """Writes one index after the other: the writer of a corpus stays open until another's turn comes. Raises
    ValueError where another process writes."""

    def __init__(self, indexes: CorpusIndexes) -> None:
        self._indexes = indexes
        self._corpus_id = -1
        self._writer: Any = None

    def __enter__(self) -> CorpusWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._finish()

    def get(self, corpus_id: int) -> Any:
        """The writer of a corpus."""
        if corpus_id != self._corpus_id:
            self._finish()
            index = self._indexes.ensure(corpus_id)
            self._writer = index.writer(heap_size=HEAP, num_threads=1)
            self._corpus_id = corpus_id
        return self._writer

    def show(self) -> None:
        """Let searches see what was committed."""
        if self._writer is not None:
            self._indexes.ensure(self._corpus_id).reload()

    def _finish(self) -> None:
        if self._writer is not None:
            self._writer.wait_merging_threads()
            self.show()
            self._writer = None
            self._corpus_id = -1


def _prepare(index: Any) -> Any:
    index.register_tokenizer("spaces", tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build())
    index.config_reader(reload_policy="manual")  # else each has a thread that watches its folder
    return index


def _schema() -> Any:
    builder = tantivy.SchemaBuilder()
    for name in WEIGHTS:
        builder.add_text_field(name, stored=False, tokenizer_name="spaces", index_option="freq")
    builder.add_text_field("document", stored=False, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("page", stored=False, indexed=True, fast=True)
    builder.add_unsigned_field("passage", stored=False, indexed=False, fast=True)
    return builder.build()
