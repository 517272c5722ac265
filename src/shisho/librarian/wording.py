"""A sentence that is nearly its quotation word for word: the few differences are looked at one by one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from shisho.language.meanings import mean_same
from shisho.language.phrase import Phrase, Statement
from shisho.language.phrases import denies, hedges, is_attributed, phrases
from shisho.language.terms import terms
from shisho.language.weights import LIGHT
from shisho.librarian.comparison import Comparison, Doubts
from shisho.librarian.ties import case_of, figure_word

NEAR = 0.7  # share of phrases in the same order from which two sentences count as nearly the same
MAX_PHRASES = 200

CASES = frozenset({"が", "を", "に", "で", "から", "まで", "より", "の"})

_REASON = re.compile(
    r"ため(?!の)|ので|せいで|おかげで|(?:た|の)結果|に基づ(?:いて|き|く)|に触発され|\bbecause\b|\bdue to\b"
)

_MEANS = re.compile(
    _REASON.pattern + r"|により(?!よ)|によって|ことで(?!は)|ことから"
)  # may also name who does it

_CORE = frozenset({"が", "を"})
Key = tuple[str, ...]


def compare_wording(comparison: Comparison, sentence: str, quotations: Sequence[str], doubts: Doubts) -> None:
    """Compare each sentence with the quoted one that it is nearest to, if it is near."""
    quoted_statements = [statement for quotation in quotations for statement in phrases(quotation)]
    for said_statement in phrases(sentence):
        our_keys = _keys(comparison, said_statement)
        near = [
            (SequenceMatcher(None, our_keys, _keys(comparison, other), autojunk=False), other)
            for other in quoted_statements
        ]
        matcher, other = max(near, key=lambda pair: pair[0].ratio(), default=(None, None))
        if matcher is not None and other is not None and matcher.ratio() >= NEAR:
            their_keys = _keys(comparison, other)
            if our_keys and our_keys[-1] in their_keys[-3:]:
                _compare_ends(said_statement, other, doubts)
            _compare_blocks(comparison, our_keys, their_keys, matcher, doubts)
            topic, target = _opening(comparison, said_statement)
            if topic != target and (target, topic) == _opening(comparison, other):
                doubts.wrong.append("role")
        if other is not None and len(_words(our_keys) & _words(_keys(comparison, other))) >= NEAR * len(
            _words(our_keys)
        ):
            _compare_roles(comparison, said_statement, other, doubts)
            _compare_causes(comparison, said_statement, other, doubts)


def _keys(comparison: Comparison, statement: Statement) -> list[Key]:
    return [_key(comparison, phrase) for phrase in statement.phrases[:MAX_PHRASES]]


def _key(comparison: Comparison, phrase: Phrase) -> Key:
    return (*map(comparison.rename, phrase.terms), *map(figure_word, phrase.figures))


def _compare_ends(said_statement: Statement, quoted_statement: Statement, doubts: Doubts) -> None:
    if hedges(quoted_statement.text) > hedges(said_statement.text) and not is_attributed(said_statement.text):
        doubts.wrong.append("hedge")
    if denies(quoted_statement.text) != denies(said_statement.text) and not _alike_at_end(
        said_statement, quoted_statement
    ):
        doubts.wrong.append("negation")


def _alike_at_end(said_statement: Statement, quoted_statement: Statement) -> bool:
    """True where both close with one predicate, affirmed or denied in both, whatever words of saying
    follow it."""
    our_phrase = said_statement.phrases[-1]
    their_phrase = quoted_statement.phrases[-1]
    return (
        our_phrase.predicate
        and our_phrase.terms == their_phrase.terms
        and ("not" in our_phrase.marks) == ("not" in their_phrase.marks)
    )


def _compare_blocks(
    comparison: Comparison,
    our_keys: Sequence[Key],
    their_keys: Sequence[Key],
    matcher: SequenceMatcher[Key],
    doubts: Doubts,
) -> None:
    codes = matcher.get_opcodes()
    replaced = [
        (_words(our_keys[a:b]), _words(their_keys[c:d])) for kind, a, b, c, d in codes if kind == "replace"
    ]
    replaced = [
        (said_words, quoted_words)
        for said_words, quoted_words in replaced
        if not _means_same(said_words, quoted_words)
    ]
    for said_words, quoted_words in replaced:
        if (quoted_words, said_words) in replaced:
            doubts.wrong.append("role")
        elif said_words <= comparison.quoted_words and not said_words <= quoted_words:
            # It stands elsewhere in the quotations, and here in the place of something else.
            alone = len(replaced) == 1 and not any(kind in ("insert", "delete") for kind, *_ in codes)
            (doubts.wrong if alone else doubts.unsure).append("role")
        else:
            doubts.hints.append("replaced")


def _compare_roles(
    comparison: Comparison, said_statement: Statement, quoted_statement: Statement, doubts: Doubts
) -> None:
    """Words that stand once in both sentences keep their particles, unless one of the two is passive."""
    if _voices(said_statement) != _voices(quoted_statement):
        return
    our_roles = _roles(comparison, said_statement)
    their_roles = _roles(comparison, quoted_statement)
    changed = [word for word in our_roles.keys() & their_roles.keys() if our_roles[word] != their_roles[word]]
    if len(changed) > 1:
        pairs = ((first, other) for first in changed for other in changed)
        swapped = any(
            _plain_goal(our_roles[first]) == _plain_goal(their_roles[other])
            and _plain_goal(our_roles[other]) == _plain_goal(their_roles[first])
            for first, other in pairs
            # 南南東の海 is 南南東へ離れた海
            if "の" not in (roles := {our_roles[first], our_roles[other]}) or roles & _CORE
        )
        if swapped:
            doubts.wrong.append("role")


def _opening(comparison: Comparison, statement: Statement) -> tuple[Key, Key]:
    """The first subject or topic of a sentence and the first object after it."""
    topic: Key = ()
    for phrase in statement.phrases:
        role = case_of(phrase.role)
        if role == "が" and not topic:
            topic = _key(comparison, phrase)
        elif role == "を" and topic:
            return topic, _key(comparison, phrase)
    return (), ()


def _plain_goal(role: str) -> str:
    """から…まで, から…に至る."""
    return "に" if role == "まで" else role


def _compare_causes(
    comparison: Comparison, said_statement: Statement, quoted_statement: Statement, doubts: Doubts
) -> None:
    """Check that a reason in the quotation is not the effect in the sentence."""
    for marks, firm in ((_REASON, True), (_MEANS, False)):
        our_sides = _sides(comparison, said_statement, marks)
        their_sides = _sides(comparison, quoted_statement, marks)
        if our_sides and their_sides:
            kept_count = len(our_sides[0] & their_sides[0]) + len(our_sides[1] & their_sides[1])
            if len(our_sides[0] & their_sides[1]) + len(our_sides[1] & their_sides[0]) > kept_count:
                (doubts.wrong if firm else doubts.unsure).append("role")


def _sides(
    comparison: Comparison, statement: Statement, marks: re.Pattern[str]
) -> tuple[frozenset[str], frozenset[str]] | None:
    """The words before and after the word that makes one the reason of the other."""
    parts = marks.split(statement.text, maxsplit=1)
    if len(parts) < 2:
        return None
    before, after = (frozenset(map(comparison.rename, terms(part))) - LIGHT for part in parts)
    return (before, after) if before and after else None  # そのため stands for what was said before


def _voices(statement: Statement) -> int:
    return sum("passive" in phrase.marks for phrase in statement.phrases)


def _roles(comparison: Comparison, statement: Statement) -> dict[str, str]:
    roles: dict[str, str] = {}
    words = [comparison.rename(word) for phrase in statement.phrases for word in phrase.terms]
    for phrase, after in zip(statement.phrases, [*statement.phrases, None][1:], strict=True):
        role = case_of(phrase.role)
        if role == "が" and after is not None and "able" in after.marks:  # 英語が話せる
            role = "を"
        for word in map(comparison.rename, phrase.terms):
            if role in CASES and words.count(word) == 1:
                roles[word] = role
    return roles


def _words(keys: Sequence[Key]) -> frozenset[str]:
    return frozenset(word for key in keys for word in key)


def _means_same(said_words: frozenset[str], quoted_words: frozenset[str]) -> bool:
    """True where each word has its like on the other side, apart from words that only fill."""
    return all(word in LIGHT or any(mean_same(word, other) for other in quoted_words) for word in said_words)
