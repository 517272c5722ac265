"""The language of a text, by its letters, and estimates of its length in tokens."""

from __future__ import annotations

import json
import re

from shisho.language import compile_lazily

_JAPANESE = compile_lazily("[ぁ-んァ-ヺ一-鿿々]")
_KANA = compile_lazily("[ぁ-んァ-ヺ]")
_LATIN = compile_lazily("[A-Za-z]")
_NAMED_LANGUAGE = compile_lazily(r"英語|英訳|和訳|日本語|\b(?:english|japanese|translat\w+)\b", re.IGNORECASE)
SHORT_ANSWER = 40  # letters of an answer that may consist of names only


def is_japanese(text: str) -> bool:
    """Return whether a text has kana or kanji."""
    return _JAPANESE.search(text) is not None


def answer_language(question: str) -> str:
    """Return the language for answering a question: `ja` if it has kana or kanji, else `en`."""
    return "ja" if is_japanese(question) else "en"


def is_in_language(answer: str, question: str) -> bool:
    """Return whether an answer is in the language of its question.

    True if there is no question, if it names a language, or for an answer so short that it may be a name.
    """
    if not question or _NAMED_LANGUAGE.search(question):
        return True
    kana, latin = len(_KANA.findall(answer)), len(_LATIN.findall(answer))
    if answer_language(question) == "ja":
        return latin < SHORT_ANSWER or is_japanese(answer)
    return kana <= latin


_WIDE = compile_lazily(r"[⺀-\u9fff가-\ud7ff豈-\ufaff！-￮\U00020000-\U0003ffff]")


FENCE_TOKENS = 30  # around a passage or a quotation in a prompt


def estimate_tokens(text: str) -> int:
    """Return an estimate, in tokens."""
    wide = len(_WIDE.findall(text))
    return wide + (len(text) - wide + 3) // 4


def estimate_row_tokens(text: str, heading: str) -> int:
    """Return an estimate of a passage's tokens in a JSON reply."""
    return estimate_tokens(json.dumps([text, heading], ensure_ascii=False)) + FENCE_TOKENS


def estimate_passage_tokens(text: str, heading: str) -> int:
    """Return an estimate of a passage's tokens in a prompt."""
    return estimate_tokens(text) + estimate_tokens(heading) + FENCE_TOKENS
