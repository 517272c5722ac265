"""What the box's engines show is what our parsers read, from the first page to the last; a wrong request is
refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import urlsplit

import pytest

from shisho.domain.web import ChallengeKind, Request
from shisho.errors import EngineUnavailable, ParserFailed
from shisho.web.engines import create_engines
from shisho_box.engines import ENGINES
from tests.box.conftest import SCRIPTED, Visitor

NAMES = [engine.name for engine in ENGINES]
TOPIC = "霧ヶ丘灯台"
REPEATS = {"bing"}
SITES = {
    "mojeek": "https://www.mojeek.com",
    "startpage": "https://www.startpage.com",
    "duckduckgo": "https://html.duckduckgo.com",
    "marginalia": "https://api2.marginalia-search.com",
}


def test_they_stand_where_ours_ask() -> None:
    for box_engine in ENGINES:
        site = create_engines()[box_engine.name].about.site.replace("//xx.", "//ja.")
        assert urlsplit(site).hostname in box_engine.hosts, box_engine.name


@pytest.mark.parametrize("name", sorted(set(NAMES) - REPEATS))
async def test_every_page_to_the_last(name: str, visitor: Visitor) -> None:
    serps = await visitor.serps(name, TOPIC)
    urls = [hit.url for serp in serps for hit in serp.hits]
    expected = visitor.box.results(name, TOPIC)
    about = create_engines()[name].about
    assert len(serps) > 2 and urls == expected[: len(urls)]
    assert len(urls) == len(expected) or len(serps) == about.max_pages
    assert all(hit.title and hit.snippet for serp in serps for hit in serp.hits)
    assert not any(serp.warnings for serp in serps) and not visitor.box.log.wrong
    assert visitor.box.log.pages(name, TOPIC) == list(range(1, len(serps) + 1))


async def test_bing_repeats_its_first_page_past_its_end(visitor: Visitor) -> None:
    serps = await visitor.serps("bing", TOPIC)
    expected = visitor.box.results("bing", TOPIC)
    last = -(-len(expected) // 10)
    assert [hit.url for serp in serps[:last] for hit in serp.hits] == expected
    assert len(serps) > last and serps[last].hits == serps[0].hits


@pytest.mark.parametrize("name", NAMES)
async def test_nothing_found(name: str, visitor: Visitor) -> None:
    serp = await visitor.serp(name, "xyzzy plugh")
    assert serp.no_results and not serp.hits and serp.next is None


@pytest.mark.parametrize("name", NAMES)
async def test_hits_lead_to_pages(name: str, visitor: Visitor) -> None:
    serp = await visitor.serp(name, TOPIC)
    for hit in serp.hits[:4]:
        response = await visitor.get(hit.url)
        page = visitor.box.page(hit.url)
        assert response.status == 200 and page is not None and page.title in response.body.decode()


@pytest.mark.parametrize("name", sorted(SCRIPTED))
async def test_a_script_must_have_run(name: str, visitor: Visitor) -> None:
    with pytest.raises(EngineUnavailable, match="browser"):
        await visitor.serp(name, TOPIC, script=False)
    assert [entry.note for entry in visitor.box.log.select(name)] == ["shell"]


# A request that is wrong in one place → how its engine shows that.
WRONG: list[tuple[str, Request, ChallengeKind]] = [
    ("mojeek", Request(f"{SITES['mojeek']}/search?q=x&s=0"), ChallengeKind.BLOCKED),
    ("mojeek", Request(f"{SITES['mojeek']}/search?q=x&s=7"), ChallengeKind.BLOCKED),
    ("duckduckgo", Request(f"{SITES['duckduckgo']}/html/?q=x"), ChallengeKind.CAPTCHA),
    (
        "startpage",
        Request(f"{SITES['startpage']}/sp/search", "POST", {"query": "x", "cat": "web", "page": "2"}),
        ChallengeKind.CAPTCHA,
    ),
    ("ecosia", Request("https://www.ecosia.org/search?q=x&p=11"), ChallengeKind.BLOCKED),
    ("qwant", Request("https://www.qwant.com/?q=x&t=web&offset=50"), ChallengeKind.BLOCKED),
    ("brave", Request("https://search.brave.com/search?q=x&offset=10"), ChallengeKind.CAPTCHA),
    ("bing", Request("https://www.bing.com/search?q=x&first=10&FORM=PERE"), ChallengeKind.CAPTCHA),
]


@pytest.mark.parametrize(("name", "request_", "kind"), WRONG)
async def test_wrong_parameters_are_blocked(
    name: str, request_: Request, kind: ChallengeKind, visitor: Visitor
) -> None:
    serp = create_engines()[name].parse(await visitor.fetcher.fetch(request_))
    assert serp.challenge is not None and serp.challenge.kind is kind
    assert len(visitor.box.log.wrong) == 1


REFUSED: list[tuple[str, str]] = [
    (
        "wikipedia",
        "https://ja.wikipedia.org/w/api.php?action=query&format=json&list=search&srsearch=x&srlimit=10&sroffset=5",
    ),
    ("arxiv", "https://export.arxiv.org/api/query?search_query=all:x&start=3&max_results=10"),
    ("crossref", "https://api.crossref.org/works?query=x&rows=10&cursor=stale-10"),
    ("openalex", "https://api.openalex.org/works?search=x&per-page=10&cursor=stale-10"),
    (
        "pubmed",
        "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/esearch.fcgi?db=pubmed&term=x&retmode=xml&retmax=10&retstart=5",
    ),
]


@pytest.mark.parametrize(("name", "url"), REFUSED)
async def test_apis_refuse_wrong_parameters(name: str, url: str, visitor: Visitor) -> None:
    with pytest.raises(EngineUnavailable):
        create_engines()[name].parse(await visitor.get(url))
    assert len(visitor.box.log.wrong) == 1


async def test_marginalia_wants_a_key(visitor: Visitor) -> None:
    response = await visitor.get(f"{SITES['marginalia']}/search?query=x")
    assert response.status == 401
    with pytest.raises((ParserFailed, EngineUnavailable)):
        create_engines()["marginalia"].parse(response)


TOKENS: list[tuple[str, Mapping[str, str]]] = [
    ("duckduckgo", {"vqd": "made-up-10"}),
    ("startpage", {"sc": "made-up-10"}),
]


@pytest.mark.parametrize(("name", "state"), TOKENS)
async def test_tokens_are_of_their_query_and_expire(
    name: str, state: Mapping[str, str], visitor: Visitor
) -> None:
    first = await visitor.serp(name, TOPIC)
    other = await visitor.serp(name, "青凪図書館")
    assert first.next and other.next
    for wrong in (state, other.next):
        assert (await visitor.serp(name, TOPIC, 2, wrong)).challenge is not None
    assert (await visitor.serp(name, TOPIC, 2, first.next)).hits
    visitor.box.expire(name)
    assert (await visitor.serp(name, TOPIC, 2, first.next)).challenge is not None
    again = await visitor.serp(name, TOPIC)
    assert again.hits == first.hits and (await visitor.serp(name, TOPIC, 2, again.next)).hits


async def test_a_first_form_must_be_from_its_site(visitor: Visitor) -> None:
    engine = create_engines()["duckduckgo"]
    asked = Request(f"{SITES['duckduckgo']}/html/", "POST", {"q": "x", "b": ""})
    assert engine.parse(await visitor.fetcher.fetch(asked)).challenge is not None
    from_there = replace(asked, headers={"Referer": "https://html.duckduckgo.com/"})
    assert engine.parse(await visitor.fetcher.fetch(from_there)).no_results
