"""Which sentences of the shown passages answer a goal, and how surely, where no model reads them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from shisho.domain.corpus import NumberedPassage
from shisho.domain.inquiry import EvidenceRef, Finding, Goal
from shisho.language.sentences import is_row
from shisho.language.terms import fold, squeeze
from shisho.librarian import demands, questions, reading, signs
from shisho.librarian.answer_kinds import AnswerKind
from shisho.librarian.certainty import certainty, certainty_signs
from shisho.librarian.evidence import double
from shisho.librarian.levels import ENOUGH, NEAR
from shisho.librarian.line_roles import LineRole, announces_steps
from shisho.librarian.questions import ParsedQuestion
from shisho.librarian.quotable import (
    QuotableLine,
    brings_nothing,
    find_document,
    find_quotable_lines,
    read_on,
)
from shisho.librarian.quoting import (
    is_grounded,
    measure_printed_width,
)
from shisho.librarian.rivals import drop_other_things, find_own_words, is_rival, put_own_words_first
from shisho.librarian.signs import figures_missing, is_of_another_time
from shisho.librarian.table_rows import find_met, find_outdone_rows, is_record, lacks_any

REFUSED = 0.45  # the most that a quotation can have which has not the form of an answer
TOLD = 0.8  # the least that a row has which says itself all that is asked for
OFF_TOPIC = 0.02  # less than is near: the most that a quotation can have for the meaning of something else
QUOTES = 5  # quotations for one goal at most, unless it asks for more
EXPLAINED_QUOTES = 8  # the same where a list, a comparison, a way or a reason is asked for
NEAR_QUOTES = 3  # quotations at most where none answers
QUOTED_CHARS = 400  # no further quotation is added beyond this
EXPLAINED_CHARS = 700  # the same where a list, a comparison, a way or a reason is asked for
LIST_ODDS = 0.3  # of the best line's odds: where a list is asked for, one with these comes before it
STEP_ODDS = 0.005  # the same for a lead-in with steps, of the best line's document, where a way is asked for
TOGETHER = 1.5  # logarithm of the odds that each further goal is told where the others are
RELATIVE = 0.04  # of the best line's odds: a further one must reach this
HALF = 0.5  # of the defined thing's words must stand with the sentence that defines it
_STRICT = frozenset({AnswerKind.REASON, AnswerKind.PERSON})  # no sentence without a reason says why
_FACTS = frozenset({AnswerKind.TIME, AnswerKind.PERSON, AnswerKind.AMOUNT, AnswerKind.PLACE})
_HISTORY = re.compile(
    r"(?:変更|更新|改訂|改版|修正)履歴$|\b(?:changelog|change log|revision history|release notes)$"
)
_ASKS_OF_CHANGES = re.compile(
    r"変更|変わ|更新|改訂|改版|改良|修正|履歴|追加|廃止|新し|新た|版|バージョン|いつ|何月|年|初め"
    r"|\b(?:when|chang\w*|version|release\w*|histor\w*|new|added|removed|since|year|first)\b"
)
_CONTRASTS = re.compile(
    r"違|異な|一方|に対し|比べ|比較|より(?:も|は)?|差(?:は|が|を|異)"
    r"|\b(?:differ\w*|while|whereas|unlike|than|contrast|compared|but)\b"
)


def terms_wanted(goals: Sequence[Goal]) -> list[str]:
    """The index terms whose rarity `select` needs."""
    return list(dict.fromkeys(term for goal in goals for term in questions.read(goal.question).terms))


def select(
    passages: Sequence[NumberedPassage],
    goals: Sequence[Goal],
    refs: Sequence[EvidenceRef],
    rarity: Mapping[str, float],
    are_beside: bool = False,
) -> list[Finding]:
    """For each goal its best new sentences, best first, verbatim and with scores from 0 to 1; none where
    nothing is near. `are_beside`: as in `PassageMatter`; nothing in such passages is an answer."""
    weighed = [_weigh(passages, goal, rarity) for goal in goals]
    things = [choice.question.defined for choice in weighed]
    sides = tuple(thing.terms for thing in things if thing is not None)
    if not (len(sides) == len(goals) == 2):
        sides = ()
    together = _find_together([choice.candidates for choice in weighed]) if len(goals) > 1 else 0
    findings: list[Finding] = []
    for place, choice in enumerate(weighed):
        own_refs = [ref for ref in refs if ref.goal_id == choice.goal.id]
        most_sure = REFUSED if are_beside else 1.0
        findings.extend(_for_goal(passages, choice, own_refs, sides, together, most_sure, is_first=not place))
    return findings


@dataclass(frozen=True, slots=True)
class _Choice:
    """A goal with the lines that may answer it; `candidates`: without rows that another row outdoes."""

    goal: Goal
    question: ParsedQuestion
    weights: Mapping[str, float]
    with_other_rows: list[QuotableLine]
    candidates: list[QuotableLine]


def _weigh(passages: Sequence[NumberedPassage], goal: Goal, rarity: Mapping[str, float]) -> _Choice:
    question = questions.read(goal.question)
    weights = signs.term_weights(question, rarity)
    with_other_rows = drop_other_things(list(find_quotable_lines(passages, question, weights)), question)
    return _Choice(goal, question, weights, with_other_rows, _without_other_rows(with_other_rows, question))


def _find_together(candidates_of_goals: Sequence[Sequence[QuotableLine]]) -> int:
    """The number of the passage that answers all goals nearly as well as the best line of each; 0 where none
    does. What is asked together often is told together."""
    best_odds = [_best_odds(candidates) for candidates in candidates_of_goals]
    shared_numbers = frozenset.intersection(*(frozenset(odds) for odds in best_odds))
    totals = {number: sum(odds[number] for odds in best_odds) for number in shared_numbers}
    number = max(totals, key=lambda number: totals[number], default=0)
    if not number:
        return 0
    apart = sum(max(odds.values()) for odds in best_odds)
    return number if totals[number] + TOGETHER * (len(best_odds) - 1) >= apart else 0


def _best_odds(candidates: Sequence[QuotableLine]) -> dict[int, float]:
    """The odds of the best line of each passage."""
    odds: dict[int, float] = {}
    for candidate in candidates:
        number = candidate.shown.temp_index
        odds[number] = max(candidate.odds, odds.get(number, candidate.odds))
    return odds


def _for_goal(
    passages: Sequence[NumberedPassage],
    choice: _Choice,
    refs: Sequence[EvidenceRef],
    sides: Sequence[Sequence[str]],
    together: int,
    most_sure: float,
    *,
    is_first: bool,
) -> Iterator[Finding]:
    goal = choice.goal
    question = choice.question
    weights = choice.weights
    # What compares the two sides is quoted once, for the first of them.
    leading_sides = sides if is_first else ()
    told_texts = [ref.snippet for ref in refs]
    candidates = choice.candidates
    ranked = _read_ranked(candidates, question, leading_sides, together)
    # What was near before stays; only what is nearer, or an answer, joins it.
    floor = min(ENOUGH, max((ref.score for ref in refs), default=NEAR))
    if not ranked:
        return
    chosen = _chosen(ranked, question, goal, told_texts)
    if not chosen:
        return
    # What was put first for its list or its steps is as sure as what it was put before.
    leading = [candidate for candidate in ranked[:2] if candidate.odds == ranked[0].odds]
    sure = max(
        _certainty(question, weights, best, chosen, _document_words(passages, best.shown)) for best in leading
    )
    undefined = question.asks_what_is and not any(_says_what_it_is(candidate, sides) for candidate in chosen)
    if undefined or _leaves_out_a_side(question, chosen):
        sure = min(sure, REFUSED)
    sure = min(most_sure, _sure_of_row(question, weights, chosen[0], candidates, sure))
    if sure < floor:
        return
    if sure < ENOUGH:
        # A row answers alone; where none does, it may take several to: a sum, what has changed, who is older.
        near = candidates if _names_rows(candidates) else choice.with_other_rows
        ranked = _read_ranked(near, question, leading_sides, together)
        chosen = _chosen(ranked, question, goal, told_texts)[: max(NEAR_QUOTES, goal.min_evidence)]
    for candidate in chosen:
        score = round(_lowered(sure, candidate.odds - ranked[0].odds), 4)
        if sure < ENOUGH and score < NEAR:
            return
        line = candidate.shared.page.lines[candidate.place]
        is_heading = line.role is LineRole.HEADING
        number = candidate.shown.temp_index
        yield Finding(number, goal.id, candidate.quotation, score, candidate.span.items, is_heading)
        if candidate.overleaf:
            yield Finding(number, goal.id, candidate.overleaf, score)


def _chosen(
    ranked: Sequence[QuotableLine], question: ParsedQuestion, goal: Goal, told_texts: list[str]
) -> list[QuotableLine]:
    """The lines that are quoted: the best, and further ones as long as they are nearly as likely and there is
    room."""
    most_chars = EXPLAINED_CHARS if question.explains else QUOTED_CHARS
    most = max(EXPLAINED_QUOTES if question.explains else QUOTES, goal.min_evidence)
    quoted_texts = list(told_texts)
    chosen: list[QuotableLine] = []
    chars = 0.0
    for candidate in ranked:
        if len(chosen) == most or math.exp(candidate.odds - ranked[0].odds) < RELATIVE:
            break
        width = measure_printed_width(candidate.quotation)
        if chosen and chars + width > most_chars:
            continue
        if any(double(candidate.quotation, text) for text in quoted_texts):
            continue
        if chosen and _adds_nothing(candidate, chosen[0], question, goal):
            continue
        quoted_texts.append(candidate.quotation)
        chosen.append(candidate)
        chars += width
    return chosen


def _adds_nothing(candidate: QuotableLine, best: QuotableLine, question: ParsedQuestion, goal: Goal) -> bool:
    """True for a further line where one fact is asked for and the best line says it with all words of the
    question, of which this one has fewer; and for what says the same of another thing."""
    if question.explains or question.lists:
        return False
    if is_rival(candidate, best):
        return True
    asked_words = frozenset(question.terms) - question.frame - {question.unit}
    own_words = find_own_words(best)
    is_told = question.kind in _FACTS and bool(best.signs.kind_quoted) and own_words >= asked_words
    return is_told and goal.min_evidence < 2 and find_own_words(candidate) < own_words


def _says_what_it_is(candidate: QuotableLine, sides: Sequence[Sequence[str]]) -> bool:
    """True for a definition, and for what names both sides of a comparison: it need not define them."""
    words = candidate.shared.page.lines[candidate.place].terms
    return bool(candidate.signs.defines) or (bool(sides) and all(words.issuperset(side) for side in sides))


def _without_other_rows(candidates: list[QuotableLine], question: ParsedQuestion) -> list[QuotableLine]:
    """Without rows of a table that another row of it outdoes, but where the question wants several."""
    if question.explains:
        return candidates
    rows = [candidate for candidate in candidates if is_row(candidate.quotation)]
    outdone = find_outdone_rows([(_table(row), find_own_words(row)) for row in rows])
    left_out = {id(rows[place]) for place in outdone}
    return [candidate for candidate in candidates if id(candidate) not in left_out]


def _names_rows(candidates: Sequence[QuotableLine]) -> bool:
    """True where the question tells rows of one table apart: 「札幌支店と福岡支店の責任者」."""
    told_apart = {(_table(row), find_own_words(row)) for row in candidates if is_row(row.quotation)}
    return len(told_apart) > len({table for table, _ in told_apart})


def _sure_of_row(
    question: ParsedQuestion,
    weights: Mapping[str, float],
    best: QuotableLine,
    candidates: Sequence[QuotableLine],
    sure: float,
) -> float:
    """The certainty where the best line is a row that says by itself what its cells are."""
    if question.explains or not is_record(best.quotation):
        return sure
    above = find_met(best.shared.alike, best.shared.page.heading | best.shared.titled)
    others = [other for other in candidates if _table(other) == _table(best) and other is not best]
    own_words = find_own_words(best).difference(*map(find_own_words, others))
    asked_words = weights.keys() - above - question.frame - {question.unit}
    barred = best.signs.numberless or best.signs.formless_quoted or figures_missing(question, best.shown)
    if barred or lacks_any(asked_words - find_own_words(best)):
        return min(sure, REFUSED)
    return max(sure, TOLD) if own_words else sure


def _table(candidate: QuotableLine) -> tuple[str, str]:
    return find_document(candidate.shown), candidate.shown.heading


def _leaves_out_a_side(question: ParsedQuestion, chosen: Sequence[QuotableLine]) -> bool:
    """True where things are compared that numbers tell apart, and not all of them are named."""
    things = demands.find_numbered_things(question.folded) if question.compares else frozenset()
    if len(things) < 2:
        return False
    quoted = squeeze(
        fold("\n".join(f"{candidate.shown.heading}\n{candidate.quotation}" for candidate in chosen))
    )
    return not all(thing in quoted for thing in things)


def _lowered(sure: float, odds: float) -> float:
    """The certainty of a line that is less likely than the best by this logarithm of odds."""
    total = sure * math.exp(min(0.0, odds))
    return total / (1 - sure + total)


def _read_ranked(
    candidates: Iterable[QuotableLine],
    question: ParsedQuestion,
    sides: Sequence[Sequence[str]],
    together: int,
) -> list[QuotableLine]:
    """Best first, the best with the sentence behind it where only that brings what is asked for."""
    ranked = _ranked(candidates, question, sides, together)
    return [read_on(question, line) for line in ranked[:1]] + ranked[1:]


def _ranked(
    candidates: Iterable[QuotableLine],
    question: ParsedQuestion,
    sides: Sequence[Sequence[str]],
    together: int,
) -> list[QuotableLine]:
    """Best first. The best line that compares the two sides of a comparison comes before all, and so does the
    best list where a list is asked for and it is nearly as likely, and the best line of the passage with this
    number, in which all goals are told: with the odds of the best."""
    ranked = sorted(candidates, key=lambda candidate: -candidate.odds)
    if together:
        leading = next((line for line in ranked if line.shown.temp_index == together), ranked[0])
        ranked = [replace(leading, odds=ranked[0].odds), *(line for line in ranked if line is not leading)]
    ranked = put_own_words_first(ranked)
    if not (ranked and (question.lists or question.asks_for_a_way or sides)):
        return ranked
    best = ranked[0].odds

    def leads(candidate: QuotableLine) -> bool:
        line = candidate.shared.page.lines[candidate.place]
        if sides and _CONTRASTS.search(line.folded) and all(line.terms.issuperset(side) for side in sides):
            return True
        odds = math.exp(candidate.odds - best)
        if question.asks_for_a_way and line.role is LineRole.LEAD and announces_steps(line.folded):
            is_near = find_document(candidate.shown) == find_document(ranked[0].shown) and odds >= STEP_ODDS
            return is_near and candidate.span.end > line.end
        return question.lists and bool(candidate.signs.listed) and odds >= LIST_ODDS

    first = next((candidate for candidate in ranked if leads(candidate)), None)
    if first is None:
        return ranked
    return [replace(first, odds=best), *(candidate for candidate in ranked if candidate is not first)]


def _document_words(passages: Sequence[NumberedPassage], shown: NumberedPassage) -> frozenset[str]:
    """The words of all shown passages of its document."""
    pages = (
        reading.read(passage.text, passage.heading, passage.after, passage.code)
        for passage in passages
        if passage is shown or (shown.title and passage.title == shown.title)
    )
    return frozenset[str]().union(*(page.terms for page in pages))


def _certainty(
    question: ParsedQuestion,
    weights: Mapping[str, float],
    best: QuotableLine,
    chosen: Sequence[QuotableLine],
    document_words: frozenset[str],
) -> float:
    """How sure it is that what is quoted answers: less than ENOUGH where nothing in the best line's document
    names what is asked about, or nothing has the form that an answer must have."""
    shared = best.shared
    page = shared.page
    line = page.lines[best.place]
    said_words = line.terms | line.under | (page.lines[best.place - 1].terms if best.place else frozenset())
    off_topic = question.defined is not None and (
        signs.measure_meant_share(shared.topic, shared.alike, said_words) < HALF
    )
    name = signs.find_rarest_name(question, weights)
    nameless = bool(name) and shared.alike[name].isdisjoint(page.terms | shared.titled)
    # シントマールテン is シント・マールテン.
    nameless = nameless and name not in page.folded.replace("・", "")
    is_strict = question.kind in _STRICT or question.asks_for_a_date
    kindless = is_strict and not question.is_answered_by(line.folded, best.shown.title)
    kindless = kindless and not is_grounded(page.lines, best.place, question)
    alike = signs.find_same_words(question, weights, document_words, with_wordings=False)
    labels = shared.labels if is_row(best.quotation) else frozenset[str]()
    all_quoted = labels.union(*(candidate.quoted_words for candidate in chosen))
    own_signs = certainty_signs(
        question,
        weights,
        shared,
        best.signs,
        best.shown,
        line,
        odds=best.odds,
        alike=alike,
        quoted_words=all_quoted,
        document_words=document_words,
        off_topic=off_topic,
        quotations=len(chosen),
    )
    sure = certainty(own_signs)
    elsewhere = bool(name) and not alike[name].isdisjoint(document_words)
    if own_signs.titled == 0:
        return 0.0
    is_meaning = question.kind is AnswerKind.DEFINITION  # not 「ビーム探索の短所は何ですか」
    if is_meaning and max(best.signs.topic_passage, best.signs.topic_title) < HALF:
        sure = min(sure, OFF_TOPIC)
    is_empty = question.frame.issuperset(question.terms)  # 「"must" in the manual」: words of grammar alone
    barred = best.signs.numberless or best.signs.formless_quoted or (nameless and not elsewhere) or is_empty
    barred = barred or is_of_another_time(question, best.shown)
    barred = barred or brings_nothing(question, best) or _is_of_its_history(question, best.shown.heading)
    of_document = [other for other in chosen if find_document(other.shown) == find_document(best.shown)]
    kindless = kindless and not any(candidate.signs.kind_quoted for candidate in (best, *of_document))
    return min(sure, REFUSED) if barred or kindless else sure


def _is_of_its_history(question: ParsedQuestion, heading: str) -> bool:
    """True under 「変更履歴」 where nothing is asked of changes: it says what was done, not how to do it."""
    return _HISTORY.search(fold(heading)) is not None and not _ASKS_OF_CHANGES.search(question.folded)
