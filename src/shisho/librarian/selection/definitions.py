"""Questions that ask what something is, and sentences that say it. Pure."""

from __future__ import annotations

import re
from functools import lru_cache

_NOUN = r"[一-鿿々〆ヶァ-ヺー・a-z0-9*+#./&'-]+"
# 「Xとは」「Xって何」「Xの意味は」: the thing stands before, quoted or as one run of nouns.
_ASKED_JA = re.compile(
    rf"(?:[「『\"“]([^「『\"“」』”]{{1,40}})[」』\"”]|((?:{_NOUN}の)?{_NOUN}))"
    r"(?:とは|って(?:いうのは)?(?=[^。?？]{0,12}(?:何|なに|なん|どうい|どんな))|という(?:の|もの|言葉|用語|語|概念)?は|の(?:定義|意味)(?=[をは?？]|$)"
    r"|は(?=(?:何|なん)(?:です|でしょう)?か?[?？。]?$|何を(?:意味|指)))"
)
_THING_EN = r"(?:an? |the )?[\"“]?([\w*+-][\w\s*+'-]{1,40}?)[\"”]?"
_ASKED_EN = re.compile(
    rf"^(?:please )?(?:(?:what|who)(?: exactly)?(?: is| are|'s)(?: meant by| the meaning of)? {_THING_EN}\??$"
    rf"|define {_THING_EN}[?.]?$|what (?:does|do) {_THING_EN} (?:mean|stand for)\??$|how (?:is|are) {_THING_EN} defined\b)"
)
# "What is the price of a ticket" asks for one of its properties.
_PROPERTY = re.compile(r" (?:of|for|per|in|to|is|are|does|do|did|has|have|can|must|should)\b")
_IGNORED = str.maketrans("", "", "ー・ \t\n\u3000")


def find_defined_thing(question: str) -> str:
    """Return the thing whose meaning a folded question asks for; empty if it asks something else."""
    if match := _ASKED_EN.match(question):
        thing = next(filter(None, match.groups()), "")
        return "" if _PROPERTY.search(thing) else thing
    match = _ASKED_JA.search(question)
    thing = (match[1] or match[2]) if match else ""
    return thing.removesuffix("の定義").removesuffix("の意味")


def is_definition(thing: str, sentence: str) -> bool:
    """Return whether a folded sentence says what the thing is."""
    return _definition_of(thing.translate(_IGNORED)).search(sentence.translate(_IGNORED)) is not None


@lru_cache(maxsize=256)
def _definition_of(thing: str) -> re.Pattern[str]:
    # A symbol may stand behind it: 「決定係数（R-squared）R² は、…の割合である。」
    name = rf"[「『\"“]?{re.escape(thing)}(?:(?<=[a-z])s)?[」』\"”)）]?(?:[(（][^)）]{{1,60}}[)）])?(?:[a-z][0-9²³]?(?![a-z]))?"
    return re.compile(
        rf"{name}(?:とは|[:：–—]|(?:は|も)(?=.*(?:である|です|をいう|をいいます|を指す|を指します|という|こと|もの|の一種|の一つ)[。.]?$))"
        rf"|^\W*{name}(?:[-–—:：]|は[、,])"
        rf"|(?:を|が){name}(?:と(?:い[いうわっ]|言|呼|称|名付|定義)|という)|以下[、,]?{name}と"
        rf"|{name}(?:is|are)(?:an?|the|defined|called)|(?:called|named|knownas|termed){name}"
        rf"|{name}[(（][^()（）]{{6,200}}(?:こと|をいう|を指す|の意)[。.]?"
    )
