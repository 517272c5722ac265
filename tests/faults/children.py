"""Starting, killing, freezing and hearing the processes under test."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from shisho.domain.codec import dumps
from tests import forkserver
from tests.faults.process import Orders
from tests.machine import PATIENCE

ROOT = Path(__file__).parent.parent.parent
LONG = os.environ.get("SHISHO_LONG") == "1"


class Child:
    """One process under test. `said` grows while it lives; each line has the moment when it was
    `heard_at`."""

    def __init__(self, orders: Orders, environment: Mapping[str, str] | None = None) -> None:
        self.orders = orders
        self.said: list[dict[str, Any]] = []
        self._changed = threading.Condition()
        self._process = started_process(orders, environment)
        self.pid = self._process.pid
        self._ear = threading.Thread(target=self._listen, daemon=True)
        self._ear.start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.endswith("\n"):  # a killed writer leaves half a line
                with self._changed:
                    self.said.append({**json.loads(line), "heard_at": time.monotonic()})
                    self._changed.notify_all()

    def heard(self, key: str, value: Any = None, seconds: float = PATIENCE, **more: Any) -> dict[str, Any]:
        """The first line with this key, value and whatever more, waited for."""

        def found() -> dict[str, Any] | None:
            wanted = {key: value, **more} if value is not None else more
            return next((one for one in self.said if key in one and wanted.items() <= one.items()), None)

        with self._changed:
            line = self._changed.wait_for(found, seconds)
        assert line is not None, f"{key}={value} {more} not heard within {seconds} s, only {self.said[-5:]}"
        return line

    def accepted(self) -> set[str]:
        return {one["accepted"] for one in self.said if "accepted" in one}

    def kill(self) -> None:
        """kill -9, whether it runs or is frozen."""
        self._process.kill()
        self._process.wait()
        self._ear.join()
        assert self._process.stdout is not None
        self._process.stdout.close()

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Stopped between two transactions: one frozen within would hold SQLite's own lock, and everyone with
        it. On a server, wherever it is: the server ends what holds its locks for long."""
        if self.orders.store:
            self._process.send_signal(signal.SIGSTOP)
            try:
                yield
            finally:
                self._process.send_signal(signal.SIGCONT)
            return
        lock = Path(self.orders.home) / "shisho.db.lock"
        with lock.open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self._process.send_signal(signal.SIGSTOP)
            time.sleep(0.01)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)


def started_process(
    orders: Orders, environment: Mapping[str, str] | None
) -> subprocess.Popen[str] | forkserver.ForkedProcess:
    """Forked from one that is loaded, where neither its environment nor what stands before its command needs
    a start."""
    if not orders.enter and environment is None:
        return forkserver.start_worker(dumps(orders))
    command = [*orders.enter, sys.executable, "-m", "tests.faults.process", dumps(orders)]
    return subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env={**os.environ, **(environment or {})}
    )


def first_to_begin(
    children: Sequence[Child], job_id: str, seconds: float = PATIENCE
) -> tuple[Child, list[Child]]:
    """Who begins a job, and the others."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        for child in children:
            if any(one.get("begun") == job_id for one in list(child.said)):
                return child, [each for each in children if each is not child]
        time.sleep(0.01)
    raise AssertionError(f"nobody has begun {job_id} within {seconds} s")


@contextmanager
def started(*orders: Orders, environment: Mapping[str, str] | None = None) -> Iterator[list[Child]]:
    """Processes that are ready, and killed at the end."""
    children = [Child(each, environment) for each in orders]
    try:
        for child in children:
            child.heard("ready")
        yield children
    finally:
        for child in children:
            child.kill()
