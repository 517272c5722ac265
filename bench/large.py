"""`make bench`: the large end. Peak memory, seconds and pages a second of a PDF of 1,500 pages, a text of 100
MB and a folder of 20,000 files, each by `shisho add` in a process of its own; and what a passage costs in a
long document.

python bench/large.py               each to its end, about 20 minutes; every half minute a line of progress
python bench/large.py --seconds 60  each may take so long; what was not done by then is said
python bench/large.py --vectors     vectors too, which take most of the time then
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
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import large_sources as sources

from shisho.bootstrap.library import open_library
from shisho.domain.corpus import Source
from shisho.services import Library

MAX_MB = 600
LOOK_SECONDS = 0.5
TELL_SECONDS = 30.0
HEAD = "`shisho add`, each in a process of its own, {vectors}"
WITHOUT = "without vectors: to make those of so many passages would take most of the time (--vectors does)"
ADD = """
import atexit, resource, sys
from shisho.interfaces.cli.app import main

@atexit.register
def tell():
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(*(one.ru_utime + one.ru_stime for one in used), file=sys.stderr)

main()
"""


@dataclass(frozen=True, slots=True)
class Limits:
    """`seconds`: after which a run is broken off; None: never."""

    seconds: float | None
    with_vectors: bool


@dataclass(slots=True)
class Adding:
    """A run of `shisho add`, and the most memory that it and its children were seen to hold, in MB."""

    process: subprocess.Popen[bytes]
    home: Path
    out: Path
    err: Path
    began: float = field(default_factory=time.perf_counter)
    parent: float = 0.0
    child: float = 0.0

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.began

    def look(self) -> None:
        self.parent = max(self.parent, peak_mb(self.process.pid))
        self.child = max(self.child, *map(peak_mb, children(self.process.pid)), 0.0)

    def tell(self) -> None:
        stored = sum(file.stat().st_size for file in self.home.glob("shisho.db*")) / 1e6
        print(
            f"  {self.seconds:5.0f} s: {len(self.receipts())} files, library of {stored:.0f} MB, "
            f"parent {self.parent:.0f} MB, child {self.child:.0f} MB",
            file=sys.stderr,
            flush=True,
        )

    def receipts(self) -> Sequence[dict[str, Any]]:
        whole_lines = self.out.read_text("utf-8").rpartition("\n")[0].splitlines()
        return [json.loads(line) for line in whole_lines if line.startswith("{")]

    def cpu(self) -> tuple[float, float]:
        """Seconds of the process, and of its children."""
        own, of_children = map(float, self.err.read_text("utf-8").strip().splitlines()[-1].split())
        return own, of_children


def main() -> None:
    limits = read_limits(sys.argv[1:])
    print(HEAD.format(vectors="with vectors" if limits.with_vectors else WITHOUT), flush=True)
    with tempfile.TemporaryDirectory(prefix="shisho-bench-") as name:
        folder = Path(name)
        sources.pdf(folder / "long.pdf", 1_500)
        added("PDF, 1,500 pages", folder / "long.pdf", limits)
        sources.text_file(folder / "long.txt", 100)
        added("text, 100 MB", folder / "long.txt", limits)
        sources.folder(folder / "many", 20_000)
        added("folder, 20,000 files", folder / "many", limits)
        asyncio.run(ratio(folder / "ratio"))


def read_limits(words: Sequence[str]) -> Limits:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--vectors", action="store_true")
    given = parser.parse_args(words)
    return Limits(given.seconds, given.vectors)


def added(name: str, path: Path, limits: Limits) -> None:
    print(f"  {name} …", file=sys.stderr, flush=True)
    adding = start(path, limits)
    is_cut = not followed_to_its_end(adding, limits)
    took = adding.seconds
    own, children = adding.cpu()
    receipts = adding.receipts()
    done = [receipt for receipt in receipts if receipt["outcome"] == "added"]
    pages = sum(receipt["pages"] or 1 for receipt in done)
    passages = sum(receipt["passages"] for receipt in done)
    held = "" if adding.parent <= MAX_MB else ": NOT HELD"
    cut = f", cut off after {limits.seconds:.0f} s" if is_cut else ""
    print(
        f"{name:24} parent {adding.parent:4.0f} MB (wanted <= {MAX_MB}{held}), child {adding.child:.0f} MB; "
        f"{took:6.1f} s ({own:.1f} + {children:.1f} CPU); {pages} pages, {pages / took:.1f} pages/s, "
        f"{passages} passages, {len(receipts) - len(done)} failed{cut}",
        flush=True,
    )


def start(path: Path, limits: Limits) -> Adding:
    home, out, err = (path.with_suffix(end) for end in (".home", ".out", ".err"))
    command = [sys.executable, "-c", ADD, "--home", str(home), "add", "--json", str(path)]
    environment = {**os.environ, "SHISHO_MAX_FILE_MB": "200"}
    if not limits.with_vectors:
        environment["SHISHO_EMBEDDER"] = "none"
    with out.open("wb") as output, err.open("wb") as errors:
        process = subprocess.Popen(
            command, env=environment, stdout=output, stderr=errors, start_new_session=True
        )
    return Adding(process, home, out, err)


def followed_to_its_end(adding: Adding, limits: Limits) -> bool:
    """Whether it came to its end within the limit; else it was broken off as by Ctrl-C."""
    told = 0.0
    while limits.seconds is None or adding.seconds < limits.seconds:
        adding.look()
        if adding.seconds - told >= TELL_SECONDS:
            told = adding.seconds
            adding.tell()
        with suppress(subprocess.TimeoutExpired):
            adding.process.wait(LOOK_SECONDS)
            return True
    adding.process.send_signal(signal.SIGINT)
    adding.process.wait()
    return False


def peak_mb(pid: int) -> float:
    """The most that a process has held; 0 where it has ended, or the system does not say. Not what it tells
    of itself in the end: that holds what whoever started it held."""
    with suppress(OSError):
        lines = Path(f"/proc/{pid}/status").read_text("utf-8").splitlines()
        return sum(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))
    return 0.0


def children(pid: int) -> Sequence[int]:
    with suppress(OSError):
        tasks = Path(f"/proc/{pid}/task").glob("*/children")
        return [int(child) for task in tasks for child in task.read_text("utf-8").split()]
    return ()


async def ratio(home: Path) -> None:
    async with open_library(home=home) as library:
        await cost(library, 50_000, 10)
        short = await cost(library, 200_000, 11)
        long = await cost(library, 2_000_000, 12)
    held = "" if long / short <= 1.2 else ": NOT HELD"
    print(
        f"{'a passage, CPU ms':24} {short * 1000:.2f} of 200,000 characters, {long * 1000:.2f} of 2,000,000: "
        f"ratio {long / short:.2f}   (wanted <= 1.2{held})",
        flush=True,
    )


async def cost(library: Library, characters: int, seed: int) -> float:
    source = sources.paragraphs(seed)
    text: list[str] = []
    size = 0
    while size < characters:
        text.append(next(source))
        size += len(text[-1]) + 2
    started = time.process_time()
    receipt = await library.documents.add_source(
        Source(f"{seed}.txt", "\n\n".join(text).encode(), "text/plain")
    )
    return (time.process_time() - started) / receipt.passages


if __name__ == "__main__":
    main()
