"""Books by their chapters, letters by who wrote them, notebooks by their cells."""

from __future__ import annotations

import io
import json
import zipfile
from collections import Counter
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from shisho.corpus.readers import eml, epub, media, notebook
from shisho.corpus.readers.killable import KillableReader
from shisho.domain.corpus import Reading, Source
from shisho.errors import DocumentEncrypted, DocumentUnreadable, TooLarge, UnusableDocument
from tests.corpus.readers import making_books as making


@pytest.fixture
async def reader() -> AsyncIterator[KillableReader]:
    made = KillableReader(10, 1024, 50 * 2**20)
    yield made
    await made.close()


def rows(reading: Reading) -> list[tuple[str, int | None, tuple[str, ...], str, str]]:
    return [(b.kind.value, b.page, b.headings, b.place, b.text) for b in reading.blocks]


def test_a_chapter_is_the_place_and_stands_above_what_is_in_it() -> None:
    reading = epub.read(making.book())
    first = ("第1部", "第1章 太陽系")
    assert reading.title == "天文学入門"
    assert reading.page_count == 4
    assert rows(reading) == [
        ("heading", 2, ("第1部",), "第1章 太陽系", "第1章 太陽系"),
        ("paragraph", 2, first, "第1章 太陽系", "最も大きい惑星は木星(もくせい)である。衛星も多い。"),
        ("heading", 2, first, "第1章 太陽系", "1.1 地球"),
        ("paragraph", 2, (*first, "1.1 地球"), "第1章 太陽系", "地球の直径は12,742 kmである。"),
        ("paragraph", 3, first, "第1章 太陽系", "前の章の続きである。"),
        ("heading", 4, (), "第2章 恒星", "第2章 恒星"),
        ("paragraph", 4, ("第2章 恒星",), "第2章 恒星", "恒星は自ら光を放つ。"),
    ]


def test_a_locked_book_says_so_and_veiled_fonts_are_no_lock() -> None:
    def encryption(method: str) -> dict[str, str | bytes]:
        data = f'<EncryptedData><EncryptionMethod Algorithm="{method}"/></EncryptedData>'
        return {"META-INF/encryption.xml": f"<encryption>{data}</encryption>"}

    assert epub.read(making.book(encryption("http://www.idpf.org/2008/embedding"))).blocks
    with pytest.raises(DocumentEncrypted):
        epub.read(making.book(encryption("http://www.w3.org/2001/04/xmlenc#aes128-cbc")))


def test_an_older_book_has_its_chapters_from_its_ncx() -> None:
    ncx = (
        '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint><navLabel><text>序</text></navLabel>'
        '<content src="c1.xhtml"/><navPoint><navLabel><text>その二</text></navLabel><content src="c2.xhtml#a"/></navPoint>'
        "</navPoint></navMap></ncx>"
    )
    package = making.PACKAGE.replace(
        '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>',
        '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>',
    ).format(
        items='<item id="a" href="c1.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="b" href="c2.xhtml" media-type="application/xhtml+xml"/>',
        refs='<itemref idref="a"/><itemref idref="b"/>',
    )
    reading = epub.read(making.book({"本/package.opf": package, "本/toc.ncx": ncx}))
    assert [block.place for block in reading.blocks][-1] == "その二"
    assert reading.blocks[-1].headings == ("序", "その二")


def test_a_picture_in_the_spine_has_a_place_that_links_count() -> None:
    package = making.PACKAGE.format(
        items='<item id="cover" href="cover.svg" media-type="image/svg+xml"/>'
        '<item id="a" href="c1.xhtml" media-type="application/xhtml+xml"/>',
        refs='<itemref idref="cover"/><itemref idref="lost"/><itemref idref="a"/>',
    )
    reading = epub.read(making.book({"本/package.opf": package}))
    assert {block.page for block in reading.blocks} == {4}
    assert reading.page_count == 4


def test_a_repeated_entry_of_the_spine_is_read_once() -> None:
    once = making.book()
    with zipfile.ZipFile(io.BytesIO(once)) as archive:
        package = archive.read("本/package.opf").decode()
    again = package.replace("</spine>", '<itemref idref="c1.xhtml"/>' * 3_000 + "</spine>")
    repeated = epub.read(making.book({"本/package.opf": again}))
    assert rows(repeated) == rows(epub.read(once))
    assert repeated.page_count == 3_004


