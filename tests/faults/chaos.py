"""The eight chaos and four pressure scenarios that job queues on PostgreSQL are known to be tried with, for
our queue and, as `python -m tests.faults.chaos` prints side by side, for procrastinate with its recipe for
stalled jobs. Both get the same server, jobs, processes and a supervisor that starts again what has ended.

A scenario is passed where every accepted job is done once within its time."""

from __future__ import annotations

import asyncio
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psycopg

from shisho.domain.codec import Payload, dumps
from shisho.domain.job import JobId, NewJob, NewTask, TaskId
from shisho.errors import ShishoError
from shisho.jobs.timing import WorkerTiming, make_id
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.jobs import build_postgres_transactions
from shisho.stores.postgres.notifier import PostgresNotifier
from shisho.stores.sql.tasks import StoredTasks
from shisho.system.clock import SystemClock
from tests.faults.process import Orders
from tests.postgres import PostgresServer

JOBS = 80
WORKERS = 4
SECONDS = 60.0  # until all must be done after the trouble is over
PACE = WorkerTiming(beat=0.5, cut_off=6.0, silence=4.0, look=0.5, idle=0.5)
# Whether each job is done, and how often it was.
OURS = """SELECT state = 'completed', (SELECT count(*) FROM events e WHERE e.job_id = j.id AND e.kind = 'completed')
    FROM jobs j"""
# The same of theirs.
THEIRS = """SELECT status = 'succeeded',
        (SELECT count(*) FROM procrastinate_events e WHERE e.job_id = j.id AND e.type = 'succeeded')
    FROM procrastinate_jobs j WHERE task_name = 'brief'"""


@dataclass(frozen=True)
class Outcome:
    accepted: int
    done: int
    twice: int
    seconds: float

    @property
    def is_passed(self) -> bool:
        return self.done >= self.accepted > 0 and not self.twice


class Contender:
    """A queue over one database: how jobs get in, who does them, and what stands."""

    name = "Shisho"
    standing = OURS

    def __init__(self, url: str, home: Path) -> None:
        self.url = url
        self.home = home
        self.accepted = 0

    def prepare(self) -> None:
        asyncio.run(self.put(0))

    def command(self) -> list[str]:
        orders = Orders(str(self.home), self.url, slots=1, pace=PACE)
        return [sys.executable, "-m", "tests.faults.process", dumps(orders)]

    def add(self, count: int, priority: int = 50) -> None:
        """Told to try again, it does."""
        jobs = [NewJob(JobId(make_id()), "brief", Payload(), priority) for _ in range(count)]
        asyncio.run(self._until_taken(jobs))
        self.accepted += count

    async def put(self, count: int) -> None:
        await self._until_taken([NewJob(JobId(make_id()), "brief", Payload()) for _ in range(count)])

    async def _until_taken(self, jobs: list[NewJob]) -> None:
        database = PostgresDatabase(self.url)
        tasks = StoredTasks(build_postgres_transactions(database, SystemClock(), PostgresNotifier(database)))
        while True:
            with suppress(ShishoError):
                await tasks.enqueue(NewTask(TaskId("load"), "local"), jobs)
                break
            await asyncio.sleep(0.2)
        await database.close()


class Procrastinate(Contender):
    """Its workers beat each second and take back, by its recipe, what has been silent for four."""

    name = "procrastinate"
    standing = THEIRS

    def prepare(self) -> None:
        async def schema() -> None:
            async with their_app(self.url).open_async() as app:
                await app.schema_manager.apply_schema_async()

        asyncio.run(schema())

    def command(self) -> list[str]:
        return [sys.executable, "-m", "tests.faults.chaos", "work", self.url]

    def add(self, count: int, priority: int = 50) -> None:
        async def put() -> None:
            async with their_app(self.url).open_async() as app:
                await app.tasks["brief"].configure(priority=100 - priority).batch_defer_async(*[{}] * count)

        while True:
            with suppress(Exception):
                asyncio.run(put())
                break
            time.sleep(0.2)
        self.accepted += count


def their_app(url: str):  # type: ignore[no-untyped-def]
    import procrastinate

    app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=url))

    @app.task(name="brief", retry=5)
    async def their_brief() -> None:
        for _ in range(3):
            await asyncio.sleep(random.uniform(0, 0.06))

    return app


async def work_theirs(url: str) -> None:
    async with their_app(url).open_async() as app:

        async def take_back() -> None:
            while True:
                await asyncio.sleep(1)
                for job in await app.job_manager.get_stalled_jobs(seconds_since_heartbeat=4):
                    await app.job_manager.retry_job(job)

        taking = asyncio.create_task(take_back())
        await app.run_worker_async(
            concurrency=1,
            fetch_job_polling_interval=0.5,
            update_heartbeat_interval=1,
            stalled_worker_timeout=4,
        )
        taking.cancel()


