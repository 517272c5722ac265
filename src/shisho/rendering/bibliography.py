"""The documents quoted by an answer as a bibliography: BibTeX, RIS, CSL-JSON.

Each document has one entry with its metadata, its pages, and its quotations as notes. Pure.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from string import ascii_lowercase
from typing import Any
from urllib.parse import quote

from shisho.domain.corpus import DocumentId
from shisho.domain.inquiry import Evidence
from shisho.domain.place import describe_place
from shisho.domain.reference import ADDRESSES, Creator, find_doi, join_parts, read_creators
from shisho.language.dates import find_date, find_year
from shisho.language.display import display_name, join_lines
from shisho.language.numbers import Date
from shisho.messages import DEFAULT
from shisho.messages.catalogue import translate_word
from shisho.records import dataclass

# Synonymous metadata keys: the first one present counts. Keys that readers also write are last, so that
# values of the document's owner take precedence over values from the file.
SAID_AS: Mapping[str, tuple[str, ...]] = {
    "title": ("題名", "表題", "書名", "title"),
    "author": ("著者", "作者", "authors", "creator", "author"),
    "year": ("発行年", "出版年", "年", "date", "issued", "year"),
    "publisher": ("発行者", "出版者", "出版社", "publisher"),
    "container": ("掲載誌", "雑誌", "journal", "booktitle", "container"),
    "place": ("発行地", "出版地", "place"),
    "volume": ("巻", "volume"),
    "issue": ("号", "number", "issue"),
    "pages": ("掲載ページ", "pages"),
    "edition": ("版", "edition"),
    "editor": ("編者", "editors", "editor"),
    "isbn": ("isbn",),
    "kind": ("kind",),
    "citation_key": ("citation_key",),
    "doi": ("doi",),
    "url": ("url",),
    "accessed": ("閲覧日", "参照日", "urldate", "accessed"),
    "language": ("言語", "lang", "language"),
}
_KEY = re.compile(r"[^\s\\{}%#~,\"'()=]+")
_BIBTEX_KINDS = {
    "article-journal": "article",
    "article-magazine": "article",
    "article-newspaper": "article",
    "book": "book",
    "chapter": "incollection",
    "paper-conference": "inproceedings",
    "thesis": "phdthesis",
    "report": "techreport",
}
_RIS_KINDS = {
    "article-journal": "JOUR",
    "article-magazine": "MGZN",
    "article-newspaper": "NEWS",
    "book": "BOOK",
    "chapter": "CHAP",
    "paper-conference": "CPAPER",
    "thesis": "THES",
    "report": "RPRT",
    "webpage": "ELEC",
}
# BibTeX treats \ { } % # & $ _ as syntax, and prints ~ as a space; an unbalanced brace would end the field.
_ESCAPED = {
    **{mark: f"\\{mark}" for mark in "{}%#&$_"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}
_LIGATURE = re.compile(r"-(?=-)|`(?=`)|'(?=')")


@dataclass(frozen=True, slots=True)
class BibliographyEntry:
    """A quoted document.

    `suffix` distinguishes entries with the same author, or title, and year: a, b, …; `pages` are the quoted
    ones. Each of `notes` is a quotation with its page. `facts["pages"]`: the pages of a work that is part of
    another.
    """

    key: str
    title: str
    authors: tuple[Creator, ...]
    editors: tuple[Creator, ...]
    year: str
    suffix: str
    facts: Mapping[str, str]
    file: str
    pages: tuple[str, ...]
    notes: tuple[str, ...]


def entries(
    evidence: Iterable[Evidence],
    descriptions: Mapping[DocumentId, Mapping[str, str]],
    language: str = DEFAULT,
) -> list[BibliographyEntry]:
    """Return one entry for each document, in the order of its first quotation.

    `descriptions`: the metadata of each document. `language`: the language of the answer, used in notes for
    the position of a quotation.
    """
    groups: dict[DocumentId, list[Evidence]] = {}
    for quotation in evidence:
        groups.setdefault(quotation.document_id, []).append(quotation)
    return _distinguish(
        [_make_entry(group, descriptions.get(name, {}), language) for name, group in groups.items()]
    )


def bibtex(cited_entries: Iterable[BibliographyEntry]) -> str:
    return "\n".join(map(_format_bibtex_entry, cited_entries))


def ris(cited_entries: Iterable[BibliographyEntry]) -> str:
    return "\n".join(map(_format_ris_entry, cited_entries))


def csl_json(cited_entries: Iterable[BibliographyEntry]) -> str:
    """Return items of citeproc's input format, as Zotero and Pandoc read it."""
    return json.dumps([csl_item(entry) for entry in cited_entries], ensure_ascii=False, indent=2) + "\n"


