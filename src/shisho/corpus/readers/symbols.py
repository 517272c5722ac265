"""Letters that are stored as others: raised and lowered ones, and fonts of pictures."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

_NO_LETTERS = ("Cc", "Cn", "Co", "Cs")
_PRIVATE = 0xF000  # where Windows has the letters of such a font


def _from(start: int, letters: str) -> dict[int, str]:
    return {code: letter for code, letter in enumerate(letters, start) if letter != " "}


_SYMBOL = {
    **_from(0x20, " ! # %& ()∗+,−./0123456789:;<=>?"),
    **{0x22: "∀", 0x24: "∃", 0x27: "∋"},
    **_from(0x40, "≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_"),
    **_from(0x61, "αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"),
    **_from(0xA1, "ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…"),
    **_from(0xC4, "⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊"),
    **{0xE5: "∑", 0xF2: "∫"},
}
_WINGDINGS = {
    **_from(0x21, "✏✂✁"),
    **_from(0x28, "☎✆✉"),
    **_from(0x41, "✌👌👍👎☜☞☝☟✋☺😐☹💣☠"),
    **_from(0x6C, "●❍■□ ❑❒⬧⧫◆❖⬥"),
    **_from(0x80, "⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿"),
    **_from(0x9E, "·•"),
    **_from(0xA1, "○  ◉◎ ▪□ ✦★✶✴✹✵"),
    **_from(0xD8, "➢"),
    **_from(0xDF, "←→↑↓↖↗↙↘ ➔"),
    **_from(0xEF, "⇦⇨⇧⇩⇔⇳"),
    **_from(0xFB, "✗✓☒☑"),
}
_WINGDINGS_2 = {
    **_from(0x4F, "✗✓☒☑☒"),
    **_from(0x69, "⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿"),
    **{0xA3: "□"},
}
_FONTS: Mapping[str, Mapping[int, str]] = {
    name: table | {_PRIVATE + code: letter for code, letter in table.items()}
    for name, table in {"symbol": _SYMBOL, "wingdings": _WINGDINGS, "wingdings 2": _WINGDINGS_2}.items()
}


def write_symbol(code: str, font: str | None) -> str:
    """Return the letter of a hexadecimal code; "" if it is unknown."""
    try:
        letter = write_symbols(chr(int(code, 16)), font)
    except (ValueError, OverflowError):
        return ""
    return "" if unicodedata.category(letter[0]) in _NO_LETTERS else letter


def write_symbols(text: str, font: str | None) -> str:
    """Return the text as the font draws it; unchanged for other fonts."""
    table = _FONTS.get((font or "").casefold())
    return text.translate(table) if table else text


_RAISED = str.maketrans("0123456789+-−=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ")
_LOWERED = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")


def write_raised(text: str) -> str:
    return _translate_letters(text, _RAISED, "^")


def write_lowered(text: str) -> str:
    return _translate_letters(text, _LOWERED, "_")


def write_placed(text: str, place: str | None) -> str:
    """Return the text of a run by its position in an office file.

    `superscript`, `subscript`, or on the line.
    """
    if place == "superscript":
        return write_raised(text)
    return write_lowered(text) if place == "subscript" else text


def _translate_letters(text: str, table: dict[int, int], mark: str) -> str:
    """Return the letters raised or lowered.

    White space around the letters stays on the line: a run of an office file may contain some.
    """
    letters = text.strip()
    if not letters:
        return text
    is_covered = all(ord(char) in table for char in letters)
    return text.replace(letters, letters.translate(table) if is_covered else f"{mark}{letters}", 1)
