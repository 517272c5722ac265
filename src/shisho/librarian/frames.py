"""Sentences that may stand in an answer without a citation, because they tell nothing: a closed list,
whatever was asked."""

from __future__ import annotations

import re

from shisho.language.terms import squeeze

# Headings: a word for a part of an answer, never for what the answer is about.
_HEADINGS = (
    "回答 答え 解答 結論 要点 要旨 要約 概要 まとめ 総括 結果 理由 根拠 背景 経緯 詳細 説明 解説 補足 参考 備考 "
    "注意 注意点 留意点 出典 引用 参考資料 参考文献 特徴 違い 相違点 共通点 類似点 "
    "比較 具体例 例 定義 手順 方法 概説 はじめに おわりに"
)
_ENGLISH_HEADINGS = (
    "answer|answers|short answer|conclusion|conclusions|summary|in summary|overview|in short|in brief|briefly|details|detail|"
    "reason|reasons|background|explanation|notes?|sources?|references?|quotations?|evidence|comparison|differences?|"
    "similarities|features|characteristics|examples?|definitions?|steps|method|to sum up|to summari[sz]e|in conclusion|"
    "first|second|third|finally|in detail|introduction"
)
_POLITE = "(?:です|である|になります|となります|でした)?"
_SHOWING = (
    "示します 示す 述べます 述べる まとめます まとめる 説明します "
    "説明する 記します 記す 挙げます 挙げる 答えます 答える 引用します"
)
_SHOW = f"(?:{'|'.join(_SHOWING.split())})"
_MATTER = f"(?:ご?質問への)?(?:{'|'.join(_HEADINGS.split())})"
_SOURCE = "(?:資料|文書|出典|記述|引用|文献|原文)"
_JAPANESE = re.compile(
    rf"(?:(?:{_MATTER}|これ|それぞれ)(?:は|を|について)?(?:、)?)?(?:以下|次|下記)の(?:通り|とおり|よう){_POLITE}"
    r"|(?:まとめると|要約すると|結論から(?:言うと|述べると|いうと)|整理すると|具体的には|要するに|すなわち)(?:、)?"
    rf"(?:(?:以下|次)の(?:通り|とおり|よう){_POLITE})?"
    rf"|(?:以下|次|下記)(?:に|で|では)(?:、)?{_MATTER}を(?:順に)?{_SHOW}"
    rf"|(?:以下|次)に{_SHOW}|順に{_SHOW}|(?:ご?質問に)(?:順に)?お?答え(?:します|いたします)"
    rf"|(?:これについて|この点について)?(?:、)?{_SOURCE}(?:に|で)?(?:は)?(?:以下|次)のように"
    r"(?:述べて|述べられて|書かれて|記されて|説明されて|記述されて)(?:います|いる)"
    rf"|{_SOURCE}(?:に|で)は(?:以下|次)の(?:通り|とおり){_POLITE}"
    rf"|{_SOURCE}による(?:説明|記述)は(?:以下|次)の(?:通り|とおり){_POLITE}"
    r"|(?:まず|次に|最後に|第一に|第二に|第三に|一方|また|なお|以上|以上です|以上になります)"
    rf"|(?:{'|'.join(_HEADINGS.split())})"
)
_ENGLISH = re.compile(
    rf"(?:{_ENGLISH_HEADINGS})"
    r"|(?:the )?(?:answers?|results?|details|main points|key points|points|reasons?|facts)(?: to (?:the|your) question)?"
    r" (?:is|are) as follows"
    r"|(?:this is |here is |here's )?(?:what )?the (?:documents?|sources?|passages?|quotations?) (?:says?|states?)"
    r"(?: the following)?"
    r"|(?:here (?:is|are)|below (?:is|are)) (?:the|a) (?:short |brief )?"
    r"(?:answers?|summary|overview|details|quotations?|main points)"
    r"|according to the (?:documents?|sources?|passages?)|as follows|in other words"
)
_DECORATION = re.compile(r"^[\s■●・◆◇□○▼▪※#*>\-–—【［\[(（<＜「]+|[\s。.、,:：;;!！*#】］\])）>＞」]+$")


def frame(sentence: str) -> bool:
    """True where a sentence is one of the list, with or without decoration."""
    bare = _DECORATION.sub("", sentence)
    if _JAPANESE.fullmatch(squeeze(bare)):
        return True
    return bool(_ENGLISH.fullmatch(" ".join(bare.casefold().split())))
