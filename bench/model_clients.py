"""What a language model costs besides itself: `python -m bench.model_clients`.

For each extra the packages that it needs, all of them and those beside the core; the CPU seconds of its
first client with its imports, the least of five; and those of one `shisho ask` as a command, whose model is
played on loopback by this process, beside one without a model. CPU seconds rise on a busy machine, too."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import tomllib
from collections.abc import Iterable
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from tests.flows.test_model_answers import QUESTION, TEXT, well

from shisho.testing.model_providers import FakeProvider

ROOT = Path(__file__).parents[1]
EXTRAS = ("openai", "ollama", "gemini", "anthropic")
IMPORT = "from shisho.inference.providers import ModelAccess, open_client"
OPEN = IMPORT + "\nopen_client(ModelAccess({extra!r}, 'm', 'http://127.0.0.1:9/v1'), 1.0)"
TIMES = 5


def list_packages(requirements: Iterable[str]) -> set[str]:
    """Return the names of what is installed for these, by the metadata of what is installed here."""
    waiting = [(Requirement(text), "") for text in requirements]
    packages: set[str] = set()
    seen: set[tuple[str, str]] = set()
    while waiting:
        requirement, extra = waiting.pop()
        if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
            continue
        name = canonicalize_name(requirement.name)
        packages.add(name)
        for part in ("", *requirement.extras):
            if (name, part) not in seen:
                seen.add((name, part))
                waiting += [(Requirement(text), part) for text in distribution(name).requires or ()]
    return packages


async def measure_cpu(*arguments: str, **environment: str) -> float:
    """Return the CPU seconds of a Python process and its children."""
    before = os.times()
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        *arguments,
        env={**os.environ, **environment},
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    _, errors = await child.communicate()
    if child.returncode:
        raise SystemExit(errors.decode(errors="replace"))
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


async def main() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    core = list_packages(project["dependencies"])
    with tempfile.TemporaryDirectory(prefix="shisho-bench-") as folder:
        page = Path(folder) / "page.md"
        page.write_text(TEXT, "utf-8")
        common = {"SHISHO_HOME": f"{folder}/home", "SHISHO_WEB": "off", "SHISHO_EMBEDDER": "none"}
        ask = ("-m", "shisho", "ask", QUESTION)
        await measure_cpu("-m", "shisho", "add", str(page), **common)
        bare = await measure_least("-c", IMPORT)
        print(f"`shisho ask` without a model: {await measure_least(*ask, **common):.2f} CPU s\n")
        print(
            "| extra | packages | beside the core | first client, CPU s | `shisho ask`, CPU s |\n|---|--:|--:|--:|--:|"
        )
        for extra in EXTRAS:
            packages = list_packages(project["optional-dependencies"][extra])
            imported = await measure_least("-c", OPEN.format(extra=extra)) - bare
            async with FakeProvider(well) as provider:
                chosen = {"SHISHO_MODEL": f"{extra}/m-1", "SHISHO_MODEL_URL": provider.build_url(extra)}
                asked = await measure_least(*ask, **common, **chosen)
            print(f"| {extra} | {len(packages)} | {len(packages - core)} | {imported:.2f} | {asked:.2f} |")


async def measure_least(*arguments: str, **environment: str) -> float:
    return min([await measure_cpu(*arguments, **environment) for _ in range(TIMES)])


if __name__ == "__main__":
    asyncio.run(main())
