"""Back up a database to one file as of one moment, and restore it into an empty database.

The archive holds each table as PostgreSQL copies it, the stored files, and a list of both with their hashes.
"""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

import psycopg

from shisho.domain.codec import build, to_plain
from shisho.errors import Conflict, InvalidParams, NotFound
from shisho.ports import Blobs
from shisho.records import dataclass
from shisho.stores import CheckWanted
from shisho.stores.postgres.embeddings import ADD_EXTENSION, BY_CONTENT, NEW_TABLE
from shisho.stores.postgres.migrations import MIGRATIONS
from shisho.stores.postgres.pool import Connection
from shisho.stores.postgres.rows import fetch_all

FORMAT = "shisho postgres 1"
MANIFEST = "manifest.json"
CHUNK = 1 << 20
FOLDERS = ("originals", "staging")  # of blobs; page images are rendered again
_VECTORS = re.compile(r"vectors_[0-9]+_([0-9]+)")
# One snapshot for all tables, however long the copy takes.
BEGIN_COPYING = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = 0"
# One transaction for all tables, however long it takes.
BEGIN_RESTORING = "BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '10s'"
# List the tables, referenced tables first.
TABLES = """WITH RECURSIVE links AS (
        SELECT conrelid AS child, confrelid AS parent FROM pg_constraint WHERE contype = 'f' AND conrelid <> confrelid),
    ordered AS (
        SELECT c.oid, 0 AS depth FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relkind = 'r' AND n.nspname = current_schema() AND c.relname <> 'migrations'
        UNION SELECT l.child, o.depth + 1 FROM ordered o JOIN links l ON l.parent = o.oid)
    SELECT c.relname AS name, max(o.depth) AS depth FROM ordered o JOIN pg_class c ON c.oid = o.oid
    GROUP BY c.relname ORDER BY depth, name"""
# List the columns of a table, in order.
COLUMNS = """SELECT a.attname AS name FROM pg_attribute a
    WHERE a.attrelid = to_regclass(quote_ident(%s)) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum"""
# Read the last value of each sequence.
SEQUENCES = (
    "SELECT sequencename AS name, last_value AS last FROM pg_sequences WHERE schemaname = current_schema()"
)
# Continue a sequence after its archived value.
SET_SEQUENCE = (
    "SELECT setval(to_regclass(quote_ident(%s)), %s) WHERE to_regclass(quote_ident(%s)) IS NOT NULL"
)
# Copy all rows of a table; its name and columns are filled in.
COPY_OUT = "COPY {table} ({columns}) TO STDOUT"
COPY_IN = "COPY {table} ({columns}) FROM STDIN"
# Rows are restored as they were, including those that triggers wrote, so triggers must not run again.
NO_TRIGGERS = "ALTER TABLE {table} DISABLE TRIGGER USER"
TRIGGERS = "ALTER TABLE {table} ENABLE TRIGGER USER"
# Check whether a table has rows.
HAS_ROWS = "SELECT EXISTS (SELECT 1 FROM {table}) AS has"
# Tables that any use of a database fills.
TRANSIENT_TABLES = ("timeline", "workers")
# A truncated or overwritten file fails as a zip archive in one of these ways.
NO_ZIP = (zipfile.BadZipFile, zlib.error, EOFError, KeyError, FileNotFoundError, NotImplementedError)
# The database rejects overwritten rows before their hash is compared.
NO_ROWS = (psycopg.DataError, psycopg.IntegrityError, psycopg.ProgrammingError)


@dataclass(frozen=True, slots=True)
class TableFacts:
    """A table in an archive: its rows as PostgreSQL copied them, and the hash of those bytes."""

    name: str
    columns: tuple[str, ...]
    sha256: str
    rows: int


@dataclass(frozen=True, slots=True)
class ArchiveManifest:
    """The contents of an archive."""

    format: str
    migrations: tuple[str, ...]
    tables: tuple[TableFacts, ...]
    sequences: Mapping[str, int]
    blobs: Mapping[str, str]


def write_archive(
    connection: Connection, blobs: Blobs, target: Path, check_wanted: CheckWanted
) -> ArchiveManifest:
    """Write an archive to `target`, and delete it on failure or cancellation.

    Raises: Conflict if the target exists, OSError.
    """
    try:
        file = target.open("xb")
    except FileExistsError as error:
        raise Conflict("store.target_exists", target=target) from error
    with file:
        target.chmod(0o600)
        try:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
                manifest = _write(connection, blobs, archive, check_wanted)
                archive.writestr(MANIFEST, json.dumps(to_plain(manifest), ensure_ascii=False))
        except BaseException:
            target.unlink(missing_ok=True)
            raise
    return manifest


def read_archive(connection: Connection, blobs: Blobs, source: Path) -> ArchiveManifest:
    """Fill an empty database of this version, in one transaction.

    Files are restored first; they do no harm if the database then fails.

    Raises: Conflict if the database is not empty, InvalidParams if the file is no archive, is damaged, or was
    written by another version.
    """
    try:
        with zipfile.ZipFile(source) as archive:
            manifest = _read_manifest(archive, source)
            _check_empty(connection, manifest, source)
            for name, sha256 in manifest.blobs.items():
                blobs.put(name, _check_digest(archive.read(f"blobs/{name}"), sha256, source))
            connection.execute(BEGIN_RESTORING)
            for table in manifest.tables:
                try:
                    _fill(connection, archive, table, source)
                except NO_ROWS as error:
                    raise _build_damaged(source) from error
            for name, last in manifest.sequences.items():
                connection.execute(SET_SEQUENCE, (name, last, name))
            connection.execute("COMMIT")
    except NO_ZIP as error:
        raise _build_archive_error(source) from error
    return manifest


