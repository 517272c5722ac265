"""What a fresh stdio server costs before its first reply: an assistant waits for it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.interfaces.serving import SHISHO, environment

NOT_NEEDED = (
    "numpy",
    "trafilatura",
    "fastapi",
    "langgraph",
    "lxml",
    "sudachipy",
    "pypdfium2",
    "playwright",
    "docx",
)
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
CALLS = ("initialize", HELLO), ("tools/list", {}), ("tools/call", {"name": "list_tasks", "arguments": {}})
TIMES = 1.7


def spoken(home: Path, *options: str) -> tuple[float, str]:
    """CPU seconds of a server from its start to its end after three calls, and what it said on its error
    stream."""
    words = {key: value for key, value in environment(home).items() if key != "PYTHONDONTWRITEBYTECODE"}
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": at, "method": method, "params": params})
        for at, (method, params) in enumerate(CALLS)
    ]
    lines.insert(1, json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}))
    with (home / "said").open("w+") as said:
        server = subprocess.Popen(
            [sys.executable, *options, *SHISHO, "mcp"],
            env=words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
        )
        assert server.stdin and server.stdout
        for line in lines:
            server.stdin.write(f"{line}\n".encode())
            server.stdin.flush()
            if '"id"' in line:
                assert b'"result"' in server.stdout.readline()
        server.stdin.close()
        _, _, used = os.wait4(server.pid, 0)
        server.returncode = 0
        server.stdout.close()
        said.seek(0)
        return used.ru_utime + used.ru_stime, said.read()


def imported() -> float:
    """CPU seconds of a process that imports the SDK's server and nothing else: the yardstick."""
    with subprocess.Popen([sys.executable, "-c", "import mcp.server.mcpserver"]) as process:
        _, _, used = os.wait4(process.pid, 0)
        process.returncode = 0
    return used.ru_utime + used.ru_stime


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="CPU of a child is asked of the system")
def test_the_first_reply_costs_little_more_than_the_import_of_the_sdk(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    _, said = spoken(home, "-X", "importtime")  # warms up, too
    loaded = {
        line.rpartition("|")[2].strip() for line in said.splitlines() if line.startswith("import time:")
    }
    assert loaded.isdisjoint(NOT_NEEDED), loaded & set(NOT_NEEDED)
    ours = min(spoken(home)[0] for _ in range(3))
    sdk = min(imported() for _ in range(3))
    print(f"first call: {ours:.2f} s of CPU, of which the import of the SDK takes {sdk:.2f} s")
    assert ours <= TIMES * sdk, (ours, sdk)
