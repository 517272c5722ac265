"""Read the citations in the words of a sentence: [1, 2], 【1†source】, (quotation 1), （引用1）."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shisho.language.display import make_legible
from shisho.language.patterns import compile_lazily

LONGEST_RANGE = 40

# Neither the digits [0-9] nor the years [2019-2021] are citations.
_SPAN = r"(?:(?![0０])\d{1,3}\s{0,3}[-–〜～~]\s{0,3}(?![0０])\d{1,3}(?!\d)|(?![0０])\d{1,9})"
_NUMBERED = rf"\s{{0,3}}(?P<%s>{_SPAN}(?:\s{{0,3}}(?:[,、，;・と]|and)\s{{0,3}}{_SPAN}){{0,40}})\s{{0,3}}"
_CITED = compile_lazily(r"(\d+)(?:\s*[-–〜～~]\s*(\d+))?")
_BOLD = compile_lazily(
    r"(?<![A-Za-z0-9_)\]*])\*{2,3}(?=[\w「『（(“])([^*]{1,400})(?<=[\w」』）)”。、])\*{2,3}(?![A-Za-z0-9_(*])"
)
# Neither a minus nor a sign that is spoken of: "- 40℃", "* 印は".
_LIST_MARK = compile_lazily(r"^\s*(?:[-•]\s+(?!\d)|#{2,6}\s+|\*\s+(?![印記]))")
_NAMED = r"\s{0,3}(?:quotations?|quotes?|sources?|引用文?|出典)"
_MARKS = compile_lazily(
    rf"\s{{0,3}}(?:[\[［【]\^?(?:{_NAMED})?{_NUMBERED % 'bracketed'}(?:†[^\]］】]{{0,80}})?[\]］】]"
    rf"|[(（]{_NAMED}{_NUMBERED % 'named'}[)）])",
    re.IGNORECASE,
)


def list_cited_numbers(text: str) -> tuple[int, ...]:
    """Return the numbers that the words of a sentence cite."""
    marks = [mark["bracketed"] or mark["named"] for mark in _MARKS.finditer(text)]
    return tuple(dict.fromkeys(number for mark in marks for number in _list_numbers(mark)))


def strip_marks(text: str) -> str:
    """Return a sentence on one line without its citations, invisible characters and Markdown."""
    plain = _BOLD.sub(r"\1", _LIST_MARK.sub("", _MARKS.sub("", text)))
    return " ".join(make_legible(plain).split())


def _list_numbers(mark: str) -> Iterator[int]:
    for first, last in _CITED.findall(mark):
        is_range = last and 0 < int(last) - int(first) < LONGEST_RANGE
        yield from range(int(first), int(last) + 1) if is_range else map(int, filter(None, (first, last)))
