"""Plan what to ask in a round. First the goals' own words; later the rarer of them with words of the
best passages so far."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from shisho.domain.corpus import Condition, NumberedPassage
from shisho.domain.inquiry import Goal, Plan, Strategy
from shisho.language.terms import fold, terms
from shisho.librarian import questions

BEST_PASSAGES = 3
NEW_TERMS = 4
# 「決定係数について教えてください」: the asking is no part of what is sought.
_ASKING = re.compile(
    r"(?:(?:について|に関して|を|は|とは)?(?:詳しく|簡単に|具体的に|わかりやすく)?"
    r"(?:教え|説明し?|述べ|まとめ|挙げ|答え|書き)(?:て|なさい|よ|ろ|せよ)(?:ください|下さい|ほしい|欲しい)?"
    r"|(?:とは|は|って)(?:何|なに|なん)(?:です|でしょう)?か?)[。．.?？!！\s]*$"
    r"|^(?:please )?(?:tell me|explain|describe)(?: about)?\s+",
    re.IGNORECASE,
)


def plan(
    strategy: Strategy,
    goals: Sequence[Goal],
    plans: Sequence[Plan],
    passages: Sequence[NumberedPassage],
    rarity: Mapping[str, float],
) -> Plan:
    """The request of round `len(plans) + 1` for these open goals, the one in focus first. No (query, filter)
    comes twice: where nothing new is left to ask, the plan is empty."""
    filters = _filters(plans)
    earlier_keys = {_key(earlier.keyword_query, earlier.filter_conditions) for earlier in plans}
    queries = _later(goals[0], passages, rarity) if plans else _first(goals)
    for reasoning, query in queries:
        if query and _key(query, filters) not in earlier_keys:
            meant = goals[0].question if plans else strategy.question
            return Plan(
                strategy.question,
                query,
                meant,
                f"{', '.join(_ids(goals, bool(plans)))}: {reasoning}",
                filters,
            )
    return Plan(strategy.question, (), "", "nothing left to ask that was not asked", filters)


def feedback_terms(passages: Sequence[NumberedPassage]) -> list[str]:
    """Terms that the best passages share, commonest first: the ones whose rarity the next plan wants to
    know."""
    best = [terms(fold(passage.text)) for passage in _best(passages)]
    counted = Counter(term for found_words in best for term in dict.fromkeys(found_words))
    return [term for term, passages in counted.most_common() if passages > 1 or len(best) == 1]


def _first(goals: Sequence[Goal]) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield "the goals' own words", _words(_sought(goal.question) for goal in goals)


def _later(
    goal: Goal, passages: Sequence[NumberedPassage], rarity: Mapping[str, float]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    own_words = questions.read(goal.question).terms
    rare = sorted(own_words, key=lambda term: -rarity.get(term, math.inf))
    common = min((rarity.get(term, math.inf) for term in own_words), default=0.0)
    new = [
        term for term in feedback_terms(passages) if term not in own_words and rarity.get(term, 0.0) >= common
    ]
    new = sorted(new, key=lambda term: -rarity.get(term, 0.0))[:NEW_TERMS]
    headings = [passage.heading for passage in _best(passages)]
    for kept_count in range(len(rare) - 1, 0, -1):
        yield (
            f"without {', '.join(rare[kept_count:])}; with words of the best passages",
            _words([*rare[:kept_count], *headings, *new]),
        )
    yield "headings and words of the best passages", _words([*headings, *new])
    for term in rare:
        yield "one term alone", (term,)


def _sought(question: str) -> str:
    return _ASKING.sub("", question).strip() or question


def _words(parts: Iterator[str] | Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(part for part in parts if part))


def _best(passages: Sequence[NumberedPassage]) -> list[NumberedPassage]:
    return sorted((passage for passage in passages if passage.match > 0), key=lambda passage: -passage.match)[
        :BEST_PASSAGES
    ]


def _filters(plans: Sequence[Plan]) -> Mapping[str, Condition]:
    """Filters that an earlier plan added hold for two rounds. What the user filtered by is in the scope: no
    plan drops it."""
    return plans[-1].filter_conditions if len(plans) == 1 else {}


def _key(query: Sequence[str], filters: Mapping[str, Condition]) -> tuple[frozenset[str], str]:
    return frozenset(fold(word) for word in query), repr(sorted(filters.items()))


def _ids(goals: Sequence[Goal], focused: bool) -> list[str]:
    return [goal.id for goal in (goals[:1] if focused else goals)]
