"""Which encoding a page or a text is read by: its mark, what it is, its server's word, its own word, what it
looks like."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from shisho.corpus.readers import delimited, html, text
from shisho.corpus.readers.killable import KillableReader
from shisho.domain.corpus import Source
from shisho.errors import UnusableDocument

WORDS = "短い日本語の文。①㈱と〇、サーバーの表～"
PLAIN = "短い日本語の文である。"


def page(words: str, meta: str = "") -> str:
    named = f"<meta charset='{meta}'>" if meta else ""
    return f"<html><head>{named}<title>題</title></head><body><p>{words}</p></body></html>"


def words_of(data: bytes, charset: str | None) -> str:
    return "".join(block.text for block in html.read(data, charset).blocks)


@pytest.fixture
async def reader() -> AsyncIterator[KillableReader]:
    made = KillableReader(10, 1024, 2**20)
    yield made
    await made.close()


LABELS = {
    "Shift_JIS": "cp932",
    "windows-31j": "cp932",
    "x-sjis": "cp932",
    "EUC-JP": "euc_jis_2004",
    "UTF-8": "utf-8",
    "utf-16le": "utf-16-le",
    "utf-16": "utf-16-le",
    "utf-16be": "utf-16-be",
}


@pytest.mark.parametrize("kind", ["text/html", "text/plain", "text/markdown"])
async def test_only_the_server_says_it(reader: KillableReader, kind: str) -> None:
    whole = page(WORDS) if kind == "text/html" else f"{WORDS}\n"
    for label, encoding in LABELS.items():
        written = whole.replace("～", "〜") if encoding == "euc_jis_2004" else whole
        data = written.encode(encoding)
        reading = await reader.read(Source("https://example.jp/x", data, kind, charset=label))
        assert [block.text for block in reading.blocks] == [WORDS], label


async def test_the_mail_encoding_needs_no_word(reader: KillableReader) -> None:
    data = page(PLAIN).encode("iso2022_jp")
    for label in ("ISO-2022-JP", None, "utf-8", "Shift_JIS"):
        reading = await reader.read(Source("https://example.jp/x", data, "text/html", charset=label))
        assert reading.blocks[0].text == PLAIN and reading.title == "題"


@pytest.mark.parametrize(
    ("encoding", "header", "meta"),
    [
        ("euc_jp", "EUC-JP", "Shift_JIS"),  # the server's word stands before the page's
        ("cp932", "Shift_JIS", "EUC-JP"),
        ("cp932", "Shift_JIS", "utf-8"),
        ("cp932", "utf-8", "Shift_JIS"),  # a word that the bytes belie is passed over
        ("euc_jp", "utf-8", "EUC-JP"),
        ("cp932", "iso-8859-1", "Shift_JIS"),
        ("euc_jp", "iso-8859-1", "EUC-JP"),  # bytes cannot belie it, kana can
        ("euc_jp", "us-ascii", ""),
        ("cp932", "windows-1252", ""),
        ("utf-8", "Shift_JIS", "EUC-JP"),
        ("utf-8", "iso-8859-1", "utf-8"),
        ("utf-8", "utf-16", ""),
        ("utf-8-sig", "Shift_JIS", "EUC-JP"),  # a mark stands before every word
        ("utf-16", "Shift_JIS", ""),
        ("cp932", "no-such-charset", "Shift_JIS"),
        ("cp932", "punycode", "Shift_JIS"),
        ("euc_jp", "unicode_escape", "EUC-JP"),
        ("cp932", "", "no-such-charset"),
        ("euc_jp", "", ""),
    ],
)
def test_words_that_disagree(encoding: str, header: str, meta: str) -> None:
    assert words_of(page(PLAIN, meta).encode(encoding), header or None) == PLAIN


def test_of_two_words_that_fit_the_servers_counts() -> None:
    data = page("caf\xe9", "koi8-r").replace("題", "t").encode("latin1")
    assert words_of(data, "windows-1252") == "café"
    assert words_of(data, None) == "cafИ"


@pytest.mark.parametrize("words", ["Price ¥¥¥ or ¤¤, café", "naïve “quoted” ‚low‘ ƒ 5 €", "¥é ¤ü ¥à"])
def test_western_words_stay_western(words: str) -> None:
    assert words_of(page(words).replace("題", "t").encode("cp1252"), "iso-8859-1") == words


def test_a_damaged_letter_does_not_change_the_encoding() -> None:
    long = PLAIN * 20
    for encoding, label in (
        ("cp932", "Shift_JIS"),
        ("euc_jp", "EUC-JP"),
        ("utf-8", "utf-8"),
        ("utf-8", None),
    ):
        data = page(long).encode(encoding).replace(b"</p>", long[0].encode(encoding)[:1] + b"</p>")
        assert words_of(data, label).startswith(long), encoding


WIDE = "The cost of an inspection is 3,000 yen.\nNaïve café – 5 €, l’été."


@pytest.mark.parametrize("encoding", ["utf-32", "utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be"])
async def test_wide_letters_have_no_white_between_them(reader: KillableReader, encoding: str) -> None:
    mark = "\ufeff" if encoding.startswith("utf-32-") else ""
    for words in (WIDE, "Plain ASCII.", *([PLAIN] if "32" in encoding else [])):
        for name in ("a.txt", "a.md", "a"):
            if name != "a" or "32" in encoding:
                reading = await reader.read(Source(name, f"{mark}{words}".encode(encoding)))
                assert [block.text for block in reading.blocks] == [words]


@pytest.mark.parametrize("encoding", ["utf-32", "utf-16-le", "utf-16-be"])
def test_a_table_of_wide_letters_has_its_cells(encoding: str) -> None:
    blocks = delimited.read("item,cost\ninspection,3000\nparts,500\n".encode(encoding)).blocks
    assert [block.text for block in blocks] == ["item: inspection\tcost: 3000\nitem: parts\tcost: 500"]


def test_a_zero_here_and_there_is_no_wide_letter() -> None:
    assert text.decode(b"plain\x00text \x00\x00 with zeros") == "plain\x00text \x00\x00 with zeros"
    assert text.decode(b"a") == "a"
    assert text.decode(b"") == ""


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("words", [PLAIN, f"{PLAIN}\n", f"{PLAIN}\r\n第2章\n\n{PLAIN}\n", "ある"])
def test_japanese_of_wide_letters_needs_no_mark(encoding: str, words: str) -> None:
    assert text.decode(words.encode(encoding)) == words


@pytest.mark.parametrize("encoding", ["cp932", "euc_jp"])
@pytest.mark.parametrize("words", ["あ0い0う0え0", "品番,数\nア0,10\nイ0,20\n", "00あ00い"])
def test_japanese_with_figures_is_not_taken_for_wide_letters(encoding: str, words: str) -> None:
    assert text.decode(words.encode(encoding)) == words


@pytest.mark.parametrize(
    ("words", "encoding"),
    [
        ("Grüße aus München – naïve café “quoted” €5", "cp1252"),
        ("La société a été fondée à Besançon.", "cp1252"),
        ("A informação não está disponível em São João.", "cp1252"),
        ("Zażółć gęślą jaźń. Łódź jest miastem w Polsce; świętować będziemy jutro.", "cp1250"),
        ("Příliš žluťoučký kůň úpěl ďábelské ódy. Město leží na řece Vltavě.", "cp1250"),
        ("Адрес компании находится в Москве, на улице Тверской.", "cp1251"),
        ("Η ελληνική γλώσσα είναι μία από τις αρχαιότερες γλώσσες.", "cp1253"),
    ],
)
def test_of_equal_guesses_the_western_one_counts(words: str, encoding: str) -> None:
    assert text.decode(words.encode(encoding)) == words


def test_text_by_its_server() -> None:
    blocks = text.read("caf\xe9 na\xefve".encode("cp1252"), "windows-1252").blocks
    assert blocks[0].text == "café naïve"
    assert text.read("Привет".encode("koi8-r"), "koi8-r").blocks[0].text == "Привет"


@pytest.mark.parametrize(
    "label", ["punycode", "idna", "zlib", "unicode_escape", "utf-7", "\ud800", "a" * 9_999]
)
async def test_strange_words_do_no_harm(reader: KillableReader, label: str) -> None:
    for data in (page(PLAIN, label).encode("cp932", "ignore"), b"xn--" + b"a-" * 100_000):
        try:
            reading = await reader.read(Source("https://example.jp/x", data, "text/html", charset=label))
        except UnusableDocument as reason:
            assert "longer" not in reason.message
        else:
            assert reading.blocks
