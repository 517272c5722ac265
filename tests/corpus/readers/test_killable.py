"""The killable child: hostile bytes end in a reason within the limit, and nothing of it stays behind."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pypdfium2
import pytest

from shisho.corpus.readers import media, text, wire
from shisho.corpus.readers import pdf as pdf_reader
from shisho.corpus.readers.killable import KillableReader
from shisho.domain.corpus import Block, BlockKind, PrintedLine, Reading, Source
from shisho.errors import DocumentEncrypted, DocumentUnreadable, NeedsOcr, TooLarge, UnusableDocument
from tests.corpus.readers.making import lines, pdf, slides, word
from tests.faults.children import LONG
from tests.machine import children_seconds, cpu_seconds, watch_loop
from tests.shared import shared

pytestmark = pytest.mark.usefixtures("started_readers")

LIMIT = 5.0
START = 5.0  # what a new child may compute before it has the bytes, and one after it until it is killed


@pytest.fixture
async def reader() -> AsyncIterator[KillableReader]:
    made = KillableReader(LIMIT, 1024, 50 * 2**20)
    yield made
    await made.close()


async def outcome(reader: KillableReader, name: str, data: bytes) -> Reading | UnusableDocument:
    try:
        return await reader.read(Source(name, data))
    except UnusableDocument as reason:
        return reason


async def test_every_format_crosses_whole(reader: KillableReader) -> None:
    files = {
        "a.pdf": pdf([lines("決定係数は10²である。")]),
        "a.docx": word(),
        "a.pptx": slides(),
        "a.html": "<p>決定係数</p>".encode(),
        "a.md": "# 題\n\n決定係数".encode(),
        "a.txt": "決定係数".encode(),
    }
    for name, data in files.items():
        reading = await reader.read(Source(name, data))
        assert any("決定係数" in block.text for block in reading.blocks), name


async def test_the_password_reaches_the_child(reader: KillableReader) -> None:
    locked = pdf([lines("決定係数")], password="himitsu")
    assert (await reader.read(Source("a.pdf", locked, password="himitsu"))).blocks
    with pytest.raises(DocumentEncrypted):
        await reader.read(Source("a.pdf", locked, password="chigau"))


async def test_scans_are_told_from_damage(reader: KillableReader) -> None:
    with pytest.raises(NeedsOcr):
        await reader.read(Source("a.pdf", pdf([[]])))


@pytest.fixture
async def plain_reader() -> AsyncIterator[KillableReader]:
    """Draws no page to recognise letters on it."""
    made = KillableReader(LIMIT, 1024, 50 * 2**20, ocr=False)
    yield made
    await made.close()


# Drawing and recognising takes thirty times as long as all else: each of the files in the long form.
DRAWN = 1 if LONG else 40
VECTORS = 200 if LONG else 40


@pytest.mark.slow
async def test_hostile_pdfs(reader: KillableReader, plain_reader: KillableReader) -> None:
    files = sorted(path for path in shared("hostile", "pdf").rglob("*") if path.is_file())
    assert len(files) > 200
    for number, path in enumerate(files):
        before = children_seconds()
        if number % DRAWN:
            result = await outcome(plain_reader, path.name, path.read_bytes())
        else:
            result = await outcome(reader, path.name, path.read_bytes())
        assert children_seconds() - before < LIMIT + START, path.name
        if isinstance(result, UnusableDocument):
            assert len(result.message) > 15, path.name
        else:
            assert all(block.text for block in result.blocks), path.name


@pytest.mark.slow
async def test_hostile_html(reader: KillableReader) -> None:
    folder = shared("hostile", "html")
    pages = [path.read_bytes() for path in sorted(folder.iterdir())]
    vectors = (folder / "h5sc_vectors.txt").read_text("utf-8", "replace").split("\n\n")
    pages += [vector.encode() for vector in vectors[:VECTORS]]
    pages += [
        b"<div>" * 100_000,
        b"<p " + b"a=1 " * 50_000 + b">x",
        b"<p>" * 200_000,
        b"<!--" * 200_000,
        b"<table><tr><td>" * 1_900 + b"x",
    ]
    for page in pages:
        before = children_seconds()
        result = await outcome(reader, "page.html", page)
        assert children_seconds() - before < LIMIT + START
        assert isinstance(result, UnusableDocument) or result.blocks


async def test_deep_nesting_and_attributes_are_refused_by_the_prescan(reader: KillableReader) -> None:
    for page in (b"<div>" * 100_000, b"<p " + b" ".join(b"a%d=1" % n for n in range(50_000)) + b">x"):
        with pytest.raises(TooLarge, match="which no ordinary page"):
            await reader.read(Source("page.html", page))


async def test_a_file_over_the_limit_never_reaches_a_child() -> None:
    reader = KillableReader(LIMIT, 1024, 10)
    with pytest.raises(TooLarge, match="max_file_mb"):
        await reader.read(Source("a.txt", b"x" * 11))
    assert all(child.process is None for child in reader._killable._children)


@pytest.mark.skipif(sys.platform == "win32", reason="signals and limits of POSIX")
@pytest.mark.parametrize(
    ("function", "failure"),
    [
        ("hangs", TooLarge), ("spins", TooLarge), ("eats", TooLarge), ("dies", DocumentUnreadable),
        ("raises", DocumentUnreadable), ("lies", DocumentUnreadable),
    ],
)  # fmt: skip
async def test_a_broken_parser_costs_one_file(
    function: str, failure: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shisho.isolation.killable.PATIENCE", 2)
    find_reader = media.find_reader
    broken = f"tests.isolation.mischief:{function}"
    monkeypatch.setattr(
        media, "find_reader", lambda kind: broken if kind == media.DOCX else find_reader(kind)
    )
    reader = KillableReader(
        1.5, 512, 2**20, {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    )
    try:
        with pytest.raises(failure, match=r"[Ss]plit|damaged"):
            await reader.read(Source("a.docx", word()))
        assert (await reader.read(Source("a.pdf", pdf([lines("next")])))).blocks[0].text == "next"
    finally:
        await reader.close()


async def test_the_loop_stays_awake_while_a_file_hangs(reader: KillableReader) -> None:
    lags: list[tuple[float, float]] = []
    watcher = asyncio.create_task(watch_loop(lags))
    big = ("決定係数は指標である。" * 40 + "\n\n") * 2_000
    await reader.read(Source("a.txt", big.encode()))
    watcher.cancel()
    assert sorted(own for own, _ in lags)[int(len(lags) * 0.99) - 1] < 0.25


async def test_a_cancelled_read_leaves_a_reader_that_works(reader: KillableReader) -> None:
    await reader.read(Source("a.txt", b"first"))
    reading = asyncio.create_task(reader.read(Source("a.txt", b"word " * 1_000_000)))
    await asyncio.sleep(0.05)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert (await reader.read(Source("a.txt", b"second"))).blocks[0].text == "second"


def test_a_reading_survives_the_wire() -> None:
    block = Block("決定\n係数²", BlockKind.LIST, 3, ("章",), (PrintedLine(0, 2, 3, (1.0, 2.0, 3.5, 4.0)),))
    reading = Reading((block, Block("二")), "題", 5, (2, 4), ("一言",))
    (packed,) = wire.pack(reading)
    assert wire.unpack(json.loads(json.dumps(packed))) == reading


@pytest.mark.parametrize(
    "packed",
    [
        None,
        [],
        {},
        {"facts": ["", None, [], []], "blocks": [["x", "paragraph", None, [], [[0, 9, 1, [0, 0, 0, 0]]]]]},
        {"facts": ["", None, [], []], "blocks": [["x", "virus", None, [], []]]},
        {"facts": ["", -1, [], []], "blocks": []},
        {"facts": ["", True, [], []], "blocks": []},
        {"facts": [7, None, [], []], "blocks": []},
    ],
)
def test_nonsense_from_the_child_is_no_reading(packed: Any) -> None:
    with pytest.raises((ValueError, TypeError, KeyError)):
        wire.unpack(packed)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs the resource module")
async def test_reading_a_pdf_in_a_child_costs_little_more_than_the_reading_itself() -> None:
    import resource

    data = next(shared("pdf", "ja").glob("Azure*.pdf")).read_bytes()
    reader = KillableReader(60.0, 1024, 2**24)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    reading = await reader.read(Source("a.pdf", data))
    await reader.close()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert reading.page_count == 93
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    itself = cpu_seconds(lambda: pdf_reader.read(data), times=1)
    bare = cpu_seconds(lambda: letters_of(data), times=1)
    print(f"CPU s: {spent:.2f} with the child's start, {itself:.2f} itself, {bare:.2f} for the letters alone")
    assert spent < 3 * itself and itself < 6 * bare


def letters_of(data: bytes) -> list[str]:
    """What PDFium does for the letters of a file at least."""
    pages = pypdfium2.PdfDocument(data)
    return [page.get_textpage().get_text_range() for page in pages]


@pytest.mark.skipif(sys.platform != "linux", reason="children are listed by Linux")
async def test_only_a_short_text_in_utf8_is_read_without_a_child(reader: KillableReader) -> None:
    def children() -> str:
        return Path(f"/proc/self/task/{os.getpid()}/children").read_text("ascii")

    before = children()
    short = "決定係数。\n\n残差\x00。".encode()
    assert await reader.read(Source("a.txt", short)) == text.read(short)
    assert children() == before
    given = [
        Source("long.txt", "決定係数。\n\n".encode() * 10_000),
        Source("other.txt", "決定係数である。".encode("cp932")),
        Source("named.txt", b"abc", charset="utf-16"),
        Source("escaped.txt", "決定係数".encode("iso2022_jp")),
    ]
    assert [text.is_harmless(source.data, source.charset) for source in given] == [False] * 4
    assert (await reader.read(given[1])).blocks[0].text == "決定係数である。"
    assert children() != before
