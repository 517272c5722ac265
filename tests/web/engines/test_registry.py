"""The table of engines, the user's overrides, and which engine a saved page is of."""

from __future__ import annotations

import re
import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from shisho.domain.web import ChallengeKind, EngineAbout, EngineQuery, Response, Tier, TimeRange
from shisho.errors import InvalidParams, ParserFailed
from shisho.web.engines import create_engines, load_engines, read_saved
from shisho.web.serp.stopping import read_paging
from tests.tables import each_row

FOLDER = Path(__file__).parents[3] / "src" / "shisho" / "web" / "engines"

# tier, needs the browser, seconds between requests, requests a day
LIMITS = {
    "mojeek": (Tier.DEFAULT, False, 4, None),
    "duckduckgo": (Tier.DEFAULT, False, 5, None),
    "marginalia": (Tier.DEFAULT, False, 2, None),
    "ecosia": (Tier.DEFAULT, True, 3, None),
    "startpage": (Tier.DEFAULT, False, 5, None),
    "qwant": (Tier.DEFAULT, True, 5, None),
    "brave": (Tier.LAST_MILE, True, 10, 50),
    "google": (Tier.LAST_MILE, True, 20, 10),
    "bing": (Tier.LAST_MILE, True, 20, 10),
    "wikipedia": (Tier.KNOWLEDGE, False, 1, None),
    "wikidata": (Tier.KNOWLEDGE, False, 1, None),
    "arxiv": (Tier.ACADEMIC, False, 3, None),
    "pubmed": (Tier.ACADEMIC, False, 0.5, None),
    "openalex": (Tier.ACADEMIC, False, 0.33, None),
    "semantic_scholar": (Tier.ACADEMIC, False, 3.0, None),
    "crossref": (Tier.ACADEMIC, False, 0.33, None),
    "searxng": (Tier.YOURS, False, 1, None),
    "brave_api": (Tier.YOURS, False, 1, None),
}
FASTER = {"pubmed": 0.125, "openalex": 0.25, "semantic_scholar": 1.1}


def about(name: str) -> EngineAbout:
    return create_engines()[name].about


def test_one_file_is_one_engine() -> None:
    files = {path.stem for path in FOLDER.glob("*.py") if not path.stem.startswith("_")}
    assert files == {engine.about.name for engine in load_engines()} == set(LIMITS)


@each_row("name", LIMITS)
def test_limits(name: str) -> None:
    known = about(name)
    assert (known.tier, known.needs_browser, known.interval_s, known.per_day) == LIMITS[name]
    assert min((c.interval_s for c in known.credentials if c.interval_s), default=None) == FASTER.get(name)
    assert known.parallel == (2 if name == "openalex" else 1)
    assert 1 <= known.max_pages <= 10


def test_what_is_off_says_why() -> None:
    off = {name for name, engine in create_engines().items() if not engine.about.enabled}
    assert off == {"google", "bing", "searxng"}
    assert all(about(name).reason for name in off)
    assert {name for name in LIMITS if not about(name).pagination_enabled} == {"brave", "google", "bing"}


def test_overrides_reach_facts_and_selectors() -> None:
    overrides = tomllib.loads("""
        [searxng]
        site = "https://searx.home.example/"
        enabled = true
        interval_s = 0.5
        per_day = 100
        time_ranges = ["day", "year"]
        [mojeek.look]
        markers = { "no robots please" = "blocked" }
        [[mojeek.look.layouts]]
        hit = ".entry"
        link = "a"
        snippet = "p"
    """)
    mine = create_engines(overrides)
    request = mine["searxng"].request(EngineQuery("x", date(2026, 1, 1), time_range=TimeRange.WEEK), 2, {})
    assert request.url.startswith("https://searx.home.example/search?") and request.warnings == (
        "time_range_ignored",
    )
    assert (mine["searxng"].about.enabled, mine["searxng"].about.per_day) == (True, 100)
    page = b'<title>x - Mojeek</title><div class=entry><a href="https://a.example/">T</a><p>S</p></div>'
    assert [hit.title for hit in mine["mojeek"].parse(Response(page)).hits] == ["T"]
    wall = mine["mojeek"].parse(Response(b"<p>no robots please")).challenge
    assert wall is not None and wall.kind is ChallengeKind.BLOCKED
    assert create_engines()["mojeek"].about != mine["mojeek"].about, "the table itself stays as it is"


