"""Seed faults in the code that chooses and grades answers, and count those that the tests notice.

Usage: python train/mutations.py [--number 40] [--seed 7] [--tests tests/librarian ...] [--list]

A fault halves a number, inverts a condition, swaps `and` and `or`, or removes an alternative of a regular
expression. Each is put into a copy of `src/`, and the tests run without the shared data, until one fails:
first the files that import the faulty module. Faults that leave the tests green are printed: they are what
the tests don't promise.
"""

from __future__ import annotations

import argparse
import ast
import compileall
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from py_compile import PycInvalidationMode

ROOT = Path(__file__).parent.parent
ROOMS = ("src/shisho/librarian/selection", "src/shisho/librarian/checking", "src/shisho/surveys")
FILES = ("splitting", "strategy", "plan", "route", "condition", "evidence", "answer")
TESTS = ("tests/librarian", "tests/surveys", "tests/train", "tests/flows/test_kinds.py")
TEST_SECONDS = 120  # of one test: a fault may make a loop endless
GENERATED = "weights"  # part of the names of generated files
INVERSE = {
    ast.Lt: ">=", ast.LtE: ">", ast.Gt: "<=", ast.GtE: "<", ast.Eq: "!=", ast.NotEq: "==", ast.In: "not in",
    ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is",
}  # fmt: skip


@dataclass(frozen=True)
class Fault:
    """Replace the text of `path` from `start` to `end`, counted in characters."""

    path: Path
    start: int
    end: int
    text: str
    kind: str
    line: int


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--number", type=int, default=40, help="how many faults")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--tests", nargs="*", default=TESTS)
    parser.add_argument("--list", action="store_true", help="print the faults and run nothing")
    options = parser.parse_args()
    faults = choose_faults(options.number, options.seed)
    if options.list:
        print(*map(describe, faults), sep="\n")
        return
    noticed = 0
    with tempfile.TemporaryDirectory(prefix="shisho-faults-") as folder:
        copy = Path(folder) / "src"
        shutil.copytree(ROOT / "src", copy, ignore=shutil.ignore_patterns("__pycache__"))
        compileall.compile_dir(copy, quiet=1, invalidation_mode=PycInvalidationMode.CHECKED_HASH)
        files = list_test_files(options.tests)
        if not passes(copy, files):
            raise SystemExit("The tests fail without a fault. Mend them first.")
        for fault in faults:
            is_noticed = notice(fault, copy, files)
            noticed += is_noticed
            print(f"{'noticed' if is_noticed else 'survives':9} {describe(fault)}", flush=True)
    print(f"{noticed} of {len(faults)} faults are noticed")


def list_test_files(names: Sequence[str]) -> list[Path]:
    """Return the test files of these files and folders."""
    paths = [ROOT / name for name in names]
    return [file for path in paths for file in (sorted(path.rglob("test_*.py")) if path.is_dir() else [path])]


def choose_faults(number: int, seed: int) -> list[Fault]:
    """Return faults of all kinds and files, the same for the same seed and the same code."""
    chance = random.Random(seed)
    rooms = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]
    paths = [*rooms, *(ROOT / "src/shisho/librarian" / f"{name}.py" for name in FILES)]
    by_kind: dict[str, list[Fault]] = {}
    for path in paths:
        if GENERATED not in path.name:
            for fault in find_faults(path):
                by_kind.setdefault(fault.kind, []).append(fault)
    chosen: list[Fault] = []
    for turn in range(min(number, sum(map(len, by_kind.values())))):
        kinds = sorted(kind for kind, rest in by_kind.items() if rest)
        rest = by_kind[kinds[turn % len(kinds)]]
        chosen.append(rest.pop(chance.randrange(len(rest))))
    return chosen


def find_faults(path: Path) -> Iterator[Fault]:
    """Yield what can be broken in a file."""
    text = path.read_text("utf-8")
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    lines = text.splitlines()

    def locate(line: int, column: int) -> int:
        """Return the offset of a position whose column counts bytes."""
        return starts[line - 1] + len(lines[line - 1].encode()[:column].decode())

    def replace(node: ast.expr, new: str, kind: str) -> Fault:
        start = locate(node.lineno, node.col_offset)
        end = locate(node.end_lineno or node.lineno, node.end_col_offset or 0)
        return Fault(path, start, end, new, kind, node.lineno)

    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Constant(value=bool() | 0):
                continue
            case ast.Constant(value=int() | float() as value) if abs(value) > 1 or isinstance(value, float):
                yield replace(node, repr(value // 2 if isinstance(value, int) else value / 2), "number")
            case ast.Compare(ops=[operator], left=left, comparators=[right]):
                words = INVERSE[type(operator)]
                yield replace(node, f"({ast.unparse(left)} {words} {ast.unparse(right)})", "condition")
            case ast.BoolOp(op=operator, values=values):
                words = " and " if isinstance(operator, ast.Or) else " or "
                joined = words.join(f"({ast.unparse(value)})" for value in values)
                yield replace(node, f"({joined})", "and, or")
            case ast.Call(
                func=ast.Name(id="compile_lazily") | ast.Attribute(attr="compile"), args=[pattern, *_]
            ):
                if isinstance(pattern, ast.Constant) and (shorter := drop_alternative(pattern.value)):
                    yield replace(pattern, repr(shorter), "alternative")


def drop_alternative(pattern: str) -> str:
    """Return the pattern without the second of two plain alternatives, or an empty string."""
    shorter = re.sub(r"\|[\w ]+(?=\||\)|$)", "", pattern, count=1)
    return shorter if re.search(r"\w\|\w", pattern) and shorter != pattern else ""


def notice(fault: Fault, copy: Path, files: Sequence[Path]) -> bool:
    """Return whether a test fails with a fault in the copy."""
    path = copy / fault.path.relative_to(ROOT / "src")
    text = path.read_text("utf-8")
    name = ".".join(path.relative_to(copy).with_suffix("").parts)
    nearest = [file for file in files if f"from {name} import" in file.read_text("utf-8")]
    nearest.sort(key=lambda file: path.stem not in file.stem)
    path.write_text(text[: fault.start] + fault.text + text[fault.end :], "utf-8")
    try:
        return not (
            passes(copy, nearest, "0") and passes(copy, [file for file in files if file not in nearest])
        )
    finally:
        path.write_text(text, "utf-8")


def passes(copy: Path, files: Sequence[Path], processes: str = "2") -> bool:
    """Return whether these tests pass with the code of this copy."""
    if not files:
        return True
    environment = {name: value for name, value in os.environ.items() if name != "SHISHO_SHARED"}
    environment |= {"PYTHONPATH": str(copy), "SHISHO_SHARED": "/nonexistent", "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("CI", None)
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", processes, "-p", "no:cacheprovider", *files]
    command += ["--timeout", str(TEST_SECONDS), "-m", "not slow and not floors and not apart"]
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False)
    return ended.returncode in (0, 5)  # 5: all of these tests are left out by their marks


def describe(fault: Fault) -> str:
    old = fault.path.read_text("utf-8")[fault.start : fault.end]
    where = f"{fault.path.relative_to(ROOT / 'src' / 'shisho')}:{fault.line}"
    return f"{fault.kind:11} {where}  {old[:60]!r} → {fault.text[:60]!r}"


if __name__ == "__main__":
    main()
