"""The kind of thing that a question asks for, and what a sentence must hold to bring it. Pure rules over
folded text."""

from __future__ import annotations

import re
from enum import StrEnum

from shisho.language.names import names
from shisho.librarian import definitions


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


_DATE_UNITS = r"年(?![間分])|月|日(?!間)|曜日|世紀|年代"
_COUNTED = (
    "人|名|個|回|本|匹|度|歳|才|社(?!会|員|長)|[カかヶヵケ][国月所]|[a-z]{1,4}(?![a-z])|%|パーセント|メートル|キロ|円|ドル|つ|種|番|件|位|倍|分|秒|時間|"
    "年[間分]|割|議席|票|隻|頭|巻|話|色(?=あ|使|から)|字|文字|ページ|トン|ヘクタール|層|階|世|代目|日間|点|枚|台|校|冊|曲|作|試合|リットル|グラム"
)
_LASTS = "(?:くらい|ぐらい|ほど)?(?:かか|掛か|待[たちつ]|続[いく]|必要)"  # 「何日かかるか」 asks for a length
# The first kind whose pattern is found is the kind of the question.
_KINDS: tuple[tuple[AnswerKind, re.Pattern[str]], ...] = (
    (
        AnswerKind.REASON,
        re.compile(
            r"なぜ|何故|どうして(?!も)|なんで(?!す|しょ|し[たょ]|あ|も)|(?:理由|原因|要因)(?!は、.*何[がをに]|[とに]な(?:った|る|っている|っていた)[一-鿿ァ-ヺー])|[たるいの](?:訳|わけ)(?:は|を|が|$|\?)|\bwhy\b|\breasons?\b|\bcauses?\b"
        ),
    ),
    (
        AnswerKind.TIME,
        re.compile(
            rf"いつ(?!も|しか|の間に)|何(?:{_DATE_UNITS}|時(?!間))(?!も(?!ら)|{_LASTS})|時期|年号|西暦|どの時代|\bwhen\b"
            r"|\b(?:what|which|in what) (?:year|date|day|month|century|decade|time(?! (?:period|zone|frame|span)))"
        ),
    ),
    (
        AnswerKind.PERSON,
        re.compile(
            r"誰(?!でも|も|か[をにへと])|どなた|どの人|何者|人物|氏名|何という人|[人性者]の(?:お)?名前"
            r"|\bwho(?:m|se)?\b|\bwhich (?:person|author|scientist)"
        ),
    ),
    (
        AnswerKind.AMOUNT,
        re.compile(
            rf"いくつ|いくら|幾[つ人日度]|何[日年]{_LASTS}|何(?:{_COUNTED})(?!も(?!ら))|何[十百千万]|どれ(?:くらい|ぐらい|ほど|だけ)|どの(?:くらい|ぐらい|程度|ほど)|割合|人口|面積|"
            r"(?:高さ|長さ|重さ|重量|深さ|距離|温度|気温|速度|数|年齢|価格|金額)は"
            r"|\bhow (?:many|much|long|far|old|high|tall|large|big|deep|often|fast)\b"
            rf"|\bwhat (?:percentage|percent|number|proportion)|\bwhat(?: is|'s| are) the {definitions.ENGLISH_FIGURE}"
        ),
    ),
    (
        AnswerKind.PLACE,
        re.compile(
            r"どこ(?!まで|でも|にも|も|か[にでへを])|何処|場所は|何(?:県|市|州|国|区|町|村|駅|島|大陸|地方)|どの(?:国|都市|地域|県|州|街|町|大陸|地方|島)"
            r"|\bwhere\b|\b(?:what|which) (?:country|city|state|place|town|continent)"
        ),
    ),
    (
        AnswerKind.DEFINITION,
        re.compile(
            r"とは(?:何|なに|なん|どの|どう|どんな|$|[?？。、])|とい(?:う|った)(?:の|もの|言葉|用語|語)?は[^。]{0,12}(?:何|どう|どんな|どのよう)|(?:意味|定義)[はをす]|って(?:何|なに)"
            rf"|{definitions.SPOKEN}|{definitions.AT_LAST}|は(?:何|なに|なん)[^。?？]{{0,24}}(?:呼び名|呼び方|総称)"
            r"|^what(?: exactly)?(?: is| are|'s) (?:an? |the )?[\w\s-]{2,40}\??$|\bdefin|\bmean|\bstands? for\b"
        ),
    ),
    (
        AnswerKind.NAME,
        re.compile(
            r"何(?:[一-鿿ァ-ヺー]{1,6})?と(?:い[いうっ]|言|呼|称|名)|何という|(?:名称|呼び名|通称|別名|略称|愛称|名前)は|と(?:呼ばれる|いう|言われる)の[はが]"
            r"|\bwhat (?:name|is the name)|\bcalled\b"
        ),
    ),
)