def _make_entry(
    group: Sequence[Evidence], description: Mapping[str, str], language: str
) -> BibliographyEntry:
    first = group[0]
    folded = {key.strip().casefold(): " ".join(value.split()) for key, value in description.items()}
    facts = {
        name: next((folded[key] for key in keys if folded.get(key)), "") for name, keys in SAID_AS.items()
    }
    return BibliographyEntry(
        key=facts["citation_key"] if _KEY.fullmatch(facts["citation_key"]) else first.document_id,
        title=facts["title"] or join_lines(first.title),
        authors=read_creators(facts["author"]),
        editors=read_creators(facts["editor"]),
        year=find_year(facts["year"]),
        suffix="",
        facts={**facts, "doi": find_doi(facts["doi"]), "url": facts["url"] or first.source_url or ""},
        file="" if first.source_url else display_name(PurePath(first.document).name),
        pages=tuple(_list_pages(group)),
        notes=tuple(_note(quotation, language) for quotation in group if quotation.snippet),
    )


def _note(quotation: Evidence, language: str) -> str:
    place_words = describe_place(quotation.place, lambda n: translate_word("notebook_cell", language, n=n))
    place = join_lines(place_words) or ("" if quotation.page is None else f"p. {quotation.page}")
    text = join_lines(quotation.snippet)
    return f"{place}: {text}" if place else text


def _distinguish(cited_entries: Sequence[BibliographyEntry]) -> list[BibliographyEntry]:
    """Give each entry a distinct appearance and a unique key."""
    looks = [(_look(entry), entry.year) for entry in cited_entries]
    counts = Counter(looks)
    keys = Counter(entry.key for entry in cited_entries)
    numbers: Counter[tuple[str, str]] = Counter()
    distinct = []
    for entry, look in zip(cited_entries, looks, strict=True):
        suffix = _number_by_letters(numbers[look]) if counts[look] > 1 else ""
        numbers[look] += 1
        key = entry.key if keys[entry.key] == 1 else f"{entry.key}-{keys[entry.key]}"
        keys[entry.key] -= keys[entry.key] > 1
        distinct.append(replace(entry, suffix=suffix, key=key))
    return distinct


def _look(entry: BibliographyEntry) -> str:
    """Return only the letters: 山田 太郎 and 山田, 太郎 look the same in a list."""
    names = "".join(map(join_parts, entry.authors)) or entry.title
    return "".join(letter for letter in unicodedata.normalize("NFKC", names).casefold() if letter.isalnum())


def write_year(entry: BibliographyEntry) -> str:
    """Return the year with its suffix; n.d. if only a suffix is present."""
    if entry.year or not entry.suffix:
        return entry.year + entry.suffix
    return f"n.d.-{entry.suffix}"


def _number_by_letters(number: int) -> str:
    """Return the number as letters: a, b, … z, aa, ab and so on."""
    rest, last = divmod(number, len(ascii_lowercase))
    return (_number_by_letters(rest - 1) if rest else "") + ascii_lowercase[last]


def _list_pages(group: Iterable[Evidence]) -> list[str]:
    """Return the pages in order, each once.

    Chapters and cell ranges are not pages: the notes name them.
    """
    numbers = {quotation.page for quotation in group if quotation.page is not None and not quotation.place}
    return [str(number) for number in sorted(numbers)]


def _format_bibtex_entry(entry: BibliographyEntry) -> str:
    facts = entry.facts
    kind = _BIBTEX_KINDS.get(kind_of(entry), "misc")
    fields = {
        "title": entry.title,
        "year": write_year(entry),
        "booktitle" if kind in ("incollection", "inproceedings") else "journal": facts["container"],
        "publisher": facts["publisher"],
        "address": facts["place"],
        "volume": facts["volume"],
        "number": facts["issue"],
        "edition": facts["edition"],
        "isbn": facts["isbn"],
        "pages": facts["pages"] or ", ".join(entry.pages),
        "urldate": facts["accessed"],
        "language": facts["language"],
        "howpublished": entry.file,
        "note": " / ".join(entry.notes),
    }
    people = {"author": entry.authors, "editor": entry.editors}
    rows = [f"  {role} = {{{_format_bibtex_people(names)}}}" for role, names in people.items() if names]
    rows += [f"  {name} = {{{_escape_value(value)}}}" for name, value in fields.items() if value]
    addresses = {name: facts[name] for name in ADDRESSES}
    rows += [f"  {name} = {{{_escape_address(value)}}}" for name, value in addresses.items() if value]
    return f"@{kind}{{{entry.key},\n" + ",\n".join(rows) + "\n}\n"


