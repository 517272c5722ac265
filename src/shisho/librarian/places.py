"""Check that each thing of a sentence stands in the place that its quotations give it: a number beside
its subject, a name in its role."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, pairwise, product

from shisho.language.meanings import mean_same
from shisho.language.weights import LIGHT
from shisho.librarian.comparison import MARGIN, Comparison, Doubts
from shisho.librarian.ties import (
    TiedPhrase,
    case_of,
    figure_kind,
    figure_kinds,
    figure_word,
    figures_agree,
)

LEAST_GAIN = 1.4  # that each of two names or figures must have from changing places
COMMON_GAIN = 2.5  # the same for other phrases, whose places vary more
NO_GAIN = (-99.0, -99.0)
_LISTING = frozenset({"と", "や", "", "か"})


def compare_places(comparison: Comparison, doubts: Doubts) -> None:
    """Compare the places of names and figures, then of all phrases."""
    for said_phrase in comparison.said:
        if said_phrase.phrase.figures or said_phrase.phrase.name:
            _compare_displacement(comparison, said_phrase, doubts)
        if _longer_or_shorter(comparison, said_phrase):
            doubts.unsure.append("role")
    _compare_exchanges(comparison, doubts)
    if _repeated(comparison):
        doubts.wrong.append("figure")
    if _crossed(comparison) or _turned_inside_out(comparison):
        doubts.wrong.append("role")
    for part in _parts(comparison):
        _compare_part(comparison, part, doubts)


def _compare_displacement(comparison: Comparison, said_phrase: TiedPhrase, doubts: Doubts) -> None:
    """Something of the same kind, which the sentence does not name, must not fit as well where the phrase
    stands."""
    phrases = _find_places(comparison, said_phrase)
    own_likeness = max(
        (comparison.likeness(said_phrase, quoted_phrase) for quoted_phrase in phrases), default=0.0
    )
    named_words = {comparison.rename(word) for phrase in comparison.said for word in _identity(phrase)}
    for quoted_phrase in comparison.quoted:
        if (
            not _same_kind(said_phrase, quoted_phrase)
            or _is(comparison, said_phrase, quoted_phrase)
            or set(_identity(quoted_phrase)) & named_words
        ):
            continue
        fits = comparison.likeness(said_phrase, quoted_phrase)
        if fits < own_likeness or not fits or _listed(comparison, said_phrase, quoted_phrase):
            continue
        far = own_likeness <= 2 * MARGIN and fits > max(own_likeness + 2 * MARGIN, 2 * own_likeness)
        if far and phrases:
            doubts.wrong.append("role")
        else:
            doubts.hints.append("displaced")


def _longer_or_shorter(comparison: Comparison, said_phrase: TiedPhrase) -> bool:
    """True where a name stands in the place of a longer one that begins with it, or of a shorter one
    that it begins with: 天皇 and 天皇賞."""
    whole = said_phrase.phrase.whole
    if not whole or case_of(said_phrase.phrase.role) not in ("が", "を"):
        return False
    phrases = [quoted_phrase for quoted_phrase in comparison.quoted if quoted_phrase.phrase.whole == whole]
    if not phrases:
        return False
    others = (
        quoted_phrase
        for quoted_phrase in comparison.quoted
        if quoted_phrase.phrase.whole != whole
        and quoted_phrase.phrase.whole
        and (quoted_phrase.phrase.whole.startswith(whole) or whole.startswith(quoted_phrase.phrase.whole))
    )
    fits = max(comparison.likeness(said_phrase, quoted_phrase) for quoted_phrase in phrases)
    return any(comparison.likeness(said_phrase, quoted_phrase) >= fits + MARGIN for quoted_phrase in others)


def _listed(comparison: Comparison, said_phrase: TiedPhrase, other: TiedPhrase) -> bool:
    """True where the other name stands beside the quoted one in a list."""
    places = _find_places(comparison, said_phrase)
    phrases = [quoted_phrase for quoted_phrase in places if quoted_phrase.sentence == other.sentence]
    roles = _LISTING | {other.phrase.role}
    return any(
        abs(phrase.place - other.place) <= 1
        and not said_phrase.phrase.figures
        and phrase.phrase.role in roles
        for phrase in phrases
    )


def _find_places(comparison: Comparison, said_phrase: TiedPhrase) -> list[TiedPhrase]:
    """The quoted phrases that a phrase of the sentence is; looked for once, since each pair asks for them."""
    places = comparison.places_of.get(id(said_phrase))
    if places is None:
        places = [quoted for quoted in comparison.quoted if _is(comparison, said_phrase, quoted)]
        comparison.places_of[id(said_phrase)] = places
    return places


def _is(comparison: Comparison, said_phrase: TiedPhrase, quoted_phrase: TiedPhrase) -> bool:
    if said_phrase.phrase.figures:
        return figures_agree(said_phrase, quoted_phrase)
    if mean_same(said_phrase.phrase.whole, quoted_phrase.phrase.whole):
        return True
    own_words = [comparison.rename(word) for word in said_phrase.phrase.terms]
    our_words = set(own_words)
    their_words = set(quoted_phrase.phrase.terms)
    if not our_words & their_words:
        return False
    # A社 is not B社, though 社 is in both; nor 木曽川電力 木曽川支流.
    mostly = (
        len(our_words & their_words) > max(len(our_words), len(their_words)) / 2
        and own_words[-1] == quoted_phrase.phrase.terms[-1]
    )
    return mostly or our_words <= their_words or their_words <= our_words


def _same_kind(said_phrase: TiedPhrase, quoted_phrase: TiedPhrase) -> bool:
    if said_phrase.phrase.figures:
        return bool(figure_kinds(said_phrase) & figure_kinds(quoted_phrase))
    return quoted_phrase.phrase.name and not quoted_phrase.phrase.figures


def _identity(phrase: TiedPhrase) -> list[str]:
    return list(map(figure_word, phrase.phrase.figures)) or list(phrase.phrase.terms)


def _compare_exchanges(comparison: Comparison, doubts: Doubts) -> None:
    """Find pairs of phrases that would fit better in each other's places. Figures and names that stand
    in the other order than in their quotation must fit clearly better where they are."""
    nouns = [
        phrase
        for phrase in comparison.said
        if phrase.phrase.figures or not (phrase.phrase.predicate or phrase.phrase.adverb)
    ]
    pairs = ((phrase, other) for phrase, other in combinations(nouns, 2) if phrase.sentence == other.sentence)
    for phrase, other in pairs:
        gains = _gains(comparison, phrase, other)
        telling = bool(phrase.phrase.figures) or (phrase.phrase.name and other.phrase.name)
        least = LEAST_GAIN if telling else COMMON_GAIN
        if min(gains) >= least and sum(gains) > 2 * least:
            # Without particles, the order of common words is no firm sign.
            (doubts.wrong if telling or comparison.japanese else doubts.unsure).append("role")
        elif telling and sum(gains) > -LEAST_GAIN and _turned_round(comparison, phrase, other):
            if min(gains) > 0:
                doubts.wrong.append("role")
            else:
                doubts.hints.append("exchanged")


def _turned_round(comparison: Comparison, phrase: TiedPhrase, other: TiedPhrase) -> bool:
    """True where the later of the two comes first in every quoted sentence that has both."""
    both = product(_find_places(comparison, phrase), _find_places(comparison, other))
    pairs = [pair for pair in both if pair[0].sentence == pair[1].sentence]
    return bool(pairs) and all(our_phrase.place > their_phrase.place for our_phrase, their_phrase in pairs)


def _gains(comparison: Comparison, phrase: TiedPhrase, other: TiedPhrase) -> tuple[float, float]:
    """How much better each of two phrases would fit in the other's place."""
    if (phrase.phrase.figures or other.phrase.figures) and not figure_kinds(phrase) & figure_kinds(other):
        return NO_GAIN
    our_phrases = _find_places(comparison, phrase)
    their_phrases = _find_places(comparison, other)
    if (
        not our_phrases
        or not their_phrases
        or any(quoted_phrase in their_phrases for quoted_phrase in our_phrases)
    ):
        return NO_GAIN

    def fit(said_phrase: TiedPhrase, places: Sequence[TiedPhrase], beside: TiedPhrase) -> float:
        return max(comparison.likeness(said_phrase, place, beside) for place in places)

    return fit(phrase, their_phrases, other) - fit(phrase, our_phrases, other), fit(
        other, our_phrases, phrase
    ) - fit(other, their_phrases, phrase)


