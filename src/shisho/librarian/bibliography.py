"""What an answer quotes, as entries of a bibliography: BibTeX, RIS, CSL-JSON. Each document once, with what is said
of it, its pages, and its quotations as notes. Pure."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from string import ascii_lowercase
from typing import Any

from shisho.domain.corpus import DocumentId
from shisho.domain.inquiry import Evidence
from shisho.language.display import running

# Names under which people say the same of a document: the first one that is said counts. Last stand those that
# readers use too, so that what its owner says counts before what the file says of itself.
SAID_AS: Mapping[str, tuple[str, ...]] = {
    "title": ("題名", "表題", "書名", "title"),
    "author": ("著者", "作者", "authors", "creator", "author"),
    "year": ("発行年", "出版年", "年", "date", "issued", "year"),
    "publisher": ("発行者", "出版者", "出版社", "publisher"),
    "container": ("掲載誌", "雑誌", "journal", "booktitle", "container"),
    "doi": ("doi",),
    "url": ("url",),
    "accessed": ("閲覧日", "参照日", "urldate", "accessed"),
    "language": ("言語", "lang", "language"),
}
_NAMES = re.compile(r"\s*(?:;|；|\sand\s|、)\s*")
_YEAR = re.compile(r"\b(1[5-9]\d\d|20\d\d)")
_DATE = re.compile(r"(\d{4})(?:[-/年.](\d{1,2})(?:[-/月.](\d{1,2}))?)?")
_DOI = re.compile(r"10\.\d{4,9}/\S+")


@dataclass(frozen=True, slots=True)
class BibliographyEntry:
    """A quoted document. `suffix` tells entries apart that share author, or title, and year: a, b, …"""

    key: str
    title: str
    authors: tuple[str, ...]
    year: str
    suffix: str
    facts: Mapping[str, str]
    file: str
    pages: tuple[str, ...]
    quotations: tuple[str, ...]


def entries(
    evidence: Iterable[Evidence], descriptions: Mapping[DocumentId, Mapping[str, str]]
) -> list[BibliographyEntry]:
    """One for each document, in the order of its first quotation; `descriptions`: what is said of each."""
    groups: dict[DocumentId, list[Evidence]] = {}
    for quotation in evidence:
        groups.setdefault(quotation.document_id, []).append(quotation)
    return _told_apart([_entry(group, descriptions.get(name, {})) for name, group in groups.items()])


def bibtex(cited_entries: Iterable[BibliographyEntry]) -> str:
    return "\n".join(map(_bibtex_entry, cited_entries))


def ris(cited_entries: Iterable[BibliographyEntry]) -> str:
    return "\n".join(map(_ris_entry, cited_entries))


def csl_json(cited_entries: Iterable[BibliographyEntry]) -> str:
    """Items of citeproc's input format, as Zotero and Pandoc read it."""
    return json.dumps([_csl_item(entry) for entry in cited_entries], ensure_ascii=False, indent=2) + "\n"


def _entry(group: Sequence[Evidence], description: Mapping[str, str]) -> BibliographyEntry:
    first = group[0]
    folded = {key.strip().casefold(): " ".join(value.split()) for key, value in description.items()}
    facts = {
        name: next((folded[key] for key in keys if folded.get(key)), "") for name, keys in SAID_AS.items()
    }
    doi = _DOI.search(facts["doi"])
    year = _YEAR.search(facts["year"])
    return BibliographyEntry(
        key=first.document_id,
        title=facts["title"] or running(first.title),
        authors=tuple(filter(None, _NAMES.split(facts["author"]))),
        year=year[0] if year else "",
        suffix="",
        facts={**facts, "doi": doi[0] if doi else "", "url": facts["url"] or first.source_url or ""},
        file="" if first.source_url else PurePath(first.document).name,
        pages=tuple(_pages(group)),
        quotations=tuple(running(quotation.snippet) for quotation in group if quotation.snippet),
    )


