"""Measure the size, the names, and the indirection of the code.

Usage: python bench/house.py [--list]

The last rows follow one question without a model over a home of a few sentences: which files and functions
of `src/shisho` run between the call of `ask` and its answer, and how many of our frames are on one stack.
Imports, and opening and closing the library, are not part of it. Python 3.11 runs a comprehension as a
function of its own, later versions inside the function that has it. `--list` names what the figures count.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import json
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

ROOT = Path(__file__).parent.parent
HOUSE = ROOT / "src" / "shisho"
FEW_LINES = 40
VERBS = frozenset(
    line for line in (ROOT / "tests" / "verbs.txt").read_text("utf-8").split("\n") if line[:1].isalpha()
)
# `int.to_bytes`, `int.from_bytes`, `Path.with_name`, `datetime.now`; predicates.
PYTHONS_WORDS = frozenset(("to", "from", "with", "now", "is", "has", "can"))
NAMED_BY_OTHERS = re.compile(r"property|resource\(|\.setter|command\(|callback\(|overload")
DOCUMENT = """# Regression

The coefficient of determination says how much of the variation the regression explains.
A value near zero means that the regression explains almost nothing.

Least squares chooses the line with the smallest sum of squared residuals.
A residual is the difference between the observed value and the predicted value.
"""
QUESTION = "What does a coefficient of determination near zero mean?"

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass
class Trace:
    """The code that ran, and the most of its frames on one stack."""

    codes: set[CodeType] = field(default_factory=set)
    deepest: list[str] = field(default_factory=list)
    is_on: bool = False

    def follow(self, frame: FrameType, event: str, _: Any) -> None:
        """Record a call inside `src/shisho`."""
        if not self.is_on or event != "call" or not is_ours(frame.f_code):
            return
        names: list[str] = []
        above: FrameType | None = frame
        while above is not None:
            if is_ours(above.f_code):
                if above.f_code.co_name == "<module>":  # an import inside a function
                    return
                names.append(f"{Path(above.f_code.co_filename).name}:{above.f_code.co_qualname}")
            above = above.f_back
        self.codes.add(frame.f_code)
        if len(names) > len(self.deepest):
            self.deepest = names


def is_ours(code: CodeType) -> bool:
    return code.co_filename.startswith(f"{HOUSE}/")


def parse_modules(root: Path) -> dict[str, ast.Module]:
    """Return the tree of each module by its path below the root."""
    return {
        path.relative_to(root).as_posix(): ast.parse(path.read_text("utf-8"))
        for path in sorted(root.rglob("*.py"))
    }


def list_functions(tree: ast.AST, inside: str = "") -> Iterator[tuple[Function, bool]]:
    """Yield the functions below a node, and whether each is nested in another function."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Function):
            yield node, bool(inside)
            yield from list_functions(node, node.name)
        else:
            yield from list_functions(node, inside)


def needs_verb(function: Function) -> bool:
    """True unless the name is Python's or a library's, a property's, or a command's."""
    decorators = " ".join(ast.unparse(decorator) for decorator in function.decorator_list)
    dunder = function.name.startswith("__") and function.name.endswith("__")
    return not dunder and function.name.strip("_") != "" and not NAMED_BY_OTHERS.search(decorators)


def begins_with_verb(name: str) -> bool:
    first = name.strip("_").partition("_")[0]
    return first in VERBS | PYTHONS_WORDS


def count_fields(trees: dict[str, ast.Module]) -> dict[str, int]:
    """Return the fields, or parameters of `__init__`, of each class that takes two or more working parts.

    A working part is annotated as a callable, a protocol, or another class of ours that isn't plain data.
    """
    classes = [
        (name, node)
        for name, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    ]
    working = {node.name for _, node in classes if not is_data(node)} | {"Callable"}
    found = {}
    for name, node in classes:
        annotations = list_dependencies(node)
        if sum(bool(working & set(re.findall(r"\w+", text))) for text in annotations) >= 2:
            found[f"{name}: {node.name}"] = len(annotations)
    return found


def is_data(node: ast.ClassDef) -> bool:
    """True for dataclasses without parts that work, enumerations, errors, and named types."""
    bases = " ".join(ast.unparse(base) for base in node.bases)
    if re.search(r"Enum|Exception|Error|NamedTuple|TypedDict|BaseModel", bases):
        return True
    return is_dataclass(node) and "Callable" not in " ".join(list_dependencies(node))


def is_dataclass(node: ast.ClassDef) -> bool:
    return any("dataclass" in ast.unparse(decorator) for decorator in node.decorator_list)


def list_dependencies(node: ast.ClassDef) -> list[str]:
    """Return the annotations of a dataclass's fields, or of the parameters of `__init__`."""
    if is_dataclass(node):
        return [ast.unparse(row.annotation) for row in node.body if isinstance(row, ast.AnnAssign)]
    for row in node.body:
        if isinstance(row, ast.FunctionDef) and row.name == "__init__":
            arguments = [*row.args.posonlyargs, *row.args.args, *row.args.kwonlyargs]
            return [ast.unparse(each.annotation) for each in arguments if each.annotation]
    return []


