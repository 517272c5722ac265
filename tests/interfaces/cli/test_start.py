"""What a command of the shell costs before it has done anything: it loads what it uses and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

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
    "shisho.services.tasks",
    "shisho.web.engines",
    "shisho.system.box",
)
QUESTION = "決定係数とは何か"
YARDSTICK = "import asyncio, typer, typer.main, rich.console"
# Calls of functions, of Python's and of C: the same number on every machine, however busy it is.
COUNTING = """
import sys, threading
calls = 0
def count(frame, event, argument):
    global calls
    calls += event in ("call", "c_call")
threading.setprofile(count)
sys.setprofile(count)
"""
# of the yardstick's calls; measured: 2.80 and 12.19, the same whatever else the machine does
LIST_TIMES = 3.5
ASK_TIMES = 13.5
# of its own; measured: 25 and 70, of which the dictionary takes 29
LIST_MB = 40
ASK_MB = 85


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


def run(home: Path, *words: str | Path) -> None:
    command = [*SHISHO, *map(str, words)]
    subprocess.run(command, env=environment(home), stdin=subprocess.DEVNULL, capture_output=True, check=True)


def last_lines(home: Path, program: str) -> list[str]:
    """What a program of Python says on stderr."""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment(home), capture_output=True, text=True, check=True)
    return done.stderr.splitlines()


def last_words(home: Path, words: tuple[str, ...], saying: str, before: str = "") -> list[str]:
    """What a command's process says of itself when it ends."""
    program = f"""
{before}
import sys
sys.argv = ["shisho", *{list(words)!r}]
from shisho.__main__ import main
try:
    main()
finally:
    sys.setprofile(None)
    print("\\n", {saying}, sep="", file=sys.stderr)
"""
    return last_lines(home, program)


def calls_of(home: Path, *words: str) -> int:
    return int(last_words(home, words, "calls", COUNTING)[-1])


def yardstick(home: Path) -> int:
    program = f"{COUNTING}\n{YARDSTICK}\nsys.setprofile(None)\nprint(calls, file=sys.stderr)"
    return int(last_lines(home, program)[-1])


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
    assert loaded & ({*HEAVY, "shisho.web.engines", "shisho.system.box"} - needed) == set()


def test_list_of_engines_loads_neither_a_client_nor_a_browser(stocked_home: Path) -> None:
    clients = {"h11", "httpcore", "playwright", "shisho.web.http.fetch", "shisho.web.browser.browser"}
    loaded = loaded_by(stocked_home, "engines")
    assert "shisho.web.engines" in loaded and loaded & clients == set()


def test_list_and_ask_do_little_more_than_loading_the_shell(stocked_home: Path) -> None:
    unit = yardstick(stocked_home)
    listing = calls_of(stocked_home, "list") / unit
    asking = calls_of(stocked_home, "ask", "--in", str(SAMPLES), QUESTION) / unit
    print(f"list {listing:.2f}, ask {asking:.2f} of {unit} calls")
    assert listing <= LIST_TIMES
    assert asking <= ASK_TIMES


@pytest.mark.skipif(sys.platform != "linux", reason="own memory is told by /proc")
def test_list_and_ask_hold_little_memory_of_their_own(stocked_home: Path) -> None:
    listing = own_mb(stocked_home, "list")
    asking = own_mb(stocked_home, "ask", "--in", str(SAMPLES), QUESTION)
    print(f"own memory: list {listing:.0f} MB, ask {asking:.0f} MB")
    assert listing <= LIST_MB and asking <= ASK_MB, (listing, asking)
