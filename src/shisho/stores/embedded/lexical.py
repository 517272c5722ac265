"""The lexical index in tantivy, which selects candidates for our own scoring.

It is derived from the shelf; its folder can be deleted at any time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import apsw
import tantivy

from shisho.domain.library import IndexDamage
from shisho.messages import Message
from shisho.ports import SearchView
from shisho.stores import nouns
from shisho.stores.embedded import rows, vectors
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.index_damage import IndexDamaged, notice_damage
from shisho.stores.embedded.lexical_files import CorpusIndexes, CorpusWriter, LexicalWatermark, write_tokens
from shisho.stores.embedded.lexical_view import LexicalView
from shisho.stores.indexing import HEADING, PassageEntry, PassageRef
from shisho.telemetry import log, span

if TYPE_CHECKING:
    from shisho.stores.embedded.serving import ServingIndex

T = TypeVar("T")

BATCH = 500  # documents to index per commit
ENTRIES = 2_000  # passages that are in memory at once
PATIENCE = 5.0  # seconds to wait for another process that is catching up
BUSY = "LockBusy"  # tantivy's error while another process is writing

# Read the number of the newest change of the shelf.
NEWEST = "SELECT coalesce(max(seq), 0) FROM changes"
# Read the salt of a change, which differs from that of the same number in another database history.
SALT = "SELECT salt FROM changes WHERE seq = ?"
# List the changes of the shelf after a given one, oldest first. A document that was purged, then restarted
# and abandoned no longer exists: it may have been in any corpus.
CHANGED = """SELECT c.seq, c.salt, c.document_id, d.corpus_id, coalesce(d.state, 'purged') AS state
    FROM changes c LEFT JOIN documents d ON d.id = c.document_id
    WHERE c.seq > ? ORDER BY c.seq LIMIT ?"""
# List the live documents of a corpus.
LIVE = """SELECT d.id, d.passage_count FROM documents d WHERE d.corpus_id = ? AND d.state = 'live'
    ORDER BY d.added_at, d.id"""
# The columns of an index entry.
ENTRY = f"d.corpus_id, d.id AS document_id, p.id AS passage, p.page, p.ordinal, {rows.TEXT} AS text"
# List passages of a live document after a given one.
ENTRIES_OF = f"""SELECT {ENTRY} FROM documents d JOIN passages p ON p.document_id = d.id
    WHERE d.id = ? AND d.state = 'live' AND p.ordinal > ? ORDER BY p.ordinal LIMIT ?"""
# List all passages of some documents, if they are live, in the given order.
ENTRIES_OF_ALL = f"""SELECT {ENTRY} FROM json_each(?) CROSS JOIN documents d ON d.id = json_each.value
    JOIN passages p ON p.document_id = d.id WHERE d.state = 'live' ORDER BY json_each.key, p.ordinal"""


class LexicalIndex:
    """`ports.Index` over tantivy indexes, and over a vector index if there is one."""

    def __init__(self, folder: Path, database: Database, dense: ServingIndex | None = None) -> None:
        self._indexes = CorpusIndexes(folder)
        self._database = database
        self._dense = dense
        self._lock = asyncio.Lock()
        self._seen = -1
        self._is_of_this_history = False

    async def view(self, work: Callable[[SearchView], T], *, current: bool = True) -> T:
        return await self._run_healing(partial(self._look, work, current))

    async def _look(self, work: Callable[[SearchView], T], current: bool) -> T:
        look = self._search_if_current if current else self._search_anyway
        outcome = await self._database.read(lambda connection: look(connection, work))
        if outcome is None:
            await self._catch_up()
            outcome = await self._database.read(lambda connection: self._search_anyway(connection, work))
        return outcome[0]

    async def _run_healing(self, act: Callable[[], Awaitable[T]]) -> T:
        """Run `act`; if an index is damaged, rebuild it and run `act` again.

        If the folder is not writable, for example on a full disk, or if rebuilding did not help, the index is
        built in memory.
        """
        if not self._is_of_this_history:
            await self._look_at_history()
        with suppress(IndexDamaged, OSError):
            return await act()
        with suppress(OSError):
            await self.examine()
        try:
            return await act()
        except (IndexDamaged, OSError) as damage:
            async with self._lock:
                self._seen = self._indexes.use_memory(damage)
        return await act()

    async def _look_at_history(self) -> None:
        """Check once per process whether the index belongs to this database history.

        A restored database reuses change numbers that its indexes have already seen.
        """
        async with self._lock:
            is_deleted = await asyncio.to_thread(self._indexes.delete_if_foreign, self._is_foreign)
            if is_deleted and self._dense is not None:
                await asyncio.to_thread(self._dense.delete_all)
            self._is_of_this_history = True

    def _is_foreign(self, mark: LexicalWatermark) -> bool:
        row = self._database.snapshot(
            lambda connection: rows.fetch_first(connection.execute(SALT, (mark.last_change,)))
        )
        return mark.last_change > 0 and (row is None or row.salt != mark.salt)

    async def examine(self) -> Sequence[IndexDamage]:
        async with self._lock:
            words = await asyncio.to_thread(self._indexes.examine)
            self._seen = -1
        vectors = None if self._dense is None else await asyncio.to_thread(self._dense.examine)
        return [damage for damage in (words, vectors) if damage is not None]

    def _search_if_current(
        self, connection: apsw.Connection, work: Callable[[SearchView], T]
    ) -> tuple[T] | None:
        """Return the outcome of the work, or None if the index must catch up first."""
        view = LexicalView(connection, self._indexes, self._dense)
        is_current = view.has_newest_vectors() and self._seen == _read_newest_change(connection)
        return (work(view),) if is_current else None

    def _search_anyway(self, connection: apsw.Connection, work: Callable[[SearchView], T]) -> tuple[T]:
        if self._seen < 0:
            self._seen = self._indexes.reload()
        return (work(LexicalView(connection, self._indexes, self._dense)),)

    async def count_behind(self) -> int:
        newest = await self._database.read(_read_newest_change)
        return newest - max(0, self._seen)

    async def close(self) -> None:
        self._indexes.close()

    async def catch_up(self) -> None:
        await self._run_healing(self._catch_up)

    async def _catch_up(self) -> None:
        await self._catch_up_words()
        if self._dense is not None:
            await asyncio.to_thread(self._dense.catch_up)

    async def _catch_up_words(self) -> None:
        newest = await self._database.read(_read_newest_change)
        if newest == self._seen:
            return
        async with self._lock:
            waited = 0.0
            while self._seen < newest:
                if await asyncio.to_thread(self._has_applied, newest):
                    continue
                # Another process is writing: it applies the same changes for us.
                await asyncio.sleep(0.05)
                waited += 0.05
                self._seen = await asyncio.to_thread(self._indexes.reload)
                if waited > PATIENCE and self._seen < newest:
                    log.warning(Message("index.behind"))
                    return

    def _has_applied(self, newest: int) -> bool:
        """Apply changes up to `newest`; return False if another process is writing."""
        self._seen = self._indexes.reload()
        if self._seen >= newest:
            return True
        if not self._indexes.take():
            return False
        try:
            with notice_damage():
                self._seen = self._indexes.reload()
                with span("lexical.catch_up", since=self._seen), CorpusWriter(self._indexes) as writer:
                    self._apply_until(writer, newest)
        except IndexDamaged as damage:
            if BUSY not in str(damage):
                raise
            return False
        finally:
            self._indexes.end()
        return True

    def _apply_until(self, writer: CorpusWriter, newest: int) -> None:
        """Apply changes up to this one; with constant additions there is always a newer one."""
        remade: set[int] = set()
        while self._seen < newest:
            changed = self._database.snapshot(partial(_list_changed, since=self._seen))
            for corpus_id, changes in _group_by_corpus(changed, self._indexes.list_corpora()).items():
                is_purged = any(change.state == "purged" for change in changes)
                if self._seen and is_purged and corpus_id not in remade:
                    self._rebuild(writer.get(corpus_id), corpus_id)
                    remade.add(corpus_id)
                else:
                    self._apply(
                        writer.get(corpus_id), dict.fromkeys(change.document_id for change in changes)
                    )
            writer.show()  # before the number is stored: a reader of the number expects everything up to it
            self._seen = changed[-1].seq
            self._indexes.mark(self._seen, changed[-1].salt)

    def _rebuild(self, writer: Any, corpus_id: int) -> None:
        """Rebuild the index of a corpus, O(corpus).

        A deleted entry stays in its segment until a merge, which tantivy cannot be asked for, and a purge
        must erase it.
        """
        writer.delete_all_documents()
        writer.commit()
        for names in _split_by_size(self._database.snapshot(partial(_live, corpus_id=corpus_id))):
            if len(names) == 1:
                self._add(writer, names[0])
            else:
                for entry in self._database.snapshot(partial(_list_entries_of_all, names=names)):
                    writer.add_document(_make_document(entry))
        writer.commit()

    def _apply(self, writer: Any, documents: Iterable[str]) -> None:
        for document_id in documents:
            writer.delete_documents_by_term("document", document_id)
            self._add(writer, document_id)
        writer.commit()

    def _add(self, writer: Any, document_id: str) -> None:
        after = -1
        while entries := self._database.snapshot(
            partial(read_entries, document_id=document_id, after=after, limit=ENTRIES)
        ):
            for entry in entries:
                writer.add_document(_make_document(entry))
            after = entries[-1].ordinal


def _group_by_corpus(changed: Sequence[rows.Row], corpora: Sequence[int]) -> dict[int, list[rows.Row]]:
    """Group changes by corpus. `corpora` are the corpora that have an index."""
    changes: dict[int, list[rows.Row]] = {}
    for change in changed:
        for corpus_id in corpora if change.corpus_id is None else (change.corpus_id,):
            changes.setdefault(corpus_id, []).append(change)
    return changes


def _read_newest_change(connection: apsw.Connection) -> int:
    return int(connection.execute(NEWEST).get)


def _list_changed(connection: apsw.Connection, since: int) -> list[rows.Row]:
    return rows.fetch_all(connection.execute(CHANGED, (since, BATCH)))


def _live(connection: apsw.Connection, corpus_id: int) -> list[rows.Row]:
    return rows.fetch_all(connection.execute(LIVE, (corpus_id,)))


def _split_by_size(documents: Iterable[rows.Row]) -> Iterator[list[str]]:
    """Yield batches of document IDs that fit in memory; a long document is a batch of its own."""
    names: list[str] = []
    passages = 0
    for document in documents:
        passages += document.passage_count
        if names and passages > ENTRIES:
            yield names
            names = []
            passages = document.passage_count
        names.append(document.id)
    if names:
        yield names


def _list_entries_of_all(connection: apsw.Connection, names: Sequence[str]) -> list[PassageEntry]:
    return _build_entries(
        connection, rows.fetch_all(connection.execute(ENTRIES_OF_ALL, (rows.bind_list(names),)))
    )


def read_entries(connection: apsw.Connection, document_id: str, after: int, limit: int) -> list[PassageEntry]:
    """Return index entries of a live document's passages after a given one, in order."""
    return _build_entries(
        connection, rows.fetch_all(connection.execute(ENTRIES_OF, (document_id, after, limit)))
    )


def _build_entries(connection: apsw.Connection, stored: Sequence[rows.Row]) -> list[PassageEntry]:
    """Build index entries from the columns of `ENTRY`."""
    names = [nouns.passage_id(row.passage) for row in stored]
    found = vectors.select(connection, names)
    from shisho.language.terms import make_pairs  # not for libraries that nobody searches yet

    return [
        PassageEntry(
            PassageRef(row.passage, row.document_id, row.corpus_id, row.page),
            row.ordinal,
            found[name].terms,
            found[name].heading,
            make_pairs(row.text),
        )
        for row, name in zip(stored, names, strict=True)
    ]


def _make_document(entry: PassageEntry) -> Any:
    """Build the document that tantivy indexes."""
    place = entry.place
    terms = write_tokens(entry.terms + entry.heading * HEADING)
    document = tantivy.Document(terms=terms, bigrams=entry.pairs, document=place.document_id)
    document.add_unsigned("passage", place.number)
    if place.page is not None:
        document.add_unsigned("page", place.page)
    return document
