"""Plain text, and the only place where bytes of unknown encoding become characters."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from shisho.domain.corpus import Block, Reading
from shisho.errors import DocumentUnreadable
from shisho.language.encodings import decode_with, find_codec, is_plausible

LONGEST = 200_000  # characters of a paragraph
SHORT = 64 << 10  # bytes, read in a millisecond: a request to a child costs as much
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins with the next one
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
WESTERN = "cp1252"  # the default encoding of browsers
_KANA = re.compile("[ぁ-ヺー]")
_HALF_WIDTH = re.compile("[｡-ﾟ]")
# A control character breaks terminals and databases; a space of the same length keeps every offset.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_WIDE = re.compile(rb"[\x80-\xff](?:[\x40-\x7e\x80-\xfc])?")
LOOKED_AT = 100_000  # bytes
FEW_KANA = 5  # distinct ones: "¥¥¥" is one in EUC-JP
KANA_SHARE = 0.2  # of Japanese prose: other bytes read as UTF-16 have hardly any
_BLANK_LINES = re.compile(r"\n[^\S\n]*\n\s*")


def is_harmless(data: bytes, charset: str | None = None) -> bool:
    """Return whether a text is short and in UTF-8.

    Reading it requires no parsing or guessing, so it needs no child process (docs/adr/0012).
    """
    return (
        len(data) <= SHORT
        and not charset
        and b"\x1b" not in data
        and _decode_strictly(data, "utf-8") is not None
    )


def read(data: bytes, charset: str | None = None) -> Reading:
    """Read paragraphs between blank lines. `charset`: the encoding that the server named."""
    blocks = tuple(map(Block, split_paragraphs(strip_controls(decode(data, charset)))))
    if not blocks:
        raise DocumentUnreadable("reader.empty_text")
    return Reading(blocks)


def split_paragraphs(text: str) -> Iterator[str]:
    """Yield the stretches between blank lines, none longer than `LONGEST`."""
    for paragraph in _BLANK_LINES.split(text.strip("\n")):
        if paragraph.strip():
            yield from _split_paragraph(paragraph)


def _split_paragraph(paragraph: str) -> Iterator[str]:
    """Yield a paragraph unchanged, or in pieces that end with a line.

    A log may have a hundred megabytes without a blank line.
    """
    start = 0
    while len(paragraph) - start > LONGEST:
        line = paragraph.rfind("\n", start + 1, start + LONGEST)
        end = start + LONGEST if line < 0 else line
        if piece := paragraph[start:end].strip("\n"):
            yield piece
        start = end
    if rest := paragraph[start:].strip("\n") if start else paragraph:
        yield rest


def strip_controls(text: str) -> str:
    r"""Return the text with \n as line end and without control characters."""
    return _CONTROL.sub(" ", text.replace("\r\n", "\n").replace("\r", "\n"))


def decode(data: bytes, *labels: str | None) -> str:
    """Return the text in its detected encoding.

    By the byte order mark, or the zeros of Latin letters in UTF-16; as UTF-8 if valid, because nothing else
    looks like it by accident; by the first label that the bytes agree with (a server's precedes a page's
    own); by the Japanese encodings; by a guess.
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    if wide_codec := _detect_by_zeros(data[:LOOKED_AT]):
        return data.decode(wide_codec, "replace")
    named_words = [codec for label in labels if (codec := find_codec(label))]
    # Bytes of these two are valid UTF-8 as well. In UTF-16 every ASCII letter has a zero; without any, the
    # label is wrong.
    wide = [codec for codec in named_words if codec.startswith("utf-16") and b"\x00" in data]
    escaped = ["iso2022_jp_ext"] if b"\x1b$" in data else []
    narrow = [
        _interpret_western(data) if codec == WESTERN else codec
        for codec in named_words
        if not codec.startswith("utf-16")
    ]
    return (
        _decode_agreeing(data, *wide, *escaped)
        or _decode_strictly(data, "utf-8")
        or _decode_agreeing(data, *narrow, "utf-8")
        or _decode_japanese(data)
        or _guess_text(data)
    )


def _detect_by_zeros(head: bytes) -> str:
    """Return UTF-16 if every second byte is zero except for a few signs; otherwise "".

    ASCII in UTF-16 is valid UTF-8 as well.
    """
    first_zeros = head[::2].count(0)
    second_zeros = head[1::2].count(0)
    many = max(1, 0.8 * (len(head) // 2))
    few = 0.02 * len(head) / 2
    if second_zeros >= many and first_zeros <= few:
        return "utf-16-le"
    return "utf-16-be" if first_zeros >= many and second_zeros <= few else ""


def _decode_agreeing(data: bytes, *encodings: str) -> str | None:
    return next((text for encoding in encodings if is_plausible(text := decode_with(data, encoding))), None)


def _decode_strictly(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None


def _interpret_western(data: bytes) -> str:
    """Return the encoding that a Western label means.

    Unconfigured servers label every page as Western, and all bytes agree with that, including those of
    EUC-JP. Text that is full of kana when read as Japanese is Japanese.
    """
    for codec in ("euc_jp", "cp932"):
        text = decode_with(data, codec)
        kana = _KANA.findall(text)
        is_full = len(set(kana)) >= FEW_KANA and len(kana) > len(_HALF_WIDTH.findall(text))
        if is_full and is_plausible(text):
            return codec
    return WESTERN


def _decode_japanese(data: bytes) -> str | None:
    # Each of the two often decodes the other's bytes, but then yields half-width kana instead of kana.
    texts = [text for name in ("cp932", "euc_jp") if (text := _decode_strictly(data, name)) is not None]
    texts += [
        text
        for name in ("utf-16-le", "utf-16-be")
        if (text := _decode_strictly(data, name)) and _is_prose(text)
    ]
    scored = [(len(_KANA.findall(text)) - len(_HALF_WIDTH.findall(text)), text) for text in texts]
    score, best = max(scored, default=(0, ""))
    if score > 0:
        return best
    return _decode_strictly(data, "cp932") if _is_common_kanji(data) else None


def _is_prose(text: str) -> bool:
    head = text[:LOOKED_AT]
    return len(_KANA.findall(head)) >= KANA_SHARE * len(head)


def _is_common_kanji(data: bytes) -> bool:
    """Return whether bytes are kanji without kana, such as a table of names.

    The first bytes of common kanji in Shift_JIS (its level 1) are neither letters of other encodings nor
    half-width kana.
    """
    leads = _WIDE.findall(data[:LOOKED_AT])
    common = sum(0x88 <= lead[0] <= 0x97 for lead in leads)
    return len(leads) > 1 and common >= 0.8 * len(leads)


def _guess_text(data: bytes) -> str:
    import charset_normalizer

    guesses = charset_normalizer.from_bytes(data[:LOOKED_AT])
    best = guesses.best()
    if best is None or b"\x00" in data[:4096]:
        raise DocumentUnreadable("reader.text.unknown_encoding")
    # Equally good guesses are in the order of their names, Poland's before Western Europe's.
    equal = [guess for guess in guesses if (guess.chaos, guess.coherence) == (best.chaos, best.coherence)]
    is_western = any(WESTERN in guess.could_be_from_charset for guess in equal)
    return data.decode(WESTERN if is_western else best.encoding, "replace")
