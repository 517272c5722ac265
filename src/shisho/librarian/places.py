"""Check that each thing of a sentence stands in the place that its quotations give it: a number beside
its subject, a name in its role."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, pairwise, product

from shisho.language.meanings import same
from shisho.language.weights import LIGHT
from shisho.librarian.comparison import MARGIN, Comparison, Doubts
from shisho.librarian.ties import Rename, TiedPhrase, case_of, figure_kind, figure_kinds, figure_word, figures_agree

LEAST_GAIN = 1.4  # that each of two names or figures must have from changing places
COMMON_GAIN = 2.5  # the same for other phrases, whose places vary more
NO_GAIN = (-99.0, -99.0)
_LISTING = frozenset({"と", "や", "", "か"})


def compare_places(comparison: Comparison, doubts: Doubts) -> None:
    """Compare the places of names and figures, then of all phrases."""
    for said in comparison.said:
        if said.phrase.figures or said.phrase.name:
            _compare_displacement(comparison, said, doubts)
        if _longer_or_shorter(comparison, said):
            doubts.unsure.append("role")
        if said.phrase.figures and not _hangs_alike(comparison, said):
            doubts.unsure.append("place")
    _compare_exchanges(comparison, doubts)
    if _repeated(comparison):
        doubts.wrong.append("figure")
    if _crossed(comparison) or _turned_inside_out(comparison) or _reversed(comparison):
        doubts.wrong.append("role")
    for part in _parts(comparison):
        _compare_part(comparison, part, doubts)


def _compare_displacement(comparison: Comparison, said: TiedPhrase, doubts: Doubts) -> None:
    """Something of the same kind, which the sentence does not name, must not fit as well where the phrase stands."""
    there = [quoted for quoted in comparison.quoted if _is(comparison, said, quoted)]
    own = max((comparison.likeness(said, quoted) for quoted in there), default=0.0)
    named = {comparison.rename(word) for one in comparison.said for word in _identity(one)}
    for quoted in comparison.quoted:
        if not _same_kind(said, quoted) or _is(comparison, said, quoted) or set(_identity(quoted)) & named:
            continue
        fits = comparison.likeness(said, quoted)
        if fits < own or not fits or _listed(comparison, said, quoted):
            continue
        far = own <= 2 * MARGIN and fits > max(own + 2 * MARGIN, 2 * own)
        (doubts.wrong if far and there else doubts.unsure).append("role")


def _longer_or_shorter(comparison: Comparison, said: TiedPhrase) -> bool:
    """True where a name stands in the place of a longer one that begins with it, or of a shorter one
    that it begins with: 天皇 and 天皇賞."""
    whole = said.phrase.whole
    if not whole or case_of(said.phrase.role) not in ("が", "を"):
        return False
    own = [quoted for quoted in comparison.quoted if quoted.phrase.whole == whole]
    if not own:
        return False
    others = (
        quoted
        for quoted in comparison.quoted
        if quoted.phrase.whole != whole
        and quoted.phrase.whole
        and (quoted.phrase.whole.startswith(whole) or whole.startswith(quoted.phrase.whole))
    )
    fits = max(comparison.likeness(said, quoted) for quoted in own)
    return any(comparison.likeness(said, quoted) >= fits + MARGIN for quoted in others)


def _listed(comparison: Comparison, said: TiedPhrase, other: TiedPhrase) -> bool:
    """True where the other name stands beside the quoted one in a list."""
    own = [quoted for quoted in comparison.quoted if _is(comparison, said, quoted) and quoted.sentence == other.sentence]
    roles = _LISTING | {other.phrase.role}
    return any(abs(one.place - other.place) <= 1 and not said.phrase.figures and one.phrase.role in roles for one in own)


def _is(comparison: Comparison, said: TiedPhrase, quoted: TiedPhrase) -> bool:
    if said.phrase.figures:
        return figures_agree(said, quoted)
    if same(said.phrase.whole, quoted.phrase.whole):
        return True
    own = [comparison.rename(word) for word in said.phrase.terms]
    mine, theirs = set(own), set(quoted.phrase.terms)
    if not mine & theirs:
        return False
    # A社 is not B社, though 社 is in both; nor 木曽川電力 木曽川支流.
    mostly = len(mine & theirs) > max(len(mine), len(theirs)) / 2 and own[-1] == quoted.phrase.terms[-1]
    return mostly or mine <= theirs or theirs <= mine


def _same_kind(said: TiedPhrase, quoted: TiedPhrase) -> bool:
    if said.phrase.figures:
        return bool(figure_kinds(said) & figure_kinds(quoted))
    return quoted.phrase.name and not quoted.phrase.figures


def _identity(one: TiedPhrase) -> list[str]:
    return list(map(figure_word, one.phrase.figures)) or list(one.phrase.terms)


def _compare_exchanges(comparison: Comparison, doubts: Doubts) -> None:
    """Find pairs of phrases that would fit better in each other's places. Figures and names that stand
    in the other order than in their quotation must fit clearly better where they are."""
    nouns = [one for one in comparison.said if one.phrase.figures or not (one.phrase.predicate or one.phrase.adverb)]
    pairs = ((one, other) for one, other in combinations(nouns, 2) if one.sentence == other.sentence)
    for one, other in pairs:
        gains = _gains(comparison, one, other)
        telling = bool(one.phrase.figures) or (one.phrase.name and other.phrase.name)
        least = LEAST_GAIN if telling else COMMON_GAIN
        if min(gains) >= least and sum(gains) > 2 * least:
            # Without particles, the order of common words is no firm sign.
            (doubts.wrong if telling or comparison.japanese else doubts.unsure).append("role")
        elif telling and sum(gains) > -LEAST_GAIN and _turned_round(comparison, one, other):
            (doubts.wrong if min(gains) > 0 else doubts.unsure).append("role")


def _turned_round(comparison: Comparison, one: TiedPhrase, other: TiedPhrase) -> bool:
    """True where the later of the two comes first in every quoted sentence that has both."""
    places = [quoted for quoted in comparison.quoted if _is(comparison, one, quoted)]
    other_places = [quoted for quoted in comparison.quoted if _is(comparison, other, quoted)]
    pairs = [pair for pair in product(places, other_places) if pair[0].sentence == pair[1].sentence]
    return bool(pairs) and all(mine.place > theirs.place for mine, theirs in pairs)


def _gains(comparison: Comparison, one: TiedPhrase, other: TiedPhrase) -> tuple[float, float]:
    """How much better each of two phrases would fit in the other's place."""
    if (one.phrase.figures or other.phrase.figures) and not figure_kinds(one) & figure_kinds(other):
        return NO_GAIN
    mine = [quoted for quoted in comparison.quoted if _is(comparison, one, quoted)]
    theirs = [quoted for quoted in comparison.quoted if _is(comparison, other, quoted)]
    if not mine or not theirs or any(quoted in theirs for quoted in mine):
        return NO_GAIN

    def fit(said: TiedPhrase, places: Sequence[TiedPhrase], beside: TiedPhrase) -> float:
        return max(comparison.likeness(said, place, beside) for place in places)

    return fit(one, theirs, other) - fit(one, mine, other), fit(other, mine, one) - fit(other, theirs, one)


