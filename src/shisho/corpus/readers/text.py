"""Plain text, and the one place where bytes of unknown encoding become characters."""

from __future__ import annotations

import codecs
import re

from shisho.domain.corpus import Block, Reading
from shisho.errors import DocumentUnreadable

_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_ALIASES = {"shift_jis": "cp932", "shift-jis": "cp932", "x-sjis": "cp932", "sjis": "cp932", "windows-31j": "cp932"}
_KANA = re.compile("[ぁ-ヺー]")
_HALF_WIDTH = re.compile("[｡-ﾟ]")
# A control character breaks terminals and databases; a space of the same length keeps every offset.
_CONTROLS = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 127), " ")
_BLANK_LINES = re.compile(r"\n[^\S\n]*\n\s*")


def read(data: bytes, password: str | None = None) -> Reading:
    """Blocks are paragraphs between blank lines."""
    text = plain(decode(data))
    blocks = tuple(Block(part) for part in _BLANK_LINES.split(text.strip("\n")) if part.strip())
    if not blocks:
        raise DocumentUnreadable("The file holds no text.")
    return Reading(blocks)


def plain(text: str) -> str:
    """Line ends as \\n and no control characters."""
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(_CONTROLS)


def decode(data: bytes, declared: str | None = None) -> str:
    """Byte order mark, then UTF-8, then what is declared, then the Japanese encodings, then a guess."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    for candidate in ("iso2022_jp" if b"\x1b$" in data else None, "utf-8", declared):
        text = _strictly(data, candidate)
        if text is not None:
            return text
    return _japanese(data) or _guessed(data)


def _strictly(data: bytes, encoding: str | None) -> str | None:
    if not encoding:
        return None
    try:
        return data.decode(_ALIASES.get(encoding.strip().lower(), encoding.strip()))
    except (UnicodeDecodeError, LookupError, ValueError):
        return None


def _japanese(data: bytes) -> str | None:
    # Each of the two often decodes the other's bytes, but then yields half-width kana instead of kana.
    texts = [text for name in ("cp932", "euc_jp") if (text := _strictly(data, name)) is not None]
    scored = [(len(_KANA.findall(text)) - len(_HALF_WIDTH.findall(text)), text) for text in texts]
    score, best = max(scored, default=(0, ""))
    return best if score > 0 else None


def _guessed(data: bytes) -> str:
    import charset_normalizer

    best = charset_normalizer.from_bytes(data[:100_000]).best()
    if best is None or b"\x00" in data[:4096]:
        raise DocumentUnreadable("The text is in no known encoding: save it as UTF-8.")
    return data.decode(best.encoding, "replace")
