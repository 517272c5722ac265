"""What the settings page can do beside what test_library.py tries: calibrate an embedder to its end."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from shisho.bootstrap.embedder import BuiltEmbedders, build_embedders
from shisho.bootstrap.library import open_library
from shisho.settings import load
from shisho.testing.model_providers import FakeProvider, ProviderReply
from tests.evaluation.test_calibrate import embedder, questions
from tests.inference.providing import KEY
from tests.interfaces.http.rooms import served
from tests.interfaces.ui.room import WAIT, visiting

__all__ = ["embedder", "questions"]
expect.set_options(timeout=WAIT)
pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_what_calibrating_came_to_is_told_on_the_page_and_kept(
    browser: Browser, tmp_path: Path, embedder: Path, questions: Path
) -> None:
    home = tmp_path / "home"
    given = {"embedder": str(embedder), "web": "off", "allowed_roots": str(tmp_path)}
    async with (
        open_library(home=home, **given) as library,
        served(library) as client,
        visiting(browser, str(client.base_url).split("/api")[0]) as visit,
    ):
        page = visit.page
        await visit.open("/settings")
        await page.fill("#calibrate-folder", str(questions))
        await page.press("#calibrate-folder", "Enter")
        await expect(page.locator("#work.notice")).to_contain_text("調整")
        await expect(page.locator("#work:not(.bad) div")).to_contain_text("次の起動から")
        told = await page.inner_text("#work div")
    after = build_embedders(load(home=home, embedder=str(embedder)))
    assert isinstance(after, BuiltEmbedders)
    assert f"{after.current.about.share.japanese:g}" in told


@pytest.mark.parametrize(
    ("width", "locale", "saved"), [(1280, "en-GB", "Saved."), (360, "ja-JP", "保存しました")]
)
async def test_a_model_is_tried_and_set_on_the_page(
    browser: Browser, tmp_path: Path, width: int, locale: str, saved: str
) -> None:
    ready = ProviderReply('{"ready": true}')
    async with (
        FakeProvider(lambda request: ready) as provider,
        open_library(home=tmp_path, web="off", embedder="none", model_seconds=120.0) as library,
        served(library) as client,
        visiting(
            browser,
            str(client.base_url).split("/api")[0],
            locale=locale,
            viewport={"width": width, "height": 850},
        ) as visit,
    ):
        page = visit.page
        await visit.open("/settings")
        await expect(page.locator("#model-of")).to_be_disabled()
        await page.select_option("#model-provider", "openai")
        await page.fill("#model-of", "m-1")
        await page.fill("#model-url", provider.build_url("openai"))
        await page.fill("#model-secret", KEY)
        await page.click("#try")
        await expect(page.locator("#tried")).to_contain_text("100 + 20")
        assert library.models.get_chosen().name == "none"
        await page.click("#model [type=submit]")
        await expect(page.locator("#tried")).to_contain_text(saved)
        assert await page.input_value("#model-secret") == "" and KEY not in await page.content()
        wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
        if folder := os.environ.get("SHISHO_PICTURES"):
            place = Path(folder) / f"model-{locale[:2]}-{width}.png"
            await page.locator("section[aria-labelledby=models-title]").screenshot(path=place)
    assert wide <= 0
    assert load(home=tmp_path).read_text("model_key") == KEY