def find_not_imperative() -> list[str]:
    """Return the function docstrings that ruff's D401 reports."""
    command = [
        *(sys.executable, "-m", "ruff", "check", "--isolated", "--select", "D401", "--output-format", "json"),
        *("--config", 'lint.pydocstyle.convention="google"', str(HOUSE)),
    ]
    reply = subprocess.run(command, capture_output=True, text=True, check=False)
    rows = json.loads(reply.stdout)
    return [f"{row['filename']}:{row['location']['row']} {row['message']}" for row in rows]


async def trace_question() -> Trace:
    """Ask one question of a tiny home and trace it."""
    import shisho

    trace = Trace()
    with tempfile.TemporaryDirectory(prefix="shisho-bench-") as folder:
        document = Path(folder) / "regression.md"
        document.write_text(DOCUMENT, "utf-8")
        home = Path(folder) / "home"
        home.mkdir()
        threading.setprofile(trace.follow)  # of the threads that are started from here on
        sys.setprofile(trace.follow)
        async with shisho.open(home=home, model="none", embedder="none") as library:
            [receipt async for receipt in library.documents.add(document)]
            trace.is_on = True
            answer = await library.questions.ask(QUESTION)
            trace.is_on = False
        sys.setprofile(None)
        threading.setprofile(None)
        if not answer.evidence:
            raise SystemExit("The question found no evidence: the trace is not one of a whole run.")
    return trace


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--list", action="store_true", help="name what the figures count")
    lists_details = parser.parse_args().list
    details: dict[str, list[str]] = {}
    trees = parse_modules(HOUSE)
    lines = {name: (HOUSE / name).read_text("utf-8").count("\n") for name in trees}
    nodes = sum(1 for tree in trees.values() for _ in ast.walk(tree))
    all_lines = sum(lines.values())
    print(f"lines in src/                          {all_lines:,}")
    print(f"AST nodes per line                     {nodes / all_lines:.2f}")
    print(f"files                                  {len(lines)}")
    details["short files"] = [f"{name} ({count})" for name, count in lines.items() if count < FEW_LINES]
    print(f"files under {FEW_LINES} lines                   {len(details['short files']) / len(lines):.1%}")
    fields = count_fields(trees)
    details["large objects"] = [
        f"{name} ({count})" for name, count in sorted(fields.items(), key=lambda row: -row[1]) if count > 9
    ]
    print(f"fields of the largest dependency object {max(fields.values())}")
    print(f"dependency objects of more than nine   {len(details['large objects'])}")
    count_names(trees, details)
    count_docstrings(trees, details)
    trace = asyncio.run(trace_question())
    files = sorted({code.co_filename.removeprefix(f"{HOUSE}/") for code in trace.codes})
    named = sum(not code.co_name.startswith("<") for code in trace.codes)
    print(f"files · functions · frames of one ask  {len(files)} · {named} · {len(trace.deepest)}")
    print(f"… with comprehensions and lambdas      {len(trace.codes):,}")
    details["files of one ask"] = files
    details["deepest stack of one ask"] = trace.deepest[::-1]
    if lists_details:
        for title, rows in details.items():
            print(f"\n{title}:", *rows, sep="\n  ")


def count_names(trees: dict[str, ast.Module], details: dict[str, list[str]]) -> None:
    """Print the shares of functions that don't begin with a verb."""
    kinds: dict[str, list[tuple[str, Function]]] = {"private": [], "public": [], "nested": []}
    for name, tree in trees.items():
        for function, nested in list_functions(tree):
            if needs_verb(function):
                kind = "nested" if nested else "private" if function.name.startswith("_") else "public"
                kinds[kind].append((name, function))
    for kind, rows in kinds.items():
        without = [f"{name}: {each.name}" for name, each in rows if not begins_with_verb(each.name)]
        details[f"{kind} functions without a verb"] = without
        label = f"{kind} functions without a verb"
        print(f"{label:38} {len(without)} of {len(rows)} ({len(without) / len(rows):.1%})")


def count_docstrings(trees: dict[str, ast.Module], details: dict[str, list[str]]) -> None:
    """Print the shares of function docstrings that aren't imperative."""
    functions = [function for tree in trees.values() for function, _ in list_functions(tree)]
    texts = [text for function in functions if needs_verb(function) and (text := ast.get_docstring(function))]
    found = find_not_imperative()
    details["docstrings that D401 reports"] = found
    print(
        f"function docstrings that D401 reports  {len(found)} of {len(texts)} ({len(found) / len(texts):.1%})"
    )
    firsts = [text.split("\n")[0] for text in texts]
    without = [text for text in firsts if re.split(r"\W", text)[0].lower() not in VERBS | {"true"}]
    details["function docstrings whose first word is no verb"] = without
    share = len(without) / len(texts)
    print(f"… whose first word is no verb          {len(without)} of {len(texts)} ({share:.1%})")


if __name__ == "__main__":
    main()
