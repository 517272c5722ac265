"""Phrases that only ask, from one list. The rest of a question is the search target. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files

from shisho.records import dataclass

MAX_PHRASES = 12  # around one question, on each side
MAX_PARTICLES = 4  # before one phrase: のこと+について
_GAP = "…"
_MARKS = ("+ ", "~ ")  # of particles and of endings
_SHORT = 3  # letters that may be the end of a longer word: ぶどう, 平面幾何, 提示して
_KANA, _KANJI = "ぁ-んー", "一-鿿々"


@dataclass(frozen=True, slots=True)
class _Phrases:
    """The list, compiled for matching.

    `around`: phrases that both open and close a question. `leading`: the ends of clauses that introduce a
    question.
    """

    terms: frozenset[str]
    opening: re.Pattern[str]
    closing: re.Pattern[str]
    around: tuple[re.Pattern[str], ...]
    leading: re.Pattern[str]


def strip_asking(question: str) -> str:
    """Return the question without phrases that only ask; unchanged if nothing would be left."""
    phrases = _read_phrases()
    bare = phrases.leading.sub("", question.strip())
    for _ in range(MAX_PHRASES):
        shorter = phrases.opening.sub("", phrases.closing.sub("", bare, count=1), count=1)
        for around in phrases.around:
            if match := around.match(bare):
                shorter = match["thing"]
        if shorter == bare:
            break
        bare = shorter
    bare = bare.strip(" \t、。，．,.?？!！:：")
    return bare if any(map(str.isalnum, bare)) else question


def is_asking_term(term: str) -> bool:
    """Return whether an index term only asks: it names nothing that a passage could contain."""
    return term in _read_phrases().terms


@lru_cache(maxsize=1)
def _read_phrases() -> _Phrases:
    text = files("shisho.language").joinpath("lists", "asking_phrases.txt").read_text("utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    openings = [line.removesuffix(_GAP).strip() for line in lines if line.endswith(_GAP) and line[0] != _GAP]
    closings = [
        line.removeprefix(_GAP).strip() for line in lines if line.startswith(_GAP) and line[-1] != _GAP
    ]
    pairs = [line.split(_GAP) for line in lines if _GAP in line.strip(_GAP)]
    leads = [line.strip(f"{_GAP} ") for line in lines if line.startswith(_GAP) and line.endswith(_GAP)]
    particles, endings = (
        _match_any([line[2:] for line in lines if line.startswith(mark)]) for mark in _MARKS
    )
    behind = rf"(?:{particles}){{1,{MAX_PARTICLES}}}+(?:{_match_any(closings)})"
    free = _write_free(_sort_longest_first(closings))
    return _Phrases(
        frozenset(
            word
            for line in lines
            if not line.startswith(_MARKS) and _GAP not in line
            for word in line.split()
        ),
        re.compile(rf"^[\s、。,.]*(?:{'|'.join(_list_openings(openings))})", re.IGNORECASE),
        re.compile(rf"(?:{behind}|{free})(?>{endings}|[\s.]++)*+$", re.IGNORECASE),
        tuple(
            re.compile(
                rf"^{re.escape(pair[0].strip())}\s+(?P<thing>.+?)\s+{re.escape(pair[1].strip())}[\s?.!]*$",
                re.IGNORECASE,
            )
            for pair in pairs
        ),
        re.compile(
            rf"^.*\b(?:{_match_any(leads)})\s+(?=(?:wh(?:at|o|en|ere|y|ich|ether)|how|if)\b)", re.IGNORECASE
        ),
    )


def _list_openings(phrases: list[str]) -> Iterator[str]:
    for phrase in _sort_longest_first(phrases):
        written = re.escape(phrase).replace("'", "['’]")
        yield written + (r"(?=[\s,:.!?]|$)[\s,:.!?]*" if phrase.isascii() else r"[\s、。!！]*")


def _write_free(phrases: list[str]) -> str:
    """Return a pattern of closing phrases without a particle before them.

    A short phrase must follow letters of another kind.
    """
    written: dict[str, list[str]] = {"": [], _KANA: [], _KANJI: []}
    for phrase in phrases:
        if phrase.isascii():
            written[""].append(rf"[\s,.?!]++{re.escape(phrase)}(?=[\s,.?!]|$)")
        else:
            kind = _KANA if re.match(f"[{_KANA}]", phrase) else _KANJI
            written[kind if len(phrase) <= _SHORT else ""].append(re.escape(phrase))
    # Compiling a case-insensitive range visits each of its characters.
    short = (f"(?<!(?-i:[{kind}]))(?:{'|'.join(written[kind])})" for kind in (_KANA, _KANJI))
    return "|".join([*written[""], *short])


def _match_any(phrases: list[str]) -> str:
    return "|".join(map(re.escape, _sort_longest_first(phrases)))


def _sort_longest_first(phrases: list[str]) -> list[str]:
    return sorted(phrases, key=len, reverse=True)
