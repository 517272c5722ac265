"""An answer prepared for printing: text, numbers that lead to quotations, and links.

Renderers decide how it looks.
"""

from __future__ import annotations

from typing import Literal

from shisho.records import dataclass


@dataclass(frozen=True, slots=True)
class PrintedPart:
    """A stretch of a line of the answer.

    `number`: the quotation that it links to; 0: none. `marked`: it is one of a passage's best sentences.
    """

    text: str
    number: int = 0
    marked: bool = False


PrintedLine = tuple[PrintedPart, ...]


@dataclass(frozen=True, slots=True)
class PrintedBlock:
    """A block of the answer.

    `lines`: of text, of code, or the items of a list, each after its sign. `header`, `rows` and `shares`
    belong to a table, `level` to a heading. `shares`: for each column its share of the remaining width; 0 if
    it is as wide as its content.
    """

    kind: Literal["heading", "text", "list", "table", "code", "quotes"]
    lines: tuple[PrintedLine, ...] = ()
    signs: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    rows: tuple[tuple[PrintedLine, ...], ...] = ()
    shares: tuple[int, ...] = ()
    level: int = 0


@dataclass(frozen=True, slots=True)
class PrintedQuotation:
    """A quotation below the answer.

    `link`: a web address, or empty. `where`: page or place, and heading. `text`: empty if it was erased.
    `remark`: the state of its document, or empty. `code`: its lines are kept verbatim.
    """

    number: int
    title: str
    link: str
    where: str
    text: str
    remark: str
    code: bool = False


@dataclass(frozen=True, slots=True)
class PrintableAnswer:
    """An answer prepared for printing.

    `language`: `ja` or `en`. `blocks`: those of the answer. `heading`: of the quotations. `facts`: how well
    the sentences are supported, and why the search ended.
    """

    title: str
    language: str
    blocks: tuple[PrintedBlock, ...]
    heading: str
    quotations: tuple[PrintedQuotation, ...]
    facts: tuple[str, ...]
