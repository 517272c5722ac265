"""The command that installs an extra, for every message that names one.

Its own module without imports, which a test runs outside of this checkout.
"""

from __future__ import annotations

from pathlib import Path


def install_command(extra: str) -> str:
    """Return the command that installs an extra, from the package index or this checkout."""
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
