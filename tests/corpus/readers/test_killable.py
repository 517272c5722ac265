"""The killable child: hostile bytes end in a reason within the limit, and nothing of it stays behind."""

import asyncio
import gc
import os
import re
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from shisho.corpus.readers import wire
from shisho.corpus.readers.killable import KillableReader
from shisho.domain.corpus import Block, BlockKind, Line, Reading, Source
from shisho.errors import DocumentEncrypted, DocumentUnreadable, NeedsOcr, TooLarge, UnusableDocument
from tests.corpus.readers.making import lines, pdf, slides, word
from tests.shared import shared

LIMIT = 5.0


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


async def test_hostile_pdfs(reader: KillableReader) -> None:
    files = sorted(path for path in shared("hostile", "pdf").rglob("*") if path.is_file())
    assert len(files) > 200
    for path in files:
        began = time.monotonic()
        result = await outcome(reader, path.name, path.read_bytes())
        assert time.monotonic() - began < LIMIT + 5
        if isinstance(result, UnusableDocument):
            assert len(result.message) > 15, path.name
        else:
            assert all(block.text for block in result.blocks), path.name


async def test_hostile_html(reader: KillableReader) -> None:
    folder = shared("hostile", "html")
    pages = [path.read_bytes() for path in sorted(folder.iterdir())]
    vectors = (folder / "h5sc_vectors.txt").read_text("utf-8", "replace").split("\n\n")
    pages += [vector.encode() for vector in vectors[:200]]
    pages += [
        b"<div>" * 100_000,
        b"<p " + b"a=1 " * 50_000 + b">x",
        b"<p>" * 200_000,
        b"<!--" * 200_000,
        b"<table><tr><td>" * 1_900 + b"x",
    ]
    for page in pages:
        began = time.monotonic()
        result = await outcome(reader, "page.html", page)
        assert time.monotonic() - began < LIMIT + 5
        assert isinstance(result, UnusableDocument) or result.blocks


async def test_deep_nesting_and_attributes_are_refused_by_the_prescan(reader: KillableReader) -> None:
    for page in (b"<div>" * 100_000, b"<p " + b" ".join(b"a%d=1" % n for n in range(50_000)) + b">x"):
        with pytest.raises(TooLarge, match="no page for people"):
            await reader.read(Source("page.html", page))


async def test_a_file_over_the_limit_never_reaches_a_child() -> None:
    reader = KillableReader(LIMIT, 1024, 10)
    with pytest.raises(TooLarge, match="max_file_mb"):
        await reader.read(Source("a.txt", b"x" * 11))
    assert reader._child is None


# A parser that hangs, dies, eats memory or answers nonsense, in place of `text`.
MISCHIEF = {
    "hangs": "import time\ndef read(data, password=None):\n    time.sleep(60)\n",
    "spins": "def read(data, password=None):\n    while True: pass\n",
    "dies": "import os\ndef read(data, password=None):\n    os.kill(os.getpid(), 11)\n",
    "exits": "import os\ndef read(data, password=None):\n    os._exit(0)\n",
    "eats": "def read(data, password=None):\n    x = []\n    while True: x.append(bytearray(2**24))\n",
    "shouts": "import os\ndef read(data, password=None):\n    os.write(1, b'noise')\n    raise RuntimeError\n",
    "closes": "import os, time\ndef read(data, password=None):\n    os.closerange(3, 99)\n    time.sleep(60)\n",
    "lies": (
        "def read(data, password=None):\n    import json\n"
        "    json.dumps = lambda *_, **__: '{\"facts\": 3}'\n    return Reading(())\n"
    ),
    "floods": (
        "def read(data, password=None):\n    from shisho.corpus.readers import wire\n"
        "    wire.frame = lambda payload: b'\\xff' * 8\n    raise RuntimeError\n"
    ),
}
EXPECTED = {"hangs": TooLarge, "spins": TooLarge, "eats": TooLarge}


@pytest.mark.skipif(sys.platform == "win32", reason="signals and limits of POSIX")
@pytest.mark.parametrize("mischief", MISCHIEF)
async def test_a_broken_parser_costs_one_file(mischief: str, tmp_path: Path) -> None:
    # A copy of the package in which the text reader misbehaves, found before the real one.
    package = Path(wire.__file__).parents[2]
    copy = tmp_path / "shisho"
    for source in package.rglob("*.py"):
        target = copy / source.relative_to(package)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())
    (copy / "corpus" / "readers" / "text.py").write_text(
        (copy / "corpus" / "readers" / "text.py").read_text("utf-8") + MISCHIEF[mischief], "utf-8"
    )
    reader = KillableReader(1.5, 512, 2**20, {**os.environ, "PYTHONPATH": str(tmp_path)})
    try:
        began = time.monotonic()
        with pytest.raises(EXPECTED.get(mischief, DocumentUnreadable)):
            await reader.read(Source("a.txt", b"x"))
        assert time.monotonic() - began < 20
        assert (await reader.read(Source("a.pdf", pdf([lines("next")])))).blocks[0].text == "next"
    finally:
        await reader.close()


