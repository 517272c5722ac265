"""Models of embedders on this machine: brought by the shell, and used without a look at any network."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from shisho.inference.model_files import ModelFile, ModelFiles, ModelManifest, digest
from tests.flows.conftest import Shell
from tests.inference.model_folders import static_folder
from tests.inference.test_model_pull import NAME, hub
from tests.loopback import LoopbackServer

# What looks at a network in Python raises one of these events: each is written down.
RECORDED = """
import asyncio, json, sys
looked = []
sys.addaudithook(lambda event, args: looked.append([event, repr(args[-1])]) if event.startswith("socket.") and event not in
    ("socket.__new__", "socket.bind", "socket.sethostname") else None)
import shisho
from pathlib import Path

async def main(home, document, embedder):
    async with shisho.open(home=home, embedder=embedder, web="off") as desk:
        async for _ in desk.add(Path(document)):
            pass
        done = await desk.embeddings.embed()
        hits = await desk.search("犬が走る")
        await desk.doctor()
        print(json.dumps({"done": done.done, "parts": sorted(hits[0].parts), "looked": looked}))

asyncio.run(main(*sys.argv[1:]))
"""


def shisho_(home: Path, *arguments: str | Path, **settings: str) -> subprocess.CompletedProcess[str]:
    shell = Shell(home)
    shell.environment |= {"SHISHO_WEB": "ask", **settings}
    return shell.run(*arguments)


def installed(home: Path, name: str) -> None:
    """A model as a pull leaves it."""
    files = ModelFiles(home / "models")
    folder = static_folder(home / "models" / ".partial" / "made", 1)
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    listed = [
        ModelFile(path.relative_to(folder).as_posix(), path.stat().st_size, digest(path, "sha256"))
        for path in paths
    ]
    files.place(folder, ModelManifest(name, "abc", "http://hub.example", tuple(listed)))


def test_pulled_model_is_used_without_a_look_at_any_network(tmp_path: Path) -> None:
    home = tmp_path / "home"
    installed(home, "library/static-ja")
    document = tmp_path / "a.txt"
    document.write_text("犬が走る。", "utf-8")
    run = subprocess.run(
        [sys.executable, "-c", RECORDED, str(home), str(document), "library/static-ja"],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    outcome = json.loads(run.stdout)
    assert outcome["done"] == 1 and "meaning" in outcome["parts"]
    assert outcome["looked"] == []


def test_shell_pulls_lists_exports_imports_and_removes(tmp_path: Path) -> None:
    home, other = tmp_path / "home", tmp_path / "other"
    with LoopbackServer(hub()) as server:
        refused = shisho_(home, "models", "pull", NAME, SHISHO_MODELS_URL=server.url, SHISHO_WEB="off")
        assert (
            refused.returncode == 1
            and "CONSENT_REQUIRED" in refused.stderr
            and "models import" in refused.stderr
        )
        assert server.requests == []
        pulled = shisho_(home, "models", "pull", NAME, SHISHO_MODELS_URL=server.url)
        assert pulled.returncode == 0, pulled.stderr
        count = len(server.requests)
        again = shisho_(home, "models", "pull", NAME, SHISHO_MODELS_URL=server.url, SHISHO_WEB="off")
        assert (again.returncode, len(server.requests)) == (0, count)
    assert NAME in shisho_(home, "models", "list").stdout
    assert shisho_(home, "models", "export", NAME, tmp_path / "m.tar").returncode == 0
    assert shisho_(other, "models", "import", tmp_path / "m.tar").returncode == 0
    (model,) = json.loads(shisho_(other, "models", "list", "--json").stdout)
    assert model["name"] == NAME
    in_use = shisho_(other, "models", "remove", NAME, SHISHO_EMBEDDER=NAME)
    assert in_use.returncode == 1 and "CONFLICT" in in_use.stderr
    assert shisho_(other, "models", "remove", NAME).returncode == 0
    assert json.loads(shisho_(other, "models", "list", "--json").stdout) == []


@pytest.mark.parametrize("arguments", [("list",), ("models", "list"), ("doctor",), ("search", "犬")])
def test_without_network_and_model_commands_work_and_say_once_what_is_missing(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    home = tmp_path / "home"
    (tmp_path / "a.txt").write_text("犬が走る。", "utf-8")
    assert shisho_(home, "add", tmp_path / "a.txt", SHISHO_EMBEDDER="none").returncode == 0
    done = shisho_(home, *arguments, SHISHO_EMBEDDER="library/static-ja")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("shisho models pull library/static-ja") <= 1


def test_pull_without_network_says_how_to_bring_the_files(tmp_path: Path) -> None:
    with LoopbackServer(hub()) as server:
        gone = server.url
    refused = shisho_(tmp_path, "models", "pull", NAME, SHISHO_MODELS_URL=gone)
    assert refused.returncode == 1
    assert "shisho models export" in refused.stderr and str(tmp_path / "models") in refused.stderr
