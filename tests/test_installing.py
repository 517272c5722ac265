"""One place says how an extra is installed: from what is published, and from a checkout."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from shisho.errors import ExtraMissing
from shisho.messages import install_command

ROOT = Path(__file__).parents[1]
MESSAGES = ROOT / "src" / "shisho" / "messages" / "__init__.py"
SOURCES = [path for path in (ROOT / "src").rglob("*.py") if path != MESSAGES]


def test_a_checkout_installs_its_own_extra() -> None:
    assert install_command("openai") == 'pip install -e ".[openai]"'
    assert install_command("box") == "pip install -e packages/box"
    assert str(ExtraMissing("Install it: {install}", extra="pdf")).endswith('pip install -e ".[pdf]"')


def test_an_installed_package_names_what_is_published(tmp_path: Path) -> None:
    place = tmp_path / "site-packages"
    for part in ("__init__.py", "version.py", "messages", "locale"):
        source, target = ROOT / "src" / "shisho" / part, place / "shisho" / part
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
    code = "from shisho.messages import install_command; print(install_command('openai'))"
    done = subprocess.run([sys.executable, "-c", code], cwd=place, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == 'pip install "shisho[openai]"'


def test_no_message_says_it_otherwise_and_every_named_extra_is_there() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    texts = {path: path.read_text("utf-8") for path in SOURCES}
    assert [path.name for path, text in texts.items() if "shisho[" in text] == []
    named = {
        name for text in texts.values() for name in re.findall(r'(?:extra=|install_command\()"(\w+)"', text)
    }
    assert len(named) > 10 and named - {"forbid"} <= extras.keys()  # pydantic has an `extra` too
