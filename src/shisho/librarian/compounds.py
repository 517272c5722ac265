"""Things of one kind that the name in a compound noun tells apart: プラチナ会員 is no ゴールド会員,
京都支店 no 神戸支店, Friend membership no Full membership. Pure rules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from shisho.language.terms import ENGLISH_STOP, terms
from shisho.librarian.definitions import NOUNS
from shisho.librarian.questions import NounPhrase, ParsedQuestion
from shisho.librarian.word_kinds import WordKind, find_word_kinds

_PARTS = frozenset("部課係室館店組班科")
_PLACES = frozenset("駅港町村市区県寺院校橋城社線")
_JAPANESE_SUBJECT = re.compile(r"[「『]?([一-鿿々ァ-ヺー]{2,})[」』]?(?:は|では|には)")
_KATAKANA = re.compile(r"[ァ-ヺー]{2,}")
_WORD = r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*"
# "does Friend membership cost", "the Duo plan": what stands between such a word and a noun tells it apart.
_ENGLISH_PAIR = re.compile(
    rf"\b(?:an?|the|does|do|did|is|are|was|for|of|with|on|in|your|my|our) (?=({_WORD}) ({_WORD}))"
)
_ENGLISH_SUBJECT = re.compile(
    rf"(?:(?:an?|the|our|your) )?(?P<name>{_WORD})(?: {_WORD})? (?P<head>{_WORD}) (?:is|are|was|were|has|have|can|must|may"
    r"|will|(?:cost|include|cover|last|take|run|start|begin|open|close|admit|give|come)s?)\b"
)
# What tells nothing apart: it is said of all of a kind, or of the one that was spoken of before.
_JAPANESE_FOR_ALL = frozenset("各全両本当同新旧現")
_ENGLISH_FOR_ALL = frozenset(
    word
    for line in (
        "all any both each either every entire whole same most other such this that these those chosen new",
        "two three four",
    )
    for word in line.split()
)


def states_another_kind(
    question: ParsedQuestion, folded: str, alike: Mapping[str, frozenset[str]], words: frozenset[str]
) -> bool:
    """True where a line names another thing of a kind than all that the question names: its last noun behind
    another one than the name, which nothing near the line (`words`) has. Of other nouns it may be the same in
    other words: 社内規程 is 内部規程."""
    kinds = find_word_kinds(question.folded, question.terms)
    names = kinds[WordKind.NAME] | kinds[WordKind.KATAKANA]
    named = [phrase for phrase in question.phrases if _is_named(phrase, names)]
    named += [phrase for phrase in question.phrases if _is_part(phrase, question.folded)]
    there = {phrase.terms[-1] for phrase in named if _is_there(phrase, names, folded, alike, words)}
    missing_heads = {phrase.terms[-1] for phrase in named} - there
    runs = NOUNS.findall(folded) if missing_heads else []
    return any(_has_another(head, run) for head in missing_heads for run in runs)


def _is_named(phrase: NounPhrase, names: frozenset[str]) -> bool:
    head = phrase.terms[-1]
    return (
        (len(head) > 1 or head in _PARTS or head in _PLACES)
        and phrase.text.endswith(head)
        and not names.isdisjoint(phrase.terms[:-1])
    )


def _is_part(phrase: NounPhrase, folded: str) -> bool:
    """True for what is a part of something by its last letter, and of which something is asked: not
    「担当課はどこか」."""
    is_cut = len(phrase.terms) > 1 and phrase.text.endswith(phrase.terms[-1])
    return is_cut and phrase.terms[-1] in _PARTS and f"{phrase.text}の" in folded


def _is_there(
    phrase: NounPhrase,
    names: frozenset[str],
    folded: str,
    alike: Mapping[str, frozenset[str]],
    words: frozenset[str],
) -> bool:
    told_names = names.intersection(phrase.terms[:-1]) or phrase.terms[:-1]
    return all(
        name in folded or not alike.get(name, frozenset({name})).isdisjoint(words) for name in told_names
    )


def _has_another(head: str, run: str) -> bool:
    before, found, _ = run.partition(head)
    if not (found and before) or before[-1].isdigit():
        return False
    return len(head) > 1 or head in terms(run)  # 一部 is none


def has_another_subject(
    question: ParsedQuestion, folded: str, alike: Mapping[str, frozenset[str]], words: frozenset[str]
) -> bool:
    """True where a line begins with another thing of a kind than the question names, as what it is about, and
    nothing near the line (`words`) has what tells the question's apart: of what costs 全日コース,
    「朝コースは」 says nothing. In Japanese of kinds in katakana alone: 受付時間 may be the 営業時間."""
    missing = {
        head for name, head in _find_pairs(question) if alike.get(name, frozenset({name})).isdisjoint(words)
    }
    return bool(missing) and _find_subject_head(folded) in missing


def _find_pairs(question: ParsedQuestion) -> Iterator[tuple[str, str]]:
    """What tells a thing apart and the noun behind it, in index terms."""
    for phrase in question.phrases:
        *names, head = phrase.terms
        if names and _KATAKANA.fullmatch(head) and phrase.text.endswith(head):
            yield names[-1], head
    for match in _ENGLISH_PAIR.finditer(question.folded):
        yield from zip(terms(match[1])[-1:], terms(match[2])[-1:], strict=False)


def _find_subject_head(folded: str) -> str:
    """The last noun of what a line is about, as an index term, where the words before it tell it apart."""
    if match := _JAPANESE_SUBJECT.match(folded):
        *names, head = terms(match[1]) or [""]
        return head if names and names[0] not in _JAPANESE_FOR_ALL else ""
    match = _ENGLISH_SUBJECT.match(folded)
    if match is None or match["name"] in ENGLISH_STOP | _ENGLISH_FOR_ALL:
        return ""
    return "".join(terms(match["head"])[-1:])
