"""How much is quoted around the line that was chosen: a list with its lead-in, a sentence with the one that
it points back to or that goes on with it, a long sentence by its clauses. Pure; spans count in the
passage."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from shisho.language.clauses import clauses
from shisho.language.script import is_japanese
from shisho.language.terms import fold, terms
from shisho.librarian.answer_kinds import AnswerKind
from shisho.librarian.line_roles import LineRole, announces, announces_steps, is_whole
from shisho.librarian.questions import ParsedQuestion
from shisho.librarian.reading import SentenceLine

LATIN_WIDTH = 2.2  # letters say what one Japanese character does
_SENTENCE_END = re.compile(r"[。．！!?？.][\s」』）)]*$")
LONG = 160  # characters: a longer sentence is cut to the clauses that matter
ENDED = 200  # characters within which the end of a cut sentence is kept: its predicate says what holds
LIST_CHARS = 400  # of a list that is quoted: a longer one is cut at an item
PAIR_CHARS = 220  # of two sentences that are quoted together
EXPLAINED_PAIR_CHARS = 320  # of two, where more is to be explained than one sentence does
ITEM_CHARS = 80  # the middle item of a list that nothing announces: what is longer are numbered paragraphs
_NUMBERED = re.compile(r"\D{0,2}(\d{1,2})(?!\d)")
_NUMBER_BEFORE = re.compile(r"^[(（]?[0-9]{1,2}[.．)）]\s*")
GAP = 3  # lines from an item back to the one before it
_BACK = re.compile(
    r"(?:なお|また|ただし|しかし)?、?(?:これ|それ|この|その|こうした|そうした|同[条項法社校]|前項|上記|よって|したがって)"
    r"|[^、。]{2,20}(?:では|には|は|で|に)、(?:これ|それ)[をはがにらも]"
)
_BACK_ENGLISH = re.compile(r"(?:such|these|those|this|they|it)\b")
# What is written or typed stands above: 「\nodraft」「と書くことで、…を除外します。」
_ABOVE = re.compile(
    r"(?:と(?:すると|すれば|すること|書[いくけ]|記述|指定|入力|打[つて])|のように(?:書|記述|指定|入力|する|し))"
)
_ONE_OF_TWO = re.compile(r"前者|後者|\bthe (?:former|latter)\b")
# Only where more is to be explained than one sentence does: the exception needs its rule, the result its
# ground.
_LEANS = re.compile(
    r"(?:なお|ただし|しかし|一方|このため|そのため|そこで|結果)(?:で)?、"
    r"|(?:but|however|therefore|thus|so|by contrast|the reason)\b|(?:this|that|it|these) (?:is|was|means)\b",
    re.IGNORECASE,
)
# A sentence that gives the ground of the one before it.
_GROUND = re.compile(
    r"なぜなら|なぜかとい|というのも|(?:この|その)?(?:理由|原因|目的|背景|ねらい)(?:は|として|に)|(?:これ|それ)は[^。]*(?:ため|から|ので)"
    r"|[^。]{2,60}(?:ため|から)(?:である|だ|です|であった|だった|でした)。?$"
    r"|(?:this|that|it) (?:is|was) because|because\b|[\"“'「]?the (?:main |only )?reasons?\b",
    re.IGNORECASE,
)
# What to do about what the sentence before tells.
_IN_THAT_CASE = re.compile(
    r"(?:この|その|これらの|こうした|そうした)(?:ような)?(?:場合|とき|時|際)"
    r"|(?:in (?:this|that|such an?) case|if (?:so|this|that)\b)"
)
_ON = re.compile(r"(?:これ|この|その|それ|すなわち|つまり|具体的に|言い換え|ここで)")
_ON_ENGLISH = re.compile(r"(?:this|that|it|these|they|in other words)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class QuotedSpan:
    """`text[start:end]` of a passage. `items`: how many the list has that is quoted only in part, else 0."""

    start: int
    end: int
    items: int = 0


def choose_span(
    text: str,
    lines: Sequence[SentenceLine],
    place: int,
    question: ParsedQuestion,
    weights: Mapping[str, float],
) -> QuotedSpan:
    """What is quoted for the line in this place."""
    lead = _lead(lines, place, question, weights)
    if lead is not None:
        span = _list(text, lines, *lead)
        # A list that is cut before the very item that was asked for says less than the item.
        if lines[place].start < span.end or weights.keys().isdisjoint(lines[place].terms):
            return span
    if place and lines[place - 1].role is LineRole.LEAD and not lines[place].mark:
        place -= 1
    line = lines[place]
    if line.role is LineRole.LEAD:
        return QuotedSpan(line.start, _announced_end(text, lines, place))
    first = place
    last = place
    if is_grounded(lines, place, question) or _goes_on(lines, place, question):
        last = place + 1
    elif place and (_ABOVE.match(line.folded) or (_says(lines[place - 1]) and _leans(line, question))):
        first = place - 1
    most = EXPLAINED_PAIR_CHARS if question.explains else PAIR_CHARS
    if first != last and measure_printed_width(text[lines[first].start : lines[last].end]) <= most:
        return QuotedSpan(lines[first].start, lines[last].end)
    return QuotedSpan(*_cut(text, line, weights))


def overleaf_span(
    lines: Sequence[SentenceLine], end: int, overleaf: Sequence[SentenceLine]
) -> QuotedSpan | None:
    """The items at the top of the next page that go on with the list which is quoted to here, the last line
    of its page, behind the rest of its last item; None where the page does not end within a list or with its
    lead-in. Counts in the text overleaf."""
    if end < lines[-1].end:
        return None
    first = _first_overleaf(lines[-1], overleaf)
    if first is None:
        return None
    start = overleaf[0].start
    fitting = [line for line in overleaf[: list_run(overleaf, first) + 1] if line.end - start <= LIST_CHARS]
    return QuotedSpan(start, fitting[-1].end) if len(fitting) > first else None


def sentence_rest(last: SentenceLine, overleaf: Sequence[SentenceLine]) -> QuotedSpan | None:
    """The end of the sentence that the last line of a page begins; None where that is whole. Counts in the
    text overleaf."""
    if not overleaf or last.role not in (LineRole.PROSE, LineRole.ITEM) or is_whole(last.folded):
        return None
    rest = overleaf[0]
    is_rest = rest.role in (LineRole.PROSE, LineRole.REST) and not rest.mark and _ends(rest.folded)
    return QuotedSpan(rest.start, rest.end) if is_rest and rest.end - rest.start <= LONG else None


def _first_overleaf(last: SentenceLine, overleaf: Sequence[SentenceLine]) -> int | None:
    """The place of the first item on the next page of a list whose lead-in or item ends this one. The rest of
    an item may stand before it where numbers tell that it is the next."""
    if last.role is LineRole.LEAD:
        return 0 if overleaf and overleaf[0].mark else None
    if last.role is not LineRole.ITEM or not last.mark:
        return None
    for place, line in enumerate(overleaf[: GAP + 1]):
        if line.mark == last.mark:
            return place if _is_next(last, line, place) else None
        if line.role is not LineRole.PROSE:
            break
    return None


def _is_next(item: SentenceLine, after: SentenceLine, between: int) -> bool:
    """True where an item comes after another, with so many lines between them."""
    number = _NUMBERED.match(item.folded)
    following = _NUMBERED.match(after.folded)
    if number is None or following is None:
        return between == 0
    return int(following[1]) == int(number[1]) + 1


def measure_printed_width(text: str) -> float:
    """The characters of a quotation, as many as it would have in Japanese."""
    return len(text) if is_japanese(text) else len(text) / LATIN_WIDTH


def is_grounded(lines: Sequence[SentenceLine], place: int, question: ParsedQuestion) -> bool:
    """True where a reason is asked for and the sentence after this one gives it."""
    if question.kind is not AnswerKind.REASON or place + 1 >= len(lines):
        return False
    return _says(lines[place + 1]) and _GROUND.match(lines[place + 1].folded) is not None


def is_list(lines: Sequence[SentenceLine], place: int, question: ParsedQuestion) -> bool:
    """True where more than one item of a list is quoted for the line."""
    lead = _lead(lines, place, question, {})
    return lead is not None and lead[2] > lead[1]


def _goes_on(lines: Sequence[SentenceLine], place: int, question: ParsedQuestion) -> bool:
    if place + 1 >= len(lines):
        return False
    after = lines[place + 1]
    if question.compares and _says(after) and _ONE_OF_TWO.search(after.folded):
        return True
    if question.asks_for_a_way and _says(after) and _IN_THAT_CASE.match(after.folded):
        return True
    if question.kind is not AnswerKind.DEFINITION:
        return False
    return _says(after) and (_ON.match(after.folded) or _ON_ENGLISH.match(after.folded)) is not None


def _leans(line: SentenceLine, question: ParsedQuestion) -> bool:
    said = _NUMBER_BEFORE.sub("", line.folded)  # 「2.上記の事から、…」
    if _BACK.match(said) or _BACK_ENGLISH.match(said) or _ONE_OF_TWO.search(said):
        return True
    return question.explains and _LEANS.match(said) is not None


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
    return last + _goes_on_for(lines, _items(lines, first, last))


def _items(lines: Sequence[SentenceLine], first: int, last: int) -> list[int]:
    return [place for place in range(first, last + 1) if lines[place].mark == lines[first].mark]


def _goes_on_for(lines: Sequence[SentenceLine], items: Sequence[int]) -> int:
    """How many lines without a mark belong to the last item: as many as to each before it, as far as there
    are such lines."""
    usual = min((after - item - 1 for item, after in pairwise(items)), default=0)
    further = 0
    for line in lines[items[-1] + 1 : items[-1] + 1 + usual]:
        if line.mark or line.role is not LineRole.PROSE:
            break
        further += 1
    return further


def _lead(
    lines: Sequence[SentenceLine], place: int, question: ParsedQuestion, weights: Mapping[str, float]
) -> tuple[int, int, int] | None:
    """The first line of the list that the line announces or stands in; the first item; the last. An item
    brings its list where a list is asked for, or where none of its own words is: then only what it stands
    under was, and its neighbours answer as well as it does."""
    line = lines[place]
    if line.role is LineRole.LEAD:
        if place + 1 < len(lines) and lines[place + 1].mark:
            return place, place + 1, list_run(lines, place + 1)
        return None
    if line.role is not LineRole.ITEM:
        return None
    if not question.lists and not (weights and weights.keys().isdisjoint(line.terms)):
        return None
    start = _first_item(lines, place)
    end = list_run(lines, start)
    if end < place or end == start:
        return None
    led = start > 0 and lines[start - 1].role is LineRole.LEAD
    if not led and _item_chars(lines, start, end) > ITEM_CHARS:
        return None
    return start - led, start, end


def _first_item(lines: Sequence[SentenceLine], place: int) -> int:
    """The place of the first item of the list that the item here stands in."""
    first = place
    for before in range(place - 1, -1, -1):
        line = lines[before]
        if line.role in (LineRole.HEADING, LineRole.QUESTION) or first - before > GAP:
            break
        if line.mark == lines[place].mark:
            first = before
        elif line.role is LineRole.LEAD and not line.mark:
            break
    return first


def _announced_end(text: str, lines: Sequence[SentenceLine], place: int) -> int:
    """The end of what a lead-in announces without marks: short lines that stand below each other; else a
    line, and the sentence that a line to be typed is part of (「# platex a.sty」「を実行します。」)."""
    lead = lines[place].folded
    run = _unmarked_run(text, lines, place) if announces(lead) or announces_steps(lead) else place
    if run > place:
        return lines[run].end
    start = lines[place].start
    end = lines[place].end
    for line in lines[place + 1 : place + 3]:
        if line.end - start > PAIR_CHARS or line.mark or line.role in (LineRole.HEADING, LineRole.LEAD):
            break
        end = line.end
        if _SENTENCE_END.search(text[line.start : line.end]):
            break
    return end


def _unmarked_run(text: str, lines: Sequence[SentenceLine], place: int) -> int:
    """The place of the last of the short lines that stand below a lead-in, each beginning a printed line; the
    lead-in's own place where there are none."""
    last = place
    end = lines[place].end
    first = ""
    for line in lines[place + 1 :]:
        is_below = "\n" in text[end : line.start]
        if line.mark or line.role in (LineRole.LEAD, LineRole.QUESTION) or not is_below:
            break
        said = text[line.start : line.end]
        if not _is_short(said) or (_ends(said) and last > place and not _ends(first)):
            break
        first = first or said
        if measure_printed_width(text[lines[place].start : line.end]) > LIST_CHARS:
            break
        last += 1
        end = line.end
    return last


def _ends(said: str) -> bool:
    return _SENTENCE_END.search(said) is not None


def _is_short(said: str) -> bool:
    """An item by itself, or several that no sentence ends, each on a line of its own."""
    if measure_printed_width(said) <= ITEM_CHARS:
        return True
    if _SENTENCE_END.search(said):
        return False
    return all(measure_printed_width(printed) <= ITEM_CHARS for printed in said.split("\n"))


def _item_chars(lines: Sequence[SentenceLine], first: int, last: int) -> float:
    items = _items(lines, first, last)
    return median(lines[after - 1].end - lines[item].start for item, after in pairwise([*items, last + 1]))


def _list(text: str, lines: Sequence[SentenceLine], lead: int, first: int, last: int) -> QuotedSpan:
    start = lines[lead].start
    places = _items(lines, first, last)
    # An item may go on in lines of its own: it ends where the next begins.
    ends = [lines[after - 1].end for after in places[1:]] + [lines[last].end]
    fitting = [end for end in ends if measure_printed_width(text[start:end]) <= LIST_CHARS]
    if len(fitting) == len(ends):
        return QuotedSpan(start, ends[-1])
    return QuotedSpan(start, fitting[-1] if fitting else lines[lead].end, len(ends))


def _says(line: SentenceLine) -> bool:
    return line.role in (LineRole.PROSE, LineRole.ITEM)


def _cut(text: str, line: SentenceLine, weights: Mapping[str, float]) -> tuple[int, int]:
    """A long sentence from the clause before the question's first word in it to the clause after the last."""
    start = line.start
    end = line.end
    if measure_printed_width(text[start:end]) <= LONG:
        return start, end
    parts = clauses(text, start, end)
    speaking = [
        at for at, (a, b) in enumerate(parts) if not weights.keys().isdisjoint(terms(fold(text[a:b])))
    ]
    if not speaking:
        return start, end
    first = parts[max(0, speaking[0] - 1)][0]
    last = parts[min(len(parts) - 1, speaking[-1] + 1)][1]
    return first, end if measure_printed_width(text[first:end]) <= ENDED else last
