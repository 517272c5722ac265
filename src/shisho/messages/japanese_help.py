"""The help of commands and settings, in Japanese, by its English."""

from __future__ import annotations

from collections.abc import Mapping

SAID: Mapping[str, str] = {}
