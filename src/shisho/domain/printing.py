"""An answer as it is printed: words, numbers that lead to quotations, and links; how they look is for others
to say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class PrintedPart:
    """A stretch of a line of the answer. `number`: of the quotation that it leads to; 0: it leads nowhere.
    `marked`: of a passage's best sentences."""

    text: str
    number: int = 0
    marked: bool = False


PrintedLine = tuple[PrintedPart, ...]


@dataclass(frozen=True, slots=True)
class PrintedBlock:
    """A block of the answer. `lines`: of text, of code, or the items of a list, each after its sign;
    `header` and `rows` of a table. `level`: of a heading."""

    kind: Literal["heading", "text", "list", "table", "code", "quotes"]
    lines: tuple[PrintedLine, ...] = ()
    signs: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    rows: tuple[tuple[PrintedLine, ...], ...] = ()
    level: int = 0


@dataclass(frozen=True, slots=True)
class PrintedQuotation:
    """A quotation below the answer. `link`: an address of the web, or empty; `where`: page or place, and
    heading; `text`: empty where it was erased; `remark`: what became of its document, or empty; `code`: its
    lines stand as they are."""

    number: int
    title: str
    link: str
    where: str
    text: str
    remark: str
    code: bool = False


@dataclass(frozen=True, slots=True)
class PrintableAnswer:
    """An answer as it is printed. `language`: `ja` or `en`; `blocks`: those of the answer;
    `heading`: of the quotations; `facts`: how far the sentences are carried, and why the search ended."""

    title: str
    language: str
    blocks: tuple[PrintedBlock, ...]
    heading: str
    quotations: tuple[PrintedQuotation, ...]
    facts: tuple[str, ...]
