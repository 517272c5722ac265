"""The engines the box plays, under their own hosts."""

from __future__ import annotations

from shisho.box.engines import duckduckgo, marginalia, mojeek, startpage
from shisho.box.engines.engine import Engine

ENGINES: tuple[Engine, ...] = tuple(module.ENGINE for module in (mojeek, duckduckgo, startpage, marginalia))
