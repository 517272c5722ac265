"""The lines to paste into an assistant's settings so that it starts Shisho."""

from __future__ import annotations

import json
import shutil
import sys
from enum import StrEnum
from pathlib import Path

from shisho.settings import expand_user


class AssistantClient(StrEnum):
    """Assistants with a known settings format."""

    CLAUDE_DESKTOP = "claude-desktop"
    CLAUDE_CODE = "claude-code"
    CURSOR = "cursor"
    VSCODE = "vscode"
    CODEX = "codex"


def build_config(client: AssistantClient, home: Path | None = None) -> str:
    """Return the block for this client.

    The command is a full path: assistants do not have the shell's PATH.
    """
    command, before = _find_command()
    args = [*before, *(["--home", str(expand_user(home).resolve())] if home else []), "mcp"]
    if client is AssistantClient.CODEX:
        # A JSON string without escapes beyond \" and \\ is a TOML string too.
        return f"[mcp_servers.shisho]\ncommand = {json.dumps(command)}\nargs = {json.dumps(args, ensure_ascii=False)}"
    entry = {"command": command, "args": args}
    if client in (AssistantClient.CLAUDE_CODE, AssistantClient.VSCODE):
        entry = {"type": "stdio", **entry}
    key = "servers" if client is AssistantClient.VSCODE else "mcpServers"
    return json.dumps({key: {"shisho": entry}}, ensure_ascii=False, indent=2)


def _find_command() -> tuple[str, list[str]]:
    beside = shutil.which("shisho", path=str(Path(sys.executable).parent)) or shutil.which("shisho")
    if beside:
        return beside, []
    return sys.executable, ["-m", "shisho"]
