"""`make bench`: what the paging rules save and what they cost, over 200 simulated queries; the rules are the
real ones.

    python bench/paging.py [--queries 200] [--draws 50]

The queries are drawn anew 50 times and the means are shown: of a single draw the URLs found vary by some 1 %
either way.

Of each query there are up to five result pages of ten hits. `always` follows them all (strategy `fixed`,
which ends where the engine does), `auto` stops by its rules with max_results_per_query at its default; both
may go to page 5. Hits are visited in order, and a relevant URL is found when it is visited and answers. What
the simulation takes for true:

Decay of relevance, a quarter of the queries each; the chance that the hit of rank r is relevant is
- steep       .8 · 2^(-(r-1)/3): a single fact, which the first few hits state.
- cliff       .7 down to a rank between 3 and 20, then 0: a narrow topic with so many pages on it.
- long tail   .8 / r: under our own ranking the 225 Cranfield queries have 2.4, .88, .46, .29 and .25 relevant
              documents in their five tens of ranks; .8 / r gives 2.3, .53, .32, .23 and .18.
- nothing     0: the engine has nothing for the query (misspelt, too new, another language).
Overlap: from page 2 on one hit in twelve stood on an earlier page, as results move between two requests.
Copies: one hit in twenty is the text of an earlier one at another address: not relevant once more, not useful
once more. Depth: one query in four has but 5 to 30 results. Then the engine ends, shows its last page again,
or fills up with earlier hits, a third each. Visits: one in eight fails (gone, refused, too slow), for both
strategies alike. Judgement: `useful` sees .76 of the relevant hits and takes .03 of the others for useful:
the means over three Japanese sets in corpus/usefulness.py, the others being those that rank 11th to 40th. The
last rows show what each set's own figures would give. Every query is alone in its task.

Overlap, copies, depth and visits are guesses at the web's habits, made before the first run and not changed
after it."""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from shisho.domain.task import SearchOptions, StopStrategy
from shisho.domain.web import PagingStop
from shisho.web.serp.stopping import PageFacts, PagingRules, is_repeat, stop_reason

PAGES = 5
PAGE_SIZE = 10
OVERLAP = 1 / 12
COPIES = 1 / 20
SHALLOW = 1 / 4
FAILING = 1 / 8
MIN_FOUND = 0.95
MAX_REQUESTS = 0.5

Decay = Callable[[int], float]


def cliff(rng: random.Random) -> Decay:
    edge = rng.randint(3, 20)
    return lambda rank: 0.7 if rank <= edge else 0.0


SHAPES: Mapping[str, Callable[[random.Random], Decay]] = {
    "steep": lambda rng: lambda rank: 0.8 * 2 ** (-(rank - 1) / 3),
    "cliff": cliff,
    "long tail": lambda rng: lambda rank: 0.8 / rank,
    "nothing": lambda rng: lambda rank: 0.0,
}


@dataclass(frozen=True, slots=True)
class Judgement:
    """How well `useful` tells: the share it sees of what is relevant, and the share of the rest that it takes
    for useful."""

    seen: float
    mistaken: float


