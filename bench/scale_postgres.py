"""How the index in PostgreSQL grows. Synthetic passages with vectors of 256 numbers: seconds until they are
stored and indexed, disk, and the time of a hybrid search without a filter, with one that leaves a
two-hundredth, and with 500 passages seen: the best for another question, and the best for each itself.

python bench/scale_postgres.py --store postgresql://user@host/empty_database [--sizes 10000 100000]
    [--queries 60] [--figures FILE]    where they are kept too: `bench/growth.py` draws them

The time is what a search took by the clock, terms of the query included; beside it the CPU of this process
and of the server, where that runs on this machine: others' work makes the clock run longer, not those.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import time
from dataclasses import dataclass, replace
from pathlib import Path

import million
import numpy as np
import run

from shisho.corpus.retrieve import Retriever
from shisho.domain.corpus import Intake, PassageId, Scope, SearchRequest
from shisho.domain.embedding import EmbedderAbout, Embedding, NewEmbedding
from shisho.language import terms
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.embeddings import PostgresEmbeddings
from shisho.stores.postgres.lexical import PostgresIndex
from shisho.stores.postgres.serving import PostgresServing
from shisho.stores.postgres.shelf import PostgresShelf
from shisho.system.clock import SystemClock

WIDTH = 256
CENTRES = 2_000
YEARS = 200  # a filter by one of them leaves so small a part
SEEN = 500
DEPTH = 50
ABOUT = EmbedderAbout("bench 256")
TICKS = os.sysconf("SC_CLK_TCK")
PARENT = 1
OF_ITSELF = slice(11, 13)
OF_ENDED = slice(13, 15)
"""Of what the machine says of a process: its parent's number, its CPU, and that of its children that have
ended."""
# What stands on the disk, with indexes.
SIZES = """SELECT relname, pg_total_relation_size(oid) AS bytes FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY bytes DESC LIMIT 6"""
# The server's processes for us.
BACKENDS = "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
# What a server does by itself from time to time: afterwards its planner knows how much there is.
TIDY = ("VACUUM ANALYZE postings", "VACUUM ANALYZE passages", "VACUUM ANALYZE documents", "ANALYZE")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--store", required=True)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--queries", type=int, default=60)
    parser.add_argument("--figures", type=Path)
    chosen = parser.parse_args()
    figures = Figures(chosen.figures)
    asyncio.run(grow(chosen.store, chosen.sizes, chosen.queries, figures))


class Figures:
    """What was measured, by name and number of passages; printed as it comes, and kept in a file where one is
    named."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._values: dict[str, dict[int, float]] = {}

    def report(self, name: str, size: int, value: float) -> None:
        print(f"{size:>10,} passages  {name:36} {value:>12,.1f}", flush=True)
        self._values.setdefault(name, {})[size] = round(value, 3)
        if self._file is not None:
            self._file.write_text(json.dumps(self._values, indent=1) + "\n", "utf-8")


@dataclass(frozen=True)
class Meaning:
    """Vectors around so many centres, the same for the same text."""

    centres: np.ndarray
    about: EmbedderAbout = ABOUT

    def vectors(self, seed: int, count: int) -> np.ndarray:
        rng = np.random.default_rng(seed)
        rows = self.centres[rng.integers(0, CENTRES, count)] + 1.5 * rng.normal(size=(count, WIDTH)).astype(
            np.float32
        )
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)

    async def embed_query(self, text: str) -> Embedding:
        return Embedding(self.vectors(hash(text) & 0xFFFFFF, 1).tobytes())

    @property
    def current(self) -> Meaning:
        return self

    def find(self, about: EmbedderAbout) -> Meaning:
        return self


