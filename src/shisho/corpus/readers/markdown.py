"""Markdown by markdown-it: the words a reader of the page would quote, without markup, under their
headings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, paragraph, reference
from markdown_it.token import Token

from shisho.corpus.readers.headings import Headings
from shisho.corpus.readers.html import read_whole_blocks
from shisho.corpus.readers.text import decode, strip_controls
from shisho.domain.corpus import Block, BlockKind, Reading
from shisho.errors import DocumentUnreadable

_FRONT_MATTER = re.compile(r"\A---\n(?:.*\n){0,200}?(?:---|\.\.\.)\n")
_TITLE = re.compile(r"^title:(.*\S.*)$", re.M)
_LEVELS = {f"h{level}": level for level in range(1, 7)}
_CODE = ("fence", "code_block")
_TABLE = re.compile(r"<table\b", re.IGNORECASE)
_TABLE_END = re.compile(r"</table\s*>", re.IGNORECASE)
_FENCED = re.compile(r"^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\1|\Z)", re.MULTILINE | re.DOTALL)
_TAG = re.compile(r"<[^<>\n]{1,1000}>")
# With bounds: the lines of a paragraph ask it of the first one again and again.
_DEFINITION = re.compile(
    r"\[(?P<note>\^)?(?:[^\[\]\\]|\\.){0,999}\]:\s{0,999}(?P<target>\S{0,2000})", re.DOTALL
)
_ADDRESS = re.compile(
    r"<|#|\?|\.{0,2}/|[a-z][a-z0-9+.-]+:[!-~]|[!-~]*/|[^。、]*\.[a-z][a-z0-9]{0,9}(?:[?#].*)?\Z",
    re.IGNORECASE,
)


def read(data: bytes, charset: str | None = None) -> Reading:
    """Headings, paragraphs, list items, code and tables (a row per line, cells separated by tabs)."""
    text = strip_controls(decode(data, charset))
    front = _FRONT_MATTER.match(text)
    titles = _TITLE.findall(front[0]) if front else []
    blocks = read_marked_blocks(text[front.end() :] if front else text, Headings())
    if not blocks:
        raise DocumentUnreadable("The file holds no text.")
    first = next((block.text for block in blocks if block.kind is BlockKind.HEADING), "")
    return Reading(tuple(blocks), title=titles[0].strip().strip("\"'").strip() if titles else first)


def read_marked_blocks(text: str, headings: Headings) -> list[Block]:
    """The blocks of a text, under headings that are open already. Tables written in HTML are tables."""
    blocks: list[Block] = []
    at = 0
    for start, end in _html_tables(text):
        blocks += _parsed(text[at:start], headings)
        blocks += [replace(block, headings=headings.path) for block in read_whole_blocks(text[start:end])]
        at = end
    return blocks + _parsed(text[at:], headings)


def _html_tables(text: str) -> Iterator[tuple[int, int]]:
    """Where tables in HTML stand, but for those inside code."""
    code = [match.span() for match in _FENCED.finditer(text)]
    at = 0
    while opening := _TABLE.search(text, at):
        closing = _TABLE_END.search(text, opening.end())
        if closing is None:
            return
        at = closing.end()
        if not any(start < opening.start() < end for start, end in code):
            yield opening.start(), at


def _parsed(text: str, headings: Headings) -> list[Block]:
    parser = MarkdownIt("commonmark").enable("table")
    parser.block.ruler.at("reference", _read_definition, {"alt": ["paragraph"]})
    return _blocks(parser.parse(text), headings)


def _read_definition(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    """CommonMark's rule, which drops what it defines, but that a footnote is a paragraph of text: Japanese
    has no spaces, so that the rule takes a sentence for an address."""
    if silent:  # asked where a paragraph ends: that of a note before the next definition
        return _match_definition(state, line) is not None and _defines_text(state, state.line)
    if _defines_text(state, line):
        return paragraph(state, line, end, silent)
    return reference(state, line, end, silent)


def _defines_text(state: StateBlock, line: int) -> bool:
    """True for a footnote, and for any other definition of what is no address."""
    definition = _match_definition(state, line)
    if definition is None:
        return False
    return definition["note"] is not None or _ADDRESS.match(definition["target"]) is None


def _match_definition(state: StateBlock, line: int) -> re.Match[str] | None:
    if state.is_code_block(line):
        return None
    return _DEFINITION.match(state.src, state.bMarks[line] + state.tShift[line])


def _blocks(tokens: Sequence[Token], headings: Headings) -> list[Block]:
    blocks: list[Block] = []
    opened: list[str] = []  # types, and the tag of a heading (h1 to h6)
    rows: list[list[str]] = []
    for token in tokens:
        if token.nesting == 1:
            opened.append(token.tag if token.type == "heading_open" else token.type.removesuffix("_open"))
            if token.type == "tr_open":
                rows.append([])
        elif token.nesting == -1:
            opened.pop()
            if token.type == "table_close":
                blocks.append(
                    Block(
                        "\n".join("\t".join(row) for row in rows),
                        BlockKind.TABLE,
                        headings=headings.path,
                    )
                )
                rows = []
        elif token.type in ("inline", "fence", "code_block", "html_block"):
            text = _text(token)
            if "table" in opened:
                rows[-1].append(text.replace("\n", " "))
            elif text:
                blocks.append(_block(text, token.type in _CODE, opened, headings))
    return blocks


def _block(text: str, is_code: bool, opened: list[str], headings: Headings) -> Block:
    if is_code:
        return Block(text, BlockKind.CODE, headings=headings.path)
    if opened and opened[-1] in _LEVELS:
        return Block(text, BlockKind.HEADING, headings=headings.open(text, _LEVELS[opened[-1]]))
    kind = BlockKind.LIST if "list_item" in opened else BlockKind.PARAGRAPH
    return Block(text, kind, headings=headings.path)


def _text(token: Token) -> str:
    if token.type == "html_block":
        return _TAG.sub("", token.content).strip()
    if token.type != "inline":
        return token.content.strip("\n")
    parts: list[str] = []
    for child in token.children or ():
        if child.type in ("softbreak", "hardbreak"):
            parts.append("\n")
        elif child.type in ("text", "code_inline", "image"):
            parts.append(child.content)
    return "".join(parts).strip()
