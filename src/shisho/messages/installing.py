"""The command that installs an extra, for every message that names one."""

from __future__ import annotations

from pathlib import Path


def install_command(extra: str) -> str:
    """Return the command for the published package, or for the checkout that this code runs from, to be run
    in its folder."""
    package = Path(__file__).parents[1]
    root = package.parents[1]
    if package.parent.name != "src" or not (root / "pyproject.toml").is_file():
        return f'pip install "shisho[{extra}]"'
    # Some extras are packages of their own in this repository.
    return (
        f"pip install -e packages/{extra}"
        if (root / "packages" / extra).is_dir()
        else f'pip install -e ".[{extra}]"'
    )
