"""Units that stand in the header of a table belong to the numbers below it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shisho.language.numbers import UNITS, fold_figures

_SEPARATORS = (re.compile(r"\t"), re.compile(r"\s*\|\s*"), re.compile(r","), re.compile(r",(?!\d{3}(?!\d))"))
_UNIT = re.compile(r"[(（\[［]\s*([^()（）\[\]［］]{1,10})\s*[)）\]］]\s*$")
_NUMBER = re.compile(r"\s*[-+−]?\d[\d,]*(?:\.\d+)?\s*")


def spell_out_units(text: str, header: str = "") -> str:
    """The text of a table with units after its bare numbers: 割合(%) makes 22.0 below it 22.0%. `header`:
    its rows, where they stand before the text."""
    lines = text.splitlines()
    units = next(filter(None, map(_units_of, reversed(header.splitlines()))), [])
    for place, line in enumerate(lines):
        cells = next((cells for cells in _rows(line) if len(cells) == len(units)), [])
        if cells:
            lines[place] = "\t".join(
                f"{cell.strip()}{unit}" if unit and _NUMBER.fullmatch(cell) else cell
                for cell, unit in zip(cells, units, strict=True)
            )
        else:
            units = _units_of(line) or units
    return "\n".join(lines)


def _units_of(line: str) -> list[str]:
    """The unit of each cell, empty for none; nothing where no cell has one."""
    units = []
    for cell in next(_rows(line), []):
        match = _UNIT.search(cell)
        unit = fold_figures(match[1]).strip() if match else ""
        units.append(unit if unit in UNITS else "")
    return units if any(units) else []


def _rows(line: str) -> Iterator[list[str]]:
    """The line cut into cells in each way that gives several; a comma may belong to a number."""
    rows = (separator.split(line.strip()) for separator in _SEPARATORS)
    return (cells for cells in rows if len(cells) > 1)