def _crossed(comparison: Comparison) -> bool:
    """True where two figures of a kind each have beside them what the other has there: A 10 mg, B 50
    mg."""
    said, quoted = _figures_of(comparison.said), _figures_of(comparison.quoted)
    for (kind, one), (other_kind, other) in combinations(said, 2):
        pair = (kind, one), (other_kind, other)
        if kind == other_kind and one != other and all(figure in quoted for figure in pair):
            for side in range(4):
                mine = [frozenset(map(comparison.rename, said[figure][side])) - LIGHT for figure in pair]
                theirs = [frozenset(quoted[figure][side]) - LIGHT for figure in pair]
                crossed = all(mine[at] & theirs[1 - at] - theirs[at] for at in (0, 1))
                if crossed and not any(mine[at] & theirs[at] - theirs[1 - at] for at in (0, 1)):
                    return True
    return False


def _reversed(comparison: Comparison) -> bool:
    """True where who does it there has it done to him here, whichever of the two is told in the
    passive."""
    said, quoted = _actors(comparison.said, comparison.rename), _actors(comparison.quoted, str)
    for predicate in said.keys() & quoted.keys():
        doers, targets = said[predicate]
        true_doers, true_targets = quoted[predicate]
        if doers & true_targets - true_doers and targets & true_doers - true_targets:
            return True
    return False


def _actors(row: Sequence[TiedPhrase], rename: Rename) -> dict[str, tuple[set[str], set[str]]]:
    """For each word of a predicate: the words of its subjects and of its objects, as if it were active."""
    actors: dict[str, tuple[set[str], set[str]]] = {}
    for one in row:
        for kind, word, role in one.ties:
            if kind == "role" and role in ("が", "を"):
                doers, targets = actors.setdefault(rename(word), (set(), set()))
                (doers if role == "が" else targets).update({rename(term) for term in one.phrase.terms} - LIGHT)
    return actors


def _figures_of(row: Sequence[TiedPhrase]) -> dict[tuple[str, str], tuple[list[str], ...]]:
    """The figures that stand once, with the words that stand before and after them, up to the next of their kind; of
    these two those on the side where its thing stands, with what it stands in; and those next after it."""
    places = [(figure_kind(figure), figure_word(figure), at) for at, one in enumerate(row) for figure in one.phrase.figures]
    times = Counter((kind, word) for kind, word, _ in places)
    around: dict[tuple[str, str], tuple[list[str], ...]] = {}
    for kind, word, at in places:
        if times[kind, word] == 1:
            others = [place for other, _, place in places if other == kind and place != at]
            start = max((place + 1 for place in others if place < at), default=0)
            end = min((place for place in others if place > at), default=len(row))
            before, after = _terms(row[start:at], row[at]), _terms(row[at + 1 : end], row[at])
            own = list(row[at].phrase.terms)
            thing = own + (after if row[at].phrase.role == "の" else before)
            around[kind, word] = (before, after, thing, own + _terms(row[at + 1 : min(at + 2, end)], row[at]))
    return around


