"""BibTeX and BibLaTeX by bibtexparser.

Entries as Zotero, JabRef, Mendeley and publishers write them.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from itertools import count
from typing import Any

from bibtexparser.entrypoint import parse_string
from bibtexparser.library import Library
from bibtexparser.middlewares.middleware import BlockMiddleware
from bibtexparser.middlewares.names import (
    InvalidNameError,
    parse_single_name_into_parts,
    split_multiple_persons_names,
)
from bibtexparser.middlewares.parsestack import default_parse_stack
from bibtexparser.model import Block, Entry, ParsingFailedBlock
from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec
from pylatexenc.latex2text import get_default_latex_context_db as get_macro_texts
from pylatexenc.latexwalker import get_default_latex_context_db as get_macro_arguments
from pylatexenc.macrospec import std_macro

from shisho.corpus.readers.symbols import write_lowered, write_raised
from shisho.domain.reference import ADDRESSES, Creator, Reference, is_body, write_creators

_FIELDS: Mapping[str, tuple[str, ...]] = {
    "title": ("title",),
    "year": ("year", "date"),
    "container": ("journal", "journaltitle", "booktitle"),
    "publisher": ("publisher", "institution", "school", "organization"),
    "place": ("address", "location"),
    "volume": ("volume",),
    "issue": ("number", "issue"),
    "pages": ("pages",),
    "edition": ("edition",),
    "isbn": ("isbn",),
    "accessed": ("urldate",),
    "language": ("langid", "language"),
}
# Letters that pylatexenc drops or misinterprets.
_NAMED_MARKS = {
    "textasciicircum": "^",
    "textbar": "|",
    "textbraceleft": "{",
    "textbraceright": "}",
    "textgreater": ">",
    "textless": "<",
    "textquotedbl": '"',
    "textunderscore": "_",
}
# An address is verbatim, including `~`, `--` and `&`; but some programs escape marks in it as in LaTeX.
_SPELT_MARKS = {
    **{rf"\{mark}": mark for mark in "_%&#$~^{}"},
    **{rf"\{name}": mark for name, mark in _NAMED_MARKS.items()},
    r"\textasciitilde": "~",
    r"$\sim$": "~",
    "$<$": "<",
    "$>$": ">",
    r"\url": "",
    "{": "",
    "}": "",
}
_SPELT_MARK = re.compile("|".join(map(re.escape, _SPELT_MARKS)))
_KINDS = {
    "article": "article-journal",
    "book": "book",
    "booklet": "book",
    "collection": "book",
    "proceedings": "book",
    "incollection": "chapter",
    "inbook": "chapter",
    "inproceedings": "paper-conference",
    "conference": "paper-conference",
    "phdthesis": "thesis",
    "mastersthesis": "thesis",
    "thesis": "thesis",
    "techreport": "report",
    "report": "report",
    "online": "webpage",
    "electronic": "webpage",
    "www": "webpage",
}
_MARKED = re.compile(r"[\\{}$~]|--|``|''")
_UNESCAPED = {mark: re.compile(rf"(?<!\\){mark}") for mark in (";", ":")}
_ESCAPED = re.compile(r"\\([\\:;_{}&%# ])")
_KEY = "key in the file"
_DRIVE = re.compile(r"[A-Za-z]")
_CJK = re.compile("[ぁ-ヿ一-鿿㐀-䶿]")
# A log line for each broken entry would be most of the work.
for _library in ("bibtexparser", "pylatexenc"):
    logging.getLogger(_library).setLevel(logging.CRITICAL)
_SCRIPTS = {"textsuperscript": write_raised, "textsubscript": write_lowered}
LONGEST = 2_000  # characters of a field: abstracts are not read


class _NumberedEntries(BlockMiddleware):
    """Unique numbers in place of keys.

    A merged file has a key or a field twice, and bibtexparser would set such an entry aside with its braces
    and its unresolved strings.
    """

    def __init__(self) -> None:
        super().__init__()
        self._numbers = count()

    def transform_entry(self, entry: Entry, library: Library) -> Entry:
        entry.set_parser_metadata(_KEY, entry.key)
        entry.key = str(next(self._numbers))
        return entry

    def transform_failed_block(self, failed_block: ParsingFailedBlock, library: Library) -> Block:
        block = failed_block.ignore_error_block
        return self.transform_entry(block, library) if isinstance(block, Entry) else failed_block


def parse_bibtex(text: str) -> Iterator[Reference]:
    """Yield each entry once. Other blocks and broken entries are skipped."""
    for entry in parse_string(text, parse_stack=[_NumberedEntries(), *default_parse_stack()]).entries:
        fields = {
            field.key.lower(): field.value
            for field in reversed(entry.fields)  # the first of a name counts, as for BibTeX
            if isinstance(field.value, str) and len(field.value) <= LONGEST
        }
        facts = {fact: _find_first(fields, names) for fact, names in _FIELDS.items()}
        addresses = {fact: _read_address(fields.get(fact, "")) for fact in ADDRESSES}
        people = {role: write_creators(_read_people(fields.get(role, ""))) for role in ("author", "editor")}
        kind = _KINDS.get(entry.entry_type.lower(), "")
        facts |= {**addresses, **people, "kind": kind}
        key = str(entry.get_parser_metadata(_KEY))
        yield Reference(key, facts, tuple(_read_files(fields.get("file", ""))))


def _find_first(fields: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((text for name in names if (text := _print_latex(fields.get(name, "")))), "")


def _print_latex(value: str) -> str:
    """Return the characters that LaTeX would print."""
    if not _MARKED.search(value):
        return value.strip()
    try:
        return str(_make_text_writer().latex_to_text(value, latex_context=_make_argument_context())).strip()
    except RecursionError:  # hundreds of nested braces
        return value.strip()


@cache
def _make_argument_context() -> Any:
    """Return the macros of LaTeX with their arguments."""
    context = get_macro_arguments()
    context.add_context_category("scripts", macros=[std_macro(name, "{") for name in _SCRIPTS], prepend=True)
    return context


@cache
def _make_text_writer() -> LatexNodes2Text:
    context = get_macro_texts()
    marks = [MacroTextSpec(name, mark) for name, mark in _NAMED_MARKS.items()]
    scripts = [MacroTextSpec(name, partial(_write_script, write)) for name, write in _SCRIPTS.items()]
    context.add_context_category("letters", macros=[*marks, *scripts], prepend=True)
    return LatexNodes2Text(latex_context=context, keep_comments=True)


def _write_script(write: Callable[[str], str], macro: Any, l2tobj: LatexNodes2Text) -> str:
    """Return a raised or lowered text.

    A macro at the end of a broken field has no arguments; its text is "".
    """
    return write(str(l2tobj.nodelist_to_text(macro.nodeargd.argnlist))) if macro.nodeargd else ""


def _read_address(value: str) -> str:
    return _SPELT_MARK.sub(lambda spelt: _SPELT_MARKS[spelt[0]], value).strip()


def _read_people(value: str) -> Iterator[Creator]:
    for name in split_multiple_persons_names(value):
        creator = _parse_creator(name)
        if creator.family:
            yield creator


def _parse_creator(name: str) -> Creator:
    """Return the creator of a name.

    Braces make an organisation's name one word; if they are missing, its small words identify it.
    """
    if "," not in name and is_body(name):
        return Creator(_print_latex(name))
    try:
        parts = parse_single_name_into_parts(name)
    except InvalidNameError:
        return Creator(_print_latex(name))
    family = _print_latex(" ".join((*parts.von, *parts.last)))
    forename = _print_latex(" ".join(parts.first))
    # 山田 太郎: the family name comes first.
    is_family_first = forename and "," not in name and _CJK.search(name)
    family, forename = (forename, family) if is_family_first else (family, forename)
    return Creator(family or forename, forename if family else "", _print_latex(" ".join(parts.jr)))


def _read_files(value: str) -> Iterator[str]:
    r"""Yield the paths of a `file` field.

    It is `a.pdf`, or `name:path:type` with `;` between several, and `\` before a literal mark.
    """
    for item in _UNESCAPED[";"].split(value):
        parts = _UNESCAPED[":"].split(item.strip())
        if len(parts) >= 3:
            parts = parts[1:-1]
        if len(parts) == 2 and not _DRIVE.fullmatch(parts[0]):
            parts = parts[1:]
        if path := _ESCAPED.sub(r"\1", ":".join(parts)).strip():
            yield path
