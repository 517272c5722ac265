"""EPUB by its zip and the HTML reader.

Each part of the spine is a page; its place is the chapter that the table of contents gives it.
"""

from __future__ import annotations

import posixpath
import re
import unicodedata
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from itertools import takewhile
from typing import Any
from urllib.parse import unquote

from lxml import etree  # type: ignore[import-untyped]

from shisho.corpus.layout import label_heading
from shisho.corpus.readers.described import describe_package
from shisho.corpus.readers.html import read_parts
from shisho.corpus.readers.office import open_package
from shisho.corpus.readers.text import decode, strip_controls
from shisho.domain.corpus import Block, BlockKind, Reading
from shisho.errors import DocumentEncrypted, DocumentUnreadable

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
# Fonts may be obfuscated in any book; encrypted text means copy protection.
_FONT_OBFUSCATION = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_PAGES = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")
_Titles = tuple[str, ...]  # of a chapter and of its parents, the outermost first
_BASE_TEXTS = etree.XPath(".//text()[not(ancestor::*[local-name()='rt' or local-name()='rp'])]")
_WRITTEN_READING = re.compile(r"\([ぁ-ゖァ-ヺー・]{1,50}\)")  # as the HTML reader writes ruby
_DAMAGED = "reader.epub.damaged"


def read(data: bytes) -> Reading:
    """Read a book. Pages are the parts of the spine, from 1.

    Raises:
        DocumentEncrypted: The book is copy-protected.
    """
    with closing(zipfile.ZipFile(open_package(data))) as archive:
        book = _Book(archive)
        if book.is_locked():
            raise DocumentEncrypted("reader.epub.protected")
        blocks = [block for number, name in book.spine for block in book.read_part(name, number)]
        if not blocks:
            raise DocumentUnreadable("reader.empty_text")
        return Reading(tuple(blocks), book.title, book.length, description=book.description)


class _Book:
    """The package of a book: the order of its parts, and their chapters."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._names = frozenset(archive.namelist())
        roots = _find_named(self._parse_part(_CONTAINER), "rootfile")
        package_name = next((root.get("full-path") for root in roots if root.get("full-path")), "")
        package = self._parse_part(package_name)
        folder = posixpath.dirname(package_name)
        items = {item.get("id"): item for item in _find_named(package, "item")}
        self.title = next(
            (_read_words(title) for title in _find_named(package, "title") if _read_words(title)), ""
        )
        self.description = describe_package(package)
        steps = _find_named(package, "itemref")
        self.length = len(steps)
        # Pictures have a place in the spine as well, and links count them (EPUB CFI, 3.1).
        entries = [
            (number, _resolve_path(folder, items[step.get("idref")].get("href", "")))
            for number, step in enumerate(steps, 1)
            if step.get("idref") in items and items[step.get("idref")].get("media-type") in _PAGES
        ]
        # Only the first entry of a part counts: a thousand may name the same chapter.
        first_numbers = {name: number for number, name in reversed(entries)}
        self.spine = [(number, name) for number, name in entries if first_numbers[name] == number]
        self._listing = self._find_contents_parts(items.values(), package, folder)
        self._chapters = self._read_contents(items, folder)
        self._chapter: _Titles = ()

    def is_locked(self) -> bool:
        if _ENCRYPTION not in self._names:
            return False
        methods = _find_named(self._parse_part(_ENCRYPTION), "EncryptionMethod")
        return any(method.get("Algorithm") not in _FONT_OBFUSCATION for method in methods)

    def read_part(self, name: str, number: int) -> Iterator[Block]:
        """Yield the blocks of a part.

        A part without an entry continues the previous chapter, and so does text before the part's first
        anchor.
        """
        entries = self._chapters.get(name, {})
        if name not in self._names or name in self._listing:
            self._chapter = next(iter(entries.values()), self._chapter)
            return
        html = strip_controls(decode(self._archive.read(name)))
        parts = read_parts(html, entries.keys())
        anchors = {anchor for anchor, _ in parts}
        # An entry for an anchor that is not in the file counts as one for the file.
        lost = (path for anchor, path in entries.items() if anchor not in anchors)
        self._chapter = entries.get("") or next(lost, self._chapter)
        for anchor, blocks in parts:
            if anchor:
                self._chapter = entries[anchor]
            before = blocks[0].headings if anchor and blocks else ()
            for block in blocks:
                chapter = self._chapter if self._chapters else _find_outermost_heading(block)
                yield _place_block(block, number, chapter, before)

    def _find_contents_parts(self, items: Iterable[Any], package: Any, folder: str) -> frozenset[str]:
        """Return the parts that only contain a table of contents."""
        navigation = [item for item in items if "nav" in (item.get("properties") or "").split()]
        guides = [guide for guide in _find_named(package, "reference") if guide.get("type") == "toc"]
        return frozenset(_resolve_path(folder, item.get("href", "")) for item in (*navigation, *guides))

    def _read_contents(self, items: Mapping[str, Any], folder: str) -> Mapping[str, Mapping[str, _Titles]]:
        """Return the path of titles for each part in the table of contents, by anchor."""
        for item in items.values():
            name = _resolve_path(folder, item.get("href", ""))
            if "nav" in (item.get("properties") or "").split() and name in self._names:
                return _group_chapters(_read_nav(self._parse_part(name)), name)
        for item in items.values():
            name = _resolve_path(folder, item.get("href", ""))
            if item.get("media-type") == "application/x-dtbncx+xml" and name in self._names:
                return _group_chapters(_read_ncx(self._parse_part(name)), name)
        return {}

    def _parse_part(self, name: str) -> Any:
        if name not in self._names:
            raise DocumentUnreadable(_DAMAGED)
        parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True)
        tree = etree.fromstring(self._archive.read(name), parser)
        if tree is None:
            raise DocumentUnreadable(_DAMAGED)
        return tree


def _place_block(block: Block, number: int, chapter: _Titles, before: _Titles) -> Block:
    """Return the block in its chapter; `before` are the headings open at the chapter's start."""
    place = chapter[-1] if chapter else ""
    pairs = zip(block.headings, before, strict=False)
    path = block.headings[sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs)) :]
    titles = list(map(_simplify_title, chapter))
    bare_path = list(map(_simplify_title, path))
    while bare_path and (bare_path[0] in titles or _simplify_title(place) in bare_path):
        del bare_path[0]
    path = path[len(path) - len(bare_path) :]
    is_title = block.kind is BlockKind.HEADING and _simplify_title(
        label_heading(block.text)
    ) == _simplify_title(place)
    above = chapter[:-1] if is_title else chapter
    return replace(block, page=number, headings=above + path, place=place)


