"""Sentences without content, which need no citation in an answer.

A closed list for every question.
"""

from __future__ import annotations

from shisho.language.patterns import compile_lazily
from shisho.language.terms import squeeze

# Headings: words for parts of an answer, never for its topic.
_MATTERS = (
    "回答 答え 解答 結論 要点 要旨 要約 概要 まとめ 総括 結果 理由 根拠 背景 経緯 詳細 説明 解説 補足 参考 備考 "
    "注意 注意点 留意点 出典 引用 参考資料 参考文献 特徴 違い 相違点 共通点 類似点 "
    "比較 具体例 例 定義 手順 方法 概説 はじめに おわりに"
)
_OPENINGS = "まとめると 要約すると 結論から言うと 整理すると 具体的には まず 次に 最後に 一方 また なお 以上"
_ENGLISH = (
    "answer|answers|short answer|conclusion|conclusions|summary|in summary|overview|in short|in brief|details|reasons|"
    "background|explanation|note|notes|sources|references|quotations|evidence|comparison|differences|similarities|"
    "features|examples|definition|definitions|steps|method|to sum up|in conclusion|first|second|third|finally|"
    "introduction|as follows|in other words"
)
_WORDS = frozenset((*_MATTERS.split(), *_OPENINGS.split(), *_ENGLISH.split("|")))
_MATTER = _MATTERS.replace(" ", "|")
_LEAD_IN = compile_lazily(
    rf"(?:(?:{_MATTER}|これ|それぞれ)(?:は|を)?)?(?:以下|次|下記)の(?:通り|とおり|よう)(?:です|である|になります|となります)?"
    rf"|(?:以下|次|下記)[にで](?:(?:{_MATTER})を)?(?:示|述べ|まとめ|説明|記|挙げ|答え|引用)し?(?:ます|する|す|る)"
    r"|(?:資料|文書|出典|文献|原文)には?(?:以下|次)のように(?:述べ|述べられ|書かれ|記され|説明され)て(?:います|いる)"
    r"|(?:the )?(?:answers?|results?|details|reasons?|(?:main |key )?points) (?:is|are) as follows"
    r"|the (?:documents?|sources?|passages?|quotations?) (?:says?|states?)(?: the following)?"
    r"|(?:here|below) (?:is|are) (?:the|a) (?:short |brief )?(?:answers?|summary|overview|details|quotations?|main points)"
    r"|according to the (?:documents?|sources?|passages?)"
)
_DECORATION = compile_lazily(r"^[\s■●・◆◇□○▼▪※#*>\-–—【［\[(（<＜「]+|[\s。.、,:：;;!！*#】］\])）>＞」]+$")


def frame(sentence: str) -> bool:
    """Return whether a sentence is one of the list, with or without decoration."""
    bare = _DECORATION.sub("", sentence)
    forms = (squeeze(bare), " ".join(bare.casefold().split()))
    return any(form in _WORDS or _LEAD_IN.fullmatch(form) for form in forms)
