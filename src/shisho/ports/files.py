"""Files on disk, as the user names them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from shisho.domain.corpus import FileSurvey
    from shisho.domain.folder import FileOnDisk


class Files(Protocol):
    """Files on disk."""

    def survey(self, paths: Iterable[Path]) -> FileSurvey:
        """Return the files below these paths, and what was skipped.

        Raises: InvalidParams for a path that does not exist or, with the system's error as its cause, cannot
        be examined.
        """

    def is_folder(self, path: Path) -> bool:
        """Return True for a folder. Raises InvalidParams for a path that cannot be examined."""

    def look(self, paths: Sequence[Path]) -> Sequence[FileOnDisk]:
        """Return the current state of those files that exist.

        Paths are real, except that the last part may be a link.
        """

    def read(self, path: Path, within: Path | None = None) -> bytes:
        """Return the bytes of a file. `within`: the folder that the path must not leave."""
