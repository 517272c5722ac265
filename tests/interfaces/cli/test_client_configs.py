"""What `--print-config` prints starts a server, and the how-tos show the same."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from shisho.interfaces.cli.serve import AssistantClient, build_config

HOWTO = Path(__file__).parents[3] / "docs" / "howto"


def read(client: AssistantClient, text: str) -> Any:
    return tomllib.loads(text) if client is AssistantClient.CODEX else json.loads(text)


def entry(client: AssistantClient, data: Any) -> Any:
    (servers,) = data.values()
    return servers["shisho"]


@pytest.mark.parametrize("client", AssistantClient)
def test_the_command_is_a_full_path_that_ends_in_mcp(client: AssistantClient, tmp_path: Path) -> None:
    home = tmp_path / '家 "Q"'
    made = entry(client, read(client, build_config(client, home)))
    assert Path(made["command"]).is_absolute() and made["args"][-3:] == ["--home", str(home), "mcp"]


@pytest.mark.parametrize("client", AssistantClient)
def test_the_howto_shows_the_same_shape(client: AssistantClient) -> None:
    text = (HOWTO / f"{client}.md").read_text("utf-8")
    block = re.search(r"```(?:json|toml)\n(.*?)```", text, re.DOTALL)
    assert block and f"--print-config {client}" in text
    shown = read(client, block[1])
    made = read(client, build_config(client))
    assert shown.keys() == made.keys() and entry(client, shown).keys() == entry(client, made).keys()
    assert entry(client, shown)["args"] == ["mcp"]
