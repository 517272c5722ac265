"""Sentences that say what a thing is, and the questions that nothing else answers. Pure rules by form."""

from __future__ import annotations

import re
from functools import lru_cache

_LEFT_OUT = str.maketrans("", "", "ー・")
_WHAT_IS = re.compile(
    r"(?:とは|って)、?(?:一体|いったい)?(?:何|なに|なん)(?:です|でしょう|のこと|なの|だ)*か?[。?？]*$"
)
# Which of several is asked, not what it is: 「1825年に導入された主義とは何か」.
_WHICH_ONE = re.compile(r"(?:た|いる|れる)[一-鿿々ァ-ヺー]{2,}(?:とは|って)")


def is_asked_for(folded_question: str) -> bool:
    """True for 「Xとは何か」, 「Xって何」, where no clause tells the thing from others."""
    return _WHAT_IS.search(folded_question) is not None and not _WHICH_ONE.search(folded_question)


def defines(thing: str, line: str) -> bool:
    """True where a folded sentence says what the thing is."""
    return _definition(_spelt_alike(thing)).search(_spelt_alike(line)) is not None


def _spelt_alike(text: str) -> str:
    """Without white space and what is often left out of katakana: インターバル is インタバル."""
    return "".join(text.split()).translate(_LEFT_OUT)


@lru_cache(maxsize=256)
def _definition(name: str) -> re.Pattern[str]:
    # Its sign may stand behind it: 「決定係数（R-squared）R² は、…の割合である。」
    thing = rf"[「『\"“]?{re.escape(name)}(?:(?<=[a-z])s)?[」』\"”)）]?(?:[(（][^)）]{{1,60}}[)）])?(?:[a-z][0-9²³]?(?![a-z]))?"
    return re.compile(
        rf"{thing}(?:とは|[:：–—]|(?:は|も)(?=.*(?:である|です|をいう|をいいます|を指す|を指します|という|こと|もの|の一種|の一つ)[。.]?$))"
        rf"|^(?:[^\w]*){thing}(?:[-–—:：]|は[、,])"
        rf"|(?:を|ことを|のを|ものを|が){thing}(?:と(?:い[いうわっ]|言|呼|称|名付|定義)|という)"
        rf"|以下[、,]?{thing}と|{thing}(?:is|are)(?:an?|the|defined|called)"
        rf"|(?:called|named|knownas|termed){thing}"
    )
