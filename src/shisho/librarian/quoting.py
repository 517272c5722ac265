"""How much is quoted around the line that was chosen: a list with its lead-in, a sentence with the one that it
points back to or that goes on with it, a long sentence by its clauses. Pure; spans count in the passage."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from shisho.language.clauses import clauses
from shisho.language.terms import fold, terms
from shisho.librarian.line_roles import LineRole
from shisho.librarian.questions import AnswerKind, ParsedQuestion
from shisho.librarian.reading import SentenceLine

LONG = 160  # characters: a longer sentence is cut to the clauses that matter
ENDED = 200  # characters within which the end of a cut sentence is kept: its predicate says what holds
LIST_CHARS = 400  # of a list that is quoted: a longer one is cut at an item
PAIR_CHARS = 220  # of two sentences that are quoted together
_BACK = re.compile(
    r"(?:なお|また|ただし|しかし)?、?(?:これ|それ|この|その|こうした|そうした|同[条項法社校]|前項|上記|よって|したがって)"
)
_ON = re.compile(r"(?:これ|この|その|それ|すなわち|つまり|具体的に|言い換え|ここで)")
_ON_ENGLISH = re.compile(r"(?:this|that|it|these|they|in other words)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class QuotedSpan:
    """`text[start:end]` of a passage. `items`: how many the list has that is quoted only in part, else 0."""

    start: int
    end: int
    items: int = 0


def quoted_span(
    text: str,
    lines: Sequence[SentenceLine],
    place: int,
    question: ParsedQuestion,
    weights: Mapping[str, float],
) -> QuotedSpan:
    """What is quoted for the line in this place."""
    lead = _lead(lines, place, question)
    if lead is not None:
        return _list(lines, *lead)
    line = lines[place]
    if line.role is LineRole.LEAD and place + 1 < len(lines):
        if lines[place + 1].end - line.start <= PAIR_CHARS:
            return QuotedSpan(line.start, lines[place + 1].end)
        return QuotedSpan(line.start, line.end)
    first = place
    last = place
    if place and _BACK.match(line.folded) and _says(lines[place - 1]):
        first = place - 1
    elif (
        question.kind is AnswerKind.DEFINITION
        and place + 1 < len(lines)
        and _says(lines[place + 1])
        and (_ON.match(lines[place + 1].folded) or _ON_ENGLISH.match(lines[place + 1].folded))
    ):
        last = place + 1
    if first != last and lines[last].end - lines[first].start <= PAIR_CHARS:
        return QuotedSpan(lines[first].start, lines[last].end)
    return QuotedSpan(*_cut(text, line, weights))


def list_run(lines: Sequence[SentenceLine], first: int) -> int:
    """The place of the last item of the list whose first item is here."""
    last = first
    for place in range(first + 1, len(lines)):
        line = lines[place]
        if line.role in (LineRole.HEADING, LineRole.QUESTION) or (
            line.role is LineRole.LEAD and not line.mark
        ):
            break
        if line.mark and line.mark == lines[first].mark:
            last = place
    return last


def _lead(lines: Sequence[SentenceLine], place: int, question: ParsedQuestion) -> tuple[int, int, int] | None:
    """The first line of the list that the line announces or, where a list is asked for, stands in; the first
    item; the last."""
    line = lines[place]
    if line.role is LineRole.LEAD:
        if place + 1 < len(lines) and lines[place + 1].mark:
            return place, place + 1, list_run(lines, place + 1)
        return None
    if not (question.lists and line.role is LineRole.ITEM):
        return None
    for start in range(place, -1, -1):
        if lines[start].role is LineRole.HEADING:
            return None
        if lines[start].mark == line.mark and (start == 0 or lines[start - 1].mark != line.mark):
            end = list_run(lines, start)
            if end < place or end == start:
                return None
            led = start > 0 and lines[start - 1].role is LineRole.LEAD
            return start - led, start, end
    return None


def _list(lines: Sequence[SentenceLine], lead: int, first: int, last: int) -> QuotedSpan:
    start = lines[lead].start
    places = [place for place in range(first, last + 1) if lines[place].mark == lines[first].mark]
    # An item may go on in lines of its own: it ends where the next begins.
    ends = [lines[after - 1].end for after in places[1:]] + [lines[last].end]
    fitting = [end for end in ends if end - start <= LIST_CHARS]
    if len(fitting) == len(ends):
        return QuotedSpan(start, ends[-1])
    return QuotedSpan(start, fitting[-1] if fitting else lines[lead].end, len(ends))


def _says(line: SentenceLine) -> bool:
    return line.role in (LineRole.PROSE, LineRole.ITEM)


def _cut(text: str, line: SentenceLine, weights: Mapping[str, float]) -> tuple[int, int]:
    """A long sentence from the clause before the question's first word in it to the clause after the last."""
    start = line.start
    end = line.end
    if end - start <= LONG:
        return start, end
    parts = clauses(text, start, end)
    speaking = [
        at for at, (a, b) in enumerate(parts) if not weights.keys().isdisjoint(terms(fold(text[a:b])))
    ]
    if not speaking:
        return start, end
    first = parts[max(0, speaking[0] - 1)][0]
    last = parts[min(len(parts) - 1, speaking[-1] + 1)][1]
    return first, end if end - first <= ENDED else last
