"""What a sentence must bring to be an answer at all, whatever else speaks for it. Pure rules.

A question that names the 200th article is not answered from the 20th, one for a telephone number not by a
date, and one about 平等院 not by what is said of 中尊寺."""

from __future__ import annotations

import re
from functools import lru_cache

from shisho.language.numbers import kanji_number
from shisho.language.terms import squeeze

_COUNTED = r"[0-9]{1,4}|[〇一二三四五六七八九十百千]{1,6}"
_LABEL = re.compile(
    rf"第\s*({_COUNTED})\s*([条章節編款項号次回版位期巻部種類])(?:の([0-9]+|[二三四五六七八九十]))?"
)
_NUMBERED_THING = re.compile(
    r"[一-鿿ァ-ヶー]{2,8}[0-9]+(?![0-9.])|(?<![0-9.])[0-9]+(?:[かヶ]月|年|週|日|時間)[一-鿿]{1,3}"
)
_VERSION = re.compile(r"(?:(?<![\w.])v?|(?<![a-z])ver\.\s*|第\s*)([0-9]+(?:\.[0-9]+)+)(?![\w.]*[0-9])")
_NUMERAL = re.compile(r"[〇一二三四五六七八九十百千]+")

# Behind a noun that is asked for itself: not 「電話番号を変更するには」「住所が表記された地図」.
_ASKED = (
    r"(?:(?:は|って)(?:$|[?。]|何|ど[うこちのれ]|いく|わか|分か)"
    r"|[をが](?:お?教|おしえ|知り|調べ|わか|分か|示し|答え|挙げ)|$|[?。])"
)
# How often, where the noun only asks: an answer says 「週に1回」.
HOW_OFTEN = (
    r"(?:ど(?:の|れ)(?:くらい|ぐらい|程度|ほど)の|ど(?:んな|のような))頻度(?!.*[何誰])|頻度は(?:$|[?。]|ど[のれん]|何)"
    r"|\bhow (?:often|frequently)\b"
)
# The form that the answer has, by the noun that is asked for.
_FORMS: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (re.compile(asked_for), re.compile(form))
    for asked_for, form in (
        (
            rf"(?:電話番号|連絡先の電話|fax番号|ファクス番号|phone number){_ASKED}|何番に電話",
            r"\+?\(?0?[0-9]{1,4}\)?[-‐–−ー ()][0-9]{1,4}[-‐–−ー ()][0-9]{3,4}",
        ),
        (rf"郵便番号{_ASKED}", r"[0-9]{3}[-‐–−ー][0-9]{4}"),
        (rf"(?:メール|mail)アドレス{_ASKED}|\be-?mail address", r"[\w.+-]+@[\w-]+\.\w+"),
        (rf"(?:url|ウェブサイトのアドレス){_ASKED}", r"https?://|www\."),
        (r"(?:バージョン|版数)[はが](?:何|いく|どれ)|\bwhat version", r"[0-9]"),
        (
            r"何時(?!間|代)(?:から|まで|に|です|か|頃|$|\?)",
            r"[0-9一二三四五六七八九十]\s*時(?!間)|[0-9]:[0-9]{2}|正午",
        ),
        (
            r"\bwhat time(?! (?:period|zone|frame|span))\b",
            r"[0-9]\s?(?:[ap]\.?m\b|o'clock)|[0-9][:.][0-9]{2}|\b(?:noon|midnight)\b|[0-9]\s*時",
        ),
        (r"何パーセント|何%|率[はが](?:何|いく|どれ)", r"%|パーセント|割|分の|倍|[0-9]\.[0-9]"),
        (
            r"何円|いくら(?:です|か|に|の|で(?!も)|だ|[くぐ]らい|ほど|かか|儲|もうけ|稼|払|支払|もら|$|\?)"
            r"|(?:料金|価格|金額|月額|年額|費用|値段)は(?:$|\?|何|お?いく)",
            r"[0-9〇一二三四五六七八九十百千万億]\s*(?:円|ドル|ユーロ|ポンド|元|ウォン|銭|割|%)|¥|￥|\$|€|£|無料|無償|有料|実費",
        ),
        (
            r"\bhow much (?:does|do|did|is|are|was|were|will|would|has|have|may|might|can|could|must|should)\b.*"
            r"\b(?:cost|price|pay|paid|worth|earn|spen[dt]|charge|donate|fined)"
            r"|\bhow much (?:is|are|was|were) (?:(?:an?|the|your|one) )?(?:(?!(?:on|of|by|with|in|from|for|to) )[\w-]+ ){0,2}"
            r"(?:tickets?|fares?|membership|plan|subscription|admission|hire|lessons?)\b"
            r"(?: (?:an?|each|per) (?:day|night|week|month|year|term|person|head|hour))?\W*$"
            r"|\bhow much (?:money|cash|compensation|funding|revenue|profit|tax|debt|rent)\b|\bprice\b|\bfees?\b"
            r"|\bwhat (?:does|do|did|would|will) [^?]*\b(?:cost|get paid|earn)\b|\bwhat [^?]{0,40}\b(?:wages?|salary)\b",
            r"[$€£¥]|\b(?:dollars?|euros?|pounds?|yen|cents?|free|grand)\b|円",
        ),
        (
            r"\bhow (?:much [^?]*\bweigh|heavy)\b|(?:重さ|重量|体重)は(?:$|\?|何|いく|どれ|どの)",
            r"[0-9]\s*(?:kg|g|mg|t|lbs?|kilo\w*|grams?|pounds?|ounces?|oz|tons?|tonnes?|キロ|グラム|トン)(?![a-z])",
        ),
        (r"何歳", r"歳|才|[0-9]+代"),
        (
            HOW_OFTEN,
            r"(?:毎|隔)[日週月年朝晩回時度]|[日週月年回間]ごと|おき|[0-9一二三四五六七八九十]\s*[回度]|度に|定期|随時|適宜|常に|いつも"
            r"|\b(?:once|twice|thrice|times|every|each|per|daily|weekly|monthly|quarterly|hourly|yearly|annual\w*"
            r"|always|never|regularly|rarely|seldom|often|sometimes|usually|occasionally)\b",
        ),
        (
            rf"(?:初期値|既定値|デフォルト値?|デフォルトの値){_ASKED}"
            r"|\bwhat(?:'s| is| are) the default (?:values?|settings?)\b",
            r"初期|既定|デフォルト|省略|標準|無指定|指定し(?:な|て(?:い)?な)|指定が(?:な|無)|\b(?:default|unless|initial)",
        ),
        (r"(?:どこ|何)の?(?:大学|高校)(?!院)", r"大学|高校|[一-鿿]大(?![一-鿿])"),
        (
            r"ショートカット(?:キー)?は(?:何|どれ|どう|$|\?)",
            r"ctrl|control|alt|shift|command|cmd|option|windows|tab|esc|enter|(?<![a-z])f[0-9]|[+＋⌘⌥]|キー",
        ),
        (
            r"何色(?!あ|使|から)|\bwhat colou?rs?\b",
            r"色|[赤青白黒緑黄紫茶灰銀金紺橙桃](?![一-鿿])|[赤青白黒緑黄紫茶灰銀金紺橙桃]色|ピンク|オレンジ|グレー|ベージュ|ブルー|レッド|グリーン"
            r"|ブラック|ホワイト|シルバー|ゴールド|\b(?:red|blue|green|yellow|white|black|brown|gr[ae]y|purple|violet|orange|pink|silver"
            r"|gold|golden|beige|navy|turquoise|transparent|colou?rless)\b",
        ),
        (r"第何[号条章節項回版位巻部編種類]", r"第\s*[0-9〇一二三四五六七八九十百千]+"),
        (
            rf"(?:住所|所在地){_ASKED}",
            r"〒|丁目|番地|[都道府県市区町村郡].*[0-9]|[0-9]+[-‐–−ー][0-9]+[-‐–−ー][0-9]+",
        ),
    )
)
_LENGTHS = "秒|分|時間|日|週|か月|ヶ月|カ月|ヵ月|箇月|年"
# A thing counted by this noun: a number must stand before it, or before a noun that counts the same.
_SAME_COUNT = {
    "人": "人|名",
    "名": "人|名",
    "回": "回|度",
    "度": "度|回|年|°",
    "日": _LENGTHS + "|月",
    "日間": _LENGTHS + "|月",
    "時間": _LENGTHS,
    "分": _LENGTHS,
    "秒": _LENGTHS,
    "年間": _LENGTHS,
    "か月": "か月|ヶ月|カ月|ヵ月|箇月|月|年",
    "ヶ月": "か月|ヶ月|カ月|ヵ月|箇月|月|年",
    "年": "年|世紀|元年",
    "国": "国|か国|カ国|ヶ国",
    "つ": "つ|個|種|点|項目|段階|件|人|本|か|ヶ|箇",
    "個": "個|つ|点",
    "条": "[a-z]?条",
    "品": "品",
    "巻": "巻|冊",
    "字": "字|文字",
    "文字": "文字|字|桁",
    "桁": "桁|文字",
    "ページ": "ページ|頁",
    "歳": "歳|才",
    "週間": _LENGTHS,
    "社": "社|企業|団体",
    "km": "km|キロ",
    "m": "m|メートル",
    "メートル": "m|メートル|尺|km|キロ",
}
_UNITS = re.compile(
    r"何(?:(か月|ヶ月|週間|日間?(?![曜付])|時間|分|秒|年間|文字|ページ|メートル|km|[人名回個条品巻字桁歳台冊枚匹頭]|社(?!会|員|長))(?!語|者|前|称|族|籍|種|といえ|とも|も(?!ら))"
    r"|[かカヵヶケ](国))"
)
_LATIN_UNIT = re.compile(r"何(?!km|m)[a-z]{1,4}(?![a-z])")
_IN_UNITS = re.compile(r"[0-9]\s*(?:[a-zμ%°℃]|[ァ-ヶ]{2})")
# 「建てたのは何人か」 may ask for the people as well as for their number.
_WHICH_PEOPLE = re.compile(r"のは何人(?:です|か|だ|で|$|\?)|何人(?:によ|に支|に侵|に統|の手)")
_PEOPLE = r"[ァ-ヶー]{2,}人|(?:日本|中国|韓国|朝鮮|英国|米国|仏|独|露|漢|満州|外国)人"
_OF_THINGS = re.compile(r"何(?:個|つ)の([一-鿿ァ-ヶー]{1,3})")
_HOW_MANY = re.compile(r"\bhow many\b")
_ANY_NUMBER = re.compile(
    r"[0-9]|\b(?:none|half|once|twice|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|several|few|couple|\w+teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|(?:dozen|hundred|thousand|million|billion)s?)\b"
)
# In English a length of time may be told in any unit of it.
_HOW_MANY_TIMES = re.compile(r"\bhow many (?:seconds|minutes|hours|days|weeks|months|years)\b")
_LASTING = re.compile(
    r"\b(?:[0-9][0-9,.]*|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|several|few|couple|dozen"
    r"|\w+teen|\w+ty)[ -](?:[\w-]+ ){0,2}(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|decades?)\b"
    r"|[0-9]\s*(?:秒|分|時間|日|週|か月|ヶ月|年)"
)
_NUMBER = r"(?:[0-9][0-9,.]*|[〇一二三四五六七八九十百千万億数]+)\s*(?:[かカヵヶケ箇])?"


