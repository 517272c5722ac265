"""Check names: one class per name, nouns for classes, verbs for functions."""

from __future__ import annotations

import ast
import re
import shutil
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

import pytest

from tests.sources import list_modules, list_nodes, parse_module, read_module

ROOT = Path(__file__).parent.parent
HOUSE = ROOT / "src" / "shisho"
BOX = ROOT / "packages" / "box" / "src" / "shisho_box"


def words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text))


# A docstring names the thing or begins with a verb. One that opens like this says what the reader would ask.
QUESTION = re.compile(r"(What|Who|Whether|Whoever|Whatever)\b")
MAX_QUESTIONS = 0.02

# A class named by one word with such an ending, or by one of these words, is a participle or a pronoun …
PARTICIPLE = re.compile(r"[A-Z][a-z]*(ed|ing)")
PARTICIPLES = words(
    """
    Born Bound Broken Built Chosen Done Drawn Found Given Gone Got Heard Held Hidden Kept Known Lain Laid Led Left
    Lent Lost Made Meant Met Paid Put Read Run Said Seen Sent Set Shown Shut Sold Sought Spent Split Spoken Stood
    Sunk Taken Taught Thought Told Torn Understood Won Worn Written Stale Live Again All Any Both Each Every He Here
    Him His It Its Mine None One Other Ours Own Self She Some Such That Theirs Them There These They This Those Us
    We What When Where Which Who Whom Whose Why Yours
    """
)
# … unless it is a noun of the field.
NOUNS = words("Finding Reading Setting Spending Staging")

# A function begins with a verb, an auxiliary (`is_`, `has_`, `can_`), or as Python's own do: `int.to_bytes`,
# `int.from_bytes`, `Path.with_name`, `datetime.now`, `sqlite3.Connection.backup`.
VERBS = frozenset(
    line for line in (ROOT / "tests" / "verbs.txt").read_text("utf-8").split("\n") if line[:1] != "#"
)
AUXILIARIES = words("is has can was to from with now backup")
# Public functions may be named as their results (`sentences(text)`), but not by an adverb or a participle.
NO_VERBS = words(
    """
    about above after again all already also any as at back bare before behind best between beyond both but by
    deep done each early either else endless every few first for foreign forth free full good great half here if in
    inside into just large last late least left legible less long low many meant mine missing more most my near
    never new next no nobody none not nothing of off old on once one only onto other our out over own past per plain
    private public quick real right same seen since slow small so some soon spoken still such ten that the their then
    there these they this those through thus together too two under until up upon upright very visible what when
    where which while whole whose why wide with within without worse wrong yet
    """
)
PARTICIPLE_VERB = re.compile(r"[a-z]{2,}(ed|ing)")
# Named by the library that calls them: commands, routes, resources, properties.
NAMED_BY_OTHERS = re.compile(r"property|\.setter|resource\(|command\(|callback\(")
# Functions that bear another name for a reason, by the beginning of their place.
NAMED_OTHERWISE = {
    "services/": "what a program asks of the library, `await library.documents.list()`: its names are the public API",
    "interfaces/api/": "named as the verb of the library that it is a shell over",
    "interfaces/ui/__init__.py": "pages are named by their addresses",
    "librarian/nodes.py": "nodes are named as the loop's table and its traces name them",
    "hostile.py": "in the box: the name of an attack is the name of its host",
}


def modules(root: Path) -> Iterator[tuple[str, ast.Module]]:
    """Yield the path below the root and the tree of each module."""
    return ((name, parse_module(text)) for name, text in list_modules(root))


def public_classes(tree: ast.Module) -> list[str]:
    names = [node.name for node in list_nodes(tree) if isinstance(node, ast.ClassDef)]
    return [name for name in names if not name.startswith("_")]


def repeated_classes(root: Path) -> Iterator[str]:
    places: dict[str, list[str]] = {}
    for module, tree in modules(root):
        for name in public_classes(tree):
            places.setdefault(name, []).append(module)
    for name, found_in in sorted(places.items()):
        if len(found_in) > 1:
            yield f"{name} is a class in {' and in '.join(found_in)}"


def participles(root: Path) -> Iterator[str]:
    for module, tree in modules(root):
        for name in public_classes(tree):
            bare = name in PARTICIPLES or PARTICIPLE.fullmatch(name) is not None
            if bare and name not in NOUNS:
                yield f"{module}: {name} is a participle or a pronoun; a class is a noun of the field"


