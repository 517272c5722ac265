"""Each regular expression of the package is tried on hostile input of two lengths: its cost is linear."""

from __future__ import annotations

import gc
import importlib
import pkgutil
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import pytest

import shisho
from shisho.language import LazyPattern

SIZE = 300  # repetitions in the shorter input; the longer has four times as many
STEEP = 9.0  # times the cost for four times the input: a linear rule costs 4, a quadratic one 16
NOTICED_SECONDS = 0.002  # CPU seconds of the longer input below which nothing is said
MAX_INPUTS = 16
# Quadratic, and given short text only: a field of a file, or a sentence within a bound of computing. The list
# may only become shorter.
BOUNDED = frozenset(
    {
        "corpus.readers.described._NOBODY",
        "corpus.readers.shapes._CONTENTS",
        "language.display._CELLS",
        "language.display._LINES",
        "language.display._PARAGRAPHS",
        "language.keywords._WHOLE",
        "language.sentences._ABBREVIATED",
        "language.table_headers._SEPARATORS",
        "language.terms._COUNTED",
        "librarian.checking.figures._ADDRESS",
        "rendering.citation_styles._ET_AL",
        "librarian.checking.unit_text._DECORATION",
        "web.http.url._NOT_RESULTS",
        "web.http.url._REDIRECTORS",
    }
)
EVERYWHERE = frozenset({"finditer", "findall", "sub", "subn", "split"})
COMMON = ("a", "1", " ", "\n", "あ", "漢", "ァ", ".", "-", "<")
CATEGORIES = {
    codes.CATEGORY_DIGIT: "1",
    codes.CATEGORY_SPACE: " ",
    codes.CATEGORY_WORD: "a",
    codes.CATEGORY_NOT_WORD: "-",
}


def list_patterns() -> Iterator[tuple[str, re.Pattern[Any] | LazyPattern, str]]:
    """Each pattern of a module by its name, and the widest way in which the module uses it."""
    for found in pkgutil.walk_packages(shisho.__path__, "shisho."):
        if found.name.endswith("__main__"):
            continue
        module = importlib.import_module(found.name)
        source = read_source(str(module.__file__))
        for name, value in vars(module).items():
            patterns = [each for each in flatten(value) if isinstance(each, re.Pattern | LazyPattern)]
            for pattern in patterns:
                if re.search(rf"^{name}\b[^=\n]*=", source, re.MULTILINE):  # elsewhere it is imported
                    used = set(re.findall(rf"\b{name}\.(\w+)", source))
                    yield f"{found.name.removeprefix('shisho.')}.{name}", pattern, choose_way(used)


def flatten(value: object) -> list[object]:
    """The value, or what is in it if it is a table."""
    if isinstance(value, Mapping):
        return flatten([*value, *value.values()])
    if isinstance(value, list | tuple | set | frozenset):
        return [inner for each in value for inner in (each if isinstance(each, tuple) else [each])]
    return [value]


@cache
def read_source(path: str) -> str:
    return Path(path).read_text("utf-8")


def choose_way(used: set[str]) -> str:
    if used & EVERYWHERE or not used & {"search", "match", "fullmatch"}:
        return "finditer"
    return next(way for way in ("search", "match", "fullmatch") if way in used)


def make_inputs(pattern: re.Pattern[Any] | LazyPattern) -> list[str]:
    """Strings to repeat: what the pattern itself repeats, the whole of it, and common characters."""
    repeated: list[str] = []
    whole = write_sample(parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG), repeated)
    return [text for text in dict.fromkeys([*repeated, whole, *COMMON]) if text][:MAX_INPUTS]


def write_sample(nodes: Any, repeated: list[str]) -> str:
    """A text that the nodes match, more or less; the bodies of long repetitions are added to `repeated`."""
    written = ""
    for code, value in nodes:
        if code is codes.LITERAL:
            written += chr(value)
        elif code is codes.IN:
            written += write_member(value)
        elif code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            least, most, body = value
            sample = write_sample(body, repeated)
            repeated += [sample] if most is codes.MAXREPEAT or most >= SIZE else []
            written += sample * max(1, least)
        elif code is codes.SUBPATTERN:
            written += write_sample(value[3], repeated)
        elif code is codes.ATOMIC_GROUP:
            written += write_sample(value, repeated)
        elif code is codes.BRANCH:
            samples = [write_sample(branch, repeated) for branch in value[1]]
            written += samples[0]
        elif code in (codes.NOT_LITERAL, codes.ANY):
            written += "a"
    return written


def write_member(members: Sequence[tuple[Any, Any]]) -> str:
    code, value = members[0]
    if code is codes.LITERAL:
        return chr(value)
    if code is codes.RANGE:
        return chr(value[0])
    return CATEGORIES.get(value, "a")


def count_seconds(pattern: re.Pattern[Any] | LazyPattern, way: str, text: str) -> float:
    data: Any = text.encode("utf-8", "replace") if isinstance(pattern.pattern, bytes) else text
    spent = []
    for _ in range(3):
        began = time.process_time()
        if way == "finditer":
            for _match in pattern.finditer(data):
                pass
        else:
            getattr(pattern, way)(data)
        spent.append(time.process_time() - began)
    return min(spent)


def is_steep(pattern: re.Pattern[Any] | LazyPattern, way: str, unit: str) -> bool:
    """True if four times the input costs far more than four times the seconds, each time it is tried."""
    short, long = (unit * (times * SIZE) + "\x02" for times in (1, 4))
    for _ in range(3):
        cost = count_seconds(pattern, way, long)
        if cost < NOTICED_SECONDS or cost < STEEP * count_seconds(pattern, way, short):
            return False
    return True


def test_a_quadratic_pattern_is_found() -> None:
    quadratic = re.compile(r"[a-z]+[\^_]?-?\d+[a-z]*")
    assert any(is_steep(quadratic, "finditer", unit) for unit in make_inputs(quadratic))


@pytest.mark.slow
def test_no_pattern_is_quadratic_on_hostile_input() -> None:
    gc.disable()
    try:
        steep = {
            name
            for name, pattern, way in list_patterns()
            if name not in BOUNDED and any(is_steep(pattern, way, unit) for unit in make_inputs(pattern))
        }
    finally:
        gc.enable()
    assert steep == set()


def test_bounded_patterns_are_there() -> None:
    assert {name for name, _, _ in list_patterns()} >= BOUNDED
