"""What is said of calls, questions, the queue and settings, in Japanese, by its English template."""

from __future__ import annotations

from collections.abc import Mapping

SAID: Mapping[str, str] = {}