async def grow(url: str, sizes: list[int], queries: int, figures: Figures) -> None:
    database = PostgresDatabase(url)
    shelf = PostgresShelf(database, SystemClock())
    serving = PostgresServing(database, ABOUT)
    index = PostgresIndex(database, serving)
    embeddings = PostgresEmbeddings(database, ABOUT)
    meaning = Meaning(np.random.default_rng(1).normal(size=(CENTRES, WIDTH)).astype(np.float32))
    retriever = Retriever(index, terms.make_query, meaning)  # type: ignore[arg-type]
    stored = await shelf.count(Scope())
    for size in sizes:
        started = time.perf_counter()
        cpu = await used(database)
        for number in range(stored // million.EACH, size // million.EACH):
            intake = dated(million.intake(number), number)
            await shelf.put(intake)
            await embed(embeddings, meaning, intake, number)
        stored = max(stored, size)
        figures.report("stored, s", size, time.perf_counter() - started)
        started = time.perf_counter()
        await index.catch_up()
        figures.report("graph, s", size, time.perf_counter() - started)
        figures.report("both, CPU s", size, await used(database) - cpu)
        with database.open_connection() as connection:
            for statement in TIDY:
                connection.execute(statement.encode())
        for row in await database.read(lambda connection: connection.execute(SIZES.encode()).fetchall()):
            figures.report(f"disk, {row.relname}, MB", size, row.bytes / 1e6)
        await measure(database, retriever, size, queries, figures)
    await database.close()


def dated(intake: Intake, number: int) -> Intake:
    return replace(intake, document=replace(intake.document, metadata={"年": str(number % YEARS)}))


async def embed(embeddings: PostgresEmbeddings, meaning: Meaning, intake: Intake, number: int) -> None:
    vectors = meaning.vectors(number, len(intake.passages))
    await embeddings.put(
        [
            NewEmbedding(passage.id, bytes.fromhex(passage.id + "0"), Embedding(vector.tobytes()))
            for passage, vector in zip(intake.passages, vectors, strict=True)
        ]
    )


async def measure(
    database: PostgresDatabase, retriever: Retriever, size: int, queries: int, figures: Figures
) -> None:
    texts = run.questions()[:queries]
    own = {text: frozenset(await best(retriever, text, SEEN)) for text in texts}
    for name, scope, seen_for in (
        ("no filter", Scope(), {}),
        (f"1/{YEARS} by a filter", Scope(filters={"年": "7"}), {}),
        (f"{SEEN} seen", Scope(), dict.fromkeys(texts, own[texts[0]])),
        (f"{SEEN} nearest seen", Scope(), own),
    ):
        times = list[float]()
        cpu = await used(database)
        for text in texts:
            started = time.perf_counter()
            await retriever.rank(
                SearchRequest(keyword_query=(text,)), scope, DEPTH, seen_for.get(text, frozenset())
            )
            times.append(1000 * (time.perf_counter() - started))
        cost = 1000 * (await used(database) - cpu) / len(texts)
        figures.report(f"{name}, p50 ms", size, statistics.median(times))
        figures.report(f"{name}, p95 ms", size, statistics.quantiles(times, n=20)[-1])
        figures.report(f"{name}, CPU ms", size, cost)


async def best(retriever: Retriever, text: str, depth: int) -> list[PassageId]:
    """What a search for a text finds first."""
    ranking = await retriever.rank(SearchRequest(keyword_query=(text,)), Scope(), depth)
    return [ranked.passage.id for ranked in ranking]


async def used(database: PostgresDatabase) -> float:
    """CPU seconds so far, the server's for us included where it runs on this machine: of its processes, and
    of those that have ended, such as the workers of a parallel scan."""
    backends = await database.read(lambda connection: connection.execute(BACKENDS.encode()).fetchall())
    stats = [stat for row in backends if (stat := read_stat(row.pid))]
    parents = {int(stat[PARENT]) for stat in stats}
    ended = sum(sum_seconds(stat[OF_ENDED]) for parent in parents if (stat := read_stat(parent)))
    return time.process_time() + sum(sum_seconds(stat[OF_ITSELF]) for stat in stats) + ended


def read_stat(process: int) -> list[str]:
    """What the machine says of a process, from its state on; nothing where it is none of this machine's."""
    stat = Path(f"/proc/{process}/stat")
    return stat.read_text("ascii").rpartition(")")[2].split() if stat.is_file() else []


def sum_seconds(ticks: list[str]) -> float:
    return sum(map(int, ticks)) / TICKS


if __name__ == "__main__":
    main()
