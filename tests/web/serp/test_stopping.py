"""How deep a query is followed, and why it ends: every row of the contract, and what holds for any pages at
all."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from shisho.domain.task import StopStrategy
from shisho.domain.web import EngineAbout, PagingStop, Tier
from shisho.web.serp.stopping import PageFacts, PagingRules, find_deepest_page, is_repeat, stop_reason
from tests.tables import each_row

AUTO, FIXED, EXHAUSTIVE = StopStrategy
ABOUT = EngineAbout("e", "https://e.example", "html", Tier.DEFAULT, ("general",), 1.0, "p")
ONE_PAGE = replace(ABOUT, pagination_enabled=False)
SHALLOW = replace(ABOUT, max_pages=5)


@each_row(
    ("serp_page", "most", "strategy", "categories", "about", "last"),
    [
        (1, None, AUTO, ["academic"], ABOUT, 3),
        (1, None, AUTO, ["technical"], ABOUT, 3),
        (1, None, AUTO, ["general"], ABOUT, 2),
        (1, None, AUTO, ["government"], ABOUT, 2),
        (1, None, AUTO, ["news"], ABOUT, 1),
        (1, None, FIXED, ["news"], ABOUT, 1),
        (1, None, AUTO, ["news", "academic"], ABOUT, 3),
        (1, None, AUTO, [], ABOUT, 2),
        (1, None, AUTO, ["no such category"], ABOUT, 2),
        (1, None, EXHAUSTIVE, ["news"], ABOUT, 10),
        (1, 4, EXHAUSTIVE, ["news"], ABOUT, 4),
        (1, 1, AUTO, ["academic"], ABOUT, 1),
        (3, 2, AUTO, ["general"], ABOUT, 4),
        (3, None, AUTO, ["academic"], ABOUT, 5),
        (1, 99, AUTO, [], replace(ABOUT, max_pages=50), 10),
        (1, None, EXHAUSTIVE, [], SHALLOW, 5),
        (4, 3, FIXED, [], SHALLOW, 5),
        (6, 3, FIXED, [], SHALLOW, 5),
        (1, 5, FIXED, [], ONE_PAGE, 1),
        (3, None, EXHAUSTIVE, [], ONE_PAGE, 3),
    ],
)
def test_the_last_page_allowed(
    serp_page: int,
    most: int | None,
    strategy: StopStrategy,
    categories: list[str],
    about: EngineAbout,
    last: int,
) -> None:
    assert find_deepest_page(serp_page, most, strategy, categories, about) == last


def facts(
    number: int, urls: str, fresh: int | None = None, visited: int = 0, useful: int = 0, last: bool = False
) -> PageFacts:
    return PageFacts(
        number, tuple(urls), len(urls) if fresh is None else fresh, visited, useful, last, opening=number == 1
    )


@each_row(
    ("page", "novelty", "harvest"),
    [
        (facts(1, "abcd", fresh=0), 1.0, None),
        (facts(1, ""), 0.0, None),
        (facts(2, "abcd", fresh=1), 0.25, None),
        (facts(2, ""), 0.0, None),
        (facts(2, "abcd", visited=4, useful=1), 1.0, 0.25),
        (facts(2, "abcd", visited=2), 1.0, 0.0),
        (replace(facts(3, "abcd", fresh=1), opening=True), 1.0, None),
    ],
)
def test_novelty_and_harvest(page: PageFacts, novelty: float, harvest: float | None) -> None:
    assert (page.novelty, page.harvest) == (novelty, harvest)


ALPHABET = "abcdefghijklmnopqrstuvwxyz"
FIRST = facts(1, "abcdefghij", visited=10, useful=4)
# pages, the reason under auto, the reason under fixed and exhaustive; the search may go to page 5 and wants
# 10 useful hits
STOPS: list[tuple[str, list[PageFacts], str | None, str | None]] = [
    ("nothing asked yet", [], None, None),
    ("a good page", [FIRST], None, None),
    ("page 5", [facts(5, "abc", visited=3, useful=3)], "LIMIT", "LIMIT"),
    ("beyond, after a resume", [facts(6, "abc")], "LIMIT", "LIMIT"),
    ("page 5, empty", [facts(5, "")], "LIMIT", "LIMIT"),
    ("enough on one page", [facts(1, "abcdefghijkl", visited=12, useful=10)], "ENOUGH", None),
    ("enough over pages", [FIRST, facts(2, "klmnopqr", visited=8, useful=6)], "ENOUGH", None),
    ("rows are not enough", [facts(1, ALPHABET, visited=9, useful=9)], None, None),
    (
        "enough on the last page",
        [facts(1, "abcdefghijkl", visited=12, useful=10, last=True)],
        "ENOUGH",
        "END",
    ),
    ("nothing new", [FIRST, facts(2, "klmnopqrst", fresh=0)], "SATURATED", None),
    ("a tenth is new", [FIRST, facts(2, "klmnopqrst", fresh=1)], None, None),
    ("less than a tenth is new", [FIRST, facts(2, "klmnopqrstu", fresh=1)], "SATURATED", None),
    ("an opening page the task knows", [facts(1, "abc", fresh=0)], None, None),
    ("gathered from two pages", [FIRST, facts(2, "klmno"), facts(3, "abkl", fresh=0)], "SATURATED", None),
    ("useless", [facts(1, "abc", visited=3)], "BARREN", None),
    ("too few visited to tell", [facts(1, "abc", visited=2)], None, None),
    ("one in twenty is useful", [facts(1, ALPHABET, visited=20, useful=1)], None, None),
    ("one in twenty-one", [facts(1, ALPHABET, visited=21, useful=1)], "BARREN", None),
    ("useless after a good one", [FIRST, facts(2, "klmnop", visited=6)], "BARREN", None),
    ("useless and known", [FIRST, facts(2, "klmnop", fresh=0, visited=6)], "SATURATED", None),
    ("no next page", [facts(1, "abc", visited=3, useful=1, last=True)], "END", "END"),
    ("no hits", [facts(1, "")], "END", "END"),
    ("an empty page is no repetition", [FIRST, facts(2, "")], "END", "END"),
    ("an empty page twice", [FIRST, facts(2, ""), facts(3, "")], "END", "END"),
    ("page 1 again", [FIRST, facts(2, "abcdefghij", fresh=0)], "REPEATED", "REPEATED"),
    ("in another order", [FIRST, facts(2, "jihgfedcba", fresh=0)], "REPEATED", "REPEATED"),
    ("page 1 again, an entry less", [FIRST, facts(2, "abcdefghi", fresh=0)], "REPEATED", "REPEATED"),
    (
        "page 1 again, later",
        [FIRST, facts(2, "klmno"), facts(3, "abcdefghij", fresh=0)],
        "REPEATED",
        "REPEATED",
    ),
    ("page 1 again, an entry more", [FIRST, facts(2, "abcdefghijk", fresh=1)], "SATURATED", None),
]


@each_row(("pages", "auto", "other"), [row[1:] for row in STOPS])
def test_why_paging_ends(pages: list[PageFacts], auto: str | None, other: str | None) -> None:
    assert stop_reason(pages, PagingRules(AUTO, 1, 5, 10)) == auto
    assert stop_reason(pages, PagingRules(FIXED, 1, 5, 10)) == other
    assert stop_reason(pages, PagingRules(EXHAUSTIVE, 1, 5, 10)) == other


@each_row(("visited", "auto"), [(9, None), (10, "ENOUGH")])
def test_visits_used_up_end_auto_alone(visited: int, auto: str | None) -> None:
    pages = [facts(1, ALPHABET, visited=visited, useful=1)]
    assert stop_reason(pages, PagingRules(AUTO, 1, 5, 5, most_visits=10)) == auto
    assert stop_reason(pages, PagingRules(FIXED, 1, 5, 5, most_visits=10)) is None


def test_no_page_is_asked_that_the_engine_does_not_have() -> None:
    assert (
        stop_reason([], PagingRules(FIXED, 6, find_deepest_page(6, 3, FIXED, [], SHALLOW), 10))
        is PagingStop.LIMIT
    )
    assert stop_reason([], PagingRules(FIXED, 5, find_deepest_page(5, 3, FIXED, [], SHALLOW), 10)) is None


def test_one_page_only_ends_with_limit() -> None:
    rules = PagingRules(EXHAUSTIVE, 1, find_deepest_page(1, None, EXHAUSTIVE, [], ONE_PAGE), 10)
    assert stop_reason([FIRST], rules) is PagingStop.LIMIT


PAGES = st.lists(
    st.builds(
        lambda urls, fresh, visited, useful, last: PageFacts(
            0, tuple(sorted(urls)), round(fresh * len(urls)), visited, round(useful * visited), last
        ),
        st.sets(st.sampled_from(ALPHABET), max_size=12),
        st.floats(0, 1),
        st.integers(0, 12),
        st.floats(0, 1),
        st.booleans(),
    ),
    min_size=1,
    max_size=6,
)


@given(PAGES, st.integers(1, 5), st.integers(1, 10), st.integers(1, 20))
def test_stops_of_any_pages(drawn: list[PageFacts], first: int, last: int, enough: int) -> None:
    pages = [replace(page, number=first + at, opening=at == 0) for at, page in enumerate(drawn)]
    auto = stop_reason(pages, PagingRules(AUTO, first, last, enough))
    fixed = stop_reason(pages, PagingRules(FIXED, first, last, enough))
    assert fixed in (None, PagingStop.LIMIT, PagingStop.END, PagingStop.REPEATED)
    assert fixed == stop_reason(pages, PagingRules(EXHAUSTIVE, first, last, enough))
    assert fixed is None or auto is not None, "auto goes on where fixed ends"
    assert (pages[-1].number >= last) == (auto is PagingStop.LIMIT)
    if is_repeat(pages[-1], pages[:-1]):
        assert fixed is not None and pages[-1].urls