def _crossed(comparison: Comparison) -> bool:
    """True where two figures of a kind each have beside them what the other has there: A 10 mg, B 50
    mg."""
    said_figures = _figures_of(comparison.said)
    quoted_figures = _figures_of(comparison.quoted)
    for (kind, first), (other_kind, other) in combinations(said_figures, 2):
        pair = (kind, first), (other_kind, other)
        if kind == other_kind and first != other and all(figure in quoted_figures for figure in pair):
            for side in range(4):
                our_sides = [
                    frozenset(map(comparison.rename, said_figures[figure][side])) - LIGHT for figure in pair
                ]
                their_sides = [frozenset(quoted_figures[figure][side]) - LIGHT for figure in pair]
                crossed = all(our_sides[at] & their_sides[1 - at] - their_sides[at] for at in (0, 1))
                if crossed and not any(
                    our_sides[at] & their_sides[at] - their_sides[1 - at] for at in (0, 1)
                ):
                    return True
    return False


def _figures_of(row: Sequence[TiedPhrase]) -> dict[tuple[str, str], tuple[list[str], ...]]:
    """The figures that stand once, with the words that stand before and after them, up to the next of their
    kind; of these two those on the side where its thing stands, with what it stands in; and those next after
    it."""
    places = [
        (figure_kind(figure), figure_word(figure), at)
        for at, phrase in enumerate(row)
        for figure in phrase.phrase.figures
    ]
    times = Counter((kind, word) for kind, word, _ in places)
    around: dict[tuple[str, str], tuple[list[str], ...]] = {}
    for kind, word, at in places:
        if times[kind, word] == 1:
            others = [place for other, _, place in places if other == kind and place != at]
            start = max((place + 1 for place in others if place < at), default=0)
            end = min((place for place in others if place > at), default=len(row))
            before = _terms(row[start:at], row[at])
            after = _terms(row[at + 1 : end], row[at])
            own = list(row[at].phrase.terms)
            thing = own + (after if row[at].phrase.role == "の" else before)
            around[kind, word] = (before, after, thing, own + _terms(row[at + 1 : min(at + 2, end)], row[at]))
    return around


