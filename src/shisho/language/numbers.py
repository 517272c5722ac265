"""Numbers, measures and dates by value, in any notation: 全角, 漢数字, 和暦, ①, ½.

10² is not 102.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import field, replace
from decimal import Decimal
from functools import lru_cache

from shisho.language import compile_lazily
from shisho.records import dataclass

_LIMIT = 20_000  # characters read of one text; texts to be compared are far shorter

ERA_START = {"明治": 1867, "大正": 1911, "昭和": 1925, "平成": 1988, "令和": 2018}  # the year before 元年
_SMALL = {"十": 10, "百": 100, "千": 1000}
_LARGE = {"万": 10**4, "億": 10**8, "兆": 10**12}
_DIGIT = {kanji: value for value, kanji in enumerate("〇一二三四五六七八九")}
_ENGLISH_NUMBERS = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)
_WORDS = {word: value for value, word in enumerate(_ENGLISH_NUMBERS)} | {
    "hundred": 100,
    "thousand": 1000,
    "million": 10**6,
}
_TEENS = ("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORDS |= {word: value for value, word in enumerate(_TEENS, 13)}
_WORDS |= {word: value * 10 for value, word in enumerate(_TENS, 2)}
_WORDS |= {"billion": 10**9, "trillion": 10**12, "twice": 2, "thrice": 3}
_MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTHS = {name: number for number, name in enumerate(_MONTH_NAMES, 1)}

_UNITS = {
    "%": "% パーセント percent per\xa0cent",
    "ppm": "ppm",
    "km": "km キロメートル kilometers kilometres kilometer kilometre",
    "m": "m メートル meters metres meter metre",
    "cm": "cm センチメートル センチ",
    "mm": "mm ミリメートル ミリ",
    "kg": "kg キログラム kilograms kilogram",
    "g": "g グラム grams gram",
    "mg": "mg ミリグラム milligrams milligram",
    "μg": "μg マイクログラム micrograms microgram",
    "ml": "ml ミリリットル millilitres milliliters",
    "ha": "ha ヘクタール hectares hectare",
    "m^2": "m2 m^2 平方メートル",
    "km^2": "km2 km^2 平方キロメートル 平方キロ",
    "m^3": "m3 m^3 立方メートル",
    "キロ": "キロ",
    "pt": "ポイント points point",
    "t": "t トン tons ton tonnes",
    "l": "l リットル liters litres",
    "時": "時",
    "時間": "時間 hours hour",
    "分": "分 分間 minutes minute",
    "秒": "秒 秒間 seconds second",
    "年": "年 年間 years year",
    "月": "ヶ月 か月 カ月 ケ月 ヵ月 箇月 months month",
    "日": "日間 days day",
    "週": "週間 weeks week",
    "世紀": "世紀",
    "円": "円 ¥ yen",
    "€": "€ euros euro ユーロ",
    "£": "£ pounds",
    "$": "ドル dollars dollar $",
    "箇所": "箇所 か所 カ所 ヶ所 ケ所 ヵ所 ヵ所",
    "国": "ヶ国 か国 カ国 ヵ国 箇国",
    "歳": "歳 才",
    "人": "人 名",
    "匹": "匹 頭 羽",
    "℃": "°c 度",
    "倍": "倍 times",
}
_SHORT_UNITS = ({"キロ", "km"}, {"キロ", "kg"})  # キロ is short for both
_ROUND = Decimal("0.05")  # how far an approximate number may be from the one it rounds
_SAME_UNIT = {spelling: unit for unit, spellings in _UNITS.items() for spelling in spellings.split()}
_COUNTERS = (
    "個 本 枚 台 回 件 社 校 店 戸 世帯 匹 頭 羽 冊 巻 章 話 曲 作 作品 点 票 議席 席 位 番 号 番目 種 種類 つ "
    "階 層 級 段 次 期 代 世 割 字 文字 語 色 面 辺 角 機 隻 両 軒 組 班 試合 勝 敗 度"
)
COUNTERS = frozenset({"", "つ", "人", *_COUNTERS.split()})  # of things, not of a measure
UNITS = frozenset(_SAME_UNIT) | frozenset(_COUNTERS.split())  # every spelling, folded
_KANJI_NUMBER = "[〇一二三四五六七八九十百千万億兆]{1,20}"
_WRITTEN = sorted({*_SAME_UNIT, *_COUNTERS.split()}, key=len, reverse=True)
_UNIT = "|".join(re.escape(unit) + ("(?![a-z])" if unit.isascii() else "") for unit in _WRITTEN)
_MONTH_NAME = rf"(?P<name>{'|'.join(_MONTHS)})[a-z]*\.?"

_DATE = compile_lazily(
    # 令和6年5月3日, 2024年5月, 二〇二四年, 千九百年; 5月3日
    rf"(?:(?P<era>{'|'.join(ERA_START)})(?P<nth>元|\d{{1,2}}|{_KANJI_NUMBER})年"
    rf"|(?<!\d)(?<!明治|大正|昭和|平成|令和)(?P<year>\d{{3,4}}|[〇一二三四五六七八九]{{4}}|千[〇一二三四五六七八九十百]+)年(?!間|ぶり))"
    rf"(?:度|(?P<month>\d{{1,2}}|{_KANJI_NUMBER})月(?:(?P<day>\d{{1,2}}|{_KANJI_NUMBER})日)?)?"
    rf"|(?<!\d)(?P<month2>\d{{1,2}}|{_KANJI_NUMBER})月(?:(?P<day2>\d{{1,2}}|{_KANJI_NUMBER})日)?(?!間)"
    # 2024-05-03, 2024/5
    r"|(?<![\d.])(?P<year3>\d{4})[-/](?P<month3>\d{1,2})(?:[-/](?P<day3>\d{1,2}))?(?!\d|\.\d)"
    # May 3, 2024; 3 May 2024; May 2024; Dec-2015 (a month's name alone may be a verb); in 1998
    rf"|\b(?:(?P<day4>\d{{1,2}})(?:st|nd|rd|th)?\s+)?{_MONTH_NAME}"
    r"(?:\s+(?P<day5>\d{1,2})(?:st|nd|rd|th)?\b)?(?:(?:,?\s+|-)(?P<year4>\d{4}))?(?![a-z\d])"
    # 同年5月3日, 同月3日: of the year or month named before
    rf"|同年(?P<month6>\d{{1,2}}|{_KANJI_NUMBER})月(?:(?P<day6>\d{{1,2}}|{_KANJI_NUMBER})日)?"
    rf"|同月(?P<day7>\d{{1,2}}|{_KANJI_NUMBER})日"
    rf"|\b(?:in|since|from|until|by|of)\s+(?P<year5>1\d{{3}}|20\d{{2}})\b(?![-/]\d|\s?(?:%|{_UNIT}))"
)
_MEASURE = compile_lazily(
    r"(?<![a-z\d.^_])(?P<currency>[$€£¥])?(?P<digits>\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?P<fraction>\.\d+|/\d+)?(?P<power>[\^_]-?\d+)?"
    r"(?:\s?(?P<times>thousand|million|billion|trillion)\b)?"
    rf"(?P<scale>(?:[万億兆千百](?:\d{{1,3}}(?:,\d{{3}})+|\d*)){{1,8}}(?=[^一-鿿\d]|$|{_UNIT}))?\s?余?(?P<unit>{_UNIT})?"
    rf"|(?P<kanji>{_KANJI_NUMBER})(?P<counter>{_UNIT})"
    r"|(?<![一-鿿])(?P<bare>[〇一二三四五六七八九十百千万億兆]{2,20})(?![一-鿿])"
    rf"|\b(?P<word>{'|'.join(_WORDS)})\b(?:\s(?P<many>hundred|thousand|million|billion|trillion)\b)?"
    rf"(?:\s(?P<after>{'|'.join(unit for unit in _WRITTEN if unit.isascii() and unit.isalpha())})\b)?"
)
_ROUGHLY = compile_lazily(
    r"(?:約|およそ|おおよそ|ほぼ|概ね|\b(?:about|around|roughly|nearly|almost|approximately))\s*$"
)
_OR_SO = compile_lazily(r"余|強|弱|ほど|程度|前後|あまり|近く|くらい|ぐらい")
# Only whole runs of letters are tried, each once: the search is linear.
_SYMBOL = compile_lazily(r"(?<![a-z])[a-z]++[\^_]?-?\d+[a-z]*")
_RAISED = compile_lazily(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+|[₀₁₂₃₄₅₆₇₈₉]+")
_NOT_COUNTED = frozenset(
    {
        "十分",
        "一度",
        "一番",
        "一時",
        "一層",
        "一期",
        "一角",
        "一面",
        "万人",
        "一体",
        "一代",
        "百貨",
        "一円",
        "一種",
        "一部",
        "一帯",
        "一両",
    }
)


@dataclass(frozen=True, slots=True)
class Date:
    """A day, a month, a year, or a day of any year."""

    year: int | None
    month: int | None = None
    day: int | None = None

    def can_support(self, other: Date) -> bool:
        """Return whether this date has every part that `other` has, with equal values."""
        pairs = ((self.year, other.year), (self.month, other.month), (self.day, other.day))
        return all(their_part is None or ours == their_part for ours, their_part in pairs)


@dataclass(frozen=True, slots=True)
class Measure:
    """A number with its unit, which may be empty.

    `power` distinguishes 10² from 10 and from 102.
    """

    value: Decimal
    unit: str = ""
    power: str = ""
    rough: bool = field(default=False, compare=False)  # 約: stated as approximate

    def can_support(self, other: Measure) -> bool:
        """Return whether this measure states the other one.

        It is the same number, or the exact one that `other` rounds, with the same power and, if `other` has a
        unit, the same unit.
        """
        if self.power != other.power or not (self.value == other.value or other.is_rounding_of(self.value)):
            return False
        return other.unit in ("", self.unit) or {self.unit, other.unit} in _SHORT_UNITS

    def is_rounding_of(self, value: Decimal) -> bool:
        """Return whether it is approximate and equals `value` to the precision of its digits."""
        if not self.rough or abs(self.value - value) > _ROUND * abs(self.value):
            return False
        return (
            value.quantize(Decimal((0, (1,), int(self.value.normalize().as_tuple().exponent)))) == self.value
        )


@dataclass(frozen=True, slots=True)
class TextFigures:
    """The figures of a text."""

    dates: tuple[Date, ...]
    measures: tuple[Measure, ...]
    symbols: frozenset[str]  # letters with figures: r^2, h_2o, f16


@lru_cache(maxsize=2_000)
def find_figures(text: str) -> TextFigures:
    """Return the dates and measures of a text, in order."""
    plain = fold_figures(text[:_LIMIT])
    places, rest = _locate(plain)
    dates = tuple(place.figure for place in places if isinstance(place.figure, Date))
    measures = tuple(place.figure for place in places if isinstance(place.figure, Measure))
    return TextFigures(dates, measures, frozenset(_SYMBOL.findall(rest)) - UNITS)


@dataclass(frozen=True, slots=True)
class LocatedFigure:
    """A figure at `legible(text)[start:end]`."""

    start: int
    end: int
    figure: Date | Measure


def locate_figures(plain: str) -> list[LocatedFigure]:
    """Return the positions of the figures of a legible text, in order."""
    places, _ = _locate(plain[:_LIMIT])
    return sorted(places, key=lambda place: place.start)


def _locate(plain: str) -> tuple[list[LocatedFigure], str]:
    """Return the dates, then the measures, and the text with its dates blanked."""
    places: list[LocatedFigure] = []
    last = Date(None)

    def take(match: re.Match[str]) -> str:
        nonlocal last
        date = _make_date({key.rstrip("234567"): value for key, value in match.groupdict().items() if value})
        if match[0].startswith("同"):
            date = Date(last.year, date.month or last.month, date.day)
        elif date.year is not None:
            last = date
        elif date.month is not None:
            last = Date(last.year, date.month)
        if date == Date(None) or (match["name"] and date == Date(None, date.month)):
            return match[0]
        places.append(LocatedFigure(*match.span(), date))
        return " " * len(match[0])

    rest = _DATE.sub(take, plain)
    counted = (match for match in _MEASURE.finditer(rest) if match[0] not in _NOT_COUNTED)
    places += [
        LocatedFigure(*match.span(), replace(_measure(match), rough=_is_rough(rest, match)))
        for match in counted
    ]
    return places, rest


def _is_rough(text: str, match: re.Match[str]) -> bool:
    return bool(
        _ROUGHLY.search(text, max(0, match.start() - 10), match.start()) or _OR_SO.match(text, match.end())
    )


def fold_figures(text: str) -> str:
    """Return the text in NFKC and folded case, with super- and subscripts kept distinct.

    10² is 10^2, H₂O is h_2o, ½ is 1/2.
    """
    marked = _RAISED.sub(lambda run: ("_" if "₀" <= run[0][0] <= "₉" else "^") + run[0], text)
    folded = unicodedata.normalize("NFKC", marked).casefold()
    return folded.replace("\u2044", "/").replace("−", "-")


def parse_kanji(text: str) -> Decimal:
    """Return the value of kanji numerals.

    三千二百 is 3200, 二〇二四 is 2024, 3億2000万 is 320000000, 1.5万 is 15000.
    """
    total = Decimal(0)
    section = Decimal(0)
    digits = ""
    for c in text:
        if c in _SMALL:
            section = section + Decimal(digits or 1) * _SMALL[c]
            digits = ""
        elif c in _LARGE:
            total = total + ((section + Decimal(digits or 0)) or 1) * _LARGE[c]
            section = Decimal(0)
            digits = ""
        else:
            digits += str(_DIGIT.get(c, c))
    return total + section + Decimal(digits or 0)


def _parse_whole(text: str | None) -> int | None:
    if text is None:
        return None
    return 1 if text == "元" else int(parse_kanji(text))


def _make_date(part: dict[str, str]) -> Date:
    year = (
        ERA_START[part["era"]] + (_parse_whole(part["nth"]) or 0)
        if "era" in part
        else _parse_whole(part.get("year"))
    )
    month = _MONTHS[part["name"]] if "name" in part else _parse_whole(part.get("month"))
    return Date(year, month, _parse_whole(part.get("day")))


def _measure(match: re.Match[str]) -> Measure:
    part = match.groupdict()
    unit = part["unit"] or part["counter"] or part["after"] or part["currency"] or ""
    unit = _SAME_UNIT.get(unit, unit)
    if part["word"]:
        return Measure(Decimal(_WORDS[part["word"]]) * _WORDS.get(part["many"] or "", 1), unit)
    if written := part["kanji"] or part["bare"]:
        return Measure(parse_kanji(written).normalize(), unit)
    fraction = part["fraction"] or ""
    decimals = fraction if fraction.startswith(".") else ""
    value = parse_kanji(part["digits"].replace(",", "") + decimals + (part["scale"] or "").replace(",", ""))
    if fraction.startswith("/") and int(fraction[1:]):
        value /= Decimal(fraction[1:])
    value *= _WORDS.get(part["times"] or "", 1)
    return Measure(value.normalize(), unit, part["power"] or "")


_COMPARED_DATE = compile_lazily(
    rf"(?:(?P<era>{'|'.join(ERA_START)})(?P<nth>元|\d{{1,2}})|(?P<year>\d{{4}}))年"
    r"(?:度|(?:(?P<month>\d{1,2})月(?:(?P<day>\d{1,2})日)?)?)"
)
_COMPARED_ISO = compile_lazily(r"(?P<year>\d{4})[-/.](?P<month>\d{1,2})(?:[-/.](?P<day>\d{1,2}))?")
_COMPARED_NUMBER = compile_lazily(r"[-+]?\d{1,15}(?:\.\d{1,15})?")


@dataclass(frozen=True, slots=True)
class Comparable:
    """A comparable value. `folded` compares as text; `number` is set if the value is a number."""

    folded: str
    number: float | None


def make_comparable(value: str) -> Comparable:
    """Return the form in which two values of one field compare as equal or ordered."""
    folded = " ".join(unicodedata.normalize("NFKC", value).casefold().split())
    match = _COMPARED_DATE.fullmatch(folded) or _COMPARED_ISO.fullmatch(folded)
    if match is not None:
        return Comparable(_format_date(match), None)
    plain = folded.replace(",", "")
    return Comparable(folded, float(plain) if _COMPARED_NUMBER.fullmatch(plain) else None)


def _format_date(match: re.Match[str]) -> str:
    parts = match.groupdict()
    nth = 1 if parts.get("nth") == "元" else int(parts.get("nth") or 0)
    year = ERA_START[parts["era"]] + nth if parts.get("era") else int(parts["year"])
    month = parts.get("month")
    day = parts.get("day")
    return f"{year:04}" + (f"-{int(month):02}" if month else "") + (f"-{int(day):02}" if day else "")
