"""The pages of the reading room as the server sends them: words, headers, the token, nothing from
elsewhere."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from html import unescape
from importlib.resources import files
from typing import Any

import httpx
import pytest

import shisho
from shisho.interfaces.http.guard import AccessRules
from shisho.interfaces.http.server import build
from shisho.interfaces.ui import PAGES, SHARED_PREFIXES, choose_language, room_words
from shisho.messages import read_catalogue
from shisho.services import Library

TOKEN = "canary-7f3a9c"
ROOM = files("shisho.interfaces.ui")
SCRIPTS = {
    path.name: path.read_text("utf-8") for path in (ROOM / "static").iterdir() if path.name.endswith(".js")
}
TEMPLATES = {path.name: path.read_text("utf-8") for path in (ROOM / "templates").iterdir()}
SHOWN = ("/", "/library", "/queue", "/settings", "/a/0123", "/d/doc_0123", "/e/0123", "/login")


@pytest.fixture
async def library(tmp_path: Any) -> AsyncIterator[Library]:
    async with shisho.open(home=tmp_path) as library:
        yield library


def client(library: Library, rules: AccessRules | None = None, **headers: str) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(build(library, rules or AccessRules()))
    return httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8765", headers=headers)


@pytest.mark.parametrize(
    ("chosen", "accepted", "language"),
    [
        (None, "ja-JP,ja;q=0.9,en;q=0.8", "ja"),
        (None, "en-GB,en;q=0.9,ja;q=0.8", "en"),
        (None, "fr,ja;q=0.3", "ja"),
        (None, "ja;q=0,en;q=0.1", "en"),
        (None, "fr,de;q=0.5", "en"),
        (None, "", "en"),
        (None, "ja;q=viel", "en"),
        ("en", "ja", "en"),
        ("ja", "en", "ja"),
        ("xx", "ja", "ja"),
    ],
)
def test_a_page_is_in_the_language_chosen_or_else_in_the_browsers(
    chosen: str | None, accepted: str, language: str
) -> None:
    assert choose_language(chosen, accepted) == language


@pytest.mark.parametrize("path", SHOWN)
async def test_every_page_loads_nothing_from_elsewhere_and_runs_nothing_inline(
    library: Library, path: str
) -> None:
    async with client(library) as browser:
        reply = await browser.get(path)
    assert reply.status_code == 200
    policy = reply.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "script-src 'self'" in policy and "unsafe" not in policy
    assert reply.headers["x-frame-options"] == "DENY"
    assert reply.headers["cache-control"] == "no-store"
    assert not re.search(r"<script(?![^>]* src=)|<style| style=| on\w+=", reply.text)
    assert re.findall(r'(?:src|href)="(?!/|#)([^"]*)"', reply.text) == []


@pytest.mark.parametrize("language", ["ja", "en"])
async def test_the_words_of_a_page_survive_their_way_into_it(library: Library, language: str) -> None:
    async with client(library, **{"accept-language": language}) as browser:
        text = (await browser.get("/")).text
    match = re.search(r'data-words="([^"]*)"', text)
    assert match is not None and json.loads(unescape(match[1])) == room_words(language)
    assert f'<html lang="{language}">' in text


def test_every_word_that_a_page_says_is_there_and_none_is_left_over() -> None:
    known = room_words("ja")
    texts = [*SCRIPTS.values(), *TEMPLATES.values()]
    said = {word for text in texts for word in re.findall(r"say\(\s*[\"'](\w+)[\"']", text)}
    begun = {word for text in texts for word in re.findall(r"say\([`\"'](\w+_)(?:\$|[\"'] ~)", text)}
    begun |= {f"{kind}_" for text in texts for kind in re.findall(r'named\("(\w+)"', text)}
    chosen = {
        word for text in texts for word in re.findall(r"say\([^\n]*?\?\s*\"(\w+)\"\s*:\s*\"(\w+)\"", text)
    }
    listed = {word for text in texts for word in re.findall(r'"(example_\d)"', text)}
    assert sorted(said - {word.rstrip("_") for word in begun} - known.keys() - begun) == []
    used = said | listed | {word for pair in chosen for word in pair} | {"about"}
    own_words = {id_.removeprefix("room.") for id_ in read_catalogue("en") if id_.startswith("room.")}
    assert sorted(word for word in own_words - used if not word.startswith((*begun, *SHARED_PREFIXES))) == []


def test_scripts_put_no_markup_together() -> None:
    for name, text in SCRIPTS.items():
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function", text
        ), name
        assert not re.search(r"https?://", text), name


async def test_what_ask_loads_is_light(library: Library) -> None:
    async with client(library) as browser:
        page = await browser.get("/")
        total = len(page.content)
        addresses = set(re.findall(r'(?:src|href)="(/static/[^"]+)"', page.text))
        folder = next(iter(addresses)).rsplit("/", 1)[0]
        wanted = [*addresses]
        while wanted:
            reply = await browser.get(wanted.pop())
            assert reply.status_code == 200 and "immutable" in reply.headers["cache-control"]
            total += len(reply.content)
            imported = {f"{folder}/{name}" for name in re.findall(r'from "\./(\w+\.js)"', reply.text)}
            wanted += imported - addresses
            addresses |= imported
    assert total <= 150_000
    assert len(addresses) >= 6


async def test_a_file_of_another_version_is_sent_and_not_kept(library: Library) -> None:
    async with client(library) as browser:
        assert (await browser.get("/static/older/room.js")).headers["cache-control"] == "no-store"
        for path in ("/static/older/pages.py", "/static/older/..%2Fpages.py", "/static/older/none.js"):
            assert (await browser.get(path)).status_code == 404


async def test_a_language_is_remembered_and_leads_back_to_a_page_of_ours(library: Library) -> None:
    async with client(library) as browser:
        reply = await browser.get("/language?to=en&back=/d/doc_1?a=2")
        assert (reply.status_code, reply.headers["location"]) == (303, "/d/doc_1?a=2")
        assert 'lang="en"' in (await browser.get("/", headers={"accept-language": "ja"})).text
        for elsewhere in (
            "https://example.com/x",
            "//example.com/x",
            "/\\example.com",
            "javascript:alert(1)",
        ):
            place = (await browser.get("/language", params={"to": "ja", "back": elsewhere})).headers[
                "location"
            ]
            assert place.startswith("/") and not place.startswith(("//", "/\\"))


async def test_with_a_token_a_browser_is_led_to_the_form_and_comes_in_by_a_cookie(library: Library) -> None:
    async with client(library, AccessRules(token=TOKEN)) as browser:
        led = await browser.get("/library", headers={"accept": "text/html"})
        assert (led.status_code, led.headers["location"]) == (303, "/login?back=/library")
        assert (await browser.get("/api/v1/documents")).status_code == 401
        wrong = await browser.post("/login", data={"token": "guess"})
        assert wrong.status_code == 401 and not wrong.cookies
        right = await browser.post("/login", data={"token": f" {TOKEN} "})
        assert right.status_code == 303
        cookie = right.headers["set-cookie"]
        assert "httponly" in cookie.lower() and "samesite=strict" in cookie.lower() and TOKEN not in cookie
        assert (await browser.get("/api/v1/documents")).status_code == 200
        assert (await browser.get("/")).status_code == 200
    async with client(library, AccessRules(token="another")) as browser:
        browser.cookies.set("shisho_token", right.cookies["shisho_token"])
        assert (await browser.get("/api/v1/documents")).status_code == 401


@pytest.mark.slow
async def test_the_form_of_the_token_leads_back_to_where_somebody_was_going(library: Library) -> None:
    wanted = "/d/doc_1?a=2&b=%22%3E"
    async with client(library, AccessRules(token=TOKEN)) as browser:
        led = await browser.get(wanted, headers={"accept": "text/html"})
        form = (await browser.get(led.headers["location"])).text
        match = re.search(r'name="back" value="([^"]*)"', form)
        assert match is not None and unescape(match[1]) == wanted
        wrong = await browser.post("/login", data={"token": "guess", "back": wanted})
        assert f'value="{match[1]}"' in wrong.text
        right = await browser.post("/login", data={"token": TOKEN, "back": wanted})
        assert right.headers["location"] == wanted and "secure" not in right.headers["set-cookie"].lower()
        for elsewhere in ("https://example.com/x", "//example.com/x", "/\\example.com", "http://[", ""):
            led = await browser.post("/login", data={"token": TOKEN, "back": elsewhere})
            place = led.headers["location"]
            assert place.startswith("/") and not place.startswith(("//", "/\\"))
    async with client(library, AccessRules(token=TOKEN), accept="text/html") as browser:
        assert (await browser.get(f"/?q={'a' * 3_000}")).headers["location"] == "/login"


async def test_a_browser_that_speaks_tls_keeps_its_cookie_for_tls(library: Library) -> None:
    async with client(library, AccessRules(token=TOKEN)) as browser:
        headers = {"origin": "https://127.0.0.1:8765"}
        reply = await browser.post("/login", data={"token": TOKEN}, headers=headers)
    assert "; secure" in reply.headers["set-cookie"].lower()


async def test_who_is_not_let_in_yet_is_offered_no_room(library: Library) -> None:
    async with client(library, AccessRules(token=TOKEN), **{"accept-language": "en"}) as browser:
        page = (await browser.get("/login")).text
    assert "<nav" not in page and "the one you were given" in page


async def test_a_browser_gets_a_page_where_there_is_none_and_a_program_gets_data(library: Library) -> None:
    wanted = '/nowhere"><script>alert(1)</script>'
    async with client(library, **{"accept-language": "en"}) as browser:
        page = await browser.get(wanted, headers={"accept": "text/html,*/*;q=0.8"})
        assert page.status_code == 404 and "default-src 'none'" in page.headers["content-security-policy"]
        assert "There is no page at /nowhere" in page.text and "alert(1)</script>" not in page.text
        assert (await browser.get(wanted)).json()["code"] == "RESOURCE_NOT_FOUND"
        api = await browser.get("/api/v1/none", headers={"accept": "text/html"})
        assert api.json()["code"] == "RESOURCE_NOT_FOUND"


async def test_a_form_of_another_page_cannot_enter(library: Library) -> None:
    async with client(library, AccessRules(token=TOKEN)) as browser:
        for origin in ("http://evil.example", "null"):
            reply = await browser.post("/login", data={"token": TOKEN}, headers={"origin": origin})
            assert reply.status_code == 403


async def test_a_browser_can_ask_from_its_address_bar_and_install_the_room(library: Library) -> None:
    async with client(library) as browser:
        search = (await browser.get("/opensearch.xml")).text
        assert 'template="http://127.0.0.1:8765/?q={searchTerms}"' in search
        manifest = (await browser.get("/manifest.webmanifest", headers={"accept-language": "ja"})).json()
        assert manifest["start_url"] == "/" and manifest["lang"] == "ja"
        assert (await browser.get(manifest["icons"][0]["src"])).headers["content-type"] == "image/svg+xml"


async def test_an_error_is_told_in_the_language_of_the_page(library: Library) -> None:
    async with client(library) as browser:
        told = [
            (await browser.get("/api/v1/answers/none", headers={"accept-language": language})).json()[
                "message"
            ]
            for language in ("ja", "en", "*", "ja")
        ]
    assert re.search("[ぁ-ん]", told[0]) and told[3] == told[0]
    assert not re.search("[ぁ-ん]", told[1]) and told[2] == told[1]


async def test_an_error_is_told_in_the_language_that_was_chosen_in_the_room(library: Library) -> None:
    """Also where no script can say which it is, as for a stream of events, and at the door."""
    async with client(library, AccessRules(token=TOKEN), **{"accept-language": "ja"}) as browser:
        await browser.get("/language?to=en")
        door = await browser.get("/api/v1/answers/none/events")
        assert door.status_code == 401 and not re.search("[ぁ-ん]", door.json()["message"])
        await browser.post("/login", data={"token": TOKEN})
        missing = await browser.get("/api/v1/answers/none/events")
        assert missing.status_code == 404 and not re.search("[ぁ-ん]", missing.json()["message"])
        await browser.get("/language?to=ja")
        missing = await browser.get("/api/v1/answers/none/events", headers={"accept-language": "en"})
        assert re.search("[ぁ-ん]", missing.json()["message"])


def test_pages_are_named_where_they_are_shown() -> None:
    assert {f"{name}.html" for name in PAGES} <= TEMPLATES.keys()
    assert {f"{name}.js" for name in PAGES} <= SCRIPTS.keys()
