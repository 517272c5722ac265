"""RIS by rispy: entries as Zotero, EndNote, CiNii and J-STAGE write them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import rispy

from shisho.domain.reference import Reference

_END = "\nER  - \n"  # a truncated file ends within an entry
_FIELDS: Mapping[str, tuple[str, ...]] = {
    "title": ("title", "primary_title"),
    "year": ("year", "publication_year", "date"),
    "container": ("journal_name", "secondary_title", "alternate_title1", "alternate_title3"),
    "publisher": ("publisher",),
    "place": ("place_published",),
    "volume": ("volume",),
    "issue": ("number",),
    "edition": ("edition",),
    "doi": ("doi",),
    "accessed": ("access_date",),
    "language": ("language",),
}
_KINDS = {
    "JOUR": "article-journal",
    "MGZN": "article-magazine",
    "NEWS": "article-newspaper",
    "BOOK": "book",
    "EBOOK": "book",
    "CHAP": "chapter",
    "ECHAP": "chapter",
    "CONF": "paper-conference",
    "CPAPER": "paper-conference",
    "THES": "thesis",
    "RPRT": "report",
    "GOVDOC": "report",
    "ELEC": "webpage",
    "WEB": "webpage",
}


def parse_ris(text: str) -> Iterator[Reference]:
    """Yield each entry once. Other content is skipped."""
    for entry in rispy.loads(text.rstrip() + _END):
        facts = {fact: _find_first(entry, names) for fact, names in _FIELDS.items()}
        ends = [str(entry.get(name) or "").strip() for name in ("start_page", "end_page")]
        more = {
            "author": _format_people(entry, "first_authors", "authors"),
            "editor": _format_people(entry, "editors"),
            "pages": "-".join(filter(None, ends)),
            "url": next(iter(entry.get("urls") or []), ""),
            "isbn": str(entry.get("issn") or "") if entry.get("type_of_reference") == "BOOK" else "",
            "kind": _KINDS.get(str(entry.get("type_of_reference")), ""),
        }
        files = [str(entry[name]) for name in ("file_attachments1", "file_attachments2") if entry.get(name)]
        yield Reference(str(entry.get("id") or ""), {**facts, **more}, tuple(files))


def _find_first(entry: Mapping[str, Any], names: tuple[str, ...]) -> str:
    return next((text for name in names if (text := str(entry.get(name) or "").strip())), "")


def _format_people(entry: Mapping[str, Any], *names: str) -> str:
    return "; ".join(dict.fromkeys(str(person).strip() for name in names for person in entry.get(name) or []))