MEAN = Judgement(0.76, 0.03)
MEASURED = {
    "NIILC": Judgement(0.50, 0.08),
    "JSQuAD": Judgement(0.95, 0.00),
    "JaQuAD": Judgement(0.84, 0.02),
    "Cranfield": Judgement(0.35, 0.03),
    "perfect": Judgement(1.0, 0.0),
}


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """A result of a simulated engine, and what a visit to it would bring."""

    url: str
    relevant: bool
    answers: bool
    useful: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a strategy did with one query."""

    requests: int
    found: int
    stop: PagingStop


@dataclass(frozen=True, slots=True)
class Totals:
    """What `always` and `auto` did with many queries: result pages asked for, relevant URLs found."""

    requests: tuple[int, int]
    found: tuple[int, int]

    @property
    def requested(self) -> float:
        return self.requests[1] / self.requests[0]

    @property
    def kept(self) -> float:
        return self.found[1] / max(1, self.found[0])

    @property
    def held(self) -> bool:
        return self.kept >= MIN_FOUND and self.requested <= MAX_REQUESTS


Pair = tuple[Outcome, Outcome]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--draws", type=int, default=50)
    given = parser.parse_args()
    for line in report(given.queries, given.draws):
        print(line, flush=True)


def report(queries: int, draws: int) -> Iterator[str]:
    """The table: each shape, all of them, and all under the judgement of each set."""
    drawn = [compared(queries, draw) for draw in range(draws)]
    title = f"paging, {queries} queries, mean of {draws} draws"
    yield f"{title:40} {'requests':>22} {'relevant URLs':>24}   why auto stopped"
    yield f"{'':40} {'always':>8} {'auto':>6} {'':>6} {'always':>10} {'auto':>6}"
    for shape in SHAPES:
        pairs = [pair for outcomes in drawn for pair in outcomes[shape]]
        stops = Counter(str(auto.stop) for _, auto in pairs).most_common()
        shares = ", ".join(f"{stop} {count / len(pairs):.0%}" for stop, count in stops)
        yield f"{row(shape, totals(pairs), draws)}   {shares}"
    whole = totals([pair for outcomes in drawn for pairs in outcomes.values() for pair in pairs])
    wanted = f"wanted: {MIN_FOUND:.0%} of the URLs with {MAX_REQUESTS:.0%} of the requests"
    yield f"{row('all', whole, draws)}   ({wanted}{'' if whole.held else ': NOT HELD'})"
    each = [totals([pair for pairs in outcomes.values() for pair in pairs]) for outcomes in drawn]
    yield f"  held by {sum(one.held for one in each)} draws of {draws} by themselves"
    for name, judgement in MEASURED.items():
        again = [compared(queries, draw, judgement) for draw in range(draws)]
        whole = totals([pair for outcomes in again for pairs in outcomes.values() for pair in pairs])
        yield row(f"  all, judged as on {name}", whole, draws)


def row(name: str, sums: Totals, draws: int) -> str:
    requests = " ".join(
        f"{count / draws:>{width},.0f}" for count, width in zip(sums.requests, (8, 6), strict=True)
    )
    found = " ".join(
        f"{count / draws:>{width},.0f}" for count, width in zip(sums.found, (10, 6), strict=True)
    )
    return f"{name:40} {requests} {sums.requested:>6.1%} {found} {sums.kept:>6.1%}"


def totals(pairs: Sequence[Pair]) -> Totals:
    always, auto = zip(*pairs, strict=True)
    requests = sum(one.requests for one in always), sum(one.requests for one in auto)
    return Totals(requests, (sum(one.found for one in always), sum(one.found for one in auto)))


def compared(queries: int, seed: int, judgement: Judgement = MEAN) -> dict[str, list[Pair]]:
    """What `always` and `auto` did with the same pages of each query, by shape."""
    outcomes: dict[str, list[Pair]] = {shape: [] for shape in SHAPES}
    for number in range(queries):
        shape = [*SHAPES][number % len(SHAPES)]
        pages = simulated(SHAPES[shape], random.Random(f"{seed} {number}"), judgement)
        outcomes[shape].append((followed(pages, StopStrategy.FIXED), followed(pages, StopStrategy.AUTO)))
    return outcomes


def simulated(
    shape: Callable[[random.Random], Decay], rng: random.Random, judgement: Judgement
) -> list[list[Result]]:
    """The result pages of one query; empty ones after the engine's end."""
    decay = shape(rng)
    depth = rng.randint(5, 30) if rng.random() < SHALLOW else PAGES * PAGE_SIZE
    beyond = rng.choice(("end", "again", "earlier"))
    pages: list[list[Result]] = []
    shown: list[Result] = []
    for _ in range(PAGES):
        page: list[Result] = []
        earlier = [*shown]
        while len(page) < PAGE_SIZE:
            old = [one for one in earlier if one not in page]
            if len(shown) < depth and not (old and rng.random() < OVERLAP):
                shown.append(result(len(shown) + 1, decay, judgement, rng))
                page.append(shown[-1])
            elif old and (len(shown) < depth or beyond == "earlier"):
                page.append(rng.choice(old))
            else:
                break
        pages.append(pages[-1] if pages and not page and beyond == "again" else page)
    return pages


def result(rank: int, decay: Decay, judgement: Judgement, rng: random.Random) -> Result:
    copied = rank > 1 and rng.random() < COPIES
    relevant = not copied and rng.random() < decay(rank)
    answers = rng.random() >= FAILING
    judged = rng.random() < (judgement.seen if relevant else judgement.mistaken)
    return Result(f"https://result-{rank}.example", relevant, answers, answers and not copied and judged)


def followed(pages: Sequence[Sequence[Result]], strategy: StopStrategy) -> Outcome:
    """One strategy's way through the pages, by the real rules."""
    rules = PagingRules(strategy, 1, PAGES, SearchOptions().max_results_per_query)
    facts: list[PageFacts] = []
    visited: dict[str, Result] = {}
    while (stop := stop_reason(facts, rules)) is None:
        page = pages[len(facts)]
        fresh = [one for one in page if one.url not in visited]
        bare = PageFacts(len(facts) + 1, tuple(one.url for one in page), len(fresh), opening=not facts)
        wanted = (
            rules.enough - sum(each.useful for each in facts)
            if strategy is StopStrategy.AUTO
            else len(pages) * len(page)
        )
        visits = [] if is_repeat(bare, facts) else [*until(wanted, fresh)]
        visited.update((one.url, one) for one in visits)
        facts.append(replace(bare, visited=len(visits), useful=sum(one.useful for one in visits)))
    return Outcome(len(facts), sum(one.relevant and one.answers for one in visited.values()), stop)


def until(wanted: int, results: Sequence[Result]) -> Iterator[Result]:
    """Visits go on until so many were useful."""
    for one in results:
        if wanted <= 0:
            return
        wanted -= one.useful
        yield one


if __name__ == "__main__":
    main()
