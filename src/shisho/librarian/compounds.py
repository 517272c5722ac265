"""Things of one kind that the name in a compound noun tells apart: プラチナ会員 is no ゴールド会員,
京都支店 no 神戸支店. Pure rules."""

from __future__ import annotations

from collections.abc import Mapping

from shisho.language.terms import terms
from shisho.librarian.definitions import NOUNS
from shisho.librarian.questions import NounPhrase, ParsedQuestion
from shisho.librarian.word_kinds import WordKind, find_word_kinds

_PARTS = frozenset("部課係室館店組班科")
_PLACES = frozenset("駅港町村市区県寺院校橋城社線")


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