def test_a_letter_says_who_wrote_it_and_names_what_was_attached() -> None:
    reading = eml.read(making.letter())
    assert reading.title == "会議の日程について"
    assert [block.text for block in reading.blocks] == [
        "会議の日程について",
        "From: 山田太郎 <yamada@a.example>\nTo: sato@a.example\nDate: Mon, 01 Apr 2024 09:00:00 +0900",
        "会議は5月1日の10時からです。",
        "場所は第2会議室です。",
    ]
    (warning,) = reading.warnings
    assert "議題.pdf" in warning


def test_a_letter_of_html_alone_is_read_and_an_encrypted_one_says_so() -> None:
    page = "<html><body><p>会議は<b>10時</b>から。</p><script>x</script></body></html>"
    assert eml.read(making.letter(page, "html")).blocks[-1].text == "会議は10時から。"
    locked = b"From: a@a.example\nSubject: x\nMIME-Version: 1.0\nContent-Type: application/pkcs7-mime\n\nMIAG"
    with pytest.raises(DocumentEncrypted):
        eml.read(locked)
    with pytest.raises(DocumentUnreadable):
        eml.read(b"just words")


def test_a_notebook_keeps_prose_code_and_results_apart_by_cells() -> None:
    assert rows(notebook.read(making.notebook())) == [
        ("heading", None, (), "cell 1", "回帰分析"),
        ("paragraph", None, ("回帰分析",), "cell 1", "決定係数を求める。"),
        ("code", None, ("回帰分析",), "cell 2", "print(model.score(x, y))"),
        ("note", None, ("回帰分析",), "cell 2", "0.91"),
        ("paragraph", None, ("回帰分析",), "cell 3", "決定係数は0.91である。"),
    ]


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ({"output_type": "stream", "text": "\x1b[31m赤い警告\x1b[0m"}, "赤い警告"),
        (
            {
                "data": {
                    "text/plain": "<IPython.core.display.Markdown object>",
                    "text/markdown": "**結論**: 95%。",
                }
            },
            "結論: 95%。",
        ),
        (
            {
                "data": {
                    "text/plain": "<IPython.core.display.HTML object>",
                    "text/html": "<p>精度<b>95%</b></p>",
                }
            },
            "精度95%",
        ),
        ({"data": {"text/html": ["<p>頁", "だけ</p>"]}}, "頁だけ"),
        ({"data": {"text/plain": "  a  b", "text/html": "<table></table>"}}, "  a  b"),
        (
            {
                "output_type": "error",
                "ename": "ZeroDivisionError",
                "evalue": "division by zero",
                "traceback": ["x"],
            },
            "ZeroDivisionError: division by zero",
        ),
    ],
)
def test_a_result_is_read_in_the_form_that_is_shown(output: dict[str, Any], expected: str) -> None:
    cell = {"cell_type": "code", "source": "f()", "outputs": [output]}
    reading = notebook.read(json.dumps({"cells": [cell]}).encode())
    assert [block.text for block in reading.blocks] == ["f()", expected]


def test_a_result_that_is_cut_is_told() -> None:
    outputs = [{"output_type": "stream", "text": "あ" * 20_000}]
    cells = [
        {"cell_type": "code", "source": "f()", "outputs": outputs if number == 2 else []} for number in (1, 2)
    ]
    reading = notebook.read(json.dumps({"cells": cells}).encode())
    assert len(reading.blocks[-1].text) == notebook.OUTPUT
    (warning,) = reading.warnings
    assert "cell 2" in warning and "cell 1" not in warning


def test_books_letters_and_notebooks_are_known_by_their_bytes_and_letters_by_their_name_too() -> None:
    assert media.sniff("a.pdf", making.book()) == media.EPUB
    assert media.sniff("a.json", making.notebook()) == media.IPYNB
    assert media.sniff("a.eml", making.letter()) == media.EML
    with pytest.raises(DocumentUnreadable):
        media.sniff("a.eml", "これは手紙ではない。".encode())
    with pytest.raises(DocumentUnreadable):
        media.sniff("a.ipynb", b"print(1)")


