"""Which engines may answer, in what order, and why the others are passed over."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from shisho.domain.politeness import BreakerState, EngineHealth, LimiterStatus
from shisho.domain.web import Credential, EngineAbout, Tier, TimeRange
from shisho.web.engines import load_engines
from shisho.web.serp.selection import Choice, EngineAvailability, Needs, PassedOverReason, rank_engines
from tests.tables import each_row

READY = EngineAvailability({}, {})


def engine(name: str, **fields: object) -> EngineAbout:
    about = EngineAbout(name, f"https://{name}.example", "html", Tier.DEFAULT, ("general",), 1.0, "p")
    return replace(about, **fields)  # type: ignore[arg-type]


def names(choice: Choice) -> list[str]:
    return [each.engine for each in choice.candidates]


def reasons(choice: Choice) -> dict[str, str]:
    return {each.engine: each.why for each in choice.passed}


def busy(**free_in: float) -> EngineAvailability:
    return EngineAvailability({}, {name: LimiterStatus(seconds) for name, seconds in free_in.items()})


def test_tiers_then_the_next_free_slot() -> None:
    abouts = [
        engine("last", tier=Tier.LAST_MILE),
        engine("known", tier=Tier.KNOWLEDGE),
        engine("slow"),
        engine("quick"),
        engine("own", tier=Tier.YOURS),
        engine("papers", tier=Tier.ACADEMIC, categories=("academic",)),
    ]
    availability = busy(slow=4.0, quick=2.0, own=9.0)
    assert names(rank_engines(abouts, Needs("q"), availability)) == ["own", "quick", "slow", "known", "last"]
    assert names(rank_engines(abouts, Needs("q", ("academic", "general")), availability))[:2] == [
        "papers",
        "own",
    ]


def test_of_engines_free_alike_those_of_the_first_category_come_first() -> None:
    abouts = [
        engine("web"),
        engine("laws", categories=("general", "government")),
        engine("press", categories=("news",)),
    ]
    needs = Needs("q", ("government", "general"))
    assert names(rank_engines(abouts, needs, READY)) == ["laws", "web"]
    assert names(rank_engines(abouts, needs, busy(laws=5.0))) == ["web", "laws"]


def test_ten_queued_searches_spread_over_the_engines() -> None:
    """Whoever was chosen is busy for its interval longer, as the limiter's limiter_status says."""
    abouts = [engine(name) for name in "abcd"]
    free_in = dict.fromkeys("abcd", 0.0)
    chosen: Counter[str] = Counter()
    for number in range(10):
        first = names(rank_engines(abouts, Needs(f"query {number}"), busy(**free_in)))[0]
        chosen[first] += 1
        free_in[first] += 5.0
    assert sorted(chosen.values()) == [2, 2, 3, 3]


def test_queries_asked_at_the_same_moment_spread_too() -> None:
    abouts = [engine(name) for name in "abcd"]
    chosen = Counter(names(rank_engines(abouts, Needs(f"問い {number}"), READY))[0] for number in range(200))
    assert len(chosen) == 4 and min(chosen.values()) > 25
    again = [names(rank_engines(abouts[::-1], Needs("問い 7"), READY)) for _ in range(3)]
    assert again == [names(rank_engines(abouts, Needs("問い 7"), READY))] * 3


OPEN = EngineHealth("e", BreakerState.OPEN, open_until="2026-07-01T12:00:00Z", last_error="429")


@each_row(
    ("about", "availability", "why", "said"),
    [
        (
            engine("e", enabled=False, reason="Its terms forbid it."),
            READY,
            PassedOverReason.DISABLED,
            "Its terms forbid it.",
        ),
        (engine("e", enabled=False), READY, PassedOverReason.DISABLED, "engines.toml"),
        (
            engine("e", credentials=(Credential("e_key", required=True),)),
            EngineAvailability({}, {}, {"e_key"}),
            PassedOverReason.NO_KEY,
            "e_key",
        ),
        (engine("e", needs_browser=True), READY, PassedOverReason.NO_BROWSER, "browser"),
        (engine("e"), EngineAvailability({"e": OPEN}, {}), PassedOverReason.RESTING, "12:00"),
        (
            engine("e", per_day=10),
            EngineAvailability({}, {"e": LimiterStatus(0, 10)}),
            PassedOverReason.SPENT,
            "10 times",
        ),
        (engine("e", query_limit=4), READY, PassedOverReason.TOO_LONG, "4 characters"),
    ],
)
def test_why_an_engine_is_passed_over(
    about: EngineAbout, availability: EngineAvailability, why: PassedOverReason, said: str
) -> None:
    for needs in (Needs("query"), Needs("query", engines=("e",))):
        choice = rank_engines([about, engine("other")], needs, availability)
        assert reasons(choice) == {"e": why} and said in choice.passed[0].reason
        assert names(choice) == ([] if needs.engines else ["other"])


@each_row(
    ("about", "availability"),
    [
        (engine("e", credentials=(Credential("e_key"),)), EngineAvailability({}, {}, {"e_key"})),
        (engine("e", credentials=(Credential("e_key", required=True),)), READY),
        (engine("e", needs_browser=True), EngineAvailability({}, {}, browser=True)),
        (engine("e"), EngineAvailability({"e": replace(OPEN, breaker=BreakerState.HALF_OPEN)}, {})),
        (engine("e"), EngineAvailability({"e": replace(OPEN, breaker=BreakerState.CLOSED)}, {})),
        (engine("e", per_day=10), EngineAvailability({}, {"e": LimiterStatus(600, 9)})),
        (engine("e", query_limit=5), READY),
    ],
)
def test_what_may_be_asked(about: EngineAbout, availability: EngineAvailability) -> None:
    assert names(rank_engines([about], Needs("query"), availability)) == ["e"]


