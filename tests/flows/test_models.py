"""The configured model from the settings to a person: `shisho doctor` tries it."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from shisho.bootstrap.library import open_library
from shisho.bootstrap.models import build_llm, set_model
from shisho.domain.corpus import Check
from shisho.domain.model import ModelSetting
from shisho.errors import InvalidParams, StorageUnusable
from shisho.interfaces.cli import render
from shisho.interfaces.cli.shell import Words
from shisho.librarian.prompting import load_prompt
from shisho.settings import load
from shisho.testing.model_providers import FakeProvider, ProviderReply, ProviderRequest
from tests.flows.conftest import Shell
from tests.flows.test_model_answers import QUESTION, SENTENCE, TEXT, asked, kind, well
from tests.inference.providing import KEY

READY = ProviderReply('{"ready": true}')


async def doctor(home: Path, provider: FakeProvider) -> Check:
    async with open_library(
        home=home, web="off", model="ollama/m-1", model_url=provider.build_url("ollama"), model_seconds=120.0
    ) as library:
        return next(check for check in await library.run_checks() if check.name == "model")


async def test_doctor_tries_the_model_with_one_tiny_call(tmp_path: Path) -> None:
    async with FakeProvider(lambda request: READY) as provider:
        check = await doctor(tmp_path, provider)
        assert check.ok and check.optional and check.detail.startswith("ollama/m-1 replied in ")
        assert "100 + 20 tokens; JSON Schema accepted; repairs: 0" in check.detail
        assert len(provider.requests) == 1 and len(provider.requests[0].text) < 100
        assert (
            provider.requests[0].body["options"]["num_predict"] == load_prompt("evaluate").max_output_tokens
        )


async def test_doctor_says_how_a_model_fails_and_what_to_do(tmp_path: Path) -> None:
    async with FakeProvider(lambda request: ProviderReply("no model", status=404)) as provider:
        check = await doctor(tmp_path, provider)
    assert not check.ok and check.optional and "does not have the model" in check.detail and check.remedy


def test_models_of_two_providers_are_refused_as_there_is_one_address() -> None:
    with pytest.raises(InvalidParams, match="same provider"):
        build_llm(load(model="ollama/a", model_answer="openai/b"), "model_answer")


@pytest.mark.slow
async def test_models_try_shows_calls_tokens_and_seconds_and_the_answer(tmp_path: Path) -> None:
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "page.md").write_text(TEXT, "utf-8")
    async with FakeProvider(well) as provider:
        environment = {
            **os.environ,
            "SHISHO_HOME": str(tmp_path / "home"),
            "SHISHO_MODEL_URL": provider.build_url("ollama"),
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
    assert "該当箇所の読解と回答の執筆 ollama/m-1: 呼び出し 1回、100 + 20トークン" in told and "秒" in told


@pytest.mark.slow
async def test_show_tells_each_use_of_a_model_and_why_rules_took_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def script(request: ProviderRequest) -> ProviderReply:
        return ProviderReply("{}") if kind(request) == "findings" else well(request)

    answer, _ = await asked(tmp_path, script)
    render.print_item(answer, Words("en"))
    told = capsys.readouterr().out  # in the language of the question, whoever looks
    assert "回答の執筆 ollama/m-1: 呼び出し 1回、100 + 20トークン" in told
    assert (
        "該当箇所の読解 ollama/m-1: 呼び出し 2回、200 + 40トークン — 規則で処理しました: 応答が指定した形式"
        in told
    )


async def test_a_model_that_is_set_answers_the_next_question(tmp_path: Path) -> None:
    """Without a restart; the key goes to no other address than the one that it was set for."""
    (tmp_path / "page.md").write_text(TEXT, "utf-8")
    async with (
        FakeProvider(well) as provider,
        FakeProvider(well) as other,
        open_library(home=tmp_path / "home", web="off", embedder="none", model_seconds=120.0) as library,
    ):
        async for _ in library.documents.add(tmp_path / "page.md"):
            pass
        before = await library.questions.ask(QUESTION)
        await library.models.choose(ModelSetting("openai/m-1", provider.build_url("openai"), KEY))
        after = await library.questions.ask(QUESTION)
        await library.models.choose(ModelSetting("openai/m-2", other.build_url("openai")))
        await library.questions.ask(f"{QUESTION}?")
        chosen = library.models.get_chosen()
    assert (before.model, after.model) == ("none", "openai/m-1")
    assert KEY in provider.requests[0].headers["authorization"]
    assert other.requests and KEY not in str([request.headers for request in other.requests])
    assert chosen == ModelSetting("openai/m-2", other.build_url("openai"), "")


async def test_a_trial_of_another_model_changes_no_setting(tmp_path: Path) -> None:
    async with (
        FakeProvider(lambda request: READY) as provider,
        open_library(home=tmp_path, web="off", embedder="none", model_seconds=120.0) as library,
    ):
        check = await library.models.check(
            ModelSetting("anthropic/m-1", provider.build_url("anthropic"), KEY)
        )
        assert check.ok and library.models.get_chosen().name == "none"
    assert not (tmp_path / "settings.toml").exists()


def test_setting_a_model_clears_those_of_single_steps_and_writes_no_key_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "settings.toml").write_text('model = "openai/a"\nmodel_answer = "openai/b"\n', "utf-8")
    monkeypatch.setenv("SHISHO_MODEL_KEY", "sk-env")
    set_model(load(home=tmp_path), ModelSetting("openai/c", ""))
    assert "sk-env" not in (tmp_path / "settings.toml").read_text("utf-8")
    chosen = load(home=tmp_path)
    assert (chosen.read_text("model"), chosen.read_text("model_answer")) == ("openai/c", "")


def test_a_failed_write_leaves_no_file_with_the_key(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").mkdir()
    with pytest.raises(StorageUnusable):
        set_model(load(home=tmp_path), ModelSetting("openai/a", "http://127.0.0.1:9/v1", "sk-1"))
    assert [path.name for path in tmp_path.iterdir()] == ["settings.toml"]


async def test_a_trial_in_the_shell_sends_no_stored_key_elsewhere(tmp_path: Path) -> None:
    async with FakeProvider(lambda request: READY) as provider:
        (tmp_path / "settings.toml").write_text(
            f'model = "openai/a"\nmodel_url = "http://127.0.0.1:9/v1"\nmodel_key = "{KEY}"\n', "utf-8"
        )
        url = provider.build_url("openai")
        await asyncio.to_thread(Shell(tmp_path), "models", "try", "--url", url, "--json")
    assert provider.requests and KEY not in str([request.headers for request in provider.requests])


@pytest.mark.slow
async def test_the_shell_sets_tries_and_lists_models(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    async with FakeProvider(lambda request: READY) as provider:
        url = provider.build_url("openai")
        done = await asyncio.to_thread(shell.run, "models", "set", "openai/m-1", "--url", url)
        assert done.returncode == 0, done.stderr
        assert load(home=tmp_path).read_text("model_url") == url
        measured = await asyncio.to_thread(shell, "models", "try", "--json")
        listed = await asyncio.to_thread(shell, "models", "list", "--json")
    assert measured["model"] == "openai/m-1" and measured["schema"] and measured["output_tokens"] == 20
    assert listed["model"] == "openai/m-1"
    failed = await asyncio.to_thread(shell.run, "models", "try")
    assert failed.returncode == 1 and "サーバーを起動するか" in failed.stderr
    refused = await asyncio.to_thread(shell.run, "models", "set", "nobody/m-1")
    assert refused.returncode != 0 and load(home=tmp_path).read_text("model") == "openai/m-1"
