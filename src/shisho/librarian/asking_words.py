"""The words that ask, in one spelling: what is typed in kana asks as kanji do. Pure."""

from __future__ import annotations

import re

# なん stands in そうなんです and なぜなんだろう as well, and なんで asks why: only behind what it is said of.
_SPELLINGS = (
    (
        re.compile(
            r"(?:(?<=[はてをがにでとも、。」』\s一-鿿])|^)なん(?=と[い言呼称名よゆ書訳]|て(?:い|言)(?:う|って))"
            r"|(?:(?<=[はてをがと、。」』\s])|^)なん(?=で(?:す|しょ|し[たょ])|[のか年月日人回度歳種時]|だ)"
        ),
        "何",
    ),
    (re.compile(r"(?<![ぁ-んー][いうおき])なに(?=[をがにかでもと家色語]|$|[?？。])"), "何"),
    (re.compile(r"(?<![ぁ-ん])だれ|(?<=[はがをにのとも、])だれ(?=[がでとにのをか]|$|[?？。])"), "誰"),
)
# What is counted, as it is said behind なん.
_COUNTED = {
    "にち": "日",
    "にん": "人",
    "かい": "回",
    "さい": "歳",
    "えん": "円",
    "がつ": "月",
    "ねん": "年",
    "ぷん": "分",
    "ようび": "曜日",
    "ぱく": "泊",
}
_HOW_MANY = re.compile(
    rf"(?:(?<=[はてをがにとでら、。」』\s])|^)なん(?:({'|'.join(_COUNTED)})|じ(?=[にかまご]|です|$|[?？]))"
)


def spell_asking_words(folded: str) -> str:
    """The folded question with what asks in kanji: 「Xはなんですか」「だれが」."""
    folded = _HOW_MANY.sub(lambda match: f"何{_COUNTED.get(match[1], '時')}", folded)
    for written, spelt in _SPELLINGS:
        folded = written.sub(spelt, folded)
    return folded