@lru_cache(maxsize=2_048)
def labels(folded: str) -> frozenset[str]:
    """The numbers by which a text names its parts and kinds, in one form: 第二百条 is 第200条. What is
    said of table 3 need not name it."""
    found_labels = set()
    for match in _LABEL.finditer(folded):
        count, kind, more = match.groups()
        found_labels.add(f"第{_digits(count)}{kind}" + (f"の{_digits(more)}" if more else ""))
    return frozenset(found_labels)


def find_numbered_things(folded: str) -> frozenset[str]:
    """What a text tells apart by numbers: 「レベル1」「1年単位」."""
    return frozenset(_NUMBERED_THING.findall(squeeze(folded)))


def versions(folded: str) -> frozenset[str]:
    """Numbers with full stops in them: 4.0, 1.3.7."""
    return frozenset(_VERSION.findall(folded))


def form(folded_question: str) -> re.Pattern[str] | None:
    """The look of an answer, where the noun that is asked for says it; None where it does not."""
    for asked_for, pattern in _FORMS:
        if asked_for.search(folded_question):
            return pattern
    match = _UNITS.search(folded_question)
    if match:
        thing = _OF_THINGS.search(folded_question)
        people = _PEOPLE if _WHICH_PEOPLE.search(folded_question) else ""
        return _counted(match[1] or match[2], thing[1] if thing else "", people)
    if _LATIN_UNIT.search(folded_question):
        return _IN_UNITS
    if _HOW_MANY_TIMES.search(folded_question):
        return _LASTING
    return _ANY_NUMBER if _HOW_MANY.search(folded_question) else None


@lru_cache(maxsize=64)
def _counted(unit: str, thing: str, instead: str) -> re.Pattern[str]:
    """A number of this unit, or of the thing itself (何個の州: 12の州), or what may stand instead."""
    counters = _SAME_COUNT.get(unit, re.escape(unit)) + (f"|の?{re.escape(thing)}" if thing else "")
    return re.compile(rf"{_NUMBER}(?:{counters})" + (f"|{instead}" if instead else ""))


def _digits(count: str) -> str:
    return str(int(kanji_number(count))) if _NUMERAL.fullmatch(count) else str(int(count))
