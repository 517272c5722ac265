"""What a question is about: the thing that the next one may point back to."""

from __future__ import annotations

import re

from shisho.language.keywords import keywords
from shisho.language.terms import tokenizer
from shisho.librarian import asides

# Nouns that are asked of a thing, and are none themselves.
ATTRIBUTE = re.compile(
    r"定義|意味|欠点|利点|長所|短所|特徴|目的|理由|原因|方法|手順|やり方|使い方|例|具体例|種類|条件|要件|対策|対処|症状|結果|効果|影響|役割|歴史|由来|"
    r"起源|構造|仕組み|計算方法|求め方|公式|式|単位|人口|面積|首都|場所|住所|電話番号|連絡先|値段|価格|費用|料金|期限|期間|作者|著者|創業者|代表者|"
    r"メリット|デメリット|リスク|コスト|違い|関係|注意点|問題点|課題|背景|根拠|出典"
)
TIME = re.compile(
    r"(?:(?:昭和|平成|令和|大正|明治)(?:元|[0-9０-９一二三四五六七八九十]+)|[0-9０-９]{2,4})年度?(?:[0-9０-９]{1,2}月(?:[0-9０-９]{1,2}日)?)?"
    r"|[0-9０-９]{1,2}世紀|昨年度?|去年|今年度?|来年度?|一昨年|前年度?"
)
_TOPIC = re.compile(
    r"^(?P<topic>[^、。?？]{1,40}?)(?:とは|って|という(?:の|もの|言葉|用語)?は|(?<!で)(?<!に)は)"
)
_NAMED = re.compile(
    r"^(?P<topic>[^、。?？はがを]{1,40}?)(?:について|に関して|を(?:説明|教え|述べ)|の(?:違い|差|関係)|$)"
)
_CLAUSE = re.compile(r"(?:の|こと|とき|時|場合|もの|[るたいう])$")
_LEAD = re.compile(r"^(?:なぜか: |もう少し詳しく: |なぜ|どうして|何故)+")
_POLITE = re.compile(r"^(?:すみません|恐れ入りますが|ところで|では|じゃあ?)(?:が)?、?")


def topic_of(question: str) -> str:
    """The thing that a Japanese question asks about, as it names it; else its first noun. Empty where it
    names nothing."""
    bare = _POLITE.sub("", _LEAD.sub("", asides.strip_asides(question)))
    match = _TOPIC.match(bare) or _NAMED.match(bare)
    if match and not _CLAUSE.search(match["topic"]) and keywords(match["topic"]):
        return match["topic"].strip("「」『』 ")
    nouns = [word.text for word in keywords(bare) if word.noun and not word.text.isdecimal()]
    return next(iter(nouns), "")


def places(question: str) -> list[str]:
    """Names of places, in their order."""
    tokens = tokenizer().tokenize(question)
    return [token.surface() for token in tokens if "地名" in token.part_of_speech()]


def is_place(name: str) -> bool:
    """True for the name of a place and no more."""
    tokens = list(tokenizer().tokenize(name))
    return bool(tokens) and "地名" in tokens[0].part_of_speech() and len(tokens) <= 2
