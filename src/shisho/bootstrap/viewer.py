"""The wiring of the viewer: the stores of pages, what draws them, and the verbs over both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shisho import settings as settings_
from shisho.settings import Settings

if TYPE_CHECKING:
    from shisho.corpus.readers.rendering import KillablePageRenderer
    from shisho.desk.viewing import ViewerDesk
    from shisho.ports import Files, Ledger, Originals, PageImages, PageRenderer, Shelf
    from shisho.stores.embedded.connect import Database
    from shisho.stores.embedded.erasure import Erasure


@dataclass(frozen=True, slots=True)
class PageStores:
    """Where the bytes are that pages are drawn from, and the pictures that were drawn."""

    originals: Originals
    images: PageImages


def build_page_stores(settings: Settings, database: Database) -> PageStores:
    """Folders of the home, made when something is put into them."""
    from shisho.stores.embedded.originals import EmbeddedOriginals, EmbeddedPageImages

    originals = EmbeddedOriginals(settings.home / "originals", database)
    return PageStores(originals, EmbeddedPageImages(settings.home / "page_images", database))


def build_renderer(settings: Settings) -> KillablePageRenderer:
    """The drawer of pages, within the limits of reading."""
    from shisho.corpus.readers.rendering import KillablePageRenderer

    seconds = settings.real("reader_seconds")
    memory_mb = settings.whole("reader_memory_mb")
    return KillablePageRenderer(seconds, memory_mb, settings_.child_environment())


def build_viewer(
    settings: Settings,
    owner: str,
    shelf: Shelf,
    ledger: Ledger,
    disk: Files,
    pages: PageStores,
    renderer: PageRenderer,
) -> ViewerDesk:
    """The verbs of looking at this owner's documents."""
    from shisho.corpus.finding import find_in_text
    from shisho.desk.viewing import ViewerDesk, ViewerParts

    wired = ViewerParts(
        owner=owner,
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


async def erase_all(pages: PageStores, erasure: Erasure) -> bool:
    """Go after a purge through all that holds copies. False where a reader holds the log of the database."""
    await pages.originals.erase_purged()
    await pages.images.erase_purged()
    return await erasure.erase()