def _write(
    connection: Connection, blobs: Blobs, archive: zipfile.ZipFile, check_wanted: CheckWanted
) -> ArchiveManifest:
    connection.execute(BEGIN_COPYING)
    tables = [row.name for row in fetch_all(connection, TABLES)]
    kept_tables = [table for table in tables if table not in TRANSIENT_TABLES]
    facts = tuple(_copy_table(connection, archive, table, check_wanted) for table in kept_tables)
    manifest = ArchiveManifest(
        format=FORMAT,
        migrations=tuple(sorted(row.name for row in fetch_all(connection, MIGRATIONS))),
        tables=facts,
        sequences={row.name: row.last for row in fetch_all(connection, SEQUENCES) if row.last is not None},
        # After the tables: files that a document of the snapshot needs were stored before it.
        blobs=dict(_copy_blobs(blobs, archive, check_wanted)),
    )
    connection.execute("COMMIT")
    return manifest


def _copy_table(
    connection: Connection, archive: zipfile.ZipFile, table: str, check_wanted: CheckWanted
) -> TableFacts:
    columns = tuple(row.name for row in fetch_all(connection, COLUMNS, (table,)))
    digest = hashlib.sha256()
    with (
        connection.cursor() as cursor,
        archive.open(f"tables/{table}", "w", force_zip64=True) as member,
        cursor.copy(_fill_statement(COPY_OUT, table, columns)) as copying,
    ):
        for piece in copying:
            check_wanted()
            digest.update(piece)
            member.write(piece)
    return TableFacts(table, columns, digest.hexdigest(), cursor.rowcount)


def _copy_blobs(
    blobs: Blobs, archive: zipfile.ZipFile, check_wanted: CheckWanted
) -> Iterator[tuple[str, str]]:
    for folder in FOLDERS:
        for blob in blobs.list(folder):
            check_wanted()
            try:
                data = blobs.get(blob.name)
            except NotFound:  # purged since it was listed, or its job is done
                continue
            archive.writestr(f"blobs/{blob.name}", data)
            yield blob.name, hashlib.sha256(data).hexdigest()


def _fill(connection: Connection, archive: zipfile.ZipFile, table: TableFacts, source: Path) -> None:
    if match := _VECTORS.fullmatch(table.name):
        connection.execute(ADD_EXTENSION)
        connection.execute(NEW_TABLE.format(table=table.name, dimensions=match[1]).encode())
        connection.execute(BY_CONTENT.format(table=table.name).encode())
    quoted = _quote(table.name)
    connection.execute(NO_TRIGGERS.format(table=quoted).encode())
    digest = hashlib.sha256()
    with (
        connection.cursor() as cursor,
        archive.open(f"tables/{table.name}") as member,
        cursor.copy(_fill_statement(COPY_IN, table.name, table.columns)) as copying,
    ):
        for piece in _read_pieces(member):
            digest.update(piece)
            copying.write(piece)
    connection.execute(TRIGGERS.format(table=quoted).encode())
    if (digest.hexdigest(), cursor.rowcount) != (table.sha256, table.rows):
        raise _build_damaged(source)


def _read_pieces(member: IO[bytes]) -> Iterator[bytes]:
    while piece := member.read(CHUNK):
        yield piece


def _read_manifest(archive: zipfile.ZipFile, source: Path) -> ArchiveManifest:
    try:
        manifest: ArchiveManifest = build(json.loads(archive.read(MANIFEST)), ArchiveManifest)
    except (ValueError, TypeError) as error:
        raise _build_archive_error(source) from error
    if manifest.format != FORMAT or not manifest.migrations:
        raise _build_archive_error(source)
    return manifest


def _check_empty(connection: Connection, manifest: ArchiveManifest, source: Path) -> None:
    done = tuple(sorted(row.name for row in fetch_all(connection, MIGRATIONS)))
    if done != manifest.migrations:
        raise InvalidParams(
            "archive.other_version",
            source=source,
            version=manifest.migrations[-1],
        )
    for row in fetch_all(connection, TABLES):
        statement = HAS_ROWS.format(table=_quote(row.name))
        if row.name not in TRANSIENT_TABLES and fetch_all(connection, statement)[0].has:
            raise Conflict(
                "archive.target_not_empty",
                table=row.name,
            )


def _check_digest(data: bytes, sha256: str, source: Path) -> bytes:
    if hashlib.sha256(data).hexdigest() != sha256:
        raise _build_damaged(source)
    return data


def _fill_statement(statement: str, table: str, columns: Sequence[str]) -> bytes:
    return statement.format(table=_quote(table), columns=", ".join(map(_quote, columns))).encode()


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _build_archive_error(source: Path) -> InvalidParams:
    return InvalidParams("archive.not_a_backup", source=source)


def _build_damaged(source: Path) -> InvalidParams:
    return InvalidParams("archive.damaged", source=source)
