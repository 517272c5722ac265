"""Entries of a person's bibliography, as exported by a reference manager."""

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
"""The media types of bibliographies. Their content describes documents and is not a document."""
ANY_REFERENCES = "application/x-references"
"""The type of a file that its owner declares to be a bibliography, whatever its name."""
REFERENCE_SUFFIXES = (".bib", ".bibtex", ".ris", ".json", ".csljson")
"""The suffixes of bibliographies. Documents may have them too: the bytes decide."""

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
"""The names of an entry's facts about its document, all text.

`author` and `editor` are lines of names (`domain/creators.py`); `kind` is a type of CSL; `pages` are the
pages of the work in its container.
"""


LONGEST_FACT = 300  # characters
LONGEST_ADDRESS = 2_000
ADDRESSES = ("doi", "url")
MOST_AUTHORS = 50
# Old DOIs of Wiley contain a SICI, 47:1<1::AID-ASI1>3.0.CO;2-3; any other angle bracket belongs to the
# surrounding text.
_DOI = re.compile(r"10\.\d{4,9}/(?:[^\s\"<>]|<[^\s\"<>/:]*:[^\s\"<>/]*>)+")


def shorten_fact(name: str, fact: str) -> str:
    """Return a fact cut to its maximum length, or "" for a longer address.

    A cut address leads nowhere.
    """
    if name in ADDRESSES:
        return fact if len(fact) <= LONGEST_ADDRESS else ""
    return fact[:LONGEST_FACT]


def find_doi(text: str) -> str:
    """Return the first DOI, or "". In web addresses, percent-encoding is decoded."""
    match = _DOI.search(unquote(text) if text.startswith(("http://", "https://")) else text)
    return match[0] if match else ""


@dataclass(frozen=True, slots=True)
class Reference:
    """One entry of a bibliography.

    Its key in the file, its facts (`REFERENCE_FACTS`), and the paths it names, as written.
    """

    key: str
    facts: Mapping[str, str] = field(default_factory=dict)
    files: tuple[str, ...] = ()


class MatchedBy(StrEnum):
    """How an entry matched its document: by path, DOI or title; no match; or several."""

    FILE = "file"
    DOI = "doi"
    TITLE = "title"
    NOTHING = "nothing"
    SEVERAL = "several"


@dataclass(frozen=True, slots=True)
class ReferenceMatch:
    """The outcome of an entry.

    `source` is the source of its document. Without a document, `source` and `document_id` are empty.
    """

    key: str
    title: str
    by: MatchedBy
    document_id: str = ""
    source: str = ""
