"""The calibration of each embedder, from `shisho eval calibrate`: a file of the home.

It sets the weight of words against cosines and the cosine from which a passage is relevant.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from shisho.domain.embedding import EmbedderAbout, Embedding, WordShare
from shisho.ports import Embedder

FILE = "cosine_scales.json"


@dataclass(frozen=True, slots=True)
class CalibratedEmbedder:
    """`ports.Embedder` with a calibrated share of words and cosine floor."""

    about: EmbedderAbout
    embedder: Embedder

    async def embed_passages(self, texts: Sequence[str]) -> Sequence[Embedding]:
        return await self.embedder.embed_passages(texts)

    async def embed_query(self, text: str) -> Embedding:
        return await self.embedder.embed_query(text)


def apply_cosine_scale(home: Path, embedder: Embedder) -> Embedder:
    """Return the embedder with its stored calibration; unchanged if none is readable."""
    scale = _read(home).get(embedder.about.name)
    if not scale:
        return embedder
    try:
        share = WordShare(float(scale["japanese"]), float(scale["english"]))
        meaning_floor = float(scale["meaning_floor"])
    except (TypeError, KeyError, ValueError):
        return embedder
    about = replace(embedder.about, share=share, meaning_floor=meaning_floor)
    return CalibratedEmbedder(about, embedder)


def keep_scale(home: Path, name: str, share: WordShare, meaning_floor: float) -> None:
    """Store the calibration of an embedder by its name.

    Raises: OSError.
    """
    home.mkdir(parents=True, exist_ok=True)
    fresh = home / f"{FILE}.new"
    scales = _read(home) | {name: {**asdict(share), "meaning_floor": meaning_floor}}
    fresh.write_text(json.dumps(scales, ensure_ascii=False, indent=1), "utf-8")
    fresh.replace(home / FILE)


def _read(home: Path) -> dict[str, Any]:
    try:
        scales = json.loads((home / FILE).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return scales if isinstance(scales, dict) else {}
