"""Files on disk, as the user named them."""

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
        """The files below these paths, and what was passed over. Raises InvalidParams for a path that is not
        there or, with the system's own error as its cause, cannot be looked at."""

    def is_folder(self, path: Path) -> bool:
        """True for a folder. Raises InvalidParams for a path that cannot be looked at."""

    def look(self, paths: Sequence[Path]) -> Sequence[FileOnDisk]:
        """Those of the files that are there, as they look now. Paths are real but for the last part, which
        may be a link."""

    def read(self, path: Path, within: Path | None = None) -> bytes:
        """The bytes of a file. `within`: the folder that it must not have left."""
