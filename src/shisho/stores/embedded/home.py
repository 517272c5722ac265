"""The folder and files of a database: private permissions, connections, error messages."""

from __future__ import annotations

import json
import os
import stat
import sys
import zlib
from contextlib import suppress
from importlib import resources
from pathlib import Path

import apsw

from shisho.errors import Conflict, ShishoError, StorageUnusable
from shisho.messages import Message
from shisho.messages.system import explain_error
from shisho.stores.embedded import blocks, older_rows, vectors
from shisho.stores.embedded.queries import EmbeddedQueries
from shisho.stores.embedded.rows import fetch_all
from shisho.stores.embedded.writer_lock import find_holder, is_stopped
from shisho.stores.refusals import no_value_for_storing
from shisho.stores.sql import names
from shisho.stores.sql.migrating import list_missing_scripts, scripts_in
from shisho.system.disk import build_file_error, disk_full, forbidden, is_full, unusable
from shisho.telemetry import log

# 32 MB for the writer: with SQLite's 2 MB, the bands of a long document are read and written repeatedly
CACHE_KB = -32_768
BUSY_MS = 10_000
OURS = (
    "shisho.db",
    "lexical",
    "staging",
    "originals",
    "page_images",
    "workers",
    "profiles",
    "settings.toml",
    "engines.toml",
    "web_consent.",
)
INNER = ("lexical", "staging", "originals", "page_images", "workers", "profiles")
PACKAGE = "shisho.stores.embedded"
NAMES = "0071_names.sql"
BACKUP = Message("store.restore_advice")
# List the completed scripts.
MIGRATIONS = "SELECT name FROM migrations"
# Check whether the list of completed scripts exists.
HAS_MIGRATIONS = "SELECT 1 FROM sqlite_schema WHERE name = 'migrations'"
# Create the list.
NEW_MIGRATIONS = "CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, at TEXT NOT NULL) STRICT"
# Record a completed script.
MIGRATED = "INSERT INTO migrations(name, at) VALUES (?, datetime('now'))"
UNREADABLE = (UnicodeDecodeError, json.JSONDecodeError, zlib.error)
"""Errors when reading stored text that is damaged."""


def make(path: Path) -> None:
    """Create a missing folder and an empty database, with private permissions. Raises OSError."""
    folder = path.parent
    if not folder.is_dir():
        folder.mkdir(mode=0o700, parents=True)
    if not path.exists():
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))  # SQLite copies its mode to the other files
    if sys.platform != "win32":
        _restrict_access(path)


def _restrict_access(path: Path) -> None:
    folder = path.parent
    me = os.geteuid()
    files = [path, *(path.with_name(path.name + end) for end in ("-wal", "-shm", ".lock"))]
    # Do not restrict a folder that also contains other things.
    if all(entry.name.startswith(OURS) for entry in folder.iterdir()):
        files.append(folder)
    files += [folder / name for name in INNER]
    for file in files:
        with suppress(OSError):  # missing, or another user's: the folder's owner decides
            status = file.lstat()
            if status.st_uid == me and status.st_mode & 0o077 and not stat.S_ISLNK(status.st_mode):
                file.chmod(status.st_mode & 0o700)


def connect(path: Path, *, readonly: bool, unchanging: bool = False) -> apsw.Connection:
    """Open a connection. Raises apsw.Error.

    `unchanging` means that no process can write the file, so SQLite does not look for a log.
    """
    mode = apsw.SQLITE_OPEN_READONLY if readonly else apsw.SQLITE_OPEN_READWRITE
    name = f"{path.absolute().as_uri()}?immutable=1" if unchanging else str(path)
    connection = apsw.Connection(name, flags=mode | (apsw.SQLITE_OPEN_URI if unchanging else 0))
    connection.set_busy_timeout(BUSY_MS)
    # Otherwise SQLite re-plans a statement for each set of bound values on indexed columns, which takes
    # longer than most of our statements.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    blocks.register(connection)
    settings = {"foreign_keys": "ON", "mmap_size": 0, "trusted_schema": "OFF"}
    if not readonly:
        if not path.stat().st_size:
            # Free pages can be given back without a copy of all. Only of a new file: in an older one, the
            # pragma has no effect and waits for the write lock.
            settings["auto_vacuum"] = "INCREMENTAL"
        settings |= {
            "journal_mode": "WAL",
            "synchronous": "FULL",
            "journal_size_limit": 64 << 20,
            "secure_delete": "ON",
        }
        settings["cache_size"] = CACHE_KB
    try:
        for name, value in settings.items():
            connection.pragma(name, value)
    except apsw.Error:
        connection.close()
        raise
    return connection


