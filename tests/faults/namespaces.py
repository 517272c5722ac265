"""Machines apart from each other on this one: network namespaces with addresses of their own, joined to it by
a wire that a test can cut."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class Apart:
    """`here` is this machine's address as it sees it."""

    name: str
    wire: str
    here: str

    @property
    def enter(self) -> tuple[str, ...]:
        """What stands before a command that runs there."""
        return ("ip", "netns", "exec", self.name)

    def cut(self) -> None:
        run("ip", "link", "set", self.wire, "down")

    def mend(self) -> None:
        run("ip", "link", "set", self.wire, "up")


@cache
def can_part() -> bool:
    """True where this user may make namespaces."""
    if shutil.which("ip") is None or shutil.which("unshare") is None:
        return False
    return subprocess.run(["unshare", "-n", "true"], capture_output=True, check=False).returncode == 0


@contextmanager
def apart(count: int) -> Iterator[list[Apart]]:
    """So many of them, each with a wire of its own to this machine."""
    pid = os.getpid() % 100_000
    places = [
        Apart(f"shisho-{pid}-{number}", f"sh{pid}-{number}", f"10.{200 + number}.{pid % 250}.1")
        for number in range(count)
    ]
    try:
        for place in places:
            inner = f"{place.wire}i"
            run("ip", "netns", "add", place.name)
            run("ip", "link", "add", place.wire, "type", "veth", "peer", "name", inner)
            run("ip", "link", "set", inner, "netns", place.name)
            run("ip", "addr", "add", f"{place.here}/24", "dev", place.wire)
            place.mend()
            there = place.here.removesuffix(".1") + ".2"
            run(*place.enter, "ip", "addr", "add", f"{there}/24", "dev", inner)
            run(*place.enter, "ip", "link", "set", inner, "up")
            run(*place.enter, "ip", "link", "set", "lo", "up")
        yield places
    finally:
        for place in places:
            for words in (("netns", "delete", place.name), ("link", "delete", place.wire)):
                subprocess.run(["ip", *words], capture_output=True, check=False)


def run(*words: str) -> None:
    subprocess.run(words, check=True, capture_output=True)
