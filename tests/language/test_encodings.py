"""Names of encodings as servers and pages write them, and what bytes become by them."""

from __future__ import annotations

import time

import pytest

from shisho.language.encodings import decode_with, find_codec, is_plausible
from tests.tables import each_row

KANA = "司書は棚を歩く。①㈱髙﨑～ⅨﾊﾝｶｸNo."


def euc(text: str) -> bytes:
    """EUC-JP as Windows and browsers write it: the two bytes of Shift_JIS moved into JIS's rows."""
    return b"".join(
        letter.encode() if len(pair) == 1 and pair < b"\x80"
        else b"\x8e" + pair if len(pair) == 1
        else bytes(byte | 0x80 for byte in jis(pair))
        for letter in text if (pair := letter.encode("cp932"))
    )  # fmt: skip


def iso2022(text: str) -> bytes:
    return b"\x1b$B" + b"".join(jis(letter.encode("cp932")) for letter in text) + b"\x1b(B"


def jis(pair: bytes) -> bytes:
    """Rows of JIS X 0208 and its makers' extensions (13, 89 to 92) from Shift_JIS, IBM's rows by NEC's
    selection of them."""
    lead, trail = pair
    if lead >= 0xFA:
        lead, trail = SELECTED[pair]
    row = (lead - 0x81 if lead < 0xA0 else lead - 0xC1) * 2 + (trail >= 0x9F)
    cell = trail - 0x9F if trail >= 0x9F else trail - 0x40 - (trail > 0x7F)
    return bytes((row + 0x21, cell + 0x21))


SELECTED = {"髙".encode("cp932"): b"\xee\xe0", "﨑".encode("cp932"): b"\xed\x95"}


@each_row(
    ("label", "codec"),
    [
        ("Shift_JIS", "cp932"), (" SHIFT-JIS ", "cp932"), ("x-sjis", "cp932"), ("windows-31j", "cp932"), ("MS_Kanji", "cp932"),
        ("Windows-31J", "cp932"), ("sjis", "cp932"), ("EUC-JP", "euc_jp"), ("x-euc-jp", "euc_jp"), ("eucJP", "euc_jp"),
        ("iso-2022-jp", "iso2022_jp_ext"), ("csISO2022JP", "iso2022_jp_ext"), ("UTF-8", "utf-8"), ("utf8", "utf-8"),
        ('"utf-8"', "utf-8"), ("'EUC-JP'", "euc_jp"), ("utf-16", "utf-16-le"), ("UTF-16BE", "utf-16-be"),
        ("iso-8859-1", "cp1252"), ("latin1", "cp1252"), ("us-ascii", "cp1252"), ("windows-1252", "cp1252"),
        ("iso-8859-15", "iso8859-15"), ("gb2312", "gb18030"), ("gbk", "gb18030"), ("big5", "big5hkscs"),
        ("euc-kr", "cp949"), ("ks_c_5601-1987", "cp949"), ("koi8-r", "koi8-r"), ("windows-874", "cp874"),
    ],
)  # fmt: skip
def test_labels(label: str, codec: str) -> None:
    assert find_codec(label) == codec


@each_row(
    "label",
    [None, "", " ", "none", "utf-8mb4", "x-user-defined", "punycode", "idna", "unicode_escape", "raw_unicode_escape", "utf-7",
     "rot13", "zlib", "base64", "undefined", "mbcs", "utf-8\0", "../../etc", "日本語", "a" * 5_000, "utf-8, utf-8"],
)  # fmt: skip
def test_what_names_no_encoding(label: str | None) -> None:
    assert find_codec(label) is None


def test_japanese_as_browsers_read_it() -> None:
    assert decode_with(KANA.encode("cp932"), "cp932") == KANA
    assert decode_with(euc(KANA), "euc_jp") == KANA
    wide = "".join(letter for letter in KANA.replace("～", "") if letter not in "ﾊﾝｶｸNo.")
    assert decode_with(iso2022(wide), "iso2022_jp_ext") == wide
    assert decode_with(b"\x1b(I\x4a\x5d\x1b(Bx", "iso2022_jp_ext") == "ﾊﾝx"


@each_row("codec", ["euc_jp", "iso2022_jp_ext", "cp932", "utf-8", "gb18030"])
def test_damage_is_shown_and_nothing_fails(codec: str) -> None:
    for data in (
        bytes(range(256)) * 40,
        b"\x1b$B" + bytes(range(33, 127)) * 40,
        b"\xa4",
        b"\x8f",
        b"\x1b$",
        b"\x1b$B!",
    ):
        assert decode_with(data, codec)


@pytest.mark.slow
def test_damage_takes_time_that_grows_with_the_bytes() -> None:
    began = time.process_time()
    decode_with(b"\xff" * 200_000, "euc_jp")
    decode_with(b"\x1b$B" + b"\x2d\x21" * 100_000, "iso2022_jp_ext")
    assert time.process_time() - began < 5


def test_a_damaged_letter_is_no_other_encoding() -> None:
    assert is_plausible("あ" * 100) and is_plausible("") and is_plausible("ascii")
    assert is_plausible("あ" * 100 + "\ufffd")
    assert not is_plausible("あ" * 10 + "\ufffd")
    assert not is_plausible("ascii only " * 100 + "\ufffd")