MONTHLY = engine("monthly", time_ranges=(TimeRange.MONTH,))
ENGLISH = engine("english", languages=("en",))
PLAIN = engine("plain")


def test_an_engine_that_lacks_a_filter_is_passed_over_for_one_that_has_it() -> None:
    choice = rank_engines([PLAIN, MONTHLY], Needs("q", time_range=TimeRange.MONTH), READY)
    assert names(choice) == ["monthly"] and reasons(choice) == {"plain": PassedOverReason.LACKS_FILTER}
    choice = rank_engines([ENGLISH, PLAIN], Needs("q", language="ja"), READY)
    assert names(choice) == ["plain"] and reasons(choice) == {"english": PassedOverReason.LACKS_FILTER}
    for language in ("en", ""):
        assert len(names(rank_engines([ENGLISH, PLAIN], Needs("q", language=language), READY))) == 2


def test_where_no_engine_has_the_filter_it_is_used_and_warned_of() -> None:
    choice = rank_engines([PLAIN, MONTHLY], Needs("q", time_range=TimeRange.DAY), READY)
    assert {each.engine: each.warnings for each in choice.candidates} == dict.fromkeys(
        ("plain", "monthly"), ("time_range_ignored",)
    )
    # The one that has it cannot be asked now: it does not count.
    resting = EngineAvailability({"monthly": OPEN}, {})
    choice = rank_engines([PLAIN, MONTHLY], Needs("q", time_range=TimeRange.MONTH), resting)
    assert names(choice) == ["plain"] and choice.candidates[0].warnings == ("time_range_ignored",)
    # Each lacks what the other has: both stay.
    both = [ENGLISH, engine("german_daily", time_ranges=(TimeRange.DAY,), languages=("de",)), MONTHLY]
    choice = rank_engines(both, Needs("q", language="ja", time_range=TimeRange.DAY), READY)
    assert {each.engine: each.warnings for each in choice.candidates} == {
        "german_daily": ("language_ignored",),
        "monthly": ("time_range_ignored",),
    }
    assert reasons(choice) == {"english": PassedOverReason.LACKS_FILTER}


def test_named_engines_come_in_the_order_given() -> None:
    abouts = [PLAIN, MONTHLY, engine("off", enabled=False), engine("papers", categories=("academic",))]
    needs = Needs(
        "q", engines=("papers", "nonsense", "plain", "off", "monthly", "plain"), time_range=TimeRange.MONTH
    )
    choice = rank_engines(abouts, needs, busy(papers=60.0))
    assert names(choice) == ["papers", "plain", "monthly"]
    assert [each.warnings for each in choice.candidates] == [
        ("time_range_ignored",),
        ("time_range_ignored",),
        (),
    ]
    assert reasons(choice) == {"nonsense": PassedOverReason.UNKNOWN, "off": PassedOverReason.DISABLED}


def test_the_engines_there_are() -> None:
    """Of ours: something answers every category without a key or a browser, and the last mile comes last."""
    abouts = [each.about for each in load_engines()]
    for category in ("academic", "technical", "general", "government", "news"):
        assert rank_engines(abouts, Needs("q", (category,), language="ja"), READY).candidates
    chosen = names(rank_engines(abouts, Needs("q", language="ja"), EngineAvailability({}, {}, browser=True)))
    assert chosen[-1] == "brave" and {"google", "bing"}.isdisjoint(chosen)
    assert names(rank_engines(abouts, Needs("q", ("academic", "general"), language="ja"), READY))[0] in (
        "arxiv", "crossref", "openalex", "pubmed", "semantic_scholar",
    )  # fmt: skip


TIERS = st.sampled_from(Tier)
ENGINES = st.lists(
    st.builds(
        lambda name, tier, enabled, per_day, categories: engine(
            name, tier=tier, enabled=enabled, per_day=per_day, categories=tuple(categories)
        ),
        st.sampled_from("abcdefgh"),
        TIERS,
        st.booleans(),
        st.none() | st.integers(0, 3),
        st.sets(st.sampled_from(["general", "news", "academic"]), min_size=1),
    ),
    unique_by=lambda about: about.name,
)


@given(
    ENGINES,
    st.text(),
    st.sampled_from(TimeRange),
    st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 4)),
)
def test_every_fitting_engine_is_asked_or_said_why_not(
    abouts: list[EngineAbout], query: str, time_range: TimeRange, used: dict[str, int]
) -> None:
    availability = EngineAvailability({}, {name: LimiterStatus(count, count) for name, count in used.items()})
    needs = Needs(query, ("general", "news"), time_range=time_range)
    choice = rank_engines(abouts, needs, availability)
    fitting = sorted(about.name for about in abouts if {"general", "news"} & {*about.categories})
    assert sorted([*names(choice), *reasons(choice)]) == fitting
    last = [about.name for about in abouts if about.tier is Tier.LAST_MILE]
    places = [name in last for name in names(choice)]
    assert places == sorted(places)
    assert names(choice) == names(rank_engines(abouts[::-1], needs, availability))


def test_who_does_not_show_so_deep_a_page_is_passed_over() -> None:
    choice = rank_engines([engine("deep"), engine("flat", max_pages=3)], Needs("q", page=4), READY)
    assert names(choice) == ["deep"] and [(one.engine, one.why) for one in choice.passed] == [
        ("flat", PassedOverReason.TOO_SHALLOW)
    ]
    assert names(rank_engines([engine("flat", max_pages=3)], Needs("q", page=3), READY)) == ["flat"]
