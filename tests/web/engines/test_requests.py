"""The requests of every engine for pages 1, 2, 3, each time range, Japanese and English, held against the
engine table."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from urllib.parse import parse_qsl, urlsplit

import pytest

from shisho.domain.web import EngineQuery, Request, TimeRange
from shisho.errors import InvalidParams
from shisho.web.engines import create_engines
from tests.tables import each_row

TODAY = date(2026, 3, 31)
ENGINES = create_engines()
STATE = {"vqd": "4-123", "sc": "tok", "cursor": "CUR2"}
DAY = TimeRange.DAY
WEEK = TimeRange.WEEK
MONTH = TimeRange.MONTH
YEAR = TimeRange.YEAR


def ask(
    name: str,
    page: int = 1,
    language: str = "ja",
    time_range: TimeRange = TimeRange.ALL,
    text: str = "司書 とは",
) -> Request:
    return ENGINES[name].request(
        EngineQuery(text, TODAY, language, None, time_range), page, STATE if page > 1 else {}
    )


def values(request: Request) -> Mapping[str, str]:
    """The parameters of the URL, or the fields of the form."""
    return (
        dict(request.form)
        if request.method == "POST"
        else dict(parse_qsl(urlsplit(request.url).query, keep_blank_values=True))
    )


# name → method and address, the query's parameter, and what the pages 1, 2, 3 carry (None: must not be there)
PAGES = {
    "mojeek": ("GET https://www.mojeek.com/search", "q", "s", (None, "10", "20")),
    "duckduckgo": ("POST https://html.duckduckgo.com/html/", "q", "s", (None, "10", "25")),
    "marginalia": ("GET https://api2.marginalia-search.com/search", "query", "page", ("1", "2", "3")),
    "ecosia": ("GET https://www.ecosia.org/search", "q", "p", ("0", "1", "2")),
    "startpage": ("POST https://www.startpage.com/sp/search", "query", "page", (None, "2", "3")),
    "qwant": ("GET https://www.qwant.com/", "q", "offset", ("0", "10", "20")),
    "brave": ("GET https://search.brave.com/search", "q", "offset", ("0", "1", "2")),
    "google": ("GET https://www.google.com/search", "q", "start", ("0", "10", "20")),
    "bing": ("GET https://www.bing.com/search", "q", "first", (None, "11", "21")),
    "wikipedia": ("GET https://ja.wikipedia.org/w/api.php", "srsearch", "sroffset", ("0", "10", "20")),
    "wikidata": ("GET https://www.wikidata.org/w/api.php", "search", "continue", ("0", "10", "20")),
    "arxiv": ("GET https://export.arxiv.org/api/query", None, "start", ("0", "10", "20")),
    "pubmed": ("GET https://eutils.ncbi.nlm.nih.gov/entrez/eutils/esearch.fcgi", "term", "retstart", ("0", "10", "20")),
    "openalex": ("GET https://api.openalex.org/works", "search", "cursor", ("*", "CUR2", "CUR2")),
    "semantic_scholar": ("GET https://api.semanticscholar.org/graph/v1/paper/search", "query", "offset", ("0", "10", "20")),
    "crossref": ("GET https://api.crossref.org/works", "query", "cursor", ("*", "CUR2", "CUR2")),
    "searxng": ("GET http://127.0.0.1:8080/search", "q", "pageno", ("1", "2", "3")),
    "brave_api": ("GET https://api.search.brave.com/res/v1/web/search", "q", "offset", ("0", "1", "2")),
}  # fmt: skip

# name → what each range adds; a range that is missing is ignored with a warning
RANGES: dict[str, dict[TimeRange, dict[str, str]]] = {
    "mojeek": {
        DAY: {"since": "20260330"}, WEEK: {"since": "20260324"}, MONTH: {"since": "20260228"}, YEAR: {"since": "20250331"},
    },
    "duckduckgo": {DAY: {"df": "d"}, WEEK: {"df": "w"}, MONTH: {"df": "m"}, YEAR: {"df": "y"}},
    "marginalia": {},
    "ecosia": {DAY: {"tt": "d"}, WEEK: {"tt": "w"}, MONTH: {"tt": "m"}},
    "startpage": {DAY: {"with_date": "d"}, WEEK: {"with_date": "w"}, MONTH: {"with_date": "m"}, YEAR: {"with_date": "y"}},
    "qwant": {},
    "brave": {DAY: {"tf": "pd"}, WEEK: {"tf": "pw"}, MONTH: {"tf": "pm"}, YEAR: {"tf": "py"}},
    "google": {DAY: {"tbs": "qdr:d"}, WEEK: {"tbs": "qdr:w"}, MONTH: {"tbs": "qdr:m"}, YEAR: {"tbs": "qdr:y"}},
    "bing": {
        DAY: {"filters": 'ex1:"ez1"'}, WEEK: {"filters": 'ex1:"ez2"'}, MONTH: {"filters": 'ex1:"ez3"'},
        YEAR: {"filters": 'ex1:"ez5_20178_20543"'},
    },
    "wikipedia": {},
    "wikidata": {},
    "arxiv": {
        DAY: {"search_query": "(all:x) AND submittedDate:[202603300000 TO 202603312359]"},
        WEEK: {"search_query": "(all:x) AND submittedDate:[202603240000 TO 202603312359]"},
        MONTH: {"search_query": "(all:x) AND submittedDate:[202602280000 TO 202603312359]"},
        YEAR: {"search_query": "(all:x) AND submittedDate:[202503310000 TO 202603312359]"},
    },
    "pubmed": {
        DAY: {"reldate": "1", "datetype": "pdat"}, WEEK: {"reldate": "7", "datetype": "pdat"},
        MONTH: {"reldate": "30", "datetype": "pdat"}, YEAR: {"reldate": "365", "datetype": "pdat"},
    },
    "openalex": {
        DAY: {"filter": "from_publication_date:2026-03-30,to_publication_date:2026-03-31"},
        WEEK: {"filter": "from_publication_date:2026-03-24,to_publication_date:2026-03-31"},
        MONTH: {"filter": "from_publication_date:2026-02-28,to_publication_date:2026-03-31"},
        YEAR: {"filter": "from_publication_date:2025-03-31,to_publication_date:2026-03-31"},
    },
    "semantic_scholar": {DAY: {"year": "2026-"}, WEEK: {"year": "2026-"}, MONTH: {"year": "2026-"}, YEAR: {"year": "2025-"}},
    "crossref": {
        DAY: {"filter": "from-pub-date:2026-03-30,until-pub-date:2026-03-31"},
        WEEK: {"filter": "from-pub-date:2026-03-24,until-pub-date:2026-03-31"},
        MONTH: {"filter": "from-pub-date:2026-02-28,until-pub-date:2026-03-31"},
        YEAR: {"filter": "from-pub-date:2025-03-31,until-pub-date:2026-03-31"},
    },
    "searxng": {
        DAY: {"time_range": "day"}, WEEK: {"time_range": "week"}, MONTH: {"time_range": "month"}, YEAR: {"time_range": "year"},
    },
    "brave_api": {DAY: {"freshness": "pd"}, WEEK: {"freshness": "pw"}, MONTH: {"freshness": "pm"}, YEAR: {"freshness": "py"}},
}  # fmt: skip

# name → what Japanese and English say, in parameters; cookies have their own test
LANGUAGES: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "duckduckgo": ({"kl": "jp-jp"}, {"kl": "us-en"}),
    "startpage": ({"language": "nihongo", "lui": "nihongo"}, {"language": "english", "lui": "english"}),
    "qwant": ({"locale": "ja_JP"}, {"locale": "en_US"}),
    "google": ({"hl": "ja", "lr": "lang_ja"}, {"hl": "en", "lr": "lang_en"}),
    "bing": ({"setlang": "ja"}, {"setlang": "en"}),
    "wikidata": ({"language": "ja", "uselang": "ja"}, {"language": "en", "uselang": "en"}),
    "searxng": ({"language": "ja"}, {"language": "en"}),
    # Brave's API calls Japanese "jp".
    "brave_api": ({"country": "JP", "search_lang": "jp"}, {"country": "US", "search_lang": "en"}),
}


@each_row("name", ENGINES)
def test_the_tables_cover_every_engine(name: str) -> None:
    assert name in PAGES and name in RANGES
    assert ENGINES[name].about.pagination == PAGES[name][2]
    assert set(ENGINES[name].about.time_ranges) == set(RANGES[name])


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("page", [1, 2, 3])
def test_pages(name: str, page: int) -> None:
    address, asked, parameter, numbers = PAGES[name]
    request = ask(name, page)
    got = values(request)
    assert f"{request.method} {request.url.split('?')[0]}" == address
    assert asked is None or got[asked] == "司書 とは"
    assert got.get(parameter) == numbers[page - 1]
    assert request.warnings == ()


@pytest.mark.parametrize("name", RANGES)
@pytest.mark.parametrize("time_range", TimeRange)
def test_time_ranges(name: str, time_range: TimeRange) -> None:
    plain = values(ask(name, text="x"))
    ranged = ask(name, text="x", time_range=time_range)
    added = {key: value for key, value in values(ranged).items() if plain.get(key) != value}
    assert added == RANGES[name].get(time_range, {})
    ignored = time_range is not TimeRange.ALL and time_range not in RANGES[name]
    assert ranged.warnings == (("time_range_ignored",) if ignored else ())


@each_row("name", LANGUAGES)
def test_languages(name: str) -> None:
    for language, expected in zip(("ja", "en"), LANGUAGES[name], strict=True):
        got = values(ask(name, language=language))
        assert {key: got.get(key) for key in expected} == expected


@each_row("name", ENGINES)
def test_every_request_says_its_language(name: str) -> None:
    assert ask(name).headers["Accept-Language"].startswith("ja")
    assert ask(name, language="en").headers["Accept-Language"] == "en"


def test_language_and_region_cookies() -> None:
    assert ask("mojeek").cookies == {"lb": "ja", "arc": "none"}
    british = ENGINES["mojeek"].request(EngineQuery("x", TODAY, "en", "gb"), 1, {})
    assert british.cookies == {"lb": "en", "arc": "GB"}
    assert ask("brave").cookies == {"country": "jp", "ui_lang": "ja-jp", "useLocation": "0"}
    assert ask("brave", language="en").cookies["country"] == "us"


def test_wikipedia_is_asked_in_its_language() -> None:
    assert ask("wikipedia", language="en").url.startswith("https://en.wikipedia.org/")
    assert ask("wikipedia", language="").url.startswith("https://en.wikipedia.org/")
    for language in ("www.example.ac.jp/x#", "a.b", "日本語", "x@y"):
        assert ask("wikipedia", language=language).url.startswith("https://en.wikipedia.org/")


def test_duckduckgo_later_pages_are_the_form_of_the_page_before() -> None:
    assert values(ask("duckduckgo")) == {"q": "司書 とは", "b": "", "kl": "jp-jp"}
    assert values(ask("duckduckgo", 3)) == {
        "q": "司書 とは", "s": "25", "dc": "26", "nextParams": "", "v": "l", "o": "json", "api": "d.js",
        "vqd": "4-123", "kl": "jp-jp",
    }  # fmt: skip
    assert values(ask("duckduckgo", language=""))["kl"] == "wt-wt"


@each_row(
    ("language", "country", "entry"),
    [("ja", None, "jp-jp"), ("en", None, "us-en"), ("ja", "us", "us-en"), ("es", "us", "us-es"), ("en", "GB", "uk-en"),
     ("fr", "ca", "ca-fr"), ("zh", "tw", "tw-tzh"), ("", None, "wt-wt"), ("ja", "zz", "wt-wt"), ("ja", ".*", "wt-wt")],
)  # fmt: skip
def test_duckduckgo_knows_its_own_regions_only(language: str, country: str | None, entry: str) -> None:
    request = ENGINES["duckduckgo"].request(EngineQuery("x", TODAY, language, country), 1, {})
    assert request.form["kl"] == entry


def test_bing_marks_later_pages() -> None:
    assert [values(ask("bing", page)).get("FORM") for page in (1, 2, 3, 4)] == [
        None,
        "PERE",
        "PERE1",
        "PERE2",
    ]


def test_startpage_sends_its_token_on_later_pages_only() -> None:
    assert "sc" not in values(ask("startpage"))
    assert values(ask("startpage", 2))["sc"] == "tok"


@each_row("name", ["duckduckgo", "startpage", "openalex", "crossref"])
def test_a_later_page_without_the_state_it_needs_is_not_asked(name: str) -> None:
    with pytest.raises(InvalidParams):
        ENGINES[name].request(EngineQuery("x", TODAY), 2, {})


@each_row("name", ENGINES)
def test_no_request_past_the_last_page(name: str) -> None:
    engine = ENGINES[name]
    engine.request(EngineQuery("x", TODAY), engine.about.max_pages, STATE)
    for page in (0, -1, engine.about.max_pages + 1):
        with pytest.raises(InvalidParams):
            engine.request(EngineQuery("x", TODAY), page, STATE)


@each_row("name", ENGINES)
def test_no_request_for_nothing(name: str) -> None:
    with pytest.raises(InvalidParams):
        ENGINES[name].request(EngineQuery(" \u3000\n", TODAY), 1, {})


def test_too_long_a_query_is_refused_where_the_engine_has_a_limit() -> None:
    assert ask("duckduckgo", text="あ" * 499).form["q"] == "あ" * 499
    with pytest.raises(InvalidParams):
        ask("duckduckgo", text="あ" * 500)


def test_arxiv_joins_words_by_and_and_keeps_quotations() -> None:
    assert values(ask("arxiv", text='"open access" (library) au:x'))["search_query"] == (
        'all:"open access" AND all:library AND all:au AND all:x'
    )


def test_no_request_carries_a_key_of_the_users() -> None:
    for name, engine in ENGINES.items():
        for credential in engine.about.credentials:
            request = ask(name)
            assert credential.param not in values(request) or not credential.param
            assert request.headers.get(credential.header, "public") == "public"


def test_a_leap_day_has_a_year_before() -> None:
    engine = ENGINES["mojeek"]
    assert (
        values(engine.request(EngineQuery("x", date(2024, 2, 29), time_range=YEAR), 1, {}))["since"]
        == "20230228"
    )
    assert (
        values(engine.request(EngineQuery("x", date(2026, 1, 15), time_range=MONTH), 1, {}))["since"]
        == "20251215"
    )
