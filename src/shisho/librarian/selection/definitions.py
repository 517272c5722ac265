"""Questions that ask what something is, and sentences that say it. Pure."""

from __future__ import annotations

import re
from functools import lru_cache

from shisho.language.patterns import compile_lazily
from shisho.language.terms import ENGLISH_STOP

_LETTER = r"[一-鿿々〆ヶァ-ヺー・a-z0-9*+#./&'-]"
_NOUN = rf"(?<!{_LETTER}){_LETTER}+"
# 「Xとは」「Xって何」「Xの意味は」: the thing stands before, quoted or as one run of nouns.
_ASKED_JA = compile_lazily(
    rf"(?:[「『\"“]([^「『\"“」』”]{{1,40}})[」』\"”]|((?:{_NOUN}の)?{_NOUN}))"
    r"(?:とは|って(?:いうのは)?(?=[^。?？]{0,12}(?:何|なに|なん|どうい|どんな))|という(?:の|もの|言葉|用語|語|概念)?は|の(?:定義|意味)(?=[をは?？]|$)"
    r"|は(?=(?:何|なん)(?:です|でしょう)?か?[?？。]?$|何を(?:意味|指)))"
)
_THING_EN = r"(?:an? |the )?[\"“]?([\w*+-][\w\s*+'-]{1,40}?)[\"”]?"
_ASKED_EN = compile_lazily(
    rf"^(?:please )?(?:(?:what|who)(?: exactly)?(?: is| are|'s)(?: meant by| the meaning of)? {_THING_EN}\??$"
    rf"|define {_THING_EN}[?.]?$|what (?:does|do) {_THING_EN} (?:mean|stand for)\??$|how (?:is|are) {_THING_EN} defined\b)"
)
# "What is a workspace in uv?": what follows says where, not what.
_WITHIN_EN = compile_lazily(
    r"^(?:please )?what(?: exactly)?(?: is|'s) an? ([\w*+'-][\w\s*+'-]{0,40}?) in [\w\s.'-]{1,40}\??$"
)
# "What is the price of a ticket" asks for one of its properties.
_PROPERTY = compile_lazily(r" (?:of|for|per|in|to|is|are|does|do|did|has|have|can|must|should)\b")
_BEFORE_A_NAME = ENGLISH_STOP | {"called", "named", "termed", "defined"}
_IGNORED = str.maketrans("", "", "ー・ \t\n\u3000")


def find_defined_thing(question: str) -> str:
    """Return the thing whose meaning a folded question asks for; empty if it asks something else."""
    if match := _WITHIN_EN.match(question):
        return match[1]
    if match := _ASKED_EN.match(question):
        thing = next(filter(None, match.groups()), "")
        return "" if _PROPERTY.search(thing) else thing
    match = _ASKED_JA.search(question)
    thing = (match[1] or match[2]) if match else ""
    return thing.removesuffix("の定義").removesuffix("の意味")


def is_definition(thing: str, sentence: str) -> bool:
    """Return whether a folded sentence says what the thing is, and not what a longer name that ends in it
    is: average precision is another thing than precision."""
    for words in _name_with_word_before(thing).finditer(sentence):
        if words[1] not in _BEFORE_A_NAME:
            sentence = sentence.replace(words[0], " ")
    return _definition_of(thing.translate(_IGNORED)).search(sentence.translate(_IGNORED)) is not None


@lru_cache(maxsize=256)
def _name_with_word_before(thing: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z0-9'-])([a-z0-9'-]{{1,40}})\s{re.escape(thing)}")


@lru_cache(maxsize=256)
def _definition_of(thing: str) -> re.Pattern[str]:
    # A symbol may stand behind it: 「決定係数（R-squared）R² は、…の割合である。」
    # 平均適合率 is another thing than 適合率.
    is_noun = "一" <= thing[:1] <= "鿿" or "ァ" <= thing[:1] <= "ヺ"
    name = (
        rf"{'(?<![一-鿿々ァ-ヺ])' if is_noun else ''}[「『\"“]?{re.escape(thing)}(?:(?<=[a-z])s)?[」』\"”)）]?"
        r"(?:[(（][^)）]{1,60}[)）])?(?:[a-z][0-9²³]?(?![a-z]))?"
    )
    return re.compile(
        rf"{name}(?:とは|[:：–—]|(?:は|も)(?![0-9約])(?=.*(?:である|です|をいう|をいいます|を指す|を指します|という|こと|もの|の一種|の一つ)[。.]?$))"
        rf"|^\W*{name}(?:[-–—:：]|は[、,])"
        rf"|(?:を|が){name}(?:と(?:い[いうわっ]|言|呼|称|名付|定義)|という)|以下[、,]?[「『]?{re.escape(thing)}[」』]?と"
        rf"|{name}(?:is|are)(?:an?|the|defined|called)|(?:called|named|knownas|termed){name}"
        rf"|{name}[(（][^()（）]{{6,200}}(?:こと|をいう|を指す|の意)[。.]?"
    )