async def test_the_loop_stays_awake_while_a_file_hangs(reader: KillableReader) -> None:
    lags: list[float] = []

    async def watch() -> None:
        while True:
            began = time.monotonic()
            await asyncio.sleep(0.01)
            lags.append(time.monotonic() - began - 0.01)

    watcher = asyncio.create_task(watch())
    big = ("決定係数は指標である。" * 40 + "\n\n") * 2_000
    await reader.read(Source("a.txt", big.encode()))
    watcher.cancel()
    assert sorted(lags)[int(len(lags) * 0.99) - 1] < 0.25


async def test_a_cancelled_read_leaves_a_reader_that_works(reader: KillableReader) -> None:
    await reader.read(Source("a.txt", b"first"))
    reading = asyncio.create_task(reader.read(Source("a.txt", b"word " * 1_000_000)))
    await asyncio.sleep(0.05)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert (await reader.read(Source("a.txt", b"second"))).blocks[0].text == "second"


async def test_a_child_is_replaced_after_its_files(reader: KillableReader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shisho.corpus.readers.killable.FILES_PER_CHILD", 2)
    seen = set()
    for _ in range(5):
        await reader.read(Source("a.txt", b"x"))
        assert reader._child is not None
        seen.add(reader._child.pid)
    assert len(seen) == 3


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
async def test_nothing_stays_behind() -> None:
    async def round_() -> None:
        reader = KillableReader(LIMIT, 1024, 2**20)
        await reader.read(Source("a.txt", b"x"))
        child = reader._child
        assert child is not None
        await reader.close()
        assert child.returncode is not None
        assert not os.path.exists(f"/proc/{child.pid}")  # noqa: ASYNC240, PTH110

    await round_()
    gc.collect()
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    for _ in range(5):
        await round_()
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) <= before  # noqa: PTH208


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")
async def test_the_child_sees_only_the_environment_it_is_given() -> None:
    reader = KillableReader(LIMIT, 1024, 2**20, {"PATH": os.environ["PATH"]})
    await reader.read(Source("a.txt", b"x"))
    assert reader._child is not None
    names = re.findall(rb"(?:^|\0)([^=]+)=", environment_of(reader._child.pid))
    assert b"PATH" in names
    assert set(names) <= {b"PATH", b"LC_CTYPE"}
    await reader.close()


def environment_of(pid: int) -> bytes:
    return Path(f"/proc/{pid}/environ").read_bytes()


def test_a_reading_survives_the_wire() -> None:
    block = Block("決定\n係数²", BlockKind.LIST, 3, ("章",), (Line(0, 2, 3, (1.0, 2.0, 3.5, 4.0)),))
    reading = Reading((block, Block("二")), "題", 5, (2, 4), ("一言",))
    assert wire.unpack(wire.pack(reading)) == reading


def test_lone_surrogates_do_not_cross() -> None:
    assert wire.unpack(wire.pack(Reading((Block("a\ud800b"),)))).blocks[0].text == "a?b"


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"[]",
        b"null",
        b"{}",
        b"\xff",
        b"[" * 100_000,
        b'{"facts": ["", null, [], []], "blocks": [["x", "paragraph", null, [], [[0, 9, 1, [0, 0, 0, 0]]]]]}',
        b'{"facts": ["", null, [], []], "blocks": [["x", "virus", null, [], []]]}',
        b'{"facts": ["", -1, [], []], "blocks": []}',
        b'{"facts": ["", true, [], []], "blocks": []}',
        b'{"facts": [7, null, [], []], "blocks": []}',
        b'{"code": 7, "message": []}',
    ],
)
def test_nonsense_from_the_child_is_damage(payload: bytes) -> None:
    with pytest.raises(DocumentUnreadable):
        wire.unpack(payload)


def test_a_child_may_send_reasons_only_of_its_own_kind() -> None:
    reason = wire.unpack(b'{"code": "INTERNAL", "message": "x\\u001b[31m"}')
    assert type(reason) is DocumentUnreadable
    assert reason.message == "x[31m"
    assert isinstance(wire.unpack(wire.pack_error(NeedsOcr("why"))), NeedsOcr)


@pytest.mark.skipif(sys.platform == "win32", reason="needs the resource module")
async def test_text_pdfs_are_read_fast() -> None:
    import resource

    data = next(shared("pdf", "ja").glob("Azure*.pdf")).read_bytes()
    reader = KillableReader(60.0, 1024, 2**24)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    reading = await reader.read(Source("a.pdf", data))
    await reader.close()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert reading.page_count == 93
    # Of the child's own time, start included: others on the machine do not count. 150 to 200 pages/s were measured.
    assert 93 / (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) > 60


async def test_a_child_that_ends_before_it_has_a_file_is_replaced() -> None:
    reader = KillableReader(5, 1024, 1 << 20)
    try:
        await reader.read(Source("a.txt", "一つ目の文。".encode()))
        assert reader._child is not None
        reader._child.kill()
        reading = await reader.read(Source("b.txt", "二つ目の文。".encode()))
        assert reading.blocks[0].text == "二つ目の文。"
    finally:
        await reader.close()
