"""The shape of the house: which room may know which, where third parties live, how large things grow."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

HOUSE = Path(__file__).parent.parent / "src" / "shisho"
FILES = sorted(HOUSE.rglob("*.py"))
GROUND = {"messages", "domain", "language", "errors", "settings", "telemetry", "isolation"}
ROOMS = {"jobs", "web", "corpus", "librarian"}

# room → what of ours it may know beside itself; whoever is missing here may know everything (bootstrap and its like)
MAY_KNOW = {
    "messages": set(),
    "domain": {"messages"},
    "language": set(),
    "errors": {"messages"},
    "settings": {"errors", "messages"},
    "telemetry": set(),
    "isolation": {"domain", "errors", "messages", "telemetry"},
    "ports": {"domain", "messages"},
    "jobs": {"domain", "errors", "messages", "telemetry", "ports", "language"},
    "web": {"domain", "errors", "messages", "telemetry", "ports", "language", "isolation"},
    "corpus": {"domain", "errors", "messages", "telemetry", "ports", "language", "isolation"},
    "librarian": {"domain", "errors", "messages", "telemetry", "ports", "language"},
    "inference": {"domain", "errors", "messages", "telemetry", "ports", "language"},
    "stores": {"domain", "errors", "messages", "telemetry", "ports", "language"},
    "desk": {"domain", "errors", "messages", "telemetry", "ports"},
    "interfaces": {
        "domain",
        "errors",
        "messages",
        "telemetry",
        "language",
        "settings",
        "bootstrap",
        "evaluation",
        "desk",
        "box",
    },
    "box": {"domain", "errors", "messages", "telemetry", "ports", "language"},
    "evaluation": {"domain", "errors", "messages", "telemetry", "language", "desk", "bootstrap"},
}

# third party → the only places that touch it
LIVES_IN = {
    "apsw": ("stores/embedded/", "checks.py"),
    "tantivy": ("stores/embedded/",),
    "httpcore": ("web/fetch.py", "web/wire.py"),
    "pypdfium2": ("corpus/readers/",),
    "pypdfium2_raw": ("corpus/readers/",),
    "striprtf": ("corpus/readers/",),
    "readability": ("corpus/readers/",),
    "trafilatura": ("corpus/readers/",),
    "lxml": ("corpus/readers/", "web/engines/"),
    "docx": ("corpus/readers/",),
    "pptx": ("corpus/readers/",),
    "markdown_it": ("corpus/readers/",),
    "playwright": ("web/browser.py", "web/launch.py", "web/tab.py"),
    "charset_normalizer": ("corpus/readers/", "web/"),
    "selectolax": ("web/engines/",),
    "protego": ("web/politeness.py",),
    "sudachipy": ("language/",),
    "snowballstemmer": ("language/",),
    "tldextract": ("web/site.py",),
    "ja_ginza": ("language/",),
    "spacy": ("language/",),
    "langchain_text_splitters": ("corpus/",),
    "rensa": ("corpus/duplicates.py",),
    "langgraph": ("librarian/loop.py",),
    "langsmith": ("librarian/loop.py",),
    "typer": ("interfaces/",),
    "rich": ("interfaces/",),
    "platformdirs": ("settings.py",),
    "mcp": ("interfaces/mcp",),
    "mcp_types": ("interfaces/mcp",),
    "fastapi": ("interfaces/http",),
    "starlette": ("interfaces/http",),
    "uvicorn": ("interfaces/http",),
    "sse_starlette": ("interfaces/http",),
    "h11": ("box/",),
    "trustme": ("box/",),
    "pydantic": ("interfaces/",),
    "pydantic_core": ("interfaces/",),
}
CORES = re.compile(r"shisho\.(web\.engines|web\.fetch|web\.browser|corpus\.readers)\b")


def room(path: Path) -> str:
    first = path.relative_to(HOUSE).parts[0]
    return first.removesuffix(".py")


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def name_of(path: Path) -> str:
    return str(path.relative_to(HOUSE))


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_arrows(path: Path) -> None:
    here = room(path)
    ours = {name.split(".")[1] for name in imported(path) if name.startswith("shisho.")}
    allowed = MAY_KNOW.get(here)
    if allowed is not None:
        assert ours - {here} <= allowed, f"{name_of(path)} knows {ours - {here} - allowed}"
    assert not (here in GROUND and ours & ROOMS)


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_third_parties_live_in_one_place(path: Path) -> None:
    name = name_of(path)
    for package in {full.split(".")[0] for full in imported(path)}:
        places = LIVES_IN.get(package)
        assert places is None or name.startswith(places), f"{name} imports {package}, which lives in {places}"
    if name not in ("settings.py",):
        assert "os.environ" not in path.read_text("utf-8") and "getenv" not in path.read_text("utf-8")


@pytest.mark.parametrize("path", [one for one in FILES if room(one) in ("web", "corpus")], ids=name_of)
def test_cores_do_not_know_what_is_plugged_in(path: Path) -> None:
    if name_of(path).startswith(("web/engines/", "corpus/readers/")):
        return
    assert not [name for name in imported(path) if CORES.match(name)]


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_sizes(path: Path) -> None:
    text = path.read_text("utf-8")
    assert text.count("\n") <= 400, f"{name_of(path)} has {text.count(chr(10))} lines"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or 0) - node.lineno + 1
            assert length <= 60, f"{name_of(path)}: {node.name} has {length} lines"


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_every_module_says_what_it_is(path: Path) -> None:
    assert path.stat().st_size == 0 or ast.get_docstring(ast.parse(path.read_text("utf-8"))), name_of(path)


def spliced(path: Path) -> Iterator[int]:
    """Lines that splice as many marks into a statement as something has members; a row's columns are a number."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) == "marks":
            if not (len(node.args) == 1 and isinstance(node.args[0], ast.Constant)):
                yield node.lineno
        elif name_of(path) != MARKS_LIVE_IN and isinstance(node, ast.BinOp | ast.List | ast.GeneratorExp | ast.ListComp):
            words = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant)]
            if any(str(word).strip(", ") == "?" for word in words):
                yield node.lineno


MARKS_LIVE_IN = "stores/embedded/rows.py"


@pytest.mark.parametrize("path", [one for one in FILES if room(one) == "stores"], ids=name_of)
def test_no_statement_grows_with_a_list(path: Path) -> None:
    """SQLite takes 32,766 bound values. `rows.ANY_OF` binds a list of any length as one."""
    assert not list(spliced(path)), f"{name_of(path)} binds each member of a list: use rows.ANY_OF and rows.listed"
