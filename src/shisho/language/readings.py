"""Readings of Japanese words in hiragana, by the dictionary."""

from __future__ import annotations

from functools import lru_cache

from shisho.language.terms import tokenizer

_HIRAGANA = {code: code - 0x60 for code in range(ord("ァ"), ord("ヶ") + 1)}
# The dictionary gives a lone kanji its Japanese reading; at the end of a compound it usually has this one.
_LAST = {
    "力": "りょく",
    "率": "りつ",
    "数": "すう",
    "性": "せい",
    "法": "ほう",
    "量": "りょう",
    "都": "と",
    "県": "けん",
    "者": "しゃ",
    "会": "かい",
    "型": "がた",
    "値": "ち",
    "式": "しき",
    "語": "ご",
    "国": "こく",
    "人": "じん",
    "日": "び",
    "金": "きん",
    "物": "ぶつ",
}


def hiragana(text: str) -> str:
    """Return the text with katakana as hiragana."""
    return text.translate(_HIRAGANA)


@lru_cache(maxsize=100_000)
def readings(word: str) -> tuple[str, ...]:
    """Return the readings of a word; none if the dictionary does not know one."""
    tokens = [(token.surface(), hiragana(token.reading_form())) for token in tokenizer().tokenize(word)]
    plain = "".join(reading for _, reading in tokens)
    if not plain or not all("ぁ" <= character <= "ゖ" or character == "ー" for character in plain):
        return ()
    last, reading = tokens[-1]
    if len(tokens) > 1 and last in _LAST and reading != _LAST[last]:
        return plain, plain[: -len(reading)] + _LAST[last]
    return (plain,)
