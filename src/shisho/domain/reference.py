"""Entries of a person's own bibliography, as a reference manager exports them, and the documents they
describe."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import unquote

BIBTEX = "application/x-bibtex"
RIS = "application/x-research-info-systems"
CSL_JSON = "application/vnd.citationstyles.csl+json"
REFERENCE_TYPES = (BIBTEX, RIS, CSL_JSON)
"""The media types of bibliographies: what is in them describes documents and is none."""
ANY_REFERENCES = "application/x-references"
"""The type of a file of which its owner says that it is one of them, whatever it is called."""
REFERENCE_SUFFIXES = (".bib", ".bibtex", ".ris", ".json", ".csljson")
"""What their names end with. Documents may be called so too: the bytes decide."""

REFERENCE_FACTS = (
    "title",
    "author",
    "year",
    "container",
    "publisher",
    "place",
    "volume",
    "issue",
    "pages",
    "edition",
    "editor",
    "isbn",
    "doi",
    "url",
    "accessed",
    "language",
    "kind",
    "citation_key",
)
"""The names of what an entry says of its document, all text. `author` and `editor`: a line of names
(`domain/creators.py`); `kind` is a type of CSL; `pages` are those of the whole work in
what it is part of."""


LONGEST_FACT = 300  # characters
LONGEST_ADDRESS = 2_000
ADDRESSES = ("doi", "url")
MOST_AUTHORS = 50
# Old DOIs of Wiley hold a SICI, 47:1<1::AID-ASI1>3.0.CO;2-3; any other angle belongs to what is around.
_DOI = re.compile(r"10\.\d{4,9}/(?:[^\s\"<>]|<[^\s\"<>/:]*:[^\s\"<>/]*>)+")


def shorten_fact(name: str, fact: str) -> str:
    """A text is cut at its longest. An address leads nowhere when it is cut, so a longer one is left out."""
    if name in ADDRESSES:
        return fact if len(fact) <= LONGEST_ADDRESS else ""
    return fact[:LONGEST_FACT]


def find_doi(text: str) -> str:
    """The first DOI, "" without one; an address writes its marks in percents."""
    match = _DOI.search(unquote(text) if text.startswith(("http://", "https://")) else text)
    return match[0] if match else ""


@dataclass(frozen=True, slots=True)
class Reference:
    """One entry: its key in the file, what it says (`REFERENCE_FACTS`), the paths it names, as they are
    written."""

    key: str
    facts: Mapping[str, str] = field(default_factory=dict)
    files: tuple[str, ...] = ()


class MatchedBy(StrEnum):
    """The sign by which an entry found its document: a path, a DOI, a title; none, or more documents than
    one."""

    FILE = "file"
    DOI = "doi"
    TITLE = "title"
    NOTHING = "nothing"
    SEVERAL = "several"


@dataclass(frozen=True, slots=True)
class ReferenceMatch:
    """The fate of an entry. `source` is where its document stands; without one it and `document_id` are
    empty."""

    key: str
    title: str
    by: MatchedBy
    document_id: str = ""
    source: str = ""
