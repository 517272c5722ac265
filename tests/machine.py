"""What a busy machine adds to a test, so that times can be promised beside any load.

A time by the clock is compared with a bound only after the time in which somebody waited for a processor or a
disk was taken off: on a quiet machine that is next to nothing, on a busy one it is what the others took. Work
is counted in CPU seconds."""

from __future__ import annotations

import asyncio
import gc
import os
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

# seconds that a test waits for what must come, however busy the machine; no measure of anything
PATIENCE = 120.0
T = TypeVar("T")
_PRESSURE = tuple(Path(f"/proc/pressure/{kind}") for kind in ("cpu", "io"))


class Stopwatch:
    """`with Stopwatch() as watch: …`, then `watch.seconds` by the clock and `watch.undisturbed` without the
    others."""

    def __enter__(self) -> Stopwatch:
        self._contended = contended()
        self._began = time.monotonic()
        self.seconds = 0.0
        self.undisturbed = 0.0
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds = time.monotonic() - self._began
        self.undisturbed = max(0.0, self.seconds - (contended() - self._contended))


def cpu_seconds(work: Callable[[], object], times: int = 3) -> float:
    """CPU seconds of this process that the work takes, the least of so many times. What the rest of the
    process has on its heap is not collected meanwhile: that would be counted too."""
    spent = []
    gc.disable()
    try:
        for _ in range(times):
            began = time.process_time()
            work()
            spent.append(time.process_time() - began)
    finally:
        gc.enable()
    return min(spent)


def grows_in_line(work: Callable[[T], object], make: Callable[[int], T], size: int) -> bool:
    """Whether eight times the input costs far less than the 64 times of a quadratic rule. What costs next to
    nothing shows no growth. Beside others a processor is slower for a moment; a quadratic rule is so each
    time."""

    def seems_linear() -> bool:
        long, short = make(8 * size), make(size)
        large = cpu_seconds(lambda: work(long), times=1)
        return large < 0.02 or large < 24 * cpu_seconds(lambda: work(short))

    return any(seems_linear() for _ in range(3))


def contended() -> float:
    """Seconds since the machine started in which a process waited for a processor or a disk; 0 where the
    system keeps none."""
    return sum(_total(path) for path in _PRESSURE)


def _total(path: Path) -> float:
    try:
        some = path.read_text().splitlines()[0]
    except OSError:
        return 0.0
    return int(some.rpartition("total=")[2]) / 1e6


def peak_mb() -> float:
    """The most memory that this process has held, in MB."""
    # Not ru_maxrss: a new process inherits that from whoever started it.
    (line,) = [
        line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")
    ]
    return int(line.split()[1]) / 1024


def children_seconds() -> float:
    """CPU seconds that the child processes of this one have used, those that ended and those that live."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ended.ru_utime + ended.ru_stime + sum(_living_children())


def _living_children() -> list[float]:
    ticks = os.sysconf("SC_CLK_TCK")
    own = os.getpid()
    used: list[float] = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it ended meanwhile
            continue
        if int(fields[1]) == own:
            used.append((int(fields[11]) + int(fields[12])) / ticks)
    return used


async def watch_loop(lags: list[tuple[float, float]]) -> None:
    """Note how long the loop was held, by this process's own work and by the clock, until cancelled."""
    while True:
        clock = time.perf_counter()
        own = time.thread_time()
        await asyncio.sleep(0.005)
        lags.append((time.thread_time() - own, time.perf_counter() - clock - 0.005))
