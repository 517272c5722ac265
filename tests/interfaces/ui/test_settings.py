"""What the settings page can do beside what test_library.py tries: calibrate an embedder to its end."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from shisho.bootstrap.desk import open_desk
from shisho.bootstrap.embedder import BuiltEmbedders, build_embedders
from shisho.settings import load
from tests.evaluation.test_calibrate import embedder, questions
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
        open_desk(home=home, **given) as desk,
        served(desk) as client,
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
