"""Copy a library from one store to another: `shisho copy`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from shisho.bootstrap.blobs import build_blobs
from shisho.bootstrap.embedded_stores import DATABASE
from shisho.bootstrap.intake import build_passage_terms
from shisho.bootstrap.shared import build_stores
from shisho.corpus.ingest import Analyse, complete_passage
from shisho.domain.corpus import DocumentId, DocumentState, Intake
from shisho.errors import Conflict, ExtraMissing, InvalidParams, NotFound
from shisho.records import dataclass
from shisho.settings import Settings, expand_user, hide_login, load
from shisho.stores.nouns import replace_nul
from shisho.stores.originals import ORIGINALS
from shisho.stores.sql.names import read_names
from shisho.stores.sql.table_copy import TABLES, Tables, digest, has_other_rows, read_every_row
from shisho.stores.staging import FOLDER as STAGING
from shisho.system.clock import SystemClock
from shisho.system.disk import build_path_error

if TYPE_CHECKING:
    from shisho.bootstrap.sql_stores import LibraryStores
    from shisho.ports import Blobs
    from shisho.stores.postgres.connect import PostgresDatabase

DOCUMENT_FACTS: Mapping[str, tuple[str, ...]] = {
    "documents": ("id", "owner", "state", "source", "title", "media_type", "sha256", "size", "added_at"),
    "document_meta": ("document_id", "key", "value"),
}
"""The columns that are identical in both libraries after all documents are copied."""
Tell = Callable[[str, int], None]
"""Receives the kind of rows in progress, and their number so far."""


@dataclass(frozen=True, slots=True)
class CopyReport:
    """The numbers of copied rows and files, verified by counts and hashes."""

    copied: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class MigrationReport:
    """The migration scripts that ran; empty if the schema already had this version."""

    scripts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Library:
    stores: LibraryStores
    tables: Tables
    blobs: Blobs
    analyse: Analyse


async def copy_library(source: str, target: str, tell: Tell) -> CopyReport:
    """Copy a whole library from one store to another.

    Each is a home folder or the address of a PostgreSQL database. The source can also be a backup of
    PostgreSQL; the target is then an empty database. An interrupted copy resumes when it is started again.
    Nothing is copied if the target has rows that the source lacks. Workers of the target compute its vectors.

    Raises: InvalidParams, NotFound if there is no library to copy, Conflict if the target has other rows,
    StorageUnusable.
    """
    if not (source.strip() and target.strip()):
        raise InvalidParams("copying.blank_place")
    for place in (source, target):
        if "://" in place and not _is_address(place):
            raise InvalidParams(
                "copying.unknown_place",
                place=hide_login(place),
            )
    if _resolve(source) == _resolve(target):
        raise InvalidParams("copying.same_place")
    if (archive := _archive(source)) is not None:
        if not _is_address(target):
            raise InvalidParams(
                "copying.file_given",
                path=source,
                database=DATABASE,
            )
        await restore_archive(load(store=target), archive, target)
        return CopyReport({})
    await _expect_library(source)
    async with AsyncExitStack() as opened:
        origin = _open_library(source)
        opened.push_async_callback(origin.stores.close)
        destination = _open_library(target)
        opened.push_async_callback(destination.stores.close)
        return await _copy_library(origin, destination, tell)


async def migrate_store(settings: Settings) -> MigrationReport:
    """Migrate the schema of the configured database to this version.

    Raises: StorageUnusable for a newer schema, Conflict.
    """
    stores = build_stores(settings, None, SystemClock)
    try:
        scripts = tuple(await stores.storage.migrate())
        await stores.storage.check_ready()
        return MigrationReport(scripts)
    finally:
        await stores.close()


async def restore_archive(settings: Settings, source: Path, store: str) -> None:
    """Restore a backup of PostgreSQL, with its files, into an empty database.

    Raises: Conflict, InvalidParams, StorageUnusable.
    """
    database = _open_postgres(store)
    from shisho.stores.postgres.storage import PostgresStorage

    storage = PostgresStorage(database, build_blobs(settings))
    try:
        await storage.restore(source)
    finally:
        await storage.close()


def _open_postgres(url: str) -> PostgresDatabase:
    """Open the PostgreSQL database at this address.

    Raises: ExtraMissing.
    """
    try:
        from shisho.stores.postgres.connect import PostgresDatabase
    except ImportError as error:
        raise ExtraMissing("blobs.extra_missing", setting="store", extra="postgres") from error
    return PostgresDatabase(url)


async def _expect_library(place: str) -> None:
    """Check that a library exists: opening a missing one would create it.

    Raises: NotFound.
    """
    if _is_address(place):
        database = _open_postgres(place)
        try:
            is_there = await database.has_schema()
        finally:
            await database.close()
    else:
        is_there = await asyncio.to_thread(_is_file, Path(_resolve(place), DATABASE))
    if not is_there:
        raise NotFound(
            "copying.no_library",
            place=hide_login(place),
            database=DATABASE,
        )


def _is_file(path: Path) -> bool:
    """Return whether the path is a file.

    Raises: InvalidParams if the path cannot be read.
    """
    try:
        return path.is_file()
    except OSError as error:
        raise build_path_error(error, path) from error


def _resolve(place: str) -> str:
    """Return an address unchanged and a path made absolute."""
    return place if _is_address(place) else str(expand_user(place).resolve())


def _archive(place: str) -> Path | None:
    """Return the path if it is a file; None for an address or a folder."""
    path = Path(_resolve(place))
    return path if not _is_address(place) and _is_file(path) else None


def _is_address(place: str) -> bool:
    return place.startswith(("postgres://", "postgresql://"))


def _open_library(place: str) -> _Library:
    if _is_address(place):
        settings = load(store=place)
        stores = build_stores(settings, None, SystemClock)
        from shisho.stores.postgres.connect import PostgresQueryStore
        from shisho.stores.postgres.queries import COLUMNS, NUMBERS
        from shisho.stores.postgres.storage import PostgresStorage

        assert isinstance(stores.storage, PostgresStorage)
        tables = Tables(PostgresQueryStore(stores.storage.database), COLUMNS, NUMBERS)
        return _Library(stores, tables, build_blobs(settings), build_passage_terms(settings))
    from shisho.stores.embedded.connect import Database, EmbeddedQueryStore
    from shisho.stores.embedded.queries import COLUMNS

    settings = load(home=Path(_resolve(place)), store="")
    stores = build_stores(settings, None, SystemClock)
    assert isinstance(stores.storage, Database)
    tables = Tables(EmbeddedQueryStore(stores.storage), COLUMNS)
    return _Library(stores, tables, build_blobs(settings), build_passage_terms(settings))


async def _copy_library(origin: _Library, destination: _Library, tell: Tell) -> CopyReport:
    await _expect_nothing_else(origin, destination)
    copied = {"documents": await _copy_documents(origin, destination, tell)}
    await _copy_places(origin, destination)
    for table, columns in DOCUMENT_FACTS.items():
        await _verify(origin, destination, table, columns, columns[:2])
    for table, order in TABLES.items():
        columns = await _list_shared_columns(origin, destination, table)
        count = 0
        async for rows in read_every_row(origin.tables, table, columns, order):
            await destination.tables.put(table, columns, rows)
            count += len(rows)
            tell(table, count)
        await _verify(origin, destination, table, columns, order)
        copied[table] = count
    await _copy_grants(origin, destination)
    await destination.tables.continue_numbering()
    copied["files"] = _copy_blobs(origin.blobs, destination.blobs, tell)
    return CopyReport(copied)


async def _list_shared_columns(origin: _Library, destination: _Library, table: str) -> tuple[str, ...]:
    """Return the columns that the table has in both libraries, sorted."""
    ours = await origin.tables.list_columns(table)
    return tuple(sorted({*ours} & {*await destination.tables.list_columns(table)}))


async def _expect_nothing_else(origin: _Library, destination: _Library) -> None:
    """Check that the target has no rows that the source lacks.

    Raises: Conflict.
    """
    looks: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = [("documents", ("id",), ("id",))]
    for table, order in TABLES.items():
        looks.append((table, await _list_shared_columns(origin, destination, table), order))
    for table, columns, order in looks:
        if await has_other_rows(origin.tables, destination.tables, table, columns, order):
            raise Conflict(
                "copying.target_has_more",
                table=table,
            )


async def _verify(
    origin: _Library, destination: _Library, table: str, columns: Sequence[str], order: Sequence[str]
) -> None:
    """Check that the table is the same in both libraries.

    Raises: Conflict.
    """
    ours = await digest(origin.tables, table, columns, order)
    theirs = await digest(destination.tables, table, columns, order)
    if ours != theirs:
        raise Conflict(
            "copying.tables_differ",
            table=table,
            count=ours[0],
            other=theirs[0],
        )


async def _copy_documents(origin: _Library, destination: _Library, tell: Tell) -> int:
    """Copy all documents and return their number.

    Documents that are not live are copied first and removed at once, so they never displace a live one.
    """
    columns = ("id", "sha256", "state", "source")
    listed = [
        row
        async for rows in read_every_row(origin.tables, "documents", columns, ("added_at", "id"))
        for row in rows
    ]
    listed.sort(key=lambda row: row[2] == DocumentState.LIVE)
    await _copy_corpora(origin, destination)
    states: list[tuple[str, str, str]] = []
    count = 0
    for name, sha256, state, source in listed:
        if state == DocumentState.PURGED:
            await _purge_copied(origin, destination, DocumentId(name), sha256)
            continue
        await _copy_document(origin, destination, DocumentId(name), is_live=state == DocumentState.LIVE)
        if state != DocumentState.LIVE:
            states.append((state, source, name))
        count += 1
        tell("documents", count)
    await destination.tables.set_documents(states)
    await _copy_purged(origin, destination)
    return count


async def _copy_document(origin: _Library, destination: _Library, name: DocumentId, *, is_live: bool) -> None:
    shelf = destination.stores.shelf
    document = await origin.stores.shelf.find_document(name)
    try:
        stored = await shelf.find_document(name)
    except NotFound:
        stored = None
    if stored is None or stored.state is DocumentState.PURGED:
        passages = await origin.stores.shelf.list_passages_of(name)
        whole = tuple(complete_passage(passage, destination.analyse) for passage in passages)
        text = await origin.stores.shelf.read_text(name)
        lines = tuple(await origin.stores.shelf.read_lines(name))
        names = read_names(document.title, document.metadata, passages)
        live = replace(document, state=DocumentState.LIVE)
        await shelf.put(Intake(live, text, lines, whole, names=names))
        stored = await shelf.find_document(name)
        if await shelf.read_text(name) != text:
            raise Conflict("copying.text_differs", document=name)
    if not is_live and stored.state is DocumentState.LIVE:
        await shelf.remove(name, purge=False)
    if is_live and stored.state is DocumentState.REMOVED:
        await shelf.restore(name)


async def _purge_copied(origin: _Library, destination: _Library, name: DocumentId, sha256: str) -> None:
    """Purge a copied document, and its file, that the source purged after it was copied."""
    try:
        stored = await destination.stores.shelf.find_document(name)
    except NotFound:
        return
    if stored.state is DocumentState.PURGED:
        return
    await destination.stores.shelf.remove(name, purge=True)
    original = f"{ORIGINALS}/{sha256}"
    if origin.blobs.read_facts(original) is None:
        destination.blobs.drop(original)


async def _copy_corpora(origin: _Library, destination: _Library) -> None:
    async for rows in read_every_row(origin.tables, "corpora", ("owner", "name"), ("id",)):
        for owner, name in rows:
            await destination.stores.shelf.ensure_corpus(name, owner)


async def _map_corpus_keys(library: _Library) -> dict[tuple[str, str], int]:
    columns = ("owner", "name", "id")
    batches = [rows async for rows in read_every_row(library.tables, "corpora", columns, ("id",))]
    return {(replace_nul(owner), replace_nul(name)): key for rows in batches for owner, name, key in rows}


async def _copy_places(origin: _Library, destination: _Library) -> None:
    """Replace the places that the shelf gave to copied documents with those of the source."""
    columns = ("corpus_id", "source", "document_id", "stamp")
    rows = await _with_keys(origin, destination, "places", columns, ("corpus_id", "source"))
    await destination.tables.replace("places", columns, rows)


async def _copy_grants(origin: _Library, destination: _Library) -> None:
    """Replace the target's grants, perhaps of an interrupted copy, with those of the source."""
    columns = ("corpus_id", "kind", "grantee", "access", "granted_at")
    rows = await _with_keys(origin, destination, "grants", columns, ("corpus_id", "kind", "grantee"))
    await destination.tables.replace("grants", columns, rows)


