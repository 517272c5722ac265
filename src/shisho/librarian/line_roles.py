"""The part that a line plays in its passage: said, listed, announced, or only printed. Pure rules by form.

A PDF gives what stands on the page: beside sentences also page numbers, the letters of a figure, contents
lines and headings that the reader of the document took for text. They match a question as well as an answer
does, and answer nothing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from enum import StrEnum
from itertools import pairwise

from shisho.language.sentences import is_row


class LineRole(StrEnum):
    """What a line is to its reader. PROSE says something by itself; ITEM belongs to a list; LEAD announces
    one; HEADING names what follows; QUESTION asks; REST is printed and says nothing."""

    PROSE = "prose"
    ITEM = "item"
    LEAD = "lead"
    HEADING = "heading"
    QUESTION = "question"
    REST = "rest"


HEADING_CHARS = 40
FRAGMENT_CHARS = 4  # 「必須」「2」「有」: a shorter line is part of a table or a figure
CUT_CHARS = 20
DOUBT_CHARS = 12
FEWEST_WORDS = 3  # of a line without Japanese
_CLOSING = frozenset(")）」』】〕》〉]］”")
_TAIL = re.compile(r"[ぁ-ん]{0,6}[。．]|[^。「『(（]{0,12}[)）」』][。．]?")
_MARKS = (
    re.compile(r"[・•●○■□◆◇▪▶‣※◦✓✔➢]|[-*+–—]\s"),
    re.compile(r"[①-⑳]|[❶-❿]"),
    re.compile(r"[(（][0-9０-９]{1,2}[)）]"),
    re.compile(r"[0-9０-９]{1,2}[.．)）](?![0-9０-９])|[0-9０-９]{1,2}[、\s\u3000](?=[^\d\s])"),
    re.compile(r"[(（]?[ア-ンｱ-ﾝ][)）]|[ア-ン][\s\u3000]"),
    re.compile(r"[(（]?[a-zⅰ-ⅻ]{1,3}[)）.]\s?"),
    re.compile(r"[0-9一二三四五六七八九十]+[号][\s\u3000]|[一二三四五六七八九十]+[\s\u3000]"),
    re.compile(r"(?:ステップ|手順|step)\s*[0-9]+", re.IGNORECASE),
)
_NUMBERED_HEADING = re.compile(
    r"[0-9０-９]{1,2}[.．](?![0-9０-９])\s*|[(（][0-9０-９]{1,2}[)）]\s*|[一二三四五六七八九十]{1,3}[\s\u3000、]\s*"
)
_DOTTED = re.compile(r"(?:[.．]{4,}|…{2,}|・{4,}|‥{2,}|_{5,}|(?:\. ){4,})\s*\d*\s*$|[.．]{8,}")
_CONTENTS = re.compile(
    r"(?:^|›\s*)(?:目\s*次|もくじ|索\s*引|図表?一覧|(?:table of )?contents|index)\s*$", re.IGNORECASE
)
_PAGE = re.compile(
    r"[-–—・\s]*(?:p(?:age|\.)?\s*)?\d{1,4}(?:\s*(?:/|of)\s*\d{1,4})?[-–—・\s]*(?:ページ|頁)?",
    re.IGNORECASE,
)
_PRINTER = re.compile(
    r"\.(?:indd|qxd|ai|eps)\b|^\d{2,4}[/.]\d{1,2}[/.]\d{1,2}\s+\d{1,2}:\d{2}", re.IGNORECASE
)
_FORMULA = re.compile(r"[=∑∏∫≈∣√]|\b[a-zA-Z]\s?\(")
_LETTER = re.compile(r"[^\W\d_]")
_NUMBER = re.compile(r"[-−+±]?\d[\d.,]*(?:%|年|月|日|時|分|回|人|円)?")
_BRACKETED = re.compile(r"[(（【〔［\[<＜][^()（）【】]{1,60}[)）】〕］\]>＞]")
_ARTICLE = re.compile(
    r"第\s?[0-9０-９一二三四五六七八九十百]+\s?[章節款編部条](?:の[0-9０-９一二三四五六七八九十]+)?"
)
_ENDED = re.compile(r"[。．！!?？.]['\"’”」』)）】\]]*$")
_ASKS = re.compile(
    r"[?？]$|(?:何|なぜ|どう|どこ|いつ|誰|どれ|どの|どんな|どちら|いくつ)[^。]*か。?$|(?:です|ます|でしょう|とは何)か。?$"
    # What an exercise asks of its reader, not what a rule orders: 「届け出よ。」「報告せよ。」
    r"|(?:なさい|求めよ|述べよ|答えよ|証明せよ|説明せよ|計算せよ|考察せよ|列挙せよ)。?$"
)
_GRAMMAR = re.compile(r"[ぁ-ん]|\w \w")
_VALUE_ASKED = re.compile(r"^[^?？]{2,}[:：][^?？ぁ-ん]*[?？]$")  # 「問題の種類：品詞推定？」 names a value
# A line that ends so has said something, though no full stop follows.
_SAID = re.compile(
    r"(?:る|た|だ|す|ない|です|ます|ある|いる|れる|せる|よう|ず|べき|こと|もの|ため|とき|い|う|く|つ|ぬ|ぶ|む)$"
)
# Formulas, code and the values of an example: signs between names, and no word of Japanese grammar.
_CODE = re.compile(r"=[^=]*=|\w\s?\([^()]*\)\s*[=+−-]|^\s*\w+\s*[+−*-]?=\s*\S+$")
# A figure is told: 「最大潮位は 2.31 m」「定員: 50名」.
_TELLS = re.compile(
    r"^[^\d:：]{1,20}(?:[:：]|は|が)\s*(?:約|およそ|最大|最小|平均|午前|午後|毎[月週年])?\s*[-−+±¥￥$]?\d[\d.,]*\s*"
    r"(?:[-~〜～:/×±]|(?:%|％|℃|°|円|人|名|年|月|日|時|分|秒|週|回|個|件|台|本|冊|枚|点|歳|社|号|階|度|倍|割|ビット|メートル|グラム|リットル|キロ"
    r"|(?:[kcmnM]?[mgLlWVA]|bits?|[kMGT]?B|Hz|kHz|MHz|GHz|hPa|dB|t|s|ms)(?![a-z]))|\s*$)"
)
# Behind a label something is told, not behind 「第2部:」. One by itself may be a heading: 「演習: 微分」.
_LABELLED = re.compile(r"[^\s\d:：]{1,11}[^\s\da-zA-Z章節部編付録:：][:：]\s*[^\s:：]{2,}")
_ANNOUNCED = re.compile(
    r"[:：]$|(?<![一-鿿0-9０-９ァ-ヶー%％℃])(?:次|以下|下記|左記|つぎ)(?:の|に(?:掲げ|示|挙げ|定め|よ|留意|注意|従|沿|該当|当て|あて))|(?:とおり|通り)(?:です|である|とする)?。?$"
    r"|\b(?:the )?following\b|\bas follows\b|\bbelow\b",
    re.IGNORECASE,
)
# What only a list that follows makes a lead-in: 「3つの階調から選びます」「次のいずれかです」
_COUNTS_ITEMS = re.compile(
    r"[2-9２-９二三四五六七八九十]\s?(?:つ|種類?|点|通り|項目|段階|要素|条件|方法|タイプ|個の)|いずれか"
    r"|\b(?:two|three|four|five|six|seven|eight|several) [a-z]+s\b",
    re.IGNORECASE,
)
# What is announced is a way: whatever stands below in lines of its own is a step of it.
_STEPS = re.compile(
    r"(?:以下|次|下記)[がは、の]{0,2}[^。]{0,12}(?:手順|方法|流れ|やり方|仕方|ステップ)(?:です|である|とする|を示す|を示します)?[。:：]?$"
    r"|(?:手順|方法|流れ|やり方|仕方)は、?(?:以下|次|下記)(?:の(?:とおり|通り))?(?:です|である)?[。:：]?$"
    r"|\b(?:these|following) steps\b|\bhere(?:'s| is) how\b",
    re.IGNORECASE,
)


def roles(lines: Sequence[str], heading: str) -> list[LineRole]:
    """The role of each line of a passage under this heading. `lines` are as printed, line ends within."""
    listed = _CONTENTS.search(heading) is not None
    own_roles = [
        LineRole.HEADING if _labels_columns(line, heading) else _role(_on_one_line(line), listed)
        for line in lines
    ]
    for place in _find_labelled(lines):
        if own_roles[place] is LineRole.HEADING:
            own_roles[place] = LineRole.PROSE
    for place, line in enumerate(lines):
        if _asks_on(line, own_roles, place):
            own_roles[place] = LineRole.REST
        if own_roles[place] in (LineRole.REST, LineRole.QUESTION) or is_row(line):
            continue
        following = own_roles[place + 1] if place + 1 < len(lines) else None
        listed_next = following in (LineRole.ITEM, LineRole.REST, None) or line.rstrip().endswith((":", "："))
        typed_next = following is LineRole.PROSE and not _ENDED.search("".join(lines[place + 1].split()))
        if (
            (announces(line) and (listed_next or typed_next))
            or (announces_steps(line) and following)
            or (
                own_roles[place : place + 3] == [LineRole.PROSE, LineRole.ITEM, LineRole.ITEM]
                and _counts_items(line)
            )
        ):
            own_roles[place] = LineRole.LEAD
        elif typed_next and line.rstrip().endswith("には"):
            own_roles[place] = LineRole.LEAD  # 「組版するには」: what to type stands below
    for place, (role, following) in enumerate(pairwise(own_roles)):
        if (
            role is LineRole.LEAD
            and following is LineRole.HEADING
            and lines[place].rstrip().endswith((":", "："))
        ):
            own_roles[place] = LineRole.HEADING
    for place in _find_numbered_headings(lines, own_roles):
        own_roles[place] = LineRole.HEADING
    if (
        lines
        and own_roles[-1] is LineRole.PROSE
        and not is_row(lines[-1])
        and _cut_off("".join(lines[-1].split()))
    ):
        own_roles[-1] = LineRole.REST
    return own_roles


def _find_numbered_headings(lines: Sequence[str], own_roles: Sequence[LineRole]) -> list[int]:
    """The places of what looks like items of a numbered list and heads parts of the text: below each stands
    more, below one of them more than a sentence."""
    places = [
        place
        for place, line in enumerate(lines)
        if own_roles[place] is LineRole.ITEM and _NUMBERED_HEADING.match(line)
    ]
    if len(places) < 2 or (places[0] and own_roles[places[0] - 1] is LineRole.LEAD):
        return []
    below = [after - place - 1 for place, after in pairwise([*places, len(lines)])]
    heads = all(_heads_part(lines[place]) for place in places)
    return places if heads and min(below) > 0 and max(below) > 1 else []


def _find_labelled(lines: Sequence[str]) -> list[int]:
    """The places of values behind labels, two of them or more together."""
    labels = [len(_LABELLED.findall(line)) if _LABELLED.match(line.strip()) else 0 for line in lines]
    padded = [0, *labels, 0]
    return [place for place, count in enumerate(labels) if count and sum(padded[place : place + 3]) > 1]


def _heads_part(line: str) -> bool:
    title = _NUMBERED_HEADING.sub("", line).strip()
    return bool(title) and _heads(title, unicodedata.normalize("NFKC", "".join(title.split())))


def _on_one_line(line: str) -> str:
    """Without line ends and with single spaces; the tabs between the cells of a row stay."""
    return "\t".join(" ".join(cell.split()) for cell in line.split("\t"))


def _labels_columns(line: str, heading: str) -> bool:
    """The first row of a table: the heading of a part of it ends with these labels."""
    if not is_row(line):
        return False
    return all(" ".join(cell.split()) in heading for cell in line.split("\t"))


def _cut_off(dense: str) -> bool:
    """The beginning of a sentence at the end of a page: 「また、時間給の場合」"""
    return len(dense) < CUT_CHARS and "、" in dense and not _ENDED.search(dense) and not _SAID.search(dense)


def is_whole(line: str) -> bool:
    """True where a line has said what it says: it ends as sentences do, with a full stop or without."""
    dense = "".join(line.split())
    return (_ENDED.search(dense) or _SAID.search(dense)) is not None


def mark(line: str) -> int:
    """Which kind of mark a list item begins with, counted from 1; 0 for none."""
    return next((number for number, pattern in enumerate(_MARKS, 1) if pattern.match(line)), 0)


def announces(line: str) -> bool:
    """True where the line says that something follows: 「次の書類を提出しなければならない。」"""
    return _ANNOUNCED.search(line.strip()) is not None


def _counts_items(line: str) -> bool:
    return _COUNTS_ITEMS.search(" ".join(line.split())) is not None


def announces_steps(line: str) -> bool:
    """True where the line says that the steps of a way follow: 「手順は以下のとおりです。」"""
    return _STEPS.search(line.strip()) is not None


def _asks_on(line: str, roles_so_far: Sequence[LineRole], place: int) -> bool:
    """A further doubt of an item, not a question that what follows answers: 「品詞推定？ 単語分割？」"""
    if roles_so_far[place] is not LineRole.QUESTION or not place or len(line) > DOUBT_CHARS:
        return False
    return roles_so_far[place - 1] in (LineRole.ITEM, LineRole.REST) and not _GRAMMAR.search(line)


def _role(line: str, listed: bool) -> LineRole:
    dense = unicodedata.normalize("NFKC", "".join(line.split()))
    if _printed_only(line, dense, listed):
        return LineRole.REST
    if mark(line) and _VALUE_ASKED.search(dense):
        return LineRole.ITEM
    if _ASKS.search(dense):
        return LineRole.QUESTION
    if mark(line):
        return LineRole.ITEM
    if _broken(line, dense):
        return LineRole.REST
    if _heads(line, dense):
        return LineRole.HEADING
    return LineRole.PROSE


def _broken(line: str, dense: str) -> bool:
    """A cell by itself, or the end of a sentence that began on the page before: 「必須」「れます。」"""
    if is_row(line):
        return False
    if _TAIL.fullmatch(dense) or (dense[0] in _CLOSING and not _ENDED.search(dense)):
        return True
    short = len(dense) <= FRAGMENT_CHARS if _japanese(dense) else len(line.split()) < FEWEST_WORDS
    return short and not _ENDED.search(dense) and not _BRACKETED.fullmatch(dense)


def _printed_only(line: str, dense: str, listed: bool) -> bool:
    letters = len(_LETTER.findall(dense))
    if letters and is_row(line):
        return False  # a row of a table
    if not letters or _PAGE.fullmatch(line) or _DOTTED.search(line) or _PRINTER.search(line):
        return True
    if listed and not _ENDED.search(dense):
        return True
    return _labels(line, dense, letters)


def _labels(line: str, dense: str, letters: int) -> bool:
    """The letters of a figure or a formula: many numbers or signs with a word or two, and no predicate."""
    if not dense.endswith("...") and (_ENDED.search(dense) or _SAID.search(dense)):
        return False
    if _CODE.search(line) and not re.search(r"[ぁ-ん]", dense):
        return True
    words = line.split()
    numbers = sum(_NUMBER.fullmatch(word) is not None for word in words)
    if numbers >= 3 and numbers >= 0.5 * len(words):
        return True
    return bool(_FORMULA.search(line)) and letters < 0.6 * len(dense) and not re.search(r"[ぁ-ん]{2}", dense)


def _heads(line: str, dense: str) -> bool:
    if _BRACKETED.fullmatch(dense):
        return True
    if len(dense) > HEADING_CHARS or _ENDED.search(dense) or "、" in dense:
        return False
    if article := _ARTICLE.match(dense):
        return (
            not re.search(r"[はがを]", dense[article.end() :])
            or _BRACKETED.fullmatch(dense[article.end() :]) is not None
        )
    if dense.endswith((":", "：")):
        return True
    if _TELLS.match(line):
        return False
    return not is_row(line) and not _SAID.search(dense) and (_japanese(dense) or line.istitle())


def _japanese(dense: str) -> bool:
    return re.search(r"[ぁ-んァ-ヶ一-鿿]", dense) is not None
