"""Which hit is visited next: order, hosts, blocked domains; and whole crawls of any hits at any pace."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from shisho.domain.discovered_url import DiscoveredUrl
from shisho.web.crawl import AT_ONCE, Frontier, get_host, is_within
from tests.tables import each_row


def hits(*names: str) -> list[DiscoveredUrl]:
    return [
        DiscoveredUrl(f"http://{name}", f"https://{name}", rank=rank) for rank, name in enumerate(names, 1)
    ]


def name_of(hit: DiscoveredUrl | None) -> str | None:
    return hit.canonical_url.removeprefix("https://") if hit else None


@each_row(
    ("host", "domain", "inside"),
    [
        ("example.co.jp", "example.co.jp", True),
        ("www.example.co.jp", "example.co.jp", True),
        ("notexample.co.jp", "example.co.jp", False),
        ("example.co.jp", "www.example.co.jp", False),
        ("example.co.jp.evil.example", "example.co.jp", False),
        ("a.b.example.jp", "b.example.jp", True),
        ("xn--wgv71a119e.jp", "xn--wgv71a119e.jp", True),
        ("user.github.io", "other.github.io", False),
        ("", "example.jp", False),
    ],
)
def test_whole_labels_count(host: str, domain: str, inside: bool) -> None:
    assert is_within(host, [domain]) == inside
    assert is_within(host, ["unrelated.example", domain]) == inside
    assert not is_within(host, [])


def test_the_best_hit_of_a_free_host_comes_first() -> None:
    frontier = Frontier(hits("a.example/1", "a.example/2", "b.example/1"))
    assert name_of(frontier.take(0, [], {})) == "a.example/1"
    assert name_of(frontier.take(0, ["a.example"], {})) == "b.example/1"
    assert frontier.take(0, ["a.example", "b.example"], {}) is None
    assert name_of(frontier.take(0, ["b.example"], {})) == "a.example/2"
    assert frontier.left == () and frontier.take(0, [], {}) is None


def test_a_host_that_must_wait_comes_later() -> None:
    frontier = Frontier(hits("slow.example/1", "fast.example/1", "slow.example/2"))
    ready = {"slow.example": 10.0}
    assert name_of(frontier.take(3, [], ready)) == "fast.example/1"
    assert frontier.take(9.9, ["fast.example"], ready) is None
    assert frontier.find_next_time(["fast.example"], ready) == 10.0
    assert name_of(frontier.take(10, ["fast.example"], ready)) == "slow.example/1"
    assert frontier.find_next_time(["fast.example", "slow.example"], ready) is None, (
        "an ending visit brings the next"
    )


def test_no_more_than_four_at_once() -> None:
    frontier = Frontier(hits(*(f"{n}.example/" for n in range(6))))
    busy: list[str] = []
    while hit := frontier.take(0, busy, {}):
        busy.append(get_host(hit))
    assert busy == ["0.example", "1.example", "2.example", "3.example"] and len(busy) == AT_ONCE
    assert frontier.find_next_time(busy, {}) is None
    assert name_of(frontier.take(0, busy[1:], {})) == "4.example/"


def test_visited_repeated_and_blocked_hits_are_not_handed_out() -> None:
    found = hits("a.example/1", "b.bad.example/1", "a.example/1", "c.example/1")
    frontier = Frontier(found, visited={"https://c.example/1"}, blocked=["bad.example"])
    assert [name_of(hit) for hit in frontier.left] == ["a.example/1"]
    assert [name_of(hit) for hit in frontier.barred] == ["b.bad.example/1"]


def test_nothing_is_handed_out_once_there_is_enough() -> None:
    frontier = Frontier(hits("a.example/1", "b.example/1"))
    frontier.take(0, [], {})
    frontier.close()
    assert frontier.take(0, [], {}) is None and frontier.find_next_time([], {}) is None


ADDRESSES = st.lists(
    st.builds("{}.example/{}".format, st.sampled_from("abcdef"), st.integers(0, 4)), max_size=30
)


@given(
    ADDRESSES,
    st.sets(st.sampled_from("abcdef")),
    st.lists(st.integers(0, 5), min_size=1, max_size=8),
    st.integers(1, 5),
)
def test_every_crawl_visits_each_hit_once_and_politely(
    names: list[str], bad: set[str], lengths: list[int], at_once: int
) -> None:
    """Visits take `lengths` in turn, and a host rests for a second after each."""
    frontier = Frontier(hits(*names), blocked=[f"{host}.example" for host in bad], at_once=at_once)
    wanted = list(dict.fromkeys(name for name in names if name[0] not in bad))
    now = 0.0
    ready_at = dict[str, float]()
    ends_at = dict[str, float]()
    met = list[str]()
    while frontier.left or ends_at:
        before = frontier.left
        hit = frontier.take(now, ends_at, ready_at)
        if hit is not None:
            host = get_host(hit)
            assert host not in ends_at and len(ends_at) < at_once and ready_at.get(host, 0) <= now
            passed_over = before[: before.index(hit)]
            assert all(
                get_host(one) in ends_at or ready_at.get(get_host(one), 0) > now for one in passed_over
            )
            ends_at[host] = now + lengths[len(met) % len(lengths)]
            met.append(name_of(hit) or "")
            continue
        times = [*ends_at.values()]
        soonest = frontier.find_next_time(ends_at, ready_at)
        now = min(times if soonest is None else [*times, soonest])
        for host in [host for host, end in ends_at.items() if end <= now]:
            ready_at[host] = ends_at.pop(host) + 1.0
    assert sorted(met) == sorted(wanted)