def _terms(row: Sequence[TiedPhrase], home: TiedPhrase) -> list[str]:
    neighbours = [tied for tied in row if tied.sentence == home.sentence]
    return [term for tied in neighbours for term in tied.phrase.terms]


def _turned_inside_out(comparison: Comparison) -> bool:
    """True where the land of a town is called the town of a land."""
    said_pairs = {
        (comparison.rename(first), comparison.rename(other)) for first, other in _owned(comparison.said)
    }
    quoted_pairs = set(_owned(comparison.quoted))
    return any(
        (other, first) in quoted_pairs and (first, other) not in quoted_pairs
        for first, other in said_pairs
        if first != other
    )


def _owned(row: Sequence[TiedPhrase]) -> list[tuple[str, str]]:
    pairs = pairwise(row)
    return [
        (phrase.phrase.whole, other.phrase.whole)
        for phrase, other in pairs
        if phrase.phrase.role == "の"
        and phrase.sentence == other.sentence
        and phrase.phrase.whole
        and other.phrase.whole
    ]


def _repeated(comparison: Comparison) -> bool:
    """True where a figure is said more often than it is quoted, and another of its kind less often."""
    said_counts = _tally(comparison.said)
    quoted_counts = _tally(comparison.quoted)
    kinds = {kind for (kind, word), times in said_counts.items() if 1 < times > quoted_counts[kind, word]}
    return any(figure[0] in kinds and count > said_counts[figure] for figure, count in quoted_counts.items())


def _tally(row: Sequence[TiedPhrase]) -> Counter[tuple[str, str]]:
    return Counter(
        (figure_kind(figure), figure_word(figure)) for phrase in row for figure in phrase.phrase.figures
    )


def _parts(comparison: Comparison) -> list[list[TiedPhrase]]:
    """Stretches between pauses; one that says nothing yet goes with the next."""
    rows: list[list[TiedPhrase]] = []
    for phrase in comparison.said:
        last = rows[-1] if rows else []
        whole = any(phrase.phrase.predicate for phrase in last) if comparison.japanese else len(last) > 4
        if not last or last[-1].sentence != phrase.sentence or (last[-1].phrase.broken and whole):
            rows.append([])
        rows[-1].append(phrase)
    return rows


def _compare_part(comparison: Comparison, part: Sequence[TiedPhrase], doubts: Doubts) -> None:
    """All of a part must stand in one quoted sentence: the subject of one is not to have the number of
    another."""
    wanted_words = {
        comparison.rename(word) for phrase in part for word in (*phrase.phrase.terms, *_topic(phrase))
    } - LIGHT
    wanted_words = (wanted_words & comparison.quoted_words) - {
        word for phrase in comparison.headed for word in phrase.phrase.terms
    }
    homes = {
        number: _words_there(comparison, number)
        for number in {phrase.sentence for phrase in comparison.quoted}
    }
    best = max((len(wanted_words & words) for words in homes.values()), default=0)
    if best < len(wanted_words):
        doubts.unsure.append("sentence")
    for phrase in part:
        sentences = {
            quoted_phrase.sentence
            for quoted_phrase in comparison.quoted
            if phrase.phrase.figures and figures_agree(phrase, quoted_phrase)
        }
        if sentences and max(len(wanted_words & homes[number]) for number in sentences) < best:
            doubts.unsure.append("figure")


def _words_there(comparison: Comparison, number: int) -> set[str]:
    phrases = (phrase for phrase in comparison.quoted if phrase.sentence == number)
    return {word for phrase in phrases for word in (*phrase.phrase.terms, *_topic(phrase))}


def _topic(phrase: TiedPhrase) -> list[str]:
    return [word for kind, word, _ in phrase.ties if kind == "topic"]
