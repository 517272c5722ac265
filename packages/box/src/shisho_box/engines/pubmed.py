"""PubMed's E-utilities in their two steps, and the pages of its articles."""

from __future__ import annotations

import re
from html import escape

from shisho_box.engines.engine import (
    BoxEngine,
    SerpContent,
    SerpRequest,
    Tokens,
    WrongRequest,
    parse_number,
    request_rows,
)
from shisho_box.message import BoxRequest, BoxResponse, xml
from shisho_box.world import BoxPage, World

_FIRST = 30_000_000
_FOUND = """<?xml version="1.0" encoding="UTF-8" ?><eSearchResult><Count>{total}</Count><RetMax>{size}</RetMax>
<RetStart>{start}</RetStart><IdList>{ids}</IdList></eSearchResult>"""
_ARTICLE = """<PubmedArticle><MedlineCitation><PMID Version="1">{id}</PMID><Article><Journal><JournalIssue><PubDate>
<Year>{day.year}</Year><Month>{day.month:02}</Month><Day>{day.day:02}</Day></PubDate></JournalIssue></Journal>
<ArticleTitle>{title}</ArticleTitle><Abstract><AbstractText>{text}</AbstractText></Abstract></Article></MedlineCitation>
</PubmedArticle>"""


def read(request: BoxRequest, tokens: Tokens) -> SerpRequest | None:
    if request.path != "/entrez/eutils/esearch.fcgi":
        return None
    if request.query.get("db") != "pubmed" or request.query.get("retmode") != "xml":
        raise WrongRequest("db or retmode")
    return request_rows(
        request.query.get("term"),
        parse_number(request.query, "retstart", 0),
        parse_number(request.query, "retmax", 20) or 20,
        1_000,
    )


def show(content: SerpContent) -> BoxResponse:
    ids = "".join(f"<Id>{_FIRST + row.number}</Id>" for row in content.rows)
    return xml(
        _FOUND.format(total=content.total, size=content.search.size, start=content.search.start, ids=ids)
    )


def _block(reason: str) -> BoxResponse:
    return xml(f"<eSearchResult><ERROR>{escape(reason)}</ERROR></eSearchResult>")


def _serve_other(request: BoxRequest, world: World) -> BoxResponse | BoxPage | None:
    if request.path == "/entrez/eutils/efetch.fcgi":
        numbers = [int(part) - _FIRST for part in request.query.get("id", "").split(",") if part.isdigit()]
        articles = "".join(
            _make_article(page) for number in numbers if (page := world.find_by_number(number))
        )
        return xml(f'<?xml version="1.0" ?><PubmedArticleSet>{articles}</PubmedArticleSet>')
    match = re.fullmatch(r"/(\d{8})/?", request.path)
    return world.find_by_number(int(match[1]) - _FIRST) if match else None


def _make_article(page: BoxPage) -> str:
    text = escape(" ".join(page.paragraphs)[:400])
    return _ARTICLE.format(id=_FIRST + page.number, day=page.day, title=escape(page.title), text=text)


def _make_address(page: BoxPage) -> str:
    return f"https://pubmed.ncbi.nlm.nih.gov/{_FIRST + page.number}/"


ENGINE = BoxEngine(
    "pubmed", "xml", ("eutils.ncbi.nlm.nih.gov", "pubmed.ncbi.nlm.nih.gov"), read, show, _block,
    address=_make_address, other=_serve_other,
)  # fmt: skip
