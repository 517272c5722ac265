"""Shared parts of office files: a safety check of the zip, tables as text, diagrams (SmartArt) and charts.

Diagrams and charts are in separate parts of the package (ECMA-376 part 1, 21.2 and 21.4).
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from lxml import etree  # type: ignore[import-untyped]

from shisho.corpus.readers.cellformat import format_value
from shisho.corpus.readers.text import strip_controls
from shisho.domain.corpus import BlockKind
from shisho.errors import DocumentUnreadable, TooLarge

MAX_ENTRIES = 10_000
MAX_UNPACKED = 300 * 2**20
MAX_XML = 100 * 2**20
MAX_RATIO = 200
SMALL = 2**20  # smaller parts may have any compression ratio


def open_package(data: bytes) -> io.BytesIO:
    """Return the bytes as a file, if unpacking them is safe.

    Sizes may be trusted: zipfile stops at the declared size.
    """
    try:
        parts = zipfile.ZipFile(io.BytesIO(data)).infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError) as failure:
        raise DocumentUnreadable("reader.office.damaged") from failure
    if len(parts) > MAX_ENTRIES or sum(part.file_size for part in parts) > MAX_UNPACKED:
        raise TooLarge(
            "reader.office.too_large",
            megabytes=MAX_UNPACKED // 2**20,
            max_entries=MAX_ENTRIES,
        )
    for part in parts:
        bomb = part.file_size > SMALL and part.file_size > MAX_RATIO * max(part.compress_size, 1)
        if bomb or (part.filename.endswith(".xml") and part.file_size > MAX_XML):
            raise TooLarge("reader.office.part_explodes")
    return io.BytesIO(data)


def format_table(rows: Iterable[Sequence[str]]) -> str:
    """Return a table as text: a row per line, cells separated by tabs."""
    lines = ([" ".join(cell.split()) for cell in row] for row in rows)
    return "\n".join("\t".join(cells) for cells in lines if any(cells))


_MAIN = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_MAX_SERIES = 100
_MAX_POINTS = 10_000  # of a series

FindPart = Callable[[str], bytes]
"""The bytes of a part by the id of its relationship. Raises KeyError or ValueError."""


def read_drawings(element: Any, find_part: FindPart) -> Iterator[tuple[BlockKind, str]]:
    """Yield the text of the diagrams and charts in an element.

    A drawing whose part is missing or is not XML has none.
    """
    for frame in element.iter(f"{_DIAGRAM}relIds", f"{_CHART}chart"):
        is_chart = frame.tag == f"{_CHART}chart"
        tree = _parse(frame.get(f"{_RELATION}{'id' if is_chart else 'dm'}", ""), find_part)
        if tree is None:
            continue
        for kind, text in _read_chart(tree) if is_chart else _read_diagram(tree):
            words = strip_controls(text).strip("\n")  # a tab is an empty cell
            if words.strip():
                yield kind, words


def _parse(relation: str, find_part: FindPart) -> Any:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        return etree.fromstring(find_part(relation), parser)
    except (KeyError, ValueError, AttributeError, etree.XMLSyntaxError):
        return None


def _read_diagram(tree: Any) -> Iterator[tuple[BlockKind, str]]:
    points = (_read_paragraphs(point) for point in tree.iter(f"{_DIAGRAM}pt"))
    yield BlockKind.PARAGRAPH, "\n".join(line for lines in points for line in lines if line.strip())


def _read_paragraphs(element: Any) -> list[str]:
    return [
        "".join(text.text or "" for text in paragraph.iter(f"{_MAIN}t"))
        for paragraph in element.iter(f"{_MAIN}p")
    ]


def _read_chart(tree: Any) -> Iterator[tuple[BlockKind, str]]:
    title = tree.find(f"{_CHART}chart/{_CHART}title")
    if title is not None:
        yield BlockKind.PARAGRAPH, " ".join(_read_paragraphs(title))
    series = list(tree.iter(f"{_CHART}ser"))[:_MAX_SERIES]
    names = [" ".join(_read_points(column, "tx").values()) for column in series]
    figures = [_read_points(column, "val") or _read_points(column, "yVal") for column in series]
    labels: dict[int, str] = {}
    for column in series:
        labels = _read_points(column, "cat") or _read_points(column, "xVal") or labels
    rows = [
        [labels.get(index, ""), *(values.get(index, "") for values in figures)]
        for index in sorted({index for values in figures for index in values})
    ]
    yield BlockKind.TABLE, format_table([["", *names], *rows]) if rows else ""


def _read_points(series: Any, role: str) -> dict[int, str]:
    """Return the cached values of a part of a series by index, as the chart displays them."""
    part = series.find(f"{_CHART}{role}")
    if part is None:
        return {}
    form = next((code.text for code in part.iter(f"{_CHART}formatCode")), None) or "General"
    points: dict[int, str] = {}
    for point in part.iter(f"{_CHART}pt"):
        index = point.get("idx", "")
        if index.isdecimal() and len(points) < _MAX_POINTS:
            points[int(index[:6])] = _format_point(point.findtext(f"{_CHART}v") or "", form, role)
    return points


def _format_point(text: str, form: str, role: str) -> str:
    if role in ("tx", "cat"):
        return text
    try:
        return format_value(float(text), form)
    except ValueError:
        return text
