r"""RTF by striprtf: its paragraphs and tables as text, then its notes. Pictures are skipped.

striprtf drops notes, and the words that raise letters. So private signs are inserted into the source before
it is read, and interpreted in the resulting text.

striprtf reads a two-byte letter only if both bytes are hexadecimal numbers. Japanese programs write the
second byte literally if it is an ASCII letter (`\'83e\'83X\'83g` is 「テスト」): bytes are written
uniformly before it sees them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from striprtf.striprtf import rtf_to_text

from shisho.corpus.readers.symbols import write_lowered, write_raised
from shisho.corpus.readers.text import strip_controls
from shisho.domain.corpus import Block, BlockKind, Reading
from shisho.errors import DocumentUnreadable
from shisho.messages import Message

HOW_ELSE = Message("reader.rtf.advice")
_CODE_PAGE = re.compile(rb"\\ansicpg(\d{1,5})")
_CHARSET = re.compile(rb"\\fcharset(\d{1,3})")
_JAPANESE = 128
_TWO_BYTES = {128: 932, 129: 949, 134: 936, 136: 950}  # charset of a font → its code page
# The first byte of a letter of two, and the second however it is written.
_SECOND = rb"(?:\\'([0-9a-fA-F]{2})|\\([\\{}])|([@-\[\]-z|~]))"
_PAIR_CP932 = re.compile(rb"\\'(8[1-9a-fA-F]|9[0-9a-fA-F]|[eE][0-9a-fA-F]|[fF][0-9a-cA-C])" + _SECOND)
_PAIR_WIDE = re.compile(rb"\\'(8[1-9a-fA-F]|[9a-eA-E][0-9a-fA-F]|[fF][0-9a-eA-E])" + _SECOND)
_EIGHT_BITS = re.compile(rb"[\x80-\xff]")
_EIGHT_BITS_CP932 = re.compile(rb"[\x81-\x9f\xe0-\xfc][@-~\x80-\xfc]|[\x80-\xff]")
_EIGHT_BITS_WIDE = re.compile(rb"[\x81-\xfe][@-~\x80-\xfe]|[\x80-\xff]")
# Replacements for undecodable bytes; in cp932 they are private-use characters.
_UNNAMED = re.compile("[\ue000-\uf8ff\ufffd]")
_BINARY = re.compile(rb"\\bin(\d{1,9}) ?")
# striprtf ends a cell with "|". In the text another sign replaces it temporarily; no text has U+FFFE.
_BAR = "\x14"
_CELL = "\ufffe"
_CELLS_AND_BARS = str.maketrans({"|": _CELL, _BAR: "|"})
# An escaped backslash is skipped: the following letters are text.
_ROW_PART = re.compile(rb"\\\\|\\(trowd|row|par|line)(?![a-zA-Z])")

# These hide the following text until they are set to 0 or their group ends; the last two belong to tracked
# changes.
_HIDING = (b"v", b"deleted", b"mvf")
_HIDES = re.compile(rb"\\(?:v|deleted|mvf)(?![a-zA-Z])")
_TOKEN = re.compile(
    rb"\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})? ?|(?P<byte>\\'[0-9a-fA-F]{2})|(?P<sign>\\[^a-zA-Z])"
    rb"|(?P<brace>[{}])|(?P<text>[^\\{}\r\n]+)"
)
# Signs and words that represent a letter.
_SIGNS = frozenset((rb"\{", rb"\}", rb"\\", rb"\~", rb"\-", rb"\_"))
_LETTERS = frozenset(
    b"u tab line emdash endash emspace enspace qmspace bullet lquote rquote ldblquote rdblquote".split()
)

# Private signs: the letters after each are on the line, raised or lowered. None of them encloses text:
# striprtf drops signs inside groups that it skips.
_ON_LINE = "\x11"
_RAISED = "\x12"
_LOWERED = "\x13"
_LEVELS = {b"super": _RAISED, b"sub": _LOWERED, b"nosupersub": _ON_LINE, b"plain": _ON_LINE}
_LEVEL = re.compile(f"([{_ON_LINE}{_RAISED}{_LOWERED}])")
_WRITE = {_RAISED: write_raised, _LOWERED: write_lowered}
_IN_CELL = re.compile(rf"[^\n\t{_CELL}]+")
_NOTE_BEGINS = "\x1e"
_NOTE_ENDS = "\x1f"
_NOTE = re.compile(f"{_NOTE_BEGINS}([^{_NOTE_BEGINS}{_NOTE_ENDS}]*){_NOTE_ENDS}")


def read(data: bytes) -> Reading:
    """Read a file: a block per paragraph, a line of a table per row; notes come last.

    Raises:
        DocumentUnreadable: The content is not RTF.
    """
    page = _find_code_page(data)
    source = (
        _insert_markers(_drop_hidden(_encode_alike(_drop_binary(data), page)))
        .decode("ascii")
        .replace("|", _BAR)
    )
    try:
        text = str(rtf_to_text(source, encoding=f"cp{page}", errors="replace"))  # type: ignore[no-untyped-call]
    except (LookupError, ValueError, TypeError, IndexError, OverflowError) as failure:
        raise DocumentUnreadable("reader.rtf.damaged", how_else=HOW_ELSE) from failure
    text = _join_surrogates(text).translate(_CELLS_AND_BARS)
    blocks = [*_make_blocks(_replace_markers(_NOTE.sub("", text)), rb"\cell" in data), *_read_notes(text)]
    if not blocks:
        raise DocumentUnreadable("reader.rtf.no_text", how_else=HOW_ELSE)
    lost = len(_UNNAMED.findall(text))
    if 10 * lost > len("".join(text.split())):
        raise DocumentUnreadable(
            "reader.rtf.unknown_encoding",
            how_else=HOW_ELSE,
        )
    warning = Message(
        "reader.rtf.unnamed_letters",
        letters=lost,
        how_else=HOW_ELSE,
    )
    return Reading(tuple(blocks), warnings=(warning,) if lost else ())


def _find_code_page(data: bytes) -> int:
    """Return the code page of the document, else that of its fonts, else the western one."""
    if match := _CODE_PAGE.search(data):
        page = int(match[1])
        return page if page and page != 65001 else 1252
    charsets = {int(number) for number in _CHARSET.findall(data)}
    return next((page for charset, page in _TWO_BYTES.items() if charset in charsets), 1252)


def _drop_binary(data: bytes) -> bytes:
    parts: list[bytes] = []
    start = 0
    while match := _BINARY.search(data, start):
        parts.append(data[start : match.start()])
        start = match.end() + int(match[1])
    return b"".join((*parts, data[start:]))


def _encode_alike(data: bytes, page: int) -> bytes:
    """Return the source in ASCII, with each byte of other letters in hexadecimal.

    The second byte of a letter is included.
    """
    # Fields start on a new line: striprtf searches for a link from each to the end of its line.
    data = _with_whole_rows(data).replace(rb"{\field", b"\n" + rb"{\field")
    charsets = {int(number) for number in _CHARSET.findall(data)}
    if page == _TWO_BYTES[_JAPANESE] or _JAPANESE in charsets:
        return _PAIR_CP932.sub(_replace_escape, _EIGHT_BITS_CP932.sub(_escape_bytes, data))
    if page in _TWO_BYTES.values() or charsets & _TWO_BYTES.keys():
        return _PAIR_WIDE.sub(_replace_escape, _EIGHT_BITS_WIDE.sub(_escape_bytes, data))
    return _EIGHT_BITS.sub(_escape_bytes, data)


def _with_whole_rows(data: bytes) -> bytes:
    """Replace line ends inside cells by spaces: striprtf would end the row there."""
    parts: list[bytes] = []
    ends: list[tuple[int, int]] = []
    copied = 0
    in_row = False
    for word in _ROW_PART.finditer(data):
        if word[1] == b"trowd":
            in_row = True
        elif word[1] == b"row":
            for start, end in ends:
                parts += [data[copied:start], b" "]
                copied = end
            ends = []
            in_row = False
        elif word[1] is not None and in_row:
            ends.append(word.span())
    return b"".join((*parts, data[copied:]))


def _drop_hidden(source: bytes) -> bytes:
    """Return the source without hidden letters.

    Separators of paragraphs, rows and groups are kept, and so are words that format letters.
    """
    if not _HIDES.search(source):
        return source
    parts: list[bytes] = []
    copied = 0
    hiding: frozenset[bytes] = frozenset()
    outer: list[frozenset[bytes]] = []
    for token in _TOKEN.finditer(source):
        word = token["word"]
        if token["brace"] == b"{":
            outer.append(hiding)
        elif token["brace"]:
            hiding = outer.pop() if outer else frozenset()
        elif word in _HIDING:
            is_off = token["number"] is not None and not int(token["number"])
            hiding = hiding - {word} if is_off else hiding | {word}
        elif word == b"plain":
            hiding = frozenset()
        elif hiding and (token["text"] or token["byte"] or token["sign"] in _SIGNS or word in _LETTERS):
            parts.append(source[copied : token.start()])
            copied = token.end()
    return b"".join((*parts, source[copied:]))


def _insert_markers(source: bytes) -> bytes:
    """Return the source with markers for the bounds of notes, and for raised and lowered letters."""
    parts: list[bytes] = []
    copied = 0
    level = _ON_LINE
    is_note = False
    outer: list[tuple[str, bool]] = []
    for token in _TOKEN.finditer(source):
        before = level
        sign = ""
        word = token["word"]
        if token["brace"] == b"{":
            outer.append((level, is_note))
            is_note = False
        elif token["brace"]:
            sign = _NOTE_ENDS if is_note else ""
            level, is_note = outer.pop() if outer else (_ON_LINE, False)
        elif word == b"footnote":
            parts.append(source[copied : token.start()])
            copied = token.end()
            sign = _NOTE_BEGINS
            level = _ON_LINE
            is_note = True
        elif word in _LEVELS:
            is_off = token["number"] is not None and not int(token["number"])
            level = _ON_LINE if is_off else _LEVELS[word]
        if level != before:
            sign += level
        if sign:
            parts += [source[copied : token.end()], sign.encode()]
            copied = token.end()
    return b"".join((*parts, source[copied:]))


def _replace_markers(text: str) -> str:
    """Return the text with raised and lowered letters in place of the markers."""
    pieces = _LEVEL.split(text)  # a marker between two
    runs = zip((_ON_LINE, *pieces[1::2]), pieces[::2], strict=True)
    written = groupby((run for run in runs if run[1]), key=itemgetter(0))
    return strip_controls(
        "".join(_write_out(level, "".join(map(itemgetter(1), run))) for level, run in written)
    )


def _write_out(level: str, text: str) -> str:
    if level == _ON_LINE:
        return text
    return _IN_CELL.sub(lambda part: _WRITE[level](part[0]), text)


def _read_notes(text: str) -> Iterator[Block]:
    for note in _NOTE.findall(text):
        lines = [line.strip() for line in _replace_markers(note).split("\n")]
        if words := "\n".join(filter(None, lines)):
            yield Block(words, BlockKind.NOTE)


def _escape_bytes(match: re.Match[bytes]) -> bytes:
    return b"".join(b"\\'%02x" % byte for byte in match[0])


def _replace_escape(match: re.Match[bytes]) -> bytes:
    first, number, escaped, letter = match.groups()
    second = number or b"%02x" % ord(escaped or letter)
    return b"\\'" + first + b"\\'" + second


def _join_surrogates(text: str) -> str:
    """Return the text with surrogate pairs joined.

    RTF writes letters beyond U+FFFF as two halves.
    """
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _make_blocks(text: str, has_cells: bool) -> list[Block]:
    blocks: list[Block] = []
    rows: list[str] = []
    for line in (*text.split("\n"), ""):
        if has_cells and line.endswith(_CELL):
            rows.append("\t".join(" ".join(cell.split()) for cell in line[:-1].split(_CELL)))
            continue
        if any(row.strip() for row in rows):
            blocks.append(Block("\n".join(rows), BlockKind.TABLE))
        rows = []
        if line.strip():
            blocks.append(Block(line.strip()))
    return blocks
