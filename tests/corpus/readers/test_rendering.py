"""Pages drawn and measured in children of their own: pictures too, and what is damaged ends in a reason."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator

import pytest
from PIL import Image

from shisho.corpus.readers.rendering import KillablePageRenderer
from shisho.domain.viewing import BoxDoubt, QuotedLine
from shisho.errors import DocumentEncrypted, TooLarge, UnusableDocument
from tests.corpus.readers.making import lines, pdf

PDF = "application/pdf"


@pytest.fixture
async def renderer() -> AsyncIterator[KillablePageRenderer]:
    made = KillablePageRenderer(60, 1024)
    yield made
    await made.close()


def picture(form: str, *sizes: tuple[int, int], dpi: int = 100) -> bytes:
    frames = [Image.new("RGB", size, (200, 30, 30)) for size in sizes]
    target = io.BytesIO()
    frames[0].save(
        target,
        form,
        dpi=(dpi, dpi),
        **({"save_all": True, "append_images": frames[1:]} if len(frames) > 1 else {}),
    )
    return target.getvalue()


def shown(image: bytes) -> Image.Image:
    return Image.open(io.BytesIO(image))


async def test_pictures_are_pages(renderer: KillablePageRenderer) -> None:
    data = picture("TIFF", (500, 1_000), (2_000, 1_000))
    assert await renderer.measure_sizes(data, "image/tiff") == ((360.0, 720.0), (1440.0, 720.0))
    second = shown(await renderer.draw(data, "image/tiff", 2, 800))
    assert second.size == (800, 400)
    small = shown(await renderer.draw(picture("PNG", (90, 60)), "image/png", 1, 2_400))
    assert small.size == (90, 60)
    assert all(
        abs(one - other) < 12 for one, other in zip(small.getpixel((9, 9)), (200, 30, 30), strict=True)
    )  # type: ignore[arg-type]


async def test_very_high_page_is_drawn_within_bounds(renderer: KillablePageRenderer) -> None:
    high = b"".join(
        (
            b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n",
            b"2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n",
            b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 20 14000]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF",
        )
    )
    width, height = shown(await renderer.draw(high, PDF, 1, 2_400)).size
    assert height <= 16_383 and width * height <= 20_000_000


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"%PDF-1.7 nothing", PDF),
        (b"\x89PNG\r\n\x1a\nnothing", "image/png"),
        (pdf([lines("一ページ")])[:400], PDF),
    ],
)
async def test_damaged_bytes_end_in_a_reason_and_the_next_are_drawn(
    renderer: KillablePageRenderer, data: bytes, kind: str
) -> None:
    for look in (renderer.measure_sizes(data, kind), renderer.draw(data, kind, 1, 320)):
        with pytest.raises(UnusableDocument):
            await look
    assert shown(await renderer.draw(pdf([lines("一ページ")]), PDF, 1, 320)).size[0] == 320


@pytest.mark.slow
async def test_limits_hold_for_drawing() -> None:
    renderer = KillablePageRenderer(60, 1024)
    bomb = picture("PNG", (12_000, 9_000))
    try:
        with pytest.raises(TooLarge):
            await renderer.measure_sizes(bomb, "image/png")
    finally:
        await renderer.close()


async def test_password_is_asked_of_nobody(renderer: KillablePageRenderer) -> None:
    with pytest.raises(DocumentEncrypted):
        await renderer.measure_sizes(pdf([lines("秘密")], password="pass"), PDF)


async def test_nothing_is_lit_where_the_page_says_something_else(renderer: KillablePageRenderer) -> None:
    """The text of another version, a line that is there twice but not in its place: no box is better than a
    wrong one."""
    data = pdf([lines("決定係数は高い。", "残差を見る。", "決定係数は高い。")])
    box = (72.0, 110.0, 160.0, 122.0)
    other = await renderer.locate(data, 1, [QuotedLine("決定係数は低い。", box, 0, 4)])
    assert (other.doubt, other.boxes) == (BoxDoubt.OTHER_TEXT, ())
    elsewhere = await renderer.locate(
        data, 1, [QuotedLine("決定係数は高い。", (300.0, 500.0, 400.0, 510.0), 0, 4)]
    )
    assert (elsewhere.doubt, elsewhere.boxes) == (BoxDoubt.OTHER_TEXT, ())
    once = await renderer.locate(data, 1, [QuotedLine("残差を見る。", box, 3, 5)])
    assert once.doubt is BoxDoubt.NONE and len(once.boxes) == 1
    left, _, right, _ = once.boxes[0]
    assert 72 + 3 * 10.5 - 1 < left < right < 72 + 5 * 10.5 + 1


async def test_letters_over_others_are_not_lit(renderer: KillablePageRenderer) -> None:
    data = pdf([[("決定係数は高い。", 10.5, 72, 120), ("縞馬縞馬縞馬縞馬", 10.5, 73, 121)]])
    texts = ["決定係数は高い。", "縞馬縞馬縞馬縞馬"]
    placements = [
        await renderer.locate(data, 1, [QuotedLine(text, (72.0, 110.0, 160.0, 122.0), 0, 8)])
        for text in texts
    ]
    assert {placement.doubt for placement in placements} <= {
        BoxDoubt.OVERLAP,
        BoxDoubt.OTHER_TEXT,
    }
    assert not any(placement.boxes for placement in placements)
