"""Formulas of office files (OMML, ECMA-376 part 1, 22.1) on one line.

¼ must not become 14, nor √25 25.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from shisho.corpus.readers.raised import write_lowered, write_raised

MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"

_TEXTS = frozenset((f"{MATH}t", "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}t"))
_ONE_THING = re.compile(r"[\w.,√]*|\([^()]*\)")


def write_formula(element: Any) -> str:
    """Return a formula on one line, with typable marks for fractions, indices and exponents."""
    if element.tag in _TEXTS:
        return element.text or ""
    write = _WRITERS.get(element.tag)
    return write(element) if write else "".join(map(write_formula, element.iterchildren("*")))


def _part(element: Any, name: str) -> str:
    part = element.find(f"{MATH}{name}")
    return "" if part is None else write_formula(part)


def _parts(element: Any, name: str) -> list[str]:
    return [write_formula(part) for part in element.iterchildren(f"{MATH}{name}")]


def _property(element: Any, name: str, default: str) -> str:
    """Return a mark from the formula's properties; a mark without a value is omitted there."""
    mark = element.find(f"{MATH}{element.tag.removeprefix(MATH)}Pr/{MATH}{name}")
    return default if mark is None else mark.get(f"{MATH}val", "")


def enclose(text: str) -> str:
    return text if _ONE_THING.fullmatch(text) else f"({text})"


def _fraction(element: Any) -> str:
    between = " " if _property(element, "type", "bar") == "noBar" else "/"
    return between.join(enclose(_part(element, name)) for name in ("num", "den"))


def _root(element: Any) -> str:
    return f"{write_raised(_part(element, 'deg'))}√{enclose(_part(element, 'e'))}"


def _delimited(element: Any) -> str:
    between = _property(element, "sepChr", "|")
    inside = between.join(_parts(element, "e"))
    return f"{_property(element, 'begChr', '(')}{inside}{_property(element, 'endChr', ')')}"


def _script(element: Any) -> str:
    return _part(element, "e") + write_lowered(_part(element, "sub")) + write_raised(_part(element, "sup"))


def _script_before(element: Any) -> str:
    return write_lowered(_part(element, "sub")) + write_raised(_part(element, "sup")) + _part(element, "e")


def _over_all(element: Any) -> str:
    bounds = write_lowered(_part(element, "sub")) + write_raised(_part(element, "sup"))
    return f"{_property(element, 'chr', '∫')}{bounds} {_part(element, 'e')}"


def _function(element: Any) -> str:
    argument = _part(element, "e")
    return _part(element, "fName") + ("" if argument.startswith("(") else " ") + argument


def _limit(element: Any) -> str:
    write = write_lowered if element.tag == f"{MATH}limLow" else write_raised
    return _part(element, "e") + write(_part(element, "lim"))


def _matrix(element: Any) -> str:
    rows = (", ".join(_parts(row, "e")) for row in element.iterchildren(f"{MATH}mr"))
    return f"[{'; '.join(rows)}]"


def _lines(element: Any) -> str:
    return "; ".join(_parts(element, "e"))


_WRITERS: Mapping[str, Callable[[Any], str]] = {
    f"{MATH}{name}": write
    for name, write in {
        "f": _fraction,
        "rad": _root,
        "d": _delimited,
        "sSup": _script,
        "sSub": _script,
        "sSubSup": _script,
        "sPre": _script_before,
        "nary": _over_all,
        "func": _function,
        "limLow": _limit,
        "limUpp": _limit,
        "m": _matrix,
        "eqArr": _lines,
    }.items()
}