async def test_each_crosses_from_the_child_with_its_place(reader: KillableReader) -> None:
    for name, data, place in (
        ("a.epub", making.book(), "第2章 恒星"),
        ("a.ipynb", making.notebook(), "cell 3"),
        ("a.eml", making.letter(), ""),
    ):
        assert (await reader.read(Source(name, data))).blocks[-1].place == place


HOSTILE = {
    "bomb.epub": making.book({"本/c1.xhtml": b" " * 60_000_000}),
    "no package.epub": making.book({"META-INF/container.xml": "<container/>"}),
    "entities.epub": making.book(
        {
            "META-INF/container.xml": '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
            + making.CONTAINER.replace("本/package.opf", "&x;")
        }
    ),
    "outside.epub": making.book({}, {"../../../../etc/passwd": "x"}),
    "deep.epub": making.book({}, {"c1.xhtml": "<div>" * 100_000}),
    "deep.ipynb": b'{"nbformat": 4, "cells": ' + b"[" * 200_000,
    "odd.ipynb": b'{"nbformat": 4, "cells": [1, null, {"cell_type": 5}]}',
    "deep.eml": b"From: a\n" + b"Content-Type: message/rfc822\n\n" * 20_000 + b"\nx",
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_hostile_files_end_in_a_reason_or_in_words(reader: KillableReader, name: str) -> None:
    try:
        reading = await reader.read(Source(name, HOSTILE[name]))
    except UnusableDocument as reason:
        assert type(reason) in (DocumentUnreadable, TooLarge)
    else:
        assert "root:" not in "".join(block.text for block in reading.blocks)
    assert (await reader.read(Source("b.epub", making.book()))).blocks


GOOD: dict[str, tuple[Callable[[bytes], Reading], bytes]] = {
    "book": (epub.read, making.book()),
    "letter": (eml.read, making.letter()),
    "notebook": (notebook.read, making.notebook()),
}


@pytest.mark.parametrize("kind", GOOD)
def test_broken_files_are_read_as_far_as_they_go_or_refused(kind: str) -> None:
    read, good = GOOD[kind]
    whole = sum(len(block.text) for block in read(good).blocks)
    outcomes = Counter[str]()
    for at in range(0, len(good), 41):
        broken = bytearray(good)
        broken[at] ^= 0x55
        try:
            reading = read(bytes(broken))
        except (MemoryError, RecursionError, SystemExit) as fatal:
            pytest.fail(f"byte {at}: {fatal!r}")
        except Exception:
            outcomes["refused"] += 1
        else:
            outcomes["read"] += 1
            assert sum(len(block.text) for block in reading.blocks) <= max(2 * whole, len(good)), at
    print(kind, outcomes)
    assert outcomes["read"] and outcomes.total() > 5


def test_a_notebook_of_strange_shapes_says_what_it_can() -> None:
    cells = [{"cell_type": "heading", "level": 2, "source": "題"}, {"cell_type": "raw", "source": ["a", "b"]}]
    reading = notebook.read(json.dumps({"nbformat": 3, "worksheets": [{"cells": cells}]}).encode())
    assert [block.text for block in reading.blocks] == ["題", "ab"]


@pytest.mark.parametrize(
    ("written", "subject"),
    [
        ("会議の日程".encode(), "会議の日程"),
        ("会議の日程".encode("cp932"), "会議の日程"),
        ("会議の日程".encode("iso-2022-jp"), "会議の日程"),
        (b"Re: =?iso-2022-jp?b?GyRCMnE1RBsoQg==?=\n =?utf-8?q?=E6=97=A5?= (1)", "Re: 会議日 (1)"),
        (b"=?no-such-charset?q?ab?= cd", "ab cd"),
        (b"=?utf-8?b?a?= cd", "=?utf-8?b?a?= cd"),
    ],
)
def test_fields_of_a_letter_are_read_however_they_are_written(written: bytes, subject: str) -> None:
    reading = eml.read(b"From: a@b.example\nSubject: " + written + "\n\n本文。".encode())
    assert reading.title == subject


def test_a_field_that_nobody_can_parse_leaves_the_letter() -> None:
    """Brackets are parsed by recursion."""
    reading = eml.read(b"From: " + b"(" * 5_000 + b"\nContent-Type: " + b"(" * 5_000 + "\n\n本文。".encode())
    assert "本文。" in [block.text for block in reading.blocks]
