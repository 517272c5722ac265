"""Who does it, to whom, from where and to where: what a sentence says of a predicate that its quotations have
too must be said there of the same things."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise

from shisho.language.meanings import opposites
from shisho.language.terms import fold, terms
from shisho.language.weights import LIGHT
from shisho.librarian.comparison import Comparison, Doubts
from shisho.librarian.ties import (
    Rename,
    TiedPhrase,
    find_plain_role,
    words_of,
)

_SPEAKER = re.compile(
    r"(?P<before>[\w'’.\- ]{2,40}?) (?:said|says|told|announced|argued|claimed|wrote|reported|warned)\b"
    r"|\b(?:said|says|according to|reported by) (?P<after>[\w'’.\- ]{2,40})"
    r"|(?P<source>[^、。「」『』]{1,20}?)(?:の回想|の話|の証言|の報告|の説)?(?:によると|によれば)"
    r"|(?P<teller>[^、。「」『』]{1,20})は、?[「『][^」』]*[」』]と(?:述べ|語|書|話|主張|記)"
)
_THAN = re.compile(
    r"([^、。,.\s]{1,12}?)(?<!に)より(?:も|は)?(?=[^、。]{0,12}(?:い|く|優|勝|劣|多|少|大|小|高|低))"
    r"|([^、。,.\s]{1,12}?)と比(?:べ|較)|\bthan ((?:[\w-]+ ?){1,3})"
)
_PASSIVE = re.compile(
    r"\b(?:is|are|was|were|be|been|being)(?: \w+ly)? \w+(?:ed|en|own|ught|ade|old|one|ound|uilt|ept|et)\b"
)
_KATAKANA = re.compile("[ァ-ヺー・]{3,}")
_AGENT = frozenset({"によって", "により", "から"})
_SPOKEN = re.compile(
    r"によると|によれば|said|says|told|announced|argued|claimed|wrote|reported|warned|according"
)
_AWAY = frozenset({"から", "より", "from"})
_TOWARDS = frozenset({"に", "へ", "まで", "into", "to", "onto"})


@dataclass(slots=True)
class Action:
    """The parts of a predicate in a text, as if it were active: words of the subjects it names, of those that
    it may have (a topic, the noun that it modifies), of its objects, and of where from and where to."""

    doers: set[str] = field(default_factory=set)
    possible: set[str] = field(default_factory=set)
    targets: set[str] = field(default_factory=set)
    sources: set[str] = field(default_factory=set)
    goals: set[str] = field(default_factory=set)
    agents: set[str] = field(default_factory=set)  # of a passive


def compare_actors(comparison: Comparison, doubts: Doubts) -> None:
    """Compare the actions, the speakers and the sides of opposites."""
    said_actions = _actions(comparison.said, comparison.rename)
    quoted_actions = _actions(comparison.quoted, str)
    known_words = {word for phrase in (*comparison.quoted, *comparison.headed) for word in words_of(phrase)}
    for predicate in said_actions.keys() & quoted_actions.keys():
        our_action = said_actions[predicate]
        their_action = quoted_actions[predicate]
        if _is_reversed(our_action, their_action):
            doubts.wrong.append("role")
        elif _is_turned(our_action, their_action, known_words):
            doubts.unsure.append("role")
    if (
        _sides_cross(comparison)
        or _ways_differ(said_actions, quoted_actions)
        or _measured_by_another(comparison)
    ):
        doubts.unsure.append("role")
    _compare_sides_of_verbs(comparison, doubts)


def _is_reversed(our_action: Action, their_action: Action) -> bool:
    """True where who does it there has it done to him here, whichever of the two is told in the passive."""
    return bool(
        our_action.doers & their_action.targets - their_action.doers
        and our_action.targets & (their_action.doers | their_action.possible) - their_action.targets
    )


def _is_turned(our_action: Action, their_action: Action, known_words: set[str]) -> bool:
    """True where it is done by another than there, or goes where there it comes from."""
    true_doers = their_action.doers | their_action.possible
    agents = our_action.agents & known_words
    return bool(
        (agents and true_doers and not agents & true_doers)
        or (our_action.sources & their_action.goals - their_action.sources)
        or (our_action.goals & their_action.sources - their_action.goals)
    )


def _ways_differ(said_actions: Mapping[str, Action], quoted_actions: Mapping[str, Action]) -> bool:
    """True where something goes from one thing to another, and the quotations have neither at its end of a
    way."""
    sources = {word for action in quoted_actions.values() for word in action.sources}
    goals = {word for action in quoted_actions.values() for word in action.goals}
    return any(
        action.sources and action.goals and not (action.sources & sources or action.goals & goals)
        for action in said_actions.values()
    )


def _measured_by_another(comparison: Comparison) -> bool:
    """True where both compare with something (より), and not with the same thing."""
    our_action = {comparison.rename(word) for word in _standards(comparison.text)} & comparison.words
    their_action = _standards(comparison.quoted_text)
    return bool(our_action - their_action and their_action - our_action)


def _standards(text: str) -> set[str]:
    return {word for match in _THAN.finditer(text) for word in terms(match[match.lastindex or 0])} - LIGHT


def _actions(row: Sequence[TiedPhrase], rename: Rename) -> dict[str, Action]:
    actions: dict[str, Action] = {}
    topic: set[str] = set()
    for at, tied in enumerate(row):
        phrase = tied.phrase
        if at == 0 or row[at - 1].sentence != tied.sentence:
            topic = set()
        if phrase.role in ("は", "も", "では", "には"):
            topic = {rename(word) for word in phrase.terms} - LIGHT
        if not phrase.predicate:
            continue
        after = row[at + 1] if at + 1 < len(row) and row[at + 1].sentence == tied.sentence else None
        for word in map(rename, phrase.terms):
            if word in LIGHT:
                continue
            action = actions.setdefault(word, Action())
            action.possible |= topic
            if after is not None and not after.phrase.predicate and not phrase.broken:
                action.possible |= {rename(term) for term in after.phrase.terms}
            _take_arguments(action, row[:at], tied, rename)
    return actions


def _take_arguments(
    action: Action, before: Sequence[TiedPhrase], predicate: TiedPhrase, rename: Rename
) -> None:
    """The phrases between the predicate and the one before it, by their roles."""
    near = predicate.place
    for tied in reversed(before):
        if tied.sentence != predicate.sentence:
            return
        if tied.phrase.predicate:
            if tied.place != near - 1 or tied.phrase.broken:
                return
            near = tied.place  # 取り仕切る is two words
            continue
        words = {rename(word) for word in tied.phrase.terms} - LIGHT
        role = find_plain_role(tied.phrase, predicate.phrase)
        if role == "が" and "able" in predicate.phrase.marks:  # 英語が話せる
            role = "を"
        if tied.phrase.role in ("は", "も"):
            action.possible |= words
        elif role == "が":
            action.doers |= words
            if (tied.phrase.role in _AGENT and not tied.phrase.figures) or (
                tied.phrase.role == "に" and (tied.phrase.name or _KATAKANA.fullmatch(tied.phrase.surface))
            ):
                action.agents |= words
        elif role == "を":
            action.targets |= words
        elif role in _AWAY:
            action.sources |= words
        elif role in _TOWARDS:
            action.goals |= words


def _sides_cross(comparison: Comparison) -> bool:
    """True where a sentence has both of two opposites, as its quotations have, and each beside what the other
    has beside it there."""
    return any(
        _cross(read(comparison.said, comparison.rename), read(comparison.quoted, str))
        for read in (_neighbours, _companions)
    )


def _cross(said_actions: Mapping[str, set[str]], quoted_actions: Mapping[str, set[str]]) -> bool:
    for first, other in combinations(said_actions.keys() & quoted_actions.keys(), 2):
        if other not in opposites(first):
            continue
        our_action = said_actions[first], said_actions[other]
        their_action = quoted_actions[first], quoted_actions[other]
        crossed = [our_action[at] & their_action[1 - at] - their_action[at] for at in (0, 1)]
        kept = [our_action[at] & their_action[at] - their_action[1 - at] for at in (0, 1)]
        if any(crossed) and not any(kept):
            return True
    return False


def _companions(row: Sequence[TiedPhrase], rename: Rename) -> dict[str, set[str]]:
    """The words that each word qualifies: 女性 of 女性職員, カトリック of カトリックの町."""
    neighbours: dict[str, set[str]] = {}
    for tied, after in pairwise([*row, None]):
        assert tied is not None
        near = [*tied.phrase.terms]
        if tied.phrase.role in {"の", "of"} and after is not None:
            near += after.phrase.terms
        for word in tied.phrase.terms:
            neighbours.setdefault(rename(word), set()).update(
                {rename(other) for other in near} - LIGHT - {rename(word)}
            )
    return neighbours


def _neighbours(row: Sequence[TiedPhrase], rename: Rename) -> dict[str, set[str]]:
    """The words that stand before each word, up to the predicate before."""
    neighbours: dict[str, set[str]] = {}
    for at, tied in enumerate(row):
        near: set[str] = set()
        for before in reversed(row[:at]):
            if before.sentence != tied.sentence or before.phrase.predicate:
                break
            near |= {rename(word) for word in before.phrase.terms}
        if at + 1 < len(row) and row[at + 1].sentence == tied.sentence:
            near |= {rename(word) for word in row[at + 1].phrase.terms}
        near |= {rename(word) for word in tied.phrase.terms}
        for word in tied.phrase.terms:
            neighbours.setdefault(rename(word), set()).update(near - LIGHT)
    return neighbours


def speakers(text: str) -> Iterator[str]:
    """Whose word a folded text gives."""
    if not _SPOKEN.search(text):
        return
    for match in _SPEAKER.finditer(text):
        yield next(part for part in match.groups() if part is not None).strip()


def compare_speakers(
    comparison: Comparison, sentence: str, quotations: Sequence[str], doubts: Doubts
) -> None:
    """Whoever is said to have said it must not be another than there."""
    our_action = {
        comparison.rename(term) for name in speakers(fold(sentence)) for term in terms(name)
    } - LIGHT
    their_action = {
        term for text in quotations for name in speakers(fold(text)) for term in terms(name)
    } - LIGHT
    if their_action and our_action & comparison.quoted_words and not our_action & their_action:
        doubts.wrong.append("role")


def _compare_sides_of_verbs(comparison: Comparison, doubts: Doubts) -> None:
    """In English who does it stands before the verb: two things that changed sides of a third changed roles,
    unless one of the sentences is passive or only names later who said it."""
    if comparison.japanese or bool(_PASSIVE.search(comparison.text)) != bool(
        _PASSIVE.search(comparison.quoted_text)
    ):
        return
    speaker_words = {
        term
        for text in (comparison.text, comparison.quoted_text)
        for name in speakers(text)
        for term in terms(name)
    }
    our_action = _positions(comparison.said)
    their_action = _positions(comparison.quoted)
    common = sorted((our_action.keys() & their_action.keys()) - speaker_words, key=our_action.__getitem__)
    for first, middle, last in combinations(common, 3):
        if (
            their_action[last] < their_action[middle] < their_action[first]
            and their_action[last][0] == their_action[first][0]
        ):
            doubts.unsure.append("role")
            return


def _positions(row: Sequence[TiedPhrase]) -> dict[str, tuple[int, int]]:
    """Sentence and place of the words that stand once."""
    places: dict[str, list[tuple[int, int]]] = {}
    for tied in row:
        for word in tied.phrase.terms:
            places.setdefault(word, []).append((tied.sentence, tied.place))
    return {
        word: neighbours[0]
        for word, neighbours in places.items()
        if len(neighbours) == 1 and word not in LIGHT
    }
