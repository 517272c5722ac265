"""Verbs over watched folders, for programs with a user interface: routes without tools."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from shisho.domain.corpus import DEFAULT_CORPUS
from shisho.domain.folder import FolderStatus
from shisho.interfaces.api.operations import Effect, Verb
from shisho.interfaces.api.replies import Name
from shisho.records import dataclass
from shisho.services import Library


@dataclass(frozen=True, slots=True)
class FolderList:
    """Watched folders."""

    folders: tuple[FolderStatus, ...]


async def list_folders(library: Library) -> FolderList:
    """List the watched folders with their states and the files that cannot be added."""
    return FolderList(tuple(await library.folders.get_status()))


async def watch_folder(
    library: Library,
    path: Annotated[Name, Field(description="a folder below allowed_roots")],
    corpus: Name = DEFAULT_CORPUS,
) -> FolderList:
    """Watch a folder.

    Added, changed and deleted files are synced to the corpus while a server or worker runs.
    """
    await library.folders.watch_from_outside(path, corpus)
    return await list_folders(library)


async def forget_folder(
    library: Library, path: Annotated[Name, Field(description="as list_folders gives it")]
) -> FolderList:
    """Stop watching a folder. Its documents stay."""
    await library.folders.unwatch(path)
    return await list_folders(library)


VERBS = (
    Verb(list_folders, FolderList, "Followed folders", ("GET", "/folders"), Effect("read")),
    Verb(watch_folder, FolderList, "Watch a folder", ("POST", "/folders"), Effect("change")),
    Verb(forget_folder, FolderList, "Stop watching a folder", ("DELETE", "/folders"), Effect("change")),
)
