"""No test fails because the machine is busy: no figure bounds a time by the clock from above.

A yardstick of the same run may bound it, or `PATIENCE`, or nothing, where a condition says the same; figures
may bound CPU seconds and `Stopwatch.undisturbed`. Bounds are looked for in an `assert`, `asyncio.timeout` and
`asyncio.wait_for`; what is bounded is followed through names, lists and the functions of its file."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from enum import Enum, auto
from itertools import pairwise
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
CLOCKS = {"monotonic", "perf_counter", "time", "monotonic_ns", "perf_counter_ns", "time_ns"}
PARDONS = {"contended", "undisturbed"}  # what tells, and takes off, what others took of the machine
OF_TIME = re.compile(rf"\b({'|'.join(CLOCKS)}|Stopwatch|timeout|wait_for)\(")
# file: function → why a figure may bound a time by the clock there
ALLOWED: dict[str, str] = {}


class Kind(Enum):
    """What a name stands for, as far as time goes."""

    CLOCK = auto()  # is called for the time
    MOMENT = auto()  # the time when it was read
    DEADLINE = auto()  # a moment and a figure
    WATCH = auto()  # a Stopwatch
    PARDON = auto()  # what others took of the machine
    TIME = auto()  # seconds by the clock, from which nothing was taken off
    FIGURE = auto()  # a number, the same on every machine


Kinds = Mapping[str, set[Kind]]
Function = ast.FunctionDef | ast.AsyncFunctionDef


def found(text: str) -> list[str]:
    """The bounds in a file, each with the function that it stands in."""
    if not OF_TIME.search(text):
        return []
    tree = ast.parse(text)
    outer = outer_names(tree)
    return [
        f"{scope.name}: {ast.unparse(part)}"
        for scope in functions(tree)
        for part in bounds(scope, names_of(scope, outer))
    ]


def functions(tree: ast.Module) -> list[Function]:
    """Functions and methods; what is defined within one belongs to it."""
    classes = [node.body for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    bodies = [tree.body, *classes]
    return [node for body in bodies for node in body if isinstance(node, Function)]


def outer_names(tree: ast.Module) -> Kinds:
    """What the constants of a file stand for, and what its functions return."""
    outer: defaultdict[str, set[Kind]] = defaultdict(set)
    constants = ast.Module([node for node in tree.body if isinstance(node, ast.Assign)], [])
    outer.update(names_of(constants, {}))
    before = -1
    while before < size(outer):
        before = size(outer)
        for scope in functions(tree):
            names = names_of(scope, outer)
            for part in ast.walk(scope):
                if isinstance(part, ast.Return) and part.value:
                    outer[scope.name] |= kinds_of(names, part.value)
    return outer


def names_of(scope: ast.AST, outer: Kinds) -> Kinds:
    """Read what is put into names until that says nothing new: a name may be filled below where it is
    used."""
    names = defaultdict(set, {name: set(kinds) for name, kinds in outer.items()})
    values = [each for node in ast.walk(scope) for each in filled(node)]
    before = -1
    while before < size(names):
        before = size(names)
        for name, value in values:
            names[name] |= kinds_of(names, value)
    return names


def size(names: Kinds) -> int:
    return sum(map(len, names.values()))


def filled(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """A name, and what is put into it."""
    match node:
        case ast.Assign(targets=[target], value=value) | ast.AugAssign(target=target, value=value):
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            yield from ((name.id, value) for name in names if isinstance(name, ast.Name))
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append" | "extend"), args=[value]):
            yield name, value
        case ast.withitem(context_expr=value, optional_vars=ast.Name(id=name)):
            yield name, value
        case ast.comprehension(target=ast.Name(id=name), iter=value):
            yield name, value


def kinds_of(names: Kinds, value: ast.expr) -> set[Kind]:
    if isinstance(value, ast.Attribute) and value.attr in CLOCKS:
        return {Kind.CLOCK}
    if is_moment(names, value):
        return {Kind.MOMENT}
    if is_deadline(names, value):
        return {Kind.DEADLINE}
    if isinstance(value, ast.Call) and called(value) == "Stopwatch":
        return {Kind.WATCH}
    if is_pardoned(names, value):
        return {Kind.PARDON}
    if is_time(names, value):
        return {Kind.TIME}
    return {Kind.FIGURE} if is_figure(names, value) else set()


def called(node: ast.Call) -> str:
    return str(getattr(node.func, "attr", getattr(node.func, "id", "")))


def stands_for(names: Kinds, node: ast.AST, kind: Kind) -> bool:
    return isinstance(node, ast.Name) and kind in names.get(node.id, ())


def is_moment(names: Kinds, node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr=name), args=[]):
            return name in CLOCKS
        case ast.Call(func=function, args=[]):
            return stands_for(names, function, Kind.CLOCK)
    return stands_for(names, node, Kind.MOMENT)


def is_deadline(names: Kinds, node: ast.AST) -> bool:
    match node:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return is_moment(names, left) and is_figure(names, right)
    return stands_for(names, node, Kind.DEADLINE)


def is_pardoned(names: Kinds, node: ast.AST) -> bool:
    return any(
        stands_for(names, part, Kind.PARDON)
        or getattr(part, "id", "") in PARDONS
        or getattr(part, "attr", "") in PARDONS
        for part in ast.walk(node)
    )


def is_time(names: Kinds, node: ast.AST) -> bool:
    """Whether there is a time by the clock in it, and nothing that takes off what others took."""
    return not is_pardoned(names, node) and any(is_bare_time(names, part) for part in parts(node))


def parts(node: ast.AST) -> Iterator[ast.AST]:
    """What of it may be the same time: neither an attribute of it nor what it is a named argument of."""
    yield node
    if not isinstance(node, ast.Attribute | ast.keyword):
        for child in ast.iter_child_nodes(node):
            yield from parts(child)


def is_bare_time(names: Kinds, node: ast.AST) -> bool:
    match node:
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return is_moment(names, left) or stands_for(names, right, Kind.MOMENT)
        case ast.Attribute(value=watch, attr="seconds"):
            return stands_for(names, watch, Kind.WATCH)
    return stands_for(names, node, Kind.TIME)


def is_figure(names: Kinds, node: ast.AST) -> bool:
    """A number or a constant, or a sum with one: beside a small yardstick it is the bound."""
    match node:
        case ast.Constant(value=int() | float()):
            return True
        case ast.Name(id="PATIENCE"):
            return False
        case ast.Name(id=name) | ast.Attribute(value=ast.Name(id=name)):
            return name.isupper() or stands_for(names, node, Kind.FIGURE)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return not is_patient(node) and (is_figure(names, left) or is_figure(names, right))
        case ast.BinOp(left=left, right=right):
            return is_figure(names, left) and is_figure(names, right)
    return False


def is_patient(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Name) and part.id == "PATIENCE" for part in ast.walk(node))


def bounds(scope: Function, names: Kinds) -> Iterator[ast.AST]:
    for node in ast.walk(scope):
        match node:
            case ast.Assert(test=test):
                compared = [part for part in ast.walk(test) if isinstance(part, ast.Compare)]
                yield from (part for part in compared if is_bound(names, part))
            case (
                ast.Call(func=ast.Attribute(value=ast.Name("asyncio"), attr="timeout"), args=[limit])
                | ast.Call(func=ast.Attribute(value=ast.Name("asyncio"), attr="wait_for"), args=[_, limit])
            ):
                if is_figure(names, limit):
                    yield node


def is_bound(names: Kinds, compared: ast.Compare) -> bool:
    """Whether a time is to be less than a figure in it, or a moment to come before a deadline."""
    return any(
        (is_time(names, less) and is_figure(names, more))
        or (is_moment(names, less) and is_deadline(names, more))
        for less, more in ordered(compared)
    )


def ordered(compared: ast.Compare) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What is to be less and what more, pair by pair."""
    sides = pairwise([compared.left, *compared.comparators])
    for operator, (left, right) in zip(compared.ops, sides, strict=True):
        if isinstance(operator, ast.Lt | ast.LtE):
            yield left, right
        elif isinstance(operator, ast.Gt | ast.GtE):
            yield right, left