async def _copy_purged(origin: _Library, destination: _Library) -> None:
    """Copy the rows of purged documents."""
    columns = sorted(
        {*await origin.tables.list_columns("documents")}
        & {*await destination.tables.list_columns("documents")}
    )
    columns = ["corpus_id", *(column for column in columns if column != "corpus_id")]
    rows = await _with_keys(origin, destination, "documents", columns, ("id",))
    state = columns.index("state")
    await destination.tables.put(
        "documents", columns, [row for row in rows if row[state] == DocumentState.PURGED]
    )


async def _with_keys(
    origin: _Library,
    destination: _Library,
    table: str,
    columns: list[str] | tuple[str, ...],
    order: tuple[str, ...],
) -> list[tuple[object, ...]]:
    """Return the rows with the corpus key, their first column, replaced by the target's key."""
    names = {key: corpus for corpus, key in (await _map_corpus_keys(origin)).items()}
    keys = await _map_corpus_keys(destination)
    batches = [rows async for rows in read_every_row(origin.tables, table, columns, order)]
    return [(keys[names[key]], *rest) for rows in batches for key, *rest in rows]


def _copy_blobs(origin: Blobs, destination: Blobs, tell: Tell) -> int:
    count = 0
    for folder in (ORIGINALS, STAGING):
        sizes = {blob.name: blob.size for blob in destination.list(folder)}
        for blob in origin.list(folder):
            if sizes.get(blob.name) != blob.size:
                destination.put(blob.name, origin.get(blob.name))
            count += 1
            tell("files", count)
    return count
