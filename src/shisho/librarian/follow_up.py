"""Prefix a question with the earlier one that it clearly refers back to.

The earlier question is unchanged: the two are not merged into one sentence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from shisho.language.asking import is_asking_term, strip_asking
from shisho.language.keywords import count_nouns
from shisho.language.patterns import compile_lazily
from shisho.language.script import answer_language
from shisho.language.terms import fold, terms

JOINT = " → "  # between an earlier question and the one that refers back to it
MOST_EARLIER = 2  # questions of the prefix: the last ones of a long chain
FEW = 2  # words of “are there any fees?”, which does not say what the fees are for
_POINTING = compile_lazily(
    r"(?:それ|これ|あれ)(?!ぞれ|から|でも|では|とも|ほど|なり|ゆえ|なら|以)|(?:そこ|そちら|そいつ)(?!から)"
    r"|(?:その|この|あの)(?!他|ほか|まま|うち|よう|ため|後|ころ|頃|際|度|資料|文書|文献|本|冊子|論文|記事|章|節|ページ|図|表|サイト)"
    r"|彼女|彼(?!岸|方)|同(?:氏|社|書|法|年)|両者|前者|後者|双方"
)
_BARE_TOPIC = compile_lazily(r"[^、。は]{1,24}(?<!と)(?:は|って)(?:どう(?:です|でしょう|なの)?か?)?[?？。]*")
_LEAD = compile_lazily(
    r"(?:(?:それでは|それなら|では|じゃあ?|なら|ちなみに|そして|それで|あと|ところで|また|一方)、?)+"
)
_POINTING_ENGLISH = compile_lazily(
    r"\b(?:its?|they|them|theirs?|him|his|s?he|hers?|there|the (?:same|former|latter|two)|(?:this|that|these|those|such)"
    r"(?= (?:is|are|was|were|do|does|did|can|could|will|would|ones?|mean|so|true|right|possible|enough)\b|\W*$))\b",
    re.IGNORECASE,
)
# Expletive words without a referent: “is it true that”, “are there …”, “the form that was sent”.
_IDLE_ENGLISH = compile_lazily(
    r"\b(?:is|was|are|were|does|did|would|will) (?:it|there)\b(?= (?:an?|any|some|no|true|possible|takes?|cost|\w+ to)\b)"
    r"|(?<=\w )that (?:is|was|are|were)\b",
    re.IGNORECASE,
)
_GOES_ON_ENGLISH = compile_lazily(
    r"(?:and|but|or|so(?! (?:wh|how))|also|i meant?|(?:what|how) about|what (?:of|if|else)|anything else|are you sure)\b"
    r"|(?:please |can you |could you )*(?:tell me |say |explain )?(?:more|further|go on|continue|elaborate|in detail)\W*$"
    r"|(?:how (?:often|long|far|much|many|so|come)|since when|until when|what for)\W*$"
    rf"|(?:are|is) there (?:any|other|more) (?:[\w-]+\s*){{1,{FEW}}}\W*$",
    re.IGNORECASE,
)
_SENTENCE_END = compile_lazily(r"(?<=[.?!])\s+")
_CLAUSE_ENGLISH = compile_lazily(r",|\band\b|\bor\b|\bif\b|\bwhen\b")


def resolve(question: str, earlier: Sequence[str]) -> str:
    """Return the question after those that it refers back to, oldest first.

    Unchanged if independent.

    `earlier`: the resolved questions of the conversation, oldest first.
    """
    if not earlier or not refers_back(question):
        return question
    return JOINT.join([*earlier[-1].split(JOINT)[-MOST_EARLIER:], question])


def split_context(question: str) -> tuple[str, str]:
    """Return the prefix that `resolve` added, and the question."""
    context, _, request = question.rpartition(JOINT)
    return context, request


def refers_back(question: str) -> bool:
    """Return whether the question refers to something that it does not name, or names nothing."""
    if answer_language(question) == "en":
        return _refers_back_in_english(question)
    lead = _LEAD.match(question)
    bare = question[lead.end() :] if lead else question
    pointing = _POINTING.search(bare)
    if pointing and not count_nouns(bare[: pointing.start()]):
        return True
    return _BARE_TOPIC.fullmatch(bare) is not None or not count_nouns(bare)


def _refers_back_in_english(question: str) -> bool:
    sought = terms(fold(strip_asking(question)))
    if all(map(is_asking_term, sought)) or _GOES_ON_ENGLISH.match(question):
        return True
    asking = [part for part in _SENTENCE_END.split(question) if part.endswith("?")]
    pointing = _POINTING_ENGLISH.search(_IDLE_ENGLISH.sub("", " ".join(asking) or question))
    if pointing is None:
        return False
    clauses = _CLAUSE_ENGLISH.split(pointing.string[: pointing.start()])
    return len(clauses) == 1 or len(terms(fold(strip_asking(clauses[0])))) < 2
