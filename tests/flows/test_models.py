"""The configured model from the settings to a person: `shisho doctor` tries it."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from shisho.bootstrap.desk import open_desk
from shisho.bootstrap.models import build_llm
from shisho.domain.corpus import Check
from shisho.errors import InvalidParams
from shisho.interfaces.cli import render
from shisho.interfaces.cli.messages import Words
from shisho.settings import load
from shisho.testing.providers.script import ProviderReply, ProviderRequest
from shisho.testing.providers.server import FakeProvider
from tests.flows.test_model_answers import QUESTION, SENTENCE, TEXT, asked, kind, well

READY = ProviderReply('{"ready": true}')


async def doctor(home: Path, provider: FakeProvider) -> Check:
    async with open_desk(
        home=home, web="off", model="ollama/m-1", model_url=provider.url("ollama"), model_seconds=120.0
    ) as desk:
        return next(check for check in await desk.doctor() if check.name == "model")


async def test_doctor_tries_the_model_with_one_tiny_call(tmp_path: Path) -> None:
    async with FakeProvider(lambda request: READY) as provider:
        check = await doctor(tmp_path, provider)
        assert check.ok and check.optional and check.detail.startswith("ollama/m-1 replied in ")
        assert len(provider.requests) == 1 and len(provider.requests[0].text) < 100


async def test_doctor_says_how_a_model_fails_and_what_to_do(tmp_path: Path) -> None:
    async with FakeProvider(lambda request: ProviderReply("no model", status=404)) as provider:
        check = await doctor(tmp_path, provider)
    assert not check.ok and check.optional and "does not have the model" in check.detail and check.remedy


def test_models_of_two_providers_are_refused_as_there_is_one_address() -> None:
    with pytest.raises(InvalidParams, match="one provider"):
        build_llm(load(model="ollama/a", model_answer="openai/b"), "model_answer")


@pytest.mark.slow
async def test_models_try_shows_calls_tokens_and_seconds_and_the_answer(tmp_path: Path) -> None:
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "page.md").write_text(TEXT, "utf-8")
    async with FakeProvider(well) as provider:
        environment = {
            **os.environ,
            "SHISHO_HOME": str(tmp_path / "home"),
            "SHISHO_MODEL_URL": provider.url("ollama"),
            "SHISHO_MODEL_SECONDS": "120",
            "SHISHO_MAX_SECONDS": "600",
            "SHISHO_LANGUAGE": "ja",
        }
        arguments = ("models", "try", QUESTION, "--model", "ollama/m-1", "--in", str(tmp_path / "papers"))
        ran = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "shisho",
            *arguments,
            env=environment,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        printed, told = (stream.decode() for stream in await ran.communicate())
    assert ran.returncode == 0, told
    assert f"{SENTENCE} [1]" in printed
    assert "パッセージの読解 ollama/m-1: 呼び出し 1回、100 + 20トークン" in told and "秒" in told


@pytest.mark.slow
async def test_show_tells_each_use_of_a_model_and_why_rules_took_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def script(request: ProviderRequest) -> ProviderReply:
        return ProviderReply("{}") if kind(request) == "findings" else well(request)

    answer, _ = await asked(tmp_path, script)
    render.print_whole(answer, Words("en"))
    told = capsys.readouterr().out  # in the language of the question, whoever looks
    assert "回答の執筆 ollama/m-1: 呼び出し 1回、100 + 20トークン" in told
    assert (
        "パッセージの読解 ollama/m-1: 呼び出し 2回、200 + 40トークン — 規則が代わりに行いました: 応答が求めた形"
        in told
    )