_TIME_WORD = re.compile(
    r"[0-9一二三四五六七八九十]+世紀|世紀|年代|[0-9一二三四五六七八九十][年月日時]|元年|時代|[初中後末]期|以[降前後]|直[後前]|[上中下]旬|[春夏秋冬]|頃|\b(?:1[0-9]{3}|20[0-9]{2})s?\b"
    r"|\b(?:january|february|march|april|june|july|august|september|october|november|december|centur)"
    r"|(?<=[0-9] )may\b|\bmay (?=[0-9])|[0-9]\s?(?:[ap]\.?m\b|o'clock)|\b(?:noon|midnight)\b"
)
# 「月・木」 in a cell, or with 曜 behind it.
_WEEKDAY = re.compile(
    r"[月火水木金土日]曜|(?<![一-鿿ぁ-んァ-ヶ0-9])[月火水木金土日](?![一-鿿ぁ-んァ-ヶ])|毎日|平日|週末"
)
_NAME_ASKED = re.compile(r"(?:名前|氏名|名称)は(?:何|なに|なん|$|[?？。])")
_DATED = re.compile(
    rf"何(?:{_DATE_UNITS})(?!も(?!ら))|西暦|いつ.*た(?:の|か|$|[?。])|いつ(?:です|でした|だ)"
    r"|\bwhen (?:was|were|did|will)\b|\b(?:what|which|in what) (?:year|date|century|decade)"
)
_AMOUNT_WORD = re.compile(
    r"[0-9]|[一二三四五六七八九十百千万億兆](?=[^一-鿿]|[人個回本匹度歳才社国つ種番件位倍分秒時年か月割票隻名頭巻話色字層階])|半分|半数|複数|多数"
    r"|\b(?:half|double|twice|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|hundred|thousand|million)\b"
)
_BY_NAME = re.compile(r"誰|どなた|氏名|何という人|[人性者]の(?:お)?名前")
_PERSON_WORD = re.compile(
    r"[一-鿿]{2,}(?:氏|さん|先生|[がはをに]行|する者|の者)|担当者|[一-鿿](?:者|官|長|師|員)(?:[がはをにで、]|と[、し]|による)|[一-鿿](?:官|長|師)の|国民"
    r"|[甲乙丙丁](?:[がはをにのと、]|及び|又は)|[借貸売買地家荷株]主(?:[がはをにのと、]|及び|又は)"
)
# What a sentence is about, where it says so itself.
_SUBJECT = re.compile(r"[一-鿿々ァ-ヺーa-z0-9」）)](?:は|が)")
_REASON_WORD = re.compile(
    r"ため|(?<=[のるた])為|から(?:[、。]|である|だ)|さから(?=[一-鿿ァ-ヺ])|ので|こと(?:により|によって|で)|により|によって|による|理由|原因|要因|きっかけ|せいで|おかげ|目的|結果|よって|[いたるな]分、"
    r"|\bbecause|\bdue to|\bsince\b|\bin order to|\bto (?:prevent|avoid)\b|\breason|\bowing|\bcaus(?:e|ing)|\bso that"
    r"|\bthanks to|\bresult(?:s|ed|ing)?\b|\b(?:led|leads?|leading) to\b|\b(?:thus|hence|consequently|therefore)\b"
    r"|\bfor fear\b|\bdriven by"
    r"|\b(?:spark|trigger|prompt|fuel|motivat|inspir)\w*|\bforc(?:ed|ing)\b|\bmak(?:es|ing) it\b|\bmeans that\b|\bends? up\b"
    r"|\bturn(?:ed|ing|s)? [^.]* into\b"
)
_REASON_LABELS = frozenset({"原因", "理由", "要因", "caus", "reason"})  # as terms
_DEFINING = re.compile(
    r"とは|こと(?:である|をいう|を指す|です|を示す|。)|(?:と(?:いう|呼ぶ|呼ばれ|称|定義)|をいう|を指す|を意味|を表す|を示す)|(?:である|です|の一種|の一つ)。?$"
    r"|\b(?:is|are) (?:an? |the |defined|called)|\bmeans\b|\brefers? to|\bdefined as|\bknown as"
)
_NAMING = re.compile(
    r"呼[ばびぶん]|と(?:いう|い[いわっ]|言|称|名付)|通称|別名|略称|愛称|名称|「|『|とも|\b(?:called|named|known as|termed)\b"
)
_PLACE_WORD = re.compile(
    r"[一-鿿ァ-ヶー]*[国県市州区町村島駅都府道部湾湖山海港寺城宮川室館課係階棟]|窓口|[ァ-ヶー]{3,}|地方|地域|半島|大陸"
    r"|[上下左右前後内外裏表手奥両反対東西南北]側|[右左]手|[背側正]面|中央|手前|隣|横(?=[にのへで])|[上下]部"
    r"|\b(?:in|at|near|from) [a-z]"
)
# 「どの会社」 is asked for as a place is: 「会社はどこか」.
_BODY = re.compile(
    r"会社|企業|メーカー|社は|党|大学|学校|高校|団体|組織|機関|省庁|局は|球団|チーム|クラブ|病院|銀行"
)
_BODY_WORD = re.compile(
    r"[一-鿿ァ-ヶー]+(?:社|党|大学|校|会|団体|機構|機関|省|庁|局|球団|チーム|クラブ|病院|銀行|研究所|連盟|組合|財団|店)|[ァ-ヶー]{3,}|[a-z]{3,}"
)
_NAME_WORD = re.compile(r"[ァ-ヶー・]{3,}|[一-鿿々]{2,}|[a-z][a-z'-]+ [a-z][a-z'-]+")
_WORD_OF = {
    AnswerKind.TIME: _TIME_WORD,
    AnswerKind.AMOUNT: _AMOUNT_WORD,
    AnswerKind.PLACE: _PLACE_WORD,
    AnswerKind.PERSON: _NAME_WORD,
}