def functions(
    tree: ast.AST, nested: bool = False
) -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef, bool]]:
    """Yield the functions and methods that this project names, and whether each is private or nested."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            decorators = " ".join(ast.unparse(decorator) for decorator in node.decorator_list)
            is_ours = not node.name.endswith("__") and node.name.strip("_")
            if is_ours and not NAMED_BY_OTHERS.search(decorators):
                yield node, nested or node.name.startswith("_")
            yield from functions(node, True)
        else:
            yield from functions(node, nested)


@lru_cache(maxsize=1)
def error_names() -> frozenset[str]:
    return frozenset(public_classes(parse_module(read_module(HOUSE / "errors.py"))))


def makes_error(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """True where it only makes what is raised: `raise no_document(id)` needs no verb more."""
    kinds = words(ast.unparse(function.returns)) if function.returns else frozenset()
    return bool(kinds) and all(kind in error_names() or kind.endswith("Failed") for kind in kinds)


def verbless(root: Path) -> Iterator[str]:
    for module, tree in modules(root):
        for function, is_private in functions(tree):
            verb = function.name.strip("_").partition("_")[0]
            if verb in VERBS | AUXILIARIES:
                continue
            if is_private or isinstance(function, ast.AsyncFunctionDef):
                bare = is_private or not module.startswith(tuple(NAMED_OTHERWISE))
            else:
                bare = not module.startswith(tuple(NAMED_OTHERWISE)) and not makes_error(function)
                bare = bare and (verb in NO_VERBS or PARTICIPLE_VERB.fullmatch(verb) is not None)
            if bare:
                yield f"{module}: {function.name} begins with no verb"


def docstrings(tree: ast.Module) -> Iterator[str]:
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in list_nodes(tree):
        if isinstance(node, kinds) and (text := ast.get_docstring(node)):
            yield text


def questions(root: Path) -> Iterator[str]:
    texts = [text for _, tree in modules(root) for text in docstrings(tree)]
    openings = [text.partition("\n")[0] for text in texts if QUESTION.match(text)]
    if len(openings) > MAX_QUESTIONS * len(texts):
        yield f"{len(openings)} of {len(texts)} docstrings open with a question: {'; '.join(openings)}"


CHECKS: tuple[Callable[[Path], Iterator[str]], ...] = (
    repeated_classes,
    participles,
    verbless,
    questions,
)


@pytest.mark.parametrize("root", [HOUSE, BOX], ids=["shisho", "box"])
def test_names_are_of_the_field(root: Path) -> None:
    assert [finding for check in CHECKS for finding in check(root)] == []


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a part of the house, in which nothing is wrong."""
    house = tmp_path / "shisho"
    for room in ("domain", "services", "web/http"):
        shutil.copytree(HOUSE / room, house / room, ignore=shutil.ignore_patterns("__pycache__"))
    return house


QUESTIONS = "\n".join(f'def count_{number}() -> None:\n    """What is counted."""' for number in range(200))


@pytest.mark.parametrize(
    ("check", "text", "complaint"),
    [
        (
            repeated_classes,
            "class Passage: ...",
            "Passage is a class in domain/corpus.py and in web/sin.py",
        ),
        (
            repeated_classes,
            "def make() -> type:\n    class Library: ...\n    return Library",
            "Library is a class in services/library.py and in web/sin.py",
        ),
        (participles, "class Sorted: ...", "web/sin.py: Sorted is a participle"),
        (participles, "class Trying(Exception): ...", "web/sin.py: Trying is a participle"),
        (participles, "class Kept: ...", "web/sin.py: Kept is a participle"),
        (participles, "class Theirs: ...", "web/sin.py: Theirs is a participle or a pronoun"),
        (verbless, "def embedded(text: str) -> str: ...", "web/sin.py: embedded begins with no verb"),
        (verbless, "def _rows() -> list[str]: ...", "web/sin.py: _rows begins with no verb"),
        (verbless, "def make() -> None:\n    def row() -> str: ...", "web/sin.py: row begins with no verb"),
        (verbless, "def nothing() -> list[str]: ...", "web/sin.py: nothing begins with no verb"),
        (verbless, "class Sin:\n    def by_name(self) -> str: ...", "sin.py: by_name begins with no verb"),
        (
            verbless,
            "async def documents() -> None: ...",
            "sin.py: documents begins with no verb",
        ),
        (questions, QUESTIONS, "docstrings open with a question"),
    ],
)
def test_planted_sin_is_found(
    copy: Path, check: Callable[[Path], Iterator[str]], text: str, complaint: str
) -> None:
    assert not [line for line in check(copy) if complaint in line]
    (copy / "web" / "sin.py").write_text(text + "\n", "utf-8")
    assert [line for line in check(copy) if complaint in line]


def test_property_command_and_error_to_raise_need_no_verb(copy: Path) -> None:
    text = """
class Sin:
    @property
    def known(self) -> str: ...

@app.command()
def working() -> None: ...

def no_document(prefix: str) -> NotFound: ...

def to_json(text: str) -> str: ...
"""
    (copy / "web" / "sin.py").write_text(text, "utf-8")
    assert list(verbless(copy)) == []


@pytest.mark.parametrize("place", sorted(NAMED_OTHERWISE))
def test_place_of_other_names_is_there(place: str) -> None:
    assert (HOUSE / place).exists() or (BOX / place).exists()


@pytest.mark.parametrize("name", sorted(NOUNS))
def test_noun_that_is_excepted_is_in_use(name: str) -> None:
    assert [module for module, tree in modules(HOUSE) if name in public_classes(tree)]