def _format_bibtex_people(creators: Iterable[Creator]) -> str:
    return " and ".join(map(_format_bibtex_name, creators))


def _format_bibtex_name(creator: Creator) -> str:
    """Format a name for BibTeX.

    Jr. goes before the forename. A whole name is put in braces, or else its last word, or the part before a
    comma, would be parsed as the family name.
    """
    name = ", ".join(
        _escape_value(part) for part in (creator.family, creator.suffix, creator.forename) if part
    )
    return f"{{{name}}}" if creator.is_literal and re.search("[ ,]", name) else name


def kind_of(entry: BibliographyEntry) -> str:
    """Return the CSL type of the work."""
    facts = entry.facts
    by_facts = "article-journal" if facts["container"] else "webpage" if facts["url"] else "document"
    return facts["kind"] or ("book" if facts["isbn"] else by_facts)


def _format_ris_entry(entry: BibliographyEntry) -> str:
    facts = entry.facts
    start, _, end = facts["pages"].replace("–", "-").partition("-")
    rows = [("TY", _RIS_KINDS.get(kind_of(entry), "GEN")), ("ID", entry.key), ("TI", entry.title)]
    rows += [("AU", join_parts(author)) for author in entry.authors]
    rows += [("ED", join_parts(editor)) for editor in entry.editors]
    rows += [
        ("PY", entry.year),
        ("LB", write_year(entry) if entry.suffix else ""),
        ("T2", facts["container"]),
        ("PB", facts["publisher"]),
        ("CY", facts["place"]),
        ("VL", facts["volume"]),
        ("IS", facts["issue"]),
        ("ET", facts["edition"]),
        ("SN", facts["isbn"]),
        ("SP", start or ", ".join(entry.pages)),
        ("EP", end),
        ("DO", facts["doi"]),
        ("UR", facts["url"]),
        ("Y2", facts["accessed"]),
        ("LA", facts["language"]),
        ("L1", entry.file),
    ]
    rows += [("N1", note) for note in entry.notes]
    filled = [(tag, value) for tag, value in rows if value]
    return "".join(f"{tag}  - {join_lines(value)}\n" for tag, value in [*filled, ("ER", "")])


def csl_item(entry: BibliographyEntry) -> dict[str, Any]:
    """Return the entry in citeproc's input format."""
    facts = entry.facts
    accessed = find_date(facts["accessed"])
    item = {
        "id": entry.key,
        "type": kind_of(entry),
        "title": entry.title,
        "author": [csl_name(author) for author in entry.authors],
        "editor": [csl_name(editor) for editor in entry.editors],
        "issued": {"date-parts": [[int(entry.year)]]} if entry.year else None,
        "year-suffix": entry.suffix,
        "container-title": facts["container"],
        "publisher": facts["publisher"],
        "publisher-place": facts["place"],
        "volume": facts["volume"],
        "issue": facts["issue"],
        "edition": facts["edition"],
        "ISBN": facts["isbn"],
        "page": facts["pages"] or ", ".join(entry.pages),
        "DOI": facts["doi"],
        "URL": facts["url"],
        "accessed": {"date-parts": [_split_date(accessed)]} if accessed.year else None,
        "language": facts["language"],
        "source": entry.file,
        "note": " / ".join(entry.notes),
    }
    return {name: value for name, value in item.items() if value}


def _split_date(date: Date) -> list[int]:
    return [part for part in (date.year, date.month, date.day) if part is not None]


def csl_name(creator: Creator) -> dict[str, str]:
    """Return a name in citeproc's input format."""
    if creator.is_literal:
        return {"literal": creator.family}
    forename, particle = _split_particle(creator.forename)
    parts = {
        "family": creator.family,
        "given": forename,
        "dropping-particle": particle,
        "suffix": creator.suffix,
    }
    return {part: text for part, text in parts.items() if text}


def _split_particle(forename: str) -> tuple[str, str]:
    """Split off the lowercase words after a forename, which belong to the family.

    Example: Beethoven, Ludwig van.
    """
    words = forename.split()
    count = len(words)
    while count > 1 and words[count - 1][0].islower():
        count -= 1
    return " ".join(words[:count]), " ".join(words[count:])


def _escape_address(address: str) -> str:
    """Make a URL safe to put in braces, without escapes.

    BibLaTeX and reference managers use a URL verbatim: an escape would become part of it. No URL has braces
    or a backslash.
    """
    return re.sub(r"[\\{}\s]", lambda mark: quote(mark[0]), address)


def _escape_value(value: str) -> str:
    """Escape the value so that LaTeX prints it literally."""
    escaped = "".join(_ESCAPED.get(letter, letter) for letter in join_lines(value))
    return _LIGATURE.sub(r"\g<0>{}", escaped)
