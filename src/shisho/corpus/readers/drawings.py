"""Text and numbers of diagrams (SmartArt) and charts in office files.

They are in separate parts of the package (ECMA-376 part 1, 21.2 and 21.4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from lxml import etree  # type: ignore[import-untyped]

from shisho.corpus.readers.cellformat import format_value
from shisho.corpus.readers.office import format_table
from shisho.corpus.readers.text import strip_controls
from shisho.domain.corpus import BlockKind

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
