"""`make bench`: the large end. Peak memory, seconds and pages a second of a PDF of 1,500 pages, a text of 100
MB and a folder of 20,000 files, each by `shisho add` in a process of its own; and what a passage costs in a
long document.

python bench/large.py [--seconds 170]    each of the three may take so long; what was not done by then is said
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import large_sources as sources

from shisho.bootstrap.desk import open_desk
from shisho.desk import Desk
from shisho.domain.corpus import Source

MOST_MB = 600
ADD = """
import atexit, resource, sys
from shisho.interfaces.cli.app import main

@atexit.register
def tell():
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(*(one.ru_maxrss // 1024 for one in used), *(one.ru_utime + one.ru_stime for one in used), file=sys.stderr)

main()
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=170)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="shisho-bench-") as name:
        folder = Path(name)
        sources.pdf(folder / "long.pdf", 1_500)
        added("PDF, 1,500 pages", folder / "long.pdf", given.seconds)
        sources.text_file(folder / "long.txt", 100)
        added("text, 100 MB", folder / "long.txt", given.seconds)
        sources.folder(folder / "many", 20_000)
        added("folder, 20,000 files", folder / "many", given.seconds)
        asyncio.run(ratio(folder / "ratio"))


def added(name: str, path: Path, seconds: float) -> None:
    home = path.with_suffix(".home")
    command = [sys.executable, "-c", ADD, "--home", str(home), "add", "--json", str(path)]
    started = time.perf_counter()
    environment = {**os.environ, "SHISHO_MAX_FILE_MB": "200"}
    process = subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    cut = ""
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
        cut = f", cut off after {seconds:.0f} s"
    took = time.perf_counter() - started
    receipts = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    done = [receipt for receipt in receipts if receipt["outcome"] == "added"]
    parent, child, *cpu = err.strip().splitlines()[-1].split()
    pages = sum(receipt["pages"] or 1 for receipt in done)
    passages = sum(receipt["passages"] for receipt in done)
    held = "" if int(parent) <= MOST_MB else ": NOT HELD"
    print(
        f"{name:24} parent {parent:>4} MB (wanted <= {MOST_MB}{held}), child {child} MB; "
        f"{took:6.1f} s ({float(cpu[0]):.1f} + {float(cpu[1]):.1f} CPU); {pages} pages, {pages / took:.1f} pages/s, "
        f"{passages} passages, {len(receipts) - len(done)} failed{cut}",
        flush=True,
    )


async def ratio(home: Path) -> None:
    async with open_desk(home=home) as desk:
        await cost(desk, 50_000, 10)
        short = await cost(desk, 200_000, 11)
        long = await cost(desk, 2_000_000, 12)
    held = "" if long / short <= 1.2 else ": NOT HELD"
    print(
        f"{'a passage, CPU ms':24} {short * 1000:.2f} of 200,000 characters, {long * 1000:.2f} of 2,000,000: "
        f"ratio {long / short:.2f}   (wanted <= 1.2{held})",
        flush=True,
    )


async def cost(desk: Desk, characters: int, seed: int) -> float:
    source = sources.paragraphs(seed)
    text: list[str] = []
    size = 0
    while size < characters:
        text.append(next(source))
        size += len(text[-1]) + 2
    started = time.process_time()
    receipt = await desk.add_source(Source(f"{seed}.txt", "\n\n".join(text).encode(), "text/plain"))
    return (time.process_time() - started) / receipt.passages


if __name__ == "__main__":
    main()