def _terms(row: Sequence[TiedPhrase], home: TiedPhrase) -> list[str]:
    neighbours = [tied for tied in row if tied.sentence == home.sentence]
    return [term for tied in neighbours for term in tied.phrase.terms]


def _turned_inside_out(comparison: Comparison) -> bool:
    """True where the land of a town is called the town of a land."""
    said = {(comparison.rename(one), comparison.rename(other)) for one, other in _owned(comparison.said)}
    quoted = set(_owned(comparison.quoted))
    return any((other, one) in quoted and (one, other) not in quoted for one, other in said if one != other)


def _owned(row: Sequence[TiedPhrase]) -> list[tuple[str, str]]:
    pairs = pairwise(row)
    return [
        (one.phrase.whole, other.phrase.whole)
        for one, other in pairs
        if one.phrase.role == "の" and one.sentence == other.sentence and one.phrase.whole and other.phrase.whole
    ]


def _repeated(comparison: Comparison) -> bool:
    """True where a figure is said more often than it is quoted, and another of its kind less often."""
    said, quoted = _tally(comparison.said), _tally(comparison.quoted)
    kinds = {kind for (kind, word), times in said.items() if 1 < times > quoted[kind, word]}
    return any(figure[0] in kinds and count > said[figure] for figure, count in quoted.items())


def _tally(row: Sequence[TiedPhrase]) -> Counter[tuple[str, str]]:
    return Counter((figure_kind(figure), figure_word(figure)) for one in row for figure in one.phrase.figures)


def _hangs_alike(comparison: Comparison, said: TiedPhrase) -> bool:
    """True where a quoted phrase with its words is said of the same thing, as far as the order of words
    tells."""
    quoted = [one for one in comparison.quoted if comparison.alike(said, one)]
    if not quoted or not said.phrase.terms:
        return True  # what is not there at all was seen before
    mine = {comparison.rename(word) for word in _modified(said)}
    compound = {comparison.rename(word) for word in said.phrase.terms} - LIGHT
    known = any(same(said.phrase.whole, whole) or said.phrase.whole in whole for whole in comparison.wholes)
    for one in quoted:
        theirs = _modified(one)
        together = len(compound) < 2 or known or compound <= _around(comparison, one)
        if together and (not mine or not theirs or mine & theirs or mine & LIGHT):
            return True
    return False


def _modified(one: TiedPhrase) -> set[str]:
    return {word for kind, word, _ in one.ties if kind in ("for", "modifies")}


def _around(comparison: Comparison, one: TiedPhrase) -> set[str]:
    """The words of a quoted phrase and of those on both sides."""
    near = (each for each in comparison.quoted if each.sentence == one.sentence and abs(each.place - one.place) <= 1)
    return {word for each in near for word in each.phrase.terms}


def _parts(comparison: Comparison) -> list[list[TiedPhrase]]:
    """Stretches between pauses; one that says nothing yet goes with the next."""
    rows: list[list[TiedPhrase]] = []
    for one in comparison.said:
        last = rows[-1] if rows else []
        whole = any(each.phrase.predicate for each in last) if comparison.japanese else len(last) > 4
        if not last or last[-1].sentence != one.sentence or (last[-1].phrase.broken and whole):
            rows.append([])
        rows[-1].append(one)
    return rows


def _compare_part(comparison: Comparison, part: Sequence[TiedPhrase], doubts: Doubts) -> None:
    """All of a part must stand in one quoted sentence: the subject of one is not to have the number of another."""
    wanted = {comparison.rename(word) for one in part for word in (*one.phrase.terms, *_topic(one))} - LIGHT
    wanted = (wanted & comparison.words) - {word for one in comparison.headed for word in one.phrase.terms}
    homes = {number: _words_there(comparison, number) for number in {one.sentence for one in comparison.quoted}}
    best = max((len(wanted & words) for words in homes.values()), default=0)
    if best < len(wanted):
        doubts.unsure.append("sentence")
    for one in part:
        there = {quoted.sentence for quoted in comparison.quoted if one.phrase.figures and figures_agree(one, quoted)}
        if there and max(len(wanted & homes[number]) for number in there) < best:
            doubts.unsure.append("figure")


def _words_there(comparison: Comparison, number: int) -> set[str]:
    there = (one for one in comparison.quoted if one.sentence == number)
    return {word for one in there for word in (*one.phrase.terms, *_topic(one))}


def _topic(one: TiedPhrase) -> list[str]:
    return [word for kind, word, _ in one.ties if kind == "topic"]