def _told_apart(cited_entries: Sequence[BibliographyEntry]) -> list[BibliographyEntry]:
    looks = [(entry.authors or (entry.title,), entry.year) for entry in cited_entries]
    counts = Counter(looks)
    numbers: Counter[tuple[tuple[str, ...], str]] = Counter()
    distinct = []
    for entry, look in zip(cited_entries, looks, strict=True):
        distinct.append(replace(entry, suffix=_letters(numbers[look])) if counts[look] > 1 else entry)
        numbers[look] += 1
    return distinct


def _letters(number: int) -> str:
    """a, b, … z, aa, ab, …"""
    rest, last = divmod(number, len(ascii_lowercase))
    return (_letters(rest - 1) if rest else "") + ascii_lowercase[last]


def _pages(group: Iterable[Evidence]) -> list[str]:
    """The places, or the pages in order, each once."""
    if places := list(dict.fromkeys(running(quotation.place) for quotation in group if quotation.place)):
        return places
    return [
        str(page) for page in sorted({quotation.page for quotation in group if quotation.page is not None})
    ]


def _bibtex_entry(entry: BibliographyEntry) -> str:
    facts = entry.facts
    fields = {
        "author": " and ".join(entry.authors),
        "title": entry.title,
        "year": entry.year + entry.suffix,
        "journal": facts["container"],
        "publisher": facts["publisher"],
        "pages": ", ".join(entry.pages),
        "doi": facts["doi"],
        "url": facts["url"],
        "urldate": facts["accessed"],
        "language": facts["language"],
        "howpublished": entry.file,
        "note": " / ".join(entry.quotations),
    }
    kind = "article" if facts["container"] else "misc"
    rows = [f"  {name} = {{{_braced(value)}}}" for name, value in fields.items() if value]
    return f"@{kind}{{{entry.key},\n" + ",\n".join(rows) + "\n}\n"


def _ris_entry(entry: BibliographyEntry) -> str:
    facts = entry.facts
    kind = "JOUR" if facts["container"] else "ELEC" if facts["url"] else "GEN"
    rows = [("TY", kind), ("ID", entry.key), *(("AU", name) for name in entry.authors), ("TI", entry.title)]
    rows += [
        ("PY", entry.year),
        ("LB", entry.year + entry.suffix if entry.suffix else ""),
        ("T2", facts["container"]),
        ("PB", facts["publisher"]),
        ("SP", ", ".join(entry.pages)),
        ("DO", facts["doi"]),
        ("UR", facts["url"]),
        ("Y2", facts["accessed"]),
        ("LA", facts["language"]),
        ("L1", entry.file),
    ]
    rows += [("N1", quotation) for quotation in entry.quotations]
    filled = [(tag, value) for tag, value in rows if value]
    return "".join(f"{tag}  - {running(value)}\n" for tag, value in [*filled, ("ER", "")])


def _csl_item(entry: BibliographyEntry) -> dict[str, Any]:
    facts = entry.facts
    kind = "article-journal" if facts["container"] else "webpage" if facts["url"] else "document"
    accessed = _DATE.search(facts["accessed"])
    item = {
        "id": entry.key,
        "type": kind,
        "title": entry.title,
        "author": [_csl_name(name) for name in entry.authors],
        "issued": {"date-parts": [[int(entry.year)]]} if entry.year else None,
        "year-suffix": entry.suffix,
        "container-title": facts["container"],
        "publisher": facts["publisher"],
        "page": ", ".join(entry.pages),
        "DOI": facts["doi"],
        "URL": facts["url"],
        "accessed": {"date-parts": [[int(part) for part in accessed.groups() if part]]} if accessed else None,
        "language": facts["language"],
        "source": entry.file,
        "note": " / ".join(entry.quotations),
    }
    return {name: value for name, value in item.items() if value}


def _csl_name(name: str) -> dict[str, str]:
    """A comma parts family and given name; without one nobody can tell them, so the name stays whole."""
    family, comma, given = name.partition(",")
    return {"family": family.strip(), "given": given.strip()} if comma else {"literal": name}


def _braced(value: str) -> str:
    # BibTeX reads \ { } % as its own; a lone brace would end the field.
    return re.sub(
        r"([\\{}%#&$_])",
        lambda mark: {"\\": r"\textbackslash{}"}.get(mark[1], "\\" + mark[1]),
        running(value),
    )
