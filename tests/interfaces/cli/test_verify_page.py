"""The page that checks proof files, in Chromium from a file, against the rules of the house."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.async_api import FilePayload
from typer.testing import CliRunner

from shisho.interfaces.cli.app import app
from shisho.messages.catalogue import render
from shisho.rendering.proof import check_proof
from shisho.system.signing import is_signed
from tests.interfaces.ui.room import RoomVisit, chromium_browser, visiting
from tests.rendering.proofs import flips, forged, proof, purged_proof

FORGERIES: list[tuple[str, dict[str, Any]]] = [
    ("evidence/1", {"snippet": "決定係数は0から2までの値をとる。"}),
    ("evidence/1", {"start": 1_006}),
    ("evidence/2", {"slice": None}),
    ("evidence/2", {"picture": True}),
    ("page/1", {"png": "AAAA"}),
    ("page/1", {"boxes": [[0.1, 0.2, 1.5, 0.4]]}),
    ("page/1", {"page": 4}),
    ("stop", {"level": None}),
]


async def dropped(visit: RoomVisit, name: str, data: bytes) -> tuple[str, list[str]]:
    """What the page says of a file: its verdict, and what is wrong."""
    await visit.page.set_input_files("#file", FilePayload(name=name, mimeType="text/plain", buffer=data))
    await visit.page.wait_for_selector(f"body[data-checked='{name}']", state="attached")
    faults = await visit.page.locator("#faults li").all_text_contents()
    return await visit.page.inner_text("#verdict"), faults


async def test_the_page_finds_what_the_command_finds(tmp_path: Path) -> None:
    page = tmp_path / "verify.html"
    assert CliRunner().invoke(app, ["verify", "--page", str(page)]).exit_code == 0
    data = proof(sign=True)
    async with chromium_browser() as browser, visiting(browser, page.as_uri(), locale="en-GB") as visit:
        await visit.open("")
        verdict, faults = await dropped(visit, "whole", data)
        assert verdict == "✓ No errors found: 6 parts, 2 quotations, 1 page image." and not faults
        assert check_proof(data, is_signed).signer in await visit.page.inner_text("#result")
        marks = await visit.page.locator("mark").all_text_contents()
        assert marks == ["決定係数は𝒙の0から1までの値をとる。", "それは適合の良さを表す。"]
        assert await visit.page.locator(".page .lit").count() == 1
        assert (await dropped(visit, "unsigned", proof()))[1] == []
        assert (
            "erased"
            in (await dropped(visit, "erased", purged_proof()), await visit.page.inner_text("#result"))[1]
        )
        files = [flipped for _, flipped in flips(data, 20, seed=7)]
        files += [forged(data, part, lambda old, new=change: {**old, **new}) for part, change in FORGERIES]
        for number, altered in enumerate(files):
            expected = check_proof(altered, is_signed).faults
            verdict, faults = await dropped(visit, f"altered{number}", altered)
            assert verdict == f"This file is not a valid proof (errors: {len(expected)})."
            places = [f"line {fault.line}{fault.part and ', '}{fault.part}: " for fault in expected]
            assert [fault.startswith(place) for fault, place in zip(faults, places, strict=True)] == [
                True
            ] * len(places)
        await visit.page.click("#language")
        expected_words = render(expected[0].what, "ja")
        assert expected_words in (await visit.page.locator("#faults li").all_text_contents())[0]
        await visit.shot("verify-ja")