def _simplify_title(title: str) -> str:
    """Return a title in a form that contents and headings share: no readings, no white space."""
    plain = "".join(unicodedata.normalize("NFKC", title).split())
    return _WRITTEN_READING.sub("", plain)


def _find_outermost_heading(block: Block) -> _Titles:
    """Return the place of a block in a book without contents: its outermost heading."""
    if block.headings or block.kind is not BlockKind.HEADING:
        return block.headings[:1]
    return (label_heading(block.text),)


def _group_chapters(
    entries: Iterator[tuple[str, _Titles]], contents: str
) -> Mapping[str, Mapping[str, _Titles]]:
    chapters: dict[str, dict[str, _Titles]] = {}
    for target, path in entries:
        name = _resolve_path(posixpath.dirname(contents), target)
        anchors = chapters.setdefault(name, {})
        anchor = unquote(target.partition("#")[2])
        outer = anchors.get(anchor, ())
        # If a part of the book begins with its first chapter, that chapter is the place.
        if path[: len(outer)] == outer:
            anchors[anchor] = path
    return chapters


def _read_nav(tree: Any) -> Iterator[tuple[str, _Titles]]:
    lists = [nav for nav in _find_named(tree, "nav") if "toc" in (_attribute(nav, "type") or "toc").split()]
    for link in _find_named(lists[0], "a") if lists else ():
        above = [
            _read_words(next(iter(_find_named(item, "a", "span")), item))
            for item in link.iterancestors("{*}li")
            if not any(child is link for child in item)
        ]
        if link.get("href") and _read_words(link):
            yield link.get("href"), (*filter(None, reversed(above)), _read_words(link))


def _read_ncx(tree: Any) -> Iterator[tuple[str, _Titles]]:
    for point in _find_named(tree, "navPoint"):
        target = next((content.get("src") for content in point.iterchildren("{*}content")), None)
        steps = [point, *point.iterancestors("{*}navPoint")]
        labels = [_read_words(next(step.iterchildren("{*}navLabel"), point)) for step in reversed(steps)]
        if target and labels[-1]:
            yield target, tuple(filter(None, labels))


def _find_named(tree: Any, *names: str) -> list[Any]:
    return list(tree.iter(*(f"{{*}}{name}" for name in names)))


def _attribute(element: Any, name: str) -> str | None:
    """Return an attribute by its local name: `epub:type`."""
    values = (value for key, value in element.attrib.items() if key.rpartition("}")[2] == name)
    return next(values, None)


def _read_words(element: Any) -> str:
    """Return the text of an element without ruby readings."""
    return label_heading(strip_controls("".join(_BASE_TEXTS(element))))


def _resolve_path(folder: str, href: str) -> str:
    return posixpath.normpath(posixpath.join(folder, unquote(href.partition("#")[0])))
