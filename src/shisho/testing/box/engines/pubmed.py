"""PubMed's E-utilities in their two steps, and the pages of its articles."""

from __future__ import annotations

import re
from html import escape

from shisho.testing.box.engines.engine import BoxEngine, SerpContent, SerpRequest, Tokens, WrongRequest, paged, whole
from shisho.testing.box.message import BoxRequest, BoxResponse, xml
from shisho.testing.box.world import BoxPage, World

_FIRST = 30_000_000
_FOUND = """<?xml version="1.0" encoding="UTF-8" ?><eSearchResult><Count>{total}</Count><RetMax>{size}</RetMax>
<RetStart>{start}</RetStart><IdList>{ids}</IdList></eSearchResult>"""
_ARTICLE = """<PubmedArticle><MedlineCitation><PMID Version="1">{id}</PMID><Article><Journal><JournalIssue><PubDate>
<Year>{day.year}</Year><Month>{day.month:02}</Month><Day>{day.day:02}</Day></PubDate></JournalIssue></Journal>
<ArticleTitle>{title}</ArticleTitle><Abstract><AbstractText>{text}</AbstractText></Abstract></Article></MedlineCitation>
</PubmedArticle>"""


def read(asked: BoxRequest, tokens: Tokens) -> SerpRequest | None:
    if asked.path != "/entrez/eutils/esearch.fcgi":
        return None
    if asked.query.get("db") != "pubmed" or asked.query.get("retmode") != "xml":
        raise WrongRequest("db or retmode")
    return paged(asked.query.get("term"), whole(asked.query, "retstart", 0), whole(asked.query, "retmax", 20) or 20, 1_000)


def show(shown: SerpContent) -> BoxResponse:
    ids = "".join(f"<Id>{_FIRST + row.number}</Id>" for row in shown.rows)
    return xml(_FOUND.format(total=shown.total, size=shown.search.size, start=shown.search.start, ids=ids))


def _block(reason: str) -> BoxResponse:
    return xml(f"<eSearchResult><ERROR>{escape(reason)}</ERROR></eSearchResult>")


def _other(asked: BoxRequest, world: World) -> BoxResponse | BoxPage | None:
    if asked.path == "/entrez/eutils/efetch.fcgi":
        numbers = [int(one) - _FIRST for one in asked.query.get("id", "").split(",") if one.isdigit()]
        articles = "".join(_article(page) for number in numbers if (page := world.numbered(number)))
        return xml(f'<?xml version="1.0" ?><PubmedArticleSet>{articles}</PubmedArticleSet>')
    found = re.fullmatch(r"/(\d{8})/?", asked.path)
    return world.numbered(int(found[1]) - _FIRST) if found else None


def _article(page: BoxPage) -> str:
    text = escape(" ".join(page.paragraphs)[:400])
    return _ARTICLE.format(id=_FIRST + page.number, day=page.day, title=escape(page.title), text=text)


def _address(page: BoxPage) -> str:
    return f"https://pubmed.ncbi.nlm.nih.gov/{_FIRST + page.number}/"


ENGINE = BoxEngine(
    "pubmed", "xml", ("eutils.ncbi.nlm.nih.gov", "pubmed.ncbi.nlm.nih.gov"), read, show, _block,
    address=_address, other=_other,
)  # fmt: skip
