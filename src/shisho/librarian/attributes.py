"""Nouns that measure: 料金 is told by yen, a height by metres that are no length. Pure rules over terms."""

from __future__ import annotations

from collections.abc import Iterable

from shisho.language.meanings import find_exclusive

_LENGTH = "m cm km mm メートル センチ センチメートル ミリ ミリメートル キロ キロメートル"
_WEIGHT = "kg g t キロ キログラム グラム トン"
_MONEY = "円 ドル ユーロ ポンド 無料"
_UNITS = {
    attribute: frozenset(units.split())
    for attributes, units in (
        ("料金 値段 価格 費用 代金 金額 値 値打ち", _MONEY),
        ("時刻", "時"),
        ("人数", "人 名"),
        ("年齢", "歳 才"),
        ("気温 温度", "度"),
        ("割合 率", "パーセント 割"),
        ("高い 長い 深い 厚い 太い 幅 奥行き 全長 身長 距離", _LENGTH),
        ("重い 重量 質量 体重", _WEIGHT),
    )
    for attribute in attributes.split()
}
# Of one thing, each of these has another value in the same unit.
_FAMILIES = (
    frozenset({"高い", "長い", "深い", "厚い", "幅", "奥行き", "直径", "距離"}),
    frozenset({"最大", "最小", "平均"}),
)


def states_another_value(
    asked_terms: Iterable[str], line_terms: frozenset[str], near_words: frozenset[str]
) -> bool:
    """True where a line says of what is red what is asked of what is green."""
    asked = frozenset(asked_terms)
    missing = (term for term in asked if term not in near_words)
    return any(not (find_exclusive(term) & line_terms) <= asked for term in missing)


def find_units(attribute: str) -> frozenset[str]:
    """The units in which a noun that is asked for is told: of what costs 500 yen, the price is told."""
    return _UNITS.get(attribute, frozenset())


def states_another_attribute(asked_terms: Iterable[str], line_terms: frozenset[str]) -> bool:
    """True where a line tells the length of what the height is asked of."""
    asked = frozenset(asked_terms)
    families = ((asked & family, line_terms & family) for family in _FAMILIES)
    return any(sought and stated and sought.isdisjoint(stated) for sought, stated in families)
