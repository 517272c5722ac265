"""A busy machine for tests: `python -m tests.load 8 COMMAND …` runs the command beside so many processes that
only compute.

They end with the command, or after LONGEST seconds whatever happens."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
import time

LONGEST = 3 * 3600.0


def compute(ends: float) -> None:
    while time.monotonic() < ends:
        sum(range(10_000))


def main(number: int, command: list[str]) -> int:
    spawning = multiprocessing.get_context("spawn")
    ends = time.monotonic() + LONGEST
    busy = [spawning.Process(target=compute, args=(ends,), daemon=True) for _ in range(number)]
    for process in busy:
        process.start()
    try:
        return subprocess.run(command, check=False).returncode
    finally:
        for process in busy:
            process.kill()
            process.join()


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
