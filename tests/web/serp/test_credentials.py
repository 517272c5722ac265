"""The user's own keys: into requests to their engine, and nowhere else."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from datetime import date

import pytest

from shisho.domain.codec import dumps
from shisho.domain.politeness import Limit
from shisho.domain.web import EngineQuery, Request, Response
from shisho.errors import InvalidParams, ShishoError, TimedOut
from shisho.settings import TABLE as SETTINGS
from shisho.web.engines import Engine, create_engines, load_engines
from shisho.web.serp.credentials import authorise, fetch_authorised, find_missing_keys, hide_keys, limit_of
from tests.tables import each_row

CANARY = "canary+key/81b2=%"
KEYED = [engine for engine in load_engines() if engine.about.credentials]
QUERY = EngineQuery("決定係数", date(2026, 7, 1))
KEYS = {credential.setting: CANARY for engine in KEYED for credential in engine.about.credentials}


def named(engine: Engine) -> str:
    return engine.about.name


def test_every_credential_is_a_setting_and_every_key_a_secret() -> None:
    rows = {row.name: row for row in SETTINGS}
    assert {name for name in KEYS if not rows[name].secret} == {"contact_email"}


@each_row("engine", KEYED)
def test_a_key_is_in_what_is_sent_and_not_in_what_is_stored(engine: Engine) -> None:
    stored = engine.request(QUERY, 1, {})
    sent = authorise(stored, engine.about, KEYS)
    assert CANARY not in dumps(stored) and hide_keys(dumps(stored), engine.about, KEYS) == dumps(stored)
    assert hide_keys(dumps(sent), engine.about, KEYS) != dumps(sent), "it is sent"
    assert authorise(stored, engine.about, {}) == stored
    assert authorise(sent, engine.about, KEYS) == sent


ROWS: list[tuple[str, Mapping[str, str], str, Mapping[str, str]]] = [
    (
        "pubmed",
        {"ncbi_api_key": "k 1".replace(" ", "&"), "contact_email": "a@b.jp"},
        "api_key=k%261&email=a%40b.jp",
        {},
    ),
    ("openalex", {"openalex_api_key": "k1"}, "api_key=k1", {}),
    ("semantic_scholar", {"semantic_scholar_key": " k1\n"}, "", {"x-api-key": "k1"}),
    ("brave_api", {"brave_api_key": "k1"}, "", {"X-Subscription-Token": "k1"}),
    ("marginalia", {"marginalia_key": "k1"}, "", {"API-Key": "k1"}),
    ("marginalia", {}, "", {"API-Key": "public"}),
]


@each_row(("name", "values", "query", "headers"), ROWS)
def test_where_each_key_goes(
    name: str, values: Mapping[str, str], query: str, headers: Mapping[str, str]
) -> None:
    engine = create_engines()[name]
    sent = authorise(engine.request(QUERY, 1, {}), engine.about, values)
    assert sent.url.endswith(query) and headers.items() <= sent.headers.items()


@each_row(
    "url",
    [
        "https://elsewhere.example/",
        "http://eutils.ncbi.nlm.nih.gov/",
        "https://eutils.ncbi.nlm.nih.gov.evil.example/",
    ],
)
def test_no_other_site_is_told(url: str) -> None:
    assert authorise(Request(url), create_engines()["pubmed"].about, KEYS) == Request(url)


@pytest.mark.parametrize("engine", KEYED, ids=named)
async def test_nothing_that_comes_back_shows_a_key(engine: Engine) -> None:
    """A server that quotes what it was sent, in its address and in its page."""

    async def echo(request: Request) -> Response:
        said = f'{{"error": "API key {dumps(dict(request.headers))} refused", "url": "{request.url}"}} 統計'
        return Response(said.encode("euc-jp"), request.url, 403)

    response = await fetch_authorised(echo, engine.request(QUERY, 1, {}), engine.about, KEYS)
    for text in (response.url, response.body.decode("euc-jp")):
        assert hide_keys(text, engine.about, KEYS) == text and CANARY not in text
    with pytest.raises(ShishoError) as met:
        engine.parse(response)
    assert CANARY not in f"{met.value.message} {met.value.details}" and response.body.decode(
        "euc-jp"
    ).endswith("統計")


@pytest.mark.parametrize("engine", KEYED, ids=named)
async def test_no_error_shows_a_key(engine: Engine, caplog: pytest.LogCaptureFixture) -> None:
    async def fails(request: Request) -> Response:
        raise TimedOut(f"{request.url} {dict(request.headers)} did not answer.", url=request.url, status=0)

    with caplog.at_level("DEBUG"), pytest.raises(TimedOut) as met:
        await fetch_authorised(fails, engine.request(QUERY, 1, {}), engine.about, KEYS)
    said = "".join(traceback.format_exception(met.value)) + str(met.value.details) + caplog.text
    assert (
        hide_keys(said, engine.about, KEYS) == said
        and "did not answer" in met.value.message
        and met.value.retry
    )


def test_a_key_buys_a_pace() -> None:
    about = create_engines()["pubmed"].about
    assert limit_of(about, {}) == Limit(0.5) and limit_of(about, {"ncbi_api_key": " "}) == Limit(0.5)
    assert limit_of(about, {"ncbi_api_key": "k", "contact_email": "a@b.jp"}) == Limit(0.125)
    assert limit_of(create_engines()["google"].about, KEYS) == Limit(20, 1, 10)
    assert limit_of(create_engines()["openalex"].about, {"contact_email": "a@b.jp"}) == Limit(0.25, 2)


def test_a_pace_of_the_users_own_holds_with_a_key_too() -> None:
    about = create_engines({"pubmed": {"interval_s": 3}})["pubmed"].about
    assert limit_of(about, KEYS) == Limit(3)
    bought = [{"setting": "ncbi_api_key", "param": "api_key", "interval_s": 1.0}]
    about = create_engines({"pubmed": {"interval_s": 3, "credentials": bought}})["pubmed"].about
    assert limit_of(about, KEYS) == Limit(1.0)


def test_what_is_missing_is_named() -> None:
    abouts = [create_engines()[name].about for name in ("brave_api", "pubmed", "mojeek")]
    assert find_missing_keys(abouts, {"brave_api_key": "  "}) == {
        "brave_api_key",
        "ncbi_api_key",
        "contact_email",
    }
    assert find_missing_keys(abouts, KEYS) == frozenset()


@each_row("key", ["鍵の文字列", "some\nkey", "some key", "key\x00"])
def test_a_key_that_no_header_can_carry_is_never_sent(key: str) -> None:
    engine = create_engines()["brave_api"]
    stored = engine.request(QUERY, 1, {})
    assert authorise(stored, engine.about, {"brave_api_key": key}) == stored
    assert find_missing_keys([engine.about], {"brave_api_key": key}) == {"brave_api_key"}


def test_an_override_cannot_name_a_pace_of_another_type() -> None:
    with pytest.raises(InvalidParams, match="interval_s"):
        create_engines({"pubmed": {"interval_s": "3"}})
