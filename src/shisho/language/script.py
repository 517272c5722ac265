"""Which language a text is in, by its letters."""

from __future__ import annotations

import re

_JAPANESE = re.compile("[ぁ-んァ-ヺ一-鿿々]")


def is_japanese(text: str) -> bool:
    """True for what has kana or kanji."""
    return _JAPANESE.search(text) is not None


def answer_language(question: str) -> str:
    """The language in which a question is answered: `ja` where it has kana or kanji, else `en`."""
    return "ja" if is_japanese(question) else "en"
