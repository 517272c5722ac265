"""Names that a stranger guesses right: one class for a name, nouns for classes, no filler words for what code
handles."""

from __future__ import annotations

import ast
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
HOUSE = ROOT / "src" / "shisho"


def words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text))


# Words that say nothing of what they name: share of all names that functions, loops and assignments bind.
FILLERS = words(
    """
    one each found held told met given kept said asked made here there mine theirs own named wanted known seen shown
    left chosen quoted ended reached spent stands
    """
)
MOST_FILLERS = 0.008
# A docstring names the thing or begins with a verb. One that opens like this says what the reader would ask.
QUESTION = re.compile(r"(What|Who|Whether|Whoever|Whatever)\b")
MOST_QUESTIONS = 0.02

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


def modules(root: Path) -> Iterator[tuple[str, ast.Module]]:
    """The path below the root and the tree of each module."""
    for path in sorted(root.rglob("*.py")):
        yield path.relative_to(root).as_posix(), parsed(path.read_text("utf-8"))


@lru_cache(maxsize=2_000)
def parsed(text: str) -> ast.Module:
    return ast.parse(text)


def public_classes(tree: ast.Module) -> list[str]:
    names = [node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    return [name for name in names if not name.startswith("_")]


def bound_names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Parameters and whatever is assigned to, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg


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


def fillers(root: Path) -> Iterator[str]:
    count: Counter[str] = Counter()
    for _, tree in modules(root):
        count.update(name for _, name in bound_names(tree))
    share = sum(count[word] for word in FILLERS) / count.total()
    if share > MOST_FILLERS:
        worst = ", ".join(f"{word} {number}" for word, number in count.most_common() if word in FILLERS)
        yield f"{share:.1%} of all names say nothing of what they name, more than {MOST_FILLERS:.1%}: {worst}"


def docstrings(tree: ast.Module) -> Iterator[str]:
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(tree):
        if isinstance(node, kinds) and (text := ast.get_docstring(node)):
            yield text


def questions(root: Path) -> Iterator[str]:
    texts = [text for _, tree in modules(root) for text in docstrings(tree)]
    openings = [text.partition("\n")[0] for text in texts if QUESTION.match(text)]
    if len(openings) > MOST_QUESTIONS * len(texts):
        yield f"{len(openings)} of {len(texts)} docstrings open with a question: {'; '.join(openings)}"


def glossary_rows() -> list[list[str]]:
    lines = (ROOT / "docs" / "glossary.md").read_text("utf-8").splitlines()
    return [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")]


def unexplained(root: Path) -> Iterator[str]:
    explained = words(" ".join(row[0] for row in glossary_rows()))
    for module, tree in modules(root / "domain"):
        for name in public_classes(tree):
            if name not in explained:
                yield f"domain/{module}: {name} is not in docs/glossary.md"


def paths_gone(root: Path) -> Iterator[str]:
    for row in glossary_rows():
        for place in re.findall(r"`([\w./-]+/[\w./-]*)`", row[-1]):
            if not (root / place).exists() and not (ROOT / place).exists():
                yield f"docs/glossary.md: {place} is not there"


CHECKS: tuple[Callable[[Path], Iterator[str]], ...] = (
    repeated_classes,
    participles,
    fillers,
    questions,
    unexplained,
    paths_gone,
)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_names_are_of_the_field(check: Callable[[Path], Iterator[str]]) -> None:
    assert list(check(HOUSE)) == []


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    house = tmp_path / "shisho"
    shutil.copytree(HOUSE, house, ignore=shutil.ignore_patterns("__pycache__", "*.gz", "*.pdf"))
    return house


QUESTIONS = "\n".join(f'def count_{number}() -> None:\n    """What is counted."""' for number in range(200))
FILLED = "\n".join(f"def count_{number}(one: int) -> int:\n    return one" for number in range(5_000))


@pytest.mark.parametrize(
    ("check", "text", "complaint"),
    [
        (
            repeated_classes,
            "class Passage: ...",
            "Passage is a class in domain/corpus.py and in librarian/sin.py",
        ),
        (
            repeated_classes,
            "def make() -> type:\n    class Desk: ...\n    return Desk",
            "Desk is a class in desk/",
        ),
        (participles, "class Sorted: ...", "librarian/sin.py: Sorted is a participle"),
        (participles, "class Trying(Exception): ...", "librarian/sin.py: Trying is a participle"),
        (participles, "class Kept: ...", "librarian/sin.py: Kept is a participle"),
        (participles, "class Theirs: ...", "librarian/sin.py: Theirs is a participle or a pronoun"),
        (fillers, FILLED, "of all names say nothing of what they name"),
        (questions, QUESTIONS, "docstrings open with a question"),
    ],
)
def test_planted_sin_is_found(
    copy: Path, check: Callable[[Path], Iterator[str]], text: str, complaint: str
) -> None:
    assert not [line for line in check(copy) if complaint in line]
    (copy / "librarian" / "sin.py").write_text(text + "\n", "utf-8")
    assert [line for line in check(copy) if complaint in line]


def test_class_that_the_glossary_lacks_is_found(copy: Path) -> None:
    (copy / "domain" / "sin.py").write_text("class Palimpsest: ...\n", "utf-8")
    assert list(unexplained(copy)) == ["domain/sin.py: Palimpsest is not in docs/glossary.md"]


def test_path_that_is_gone_from_the_glossary_is_found(copy: Path) -> None:
    (copy / "domain" / "job.py").unlink()
    assert "docs/glossary.md: domain/job.py is not there" in list(paths_gone(copy))


@pytest.mark.parametrize("name", sorted(NOUNS))
def test_noun_that_is_excepted_is_in_use(name: str) -> None:
    assert [module for module, tree in modules(HOUSE) if name in public_classes(tree)]
