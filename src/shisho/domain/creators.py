"""Authors and editors of a work, and the line of metadata that names them.

Semicolons separate the names. Each is `family, forename` or a whole name. A whole name that would be read in
another way is in braces, as in BibTeX.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

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
    def is_whole(self) -> bool:
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
    if not creator.is_whole or read_creators(name) in ((Creator(name),), (OTHERS,)):
        return name
    return f"{{{name}}}"


def _is_braced(name: str) -> bool:
    return name.startswith("{") and name.endswith("}")
