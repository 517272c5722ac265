"""The lexical index in tantivy: it proposes, our own scoring ranks. Derived from the shelf; delete its folder
at any time.

Fields are white-space tokenised, frequencies only. BM25 in tantivy is fixed at k1=1.2, b=.75.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import tantivy

from shisho.domain.corpus import PassageId, Scope
from shisho.stores.embedded import rows
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.scope import SqlCondition, where
from shisho.telemetry import log, span

FORMAT = "1"
WEIGHTS = {"terms": 1.0, "bigrams": 0.4}
HEADING = 3  # a term of the heading counts as this many in the text
BATCH = 500  # documents taken in per commit
ENTRIES = 2_000  # passages of one document that are held at once
HEAP = 128 << 20
PATIENCE = 5.0  # seconds to wait for another process that is catching up

# Of all live passages: how many there are, and their terms, bigrams and terms of headings.
SUMS = """SELECT coalesce(sum(passages), 0) AS passages, coalesce(sum(terms), 0) AS terms,
    coalesce(sum(bigrams), 0) AS bigrams, coalesce(sum(heading), 0) AS heading FROM corpora"""
# The keys of all corpora of an owner.
ALL_CORPORA = "SELECT id FROM corpora WHERE owner = ?"
# The keys of some corpora of an owner.
CORPORA = f"{ALL_CORPORA} AND name IN {rows.ANY_OF}"
# The documents in scope; its condition is filled in.
IN_SCOPE = "SELECT d.id FROM documents d JOIN corpora c ON c.id = d.corpus_id WHERE {condition}"
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
    """`ports.Index` over a tantivy folder."""

    def __init__(self, folder: Path, database: Database) -> None:
        self._folder = folder
        self._database = database
        self._lock = asyncio.Lock()
        self._index: Any = None
        self._seen = -1
        self._is_passing = False

    async def catch_up(self) -> None:
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

    async def propose(
        self,
        terms: Sequence[str],
        bigrams: Sequence[str],
        scope: Scope,
        limit: int,
        passage_ids: frozenset[PassageId],
    ) -> Sequence[PassageId]:
        allowed = await self._database.read(lambda connection: _allowed(connection, scope))
        return await asyncio.to_thread(self._propose, terms, bigrams, allowed, limit, passage_ids)

    async def frequencies(self, field: str, terms: Sequence[str]) -> Mapping[str, int]:
        searcher = self._opened().searcher()
        return {term: searcher.doc_freq(field, term) for term in set(terms)}

    async def statistics(self) -> Mapping[str, float]:
        def work(connection: apsw.Connection) -> dict[str, float]:
            (sums,) = rows.every(connection.execute(SUMS))
            passages = max(1, sums.passages)
            return {
                "passages": sums.passages,
                "terms": sums.terms / passages,
                "bigrams": sums.bigrams / passages,
                "heading": sums.heading / passages,
            }

        return await self._database.read(work)

    def _propose(
        self,
        terms: Sequence[str],
        bigrams: Sequence[str],
        allowed: _Allowed,
        limit: int,
        passage_ids: frozenset[PassageId],
    ) -> list[PassageId]:
        index = self._opened()
        fields = [("terms", terms), ("bigrams", bigrams)]
        any_of = [
            (tantivy.Occur.Should, tantivy.Query.boost_query(_term(index, field, term), WEIGHTS[field]))
            for field, words in fields
            for term in dict.fromkeys(words)
        ]
        if not any_of or allowed.documents == ():
            return []
        query = tantivy.Query.boolean_query(any_of)
        if filters := _filters(index, allowed):
            query = tantivy.Query.boolean_query([(tantivy.Occur.Must, query), *filters])
        searcher = index.searcher()
        # Over-fetching by what was seen refills the hole; excluding it inside the query costs two to four
        # times as much.
        hits = searcher.search(query, limit + len(passage_ids), count=False).hits
        numbers = searcher.fast_field_values("passage", [address for _, address in hits])
        return [name for name in map(rows.passage_id, numbers) if name not in passage_ids][:limit]

    def _opened(self) -> Any:
        if self._index is None:
            self._seen = self._reopen()
        return self._index

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


class _Allowed:
    """A scope as the index can test it: `None` leaves that side open."""

    __slots__ = ("corpora", "documents", "pages", "without")

    def __init__(
        self,
        corpora: tuple[int, ...],
        documents: tuple[str, ...] | None,
        without: Sequence[str],
        condition: SqlCondition,
    ) -> None:
        self.corpora = corpora
        self.documents = documents
        self.without = without
        self.pages = condition.pages


def _allowed(connection: apsw.Connection, scope: Scope) -> _Allowed:
    condition = where(scope)
    values = (scope.owner, rows.listed(scope.corpora)) if scope.corpora else (scope.owner,)
    query = CORPORA if scope.corpora else ALL_CORPORA
    corpora = tuple(int(row.id) for row in rows.every(connection.execute(query, values)))
    documents: tuple[str, ...] | None = None
    if condition.narrowed:
        found = rows.every(connection.execute(IN_SCOPE.format(condition=condition.sql), condition.values))
        documents = tuple(row.id for row in found)
    return _Allowed(corpora, documents, scope.without, condition)


def _filters(index: Any, allowed: _Allowed) -> list[tuple[Any, Any]]:
    schema = index.schema
    tests = [tantivy.Query.term_set_query(schema, "corpus", list(allowed.corpora))]
    if allowed.documents is not None:
        tests.append(tantivy.Query.term_set_query(schema, "document", list(allowed.documents)))
    if allowed.pages is not None:
        low, high = allowed.pages
        low = 0 if low is None else low
        tests.append(tantivy.Query.range_query(schema, "page", tantivy.FieldType.Unsigned, low, high))
    within = [(tantivy.Occur.Must, tantivy.Query.const_score_query(test, 0.0)) for test in tests]
    left_out = tantivy.Query.term_set_query(schema, "document", list(allowed.without))
    return [*within, (tantivy.Occur.MustNot, left_out)] if allowed.without else within


def _term(index: Any, field: str, term: str) -> Any:
    return tantivy.Query.term_query(index.schema, field, term, "freq")


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