def find_kind(question: str) -> AnswerKind:
    """The kind of answer that a question asks for."""
    return next((kind for kind, pattern in _KINDS if pattern.search(question)), AnswerKind.THING)


def is_dated(question: str) -> bool:
    """True where a year is asked for, or when something was: no sentence without a time answers. When to do
    something may be told by a condition."""
    return _DATED.search(question) is not None


def brings(kind: AnswerKind, question: str, sentence: str) -> bool:
    """True where a sentence holds something of the kind asked for that the question did not bring itself."""
    if kind is AnswerKind.REASON:
        return _REASON_WORD.search(sentence) is not None
    if kind is AnswerKind.DEFINITION:
        return _DEFINING.search(sentence) is not None
    if kind is AnswerKind.NAME:
        new_names = names(sentence) - names(question) if _NAME_ASKED.search(question) else frozenset[str]()
        return bool(new_names) or _NAMING.search(sentence) is not None
    if kind is AnswerKind.TIME and "何曜" in question:
        return _WEEKDAY.search(sentence) is not None
    if kind is AnswerKind.PERSON and _BY_NAME.search(question):
        return bool(names(sentence) - names(question)) or _PERSON_WORD.search(sentence) is not None
    is_of_body = kind is AnswerKind.PLACE and _BODY.search(question)
    word = _BODY_WORD if is_of_body else _WORD_OF.get(kind)
    return word is None or any(match[0] not in question for match in word.finditer(sentence))


def is_in_column_of(kind: AnswerKind, labels: frozenset[str]) -> bool:
    """True where a reason is asked for, and a column of a table holds reasons. `labels`: the terms
    of all its labels."""
    return kind is AnswerKind.REASON and not _REASON_LABELS.isdisjoint(labels)


def is_of_its_title(kind: AnswerKind, question: str, sentence: str, title: str) -> bool:
    """True where a person is asked for, and a sentence without a subject is of the one whom its document's
    title names: 「…の間に生まれた。」 in 「ヨハネス・グーテンベルク」."""
    if kind is not AnswerKind.PERSON or _SUBJECT.search(sentence):
        return False
    return bool(names(title) - names(question))
