"""What a command of the shell costs before it has done anything: it loads what it uses and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.flows.conftest import SAMPLES, SHISHO

# What `shisho list` does not need; Typer would load pydantic, and the web in its default setting everything
# of the web.
HEAVY = (
    "fastapi",
    "faiss",
    "h11",
    "httpcore",
    "httpx",
    "langchain_core",
    "langgraph",
    "langsmith",
    "lxml",
    "mcp",
    "numpy",
    "playwright",
    "pydantic",
    "pypdfium2",
    "rensa",
    "selectolax",
    "snowballstemmer",
    "spacy",
    "sudachipy",
    "tldextract",
    "trafilatura",
    "trustme",
    "uvicorn",
)
OURS_FOR_OTHERS = (
    "shisho.librarian.nodes",
    "shisho.desk.tasks",
    "shisho.web.engines",
    "shisho.testing.box.client",
)
QUESTION = "決定係数とは何か"
YARDSTICK = "import asyncio, typer, typer.main, rich.console"
MEASURE = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss, file=sys.stderr)
"""
# of the yardstick; measured: 2.3 and 6.2
LIST_TIMES = 3.3
ASK_TIMES = 8.0
# of its own; measured: 25 and 70, of which the dictionary takes 29
LIST_MB = 40
ASK_MB = 85


class Cost(NamedTuple):
    """CPU seconds of a process and its children, and the most memory it held, in MB."""

    seconds: float
    mb: float


@pytest.fixture(scope="module")
def stocked_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    run(home, "ask", "--in", SAMPLES, QUESTION)
    return home


def environment(home: Path) -> dict[str, str]:
    """As a user has it: the web is not turned off, and byte code is kept."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ("SHISHO_WEB", "PYTHONDONTWRITEBYTECODE")
    }
    return {**kept, "SHISHO_HOME": str(home), "SHISHO_LANGUAGE": "ja", "PYTHONUTF8": "1"}


def cost_of(home: Path, *command: str) -> Cost:
    """Measured from a process of its own: a child counts as its own what its parent held when it was
    forked."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, *command],
        env=environment(home),
        capture_output=True,
        text=True,
        check=True,
    )
    seconds, size = done.stderr.splitlines()[-1].split()
    return Cost(float(seconds), float(size) / (1 << (20 if sys.platform == "darwin" else 10)))


def run(home: Path, *words: str | Path) -> Cost:
    return cost_of(home, *SHISHO, *map(str, words))


def yardstick(home: Path) -> float:
    return cost_of(home, sys.executable, "-c", YARDSTICK).seconds


def last_words(home: Path, words: tuple[str, ...], saying: str) -> list[str]:
    """What a command's process says of itself when it ends."""
    program = f"""
import sys
sys.argv = ["shisho", *{list(words)!r}]
from shisho.__main__ import main
try:
    main()
finally:
    print("\\n", {saying}, sep="", file=sys.stderr)
"""
    command = [sys.executable, "-c", program]
    return subprocess.run(
        command, env=environment(home), capture_output=True, text=True, check=True
    ).stderr.splitlines()


def loaded_by(home: Path, *words: str) -> set[str]:
    """The modules that a command has loaded when it ends."""
    return set(last_words(home, words, '"\\n".join(sys.modules)'))


def own_mb(home: Path, *words: str) -> float:
    """Memory of the process alone: how many pages of the mapped dictionary it holds is the system's
    affair."""
    lines = last_words(home, words, 'open("/proc/self/status").read()')
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon:")) / 1024


@pytest.mark.parametrize(
    "words", [("--help",), ("--version",), ("list",), ("list", "--json"), ("list", "--limit", "5")]
)
def test_command_loads_nothing_heavy(stocked_home: Path, words: tuple[str, ...]) -> None:
    allowed = {"pydantic"} if "--limit" in words else set()  # a number is checked by Typer, with pydantic
    heavy = {*HEAVY, *OURS_FOR_OTHERS} - allowed
    assert loaded_by(stocked_home, *words) & heavy == set()


def test_ask_over_documents_loads_neither_the_web_nor_a_framework(stocked_home: Path) -> None:
    needed = {"sudachipy", "snowballstemmer", "numpy", "rensa"}
    loaded = loaded_by(stocked_home, "ask", "--in", str(SAMPLES), QUESTION)
    assert loaded & ({*HEAVY, "shisho.web.engines", "shisho.testing.box.client"} - needed) == set()


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="CPU of a child is asked of the system")
def test_list_and_ask_cost_little_more_than_loading_the_shell(stocked_home: Path) -> None:
    measured = [
        (run(stocked_home, "list"), run(stocked_home, "ask", "--in", SAMPLES, QUESTION)) for _ in range(3)
    ]
    unit = max(yardstick(stocked_home) for _ in range(3))
    listing = min(row[0] for row in measured)
    asking = min(row[1] for row in measured)
    print(f"list {listing}, ask {asking}, yardstick {unit:.2f} s")
    assert listing.seconds <= LIST_TIMES * unit, (listing, unit)
    assert asking.seconds <= ASK_TIMES * unit, (asking, unit)


@pytest.mark.skipif(sys.platform != "linux", reason="own memory is told by /proc")
def test_list_and_ask_hold_little_memory_of_their_own(stocked_home: Path) -> None:
    listing = own_mb(stocked_home, "list")
    asking = own_mb(stocked_home, "ask", "--in", str(SAMPLES), QUESTION)
    print(f"own memory: list {listing:.0f} MB, ask {asking:.0f} MB")
    assert listing <= LIST_MB and asking <= ASK_MB, (listing, asking)
