"""Positions in documents without pages: cells of a sheet, a chapter, a notebook cell.

Sheet cells (「売上!A5:D9」) and notebook cells (「cell 5」) are recognised by their form; every other place
is text of the document.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_CELLS = re.compile(
    r"(?P<sheet>.*!)?(?P<left>[A-Z]{1,3})(?P<top>[1-9]\d{0,8})(?::(?P<right>[A-Z]{1,3})[1-9]\d{0,8})?",
    re.S,
)
_NOTEBOOK_CELL = re.compile(r"cell ([1-9]\d{0,8})")
_LETTERS = 26


def format_column(number: int) -> str:
    """Return the name of a column: A for 1, Z for 26, AA for 27."""
    name = ""
    while number:
        number, letter = divmod(number - 1, _LETTERS)
        name = chr(ord("A") + letter) + name
    return name


def format_cells(sheet: str, left: int, top: int, right: int, bottom: int) -> str:
    """Return the range from one cell to another, both counted from 1 and inclusive.

    `sheet` may be empty.
    """
    first = f"{format_column(left)}{top}"
    last = f"{format_column(right)}{bottom}"
    return (f"{sheet}!" if sheet else "") + (first if first == last else f"{first}:{last}")


def format_notebook_cell(number: int) -> str:
    """Return the place of a notebook's cell, counted from 1."""
    return f"cell {number}"


def describe_place(place: str, say_cell: Callable[[str], str]) -> str:
    """Return the place for display.

    `say_cell` names a notebook's cell by its number, in the reader's language; other places are unchanged.
    """
    match = _NOTEBOOK_CELL.fullmatch(place)
    return say_cell(match[1]) if match else place


def restrict_place(place: str, text: str, start: int, end: int) -> str:
    """Return the place of `text[start:end]`, given the text at `place`.

    For sheet cells, with one row per line, these are the rows that the span touches; any other place is
    returned whole.
    """
    first = text.count("\n", 0, start)
    return select_rows(place, first, first + text[start:end].rstrip().count("\n"))


def select_rows(place: str, first: int, last: int) -> str:
    """Return the place of some rows of `place`, counted from 0."""
    match = _CELLS.fullmatch(place)
    if match is None:
        return place
    top = int(match["top"]) + first
    bottom = int(match["top"]) + last
    begin = f"{match['left']}{top}"
    end = f"{match['right'] or match['left']}{bottom}"
    return (match["sheet"] or "") + (begin if begin == end else f"{begin}:{end}")


def split_cells(place: str) -> tuple[str, str, int] | None:
    """Return the sheet, range and first row of a place made up of cells; None for any other."""
    match = _CELLS.fullmatch(place)
    if match is None:
        return None
    sheet = match["sheet"] or ""
    return sheet.removesuffix("!"), place[len(sheet) :], int(match["top"])
