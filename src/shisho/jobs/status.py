"""Waiting for changes of a task without missing any, and estimating the duration of its jobs."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import ExitStack
from statistics import median

from shisho.domain.job import TaskId, TaskNews
from shisho.ports import ChangeNotifier, TaskStore

UNKNOWN_SECONDS = 30.0
LISTENING_SECONDS = 60.0  # without a notification the table is read after this time


class TaskWatch:
    """A waiter for changes of tasks.

    However many callers wait for the same task, one subscribes and reads each change for all of them.
    """

    def __init__(self, tasks: TaskStore, notifier: ChangeNotifier) -> None:
        self._tasks = tasks
        self._notifier = notifier
        self._lines: dict[TaskId, _Line] = {}

    async def __call__(self, task_id: TaskId, since: int | None, seconds: float) -> TaskNews:
        """Return the task when its revision is not `since`, or after the timeout; at once if `since` is None.

        Raises: TaskNotFound, also if the task is removed during the wait.
        """
        ends = asyncio.get_running_loop().time() + seconds
        news = TaskNews(await self._tasks.get_task(task_id))
        if news.task.revision != since or seconds <= 0:
            return news
        line = self._join_line(task_id)
        try:
            async with asyncio.timeout_at(ends):
                return await line.await_news(news.task.revision)
        except TimeoutError:
            return TaskNews(await self._tasks.get_task(task_id))
        finally:
            self._leave_line(task_id, line)

    @property
    def waiting(self) -> int:
        """Return the number of waiting callers."""
        return sum(line.waiting for line in self._lines.values())

    def _join_line(self, task_id: TaskId) -> _Line:
        line = self._lines.get(task_id)
        if line is None:
            line = _Line(self._tasks, self._notifier, task_id)
            self._lines[task_id] = line
        line.waiting += 1
        return line

    def _leave_line(self, task_id: TaskId, line: _Line) -> None:
        line.waiting -= 1
        if not line.waiting or line.reading.done():
            line.close()
            if self._lines.get(task_id) is line:
                del self._lines[task_id]


class _Line:
    """The waiting callers of one task. It subscribes before it reads, so it misses no change."""

    def __init__(self, tasks: TaskStore, notifier: ChangeNotifier, task_id: TaskId) -> None:
        self._tasks = tasks
        self._task_id = task_id
        self._listening = ExitStack()
        self._ear = self._listening.enter_context(notifier.subscribe(task_id))
        self._latest: TaskNews | None = None
        self._next: asyncio.Future[TaskNews] = asyncio.get_running_loop().create_future()
        self.waiting = 0
        self.reading = asyncio.create_task(self._read())

    async def await_news(self, since: int) -> TaskNews:
        """Return the first change after this revision."""
        # The awaited result may be older than `_latest` when this resumes: only `_latest` and `_next` belong
        # together.
        while self._latest is None or self._latest.task.revision <= since:
            await asyncio.shield(self._next)
        return self._latest

    def close(self) -> None:
        self.reading.cancel()
        self._listening.close()

    async def _read(self) -> None:
        try:
            while True:
                news = TaskNews(await self._tasks.get_task(self._task_id))
                future = self._next
                self._next = asyncio.get_running_loop().create_future()
                self._latest = news
                future.set_result(news)
                await self._ear.wait(LISTENING_SECONDS)
        except Exception as error:  # removed or unreadable task: pass it to the waiters
            self._next.set_exception(error)
            self._next.exception()  # nobody may be left to retrieve it


async def estimate_seconds(tasks: TaskStore, kinds: Mapping[str, int], slots: int) -> float:
    """Estimate the seconds for these numbers of new jobs on `slots` slots, by recent medians of each kind."""
    total = 0.0
    for kind, count in kinds.items():
        durations = await tasks.list_durations(kind)
        total += count * (median(durations) if durations else UNKNOWN_SECONDS)
    return total / max(1, min(slots, sum(kinds.values())))
