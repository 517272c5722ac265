"""Entries of a bibliography, from BibTeX, RIS or CSL-JSON.

Their facts have the names of `REFERENCE_FACTS`. Runs in the child, so the libraries are imported there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from shisho.corpus.readers.text import decode, strip_controls
from shisho.domain.reference import (
    BIBTEX,
    LONGEST_FACT,
    MAX_AUTHORS,
    REFERENCE_FACTS,
    RIS,
    Creator,
    Reference,
    find_doi,
    shorten_fact,
    split_names,
    write_creators,
)
from shisho.errors import DocumentUnreadable, TooLarge
from shisho.language.dates import find_year

MAX_ENTRIES = 50_000
MAX_FILES = 20  # of an entry
_CSL: Mapping[str, str] = {
    "title": "title",
    "container": "container-title",
    "publisher": "publisher",
    "place": "publisher-place",
    "volume": "volume",
    "issue": "issue",
    "pages": "page",
    "edition": "edition",
    "isbn": "ISBN",
    "doi": "DOI",
    "url": "URL",
    "language": "language",
    "kind": "type",
}
_CROSSREF_KINDS = {
    "journal-article": "article-journal",
    "proceedings-article": "paper-conference",
    "book-chapter": "chapter",
    "monograph": "book",
    "edited-book": "book",
    "reference-book": "book",
    "dissertation": "thesis",
    "posted-content": "article",
    "report-component": "report",
}


def read(data: bytes, kind: str, charset: str | None = None) -> list[Reference]:
    """Return the entries of a bibliography. `kind` is one of `REFERENCE_TYPES`.

    Raises:
        DocumentUnreadable: There is no entry.
        TooLarge: There are too many.
    """
    text = strip_controls(decode(data, charset))
    entries: list[Reference] = []
    for entry in _parse_entries(text, kind):
        if len(entries) == MAX_ENTRIES:
            raise TooLarge("reader.references.too_many", most=MAX_ENTRIES)
        entries.append(_tidy_entry(entry))
    entries = [entry for entry in entries if entry.facts.get("title") or entry.files]
    if not entries:
        raise DocumentUnreadable("reader.references.no_entry")
    return entries


def pack(entries: Iterable[Reference]) -> list[Any]:
    return [[entry.key, dict(entry.facts), list(entry.files)] for entry in entries]


def unpack(packed: Any) -> tuple[Reference, ...]:
    """Return the entries. Raises ValueError or TypeError for invalid data."""
    return tuple(
        Reference(
            _format_text(key),
            {_format_text(name): _format_text(fact) for name, fact in facts.items()},
            tuple(files),
        )
        for key, facts, files in packed
        if all(isinstance(path, str) for path in files)
    )


def _parse_entries(text: str, kind: str) -> Iterator[Reference]:
    if kind == BIBTEX:
        from shisho.corpus.readers import bibtex

        return bibtex.parse_bibtex(text)
    if kind == RIS:
        from shisho.corpus.readers import ris

        return ris.parse_ris(text)
    return _read_csl_references(text)


def _tidy_entry(entry: Reference) -> Reference:
    """Return an entry whose facts have their form, one line each, of limited length."""
    facts = {name: " ".join(str(fact).split()) for name, fact in entry.facts.items()}
    people = {
        role: "; ".join(split_names(facts.get(role, ""))[:MAX_AUTHORS]) for role in ("author", "editor")
    }
    facts |= {
        "year": find_year(facts.get("year", "")),
        "doi": find_doi(facts.get("doi", "")) or find_doi(facts.get("url", "")),
        "citation_key": entry.key,
    }
    facts = {name: shorten_fact(name, facts.get(name, "")) for name in REFERENCE_FACTS}
    facts |= {"pages": facts["pages"].replace("--", "-"), **people}
    filled = {name: fact for name, fact in facts.items() if fact}
    return Reference(entry.key[:LONGEST_FACT], filled, tuple(map(_normalise_path, entry.files[:MAX_FILES])))


def _normalise_path(written: str) -> str:
    """Return a path as its program meant it: without a URL scheme, with uniform separators."""
    path = re.sub(
        r"^(?:file:/+(?=[A-Za-z]:)|file://(?=/)|internal-pdf://|storage:|attachments:)", "", written
    )
    return (unquote(path) if path != written else path).replace("\\", "/")


def _read_csl_references(text: str) -> Iterator[Reference]:
    try:
        items = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as broken:
        raise DocumentUnreadable("reader.references.csl_damaged") from broken
    if isinstance(items, dict):  # a named list, Crossref's answer, or one item
        items = items.get("items", items.get("message", items))
    items = [items] if isinstance(items, dict) else items
    for item in items if isinstance(items, list) else []:
        if isinstance(item, dict):
            yield parse_csl(item)


def parse_csl(item: Mapping[str, Any]) -> Reference:
    """Return an item of CSL-JSON, or of Crossref.

    Crossref's titles are lists, and its kinds have different names.
    """
    facts = {fact: _format_scalar(item.get(name)) for fact, name in _CSL.items()}
    people = {role: write_creators(_read_people(item.get(role))) for role in ("author", "editor")}
    dates = {"year": _format_date(item.get("issued")), "accessed": _format_date(item.get("accessed"))}
    facts["kind"] = _CROSSREF_KINDS.get(facts["kind"], facts["kind"])
    key = _format_scalar(item.get("citation-key")) or _format_scalar(item.get("id"))
    files = item.get("file")
    paths = [files] if isinstance(files, str) else files if isinstance(files, list) else []
    return Reference(
        key, {**facts, **people, **dates}, tuple(path for path in paths if isinstance(path, str))
    )


def _format_scalar(value: Any) -> str:
    first = next(iter(value), "") if isinstance(value, list) else value
    return str(first) if isinstance(first, str | int | float) else ""


def _read_people(names: Any) -> Iterator[Creator]:
    for name in names if isinstance(names, list) else []:
        creator = _make_creator(name) if isinstance(name, dict) else Creator("")
        if creator.family:
            yield creator


def _make_creator(name: Mapping[str, Any]) -> Creator:
    """Return the creator of a name.

    A particle that is dropped before a lone family name follows the forename: Beethoven, Ludwig van.
    """

    def join(*parts: str) -> str:
        return " ".join(filter(None, (_format_scalar(name.get(part)) for part in parts)))

    if whole := join("literal") or join("name"):
        return Creator(whole)
    family = join("non-dropping-particle", "family")
    forename = join("given", "dropping-particle")
    return Creator(family or forename, forename if family else "", join("suffix"))


def _format_date(value: Any) -> str:
    if not isinstance(value, dict):
        return ""
    parts = value.get("date-parts")
    if isinstance(parts, list) and parts and isinstance(parts[0], list):
        numbers = [str(part) for part in parts[0] if str(part).isascii() and str(part).isdigit()]
        return "-".join(number.zfill(2) for number in numbers[:3])
    return _format_scalar(value.get("raw")) or _format_scalar(value.get("literal"))


def _format_text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value
