"""Pages made to hurt: no crash, and time that grows with the page, not with its square."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shisho.domain.web import Response
from shisho.errors import ShishoError
from shisho.web.engines import create_engines, read_saved
from tests.machine import cpu_seconds
from tests.tables import each_row

HTML = [name for name, engine in create_engines().items() if engine.about.kind == "html"]
DEEP = {
    "duckduckgo": b'<div class="result"><a class="result__a" href="https://a.example/">t</a>',
    "brave": b"<div id=results><div class=snippet data-type=web><a class=result-header href='https://a.example/'>t</a>",
    "google": b'<div id=rso><a href="https://a.example/"><h3>t',
    "ecosia": b"<article class=web-result><div class=result__title><a href='https://a.example/'>t</a></div>",
}
WIDE = {
    "bing": b'<li class=b_algo><h2><a href="https://a.example/c">t</a></h2><p>s</p></li>',
    "google": b'<div><a href="https://a.example/c"><h3>t</h3></a></div>',
    "mojeek": b"<title>unusual traffic <form ",
}


def seconds(name: str, body: bytes) -> float:
    def read() -> None:
        with suppress(ShishoError):
            read_saved(name, Response(body))

    return cpu_seconds(read, times=1)


@each_row("name", DEEP)
def test_boxes_in_boxes(name: str) -> None:
    filler = b"<b>y</b>" * 20_000
    short, long = (seconds(name, b"<html>" + DEEP[name] * depth + filler) for depth in (200, 1_600))
    assert long < 16 * short + 1.0


@each_row("name", WIDE)
def test_many_boxes(name: str) -> None:
    head = b"<html><title>x - Google Search</title><ol id=b_results>"
    short, long = (seconds(name, head + WIDE[name] * times) for times in (2_000, 16_000))
    assert long < 16 * short + 1.0


@pytest.mark.parametrize("name", ["auto", *create_engines()])
@pytest.mark.parametrize(
    "body",
    [b"", b"\0" * 999, bytes(range(256)) * 99, b"[" * 50_000, b"<a>" * 20_000, b"<" * 9_999, b"&#x110000;&#0;\xff\xfe",
     b"<html><base href='http://[x'><title>", b"{\"results\": [{\"url\": 3}]}", "\ud800".encode("utf-8", "surrogatepass")],
    ids=range(10),
)  # fmt: skip
def test_rubbish_ends_in_a_typed_error(name: str, body: bytes) -> None:
    with pytest.raises(ShishoError):
        read_saved(name, Response(body))


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(HTML),
    st.lists(
        st.sampled_from([
            "<div class=result>", "<a href='//x'>", "<a href='http://[::1'>", "<h3>", "</a>", "<li class=b_algo>", "<h2>",
            "text",
            "<ol id=b_results>", "<div id=results>", "<div class=snippet>", "<table>", "<tr>", "<p class=g>", "&amp;", "<svg>",
            "<a class=result-link href='https://a.example/?u=%'>", "</table>", "<form><input name=vqd value=1>", "<noscript>",
        ]),
        max_size=40,
    ),
)  # fmt: skip
def test_any_order_of_tags_is_read_or_refused(name: str, tags: list[str]) -> None:
    try:
        serp = read_saved(name, Response("".join(tags).encode()))
    except ShishoError:
        return
    assert serp.hits or serp.challenge or serp.no_results


def test_declared_entities_are_refused() -> None:
    bomb = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><feed xmlns="http://www.w3.org/2005/Atom">&b;</feed>'
    for name in ("arxiv", "pubmed"):
        with pytest.raises(ShishoError):
            read_saved(name, Response(bomb))
