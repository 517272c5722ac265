"""`make bench`: speed of what a person waits for, CPU or wall time of this run; machines are noisy, so look
at ratios.

python bench/run.py [--passages 100000]
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import large_sources

from shisho.bootstrap.library import open_library
from shisho.domain.corpus import Source
from shisho.language.sentences import split_sentences
from shisho.language.terms import analyse, make_pairs, make_query, make_terms
from shisho.services import Library
from shisho.stores.embedded.home import connect
from shisho.stores.embedded.rows import TEXT

SAMPLES = Path(__file__).parent.parent / "samples" / "lectures"
PASSAGES_OF_A_DOCUMENT = 39  # of 50 paragraphs: short ones are joined with the next
BETWEEN = (*("は", "の", "を", "に", "が", "と", "より", "から", "、") * 2, "である。")
QUESTION = "決定係数が0に近いとき何を意味するか"
BOUNDS = {
    "shisho --help, s": ("<", 0.5),
    "ingest of text PDFs, pages/s": (">", 20),
    "terms, characters/s": (">", 300_000),
    "a long text, times its terms": ("<", 1.6),
    "ask over the samples, warm, CPU s": ("<", 1.0),
    "ask over the samples, as a command, s": ("<", 4.0),
    "search over {n} passages, CPU ms": ("<", 5),
    "times bm25s over the same terms": ("<", 6),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--passages", type=int, default=100_000)
    given = parser.parse_args()
    asyncio.run(everything(given.passages))


async def everything(passages: int) -> None:
    with tempfile.TemporaryDirectory(prefix="shisho-bench-") as home:
        report("shisho --help, s", best(lambda: command(home, "--help")))
        report("terms, characters/s", terms_speed())
        async with open_library(home=home) as library:
            report("ingest of text PDFs, pages/s", await ingest_speed(library))
            report("a long text, times its terms", await long_text_cost(library))
            report("ask over the samples, warm, CPU s", await ask_cost(library))
        report("ask over the samples, as a command, s", best(lambda: command(home, "ask", QUESTION)))
    with tempfile.TemporaryDirectory(prefix="shisho-bench-") as home:
        async with open_library(home=home) as library:
            await fill(library, passages)
            await library.documents.search([QUESTION])  # the first takes in what was added last
            cost = await search_cost(library)
            report("search over {n} passages, CPU ms", cost, passages)
            report("times bm25s over the same terms", cost / bm25s_cost(Path(home) / "shisho.db"))


def report(name: str, value: float, passages: int = 0) -> None:
    sign, bound = BOUNDS[name]
    held = value < bound if sign == "<" else value > bound
    print(
        f"{name.format(n=f'{passages:,}'):44} {value:>12,.2f}   (wanted {sign} {bound:,g}{'' if held else ': NOT HELD'})",
        flush=True,
    )


def best(work: Callable[[], None], times: int = 3) -> float:
    spent = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        spent.append(time.perf_counter() - started)
    return min(spent)


def command(home: str, *words: str) -> None:
    script = "from shisho.interfaces.cli.app import main; main()"
    subprocess.run([sys.executable, "-c", script, "--home", home, *words], check=True, capture_output=True)


def terms_speed() -> float:
    text = [
        line
        for line in (SAMPLES.parent / "src").glob("*.typ")
        for line in line.read_text("utf-8").split("\n")
        if line
    ]
    analyse(text[:1])
    started = time.process_time()
    for _ in range(5):
        for line in text:
            analyse([line])
    return 5 * sum(map(len, text)) / (time.process_time() - started)


async def ingest_speed(library: Library) -> float:
    warm = [receipt async for receipt in library.documents.add(SAMPLES)]
    started = time.perf_counter()
    pages = 0
    for copy in range(5):
        async for receipt in library.documents.add(SAMPLES, corpus=f"copy {copy}"):
            pages += receipt.pages or 0
    assert warm and pages
    return pages / (time.perf_counter() - started)


async def long_text_cost(library: Library) -> float:
    """CPU of taking a Japanese text of a million characters in, as a multiple of making terms of its
    sentences."""
    source = itertools.islice(large_sources.paragraphs(5), 0, None, 2)
    text = "\n\n".join(itertools.islice(source, 4_000))[:1_000_000]
    started = time.process_time()
    for start, end in split_sentences(text):
        analyse([text[start:end]])
    terms = time.process_time() - started
    started = time.process_time()
    await library.documents.add_source(Source("long.txt", text.encode(), "text/plain"), corpus="long")
    return (time.process_time() - started) / terms


async def ask_cost(library: Library) -> float:
    await library.questions.ask(QUESTION)
    started = time.process_time()
    for _ in range(3):
        await library.questions.ask(QUESTION)
    return (time.process_time() - started) / 3


async def fill(library: Library, passages: int) -> None:
    """Documents of 50 paragraphs, of words that are as unevenly frequent as words are (Zipf)."""
    started = time.perf_counter()
    turn = asyncio.Semaphore(8)

    async def take_in(number: int) -> None:
        async with turn:
            await library.documents.add_source(
                Source(
                    f"{number}.txt",
                    "\n\n".join(paragraphs(number, 50)).encode(),
                    "text/plain",
                    f"第{number}巻",
                )
            )

    await asyncio.gather(*(take_in(number) for number in range(passages // PASSAGES_OF_A_DOCUMENT)))
    await library.documents.search([QUESTION])
    held = sum(one.passages for one in await library.documents.list_corpora())
    print(f"{'':44} {held:>12,} passages made in {time.perf_counter() - started:.0f} s", flush=True)


def paragraphs(seed: int, count: int) -> list[str]:
    """Words are pairs of characters, as unevenly frequent as words are; endings and particles stand between
    them."""
    rng = random.Random(seed)
    return ["".join(f"{word(rng)}{rng.choice(BETWEEN)}" for _ in range(90)) + "。" for _ in range(count)]


def word(rng: random.Random) -> str:
    rank = min(int(rng.paretovariate(0.8)), 40_000)
    return chr(0x4E00 + rank * 7919 % 3_000) + chr(0x4E00 + rank * 104_729 % 2_999)


async def search_cost(library: Library) -> float:
    asked = questions()
    started = time.process_time()
    for text in asked:
        await library.documents.search([text])
    return (time.process_time() - started) / len(asked) * 1000


def questions() -> list[str]:
    rng = random.Random(1)
    return [f"{word(rng)}の{word(rng)}と{word(rng)}の関係は何か" for _ in range(100)]


def bm25s_cost(database: Path) -> float:
    """CPU ms a search of the same questions, whose terms and pairs are ready, by `bm25s`: one field, one
    thread, the best hundred."""
    import bm25s

    with closing(connect(database, readonly=True)) as connection:
        stored = connection.execute(f"SELECT p.heading, {TEXT} FROM passages p").fetchall()
    words = [[*make_terms(heading), *make_terms(text), *make_pairs(text).split()] for heading, text in stored]
    known = {word: at for at, word in enumerate({word for passage in words for word in passage})}
    index = bm25s.BM25()
    index.index(([[known[word] for word in passage] for passage in words], known), show_progress=False)
    queries = [make_query([text]) for text in questions()]
    asked = [[[word for word in (*made.terms, *made.bigrams) if word in known]] for made in queries]
    started = time.process_time()
    for tokens in asked:
        index.retrieve(tokens, k=100, show_progress=False)
    return (time.process_time() - started) / len(asked) * 1000


if __name__ == "__main__":
    main()
