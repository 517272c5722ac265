"""A file's own metadata, for bibliographies.

Author, year, publisher, journal, DOI, address and language. Only metadata for readers: the day a file was
saved is not its year of publication. Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from shisho.corpus.readers.text import strip_controls
from shisho.domain.reference import MAX_AUTHORS, find_doi, shorten_fact
from shisho.language.dates import find_year

XMP_BYTES = 1 << 20
XMP_HEAD = b"<x:xmpmeta"
XMP_TAIL = b"</x:xmpmeta>"
LD_CHARACTERS = 1 << 20

# Tags of a page's head by fact, the more trustworthy first: Highwire Press (citation_*), as Google Scholar
# reads them, then Dublin Core, then those of blogs.
_TAGS: Mapping[str, tuple[str, ...]] = {
    "author": ("citation_author", "dc.creator", "dcterms.creator", "author"),
    "year": (
        "citation_publication_date",
        "citation_date",
        "citation_year",
        "dc.date",
        "dcterms.issued",
        "dc.date.issued",
    ),
    "publisher": (
        "citation_publisher",
        "citation_dissertation_institution",
        "dc.publisher",
        "dcterms.publisher",
    ),
    "container": ("citation_journal_title", "citation_conference_title", "citation_inbook_title"),
    "doi": ("citation_doi", "dc.identifier.doi", "prism.doi"),
    "language": ("citation_language", "dc.language", "dcterms.language"),
}
_WORKS = frozenset(
    (
        "ScholarlyArticle",
        "Article",
        "NewsArticle",
        "BlogPosting",
        "Book",
        "Thesis",
        "Report",
        "TechArticle",
    )
)
_XMP: Mapping[str, tuple[str, ...]] = {
    "author": ("{http://purl.org/dc/elements/1.1/}creator",),
    "publisher": ("{http://purl.org/dc/elements/1.1/}publisher",),
    "language": ("{http://purl.org/dc/elements/1.1/}language",),
    "container": (
        "{http://prismstandard.org/namespaces/basic/2.0/}publicationName",
        "{http://prismstandard.org/namespaces/basic/3.0/}publicationName",
    ),
    "year": (
        "{http://prismstandard.org/namespaces/basic/2.0/}coverDate",
        "{http://prismstandard.org/namespaces/basic/2.0/}publicationDate",
        "{http://prismstandard.org/namespaces/basic/3.0/}coverDate",
    ),
    "doi": (
        "{http://prismstandard.org/namespaces/basic/2.0/}doi",
        "{http://prismstandard.org/namespaces/basic/3.0/}doi",
    ),
}
# Default values of programs for an unknown author.
_NOBODY = re.compile(
    r"(microsoft|ms)?[ _-]*(office)?[ _-]*(user|author|owner|administrator|admin|unknown|anonymous|none|pc|home)\d*"
    r"|python-docx|openpyxl|作成者|ユーザー|管理者|所有者",
    re.I,
)
_DUBLIN_CORE = "{http://purl.org/dc/elements/1.1/}"
_PACKAGE: Mapping[str, str] = {"publisher": "publisher", "year": "date", "language": "language"}
_ROLE = "{http://www.idpf.org/2007/opf}role"
_AUTHOR = "aut"  # MARC's code
_ISBN = re.compile(r"\b((?:97[89][- ]?)?(?:\d[- ]?){9}[\dXx])\b")
_NEVER = re.compile(r"(?!)")


def describe_page(tree: Any) -> dict[str, str]:
    """Read the head of an HTML page: `citation_*`, Dublin Core, JSON-LD, `lang`."""
    tags: dict[str, list[str]] = {}
    for meta in tree.iterfind(".//meta"):
        name = (meta.get("name") or meta.get("property") or "").strip().lower().replace("dc:", "dc.")
        tags.setdefault(name, []).append(meta.get("content") or "")
    linked = next(_read_linked(tree), {})
    stated = {}
    for fact, names in _TAGS.items():
        values = next((tags[name] for name in names if any(tags.get(name, ()))), [])
        stated[fact] = values or linked.get(fact, [])
    canonical = [link.get("href") or "" for link in tree.iterfind(".//link[@rel='canonical']")][:1]
    stated["url"] = [url for url in canonical if url.startswith(("http://", "https://"))]
    stated["language"] = stated["language"] or [tree.get("lang") or ""]
    return keep_facts(stated)


def describe_pdf(author: str, data: bytes) -> dict[str, str]:
    """Return the author of a PDF's own table, and the facts of an uncompressed XMP packet."""
    start = data.rfind(XMP_HEAD)
    end = data.find(XMP_TAIL, start) + len(XMP_TAIL)
    is_there = 0 <= start < end <= start + XMP_BYTES
    stated = _read_xmp(data[start:end]) if is_there else {}
    return keep_facts({**stated, "author": stated.get("author") or [author]})


