"""Read the citations in a sentence, and find frames, which state nothing and need no citation.

Citations are written as [1, 2], 【1†source】, (quotation 1), or （引用1）.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from shisho.language import compile_lazily
from shisho.language.display import make_legible
from shisho.language.terms import squeeze

LONGEST_RANGE = 40

# Neither the digits [0-9] nor the years [2019-2021] are citations.
_SPAN = r"(?:(?![0０])\d{1,3}\s{0,3}[-–〜～~]\s{0,3}(?![0０])\d{1,3}(?!\d)|(?![0０])\d{1,9})"
_NUMBERED = rf"\s{{0,3}}(?P<%s>{_SPAN}(?:\s{{0,3}}(?:[,、，;・と]|and)\s{{0,3}}{_SPAN}){{0,40}})\s{{0,3}}"
_CITED = compile_lazily(r"(\d+)(?:\s*[-–〜～~]\s*(\d+))?")
_BOLD = compile_lazily(
    r"(?<![A-Za-z0-9_)\]*])\*{2,3}(?=[\w「『（(“])([^*]{1,400})(?<=[\w」』）)”。、])\*{2,3}(?![A-Za-z0-9_(*])"
)
# Neither a minus nor a sign that is spoken of: "- 40℃", "* 印は".
_LIST_MARK = compile_lazily(r"^\s*(?:[-•]\s+(?!\d)|#{2,6}\s+|\*\s+(?![印記]))")
_NAMED = r"\s{0,3}(?:quotations?|quotes?|sources?|引用文?|出典)"
_MARKS = compile_lazily(
    rf"\s{{0,3}}(?:[\[［【]\^?(?:{_NAMED})?{_NUMBERED % 'bracketed'}(?:†[^\]］】]{{0,80}})?[\]］】]"
    rf"|[(（]{_NAMED}{_NUMBERED % 'named'}[)）])",
    re.IGNORECASE,
)


def list_cited_numbers(text: str) -> tuple[int, ...]:
    """Return the numbers that the words of a sentence cite."""
    marks = [mark["bracketed"] or mark["named"] for mark in _MARKS.finditer(text)]
    return tuple(dict.fromkeys(number for mark in marks for number in _list_numbers(mark)))


def strip_marks(text: str) -> str:
    """Return a sentence on one line without its citations, invisible characters and Markdown."""
    plain = _BOLD.sub(r"\1", _LIST_MARK.sub("", _MARKS.sub("", text)))
    return " ".join(make_legible(plain).split())


def _list_numbers(mark: str) -> Iterator[int]:
    for first, last in _CITED.findall(mark):
        is_range = last and 0 < int(last) - int(first) < LONGEST_RANGE
        yield from range(int(first), int(last) + 1) if is_range else map(int, filter(None, (first, last)))


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
