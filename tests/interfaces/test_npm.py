"""Clients of others: the MCP Inspector's command line and the public conformance suite, from npm."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.interfaces.errand import errand
from tests.interfaces.serving import Refused, environment, serving

pytestmark = pytest.mark.slow
PACKAGES = {"@modelcontextprotocol/inspector": "0.18", "@modelcontextprotocol/conformance": "0.1.16", "node": "22"}
EXPECTED = Path(__file__).parent / "conformance-expected-failures.yml"


@pytest.fixture(scope="module")
def npm() -> Path:
    """A folder with the packages, kept between runs. Node 22 comes as a package too: the suite wants it."""
    folder = Path(tempfile.gettempdir()) / "shisho-npm-cache"
    if (folder / "node_modules" / ".bin" / "conformance").exists():
        return folder
    folder.mkdir(exist_ok=True)
    (folder / "package.json").write_text(json.dumps({"private": True, "dependencies": PACKAGES}))
    program = shutil.which("npm")
    done = program and subprocess.run(
        [program, "install", "--no-audit", "--no-fund"], cwd=folder, capture_output=True, text=True, timeout=600, check=False
    )
    if not done or done.returncode:
        word = f"npm could not install the clients: {done.stderr[-300:] if done else 'there is no npm'}"
        if os.environ.get("CI") == "true":
            pytest.fail(word)
        pytest.skip(word)
    return folder


def run(npm: Path, program: str, *words: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(npm / "node_modules" / "node" / "bin"), os.environ["PATH"]])
    command = [str(npm / "node_modules" / ".bin" / program), *words]
    return subprocess.run(
        command, env={**os.environ, "PATH": path}, cwd=npm, capture_output=True, text=True, timeout=300, check=False
    )


def inspected(npm: Path, server: list[str], method: str, *words: str) -> Any:
    done = run(npm, "mcp-inspector", "--cli", *server, "--method", method, *words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


async def test_the_inspector_drives_every_tool(npm: Path, tmp_path: Path) -> None:
    with serving(tmp_path / "home") as url:
        server = [f"{url}/mcp", "--transport", "http"]
        listed = inspected(npm, server, "tools/list")["tools"]
        called = set()

        async def call(tool: str, **arguments: Any) -> dict[str, Any]:
            called.add(tool)
            given = [f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items()]
            words = [word for one in given for word in ("--tool-arg", one)]
            result = inspected(npm, server, "tools/call", "--tool-name", tool, *words)
            said = json.loads(result["content"][0]["text"])
            if result.get("isError"):
                raise Refused(said)
            assert said == result["structuredContent"]
            return dict(said)

        await errand(call)
        assert called == {tool["name"] for tool in listed}
        assert inspected(npm, server, "prompts/list")["prompts"][0]["name"] == "research"
        assert len(inspected(npm, server, "resources/templates/list")["resourceTemplates"]) == 4


def test_the_inspector_over_standard_streams(npm: Path, tmp_path: Path) -> None:
    import sys

    from tests.interfaces.serving import SHISHO

    given = environment(tmp_path / "home")
    words = [word for name in ("SHISHO_HOME", "SHISHO_ALLOWED_ROOTS") for word in ("-e", f"{name}={given[name]}")]
    server = [*words, sys.executable, *SHISHO, "mcp"]
    assert len(inspected(npm, server, "tools/list")["tools"]) == 22


def test_the_conformance_suite(npm: Path, tmp_path: Path) -> None:
    with serving(tmp_path / "home") as url:
        done = run(npm, "conformance", "server", "--url", f"{url}/mcp", "--expected-failures", str(EXPECTED))
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
