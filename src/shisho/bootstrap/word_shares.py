"""How much words count beside each embedder's meaning, as measured by `shisho eval calibrate`: a file of the home."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from shisho.domain.embedding import EmbedderAbout, Embedding, WordShare
from shisho.ports import Embedder

FILE = "word_shares.json"


@dataclass(frozen=True, slots=True)
class CalibratedEmbedder:
    """`ports.Embedder`: another one, with a share of words that was measured."""

    about: EmbedderAbout
    embedder: Embedder

    async def passages(self, texts: Sequence[str]) -> Sequence[Embedding]:
        return await self.embedder.passages(texts)

    async def query(self, text: str) -> Embedding:
        return await self.embedder.query(text)


def calibrated(home: Path, embedder: Embedder) -> Embedder:
    """The embedder with the share that the home keeps for it; itself where there is none that can be read."""
    shares = _read(home).get(embedder.about.name)
    try:
        share = WordShare(float(shares["japanese"]), float(shares["english"])) if shares else None
    except (TypeError, KeyError, ValueError):
        share = None
    return embedder if share is None else CalibratedEmbedder(replace(embedder.about, share=share), embedder)


def keep_share(home: Path, name: str, share: WordShare) -> None:
    """Keep the share of an embedder, by its name. Raises OSError."""
    home.mkdir(parents=True, exist_ok=True)
    fresh = home / f"{FILE}.new"
    fresh.write_text(json.dumps(_read(home) | {name: asdict(share)}, ensure_ascii=False, indent=1), "utf-8")
    fresh.replace(home / FILE)


def _read(home: Path) -> dict[str, Any]:
    try:
        shares = json.loads((home / FILE).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return shares if isinstance(shares, dict) else {}