def describe_properties(properties: Any) -> dict[str, str]:
    """Return an office file's core properties, from python-docx, python-pptx or openpyxl."""
    author = getattr(properties, "author", None) or getattr(properties, "creator", None) or ""
    others = {"language": properties.language, "doi": properties.identifier}
    return keep_facts({"author": author.split(";"), **{fact: [text or ""] for fact, text in others.items()}})


def describe_package(package: Any) -> dict[str, str]:
    """Read the Dublin Core of an EPUB's package.

    Translators and illustrators are not its authors.
    """
    stated = {fact: _read_stated(package, name) for fact, name in _PACKAGE.items()}
    identifiers = _read_stated(package, "identifier")
    numbers = {
        "doi": [text for text in identifiers if find_doi(text)],
        "isbn": [match[1] for match in map(_ISBN.search, identifiers) if match],
    }
    return keep_facts({**stated, **numbers, "author": _read_authors(package)})


def _read_stated(package: Any, name: str) -> list[str]:
    return ["".join(element.itertext()) for element in package.iter(_DUBLIN_CORE + name)]


def _read_authors(package: Any) -> list[str]:
    roles = {
        (meta.get("refines") or "").removeprefix("#"): (meta.text or "").strip()
        for meta in package.iter("{*}meta")
        if meta.get("property") == "role"
    }
    creators = list(package.iter(_DUBLIN_CORE + "creator"))
    authors = [
        creator
        for creator in creators
        if (creator.get(_ROLE) or roles.get(creator.get("id", "-"), _AUTHOR)) == _AUTHOR
    ]
    return ["".join(creator.itertext()) for creator in authors or creators]


def keep_facts(stated: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Return the non-empty facts, each on one line; semicolons separate authors."""
    facts = {}
    for fact, values in stated.items():
        lines = [shorten_fact(fact, " ".join(strip_controls(value).split())) for value in values]
        names_nobody = _NOBODY.fullmatch if fact == "author" else _NEVER.fullmatch
        distinct = [line for line in dict.fromkeys(lines) if line and not names_nobody(line)]
        value = "; ".join(distinct[:MAX_AUTHORS]) if fact == "author" else next(iter(distinct), "")
        if value := _SHAPES.get(fact, str)(value):
            facts[fact] = value
    return facts


_SHAPES: Mapping[str, Callable[[str], str]] = {"doi": find_doi, "year": find_year}


def _read_linked(tree: Any) -> Iterator[dict[str, list[str]]]:
    """Yield the works that a page's JSON-LD describes."""
    for script in tree.iterfind(".//script[@type='application/ld+json']"):
        text = script.text or ""
        if len(text) > LD_CHARACTERS:
            continue
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            continue
        for item in _list_items(document):
            kinds = item.get("@type")
            names = [str(kind) for kind in kinds] if isinstance(kinds, list) else [str(kinds)]
            if _WORKS.intersection(names):
                yield {
                    "author": _list_names(item.get("author")),
                    "year": _list_names(item.get("datePublished")),
                    "publisher": _list_names(item.get("publisher")),
                    "container": _list_names(item.get("isPartOf")),
                    "language": _list_names(item.get("inLanguage")),
                    "doi": [text for text in _list_names(item.get("identifier")) if find_doi(text)],
                }


def _list_items(document: Any) -> list[Mapping[str, Any]]:
    graph = document.get("@graph", [document]) if isinstance(document, dict) else document
    return [item for item in graph if isinstance(item, dict)] if isinstance(graph, list) else []


def _list_names(value: Any) -> list[str]:
    members = value if isinstance(value, list) else [value]
    names = [
        member.get("name", member.get("value")) if isinstance(member, dict) else member for member in members
    ]
    return [name for name in names if isinstance(name, str)]


def _read_xmp(packet: bytes) -> dict[str, list[str]]:
    # Every command of the shell loads this module, and few of them read XMP.
    from lxml import etree  # type: ignore[import-untyped]

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(packet, parser)
    except (etree.XMLSyntaxError, ValueError):
        return {}
    stated: dict[str, list[str]] = {}
    for fact, names in _XMP.items():
        elements = [element for name in names for element in root.iter(name)]
        texts = [text for element in elements[:MAX_AUTHORS] for text in element.itertext()]
        attributes = [element.get(name, "") for name in names for element in root.iter()]
        stated[fact] = [text for text in (*texts, *attributes) if text.strip()]
    return stated
