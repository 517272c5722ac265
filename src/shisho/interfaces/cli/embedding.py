"""Embed passages after documents were added, with a progress bar on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shisho.interfaces.cli.messages import Words
from shisho.interfaces.cli.render_adding import build_progress as progress_bar
from shisho.services.news import News, VectorsMade

if TYPE_CHECKING:
    from shisho.services import Library


async def embed_shown(library: Library, words: Words) -> None:
    """Embed the missing passages. If interrupted, the next run continues."""
    with progress_bar(words) as bar:
        line = bar.add_task("", total=None, visible=False, page=words("embedding"))

        def notify(news: News) -> None:
            if not isinstance(news, VectorsMade):
                return
            progress = news.progress
            is_on = progress.done < progress.total
            bar.update(line, completed=progress.done, total=progress.total, visible=is_on)

        await library.embeddings.embed(notify)
