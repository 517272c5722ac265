"""Files on disk as sources: which there are under a path."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from shisho.domain.corpus import FileSurvey
from shisho.errors import InvalidParams

# What programs keep beside documents: packages, environments, caches, archives' leftovers. Hidden names need
# no entry.
NO_DOCUMENTS = frozenset({"node_modules", "bower_components", "__pycache__", "__MACOSX", "site-packages"})
# the file that tells a virtual environment of Python, whatever its folder is called
ENVIRONMENT = "pyvenv.cfg"
LOCK = "~$"  # what an office program keeps beside a file that it has open


def survey(paths: Iterable[Path]) -> FileSurvey:
    """Each file that is named, and every file below each folder that is. Hidden files and folders, and those
    that hold no documents, are left out and counted. Raises InvalidParams for a path that is not there."""
    left_out: Counter[str] = Counter()
    found_paths = [file for path in paths for file in _named(path, left_out)]
    return FileSurvey(tuple(found_paths), left_out)


def _named(path: Path, left_out: Counter[str]) -> Iterator[Path]:
    if path.is_file():
        yield path
    elif path.is_dir():
        yield from _below(path, left_out)
    else:
        raise InvalidParams("There is no file or folder {path}.", path=path)


def _below(folder: Path, left_out: Counter[str]) -> Iterator[Path]:
    for entry in _inside(folder):
        if entry.name in (".", ""):
            yield entry
        elif entry.name.startswith((".", LOCK)) or entry.name in NO_DOCUMENTS:
            left_out[LOCK if entry.name.startswith(LOCK) else entry.name] += 1
        elif entry.is_file():
            yield entry
        elif entry.is_dir() and not entry.is_symlink():
            if (entry / ENVIRONMENT).exists():
                left_out[entry.name] += 1
            else:
                yield from _below(entry, left_out)


def _inside(folder: Path) -> list[Path]:
    """The entries of a folder; of one that may not be read, only itself, which then is what cannot be
    opened."""
    try:
        return sorted(folder.iterdir())
    except PermissionError:
        return [folder / "."]
