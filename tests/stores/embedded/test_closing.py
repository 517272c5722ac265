"""What a closed library leaves behind in its process."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from pathlib import Path

from shisho.bootstrap.library import open_library
from shisho.domain.corpus import Source

THREADS = Path("/proc/self/task")
LOOK_AGAIN_S = 0.1  # a thread of an index looks twice a second whether it is still wanted


async def test_no_thread_of_an_index_is_left(tmp_path: Path) -> None:
    others = index_threads()
    async with open_library(home=tmp_path) as library:
        await library.documents.add_source(Source("note.md", "# 覚書\n\n決定係数は指標である。\n".encode()))
        assert await library.documents.search("決定係数")
        ours = index_threads() - others
        assert ours, "an open index has a thread"
    await asyncio.to_thread(wait_until_ended, ours)


def wait_until_ended(threads: frozenset[str]) -> None:
    """The suite's own limit ends it where they never do."""
    while threads & index_threads():
        time.sleep(LOOK_AGAIN_S)


def index_threads() -> frozenset[str]:
    """The threads of this process that tantivy has begun."""
    threads = set[str]()
    for thread in THREADS.iterdir():
        with suppress(OSError):  # ended since
            if (thread / "comm").read_text("utf-8").startswith("thread-tantivy"):
                threads.add(thread.name)
    return frozenset(threads)