class Crew:
    """Worker processes under a supervisor that starts again what has ended."""

    def __init__(self, contender: Contender, size: int = WORKERS) -> None:
        self._contender = contender
        self.members = [self._start() for _ in range(size)]

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self._contender.command(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def kill(self, place: int) -> None:
        self.members[place].kill()
        self.supervise()

    def supervise(self) -> None:
        for place, member in enumerate(self.members):
            if member.poll() is not None:
                self.members[place] = self._start()

    def end(self) -> None:
        for member in self.members:
            member.kill()
            member.wait()


Scenario = Callable[[Contender, Crew, PostgresServer], None]


def crash(queue: Contender, crew: Crew, server: PostgresServer) -> None:
    time.sleep(2)
    crew.kill(0)


def restart(queue: Contender, crew: Crew, server: PostgresServer) -> None:
    time.sleep(1)
    server.stop()
    time.sleep(1)
    server.start()


def repeated_kills(queue: Contender, crew: Crew, server: PostgresServer) -> None:
    for number in range(6):
        time.sleep(1)
        crew.kill(number % WORKERS)


def backend_kill(queue: Contender, crew: Crew, server: PostgresServer) -> None:
    for _ in range(4):
        time.sleep(0.7)
        server.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE 'shisho%'")
        crew.supervise()


def leader_failover(queue: Contender, crew: Crew, server: PostgresServer) -> None:
    """The leader dies at once, and who has followed it leads at its address."""
    follower = server.follower()
    queue.add(JOBS)
    time.sleep(1)
    server.stop(signal.SIGQUIT)
    follower.take_over(server)


def pool_exhaustion(queue: Contender, crew: Crew, server: PostgresServer) -> None:
    held = []
    with suppress(psycopg.OperationalError):
        while True:
            held.append(psycopg.connect(server.url()))
    crew.kill(0)  # which has to come in again
    time.sleep(4)
    for connection in held:
        connection.close()


def retry_storm(queue: Contender, crew: Crew, server: PostgresServer) -> None:
    """All connections break again and again while all workers ask at once."""
    for _ in range(10):
        server.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE 'shisho%'")
        time.sleep(0.2)
    crew.supervise()


def priority_starvation(queue: Contender, crew: Crew, server: PostgresServer) -> None:
    queue.add(10, priority=90)
    for _ in range(5):
        queue.add(20, priority=10)
        time.sleep(0.5)


def idle_in_transaction(queue: Contender, crew: Crew, server: PostgresServer) -> None:
    with psycopg.connect(queue.url) as connection:
        connection.execute("SELECT pg_current_xact_id()")
        for _ in range(6):
            queue.add(20)
            time.sleep(1)


def active_readers(queue: Contender, crew: Crew, server: PostgresServer) -> None:
    url = queue.url
    code = f"import psycopg,time\nc=psycopg.connect({url!r},autocommit=True)\n"
    code += "while True: c.execute('SELECT count(*) FROM pg_class a, pg_class b, generate_series(1, 5)')"
    readers = [subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL) for _ in range(3)]
    time.sleep(5)
    for reader in readers:
        reader.kill()
        reader.wait()


def overload(queue: Contender, crew: Crew, server: PostgresServer) -> None:
    """1.5 times as many as these workers can do, for some seconds."""
    for _ in range(8):
        queue.add(int(1.5 * WORKERS / 0.1 / 2))
        time.sleep(0.5)


def burst(queue: Contender, crew: Crew, server: PostgresServer) -> None:
    queue.add(400)


CHAOS: tuple[Scenario, ...] = (
    crash,
    restart,
    repeated_kills,
    backend_kill,
    leader_failover,
    pool_exhaustion,
    retry_storm,
    priority_starvation,
)
PRESSURE: tuple[Scenario, ...] = (idle_in_transaction, active_readers, overload, burst)


def tried(scenario: Scenario, kind: type[Contender]) -> Outcome:
    """What becomes of the jobs of one scenario, on a server of its own."""
    with small_server() as server, tempfile.TemporaryDirectory() as home:
        queue = kind(server.new_database(), Path(home))
        queue.prepare()
        queue.add(JOBS)
        crew = Crew(queue)
        try:
            scenario(queue, crew, server)
            began = time.monotonic()
            done = twice = 0
            while time.monotonic() - began < SECONDS and done < queue.accepted:
                time.sleep(0.3)
                crew.supervise()
                with suppress(psycopg.OperationalError), psycopg.connect(queue.url) as connection:
                    rows = connection.execute(queue.standing.encode()).fetchall()
                    done = sum(is_done for is_done, _ in rows)
                    twice = sum(count > 1 for _, count in rows)
            return Outcome(queue.accepted, done, twice, time.monotonic() - began)
        finally:
            crew.end()


@contextmanager
def small_server() -> Iterator[PostgresServer]:
    server = PostgresServer()
    server.start()
    try:
        yield server
    finally:
        server.close()


def chosen() -> list[Scenario]:
    """Those that the command names; all where it names none."""
    scenarios = (*CHAOS, *PRESSURE)
    return [scenario for scenario in scenarios if not sys.argv[1:] or scenario.__name__ in sys.argv[1:]]


def main() -> None:
    for scenario in chosen():
        line = [f"{scenario.__name__.replace('_', ' '):22}"]
        for kind in (Contender, Procrastinate):
            outcome = tried(scenario, kind)
            word = "passed" if outcome.is_passed else "FAILED"
            done = f"{outcome.done}/{outcome.accepted} in {outcome.seconds:.0f} s, {outcome.twice} twice"
            line.append(f"{kind.name} {word} {done}")
        print(" | ".join(line), flush=True)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["work", url]:
            asyncio.run(work_theirs(url))
        case _:
            main()
