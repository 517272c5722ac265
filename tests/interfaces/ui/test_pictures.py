"""The pictures of the README, from a real run: in `build/screenshots`, or where `SHISHO_PICTURES` says
(`make pictures` puts them into docs/pictures)."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from playwright.async_api import Browser, Page, expect

from tests.faults.children import LONG
from tests.interfaces.serving import serving
from tests.interfaces.ui.room import SHOTS, WAIT, visiting

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (LONG or os.environ.get("SHISHO_PICTURES")), reason="make pictures, or SHISHO_LONG=1"
    ),
]
SAMPLES = Path(__file__).parents[3] / "samples" / "lectures"
PICTURES = Path(os.environ.get("SHISHO_PICTURES") or SHOTS)
QUESTION = "決定係数が0に近いとき何を意味するか"
ENGLISH = "What does the coefficient of determination tell?"
FRAME_MS = 1_400
expect.set_options(timeout=WAIT)


@pytest.fixture(scope="module", autouse=True)
def folder() -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)


class Recording:
    """Frames of what a person sees, as one animated picture."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._frames: list[Any] = []

    async def frame(self) -> None:
        """What is on the screen now."""
        self._frames.append(Image.open(io.BytesIO(await self._page.screenshot())).convert("RGB"))

    def save(self, path: Path) -> None:
        """All frames, one after the other, for ever."""
        first, *others = self._frames
        first.save(path, save_all=True, append_images=others, duration=FRAME_MS, loop=0, quality=70, method=6)


async def picture(page: Page, name: str) -> None:
    """One picture, small enough for a repository."""
    shot = Image.open(io.BytesIO(await page.screenshot())).convert("RGB")
    shot.save(PICTURES / f"{name}.webp", quality=80, method=6)
    assert len(shot.resize((64, 64)).getcolors(4096)) > 20, "an empty page"


async def ask(page: Page, question: str) -> None:
    await page.fill("#question", question)
    await page.press("#question", "Enter")
    await expect(page.locator(".turn .answer .why")).to_have_count(1)
    await page.mouse.move(0, 0)


@pytest.mark.asyncio(loop_scope="session")
async def test_pictures_of_a_real_run(browser: Browser, tmp_path: Path) -> None:
    with serving(tmp_path / "home") as url:
        async with visiting(browser, url, viewport={"width": 1200, "height": 760}) as visit:
            page = visit.page
            recording = Recording(page)
            await visit.open("/")
            await recording.frame()
            await page.set_input_files("#files", [str(path) for path in sorted(SAMPLES.glob("*.pdf"))])
            await expect(page.locator("#uploads li").first).to_be_visible()
            await recording.frame()
            await expect(page.locator("#documents li .head")).to_have_count(4)
            await page.reload()
            await visit.ready()
            await page.fill("#question", QUESTION)
            await recording.frame()
            await ask(page, QUESTION)
            await recording.frame()
            await picture(page, "answer-ja")
            chip = page.locator(".answer blockquote .chip").first
            await chip.hover()
            await recording.frame()
            await chip.click()
            await visit.ready()
            await expect(page.locator(".page .lit")).not_to_have_count(0)
            await page.wait_for_function("() => document.querySelector('.page img').complete")
            await recording.frame()
            await recording.frame()
            recording.save(PICTURES / "drop-ask-click.webp")
            viewer = page.url.removeprefix(url)
        async with visiting(
            browser, url, color_scheme="dark", viewport={"width": 1200, "height": 760}
        ) as visit:
            await visit.open(viewer)
            await expect(visit.page.locator(".page .lit")).not_to_have_count(0)
            await visit.page.wait_for_function("() => document.querySelector('.page img').complete")
            await picture(visit.page, "viewer-dark")
        async with visiting(browser, url, locale="en-GB", viewport={"width": 1200, "height": 760}) as visit:
            await visit.open("/")
            await ask(visit.page, ENGLISH)
            await picture(visit.page, "answer-en")
        async with visiting(browser, url, viewport={"width": 390, "height": 780}) as visit:
            await visit.open(f"/?q={QUESTION}")
            await expect(visit.page.locator(".turn .answer .why")).to_have_count(1)
            await picture(visit.page, "phone-ja")
