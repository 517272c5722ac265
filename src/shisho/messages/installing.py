"""The command that installs an extra, for every message that names one."""

from __future__ import annotations

from pathlib import Path

_ROOT = Path(__file__).parents[3]


def install_command(extra: str) -> str:
    """Return the command for the published package, or for the checkout that this code runs from."""
    is_checkout = Path(__file__).parents[2].name == "src" and (_ROOT / "pyproject.toml").is_file()
    return f'pip install -e "{_ROOT}[{extra}]"' if is_checkout else f'pip install "shisho[{extra}]"'
