"""Japanese letters for programs of tests, on a machine that has none."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path


def japanese_fonts(folder: Path) -> Mapping[str, str]:
    """The environment in which a program finds Japanese fonts where it looks for a person's own; `folder` is
    made for them."""
    package = importlib.util.find_spec("pylopdf_fonts_jp")
    if package is not None and package.origin is not None:
        folder.mkdir(exist_ok=True)
        (folder / "fonts").symlink_to(Path(package.origin).parent)
    return {"XDG_DATA_HOME": str(folder)}
