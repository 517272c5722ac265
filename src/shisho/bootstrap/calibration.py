"""The embedder to calibrate by `shisho eval calibrate`, and the home that stores the result."""

from __future__ import annotations

from shisho.bootstrap.embedder import build_embedders, portable_choice
from shisho.domain.embedding import CalibrationTarget
from shisho.errors import ExtraMissing
from shisho.messages.message import Message
from shisho.settings import Settings


def calibration_target(settings: Settings) -> CalibrationTarget:
    """Return the target of a calibration. Raises: ExtraMissing if no embedder works."""
    built = build_embedders(settings)
    if isinstance(built, Message):
        raise ExtraMissing("calibration.no_embedder", why=built)
    options = {name: settings[name] for name in ("embedder_model", "embedder_key", "splitter", "terms")}
    options |= {"embedder": portable_choice(settings), "web": "off"}
    return CalibrationTarget(built.current.about, settings.home, options)
