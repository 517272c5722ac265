"""Entries of a person's bibliography, as exported by a reference manager."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import field
from enum import StrEnum
from urllib.parse import unquote

from shisho.records import dataclass

_NAME = re.compile(r"(?:\{[^{}]*\}|[^;；、])+")
_BODY = re.compile(r"\b(?:of|for|the)\b")
_BODY_WITH_COMMA = re.compile(r"\b(?:of|for|the|and)\b|,\s*(?:Inc|Ltd|LLC|LLP|GmbH|Corp)\b")
_SUFFIX = re.compile(r"(?:Jr|Sr|Esq)\.?|[IVX]+", re.IGNORECASE)
_OTHERS = re.compile(r"(?:and\s+)?others|et al\.?|ほか|他", re.IGNORECASE)
_BRACES = str.maketrans("", "", "{}")


@dataclass(frozen=True, slots=True)
class Creator:
    """A person by family name and forename; `suffix`: Jr., III.

    An organisation, or a name with unknown parts, is whole in `family`.
    """

    family: str
    forename: str = ""
    suffix: str = ""

    @property
    def is_literal(self) -> bool:
        return not (self.forename or self.suffix)


OTHERS = Creator("others")
"""The names omitted from a list, written as in BibTeX and by Pandoc; at the end of a list."""


def read_creators(line: str) -> tuple[Creator, ...]:
    """Parse a line of names, separated by semicolons or by `and`.

    Names of organisations contain `and` too.
    """
    names = split_names(line)
    if len(names) != 1 or _is_braced(names[0]) or _BODY.search(line):
        return _read_names(names)
    creators = _read_names(names[0].split(" and "))
    is_list = all(creator == OTHERS or " " in join_parts(creator) for creator in creators)
    return creators if is_list else _read_names(names)


def write_creators(creators: Iterable[Creator]) -> str:
    return "; ".join(map(_write_name, creators))


def split_names(line: str) -> list[str]:
    """Return the names between the semicolons as they are written."""
    return [name for written in _NAME.findall(line) if (name := " ".join(written.split()))]


def join_parts(creator: Creator) -> str:
    """Return the name in one line, in the form of RIS."""
    return ", ".join(filter(None, (creator.family, creator.forename, creator.suffix)))


def is_body(name: str) -> bool:
    """Return whether a name is that of an organisation, by its small words and legal form."""
    return _BODY_WITH_COMMA.search(name) is not None


def _read_names(names: Iterable[str]) -> tuple[Creator, ...]:
    return tuple(creator for creator in map(_read_name, names) if join_parts(creator))


def _read_name(name: str) -> Creator:
    if _OTHERS.fullmatch(name):
        return OTHERS
    if _is_braced(name):
        return Creator(name[1:-1].strip())
    if is_body(name):
        return Creator(name)
    family, _, rest = name.partition(",")
    forename, comma, suffix = rest.rpartition(",")
    if not comma or not _SUFFIX.fullmatch(suffix.strip()):
        forename, suffix = rest, ""
    return Creator(family.strip(), forename.strip(), suffix.strip())


def _write_name(creator: Creator) -> str:
    name = " ".join(join_parts(creator).translate(_BRACES).split())
    if not creator.is_literal or read_creators(name) in ((Creator(name),), (OTHERS,)):
        return name
    return f"{{{name}}}"


def _is_braced(name: str) -> bool:
    return name.startswith("{") and name.endswith("}")


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
MAX_AUTHORS = 50
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
