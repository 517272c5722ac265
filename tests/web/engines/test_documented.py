"""Engines nobody captured: answers written after their documentation. They are marked `verified=False` for
it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from shisho.domain.web import ChallengeKind, Response, SerpHit
from shisho.errors import EngineUnavailable, ParserFailed
from shisho.web.engines import create_engines, read_saved
from tests.tables import each_row

# about.marginalia-search.com/article/api: {license, query, results: [{url, title, description}]}
MARGINALIA = {
    "license": "CC-BY-NC-SA 4.0",
    "query": "図書館",
    "results": [
        {
            "url": "https://small.example/ja",
            "title": "小さな図書館",
            "description": "手書きの目録。",
            "quality": 3.1,
        }
    ],
}
# wikidata.org/w/api.php?action=help&modules=wbsearchentities
WIKIDATA = {
    "searchinfo": {"search": "司書"},
    "search": [
        {"id": "Q182436", "title": "Q182436", "concepturi": "http://www.wikidata.org/entity/Q182436", "label": "司書",
         "description": "図書館の専門職", "match": {"type": "label", "language": "ja", "text": "司書"}},
        {"id": "Q7", "title": "Q7", "concepturi": "http://www.wikidata.org/entity/Q7"},
    ],
    "search-continue": 10,
    "success": 1,
}  # fmt: skip
# developers.openalex.org: works, cursor paging, abstract_inverted_index
OPENALEX = {
    "meta": {"count": 2, "per_page": 10, "next_cursor": "IlsxNjA5"},
    "results": [
        {"id": "https://openalex.org/W1", "doi": "https://doi.org/10.1/x", "display_name": "Reference work",
         "publication_date": "2021-05-01",
         "primary_location": {"landing_page_url": "https://journal.example/1"},
         "abstract_inverted_index": {"reads": [1], "A": [0], "books": [3], "librarian": [4], "many": [2]}},
        {"id": "https://openalex.org/W2", "doi": None, "display_name": "Untitled", "publication_date": None,
         "primary_location": None, "abstract_inverted_index": None},
    ],
}  # fmt: skip
# docs.searxng.org/dev/search_api
SEARXNG = {
    "query": "司書", "number_of_results": 0, "answers": [], "suggestions": [], "unresponsive_engines": [],
    "results": [
        {"url": "https://a.example/1", "title": "司書とは", "content": "資料を集め、整え、渡す。", "engine": "mojeek",
         "publishedDate": "2024-02-03T00:00:00", "category": "general"},
        {"url": "magnet:?xt=x", "title": "not a page", "content": ""},
    ],
}  # fmt: skip
# api-dashboard.search.brave.com: web search
BRAVE_API = {
    "type": "search",
    "query": {"original": "司書", "more_results_available": True},
    "web": {"type": "search", "results": [
        {"title": "司書", "url": "https://a.example/1", "description": "資料の<strong>司書</strong>",
         "page_age": "2025-01-15T09:00:00"},
    ]},
}  # fmt: skip
# The JSON behind Qwant's page.
QWANT = {
    "status": "success",
    "data": {"result": {"items": {"mainline": [
        {"type": "ads", "items": [{"title": "buy", "url": "https://ad.example/", "desc": "now"}]},
        {"type": "web", "items": [{"title": "司書", "url": "https://a.example/1", "desc": "資料の人"}]},
    ]}}},
}  # fmt: skip

ANSWERS: list[tuple[str, dict[str, Any], tuple[SerpHit, ...], Any]] = [
    (
        "marginalia",
        MARGINALIA,
        (SerpHit(1, "https://small.example/ja", "小さな図書館", "手書きの目録。"),),
        None,
    ),
    (
        "wikidata",
        WIKIDATA,
        (
            SerpHit(1, "https://www.wikidata.org/wiki/Q182436", "司書", "図書館の専門職"),
            SerpHit(2, "https://www.wikidata.org/wiki/Q7", "Q7"),
        ),
        {},
    ),
    (
        "openalex",
        OPENALEX,
        (
            SerpHit(
                1, "https://journal.example/1", "Reference work", "A reads many books librarian", "2021-05-01"
            ),
            SerpHit(2, "https://openalex.org/W2", "Untitled"),
        ),
        {"cursor": "IlsxNjA5"},
    ),
    (
        "searxng",
        SEARXNG,
        (SerpHit(1, "https://a.example/1", "司書とは", "資料を集め、整え、渡す。", "2024-02-03"),),
        {},
    ),
    ("brave_api", BRAVE_API, (SerpHit(1, "https://a.example/1", "司書", "資料の司書", "2025-01-15"),), {}),
    ("qwant", QWANT, (SerpHit(1, "https://a.example/1", "司書", "資料の人"),), None),
]
EMPTY: list[tuple[str, dict[str, Any]]] = [
    ("marginalia", MARGINALIA | {"results": []}),
    ("wikidata", {"searchinfo": {"search": "x"}, "search": [], "success": 1}),
    ("openalex", {"meta": {"count": 0, "next_cursor": None}, "results": []}),
    ("searxng", SEARXNG | {"results": []}),
    ("brave_api", {"type": "search", "query": {"original": "x", "more_results_available": False}}),
    ("qwant", {"status": "success", "data": {"result": {"items": {"mainline": []}}}}),
]


def answer(data: Any, status: int = 200) -> Response:
    return Response(json.dumps(data, ensure_ascii=False).encode(), status=status)


@each_row(("name", "data", "hits", "following"), ANSWERS)
def test_answers(name: str, data: dict[str, Any], hits: tuple[SerpHit, ...], following: Any) -> None:
    serp = read_saved(name, answer(data))
    assert serp.hits == hits and serp.next == following and not serp.no_results
    assert read_saved("auto", answer(data)).engine == name


@each_row(("name", "data"), EMPTY)
def test_no_results(name: str, data: dict[str, Any]) -> None:
    serp = read_saved(name, answer(data))
    assert serp.no_results and serp.hits == () and serp.next is None


@pytest.mark.parametrize(
    "name", [name for name, engine in create_engines().items() if engine.about.kind == "json"]
)
@pytest.mark.parametrize(
    "body", [b"{}", b"[]", b'"text"', b"null", b'{"results": 7}', b"<html>hello</html>", b"", b"{"]
)
def test_another_shape_fails_loudly(name: str, body: bytes) -> None:
    with pytest.raises((ParserFailed, EngineUnavailable)):
        read_saved(name, Response(body))


def test_errors_of_the_apis_are_their_refusal() -> None:
    for name, data in (
        ("openalex", {"error": "Invalid query parameters", "message": "cursor is not valid"}),
        ("wikidata", {"error": {"code": "maxlag", "info": "Waiting for a database server"}}),
        (
            "brave_api",
            {"type": "ErrorResponse", "error": {"code": "SUBSCRIPTION_TOKEN_INVALID", "detail": "token"}},
        ),
        ("wikipedia", {"error": {"code": "maxlag", "info": "Waiting for a database server"}}),
    ):
        with pytest.raises(EngineUnavailable):
            read_saved(name, answer(data))


def test_qwants_captcha_in_json() -> None:
    serp = read_saved("qwant", answer({"status": "error", "data": {"error_code": 27}}, status=403))
    assert serp.challenge is not None and serp.challenge.kind is ChallengeKind.CAPTCHA


def test_a_wall_before_an_api_is_a_challenge() -> None:
    wall = b"<html><title>Just a moment...</title><script>window._cf_chl_opt={}</script></html>"
    for name in ("marginalia", "openalex", "brave_api", "arxiv", "searxng"):
        assert read_saved(name, Response(wall, status=403)).challenge is not None


def test_exactly_the_engines_without_captures_are_unverified() -> None:
    unverified = {name for name, engine in create_engines().items() if not engine.about.verified}
    assert unverified == {"marginalia", "wikidata", "openalex", "brave_api", "searxng"}
