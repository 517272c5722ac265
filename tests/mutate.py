"""Mutation testing: seed faults into a module, or into a folder, and count how many of them the tests notice.

    python tests/mutate.py src/shisho/librarian/selection/gates.py -- pytest -q -x tests/librarian/selection

The package is copied; the tests import the copy with one fault at a time. A seed gives the same faults again.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import copytree

RUN_SECONDS = 300  # a fault may let a test wait for ever
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
# An alternative of plain characters with the bar that parts it from its neighbour.
ALTERNATIVE = re.compile(r"\|[^|()\[\]{}\\*+?^$]+(?=[|)]|$)|(?:(?<=[(:])|^)[^|()\[\]{}\\*+?^$:]+\|")

Fault = tuple[str, Callable[[], None]]
"""What is changed, and the change of the tree."""


def list_faults(tree: ast.Module) -> Iterator[Fault]:
    """List every fault that can be seeded: constants halved, comparisons, branches and operators inverted,
    alternatives of regular expressions removed."""
    for node in _list_nodes(tree):
        where = f"line {getattr(node, 'lineno', 0)}"
        match node:
            case ast.Constant(value=bool(value)):
                yield f"{where}: {value} inverted", _set(node, "value", not value)
            case ast.Constant(value=int(value) | float(value)):
                halved = value // 2 if isinstance(value, int) else value / 2
                yield (
                    f"{where}: {value} halved",
                    _set(node, "value", value + 1 if halved == value else halved),
                )
            case ast.Compare(ops=[operator]):
                inverted = COMPARISONS[type(operator)]()
                yield f"{where}: {ast.unparse(node)} inverted", _set(node, "ops", [inverted])
            case ast.If(test=test) | ast.IfExp(test=test):
                yield f"{where}: branch on {ast.unparse(test)} negated", _set(node, "test", _negate(test))
            case ast.comprehension(ifs=[test]):
                yield f"{where}: filter {ast.unparse(test)} negated", _set(node, "ifs", [_negate(test)])
            case ast.BoolOp(op=operator):
                other = ast.Or() if isinstance(operator, ast.And) else ast.And()
                yield f"{where}: {ast.unparse(node)}: and, or swapped", _set(node, "op", other)
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr="compile"), args=[pattern, *_]):
                yield from _list_pattern_faults(pattern)
    # The name of any or all says which of many is enough.
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in ("any", "all"):
            other_name = "all" if node.id == "any" else "any"
            yield f"line {node.lineno}: {node.id} made {other_name}", _set(node, "id", other_name)


def _list_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """List the nodes of a tree in its order, without the sizes of caches: they change no result."""
    if isinstance(tree, ast.Call) and "cache" in ast.unparse(tree.func):
        return
    yield tree
    for node in ast.iter_child_nodes(tree):
        yield from _list_nodes(node)


def _list_pattern_faults(pattern: ast.expr) -> Iterator[Fault]:
    for node in ast.walk(pattern):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            for found in ALTERNATIVE.finditer(node.value):
                shorter = node.value[: found.start()] + node.value[found.end() :]
                yield f"line {node.lineno}: alternative {found[0]} removed", _set(node, "value", shorter)


def _set(node: ast.AST, field: str, value: object) -> Callable[[], None]:
    return lambda: setattr(node, field, value)


def _negate(test: ast.expr) -> ast.expr:
    return (
        test.operand
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
        else ast.UnaryOp(ast.Not(), test)
    )


def is_killed(module: Path, text: str, command: list[str]) -> bool:
    """True if the tests fail with this text in place of the module."""
    package = next(parent for parent in module.parents if not (parent / "__init__.py").exists())
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, package.name)
        copytree(package, root, copy_function=os.link)
        place = root / module.relative_to(package)
        place.unlink()  # a hard link: what is written into it would change the original
        place.write_text(text, "utf-8")
        environment = {**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            run = subprocess.run(
                command, env=environment, capture_output=True, timeout=RUN_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return True
        return run.returncode != 0


def main() -> None:
    """Print each fault with what became of it, and how many of them were killed."""
    arguments, command = _parse(sys.argv[1:])
    place = Path(arguments.module).resolve()
    modules = sorted(place.rglob("*.py")) if place.is_dir() else [place]
    sources = {module: module.read_text("utf-8") for module in modules}
    if is_killed(modules[-1], ast.unparse(ast.parse(sources[modules[-1]])), command):
        sys.exit("The tests fail without any fault.")
    known = [(module, number) for module in modules for number in range(count_faults(sources[module]))]
    chosen = random.Random(arguments.seed).sample(known, min(arguments.count, len(known)))
    killed = 0
    for module, number in chosen:
        tree = ast.parse(sources[module])
        description, seed_fault = list(list_faults(tree))[number]
        seed_fault()
        is_noticed = is_killed(module, ast.unparse(ast.fix_missing_locations(tree)), command)
        killed += is_noticed
        print("killed  " if is_noticed else "SURVIVED", module.name, description, flush=True)
    print(f"{killed} of {len(chosen)} killed ({len(known)} faults are known)")


def count_faults(source: str) -> int:
    """Count the faults that can be seeded in a module."""
    return len(list(list_faults(ast.parse(source))))


def _parse(words: list[str]) -> tuple[argparse.Namespace, list[str]]:
    end = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("module")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args(words[:end]), words[end + 1 :] or [sys.executable, "-m", "pytest", "-q", "-x"]


if __name__ == "__main__":
    main()
