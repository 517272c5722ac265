"""Documents looked at: by their pages where their file is the one that was taken in, else by their text;
never by bytes that are not theirs."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from PIL import Image

from shisho.bootstrap.library import open_library
from shisho.domain.corpus import DocumentId, Source
from shisho.domain.task import Bytes
from shisho.domain.viewing import Viewable
from shisho.errors import InvalidParams, NotFound, SourceRemoved
from shisho.services import Library
from tests.corpus.readers.making import lines, pdf
from tests.flows.smallweb import finished

SENTENCE = "決定係数は回帰式が標本の変動をどれだけ説明するかを表す。"
OTHER = "自由度調整済み決定係数は説明変数の数を考えに入れる。"


def paper(*texts: str, password: str | None = None) -> bytes:
    return pdf([lines(*texts), lines("二ページ目の本文はここにある。")], password=password)


@pytest.fixture
async def library(tmp_path: Path) -> AsyncIterator[Library]:
    async with open_library(home=tmp_path / "home") as opened:
        yield opened


async def _added(library: Library, path: Path) -> DocumentId:
    receipts = [receipt async for receipt in library.documents.add(path)]
    assert receipts[0].document_id, receipts
    return receipts[0].document_id


async def test_file_is_seen_by_its_pages_until_it_changes_or_moves(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "paper.pdf"
    path.write_bytes(paper(SENTENCE))
    name = await _added(library, path)
    assert (await library.viewer.view(name)).viewable is Viewable.PAGES
    assert not (tmp_path / "home" / "originals").exists()
    layout = await library.viewer.get_layout(name, 1)
    assert (round(layout.width or 0), round(layout.height or 0)) == (595, 842)
    text = await library.documents.read_text(name)
    assert (
        [text[line.start : line.end] for line in layout.lines]
        == [line.text for line in layout.lines]
        == [SENTENCE]
    )
    drawn = await library.viewer.get_image(name, 1, 700)
    assert Image.open(io.BytesIO(drawn.data)).size[0] == 800

    path.write_bytes(paper(OTHER))
    view = await library.viewer.view(name)
    assert (view.viewable, "has changed" in view.why) == (Viewable.TEXT, True)
    path.unlink()
    view = await library.viewer.view(name)
    assert (view.viewable, "no longer at" in view.why) == (Viewable.TEXT, True)
    with pytest.raises(NotFound):
        await library.viewer.get_image(name, 2, 320)
    boxes = await library.viewer.get_span_boxes(name, 0, 4)
    assert (boxes.exact, boxes.boxes) == (False, ())
    assert (await library.viewer.get_layout(name, 1)).text == SENTENCE


async def test_bytes_that_were_handed_in_are_kept_until_they_are_purged(
    library: Library, tmp_path: Path
) -> None:
    queued = await library.tasks.queue_documents(files=[Bytes("paper.pdf", paper(SENTENCE))])
    async with library.working():
        await finished(library, queued.task_id)
    (document,) = await library.documents.list()
    originals = tmp_path / "home" / "originals"
    assert [path.name for path in originals.iterdir()] == [document.sha256]
    assert (await library.viewer.view(document.id)).viewable is Viewable.PAGES
    await library.viewer.get_image(document.id, 1, 320)
    assert len(list((tmp_path / "home" / "page_images").iterdir())) == 1
    await library.documents.remove(document.id)
    assert (await library.viewer.view(document.id)).viewable is Viewable.PAGES
    await library.documents.remove(document.id, purge=True)
    assert not list(originals.iterdir())
    assert not list((tmp_path / "home" / "page_images").iterdir())
    assert (await library.viewer.view(document.id)).viewable is Viewable.GONE
    for look in (library.viewer.get_image(document.id, 1, 320), library.viewer.get_layout(document.id, 1)):
        with pytest.raises(SourceRemoved):
            await look


async def test_file_that_is_handed_in_too_outlives_its_path(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "paper.pdf"
    path.write_bytes(paper(SENTENCE))
    name = await _added(library, path)
    await library.tasks.queue_documents(files=[Bytes("again.pdf", path.read_bytes())])
    path.unlink()
    assert (await library.viewer.view(name)).viewable is Viewable.PAGES


async def test_link_below_an_allowed_folder_is_not_followed(tmp_path: Path) -> None:
    """Even to the very bytes: what an allowed folder shows is what lies in it."""
    root = tmp_path / "allowed"
    root.mkdir()
    outside = tmp_path / "outside.pdf"
    outside.write_bytes(paper(SENTENCE))
    path = root / "paper.pdf"
    path.write_bytes(outside.read_bytes())
    async with open_library(home=tmp_path / "home", allowed_roots=str(root)) as library:
        name = await _added(library, path)
        assert (await library.viewer.view(name)).viewable is Viewable.PAGES
        path.unlink()
        path.symlink_to(outside)
        assert (await library.viewer.view(name)).viewable is Viewable.TEXT


async def test_what_has_no_pages_or_a_password_is_seen_by_its_text(library: Library, tmp_path: Path) -> None:
    text = (
        await library.documents.add_source(Source("a.md", f"# 題\n\n{SENTENCE}\n\n{OTHER}".encode()))
    ).document_id
    secret = tmp_path / "secret.pdf"
    secret.write_bytes(paper(SENTENCE, password="pass"))
    receipts = [receipt async for receipt in library.documents.add(secret, password="pass")]
    assert text and receipts[0].document_id
    view = await library.viewer.view(text)
    assert (view.viewable, "no pages" in view.why) == (Viewable.TEXT, True)
    layout = await library.viewer.get_layout(text, 1)
    assert (layout.width, layout.height, layout.start, layout.end) == (None, None, 0, len(layout.text))
    assert all(line.box is None for line in layout.lines)
    assert [layout.text[line.start : line.end] for line in layout.lines] == [
        line.text for line in layout.lines
    ]
    view = await library.viewer.view(receipts[0].document_id)
    assert (view.viewable, "password" in view.why) == (Viewable.TEXT, True)


@pytest.mark.slow
async def test_very_long_text_comes_in_parts_around_a_place(library: Library) -> None:
    rows = "".join(f"{number} 行目の本文である。\n" for number in range(60_000))
    name = (await library.documents.add_source(Source("long.txt", rows.encode()))).document_id
    assert name
    text = await library.documents.read_text(name)
    layouts = [await library.viewer.get_layout(name, 1, at) for at in (0, len(text) // 2, len(text) - 1)]
    for layout, at in zip(layouts, (0, len(text) // 2, len(text) - 1), strict=True):
        assert layout.start <= at < layout.end <= layout.start + 200_000
        assert text[layout.start : layout.end] == layout.text
        assert (layout.page_start, layout.page_end) == (0, len(text))
        assert all(text[line.start : line.end] == line.text for line in layout.lines)


async def test_words_are_found_in_any_width_case_and_over_broken_lines(
    library: Library, tmp_path: Path
) -> None:
    path = tmp_path / "paper.pdf"
    path.write_bytes(paper("ﾃﾞｰﾀの決定", "係数とＲ²、Residual plot を", "みる。データ、データ。"))
    name = await _added(library, path)
    text = await library.documents.read_text(name)
    for query, words in (
        ("データ", "ﾃﾞｰﾀ"),
        ("決定係数", "決定\n係数"),
        ("residual PLOT", "Residual plot"),
        ("R2", "Ｒ²"),
    ):
        matches = (await library.viewer.find(name, query)).matches
        assert matches and matches[0].text == words, query
        assert all(text[match.start : match.end] == match.text and match.page == 1 for match in matches)
    some = await library.viewer.find(name, "データ", 2)
    assert (len(some.matches), some.more) == (2, True)
    assert (await library.viewer.find(name, "二ページ目")).matches[0].page == 2
    assert (await library.viewer.find(name, "縞馬")).matches == ()
    for query, limit in ((" ", 5), ("あ" * 201, 5), ("あ", 0)):
        with pytest.raises(InvalidParams):
            await library.viewer.find(name, query, limit)


async def test_many_pages_are_drawn_at_once_and_each_once(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "paper.pdf"
    path.write_bytes(pdf([lines(f"第{number}ページの本文である。") for number in range(1, 9)]))
    name = await _added(library, path)
    pages = [page for page in range(1, 9) for _ in range(3)]
    images = await asyncio.gather(*(library.viewer.get_image(name, page, 320) for page in pages))
    assert len({image.etag for image in images}) == len({image.data for image in images}) == 8
    assert len(list((tmp_path / "home" / "page_images").iterdir())) == 8
