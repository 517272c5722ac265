"""A passage for display with marked sentences.

Printed lines are joined; lists and tables keep their lines.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from shisho.language import compile_lazily
from shisho.language.display import fence_code, join_lines
from shisho.language.sentences import is_row, split_sentences

_ITEM = compile_lazily(
    r"\s*(?:[・•●○■□◆◇※]|[-*+–—]\s|[(（]?[0-9０-９①-⑳ア-ン]{1,3}[.)）．、]?\s"
    r"|第[0-9一二三四五六七八九十百]+[章節条項])"
)
_ENDED = compile_lazily(r"[。．.!?！？」』)）]")
_WIDE_END = compile_lazily(r"[\u3000-\u9fff\uff00-\uffef]")


class TextMark(Protocol):
    """A mark: `text[start:end]` of a passage is evidence with this number."""

    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...

    @property
    def number(self) -> int: ...


class Segment(NamedTuple):
    """A piece of a passage for display. `number`: that of its evidence, 0 for unmarked text."""

    text: str
    number: int


def split_marked(text: str, marks: Sequence[TextMark]) -> list[Segment]:
    """Return the passage in pieces, one for each mark; joined, they are the text for display."""
    segments: list[Segment] = []
    end = 0
    for start, stop in split_sentences(text):
        number = next((mark.number for mark in marks if mark.start < stop and start < mark.end), 0)
        shown = join_lines(text[start:stop])
        gap = _choose_gap(text, end, start, stop) if segments else ""
        if segments and number and segments[-1].number == number:
            segments[-1] = Segment(segments[-1].text + gap + shown, number)
        else:
            if gap:
                segments.append(Segment(gap, 0))
            segments.append(Segment(shown, number))
        end = stop
    return _join_plain(segments)


def render_marked(
    text: str,
    marks: Sequence[TextMark],
    *,
    heading: str = "",
    code: bool = False,
    mark: tuple[str, str] = ("", ""),
    escape: Callable[[str], str] = str,
) -> str:
    """Return a passage as text: its heading path on a line, then its text.

    `mark` surrounds each marked sentence, and its number follows.
    """
    head = f"▸ {escape(heading)}\n" if heading else ""
    if code:
        numbers = "".join(f"[{each.number}]" for each in marks)
        return f"{head}{fence_code(text)}\n{numbers}".rstrip()
    return head + "".join(
        f"{mark[0]}{escape(segment.text)}{mark[1]}[{segment.number}]"
        if segment.number
        else escape(segment.text)
        for segment in split_marked(text, marks)
    )


def render_marks(text: str, marks: Sequence[TextMark], *, heading: str = "", code: bool = False) -> str:
    """Return the marked sentences alone, each on a line with its number.

    The heading above rows of a table names their columns.
    """
    if code:
        blocks = [f"{fence_code(text[mark.start : mark.end])}\n[{mark.number}]" for mark in marks]
        return "\n".join(blocks)
    marked = [segment for segment in split_marked(text, marks) if segment.number]
    head = f"▸ {heading}\n" if heading and any(is_row(text[mark.start : mark.end]) for mark in marks) else ""
    return head + "\n".join(f"{segment.text}[{segment.number}]" for segment in marked)


def _choose_gap(text: str, end: int, start: int, stop: int) -> str:
    """Return the gap between two sentences: a line end of the author's, or a space, or ""."""
    gap = text[end:start]
    last = text[end - 1 : end]
    if "\n" in gap:
        after = text[start:stop]
        ends_line = gap.count("\n") > 1 or is_row(after) or _ITEM.match(after) or not _ENDED.match(last)
        if ends_line:
            return "\n\n" if gap.count("\n") > 1 and not is_row(after) else "\n"
    return "" if _WIDE_END.match(last) else " "


def _join_plain(segments: Sequence[Segment]) -> list[Segment]:
    joined: list[Segment] = []
    for segment in segments:
        if joined and not segment.number and not joined[-1].number:
            joined[-1] = Segment(joined[-1].text + segment.text, 0)
        else:
            joined.append(segment)
    return joined
