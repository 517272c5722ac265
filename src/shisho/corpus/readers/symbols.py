"""Fonts whose letters are pictures, mapped to Unicode.

A ticked box of Wingdings is stored as 254 or U+F0FE, a β of Symbol as b. The tables are those of Adobe
(Symbol) and of Unicode's document N4384 (Wingdings).
"""

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
