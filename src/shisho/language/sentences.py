"""Sentence boundaries in the original text, in one pass.

It knows brackets, line ends and abbreviations.
"""

from __future__ import annotations

from shisho.language import compile_lazily

BRACKET_REACH = 300  # a bracket open for longer was never closed, and is ignored
SHORT_LINE = 0.6  # relative to its longer neighbour: the author, not the margin, ended such a line
ROW_REACH = 500  # characters within which a row of a table has a tab
WIDE = 20  # characters: shorter lines give no hint about margins

_OPENING = frozenset("「『（(【〔《〈[［“")
_CLOSING = frozenset("」』）)】〕》〉]］”")
# All characters that may begin an event come first, so that the search skips to them at once and tries
# nothing in between.
_EVENT = compile_lazily(
    r"[「『（(【〔《〈\[［“」』）)】〕》〉\]］”。！？︒｡⁉⁈‼⁇．.!?\n](?:"
    r"(?<=[「『（(【〔《〈\[［“」』）)】〕》〉\]］”])"
    r"|(?<=[。！？︒｡⁉⁈‼⁇])[。！？︒｡⁉⁈‼⁇]*[\"'’]*"
    r"|(?<=．)(?![0-9０-９A-Za-zＡ-Ｚａ-ｚ])"
    # Only from the first of a row of full stops, and with all of them: otherwise a long row is scanned once
    # for each of them.
    r"|(?<=[.!?])(?<![.!?]{2})[.!?]*+[\"'’]*+(?=[\s」』）)】\]”]|\Z)"
    r"|(?<=\n)[^\S\n]*(?:\n\s*)?"
    r")"
)
_ABBREVIATED = compile_lazily(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|Sen|Rep|Gov|Rev|Gen|Col|Capt|Lt|Sgt|Inc|Corp|Ltd|Figs?|Eqs?|Secs?|Ch|Chap|Vol|No|Nos|pp?|cf|vs|al|e\.g|i\.e|approx|St|Jr|Sr|Refs?|ca|resp)"
    r"|\b[A-Z]|(?:^|\n)\s*(?:[0-9]{1,3}\.)*[0-9]{1,3})\.$"
)
_LOWER_NEXT = compile_lazily(r"\s+[a-z]")
_MONTH = compile_lazily(r"\b(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.$")
_DAY_NEXT = compile_lazily(r"\s+[0-9]")
_HOUR = compile_lazily(r"\b[ap]\.m\.$")
# Words that can follow an hour: a day, a month, a time zone.
_AFTER_HOUR = compile_lazily(
    r"\s+(?:(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?s?\b"
    r"|(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)[a-z]*\b|[A-Z]{1,3}T\b|[0-9])"
)
_ITEM = compile_lazily(
    r"[・•●○■□◆◇▪▶‣※◦]|[-*+–—]\s|[(（]?[0-9０-９a-zA-Zア-ンⅰ-ⅻ]{1,3}[)）]|[0-9０-９]{1,3}[.．、]\s?\D|[①-⑳]"
    r"|第[0-9０-９一二三四五六七八九十百]+[章節条項部編]|#{1,6}\s"
)

_BRACKET = compile_lazily(r"[「『（(【〔《〈\[［“」』）)】〕》〉\]］”\n]")
_TABBED_MARK = compile_lazily(
    r"\s*(?:[^\w\s]|[(（]?[0-9０-９a-zA-Zア-ンⅰ-ⅻ]{1,3}[)）.．、:：]?|[①-⑳])\s*\t[^\t]*$"
)


def split_sentences(text: str) -> list[tuple[int, int]]:
    """Return the spans `text[start:end]` of sentences in order, without outer white space.

    Only white space is between them.
    """
    spans: list[tuple[int, int]] = []
    begin = 0
    depth = 0
    opened = 0
    for event in _EVENT.finditer(text):
        at, end = event.span()
        char = text[at]
        if char in _OPENING:
            if depth == 0 or at - opened > BRACKET_REACH:
                depth = 0
                opened = at
            depth += 1
        elif char in _CLOSING:
            depth = max(0, depth - 1)
        elif char == "\n":
            if _is_line_end(text, at, end, depth > 0 and at - opened <= BRACKET_REACH):
                _add(spans, text, begin, at)
                begin = end
                depth = 0
        elif (depth == 0 or at - opened > BRACKET_REACH) and not (char == "." and _is_inside(text, at, end)):
            end = _find_close(text, end)
            _add(spans, text, begin, end)
            begin = end
            depth = 0
    _add(spans, text, begin, len(text))
    return spans


def _add(spans: list[tuple[int, int]], text: str, begin: int, end: int) -> None:
    piece = text[begin:end]
    remaining = len(piece) - len(piece.lstrip())
    if remaining < len(piece):
        spans.append((begin + remaining, begin + len(piece.rstrip())))


def _find_close(text: str, end: int) -> int:
    # Brackets that never opened, or were given up, still belong to the sentence they close.
    while end < len(text) and text[end] in _CLOSING:
        end += 1
    return end


def _is_inside(text: str, at: int, end: int) -> bool:
    """Return whether this full stop does not end a sentence.

    It belongs to an abbreviation, a date, an initial or a number at the start of a line.
    """
    before = text[max(0, at - 12) : at + 1]
    if _MONTH.search(before) and _DAY_NEXT.match(text, end):
        return True
    if _HOUR.search(before):
        return bool(_LOWER_NEXT.match(text, end) or _AFTER_HOUR.match(text, end))
    return bool(_LOWER_NEXT.match(text, end) or _ABBREVIATED.search(before))


def is_row(line: str) -> bool:
    """Return whether a line is a row of a table, with tabs between its cells.

    After the mark of a list item a tab is a space.
    """
    return "\t" in line.strip() and not _TABBED_MARK.match(line)


def _is_in_table(text: str, at: int, end: int) -> bool:
    """Return whether a row of a table ends or begins here."""
    row = max(text.rfind("\n", max(0, at - ROW_REACH), at) + 1, at - ROW_REACH, 0)
    following = text.find("\n", end, end + ROW_REACH)
    return is_row(text[row:at]) or is_row(text[end : end + ROW_REACH if following < 0 else following])


def _is_closing(text: str, start: int) -> bool:
    """Return whether this line closes a bracket that was opened earlier.

    「ム）と比較」 does not begin with the mark of an item.
    """
    bracket = _BRACKET.search(text, start, start + BRACKET_REACH)
    return bracket is not None and bracket[0] in _CLOSING


def _is_line_end(text: str, at: int, end: int, in_brackets: bool) -> bool:
    """Return whether a line end was set by the author.

    It is before a blank line or an item, at a row of a table, or after a line far shorter than its neighbour.
    """
    if "\n" in text[at + 1 : end]:
        return True
    if text.startswith((": ", ":\t"), end):  # the definition of a term in a definition list
        return False
    if _ITEM.match(text, end) and not (in_brackets and _is_closing(text, end)):
        return True
    if _is_in_table(text, at, end):
        return True
    if in_brackets:
        return False
    line = at - text.rfind("\n", max(0, at - 500), at) - 1 if at else 0
    following = text.find("\n", end, end + 500)
    next_line = (len(text) if following < 0 else following) - end
    return next_line >= WIDE and line < SHORT_LINE * next_line
