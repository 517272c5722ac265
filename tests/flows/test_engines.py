"""The engines as a visitor sees them, over a real database, and in the shell."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from shisho.bootstrap.library import open_library
from shisho.bootstrap.web import WebAccess
from shisho.domain.politeness import BreakerState, Limit, RequestOutcome
from shisho.domain.task import AskOptions, EngineStatus, Sources
from shisho.errors import EngineUnavailable, InvalidParams
from shisho.stores.embedded.connect import Database, EmbeddedQueryStore
from shisho.stores.sql.health import StoredHealth
from shisho.stores.sql.limiter import StoredLimiter
from shisho.system.clock import SystemClock
from shisho.testing import MemoryWeb
from shisho.web.engines import create_engines
from shisho.web.serp.parser import KillableSerpParser
from tests.flows.conftest import Shell

HOWTO = Path(__file__).parents[2] / "docs" / "howto" / "add-an-engine.md"


def way(*names: str) -> WebAccess:
    found = create_engines()
    return WebAccess({name: found[name] for name in names}, MemoryWeb, KillableSerpParser())


async def rows(home: Path, web: WebAccess | None = None, **given: object) -> dict[str, EngineStatus]:
    async with open_library(home=home, web_access=web, **given) as library:
        return {row.name: row for row in await library.web.list_engines()}


async def lived(home: Path) -> None:
    """Three engines have a past."""
    database = Database(home / "shisho.db")
    clock = SystemClock()
    health = StoredHealth(EmbeddedQueryStore(database), clock)
    limiter = StoredLimiter(EmbeddedQueryStore(database), clock)
    for outcome in (
        RequestOutcome.SUCCESS,
        RequestOutcome.SUCCESS,
        RequestOutcome.FAILURE,
        RequestOutcome.FAILURE,
    ):
        await health.record("mojeek", outcome, 0.4, "応答なし")
    await health.record("wikipedia", RequestOutcome.SUCCESS, 0.2)
    for page in range(2):
        limit = Limit(0.0, per_day=10)
        assert (await limiter.acquire("engine:google", limit, str(page))).granted
        await limiter.release("engine:google", limit, str(page))
    await database.close()


async def test_health_and_quota_are_those_of_the_database(tmp_path: Path) -> None:
    await lived(tmp_path)
    held = await rows(tmp_path, way("mojeek", "wikipedia", "google", "brave_api"))
    mojeek = held["mojeek"]
    google = held["google"]
    assert mojeek.available and mojeek.breaker is BreakerState.OPEN and mojeek.cool_down_until is not None
    assert mojeek.cool_down_until in mojeek.reason and mojeek.last_error == "応答なし"
    assert (mojeek.success_rate, mojeek.median_latency_s, mojeek.quota_left) == (0.5, 0.4, None)
    assert (
        held["wikipedia"].available
        and held["wikipedia"].reason == ""
        and held["wikipedia"].success_rate == 1.0
    )
    assert (google.quota_left, google.per_day, google.available) == (
        8,
        10,
        False,
    ) and "terms" in google.reason
    assert held["crossref"].success_rate is None and "can't be reached" in held["crossref"].reason
    assert not held["brave_api"].available and "brave_api_key" in held["brave_api"].reason


@pytest.mark.parametrize(
    ("web", "said", "english", "japanese"),
    [
        ("off", "", "by the setting `web`. Set it to `ask` or `on`", "設定 `web` により"),
        ("ask", "off", "`shisho web on` turns it on", "`shisho web on` でオンにできます"),
    ],
)
def test_where_the_web_is_off_that_is_said_once_and_nothing_of_a_browser(
    web: str, said: str, english: str, japanese: str, shell: Shell
) -> None:
    shell.environment["SHISHO_WEB"] = web
    if said:
        shell("web", said)
    assert not any(row["available"] for row in shell("engines", "--json"))
    told = shell("engines")
    assert told.count(japanese) == 1 and "ブラウザー" not in told and "brave_api_key" in told
    shell.environment["SHISHO_LANGUAGE"] = "en"
    told = shell("engines")
    assert told.count(english) == told.count("Web search is turned off") == 1 and "browser" not in told
    if said:
        shell("web", "ask")
        assert "turned off" not in shell("engines")


async def test_a_key_makes_its_engine_available_and_is_not_shown(tmp_path: Path) -> None:
    held = await rows(
        tmp_path, way("brave_api", "pubmed"), brave_api_key="canary-81b2", ncbi_api_key="canary-81b3"
    )
    assert held["brave_api"].available and held["pubmed"].interval_s == 0.125
    assert "canary" not in str(held)


async def test_a_question_to_the_web_waits_for_engines_that_rest_but_not_for_none(tmp_path: Path) -> None:
    await lived(tmp_path)
    options = AskOptions(sources=Sources.WEB)
    async with open_library(home=tmp_path, web_access=way("mojeek")) as library:
        assert (await library.questions.queue("決定係数とは何か", options=options, wait=0)).answer is None
    async with open_library(home=tmp_path, web_access=way("google", "brave_api")) as library:
        with pytest.raises(EngineUnavailable):
            await library.questions.queue("決定係数とは何か", options=options, wait=0)


async def test_the_howtos_example_is_followed(tmp_path: Path) -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", HOWTO.read_text("utf-8"), re.S)
    (tmp_path / "engines.toml").write_text(example, "utf-8")
    held = await rows(tmp_path)
    assert held["searxng"].enabled and held["searxng"].site == "https://search.home.example"
    assert held["mojeek"].interval_s == 8
    assert not held["startpage"].enabled and held["startpage"].reason == "社内の規則により使わない"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[mojeek\n", ["engines.toml", "line 1"]),
        ("mojeek = 3\n", ["engines.toml", "mojeek"]),
        ("[nobody]\nenabled = true\n", ["engines.toml", "nobody"]),
        ("[mojeek]\nintervall_s = 8\n", ["engines.toml", "mojeek", "intervall_s"]),
        ("[mojeek]\ninterval_s = '8'\n", ["engines.toml", "mojeek.interval_s", "'8'"]),
        ("[mojeek]\nlook = 3\n", ["engines.toml", "mojeek.look"]),
    ],
)
async def test_a_file_that_cannot_be_followed_is_named_with_its_key(
    text: str, words: list[str], tmp_path: Path
) -> None:
    (tmp_path / "engines.toml").write_text(text, "utf-8")
    with pytest.raises(InvalidParams) as met:
        await rows(tmp_path)
    assert all(word in met.value.message for word in words), met.value.message


async def test_the_shell_shows_a_table_and_json(tmp_path: Path) -> None:
    home = tmp_path / "home"
    await lived(home)
    shell = Shell(home)
    told = shell("engines")
    line = next(each for each in told.splitlines() if " mojeek " in each)
    assert "休止中" in line and "50%" in line and "0.4 s" in line
    assert "8/10" in told and "応答なし" in told
    held = {row["name"]: row for row in shell("engines", "--json")}
    assert held["mojeek"]["breaker"] == "open" and held["google"]["quota_left"] == 8 and len(held) == 18
    (home / "engines.toml").write_text("[mojeek]\nintervall_s = 8\n", "utf-8")
    assert "intervall_s" in shell("engines", code=2)
    assert shell("engines", "--json", code=2)["code"] == "INVALID_PARAMS"


def test_selectors_of_ones_own_read_a_saved_page(tmp_path: Path) -> None:
    home = tmp_path / "home"
    page = tmp_path / "saved.html"
    home.mkdir()
    page.write_text(
        "<title>統計 - Mojeek Search</title><dl><dt><a href='https://a.example/'>題</a><dd>抜粋</dl>", "utf-8"
    )
    shell = Shell(home)
    assert shell("engines", "parse", "mojeek", page, "--json", code=1)["code"] == "PARSER_FAILED"
    (home / "engines.toml").write_text(
        "[[mojeek.look.layouts]]\nhit = 'dl'\nlink = 'dt a'\nsnippet = 'dd'\n", "utf-8"
    )
    (hit,) = shell("engines", "parse", "mojeek", page, "--json")["hits"]
    assert (hit["url"], hit["title"], hit["snippet"]) == ("https://a.example/", "題", "抜粋")
