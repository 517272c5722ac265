"""The folder and the files of a database: made for their owner's eyes alone, opened as far as they can be,
and what is wrong with them said in one sentence."""

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
from shisho.messages.message import Message
from shisho.messages.system import reason_of
from shisho.stores.embedded import levels, message_ids, names, vectors
from shisho.stores.embedded.holder import holder, is_stopped
from shisho.stores.embedded.rows import fetch_all
from shisho.stores.migrating import list_missing_scripts, scripts_in
from shisho.stores.refusals import no_value_for_storing
from shisho.system.disk import disk_full, file_trouble, forbidden, is_full, unusable
from shisho.telemetry import log

# 32 MB for the writer: with SQLite's 2 MB the bands of a long document are read and written over and over
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
BACKUP = Message("store.restore_advice")
# The scripts that the database has run.
MIGRATIONS = "SELECT name FROM migrations"
# Whether it has run any.
HAS_MIGRATIONS = "SELECT 1 FROM sqlite_schema WHERE name = 'migrations'"
# Where they are listed.
NEW_MIGRATIONS = "CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, at TEXT NOT NULL) STRICT"
# A script was run.
MIGRATED = "INSERT INTO migrations(name, at) VALUES (?, datetime('now'))"
UNREADABLE = (UnicodeDecodeError, json.JSONDecodeError, zlib.error)
"""What reading stored text gives where it is no longer what was stored."""


def make(path: Path) -> None:
    """The folder and an empty database in it, or both as they are, closed to others. Raises OSError."""
    folder = path.parent
    if not folder.is_dir():
        folder.mkdir(mode=0o700, parents=True)
    if not path.exists():
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))  # what SQLite adds takes its mode from it
    if sys.platform != "win32":
        _close_to_others(path)


def _close_to_others(path: Path) -> None:
    folder = path.parent
    me = os.geteuid()
    files = [path, *(path.with_name(path.name + end) for end in ("-wal", "-shm", ".lock"))]
    # A folder that holds other things too is not ours to close.
    if all(entry.name.startswith(OURS) for entry in folder.iterdir()):
        files.append(folder)
    files += [folder / name for name in INNER]
    for file in files:
        with suppress(OSError):  # not there, or not ours: the folder's owner decides
            status = file.lstat()
            if status.st_uid == me and status.st_mode & 0o077 and not stat.S_ISLNK(status.st_mode):
                file.chmod(status.st_mode & 0o700)


def connect(path: Path, *, readonly: bool, unchanging: bool = False) -> apsw.Connection:
    """`unchanging`: nobody can write it, so that no log beside it is looked for. Raises apsw.Error."""
    mode = apsw.SQLITE_OPEN_READONLY if readonly else apsw.SQLITE_OPEN_READWRITE
    name = f"{path.absolute().as_uri()}?immutable=1" if unchanging else str(path)
    connection = apsw.Connection(name, flags=mode | (apsw.SQLITE_OPEN_URI if unchanging else 0))
    connection.set_busy_timeout(BUSY_MS)
    # Else SQLite plans a statement anew for each set of values it is bound to, where their columns have an
    # index: that takes longer than most of ours run.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    settings = {"foreign_keys": "ON", "mmap_size": 0, "trusted_schema": "OFF"}
    if not readonly:
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
    """True where there is a write-ahead log, which may hold what is not yet in the file itself."""
    try:
        return path.with_name(path.name + "-wal").stat().st_size > 0
    except OSError:
        return False


def list_missing_migrations(connection: apsw.Connection, path: Path) -> list[str]:
    """Names of the scripts that the database lacks. Raises StorageUnusable for one that a newer version has
    made."""
    scripts = scripts_in(PACKAGE)
    if not connection.execute(HAS_MIGRATIONS).get:
        return scripts
    done = [row.name for row in fetch_all(connection.execute(MIGRATIONS))]
    return list_missing_scripts(done, scripts, path)


def migrate(connection: apsw.Connection, path: Path) -> list[str]:
    """Bring the database to this version, or leave it as it was. Returns the names of the scripts that were
    run. Raises apsw.Error, StorageUnusable."""
    vectors.register(connection)
    levels.register(connection)
    with connection:  # all of them at once: a new home is written to the disk once
        connection.execute(NEW_MIGRATIONS)
        scripts = list_missing_migrations(connection, path)
        for name in scripts:
            log.debug("migration %s", name)
            connection.execute((resources.files(PACKAGE) / "schema" / name).read_text("utf-8"))
            connection.execute(MIGRATED, (name,))
        if names.SCRIPT in scripts:
            names.fill(connection)
        if message_ids.SCRIPT in scripts:
            message_ids.fill(connection)
    return scripts


def is_damage(error: BaseException) -> bool:
    """True where an error says that what is stored is not what was stored."""
    return isinstance(error, (apsw.CorruptError, apsw.NotADBError, *UNREADABLE))


def trouble(error: Exception, path: Path) -> Exception:
    """The error as visitors are told it; one that has nothing to do with the storage as it is."""
    if isinstance(error, ShishoError):
        return error
    if isinstance(error, apsw.FullError) or (
        isinstance(error, apsw.IOError | apsw.CantOpenError) and is_full(path.parent)
    ):
        return disk_full()
    if isinstance(error, apsw.BusyError | apsw.LockedError | apsw.ProtocolError):
        return _busy(path)
    if is_damage(error):
        return damaged(path, error)
    if isinstance(error, apsw.ReadOnlyError):
        return read_only(path)
    if isinstance(error, apsw.CantOpenError | apsw.PermissionsError | apsw.AuthError):
        return forbidden(path)
    if isinstance(error, apsw.IOError):
        return unusable(path, error)
    if isinstance(error, OSError):
        return file_trouble(error, path)
    return no_value_for_storing() if isinstance(error, UnicodeEncodeError | OverflowError) else error


def damaged(path: Path, finding: object) -> StorageUnusable:
    """The error for a database that is not what was stored. `finding`: the error that told, or a verdict;
    SQLite's own words go to the log alone."""
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
    """The error for writing where nothing can be written."""
    return StorageUnusable(
        "store.read_only",
        parent=path.parent,
    )


def no_home(path: Path, error: OSError) -> StorageUnusable:
    """The error where there is no folder for the database, and none can be made."""
    folder = path.parent
    why = Message("store.home_is_file") if folder.is_file() else reason_of(error)
    return StorageUnusable(
        "store.home_unusable",
        folder=folder,
        why=why,
    )


def _busy(path: Path) -> Conflict:
    pid = holder(path)
    if pid is None:
        return Conflict("store.locked")
    if is_stopped(pid):
        text = f"Process {pid} holds the database and is stopped. Let it go on (kill -CONT {pid}) or end it, then try again."
    else:
        text = f"Process {pid} holds the database. Try again; if that lasts, see what it does (ps {pid}), or end it."
    return Conflict(text, pid=pid)
