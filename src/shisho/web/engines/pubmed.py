"""PubMed by E-utilities, in two steps (`Serp.follow`): esearch returns ids, efetch titles and abstracts."""

from __future__ import annotations

from urllib.parse import urlencode
from xml.etree.ElementTree import Element

from shisho.domain.web import (
    Credential,
    EngineAbout,
    EngineQuery,
    Request,
    Response,
    Serp,
    State,
    Tier,
    TimeRange,
)
from shisho.web.engines._answer import make_hit, make_refusal, rank_hits, read_xml, squeeze
from shisho.web.engines._asking import DAYS, Params, get
from shisho.web.engines._dates import MONTHS

ABOUT = EngineAbout(
    name="pubmed",
    site="https://eutils.ncbi.nlm.nih.gov",
    kind="xml",
    tier=Tier.ACADEMIC,
    categories=("academic",),
    interval_s=0.5,
    pagination="retstart",
    time_ranges=(TimeRange.DAY, TimeRange.WEEK, TimeRange.MONTH, TimeRange.YEAR),
    credentials=(
        Credential("ncbi_api_key", param="api_key", interval_s=0.125),
        Credential("contact_email", param="email"),
    ),
)


def request(query: EngineQuery, page: int, state: State, about: EngineAbout = ABOUT) -> Request:
    ranged = query.time_range in about.time_ranges
    params: Params = {
        "db": "pubmed", "term": query.text, "retmode": "xml", "sort": "relevance", "tool": "shisho",
        "retmax": about.page_size, "retstart": about.page_size * (page - 1),
        "reldate": DAYS[query.time_range] if ranged else None, "datetype": "pdat" if ranged else None,
    }  # fmt: skip
    return get(about, query, page, "/entrez/eutils/esearch.fcgi", params)


def parse(response: Response, about: EngineAbout = ABOUT) -> Serp:
    return read_xml(about, response, ("eSearchResult", "PubmedArticleSet"), lambda root: _read(about, root))


def _read(about: EngineAbout, root: Element) -> Serp:
    return _read_ids(about, root) if root.tag == "eSearchResult" else _read_articles(about, root)


def _read_articles(about: EngineAbout, root: Element) -> Serp:
    articles = [
        *root.findall("PubmedArticle/MedlineCitation"),
        *root.findall("PubmedBookArticle/BookDocument"),
    ]
    hits = rank_hits([
        make_hit(
            f"https://pubmed.ncbi.nlm.nih.gov/{article.findtext('PMID')}/", _read_words(article, ".//ArticleTitle"),
            _read_words(article, ".//AbstractText"), _read_day(article),
        )
        for article in articles
    ])  # fmt: skip
    return Serp(about.name, hits, no_results=not hits)


def _read_ids(about: EngineAbout, root: Element) -> Serp:
    error = root.findtext("ERROR")
    if error:
        raise make_refusal(about.name, error)
    ids = [node.text or "" for node in root.findall("IdList/Id")]
    if not ids:
        return Serp(about.name, no_results=True)
    seen_count = int(root.findtext("RetStart") or 0) + len(ids)
    params: Params = {"db": "pubmed", "retmode": "xml", "tool": "shisho", "id": ",".join(ids)}
    follow = Request(f"{about.site}/entrez/eutils/efetch.fcgi?{urlencode(params)}")
    return Serp(about.name, next={} if seen_count < int(root.findtext("Count") or 0) else None, follow=follow)


def _read_words(article: Element, path: str) -> str:
    return squeeze(" ".join("".join(node.itertext()) for node in article.findall(path)))


def _read_day(article: Element) -> str | None:
    """Return the electronic date, else the issue's.

    As far as it is known: year, year-month or year-month-day.
    """
    for path in (".//ArticleDate", ".//PubDate"):
        node = article.find(path)
        year = node.findtext("Year") if node is not None else None
        if node is not None and year:
            month = node.findtext("Month") or ""
            number = MONTHS.get(month[:3].lower()) or (int(month) if month.isdigit() else 0)
            day = node.findtext("Day") or ""
            whole = f"{year}-{number:02}" if number else year
            return f"{whole}-{int(day):02}" if number and day.isdigit() else whole
    return None
