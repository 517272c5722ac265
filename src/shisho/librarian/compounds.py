"""Things of one kind that the name in a compound noun tells apart: プラチナ会員 is no ゴールド会員,
京都支店 no 神戸支店, Friend membership no Full membership. Pure rules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import takewhile

from shisho.language.terms import ENGLISH_STOP, terms
from shisho.librarian.definitions import NOUNS
from shisho.librarian.questions import NounPhrase, ParsedQuestion
from shisho.librarian.word_kinds import WordKind, find_word_kinds

_PARTS = frozenset("部課係室館店組班科")
_PLACES = frozenset("駅港町村市区県寺院校橋城社線")
_JAPANESE_SUBJECT = re.compile(r"[「『]?([一-鿿々ァ-ヺー]{2,})[」』]?(?:は|では|には)")
_WORD = r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*"
# "does Friend membership cost", "the Duo plan": what stands between such a word and a noun tells it apart.
_ENGLISH_PAIR = re.compile(
    rf"\b(?:an?|the|does|do|did|is|are|was|for|of|with|on|in|your|my|our) (?=({_WORD}) ({_WORD}))"
)
_ENGLISH_SUBJECT = re.compile(rf"(?:(?:an?|the|our|your) )?({_WORD}(?: {_WORD}){{1,3}})\b")


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
    「朝コースは」 says nothing."""
    missing = {
        head for name, head in _find_pairs(question) if alike.get(name, frozenset({name})).isdisjoint(words)
    }
    return bool(missing) and not missing.isdisjoint(_find_subject_heads(folded))


def _find_pairs(question: ParsedQuestion) -> Iterator[tuple[str, str]]:
    """What tells a thing apart and the noun behind it, in index terms."""
    for phrase in question.phrases:
        *names, head = phrase.terms
        if names and min(len(names[-1]), len(head)) > 1 and phrase.text.endswith(head):
            yield names[-1], head
    for match in _ENGLISH_PAIR.finditer(question.folded):
        yield from zip(terms(match[1])[-1:], terms(match[2])[-1:], strict=False)


def _find_subject_heads(folded: str) -> Iterator[str]:
    """The last noun of what a line begins with, in index terms, where another word stands before it."""
    if match := _JAPANESE_SUBJECT.match(folded):
        yield from terms(match[1])[1:][-1:]
    if match := _ENGLISH_SUBJECT.match(folded):
        words = [*takewhile(lambda word: word not in ENGLISH_STOP, match[1].split())]
        yield from (term for word in words[1:] for term in terms(word)[-1:])
