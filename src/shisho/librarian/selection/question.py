"""Analyse a question: its content words by rarity, and the kind of answer that a sentence must give.

It is normalised, not interpreted: words that only ask are dropped, everything else counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache

from shisho.language import compile_lazily
from shisho.language.asking import is_asking_term, strip_asking
from shisho.language.numbers import find_figures
from shisho.language.terms import ENGLISH_STOP, fold, split_terms, squeeze
from shisho.records import dataclass


class AnswerKind(StrEnum):
    """The kind of thing that an answer must name."""

    REASON = "reason"
    TIME = "time"
    PERSON = "person"
    AMOUNT = "amount"
    PLACE = "place"
    DEFINITION = "definition"
    WAY = "way"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class KindPatterns:
    """How a kind is asked for, and how a sentence gives it."""

    asks: re.Pattern[str]
    gives: re.Pattern[str]


_DATE_UNITS = r"(?:年(?!間)|月|日(?!間)|曜日|世紀|年代|時(?!間))"
_COUNTED = (
    r"(?:人|名|個|回|本|匹|度|歳|社|[カかヶヵケ][国月所]|[a-z]{1,4}(?![a-z])|%|パーセント|メートル|キロ|円|ドル|つ|種|番|件|位|倍|分|秒|時間|"
    r"年間|割|票|頭|巻|話|字|文字|ページ|トン|層|階|日間|点|枚|台|校|冊|曲|グラム)"
)
# Tried in this order: the first kind that is asked for is the kind of the question.
KINDS: dict[AnswerKind, KindPatterns] = {
    AnswerKind.REASON: KindPatterns(
        compile_lazily(
            r"なぜ|何故|どうして(?!も)|なんで(?!す|しょ)|理由|原因|要因|\bwhy\b|\breasons?\b|\bcauses?\b"
        ),
        compile_lazily(
            r"ため|から(?:[、。]|である|だ)|ので|により|によって|による|理由|原因|要因|きっかけ|おかげ|目的|結果|よって"
            r"|\bbecause|\bdue to|\bsince\b|\bin order to|\bto (?:prevent|avoid)\b|\breason|\bcaus(?:e|ing)|\bso that"
            r"|\bresult(?:s|ed|ing)?\b|\b(?:led|leads?|leading) to\b|\b(?:thus|hence|therefore)\b"
        ),
    ),
    AnswerKind.TIME: KindPatterns(
        compile_lazily(
            rf"いつ(?!も|しか|の間に)|何{_DATE_UNITS}(?!も(?!ら))|時期|年号|西暦|どの時代|\bwhen\b"
            r"|\b(?:what|which|in what) (?:year|date|day|month|century|decade|time)\b"
        ),
        compile_lazily(
            r"世紀|年代|[0-9一二三四五六七八九十][年月日時]|元年|時代|[初中後末]期|以[降前後]|直[後前]|[上中下]旬|[春夏秋冬]|頃|[月火水木金土日]曜"
            r"|\b(?:1[0-9]{3}|20[0-9]{2})s?\b|[0-9]\s?(?:[ap]\.?m\b|:[0-9]{2})"
            r"|\b(?:january|february|march|april|june|july|august|september|october|november|december|centur)"
            r"|\bmay (?=[0-9])|(?<=[0-9] )may\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"
        ),
    ),
    AnswerKind.PERSON: KindPatterns(
        compile_lazily(
            r"誰(?!でも|も|か[をにへと])|どなた|どの人|何者|人物|氏名|何という人|\bwho(?:m|se)?\b"
        ),
        compile_lazily(r"[ァ-ヶー・]{3,}|[一-鿿々]{2,}|[a-z][a-z'-]+ [a-z][a-z'-]+"),
    ),
    AnswerKind.AMOUNT: KindPatterns(
        compile_lazily(
            rf"いくつ|いくら|幾[つ人日度]|何{_COUNTED}(?!も(?!ら))|何[十百千万]|どれ(?:くらい|ぐらい|ほど|だけ)|どの(?:くらい|ぐらい|程度|ほど)|割合|人口|面積|"
            r"(?:高さ|長さ|重さ|重量|深さ|距離|温度|気温|速度|数|年齢|価格|金額)は"
            r"|\bhow (?:many|much|long|far|old|high|tall|large|big|deep|often|fast)\b"
            r"|\bwhat (?:percentage|percent|number|proportion)"
            r"|^what (?:do|does|did|would|will)\b.*\bcost\b"
            r"|\bwhat(?: is|'s| are) the (?:maximum|minimum|average|price|cost|fee)\b"
        ),
        compile_lazily(
            r"[0-9]|[一二三四五六七八九十百千万億兆](?=[^一-鿿]|[人個回本匹度歳才社国つ種番件位倍分秒時年か月割票名頭巻話色字層階])|半分|半数"
            r"|\b(?:half|double|twice|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|hundred|thousand|million)\b"
        ),
    ),
    AnswerKind.PLACE: KindPatterns(
        compile_lazily(
            r"どこ(?!まで|でも|にも|も|か[にでへを])|何処|場所は|何(?:県|市|州|国|区|町|村|駅|島|大陸|地方)|どの(?:国|都市|地域|県|州|街|町|大陸|地方|島)"
            r"|\bwhere\b|\b(?:what|which) (?:country|city|state|place|town|continent)"
        ),
        compile_lazily(
            r"[一-鿿ァ-ヶー]*[国県市州区町村島駅都府道部湾湖山海港寺城宮川室館課係階棟社党校会省庁]|窓口|[ァ-ヶー]{3,}|地方|地域|半島|大陸"
            r"|[上下左右前後内外裏表手奥両東西南北]側|中央|手前|隣|\b(?:in|at|near|from) [a-z]"
        ),
    ),
    AnswerKind.DEFINITION: KindPatterns(
        compile_lazily(
            r"とは(?:何|なに|なん|どの|どう|どんな|$|[?？。、])|とい(?:う|った)(?:の|もの|言葉|用語|語)?は[^。]{0,12}(?:何|どう|どんな|どのよう)|(?:意味|定義)[はをす]|って[^。?？]{0,8}(?:何|なに|なん|どうい|どんな)"
            r"|は何を(?:意味|指)|^what(?: exactly)?(?: is| are|'s) (?:an? |the )?[\w\s-]{2,40}\??$"
            r"|\bdefin|\bmean|\bstands? for\b"
        ),
        compile_lazily(
            r"とは|こと(?:である|です|。)|(?:と(?:いう|呼ぶ|呼ばれ|称|定義)|をいう|を指す|を意味|を表す|を示す)|(?:である|です|の一種|の一つ)。?$"
            r"|\b(?:is|are) (?:an? |the |defined|called)|\bmeans\b|\brefers? to|\bdefined as|\bknown as"
        ),
    ),
    AnswerKind.WAY: KindPatterns(
        compile_lazily(
            r"どうす(?:れば|る)|どうや(?:って|れば|る|り)|どのように(?:す|設|実|行)|方法|手順|やり方|仕方|しかた|するには|何をすれば|[うくすつぬむるぐぶ]には[。?？]*$"
            r"|\bhow (?:to|do|does|can|should)\b|\bwhat (?:do|must|should) (?:i|we|you|one)\b"
        ),
        compile_lazily(
            r"クリック|選択|押し|押す|入力|指定|設定|実行|使用|利用|用い|使[いうっ]|開[いくき]|ください|します。|すること|必要が|なければな"
            r"|を行[いうっ]|\b(?:click|select|press|enter|choose|use|set|specify"
            r"|run|open|must|need to|should|by \w+ing|you can)\b"
        ),
    ),
}


def find_kind(question: str) -> AnswerKind:
    """Return the kind of answer that a folded question asks for."""
    return next(
        (kind for kind, patterns in KINDS.items() if patterns.asks.search(question)), AnswerKind.OTHER
    )


def gives_kind(kind: AnswerKind, question: str, sentence: str) -> bool:
    """Return whether a folded sentence has something of this kind that the question does not have."""
    pattern = KINDS[kind].gives
    if kind in (AnswerKind.REASON, AnswerKind.DEFINITION, AnswerKind.WAY):
        return pattern.search(sentence) is not None
    return any(match[0] not in question for match in pattern.finditer(sentence))


_DIGITS = r"(?:[0-9][0-9,.]{0,15}|[一二三四五六七八九十百千数]{1,6})[十百千万億兆]?"
# Tried in this order: the first quantity that is asked for must be given, in its own unit or form.
QUANTITIES: tuple[KindPatterns, ...] = (
    KindPatterns(
        compile_lazily(r"電話番号|\b(?:tele)?phone number"),
        compile_lazily(r"[0-9]{2,5}\)?[-( ][0-9]{1,4}[-) ][0-9]{3,4}"),
    ),
    KindPatterns(compile_lazily(r"メールアドレス|\be-?mail address"), re.compile(r"[a-z0-9_-]@[a-z0-9]")),
    KindPatterns(
        compile_lazily(r"住所|所在地|\b(?:street|postal) address"),
        compile_lazily(
            r"[都道府県市区町村][^。]{0,12}(?:[0-9一二三四五六七八九十]-[0-9]|丁目|番地|[0-9]番)"
            r"|\b[0-9]{1,5} (?:\w+ ){1,3}(?:street|st|avenue|ave|road|rd|drive)\b"
        ),
    ),
    KindPatterns(
        compile_lazily(
            r"いくら(?!で?も)|何円|(?:料金|費用|代金|値段|価格|手数料|受験料|罰金|時給|年収|売値)[はをが]"
            r"|\b(?:price|cost|fee|wage|salary|fare|rent)s?\b"
        ),
        compile_lazily(
            rf"[$¥€£] ?[0-9]|{_DIGITS} ?(?:[千万億兆]{{0,2}}円|ドル|ユーロ|yen|dollars?|usd|euros?|cents?|[kmb]illion)"
            r"|無料|\bfree\b"
        ),
    ),
    KindPatterns(
        compile_lazily(r"割合|何割|何%|何パーセント|\bpercent|\bproportion"),
        compile_lazily(r"[0-9] ?(?:%|パーセント|割|ポイント)|percent|半[分数]|分の|\bhalf\b"),
    ),
)
_COUNTED_JA = compile_lazily(
    r"何[十百千万億]?([かヶカヵケ][国所月]|[人名個回本匹度歳社つ種番件位倍台枚校冊頁箇])"
)
_COUNTED_EN = compile_lazily(r"\bhow many (?:(?:more|other|different|full) )?([a-z]{3,20})")
_NUMBER_WORDS_EN = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozens?|hundreds?|thousands?|millions?"
)


@lru_cache
def find_quantity(question: str) -> re.Pattern[str] | None:
    """Return the pattern of the quantity that a folded question asks for, or None.

    A sum of money for いくら, a number of weeks for "how many weeks", a number and 台 for 何台.
    """
    for patterns in QUANTITIES:
        if patterns.asks.search(question):
            return patterns.gives
    if match := _COUNTED_JA.search(question):
        return re.compile(rf"{_DIGITS}{re.escape(match[1])}")
    if match := _COUNTED_EN.search(question):
        noun = re.escape(match[1][: max(3, len(match[1]) - 2)])
        return re.compile(rf"(?:\b[0-9][0-9,.]*|\b(?:{_NUMBER_WORDS_EN})) (?:[\w'-]+ ){{0,3}}{noun}")
    return None


def measure_kind(kind: AnswerKind, question: str, sentence: str) -> float:
    """Return 1 if a folded sentence gives the kind of answer that the question asks for, else 0.

    0.5 if the kind is unknown. A quantity must not be in the question itself.
    """
    if quantity := find_quantity(question):
        return float(any(match[0] not in question for match in quantity.finditer(sentence)))
    if kind is AnswerKind.OTHER:
        return 0.5
    return float(gives_kind(kind, question, sentence))


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
    """Return whether a folded sentence defines this thing.

    A longer name that ends in it is another thing: average precision is not precision.
    """
    for words in _match_word_before(thing).finditer(sentence):
        if words[1] not in _BEFORE_A_NAME:
            sentence = sentence.replace(words[0], " ")
    return _match_definition(thing.translate(_IGNORED)).search(sentence.translate(_IGNORED)) is not None


@lru_cache
def _match_word_before(thing: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z0-9'-])([a-z0-9'-]{{1,40}})\s{re.escape(thing)}")


@lru_cache
def _match_definition(thing: str) -> re.Pattern[str]:
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


_DEFINITION_TERMS = frozenset({"定義", "意味", "用語", "言葉", "defin", "definit", "term", "word"})
VERB_WEIGHT = 0.5  # of a noun's: verbs and adjectives have more synonyms, so their absence says less
CONTEXT_WEIGHT = 0.5  # of the terms of a thing to define: in its own manual nobody names the program
_COUNTED_NOUN = compile_lazily(r"何[十百千万億]*((?:[かヶ](?=[国所月]))?[一-鿿ァ-ヶー]{1,4})")


@dataclass(frozen=True, slots=True)
class AnalysedQuestion:
    """A question's content words and what it wants.

    `weights`: index terms by rarity, summing to 1. `defined`: the thing whose meaning is asked for. `unit`:
    the noun counted by 何. `figures`: its numbers and years, as written in digits. `asks_quantity`: an
    amount of a known unit or a number of a known form is asked for.
    """

    folded: str
    kind: AnswerKind
    weights: Mapping[str, float]
    defined: str
    unit: str
    trigrams: frozenset[str]
    figures: tuple[str, ...]
    asks_quantity: bool


def analyse_question(question: str, rarity: Mapping[str, float]) -> AnalysedQuestion:
    """Analyse a question. `rarity`: idf of its terms in the collection; unknown terms count as the rarest."""
    folded = fold(question)
    content = list_content_terms(question)
    defined = find_defined_thing(folded)
    around = frozenset(content).difference(split_terms(defined)) if defined else frozenset[str]()
    weights = _weigh_terms(content, rarity, around)
    counted = _COUNTED_NOUN.search(folded)
    numbers = find_figures(question)
    return AnalysedQuestion(
        folded=folded,
        kind=find_kind(folded),
        weights=weights,
        defined=defined,
        unit=counted[1] if counted else "",
        trigrams=_list_trigrams(squeeze(fold(strip_asking(question)))),
        figures=(
            *(f"{measure.value:g}" for measure in numbers.measures),
            *(str(date.year) for date in numbers.dates if date.year),
        ),
        asks_quantity=find_quantity(folded) is not None,
    )


@lru_cache
def list_content_terms(question: str) -> tuple[str, ...]:
    """Return the index terms of a question without asking words; all of them if nothing else is left."""
    folded = fold(question)
    asking = _DEFINITION_TERMS if find_defined_thing(folded) else frozenset[str]()
    found = dict.fromkeys(split_terms(fold(strip_asking(question))))
    content = (term for term in found if not is_asking_term(term) and term[0] != "何" and term not in asking)
    return tuple(content) or tuple(found)


def _weigh_terms(
    content: tuple[str, ...], rarity: Mapping[str, float], around: frozenset[str]
) -> dict[str, float]:
    """Weigh terms by rarity. `around`: those beside a thing to define, which say where it is."""
    rarest = max(rarity.values(), default=0) or 1
    raw = {
        term: rarity.get(term, rarest)
        * (VERB_WEIGHT if "ぁ" <= term[-1] <= "ん" else CONTEXT_WEIGHT if term in around else 1.0)
        for term in content
    }
    total = sum(raw.values())
    return {term: weight / total if total else 1 / len(raw) for term, weight in raw.items()}


def _list_trigrams(dense: str) -> frozenset[str]:
    return frozenset(dense[start : start + 3] for start in range(len(dense) - 2))
