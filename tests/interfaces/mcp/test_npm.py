"""Clients of others: the MCP Inspector's command line and the public conformance suite, from npm."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from shisho.interfaces.api.schemas import DEFAULT_TOOLS
from tests.faults.children import LONG
from tests.interfaces.errand import errand
from tests.interfaces.npm_packages import installed
from tests.interfaces.serving import SHISHO, Refused, calling, environment, serving

HERE = Path(__file__).parent
PACKAGES = {
    "@modelcontextprotocol/inspector": "2.12",
    "conformance-2025-11-25": "npm:@modelcontextprotocol/conformance@0.1.16",
    "conformance-2026-07-28": "npm:@modelcontextprotocol/conformance@0.2.0-alpha.12",
    "node": "22",
}
SUITES = {"2025-11-25": (), "2026-07-28": ("--spec-version", "2026-07-28", "--suite", "all")}


@pytest.fixture(scope="module")
def npm() -> Path:
    """Node 22 comes as a package too: the suite wants it."""
    return installed("clients", PACKAGES)


def run(npm: Path, program: str, *words: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(npm / "node_modules" / "node" / "bin"), os.environ["PATH"]])
    return subprocess.run(
        [program, *words],
        env={**os.environ, "PATH": path},
        cwd=npm,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def inspected(npm: Path, server: list[str], method: str, *words: str) -> Any:
    done = run(
        npm,
        str(npm / "node_modules" / ".bin" / "mcp-inspector"),
        "--cli",
        *server,
        "--method",
        method,
        *words,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
async def test_the_inspector_drives_every_tool(npm: Path, tmp_path: Path) -> None:
    """Each tool once, and one of four where there is little time, since the Inspector starts anew for every
    call: the rest the official client calls."""
    with serving(tmp_path / "home", SHISHO_MCP_TOOLS="all") as url:
        server = [f"{url}/mcp", "--transport", "http"]
        listed = inspected(npm, server, "tools/list")["tools"]
        called = set()

        def inspected_call(tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
            given = [f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items()]
            words = [word for one in given for word in ("--tool-arg", one)]
            result = inspected(npm, server, "tools/call", "--tool-name", tool, *words)
            said = json.loads(result["content"][0]["text"])
            if result.get("isError"):
                raise Refused(said)
            assert said == result["structuredContent"]
            return dict(said)

        async with calling(f"{url}/mcp") as call_again:

            async def call(tool: str, **arguments: Any) -> dict[str, Any]:
                inspects = tool not in called and (LONG or len(called) % 4 == 0)
                called.add(tool)
                if not inspects:
                    return await call_again(tool, **arguments)
                return await asyncio.to_thread(inspected_call, tool, arguments)

            await errand(call)
        assert called == {tool["name"] for tool in listed}
        assert inspected(npm, server, "prompts/list")["prompts"][0]["name"] == "research"
        assert len(inspected(npm, server, "resources/templates/list")["resourceTemplates"]) == 5


@pytest.mark.slow
def test_the_inspector_over_standard_streams(npm: Path, tmp_path: Path) -> None:
    given = environment(tmp_path / "home")
    words = [
        word for name in ("SHISHO_HOME", "SHISHO_ALLOWED_ROOTS") for word in ("-e", f"{name}={given[name]}")
    ]
    server = [*words, sys.executable, *SHISHO, "mcp"]
    assert len(inspected(npm, server, "tools/list")["tools"]) == len(DEFAULT_TOOLS)


@pytest.mark.slow
@pytest.mark.parametrize("revision", SUITES)
def test_the_conformance_suite(revision: str, npm: Path, tmp_path: Path) -> None:
    suite = npm / "node_modules" / f"conformance-{revision}" / "dist" / "index.js"
    expected = HERE / f"conformance-expected-failures-{revision}.yml"
    with serving(tmp_path / "home") as url:
        words = ["server", "--url", f"{url}/mcp", *SUITES[revision], "--expected-failures", str(expected)]
        done = run(npm, str(npm / "node_modules" / "node" / "bin" / "node"), str(suite), *words)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
