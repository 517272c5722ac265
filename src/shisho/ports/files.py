"""Files on disk, as the user named them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from shisho.domain.corpus import FileSurvey


class Files(Protocol):
    """Files on disk."""

    def survey(self, paths: Iterable[Path]) -> FileSurvey:
        """The files below these paths, and what was passed over. Raises InvalidParams for a path that is not
        there."""

    def read(self, path: Path, within: Path | None = None) -> bytes:
        """The bytes of a file. `within`: the folder that it must not have left."""
