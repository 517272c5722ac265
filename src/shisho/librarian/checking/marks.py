"""Marks of a statement: what bounds, limits, doubts, quantifies or dates it. Pure."""

from __future__ import annotations

from shisho.language.patterns import compile_lazily

_MARKS = {
    "bounds": (
        r"以上|少なくとも|最低|最小|下限|\b(?:at least|minimum|or more)\b",
        r"超え|超過|上回|above|exceed|\b(?:over|more than)\b",
        r"以内|以下(?![「『、のに同])|(?<=[0-9a-z%°℃一-鿿ァ-ヶー])以下(?=[、のに])"
        r"|最大|最長|最高|上限|\b(?:at most|maximum|up to|or less)\b",
        r"未満|下回|below|less than",
        r"\d[^、。]{0,4}[~〜～–]\s?\d|\d[^、。]{0,6}から\d|の間|\bbetween\b",
    ),
    "limits": (
        r"のみ|だけ|限[りらるっ]|しか(?=[一-鿿な])|唯一|\b(?:only|solely|sole|exclusively)\b",
        r"除[きくい]|以外|\b(?:except|other than|unless)\b",
    ),
    "doubts": (
        r"おそれ|可能性|かもしれ|推定|見込|とされ|と(?:も)?(?:言|い)われ|考えられ|ともされ|らしい|ようだ"
        r"|\b(?:perhaps|probabl[ey]|likely|expected|planned)\b",
        r"[おこごそとのぼもよろ]うと(?:し|する)|\b(?:about|try\w*|tried|attempt\w*|intend\w*) to\b",
    ),
    "signs": (r"紀元前|\bb\.?c\b", r"(?<![a-z0-9)）])[-−]\d|マイナス|零下|氷点下|\bminus\b"),
    "parts": (
        r"全て|すべて|全員|常に|いつも|必ず|いかなる|一切|いつでも|誰でも|どんな|\b(?:all|always|every|never|any|none)\b",
        r"一部|半数|ほとんど|めったに|約(?=[\d一二三四五六七八九十百千数])|およそ"
        r"|\b(?:few|some|half|nearly|almost|hardly|rarely|seldom)\b",
    ),
    "times": (
        r"現在|現代|今[はもでな]|今日|\b(?:now|currently|today|still)\b",
        r"まで(?!に)|\b(?:until|till|up to)\b",
        r"前|までに|あらかじめ|\b(?:before|prior|in advance|earlier)\b",
        r"後(?!述)|以降|\b(?:after|since|later)\b",
    ),
}
KINDS = tuple(_MARKS)
_PATTERNS = {kind: [compile_lazily(pattern) for pattern in patterns] for kind, patterns in _MARKS.items()}


def count_different_marks(text: str, other: str, kind: str) -> int:
    """Return how many marks of a kind only one of two folded texts has."""
    return sum(
        (pattern.search(text) is None) != (pattern.search(other) is None) for pattern in _PATTERNS[kind]
    )
