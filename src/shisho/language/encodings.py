"""Names of encodings as web servers and pages write them, and decoding by them.

Follows the WHATWG's encoding standard if Python's codecs differ: Shift_JIS is Windows' variant, Latin-1 is
windows-1252, and EUC-JP and ISO-2022-JP contain ① and 髙.
"""

from __future__ import annotations

import codecs

from shisho.language import compile_lazily

_LABEL = compile_lazily(r"[a-z0-9_.:-]{1,40}")
# Labels that Python does not know, and subsets that the standard reads as larger encodings.
_MEANT = {
    **dict.fromkeys(("shift_jis", "x-sjis", "windows-31j"), "cp932"),
    **dict.fromkeys(("euc_jp", "x-euc-jp"), "euc_jp"),
    "iso2022_jp": "iso2022_jp_ext",
    **dict.fromkeys(("iso8859-1", "ascii"), "cp1252"),
    **dict.fromkeys(("gb2312", "gbk", "x-gbk"), "gb18030"),
    "euc_kr": "cp949",
    "big5": "big5hkscs",
    "iso8859-9": "cp1254",
    **dict.fromkeys(("tis-620", "windows-874"), "cp874"),
    "utf-16": "utf-16-le",
    **dict.fromkeys(("utf-8-sig", "unicode-1-1-utf-8"), "utf-8"),
}
# Only these: Python has codecs (punycode, unicode_escape, utf-7) that a page must not invoke on its reader.
_READ = frozenset(
    (
        "utf-8", "utf-16-le", "utf-16-be", "cp932", "euc_jp", "iso2022_jp_ext", "gb18030", "big5hkscs", "cp949",
        "koi8-r", "koi8-u", "mac-roman", "cp866", "cp874", *(f"cp{number}" for number in range(1250, 1259)),
        *(f"iso8859-{number}" for number in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)),
    )
)  # fmt: skip
# Six signs of JIS that Windows and browsers map to other characters: otherwise 〜 would differ from the ～ of
# Shift_JIS.
_AS_IN_WINDOWS = str.maketrans("〜‖−¢£¬", "～∥－￠￡￢")
_UNREADABLE = "\ufffd"


def find_codec(label: str | None) -> str | None:
    """Return the codec that a label names, or None."""
    name = (label or "").strip(" \t\r\n\"'").lower()
    if not _LABEL.fullmatch(name):
        return None
    try:
        known_text = codecs.lookup(name).name if name not in _MEANT else name
    except LookupError:
        return None
    meant = _MEANT.get(known_text, known_text)
    return meant if meant in _READ else None


def decode_with(data: bytes, codec: str) -> str:
    """Return the text, with unreadable bytes as U+FFFD; never fails."""
    if codec in ("euc_jp", "iso2022_jp_ext"):
        return data.decode(codec, "shisho.jis").translate(_AS_IN_WINDOWS)
    return data.decode(codec, "replace")


def is_plausible(text: str) -> bool:
    """Return whether the text was decoded with the right encoding.

    A damaged byte or two is damage; one in fifty means another encoding.
    """
    unreadable = text.count(_UNREADABLE)
    return not unreadable or 50 * unreadable <= len(text) - len(text.encode("ascii", "ignore"))


def _decode_extended(error: UnicodeError) -> tuple[str, int]:
    """Decode two bytes of JIS that Python's codecs lack through Windows' Shift_JIS.

    That contains the rows of NEC and IBM.
    """
    assert isinstance(error, UnicodeDecodeError)
    pair = [byte & 0x7F for byte in error.object[error.start : error.start + 2]]
    if len(pair) == 2 and all(0x21 <= byte <= 0x7E for byte in pair):
        row = pair[0] - 0x21
        cell = pair[1] - 0x21
        lead = 0x81 + row // 2 if row < 62 else 0xC1 + row // 2
        trail = 0x9F + cell if row % 2 else 0x40 + cell + (cell >= 63)
        text = bytes((lead, trail)).decode("cp932", "ignore")
        if len(text) == 1:
            return text, error.start + 2
    return _UNREADABLE, error.end


codecs.register_error("shisho.jis", _decode_extended)
