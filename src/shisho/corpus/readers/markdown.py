"""Markdown by markdown-it, read as its rendered page.

HTML in it is interpreted; its comments are dropped.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererProtocol
from markdown_it.rules_block import StateBlock, paragraph, reference
from markdown_it.token import Token

from shisho.corpus.readers.headings import Headings
from shisho.corpus.readers.html import read_whole_blocks
from shisho.corpus.readers.text import decode, strip_controls
from shisho.domain.corpus import ALIAS_SEPARATOR, ALIASES, Block, BlockKind, Reading
from shisho.domain.reference import shorten_fact
from shisho.errors import DocumentUnreadable
from shisho.isolation.prescan import OPTIONAL_END_TAGS

STRETCH = 1 << 20  # characters of HTML read at once: far below the limit of `read_whole_blocks`
_FRONT_MATTER = re.compile(r"\A---\n(?:.*\n){0,200}?(?:---|\.\.\.)\n")
# YAML syntax: a sign announces a value on the lines below.
_TITLE = re.compile(r"^title:[ \t]*(?:[>|][-+\d]{0,2}[ \t]*$)?(.*(?:\n[ \t]+\S.*)*)", re.M)
_ALIASES = re.compile(r"^(?:aliases|alias):[ \t]*(\S.*)?((?:\n[ \t]*-[ \t]+\S.*)*)", re.M)
_TABLE = re.compile(r"(?<!`)<table\b", re.IGNORECASE)
_TABLE_END = re.compile(r"</table\s*>", re.IGNORECASE)
_ROWS = re.compile(r"[^<>]{0,1000}>\s{0,1000}<(?:tr|thead|tbody|caption|colgroup)\b", re.IGNORECASE)
_CELL = re.compile(r"</?(?:tr|td|th|thead|tbody|caption|colgroup)\b", re.IGNORECASE)
_FENCED = re.compile(r"^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\1|\Z)", re.MULTILINE | re.DOTALL)
_EMPTY_LINES = re.compile(r"\n(?:[ \t]*\n)+")
_TAG = re.compile(r"<(?P<end>/)?(?P<name>[A-Za-z][A-Za-z0-9-]*)")
# Bounded, because every line of a paragraph tests it again on the first one.
_DEFINITION = re.compile(
    r"\[(?P<note>\^)?(?:[^\[\]\\]|\\.){0,999}\]:\s{0,999}(?P<target>\S{0,2000})", re.DOTALL
)
_ADDRESS = re.compile(
    r"<|#|\?|\.{0,2}/|[a-z][a-z0-9+.-]+:[!-~]|[!-~]*/|[^。、]*\.[a-z][a-z0-9]{0,9}(?:[?#].*)?\Z",
    re.IGNORECASE,
)


def read(data: bytes, charset: str | None = None) -> Reading:
    """Read a file.

    Blocks are headings, paragraphs, list items, code and tables (a row per line, cells separated by tabs).
    """
    text = strip_controls(decode(data, charset))
    front = _FRONT_MATTER.match(text)
    title = _title_of(front[0]) if front else ""
    aliases = _list_aliases(front[0]) if front else []
    blocks = read_marked_blocks(text[front.end() :] if front else text, Headings())
    if not blocks:
        raise DocumentUnreadable("reader.empty_text")
    first = next((block.text for block in blocks if block.kind is BlockKind.HEADING), "")
    description = {ALIASES: ALIAS_SEPARATOR.join(aliases)} if aliases else {}
    return Reading(tuple(blocks), title=title or first, description=description)


def _title_of(front: str) -> str:
    match = _TITLE.search(front)
    lines = match[1].split("\n") if match else []
    return " ".join(line.strip() for line in lines).strip().strip("\"'").strip()


def _list_aliases(front: str) -> list[str]:
    """Return the aliases of the title: in a row with commas, or one per line after a hyphen."""
    match = _ALIASES.search(front)
    if match is None:
        return []
    parts = match[1].strip().strip("[]").split(",") if match[1] else match[2].split("\n")
    names = (part.strip().removeprefix("- ").strip().strip("\"'").strip() for part in parts)
    return [shorten_fact(ALIASES, name.replace(ALIAS_SEPARATOR.strip(), ",")) for name in names if name]


def read_marked_blocks(text: str, headings: Headings) -> list[Block]:
    """Return the blocks of a text under headings that are open already. HTML is interpreted."""
    parser = MarkdownIt("commonmark", {"breaks": True}).enable(["table", "strikethrough"])
    parser.block.ruler.at("reference", _read_definition, {"alt": ["paragraph"]})
    parser.add_render_rule("image", _write_description)
    tokens = parser.parse(_with_whole_tables(text))
    return [
        block
        for stretch in _render_stretches(parser, tokens)
        for block in read_whole_blocks(stretch, headings)
    ]


def _with_whole_tables(text: str) -> str:
    """Make each HTML table a separate block: in Markdown an empty line inside ends it."""
    parts: list[str] = []
    at = 0
    for start, end in _find_html_tables(text):
        table = _EMPTY_LINES.sub("\n", text[start:end])
        parts += [text[at:start], table if _TABLE_END.search(table) else f"{table}</table>"]
        at = end
    return "\n\n".join((*parts, text[at:]))


def _find_html_tables(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of HTML tables, except those inside code."""
    code = [match.span() for match in _FENCED.finditer(text)]
    at = 0
    while opening := _TABLE.search(text, at):
        closing = _TABLE_END.search(text, opening.end())
        if closing is None and not _ROWS.match(text, opening.end()):
            return
        at = closing.end() if closing else _find_broken_end(text, opening.end())
        place = bisect(code, opening.span()) - 1
        if place < 0 or opening.start() >= code[place][1]:
            yield opening.start(), at


