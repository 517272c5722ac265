"""The configured model from the settings to a person: `shisho doctor` tries it."""

from __future__ import annotations

from pathlib import Path

import pytest

from shisho.bootstrap.desk import open_desk
from shisho.bootstrap.models import build_llm
from shisho.domain.corpus import Check
from shisho.errors import InvalidParams
from shisho.settings import load
from shisho.testing.providers.script import ProviderReply
from shisho.testing.providers.server import FakeProvider

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
