"""Classification of a printed line by its text.

A list item, a caption, a formula, a number before a heading, the end of a sentence.
"""

from __future__ import annotations

import re

_NUMERAL = "[一二三四五六七八九十百0-9０-９]+"
_COUNT = "(?:[0-9０-９]{1,3}|[ivxIVX]{1,4}|[a-zA-Zア-ンⅰ-ⅹ])"
_BULLET = re.compile(r"\s*(?:[・•●○■□◆◇▪▶‣※◦–—]|[-*]\s)")
_COUNTED = re.compile(rf"\s*(?:[(（]?{_COUNT}[)）.．、]\s?(?=\D)|[①-⑳]|第{_NUMERAL}[章節条項])")

_LABEL = re.compile(r"\s*\S{0,4}[0-9０-９]\S{0,4}\s")

_CAPTION = re.compile(
    r"(?:図表|図|表|写真|グラフ|Figure|Fig\.|Table|Listing|Algorithm)\s?[0-9０-９A-Z]{1,3}(?:[.\-－．][0-9０-９]{1,3})*"
    r"(?P<after>.*)",
    re.S,
)
# 「図 1 に示す」 continues with a particle: it is not a caption.
_AFTER = re.compile(r"\s*[:：.．]\s*\S|\s+(?!(?:[はがをにでとのもへ]|から|より)[^ァ-ヶ])[^\x00-\x7f]")
_FIGURE = re.compile(r"図(?!表)|写真|グラフ|Fig")

_CHAPTER = re.compile(rf"第{_NUMERAL}(?P<unit>[部編章節款])")
_SECTION = re.compile(
    r"[A-Z]?(?P<number>[0-9０-９]{1,2}(?:[.．\-－][0-9０-９]{1,2}){0,4})(?:[.．、]\s?(?=\D)|\s+)(?=\S)"
)
_APPENDIX = re.compile(
    r"[A-Z](?P<number>(?:\.[0-9]{1,2}){1,3})\s+(?=\S)|(?:Appendix|付録|附則|別表)\s*[A-Z0-9]?"
)
_UNITS = {"部": 0, "編": 0, "章": 1, "節": 2, "款": 3}

_MATHS = re.compile("[=≈≃≠≤≥<>∑∏∫√±×÷⋅∂∇∈∞+−^\U0001d400-\U0001d7ff]")
_FORMULA = re.compile("[=∑∏∫√\U0001d400-\U0001d7ff]")
_WORD = re.compile(r"[A-Za-zÀ-ɏ]{4,}|[ぁ-ゖァ-ヺ一-鿿々ｦ-ﾟ가-힣]{2,}|[Ѐ-ӿ֐-ۿ]{3,}")
_LETTER = re.compile(r"[^\W\d_]")
_LEADER = re.compile(r"[.…‥・·]{3,}")  # of a table of contents
_CONTENTS = re.compile(
    r"(?:[.．…‥・·]\s?){4,}\s*[(（\-]?\s*(?:[0-9０-９]{1,4}|[ivxlcIVXLC]{1,7})\s*[)）\-]?\s*$"
)
_ENDED = re.compile(r"[。．.!?！？︒:：][」』”’\"）)】\]]*$")
_PAUSED = re.compile(r"[、，,;；]$")

SCRAP = 3  # characters of a piece of a formula that is too short to be classified


def is_contents_line(text: str) -> bool:
    """Return whether a line has a title, dots, and a page number."""
    return bool(_CONTENTS.search(text))


def is_bullet(text: str) -> bool:
    return bool(_BULLET.match(text))


def is_item(text: str) -> bool:
    return bool(_BULLET.match(text) or _COUNTED.match(text))


def has_label(text: str) -> bool:
    """Return whether a mark or a number precedes the words: 「２ 前項」, 「[例１] 通勤」."""
    return is_item(text) or bool(_LABEL.match(text))


def has_ended(text: str) -> bool:
    return bool(_ENDED.search(text.rstrip()))


def is_caption(text: str) -> bool:
    """Return whether a line is a caption: 「表 1: 平均」, not the sentence 「表1は平均である」."""
    match = _CAPTION.match(text)
    return bool(match and _AFTER.match(match["after"]))


def is_figure(caption: str) -> bool:
    return bool(_FIGURE.match(caption))


def is_formula(text: str) -> bool:
    """Return whether a text consists of signs and single letters, and contains no word."""
    return not _WORD.search(text) and bool(_MATHS.search(text))


def is_fragment(text: str) -> bool:
    return len("".join(text.split())) <= SCRAP or is_formula(text)


def is_wordless(text: str) -> bool:
    return not _LETTER.search(text)


def parse_depth(text: str) -> int | None:
    """Return the depth of the number before a heading, or None.

    1 for 「3 」 and 「第3章」, 2 for 「3.1 」 and 「第1節」.
    """
    if match := _CHAPTER.match(text):
        return _UNITS[match["unit"]]
    if match := _SECTION.match(text) or _APPENDIX.match(text):
        return 1 + len(re.findall(r"[.．\-－]", match["number"] or ""))
    return None


def can_be_heading(text: str) -> bool:
    """Return whether a text can be a heading.

    It has words, no final punctuation, no dots that lead to a page number, and is not a formula.
    """
    text = text.strip()
    if _ENDED.search(text) or _PAUSED.search(text) or _LEADER.search(text) or is_caption(text):
        return False
    number = _CHAPTER.match(text) or _SECTION.match(text)
    solid = "".join(text[number.end() if number else 0 :].split())
    letters = len(_LETTER.findall(solid))
    return not _FORMULA.search(solid) and 2 * letters >= len(solid) and _is_named(solid, letters)


def _is_named(solid: str, letters: int) -> bool:
    return letters > 1 or any("一" <= letter <= "鿿" for letter in solid)
