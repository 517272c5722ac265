"""The lexical index in tantivy: it proposes, our own scoring ranks. Derived from the shelf; delete its folder
at any time.

Fields are white-space tokenised, frequencies only. BM25 in tantivy is fixed at k1=1.2, b=.75.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import apsw
import tantivy

from shisho.ports import SearchView
from shisho.stores.embedded import rows
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.lexical_view import LexicalView
from shisho.stores.proposals import HEADING, WEIGHTS
from shisho.telemetry import log, span

if TYPE_CHECKING:
    from shisho.stores.embedded.serving import ServingIndex

T = TypeVar("T")

FORMAT = "1"
BATCH = 500  # documents taken in per commit
ENTRIES = 2_000  # passages of one document that are held at once
HEAP = 128 << 20
PATIENCE = 5.0  # seconds to wait for another process that is catching up

# The number of the newest change of the shelf.
NEWEST = "SELECT coalesce(max(seq), 0) FROM changes"
# What the shelf has changed since one, oldest first.
CHANGED = """SELECT c.seq, c.document_id, d.state FROM changes c JOIN documents d ON d.id = c.document_id
    WHERE c.seq > ? ORDER BY c.seq LIMIT ?"""
# Passages of a live document after one, as the index takes them in.
ENTRIES_OF = """SELECT d.corpus_id, d.id AS document_id, p.id AS passage, p.page, p.terms, p.bigrams, p.heading_terms, p.ordinal
    FROM documents d JOIN passages p ON p.document_id = d.id
    WHERE d.id = ? AND d.state = 'live' AND p.ordinal > ? ORDER BY p.ordinal LIMIT ?"""


class LexicalIndex:
    """`ports.Index` over a tantivy folder, and over an index of vectors where there is one."""

    def __init__(self, folder: Path, database: Database, dense: ServingIndex | None = None) -> None:
        self._folder = folder
        self._database = database
        self._dense = dense
        self._lock = asyncio.Lock()
        self._index: Any = None
        self._seen = -1
        self._is_passing = False

    async def view(self, work: Callable[[SearchView], T], *, current: bool = True) -> T:
        look = self._if_current if current else self._viewed
        outcome = await self._database.read(lambda connection: look(connection, work))
        if outcome is None:
            await self.catch_up()
            outcome = await self._database.read(lambda connection: self._viewed(connection, work))
        return outcome[0]

    def _if_current(self, connection: apsw.Connection, work: Callable[[SearchView], T]) -> tuple[T] | None:
        """The outcome of the work; None where there is something to catch up with before."""
        is_current = self._dense is None or self._dense.is_current(connection)
        is_current = is_current and self._seen == _newest_change(connection)
        return self._viewed(connection, work) if is_current else None

    def _viewed(self, connection: apsw.Connection, work: Callable[[SearchView], T]) -> tuple[T]:
        if self._index is None:
            self._seen = self._reopen()
        return (work(LexicalView(connection, self._index, self._dense)),)

    async def catch_up(self) -> None:
        await self._catch_up_words()
        if self._dense is not None:
            await asyncio.to_thread(self._dense.catch_up)

    async def _catch_up_words(self) -> None:
        newest = await self._database.read(_newest_change)
        if newest == self._seen:
            return
        async with self._lock:
            waited = 0.0
            while self._seen < newest:
                if await asyncio.to_thread(self._take_in, newest):
                    continue
                # Another process holds the writer: it takes in the same changes for us.
                await asyncio.sleep(0.05)
                waited += 0.05
                self._seen = await asyncio.to_thread(self._reopen)
                if waited > PATIENCE and self._seen < newest:
                    log.warning("the lexical index is behind: another process is still catching up")
                    return

    def _reopen(self) -> int:
        if self._is_passing:
            return self._seen
        try:
            return self._reopened()
        except (OSError, ValueError) as error:  # it can neither be read nor be made anew
            return self._in_memory(error)

    def _in_memory(self, error: Exception) -> int:
        """An index that ends with this process, for a home that cannot be written. Returns what it has
        seen."""
        log.warning("the index is made in memory: %s", error)
        self._is_passing = True
        self._index = tantivy.Index(_schema())
        self._index.register_tokenizer("spaces", _spaces())
        self._seen = 0
        return 0

    def _reopened(self) -> int:
        current = self._folder / "watermark"
        mark = current.read_text("ascii").split() if current.is_file() else []
        if len(mark) != 2 or mark[0] != FORMAT:
            shutil.rmtree(self._folder, ignore_errors=True)
            mark = [FORMAT, "0"]
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self._index is None or not current.is_file():
            self._index = tantivy.Index(_schema(), path=str(self._folder), reuse=True)
            self._index.register_tokenizer("spaces", _spaces())
        self._index.reload()
        return int(mark[1])

    def _take_in(self, newest: int) -> bool:
        """The changes there are; False when another process holds the writer."""
        self._seen = self._reopen()
        if self._seen >= newest:
            return True
        if not (self._is_passing or os.access(self._folder, os.W_OK)):
            self._in_memory(PermissionError(f"{self._folder} cannot be written"))
        try:
            writer = self._index.writer(heap_size=HEAP, num_threads=1)
        except ValueError:
            return False
        with span("lexical.catch_up", since=self._seen):
            while changed := self._database.snapshot(partial(_changed, since=self._seen)):
                if self._seen and any(change.state == "purged" for change in changed):
                    # Deleted entries stay in the segments until a merge; a purge promises more than that.
                    writer.delete_all_documents()
                    self._seen = 0
                    continue
                self._apply(writer, dict.fromkeys(change.document_id for change in changed))
                self._seen = changed[-1].seq
                self._mark(self._seen)
        writer.wait_merging_threads()
        self._index.reload()
        return True

    def _apply(self, writer: Any, documents: Iterable[str]) -> None:
        for document_id in documents:
            writer.delete_documents_by_term("document", document_id)
            after = -1
            while rows := self._database.snapshot(partial(_entries, document_id=document_id, after=after)):
                for row in rows:
                    writer.add_document(_entry(row))
                after = rows[-1].ordinal
        writer.commit()

    def _mark(self, seen_count: int) -> None:
        if self._is_passing:
            return
        # After the commit: a crash between the two repeats a batch, and taking in a document twice changes
        # nothing.
        fresh = self._folder / "watermark.new"
        fresh.write_text(f"{FORMAT} {seen_count}", "ascii")
        fresh.replace(self._folder / "watermark")


def _schema() -> Any:
    builder = tantivy.SchemaBuilder()
    for name in WEIGHTS:
        builder.add_text_field(name, stored=False, tokenizer_name="spaces", index_option="freq")
    builder.add_text_field("document", stored=False, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("corpus", stored=False, indexed=True)
    builder.add_unsigned_field("page", stored=False, indexed=True, fast=True)
    builder.add_unsigned_field("passage", stored=False, indexed=False, fast=True)
    return builder.build()


def _spaces() -> Any:
    return tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()


def _newest_change(connection: apsw.Connection) -> int:
    return int(connection.execute(NEWEST).get)


def _changed(connection: apsw.Connection, since: int) -> list[rows.Row]:
    return rows.every(connection.execute(CHANGED, (since, BATCH)))


def _entries(connection: apsw.Connection, document_id: str, after: int) -> list[rows.Row]:
    return rows.every(connection.execute(ENTRIES_OF, (document_id, after, ENTRIES)))


def _entry(row: rows.Row) -> Any:
    """From the columns of `ENTRIES_OF`."""
    terms = " ".join([row.terms, *[row.heading_terms] * HEADING])
    entry = tantivy.Document(terms=terms, bigrams=row.bigrams, document=row.document_id)
    entry.add_unsigned("corpus", row.corpus_id)
    entry.add_unsigned("passage", row.passage)
    if row.page is not None:
        entry.add_unsigned("page", row.page)
    return entry
