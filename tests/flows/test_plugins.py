"""An installed package adds an engine, a reader, and a model provider; each works without a setting."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ENGINE = """
import json
from shisho.domain.web import EngineAbout, EngineQuery, Request, Response, Serp, SerpHit, State, Tier

ABOUT = EngineAbout(
    name="kura", site="https://kura.example", kind="json", tier=Tier.DEFAULT, categories=("general",),
    interval_s=1, pagination="page",
)


def request(query: EngineQuery, page: int, state: State, about: EngineAbout = ABOUT) -> Request:
    return Request(f"{about.site}/find?q={query.text}&page={page}")


def parse(response: Response, about: EngineAbout = ABOUT) -> Serp:
    rows = json.loads(response.body)["rows"]
    return Serp(about.name, tuple(SerpHit(n, row["url"], row["title"]) for n, row in enumerate(rows, 1)))
"""
READER = """
from shisho.domain.corpus import Block, Reading
from shisho.plugins import FileFormat

FORMAT = FileFormat("application/x-kura", ("kura",), "shisho_kura.reader:read", magic=(b"KURA\\n",))


def read(data: bytes, password: str | None = None) -> Reading:
    title, *paragraphs = data.decode().split("\\n")[1:]
    return Reading(tuple(Block(text, headings=(title,)) for text in paragraphs if text), title)
"""
MODEL = """
from collections.abc import AsyncGenerator
from shisho.inference.providers import ModelAccess, ModelCall, ModelDelta, Provider, StreamCall


def open_kura(access: ModelAccess, seconds: float) -> StreamCall:
    async def stream(call: ModelCall) -> AsyncGenerator[ModelDelta]:
        yield ModelDelta(text='{"word": "ok"}', ending="stop", input_tokens=1, output_tokens=1)

    return stream


PROVIDER = Provider("json", open_kura, needs_key=False)
"""
TAKEN = """
from dataclasses import replace
from shisho_kura.engine import ABOUT, parse, request

ABOUT = replace(ABOUT, name="bing")
"""
ENTRY_POINTS = """
[shisho.engines]
kura = shisho_kura.engine
mojeek = shisho_kura.engine
broken = shisho_kura.absent
taken = shisho_kura.taken

[shisho.readers]
kura = shisho_kura.reader:FORMAT
wrong = os

[shisho.models]
kura = shisho_kura.model:PROVIDER
"""
PROGRAM = """
import asyncio, json, shisho
from shisho.web.engines import create_engines, read_saved
from shisho.domain.web import Response
from shisho.inference.providers import ModelAccess, check_access, find_provider

async def main():
    async with shisho.open(home="home") as library:
        receipts = [r async for r in library.documents.add("note.kura")]
        answer = await library.questions.ask("蔵の鍵はどこにあるか", sources="documents")
        checks = await library.run_checks()
    page = Response(b'{"rows": [{"url": "https://a.example/", "title": "A"}]}', "https://kura.example/find")
    check_access(ModelAccess("kura", "small"))
    print(json.dumps({
        "outcome": receipts[0].outcome,
        "quoted": [e.snippet for e in answer.evidence],
        "engines": list(create_engines()),
        "kept": [create_engines()[name].about.site for name in ("mojeek", "bing")],
        "hits": [hit.url for hit in read_saved("kura", page).hits],
        "provider": find_provider("kura").module,
        "checks": [[c.name, c.ok, str(c.detail)] for c in checks if c.name == "plugins"],
    }))

asyncio.run(main())
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder into which pip has installed the package."""
    wheel = tmp_path / "shisho_kura-1.0-py3-none-any.whl"
    files = {
        "shisho_kura/__init__.py": "",
        "shisho_kura/engine.py": ENGINE,
        "shisho_kura/reader.py": READER,
        "shisho_kura/taken.py": TAKEN,
        "shisho_kura/model.py": MODEL,
        "shisho_kura-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: shisho-kura\nVersion: 1.0\n",
        "shisho_kura-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "shisho_kura-1.0.dist-info/entry_points.txt": ENTRY_POINTS,
    }
    record = "".join(f"{name},,\n" for name in [*files, "shisho_kura-1.0.dist-info/RECORD"])
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
        archive.writestr("shisho_kura-1.0.dist-info/RECORD", record)
    target = tmp_path / "site"
    options = ("-q", "--no-index", "--no-deps", "--disable-pip-version-check", "--target", str(target))
    subprocess.run([sys.executable, "-m", "pip", "install", *options, str(wheel)], check=True)
    return target


def test_installed_plugins_of_each_kind_work(site: Path, tmp_path: Path) -> None:
    (tmp_path / "note.kura").write_text("KURA\n蔵の手引き\n蔵の鍵は事務室の金庫にある。\n", "utf-8")
    environment = os.environ | {"PYTHONPATH": str(site), "SHISHO_LANGUAGE": "en"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    assert found["outcome"] == "added"
    assert found["quoted"] == ["蔵の鍵は事務室の金庫にある。"]
    assert found["engines"][-1] == "kura" and "broken" not in found["engines"]
    assert "https://kura.example" not in found["kept"], "a built-in engine is not replaced"
    assert found["hits"] == ["https://a.example/"]
    assert found["provider"] == "json"
    broken, wrong, working = found["checks"]
    assert not wrong[1] and "wrong" in wrong[2] and "shisho.readers" in wrong[2]
    assert not broken[1] and "broken" in broken[2] and "shisho-kura" in broken[2]
    assert working[1] and working[2].count("(shisho-kura)") == 4