def has_log(path: Path) -> bool:
    """Return True if there is a write-ahead log, which may contain changes not yet in the file."""
    try:
        return path.with_name(path.name + "-wal").stat().st_size > 0
    except OSError:
        return False


def list_missing_migrations(connection: apsw.Connection, path: Path) -> list[str]:
    """Return the names of the scripts that the database lacks.

    Raises: StorageUnusable if a newer version has run unknown scripts.
    """
    scripts = scripts_in(PACKAGE)
    if not connection.execute(HAS_MIGRATIONS).get:
        return scripts
    done = [row.name for row in fetch_all(connection.execute(MIGRATIONS))]
    return list_missing_scripts(done, scripts, path)


def migrate(connection: apsw.Connection, path: Path) -> list[str]:
    """Migrate the database to this version, all scripts or none; return the scripts that ran.

    Raises: apsw.Error, StorageUnusable.
    """
    vectors.register(connection)
    older_rows.register(connection)
    with connection:  # one transaction: a new library is synced to disk once
        connection.execute(NEW_MIGRATIONS)
        scripts = list_missing_migrations(connection, path)
        for name in scripts:
            log.debug("migration %s", name)
            connection.execute((resources.files(PACKAGE) / "schema" / name).read_text("utf-8"))
            if name == older_rows.TEXTS_SCRIPT:
                older_rows.compress_texts(connection)
            connection.execute(MIGRATED, (name,))
        if NAMES in scripts:
            names.fill(EmbeddedQueries(connection))
        if older_rows.SENTENCES_SCRIPT in scripts:
            older_rows.identify_sentences(connection)
    return scripts


def is_damage(error: BaseException) -> bool:
    """Return True if an error means that the stored data is damaged."""
    return isinstance(error, (apsw.CorruptError, apsw.NotADBError, *UNREADABLE))


def trouble(error: Exception, path: Path) -> Exception:
    """Translate a storage error for people; return unrelated errors unchanged."""
    if isinstance(error, ShishoError):
        return error
    if isinstance(error, apsw.FullError) or (
        isinstance(error, apsw.IOError | apsw.CantOpenError) and is_full(path.parent)
    ):
        return disk_full()
    if isinstance(error, apsw.BusyError | apsw.LockedError | apsw.ProtocolError):
        return _build_busy(path)
    if is_damage(error):
        return damaged(path, error)
    if isinstance(error, apsw.ReadOnlyError):
        return read_only(path)
    if isinstance(error, apsw.CantOpenError | apsw.PermissionsError | apsw.AuthError):
        return forbidden(path)
    if isinstance(error, apsw.IOError):
        return unusable(path, error)
    if isinstance(error, OSError):
        return build_file_error(error, path)
    return no_value_for_storing() if isinstance(error, UnicodeEncodeError | OverflowError) else error


def damaged(path: Path, finding: object) -> StorageUnusable:
    """Return the error for a damaged database.

    `finding` is the exception or a verdict; SQLite's own words are only logged.
    """
    log.debug("%s: %s", path, finding)
    is_other = isinstance(finding, apsw.NotADBError)
    what = Message("store.not_a_database") if is_other else Message("store.pages_damaged")
    return StorageUnusable(
        "store.damaged",
        path=path,
        what=what,
        backup=BACKUP,
    )


def read_only(path: Path) -> StorageUnusable:
    """Return the error for writing to a read-only library."""
    return StorageUnusable(
        "store.read_only",
        parent=path.parent,
    )


def no_home(path: Path, error: OSError) -> StorageUnusable:
    """Return the error for a home folder that does not exist and cannot be created."""
    folder = path.parent
    why = Message("store.home_is_file") if folder.is_file() else explain_error(error)
    return StorageUnusable(
        "store.home_unusable",
        folder=folder,
        why=why,
    )


def _build_busy(path: Path) -> Conflict:
    pid = find_holder(path)
    if pid is None:
        return Conflict("store.locked")
    if is_stopped(pid):
        return Conflict("store.locked_by_stopped", pid=pid)
    return Conflict("store.locked_by", pid=pid)