def _find_broken_end(text: str, start: int) -> int:
    """Return the end of a truncated table: after the paragraph of its last cell."""
    last = deque(_CELL.finditer(text, start), maxlen=1).pop()
    empty = _EMPTY_LINES.search(text, last.end())
    return empty.start() if empty else len(text)


def _read_definition(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    """Parse a definition.

    CommonMark's rule drops definitions, but footnotes are kept as paragraphs. Japanese has no spaces, so the
    rule takes a sentence for an address.
    """
    if silent:  # tests where a paragraph ends: a note's, before the next definition
        return _match_definition(state, line) is not None and _is_text_definition(state, state.line)
    if _is_text_definition(state, line):
        return paragraph(state, line, end, silent)
    return reference(state, line, end, silent)


def _is_text_definition(state: StateBlock, line: int) -> bool:
    """Return whether a definition is a footnote, or has a target that is not an address."""
    definition = _match_definition(state, line)
    if definition is None:
        return False
    return definition["note"] is not None or _ADDRESS.match(definition["target"]) is None


def _match_definition(state: StateBlock, line: int) -> re.Match[str] | None:
    if state.is_code_block(line):
        return None
    return _DEFINITION.match(state.src, state.bMarks[line] + state.tShift[line])


def _render_stretches(parser: MarkdownIt, tokens: Sequence[Token]) -> Iterator[str]:
    """Yield the text as HTML, in stretches of whole blocks: a file may exceed a page's limit."""
    parts: list[str] = []
    length = 0
    for block in _group_blocks(tokens):
        parts.append(str(parser.renderer.render(block, parser.options, {})))
        length += len(parts[-1])
        if length > STRETCH:
            yield "".join(parts)
            parts = []
            length = 0
    yield "".join(parts)


def _group_blocks(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    block: list[Token] = []
    for token in tokens:
        if token.children:
            token.children = _drop_unclosed(token.children)
        block.append(token)
        if token.level == 0 and token.nesting <= 0:
            yield block
            block = []


def _drop_unclosed(children: Sequence[Token]) -> list[Token]:
    """Return children without tags that are never closed in their paragraph.

    Words like <file> would be elements without an end, and <title> would swallow the rest.
    """
    opened: defaultdict[str, list[int]] = defaultdict(list)
    for place, child in enumerate(children):
        tag = _TAG.match(child.content) if child.type == "html_inline" else None
        if tag is None or tag["name"].lower() in OPTIONAL_END_TAGS:
            continue
        places = opened[tag["name"].lower()]
        if not tag["end"]:
            places.append(place)
        elif places:
            places.pop()
    unclosed = {place for places in opened.values() for place in places}
    return [child for place, child in enumerate(children) if place not in unclosed]


def _write_description(_: RendererProtocol, tokens: Sequence[Token], place: int, *__: object) -> str:
    """Return the description of a picture."""
    return escapeHtml(tokens[place].content)