def found_in_tests() -> list[str]:
    return [
        f"{path.relative_to(TESTS).as_posix()}: {one}"
        for path in sorted(TESTS.rglob("*.py"))
        for one in found(path.read_text("utf-8"))
    ]


@pytest.mark.slow
def test_no_figure_bounds_a_time_by_the_clock() -> None:
    bound = found_in_tests()
    assert [one for one in bound if not one.startswith(tuple(f"{place}:" for place in ALLOWED))] == []
    assert [place for place in ALLOWED if not any(one.startswith(f"{place}:") for one in bound)] == []


FORBIDDEN = {
    "directly": "assert time.monotonic() - began < 5",
    "the other way round": "assert 5 > loop.time() - began",
    "in a chain": "assert 1 <= time.time() - began <= 5",
    "of a running loop": "assert asyncio.get_running_loop().time() - began < 0.5",
    "of a clock with a name": "clock = loop.time; start = clock(); assert clock() - start < 5",
    "through a name": "took = time.perf_counter() - began; assert took < 5",
    "through a list": "late = []; late.append(time.perf_counter() - began); assert max(late) < 0.02",
    "through lines of a list": "late = [at - began for at in moments]; assert sorted(late)[9] * 1000 < 20",
    "of another clock": "assert told['at'] - began <= 36",
    "of a stopwatch": "with Stopwatch() as watch: pass\n assert watch.seconds < 4",
    "through a function": "assert await at_best(lambda: lasted(began)) <= 0.05",
    "by a constant": "assert time.monotonic() - began < WITHIN / 2",
    "by a number with a name": "most = 8.0; assert time.monotonic() - began < most + 1",
    "by a field of a constant": "assert time.monotonic() - began < PACE.silence",
    "by a yardstick and a figure": "assert time.monotonic() - began < 2 * yardstick + 4",
    "by a deadline": "ends = time.monotonic() + 3; assert time.monotonic() < ends",
    "as it is waited for": "await asyncio.wait_for(one, 2)",
    "as time is left": "async with asyncio.timeout(0.5): pass",
}
RIGHT = {
    "from below": "assert time.monotonic() - began >= 0.3",
    "by a yardstick": "assert time.monotonic() - began < 2 * yardstick",
    "by patience": "assert time.monotonic() - began < 2 * PATIENCE",
    "by patience and a figure": "await asyncio.wait_for(one, PATIENCE + 5)",
    "until patience ends": "ends = time.monotonic() + PATIENCE; assert time.monotonic() < ends",
    "CPU seconds": "start = time.process_time(); assert time.process_time() - start < 3",
    "without the others": "with Stopwatch() as watch: pass\n assert watch.undisturbed < 4",
    "less what others took": "assert time.monotonic() - began - (contended() - before) < 4",
    "in names": "took = time.monotonic() - began; others = contended(); assert max(0, took - others) < 4",
    "of what was given the time": "took = time.monotonic() - began; task = made(most=took); assert task.rounds <= 1",
    "of other things": "assert len(rows) - kept < 5",
}
FUNCTION = """
WITHIN = 12.0
def lasted(began):
    return time.monotonic() - began
async def test_it():
 began = time.monotonic()
 {}
"""


@pytest.mark.parametrize("name", FORBIDDEN)
def test_a_figure_that_bounds_a_time_is_found(name: str) -> None:
    assert len(found(FUNCTION.format(FORBIDDEN[name]))) == 1


@pytest.mark.parametrize("name", RIGHT)
def test_what_holds_on_a_busy_machine_is_let_be(name: str) -> None:
    assert found(FUNCTION.format(RIGHT[name])) == []
