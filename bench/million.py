"""`make bench`: a million passages, or as many as fit the time. CPU of a search, memory, how long a home
takes to open, and what one document more costs before it is found.

python bench/million.py [--passages 1000000] [--seconds 240] [--home FOLDER]

Terms are made elsewhere: they are measured in run.py. With a folder it goes on with what is stored there, and
leaves it.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import random
import resource
import statistics
import tempfile
import time
from pathlib import Path

import run

from shisho.bootstrap.library import build_library
from shisho.corpus.ingest import make_document_id, make_passage_id
from shisho.domain.corpus import BlockKind, Document, DocumentState, Intake, Passage, Scope, Source
from shisho.language.terms import list_graphs
from shisho.services import Library
from shisho.settings import load
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.shelf import EmbeddedShelf
from shisho.system.clock import SystemClock

EACH = 500  # passages of a document
WORDS = 40  # of a passage


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--passages", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=240)
    parser.add_argument("--home", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="shisho-bench-") as passing:
        home = given.home or Path(passing)
        held = asyncio.run(stock(home, given.passages, given.seconds))
        asyncio.run(measure(home, held))


async def stock(home: Path, passages: int, seconds: float) -> int:
    """How many passages were stored."""
    database = Database(home / "shisho.db")
    shelf = EmbeddedShelf(database, SystemClock())
    ends = time.perf_counter() + seconds
    held = await shelf.count(Scope()) // EACH * EACH
    while held < passages and time.perf_counter() < ends:
        await shelf.put(intake(held // EACH))
        held += EACH
    await database.close()
    return held


def intake(number: int) -> Intake:
    rng = random.Random(number)
    sha256 = hashlib.sha256(str(number).encode()).hexdigest()
    name = make_document_id(sha256, "default", "local")
    passages = [passage(name, ordinal, rng) for ordinal in range(EACH)]
    text = "".join(made.text for made in passages)
    document = Document(
        id=name,
        corpus="default",
        owner="local",
        source=f"{number}.txt",
        title=f"第{number}巻",
        media_type="text/plain",
        sha256=sha256,
        size=len(text.encode()),
        page_count=None,
        passage_count=EACH,
        state=DocumentState.LIVE,
        added_at=f"2026-01-01T00:00:00.{number:06}Z",
    )
    return Intake(document, text, (), tuple(passages))


def passage(name: str, ordinal: int, rng: random.Random) -> Passage:
    words = [run.word(rng) for _ in range(WORDS)]
    text = "の".join(words)
    start = ordinal * 1_000
    key = make_passage_id(name, start, start + len(text))  # type: ignore[arg-type]
    return Passage(
        id=key,
        document_id=name,  # type: ignore[arg-type]
        ordinal=ordinal,
        start=start,
        end=start + len(text),
        page=None,
        heading="",
        kind=BlockKind.PARAGRAPH,
        text=text,
        terms=" ".join(words),
        heading_terms="",
        bigrams=" ".join(list_graphs(text)),
        cluster=key,
    )


async def measure(home: Path, held: int) -> None:
    started = time.process_time()
    library = build_library(load(home=home))
    await library.documents.search([run.QUESTION])
    say("index made, CPU s", time.process_time() - started)
    await library.close()
    started = time.process_time()
    library = build_library(load(home=home))
    say("opening, CPU ms", (time.process_time() - started) * 1000)
    try:
        await library.documents.search([run.QUESTION])
        say(f"search over {held:,} passages, CPU ms", await run.search_cost(library))
        say("the first document, with the look for damage, CPU ms", await catch_up_cost(library, 0))
        costs = [await catch_up_cost(library, number) for number in range(1, 12)]
        say("one document more, until it is found, CPU ms", statistics.median(costs))
        say("the dearest of eleven, CPU ms", max(costs))
        say("memory of its own, MB", own_mb())
        say("the most it held, MB", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    finally:
        await library.close()


async def catch_up_cost(library: Library, number: int) -> float:
    text = f"第{number}灯台の高さは三十二メートルである。"
    source = Source(f"more {number}.txt", text.encode(), "text/plain")
    started = time.process_time()
    await library.documents.add_source(source)
    hits = await library.documents.search(["灯台の高さ"], limit=12)
    assert source.name in {hit.source for hit in hits}
    return (time.process_time() - started) * 1000


def own_mb() -> float:
    lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon:")) / 1024


def say(name: str, value: float) -> None:
    print(f"{name:48} {value:>12,.2f}", flush=True)


if __name__ == "__main__":
    main()
