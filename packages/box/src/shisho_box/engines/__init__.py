"""The engines of the box, under their own hosts."""

from __future__ import annotations

from shisho_box.engines import (
    arxiv,
    bing,
    brave,
    crossref,
    duckduckgo,
    ecosia,
    marginalia,
    mojeek,
    openalex,
    pubmed,
    qwant,
    startpage,
    wikipedia,
)
from shisho_box.engines.engine import BoxEngine

ENGINES: tuple[BoxEngine, ...] = tuple(
    module.ENGINE
    for module in (
        mojeek, duckduckgo, startpage, marginalia, wikipedia, arxiv, crossref, openalex, pubmed, ecosia, qwant, brave, bing,
    )
)  # fmt: skip
