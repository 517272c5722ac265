"""An answer as it is printed: words, numbers that lead to quotations, and links; how they look is for others
to say."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PrintedPart:
    """A stretch of a line of the answer. `number`: of the quotation that it leads to; 0: it leads nowhere.
    `code`: all of a line, and lines for a machine. `marked`: of a passage's best sentences."""

    text: str
    number: int = 0
    code: bool = False
    marked: bool = False


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
    """An answer as it is printed. `language`: `ja` or `en`; `lines`: those of the answer, each in parts;
    `heading`: of the quotations; `facts`: how far the sentences are carried, and why the search ended."""

    title: str
    language: str
    lines: tuple[tuple[PrintedPart, ...], ...]
    heading: str
    quotations: tuple[PrintedQuotation, ...]
    facts: tuple[str, ...]
