"""Recorded answers of the APIs of arXiv, PubMed, Semantic Scholar, Crossref and Wikipedia."""

from __future__ import annotations

import pytest

from shisho.domain.web import Response, Serp
from shisho.errors import EngineUnavailable, ShishoError
from shisho.web.engines import read_saved
from tests.shared import shared
from tests.web.engines.pages import exchanges

PMID = "https://pubmed.ncbi.nlm.nih.gov/"


def answers(engine: str) -> list[tuple[Response, Serp | ShishoError]]:
    read: list[tuple[Response, Serp | ShishoError]] = []
    for response in exchanges(engine):
        try:
            read.append((response, read_saved(engine, response)))
        except ShishoError as error:
            read.append((response, error))
    return read


@pytest.mark.slow
@pytest.mark.parametrize(
    ("engine", "least"), [("arxiv", 17), ("semantic_scholar", 20), ("crossref", 18), ("wikipedia", 39)]
)
def test_recorded_answers(engine: str, least: int) -> None:
    with_hits = 0
    for response, serp in answers(engine):
        if isinstance(serp, ShishoError):
            assert isinstance(serp, EngineUnavailable), (response.url, serp)
            assert response.status >= 400 or b'"error"' in response.body[:20], response.url
            continue
        assert serp.hits or serp.no_results, response.url
        assert [hit.rank for hit in serp.hits] == list(range(1, len(serp.hits) + 1))
        assert all(hit.url.startswith("http") and hit.title for hit in serp.hits)
        with_hits += bool(serp.hits)
    assert with_hits >= least


def test_arxiv_pages_meet_without_gap_or_overlap() -> None:
    by_start: dict[str, Serp] = {}
    for response, serp in answers("arxiv"):
        if "search_query=testing" in response.url and isinstance(serp, Serp):
            by_start[response.url.split("search_query=testing")[1]] = serp
    whole = next(serp for key, serp in by_start.items() if "start=0&max_results=100" in key)
    first, second = (
        next(s for k, s in by_start.items() if f"start={n}&max_results=10" in k and "100" not in k)
        for n in (0, 10)
    )
    urls = [hit.url for hit in whole.hits]
    assert [hit.url for hit in (*first.hits, *second.hits)] == urls[:20]
    assert whole.next == {} and all(hit.snippet and hit.date for hit in whole.hits)


def test_wikipedia_hits_lead_to_the_article() -> None:
    serp = next(serp for _, serp in answers("wikipedia") if isinstance(serp, Serp))
    assert serp.hits[0].url.startswith("https://en.wikipedia.org/wiki/")
    assert "<" not in serp.hits[0].snippet and "&quot;" not in serp.hits[0].snippet


def test_pubmed_names_ids_first_and_brings_articles_after() -> None:
    named = read_saved(
        "pubmed", Response(shared("serp/api/mixed/tests__data__pubmed-api-search.xml").read_bytes())
    )
    assert named.hits == () and named.next == {} and named.follow is not None
    assert "efetch.fcgi" in named.follow.url and "db=pubmed" in named.follow.url
    article = read_saved(
        "pubmed", Response(shared("serp/api/mixed/tests__data__pubmed-api-paper.xml").read_bytes())
    )
    (hit,) = article.hits
    assert hit.url.startswith(PMID) and hit.title and hit.snippet and hit.date == "2020-06-26"


def test_pubmed_articles_of_many_years() -> None:
    read = [serp for response, serp in answers("pubmed") if b"<PubmedArticleSet" in response.body[:600]]
    hits = [hit for serp in read if isinstance(serp, Serp) for hit in serp.hits]
    assert len(hits) >= 40
    assert all(hit.url.startswith(PMID) and hit.url[len(PMID) : -1].isdigit() and hit.title for hit in hits)


def test_an_unknown_word_is_no_results_and_an_api_error_is_no_parse_failure() -> None:
    nothing = (
        b"<eSearchResult><Count>0</Count><RetMax>0</RetMax><RetStart>0</RetStart><IdList/></eSearchResult>"
    )
    assert read_saved("pubmed", Response(nothing)).no_results
    with pytest.raises(EngineUnavailable, match="limit"):
        read_saved(
            "pubmed", Response(b"<eSearchResult><ERROR>API rate limit exceeded</ERROR></eSearchResult>")
        )
    with pytest.raises(EngineUnavailable, match="429"):
        read_saved("semantic_scholar", Response(b"Too Many Requests", status=429))
    with pytest.raises(EngineUnavailable, match="Too Many"):
        read_saved(
            "semantic_scholar", Response(b'{"message": "Too Many Requests", "code": "429"}', status=429)
        )
