"""Statements stand as named constants with a sentence each, name their columns, and survive a column that
they do not know."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

STORES = Path(__file__).parents[2] / "src" / "shisho" / "stores"
BEGINS = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|REPLACE)\s")
NAMES_COLUMNS = re.compile(r"INSERT INTO [\w{}]+\s?\([^)]+\)")


def pages() -> list[Path]:
    return sorted(
        page for wing in (".", "sql", "embedded", "postgres") for page in STORES.glob(f"{wing}/*.py")
    )


def texts(node: ast.AST) -> Iterator[tuple[int, str]]:
    """The strings in a part of a module, without its docstrings."""
    silent = {id(part.value) for part in ast.walk(node) if isinstance(part, ast.Expr)}
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str) and id(part) not in silent:
            yield part.lineno, part.value


def strays(text: str) -> list[str]:
    """Statements that are made inside functions."""
    functions = [
        node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    said = {(line, said) for node in functions for line, said in texts(node)}
    return [f"line {line}: {statement}" for line, statement in sorted(said) if BEGINS.match(statement)]


def wordless(text: str) -> list[str]:
    """Constants that hold a statement and have no sentence above them."""
    lines = text.splitlines()
    constants = [node for node in ast.parse(text).body if isinstance(node, ast.Assign)]
    statements = [node for node in constants if any(BEGINS.match(said) for _, said in texts(node))]
    return [lines[node.lineno - 1] for node in statements if not lines[node.lineno - 2].startswith("# ")]


def columnless(text: str) -> list[str]:
    """Inserts that do not name their columns, or that throw the whole row away where it stands."""
    inserts = [said for _, said in texts(ast.parse(text)) if re.match(r"\s*(INSERT|REPLACE)\s", said)]
    return [said for said in inserts if not NAMES_COLUMNS.match(said)]


def by_position(text: str) -> list[str]:
    """Rows that are read by the place of a column."""
    indexed = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Subscript)]
    inner = [
        node for node in indexed if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, int)
    ]
    return [
        f"line {node.lineno}: {ast.unparse(node)}"
        for node in inner
        if isinstance(node.value, ast.Subscript)
        or (isinstance(node.value, ast.Name) and node.value.id == "row")
    ]


@pytest.mark.parametrize(
    "check", [strays, wordless, columnless, by_position], ids=lambda check: check.__name__
)
def test_every_statement_is_in_order(check: object) -> None:
    assert callable(check)
    findings = {str(page.relative_to(STORES)): check(page.read_text("utf-8")) for page in pages()}
    assert {name: found for name, found in findings.items() if found} == {}


SINS = [
    (strays, 'def work(c):\n    c.execute("SELECT id FROM tasks")\n'),
    (strays, 'def work(c):\n    c.execute(f"UPDATE {c} SET id = 1")\n'),
    (wordless, 'GET = "SELECT id FROM tasks"\n'),
    (columnless, '# One task.\nADD = "INSERT INTO tasks VALUES (?, ?)"\n'),
    (columnless, '# One task.\nADD = "INSERT OR REPLACE INTO tasks(id) VALUES (?)"\n'),
    (by_position, "def name(row):\n    return row[9]\n"),
    (by_position, "def name(found):\n    return found[0][1]\n"),
]


@pytest.mark.parametrize(("check", "sin"), SINS)
def test_planted_sin_is_found(check: object, sin: str) -> None:
    assert callable(check)
    assert check(sin)
