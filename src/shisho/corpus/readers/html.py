"""HTML: the main text by trafilatura under its headings, by readability where trafilatura missed most of it;
all text of the body where there is no main text to find."""

from __future__ import annotations

import re
from itertools import dropwhile
from typing import Any

import lxml.html  # type: ignore[import-untyped]
import trafilatura
from lxml import etree
from readability import Document

from shisho.corpus.readers.described import describe_page
from shisho.corpus.readers.headings import Headings
from shisho.corpus.readers.hidden import drop_elements, drop_hidden
from shisho.corpus.readers.pieces import join_pieces
from shisho.corpus.readers.raised import write_lowered, write_raised
from shisho.corpus.readers.spans import write_out_spans
from shisho.corpus.readers.text import decode, strip_controls
from shisho.domain.corpus import Block, BlockKind, Reading
from shisho.errors import DocumentUnreadable, TooLarge
from shisho.isolation.prescan import MAX_BYTES, check

# trafilatura gives a page with little text back as one paragraph without headings, or misses most of it. All
# letters counts.
SHORT = 1_000
FRAGMENT = 100
# On news pages of 600 to 1,000 letters the rest of the page is 1.5 to 10 times as long and is not the article
# (measured).
LITTLE_ELSE = 1.5
# Where trafilatura's text is poor, readability's steps in: it found next to nothing and readability many
# times as much, or it found less than this share of the letters of the page's paragraphs and readability all
# of that and much more. Measured (F1) on 92 news pages: .946 becomes .969; trafilatura with its own fallbacks
# has .955.
LITTLE = 300
FAR_MORE = 5
SHARE = 0.6
MUCH_MORE = 1.5
PARAGRAPH = 60  # letters; below it stand captions, notes and buttons
MENU = 3  # links
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{2,40})", re.I)
_SPACE = re.compile(r"[ \t\n]+")
_BETWEEN_JAPANESE = re.compile(r"(?<=[ぁ-ヿ一-鿿、。])[ \t]*+\n[ \t]*+(?=[ぁ-ヿ一-鿿])")
_AROUND_BREAK = re.compile(r"(?<! ) *\n *")

# Names of HTML and of trafilatura's own tree side by side.
_KINDS = {
    **dict.fromkeys(("li", "dt", "dd", "item"), BlockKind.LIST),
    **dict.fromkeys(("figcaption", "caption"), BlockKind.CAPTION),
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6", "head"), BlockKind.HEADING),
    "table": BlockKind.TABLE,
    **dict.fromkeys(
        ("p", "div", "section", "article", "main", "aside", "header", "address"), BlockKind.PARAGRAPH
    ),
    **dict.fromkeys(
        ("details", "summary", "blockquote", "quote", "ul", "ol", "dl", "list"), BlockKind.PARAGRAPH
    ),
    "pre": BlockKind.CODE,
}
_SCRIPTS = {"msup": "sup", "msub": "sub"}
_CELLS = frozenset(("td", "th", "cell"))
_ROWS = frozenset(("tr", "row"))
_KEPT_AS_IS = frozenset(("pre", "code"))
# A cell with one of these lays out a page and holds no datum.
_LAYING_OUT = "//table[.//*[self::h1 or self::h2 or self::h3 or self::table or self::p[following-sibling::p]][ancestor::td]]"
# The number of a note in the middle of a sentence of a book.
_NOTE_REFERENCES = "//a[@role='doc-noteref' or @*[name()='epub:type']='noteref']"
_OF_HEAD = frozenset(("title", "meta", "link", "base", "script", "style", "noscript", "template"))
_HIDDEN = (
    "script",
    "style",
    "noscript",
    "template",
    "head",
    "nav",
    "footer",
    "svg",
    "math",
    "iframe",
    "select",
    "button",
)


def read(data: bytes, charset: str | None = None) -> Reading:
    """Headings, paragraphs, list items and tables (a row per line, cells separated by tabs). `charset` is
    what the server named."""
    if len(data) > MAX_BYTES:
        raise TooLarge(
            "The page is larger than {megabytes} MB: save the part you need.", megabytes=MAX_BYTES // 2**20
        )
    match = _CHARSET.search(data, 0, 8192)
    html = strip_controls(decode(data, charset, match[1].decode("ascii", "ignore") if match else None))
    check(html)
    tree = _tree(html)
    blocks: list[Block] = []
    title = ""
    description: dict[str, str] = {}
    if tree is not None:
        description = describe_page(tree)
        title = " ".join((tree.findtext(".//head/title") or "").split())
        drop_hidden(tree)
        _spell_out(tree)
        join_pieces(tree)
        blocks = _main(tree)
        if _size(blocks) < SHORT and _says_less(blocks, _everything(tree)):
            blocks = _without_menus(tree)
    if not blocks:
        raise DocumentUnreadable(
            "The page holds no text. If a browser shows some, save it from there as PDF and add that."
        )
    return Reading(tuple(blocks), title=title, description=description)


