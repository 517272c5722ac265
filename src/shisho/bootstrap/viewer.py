"""Build the viewer: the stores of pages, their renderer, and the verbs over both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shisho import settings as settings_
from shisho.settings import Settings

if TYPE_CHECKING:
    from shisho.bootstrap.store_parts import PageStores
    from shisho.corpus.readers.rendering import KillablePageRenderer
    from shisho.ports import Files, Ledger, PageRenderer, Shelf
    from shisho.services.access import CorpusAccess
    from shisho.services.viewing import ViewerDesk


def build_renderer(settings: Settings) -> KillablePageRenderer:
    """Build the page renderer with the reader's limits."""
    from shisho.corpus.readers.rendering import KillablePageRenderer

    seconds = settings.read_float("reader_seconds")
    memory_mb = settings.read_int("reader_memory_mb")
    return KillablePageRenderer(seconds, memory_mb, settings_.child_environment())


def build_viewer(
    settings: Settings,
    access: CorpusAccess,
    shelf: Shelf,
    ledger: Ledger,
    disk: Files,
    pages: PageStores,
    renderer: PageRenderer,
) -> ViewerDesk:
    """Build the verbs of viewing this owner's documents."""
    from shisho.corpus.finding import find_in_text
    from shisho.services.viewing import ViewerDesk, ViewerParts

    wired = ViewerParts(
        access=access,
        shelf=shelf,
        ledger=ledger,
        files=disk,
        roots=settings.roots,
        originals=pages.originals,
        images=pages.images,
        renderer=renderer,
        find=find_in_text,
    )
    return ViewerDesk(wired)