@each_row(
    "text",
    [
        "[altavista]\nenabled = true",
        "[mojeek]\nintervall = 3",
        '[mojeek]\ninterval_s = "fast"',
        "[mojeek]\ninterval_s = true",
        '[mojeek]\nenabled = "yes"',
        '[mojeek]\ntier = "best"',
        '[mojeek]\ntime_ranges = ["decade"]',
        '[mojeek]\ncategories = "general"',
        '[mojeek]\nname = "other"',
        "[mojeek]\nlook = 3",
        "[mojeek.look]\nselectors = []",
        "[[mojeek.look.layouts]]\nbox = '.x'",
    ],
)
def test_a_wrong_override_is_named(text: str) -> None:
    with pytest.raises(InvalidParams, match=r"engines\.toml"):
        create_engines(tomllib.loads(text))


def test_an_unknown_engine_is_named() -> None:
    with pytest.raises(InvalidParams, match="mojeek"):
        read_saved("altavista", Response(b""))


def test_a_page_of_no_engine_is_not_guessed_at() -> None:
    blog = (
        b"<title>A blog</title>"
        + b'<div class=post><h3><a href="https://a.example/%d">T</a></h3><p>S</p></div>' * 12
    )
    for name in ("auto", *(n for n, e in create_engines().items() if e.about.kind == "html")):
        with pytest.raises(ParserFailed):
            read_saved(name, Response(blog))


def test_an_unknown_layout_of_a_known_engine_is_guessed_and_says_so() -> None:
    entry = (
        b'<section class=z9><h2 class=t7><a href="https://a.example/%d">T %d</a></h2><p>S %d</p></section>'
    )
    page = (
        b"<title>x - Mojeek Search</title><main>" + b"".join(entry % (n, n, n) for n in range(9)) + b"</main>"
    )
    serp = read_saved("mojeek", Response(page, "https://www.mojeek.com/search?q=x"))
    assert [(hit.title, hit.snippet) for hit in serp.hits][:2] == [("T 0", "S 0"), ("T 1", "S 1")]
    assert serp.warnings == ("layout_guessed",) and len(serp.hits) == 9


def test_the_next_page_is_one_that_comes_later() -> None:
    hit = b"<div class=snippet data-type=web><a href='https://a.example/'><div class=title>T</div></a></div>"
    page = b"<div id=results>" + hit + b"</div>"
    pager = b"<div id=pagination><a href='/search?q=x&offset=1'>back</a></div>"
    site = "https://search.brave.com/search?q=x&offset="
    assert read_saved("brave", Response(page + pager, f"{site}0")).next == {}
    assert read_saved("brave", Response(page + pager, f"{site}2")).next is None


def test_the_howto_is_right() -> None:
    text = (Path(__file__).parents[3] / "docs" / "howto" / "add-an-engine.md").read_text("utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.S)
    (overrides,) = re.findall(r"```toml\n(.*?)```", text, re.S)
    example: dict[str, Any] = {}
    exec(compile(code, "howto", "exec"), example)
    asked = example["request"](EngineQuery("司書", date(2026, 1, 1), time_range=TimeRange.MONTH), 2, {})
    assert asked.url == "https://search.example.org/search?q=%E5%8F%B8%E6%9B%B8&page=2&lang=ja&age=m"
    page = b"<li class=result><h2><a href='https://a.example/'>T</a></h2><p class=text>S</p></li>"
    assert [hit.title for hit in example["parse"](Response(page)).hits] == ["T"]
    tables = tomllib.loads(overrides)
    assert read_paging(tables.pop("paging"), ["mojeek"])
    assert create_engines(tables)["mojeek"].about.interval_s == 8


def test_japanese_words_are_not_torn_apart_by_marks() -> None:
    page = "<ol id=b_results><li class=b_algo><h2><a href='https://a.example/'>歯 <strong>真ん中</strong>溶けてる</a></h2>"
    page += (
        "<div class=b_caption><p>2024年3月5日 · 前歯の<strong>真ん中</strong>が<br>溶ける</p></div></li></ol>"
    )
    (hit,) = read_saved("bing", Response(page.encode())).hits
    assert hit.title == "歯 真ん中溶けてる"
    assert hit.snippet == "2024年3月5日 · 前歯の真ん中が 溶ける"
    assert hit.date == "2024-03-05"


@each_row(
    ("body", "charset"),
    [
        ("司書".encode("shift_jis"), "shift_jis"),
        (b"<meta charset=euc-jp>" + "司書".encode("euc-jp"), None),
        ("\ufeff司書".encode(), None),
        ("司書".encode("utf-16"), None),
        ("司書".encode(), "no-such-charset"),
        ("司書".encode(), None),
    ],
)
def test_the_charset_is_found(body: bytes, charset: str | None) -> None:
    from shisho.web.engines._answer import decode

    assert "司書" in decode(Response(body, charset=charset))
