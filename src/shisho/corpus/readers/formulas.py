"""Formulas of office files (OMML, ECMA-376 part 1, 22.1) on one line.

¼ must not become 14, nor √25 25.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from shisho.corpus.readers.symbols import write_lowered, write_raised

MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"

_TEXTS = frozenset((f"{MATH}t", "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}t"))
_ONE_THING = re.compile(r"[\w.,√]*|\([^()]*\)")


def write_formula(element: Any) -> str:
    """Return a formula on one line, with typable marks for fractions, indices and exponents."""
    if element.tag in _TEXTS:
        return element.text or ""
    write = _WRITERS.get(element.tag)
    return write(element) if write else "".join(map(write_formula, element.iterchildren("*")))


def _write_part(element: Any, name: str) -> str:
    part = element.find(f"{MATH}{name}")
    return "" if part is None else write_formula(part)


def _write_parts(element: Any, name: str) -> list[str]:
    return [write_formula(part) for part in element.iterchildren(f"{MATH}{name}")]


def _read_property(element: Any, name: str, default: str) -> str:
    """Return a mark from the formula's properties; a mark without a value is omitted there."""
    mark = element.find(f"{MATH}{element.tag.removeprefix(MATH)}Pr/{MATH}{name}")
    return default if mark is None else mark.get(f"{MATH}val", "")


def enclose(text: str) -> str:
    return text if _ONE_THING.fullmatch(text) else f"({text})"


def _write_fraction(element: Any) -> str:
    between = " " if _read_property(element, "type", "bar") == "noBar" else "/"
    return between.join(enclose(_write_part(element, name)) for name in ("num", "den"))


def _write_root(element: Any) -> str:
    return f"{write_raised(_write_part(element, 'deg'))}√{enclose(_write_part(element, 'e'))}"


def _write_delimited(element: Any) -> str:
    between = _read_property(element, "sepChr", "|")
    inside = between.join(_write_parts(element, "e"))
    return f"{_read_property(element, 'begChr', '(')}{inside}{_read_property(element, 'endChr', ')')}"


def _write_script(element: Any) -> str:
    return (
        _write_part(element, "e")
        + write_lowered(_write_part(element, "sub"))
        + write_raised(_write_part(element, "sup"))
    )


def _write_script_before(element: Any) -> str:
    return (
        write_lowered(_write_part(element, "sub"))
        + write_raised(_write_part(element, "sup"))
        + _write_part(element, "e")
    )


def _write_limits(element: Any) -> str:
    bounds = write_lowered(_write_part(element, "sub")) + write_raised(_write_part(element, "sup"))
    return f"{_read_property(element, 'chr', '∫')}{bounds} {_write_part(element, 'e')}"


def _write_function(element: Any) -> str:
    argument = _write_part(element, "e")
    return _write_part(element, "fName") + ("" if argument.startswith("(") else " ") + argument


def _limit(element: Any) -> str:
    write = write_lowered if element.tag == f"{MATH}limLow" else write_raised
    return _write_part(element, "e") + write(_write_part(element, "lim"))


def _write_matrix(element: Any) -> str:
    rows = (", ".join(_write_parts(row, "e")) for row in element.iterchildren(f"{MATH}mr"))
    return f"[{'; '.join(rows)}]"


def _write_lines(element: Any) -> str:
    return "; ".join(_write_parts(element, "e"))


_WRITERS: Mapping[str, Callable[[Any], str]] = {
    f"{MATH}{name}": write
    for name, write in {
        "f": _write_fraction,
        "rad": _write_root,
        "d": _write_delimited,
        "sSup": _write_script,
        "sSub": _write_script,
        "sSubSup": _write_script,
        "sPre": _write_script_before,
        "nary": _write_limits,
        "func": _write_function,
        "limLow": _limit,
        "limUpp": _limit,
        "m": _write_matrix,
        "eqArr": _write_lines,
    }.items()
}