def read_whole_blocks(html: str) -> list[Block]:
    """Everything that a page shows, for what is no web page: a chapter of a book, a letter. Raises
    TooLarge."""
    if len(html) > MAX_BYTES:
        raise TooLarge(
            "A part of the file is larger than {megabytes} MB: split it.", megabytes=MAX_BYTES // 2**20
        )
    check(html)
    tree = _tree(html)
    if tree is None:
        return []
    drop_hidden(tree)
    drop_elements(tree, tree.xpath(_NOTE_REFERENCES))
    _spell_out(tree)
    return _everything(tree)


def _tree(html: str) -> Any:
    parser = lxml.html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    try:
        tree = lxml.html.document_fromstring(html.encode("utf-8", "replace"), parser=parser)
    except etree.ParserError:  # nothing but comments, say
        return None
    _begin_body(tree)
    return tree


def _begin_body(tree: Any) -> None:
    """Where <body> is left out, as it may be, libxml2 leaves the elements it does not know in the head:
    article, main …"""
    head = tree.find("head")
    strays = [] if head is None else list(dropwhile(lambda element: element.tag in _OF_HEAD, head))
    if strays:
        body = tree.find("body")
        body = etree.SubElement(tree, "body") if body is None else body
        body[:0] = strays


def _says_less(main: list[Block], whole: list[Block]) -> bool:
    """True where the whole page is wanted: the main text is a fragment, or there is little else on the
    page."""
    if _size(main) < FRAGMENT:
        return not main or _size(whole) < SHORT
    return _size(whole) <= LITTLE_ELSE * _size(main)


def _size(blocks: list[Block]) -> int:
    return len(_squeezed(blocks))


def _spell_out(tree: Any) -> None:
    """Write into the text what only the markup says: 10<sup>2</sup> is not 102, and ruby stands in
    parentheses."""
    for formula in list(tree.iter("math")):
        _write_formula(formula)
    for element in list(tree.iter("sup", "sub")):
        text = "".join(element.itertext())
        element[:] = []
        element.text = write_raised(text) if element.tag == "sup" else write_lowered(text)
    for element in list(tree.iter("rp")):
        element.text = None
    for element in list(tree.iter("rt")):
        element.text = f"({''.join(element.itertext())})"
        element[:] = []
        element.tag = "span"
    etree.strip_tags(tree, "sup", "sub", "ruby", "rb", "rp")
    write_out_spans(tree)


def _write_formula(formula: Any) -> None:
    """MathML as one line of text; what it says once more in another language is left out."""
    etree.strip_elements(formula, "annotation", "annotation-xml", with_tail=False)
    for element in list(formula.iter("msup", "msub", "mfrac", "msqrt")):
        parts = list(element)
        if element.tag in _SCRIPTS and len(parts) == 2:
            parts[1].tag = _SCRIPTS[element.tag]
        elif element.tag == "mfrac" and len(parts) == 2:
            parts[0].tail = "/"
            for part in parts:
                if len("".join(part.itertext()).split()) > 1 or len(part) > 1:
                    part.text = f"({part.text or ''}"
                    part.append(part.makeelement("mo"))
                    part[-1].text = ")"
        elif element.tag == "msqrt":
            element.text = f"√{element.text or ''}"
    for script in list(formula.iter("sup", "sub")):
        text = "".join("".join(script.itertext()).split())
        script[:] = []
        script.text = write_raised(text) if script.tag == "sup" else write_lowered(text)
    text = "".join("".join(formula.itertext()).split())
    formula[:] = []
    formula.attrib.clear()
    formula.tag = "span"
    formula.text = text


def _main(tree: Any) -> list[Block]:
    # "fast" leaves out its own second opinions, "txt" the plain text that "python" would make beside the
    # tree.
    extracted: Any = trafilatura.bare_extraction(
        tree, output_format="txt", fast=True, favor_precision=True, include_comments=False
    )
    blocks = (
        [] if extracted is None or extracted.body is None else _Walk().blocks_of(_with_code(extracted.body))
    )
    size = _size(blocks)
    if size < LITTLE:
        other = _by_readability(tree)
        return other if _size(other) >= max(LITTLE, FAR_MORE * size) else blocks
    if SHORT <= size < SHARE * _in_paragraphs(tree):
        other = _by_readability(tree)
        return other if _size(other) >= MUCH_MORE * size and _holds(other, blocks) else blocks
    return blocks


def _with_code(body: Any) -> Any:
    """trafilatura calls words and whole listings <code> alike: a listing stands by itself."""
    for code in list(body.iter("code")):
        listing = "\n" in "".join(code.itertext()).strip("\n") and code.getparent().tag != "p"
        if listing or code.getparent() is body:
            code.tag = "pre"
            etree.strip_tags(code, "code")
    return body


def _holds(whole: list[Block], part: list[Block]) -> bool:
    """True where most of one text stands in another."""
    text = _squeezed(whole)
    return sum(_size([block]) for block in part if _squeezed([block]) in text) >= 0.9 * _size(part)


