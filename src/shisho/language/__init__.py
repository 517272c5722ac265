"""Analysis of Japanese and English text: folding, sentences, terms, numbers and dates.

Pure; imports no other package of Shisho. This module tells the language of a text and estimates its tokens.
Regular expressions are compiled at their first use, because compiling all of them would take a third of a
command's start-up time.
"""

from __future__ import annotations

import json
import re
from typing import Any, AnyStr, cast


class LazyPattern:
    """A lazy pattern, which is compiled at its first use and delegates to the compiled one."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # copying and pickling ask before there are any fields
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self._flags)
        value = getattr(compiled, name)
        self.__dict__[name] = value
        return value


def compile_lazily(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a pattern that is compiled at its first use. An error in it shows only then."""
    return cast("re.Pattern[AnyStr]", LazyPattern(pattern, flags))


def read_words(*lines: str) -> frozenset[str]:
    """Return the set of whitespace-separated words in the lines."""
    return frozenset(word for line in lines for word in line.split())


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
