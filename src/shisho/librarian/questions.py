"""Parse what a question asks for: its kind of answer, the words it will be known by, the figures and
names it insists on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise

from shisho.language.numbers import Figures, figures
from shisho.language.terms import fold, pairs, terms


class AnswerKind(StrEnum):
    """The kind of thing that a sentence must hold to be an answer."""

    REASON = "reason"
    TIME = "time"
    PERSON = "person"
    AMOUNT = "amount"
    PLACE = "place"
    DEFINITION = "definition"
    NAME = "name"
    THING = "thing"


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """A question as it is compared with sentences. `unit` is the noun counted or classified: 何論 gives 論, 何県
    gives 県."""

    kind: AnswerKind
    terms: tuple[str, ...]
    neighbours: tuple[tuple[str, str], ...]
    pairs: frozenset[str]
    figures: Figures
    quoted: tuple[str, ...]
    unit: str
    folded: str


_COUNTED = (
    "人|名|個|回|本|匹|度|歳|才|社|[カかヶヵケ]国|[カかヶヵケ]月|[カか]所|km|kg|cm|mm|m|%|パーセント|メートル|キロ|円|ドル|つ|種|番|件|位|倍|分|秒|時間|"
    "年間|割|議席|票|隻|頭|巻|話|色|字|文字|ページ|トン|ヘクタール|層|階|世|代目|日間|点|枚|台|校|冊|曲|作|試合|リットル|グラム"
)
# The first kind whose pattern is found is the kind of the question.
_KINDS: tuple[tuple[AnswerKind, re.Pattern[str]], ...] = (
    (
        AnswerKind.REASON,
        re.compile(r"なぜ|何故|どうして|なんで|理由|原因|要因|\bwhy\b|\breasons?\b|\bcauses?\b"),
    ),
    (
        AnswerKind.TIME,
        re.compile(
            r"いつ|何(?:年(?!間)|月|日(?!間)|時(?!間)|曜日|世紀|年代)|時期|年号|西暦|どの時代|\bwhen\b"
            r"|\b(?:what|which|in what) (?:year|date|day|month|century|decade)"
        ),
    ),
    (
        AnswerKind.PERSON,
        re.compile(r"誰|だれ|何者|人物|氏名|何という人|\bwho(?:m|se)?\b|\bwhich (?:person|author|scientist)"),
    ),
    (
        AnswerKind.AMOUNT,
        re.compile(
            rf"いくつ|いくら|幾つ|何(?:{_COUNTED})|何[十百千万]|どれ(?:くらい|ぐらい|ほど|だけ)|どの(?:くらい|ぐらい|程度|ほど)|割合|人口|面積|"
            r"(?:高さ|長さ|重さ|重量|深さ|距離|温度|気温|速度|数|年齢|価格|金額)は"
            r"|\bhow (?:many|much|long|far|old|high|tall|large|big|deep|often|fast)\b"
            r"|\bwhat (?:percentage|percent|number|proportion)"
        ),
    ),
    (
        AnswerKind.PLACE,
        re.compile(
            r"どこ|何処|場所は|何(?:県|市|州|国|区|町|村|駅|島|大陸|地方)|どの(?:国|都市|地域|県|州|街|町|大陸|地方|島)"
            r"|\bwhere\b|\b(?:what|which) (?:country|city|state|place|town|continent)"
        ),
    ),
    (
        AnswerKind.DEFINITION,
        re.compile(
            r"とは(?:何|なに|なん|どの|どう|どんな|$|[?？。、])|(?:意味|定義)[はをす]|って(?:何|なに)"
            r"|^what (?:is|are) (?:an? |the )?[\w\s-]{2,40}\??$|\bdefin|\bmean"
        ),
    ),
    (
        AnswerKind.NAME,
        re.compile(
            r"何と(?:い[いうっ]|言|呼|称|名)|何という|(?:名称|呼び名|通称|別名|略称|愛称|名前)は|と(?:呼ばれる|いう|言われる)の[はが]"
            r"|\bwhat (?:name|is the name)|\bcalled\b"
        ),
    ),
)

_TIME_WORD = re.compile(
    r"世紀|年代|[0-9一二三四五六七八九十][年月日時]|元年|時代|[初中後末]期|以[降前後]|直[後前]|[上中下]旬|[春夏秋冬]|頃|\b(?:1[0-9]{3}|20[0-9]{2})s?\b"
    r"|\b(?:january|february|march|april|june|july|august|september|october|november|december|centur)"
)
_AMOUNT_WORD = re.compile(
    r"[0-9]|[一二三四五六七八九十百千万億兆](?=[^一-鿿]|[人個回本匹度歳才社国つ種番件位倍分秒時年か月割票隻名頭巻話色字層階])|半分|半数|複数|多数"
    r"|\b(?:half|double|twice|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|hundred|thousand|million)\b"
)
_REASON_WORD = re.compile(
    r"ため|(?<=[のるた])為|から(?:[、。]|である|だ)|ので|こと(?:により|によって|で)|により|によって|による|理由|原因|要因|きっかけ|せいで|おかげ|目的|結果|よって"
    r"|\bbecause|\bdue to|\bsince\b|\bin order to|\breason|\bowing|\bcaused?\b|\bso that|\btherefore"
)
_DEFINING = re.compile(
    r"とは|こと(?:である|をいう|を指す|です|を示す|。)|(?:と(?:いう|呼ぶ|呼ばれ|称|定義)|をいう|を指す|を意味|を表す|を示す)|(?:である|です|の一種|の一つ)。?$"
    r"|\b(?:is|are) (?:an? |the |defined|called)|\bmeans\b|\brefers? to|\bdefined as|\bknown as"
)
_NAMING = re.compile(
    r"呼[ばびぶん]|と(?:いう|い[いわっ]|言|称|名付)|通称|別名|略称|愛称|名称|「|『|とも|\b(?:called|named|known as|termed)\b"
)
_PLACE_WORD = re.compile(
    r"[一-鿿ァ-ヶー]*[国県市州区町村島駅都府道部湾湖山海港寺城宮川]|[ァ-ヶー]{3,}|地方|地域|半島|大陸"
    r"|\b(?:in|at|near|from) [a-z]"
)
_NAME_WORD = re.compile(r"[ァ-ヶー・]{3,}|[一-鿿々]{2,}|[a-z][a-z'-]+ [a-z][a-z'-]+")
_UNIT = re.compile(r"何([一-鿿ァ-ヶー]{1,6}|[a-z%]+)")
_QUOTED = re.compile(r"[「『\"“]([^」』\"”]{2,60})[」』\"”]")
# Words that ask, name the asking, or carry no meaning of their own, as index terms are written.
_ASKING = frozenset(
    word
    for line in (
        "何 誰 何れ 何時 何処 何方 幾つ 幾ら 何故 如何 言う 呼ぶ 称する 為る 成る 有る 居る 出来る 事 物 所 時",
        "名前 名称 呼び名 名 意味 どの どんな 此の 其の 其れ 此れ 此処 そう 良い 答える 教える 説明 述べる 下さる 知る 御",
        "さん の 為 因る 於く 就く 対する 関する か月",
        "mani much were would could should may might tell explain describ name call mean give find say ani some pleas",
    )
    for word in line.split()
)


@lru_cache(maxsize=256)
def read(question: str) -> ParsedQuestion:
    """A question, read once."""
    folded = fold(question)
    words = terms(folded)
    told_words = [word for word in words if word not in _ASKING] or words
    kept_words = set(told_words)
    neighbours = [(a, b) for a, b in pairwise(words) if a in kept_words and b in kept_words and a != b]
    counted = _UNIT.search(folded)
    return ParsedQuestion(
        kind=next((kind for kind, pattern in _KINDS if pattern.search(folded)), AnswerKind.THING),
        terms=tuple(dict.fromkeys(told_words)),
        neighbours=tuple(dict.fromkeys(neighbours)),
        pairs=frozenset(pairs(folded)),
        figures=figures(question),
        quoted=tuple(fold(phrase) for phrase in _QUOTED.findall(question)),
        unit=counted[1] if counted else "",
        folded=folded,
    )


def answers(question: ParsedQuestion, sentence: str) -> bool:
    """True where a folded sentence holds something of the kind asked for that the question did not bring
    itself."""
    if question.kind is AnswerKind.REASON:
        return _REASON_WORD.search(sentence) is not None
    if question.kind is AnswerKind.DEFINITION:
        return _DEFINING.search(sentence) is not None
    if question.kind is AnswerKind.NAME:
        return _NAMING.search(sentence) is not None
    word = _WORD_OF.get(question.kind)
    return word is None or any(match[0] not in question.folded for match in word.finditer(sentence))


_WORD_OF = {
    AnswerKind.TIME: _TIME_WORD,
    AnswerKind.AMOUNT: _AMOUNT_WORD,
    AnswerKind.PLACE: _PLACE_WORD,
    AnswerKind.PERSON: _NAME_WORD,
}