def _squeezed(blocks: list[Block]) -> str:
    return "".join("".join(block.text.split()) for block in blocks)


def _in_paragraphs(tree: Any) -> int:
    """Letters in paragraphs that are more than captions and menus."""
    counted = 0
    for paragraph in tree.iter("p"):
        letters = _letters(paragraph)
        if letters >= PARAGRAPH and sum(map(_letters, paragraph.iter("a"))) <= letters / 3:
            counted += letters
    return counted


def _letters(element: Any) -> int:
    return len("".join("".join(element.itertext()).split()))


def _by_readability(tree: Any) -> list[Block]:
    """The part of the page that readability takes for its article; nothing where it finds none."""
    try:
        article = lxml.html.fromstring(Document(lxml.html.tostring(tree, encoding="unicode")).summary())
    except Exception:  # it raises whatever lxml does on a page that it has emptied
        return []
    return _Walk().blocks_of(article)


def _everything(tree: Any) -> list[Block]:
    etree.strip_elements(tree, *_HIDDEN, with_tail=False)
    for table in tree.xpath(_LAYING_OUT):
        for part in [
            part for part in table.iter("tr", "td", "th") if next(part.iterancestors("table")) is table
        ]:
            part.tag = "div"
        table.tag = "div"
    return _Walk().blocks_of(tree)


def _without_menus(tree: Any) -> list[Block]:
    drop_elements(tree, _menus(tree))
    return _Walk().blocks_of(tree)


def _menus(tree: Any) -> list[Any]:
    """Parts that are links and nothing else, and several: in a small page they would be passages under its
    title. None where the whole page is links."""
    letters: dict[Any, tuple[int, int, int]] = {}  # in all, in links, links
    elements = list(tree.iter(etree.Element))
    for element in reversed(elements):  # children before their parents
        below = [letters[child] for child in element if child in letters]
        loose = "".join((element.text or "", *(child.tail or "" for child in element)))
        own_letters = sum(map(str.isalnum, loose))
        whole, linked, links = (sum(column) for column in zip((own_letters, 0, 0), *below, strict=True))
        letters[element] = (whole, whole, 1) if element.tag == "a" else (whole, linked, links)
    whole, linked, _ = letters[elements[0]]
    menus = [
        element
        for element in elements
        if letters[element][2] >= MENU and letters[element][0] == letters[element][1]
    ]
    return menus if linked < whole else []


class _Walk:
    """One pass over a tree, without recursion: a page may be deeper than Python's stack."""

    def __init__(self) -> None:
        self._blocks: list[Block] = []
        self._headings = Headings()
        self._kinds: list[BlockKind] = [BlockKind.PARAGRAPH]
        self._verbatim = 0
        self._text: list[str] = []
        self._row: list[str] = []
        self._rows: list[str] = []

    def blocks_of(self, tree: Any) -> list[Block]:
        for event, element in etree.iterwalk(tree, events=("start", "end")):
            if not isinstance(element.tag, str):
                continue
            if event == "start":
                self._start(element)
            else:
                self._end(element)
        self._flush(1)
        return self._blocks

    def _start(self, element: Any) -> None:
        kind = _KINDS.get(element.tag)
        if kind is not None:
            if BlockKind.TABLE not in self._kinds:
                self._flush(1)
            self._kinds.append(kind)
        self._verbatim += element.tag in _KEPT_AS_IS
        if element.tag in ("br", "lb"):
            self._text.append("\n")
        self._add(element.text)

    def _end(self, element: Any) -> None:
        tag = element.tag
        if tag in _CELLS:
            self._row.append(self._taken().replace("\n", " "))
        elif tag in _ROWS and any(self._row):
            self._rows.append("\t".join(self._row))
            self._row = []
        if tag in _KINDS:
            if BlockKind.TABLE not in self._kinds[:-1]:
                self._flush(_level(element))
            self._kinds.pop()
        self._verbatim -= tag in _KEPT_AS_IS
        self._add(element.tail)

    def _add(self, text: str | None) -> None:
        if text:
            self._text.append(text if self._verbatim else _SPACE.sub(" ", _BETWEEN_JAPANESE.sub("", text)))

    def _taken(self) -> str:
        text = "".join(self._text)
        self._text = []
        return text.strip("\n") if self._verbatim else _AROUND_BREAK.sub("\n", text).strip()

    def _flush(self, level: int) -> None:
        kind = self._kinds[-1]
        text = self._taken()
        if kind is BlockKind.TABLE:
            text = "\n".join(filter(None, (*self._rows, text)))
            self._rows = []
        if not text.strip():
            return
        path = self._headings.open(text, level) if kind is BlockKind.HEADING else self._headings.path
        self._blocks.append(Block(text, kind, headings=path))


def _level(element: Any) -> int:
    name = element.get("rend", "h2") if element.tag == "head" else element.tag
    return int(name[1]) if name[:1] == "h" and name[1:2].isdigit() else 2
