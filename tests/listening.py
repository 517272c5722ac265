"""What a test has heard of work, as names."""

from __future__ import annotations

from collections.abc import Iterable

from shisho.domain.answer_news import StepTaken
from shisho.services.news import News


def list_nodes(told: Iterable[News]) -> list[str]:
    """The nodes that were taken."""
    return [news.node for news in told if isinstance(news, StepTaken)]
