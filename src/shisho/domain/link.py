"""Links that open a citation on its span.

A page number in paged documents, cells in a sheet, a chapter in a book, a text fragment on the web.

Text fragments: https://wicg.github.io/scroll-to-text-fragment/ (`#:~:text=start,end`). Rows of CSV: RFC 7111.
Cells: the form in which office programs write a hyperlink into a workbook. Chapters: EPUB Canonical Fragment
Identifiers (https://idpf.org/epub/linking/cfi/).
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath, PureWindowsPath
from urllib.parse import quote

from shisho.domain.corpus import Citation, strip_mark
from shisho.domain.place import split_cells

LONGEST_WHOLE = 100  # characters; for longer spans, and spans of several lines, only both ends are named
END = (12, 40)  # an end has this many characters; more if no word ends between
DIRECTIVE = ":~:"
# Word boundaries as browsers find them: white space, punctuation, and a new word after kana (a particle or an
# ending).
_BORDER = re.compile(r"\s|(?<=[、。,.;:!?！？・」』)）])|(?<=[ぁ-ん])(?=[一-鿿々ァ-ヺA-Za-z0-9「『（(])")


def is_on_web(source: str) -> bool:
    """Return whether a document's source is a web address."""
    return source.startswith(("http://", "https://"))


def strip_folders(source: str) -> str:
    """Return a file's name without its folders, of this system or another."""
    for path in (PurePosixPath(source), PureWindowsPath(source)):
        if path.is_absolute():
            return path.name
    return source


def link_citation(citation: Citation) -> str:
    """Return the address that opens a citation.

    A document that is neither on the web nor a file on disk opens in the library.
    """
    at = _make_anchor(citation)
    if is_on_web(citation.source):
        return _drop_directive(citation.source, drop=bool(at)) + (at or _make_fragment(citation))
    for path in (PurePosixPath(citation.source), PureWindowsPath(citation.source)):
        if path.is_absolute():
            return path.as_uri() + at
    return f"document://{citation.document_id}" + (f"/page/{citation.page}" if citation.page else "")


def _make_anchor(citation: Citation) -> str:
    """Return the fragment of a file's address; empty without pages, cells and chapters."""
    if (split_place := split_cells(citation.place)) is not None:
        sheet, cells, row = split_place
        quoted_sheet = sheet.replace("'", "''")
        return "#" + quote(f"'{quoted_sheet}'!{cells}", safe="!:'") if sheet else f"#row={row}"
    if citation.page is None:
        return ""
    if citation.source.lower().endswith(".epub"):
        return f"#epubcfi(/6/{2 * citation.page}!/4)"
    return f"#page={citation.page}"


def make_text_directive(span: str) -> str:
    """Return `text=…` for a span of the text, line breaks included; empty for a blank span."""
    lines = [line for line in (strip_mark(" ".join(line.split())) for line in span.splitlines()) if line]
    if not lines:
        return ""
    head = _cut_head(lines[0])
    tail = _cut_tail(lines[-1])
    if len(lines) == 1 and len(lines[0]) <= max(LONGEST_WHOLE, len(head) + len(tail)):
        return f"text={_encode_text(lines[0])}"
    return f"text={_encode_text(head)},{_encode_text(tail)}"


def _make_fragment(citation: Citation) -> str:
    directive = make_text_directive(citation.snippet)
    if not directive:
        return ""
    return ("" if "#" in citation.source else "#") + DIRECTIVE + directive


def _drop_directive(url: str, *, drop: bool) -> str:
    """Return the address without its own directive, and without any fragment if `drop` is set."""
    return url.partition("#" if drop else DIRECTIVE)[0]


def _cut_head(line: str) -> str:
    borders = [match.end() for match in _BORDER.finditer(line)]
    fitting = [at for at in borders if END[0] <= at <= END[1]]
    beyond = [at for at in borders if at > END[1]]
    return line if len(line) <= END[1] else line[: (fitting[-1:] or beyond[:1] or [len(line)])[0]].strip()


def _cut_tail(line: str) -> str:
    borders = [match.end() for match in _BORDER.finditer(line)]
    fitting = [at for at in borders if END[0] <= len(line) - at <= END[1]]
    beyond = [at for at in borders if len(line) - at > END[1]]
    return line if len(line) <= END[1] else line[(fitting[:1] or beyond[-1:] or [0])[0] :].strip()


def _encode_text(text: str) -> str:
    # A dash, a comma and an ampersand would be read as part of the directive's own grammar.
    return quote(text, safe="", errors="replace").replace("-", "%2D")
