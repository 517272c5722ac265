"""Files on disk as sources: which files are below a path."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import field
from pathlib import Path

from shisho.domain.corpus import FileSurvey
from shisho.domain.folder import FileOnDisk
from shisho.errors import InvalidParams
from shisho.records import dataclass
from shisho.system.disk import build_path_error

# Folders that programs create among documents: packages, environments, caches, remains of archives. Hidden
# names need no entry.
NO_DOCUMENTS = frozenset({"node_modules", "bower_components", "__pycache__", "__MACOSX", "site-packages"})
# the file that marks a virtual environment of Python, whatever its folder is called
ENVIRONMENT = "pyvenv.cfg"
LOCK = "~$"  # an office program creates such a file for each one that it has open
# A file this young may change again without a change of its times: some disks have a resolution of two
# seconds.
YOUNG_S = 3.0


def survey(paths: Iterable[Path]) -> FileSurvey:
    """Return each named file, and every file below each named folder.

    Hidden files and folders, and folders without documents, are skipped and counted. Raises InvalidParams for
    a path that does not exist or cannot be examined.
    """
    walk = _Walk()
    for path in paths:
        walk.enter(path)
    return FileSurvey(tuple(walk.files), walk.left_out, tuple(walk.unreadable))


def is_folder(path: Path) -> bool:
    """Return True for a folder. Raises InvalidParams for a path that cannot be examined."""
    try:
        return path.is_dir()
    except OSError as error:
        raise build_path_error(error, path) from error


def look(paths: Sequence[Path]) -> list[FileOnDisk]:
    """Return the existing files as sources, with their stamps."""
    files = []
    for path in paths:
        try:
            link = path.lstat()
            is_link = stat.S_ISLNK(link.st_mode)
            status = path.stat() if is_link else link
        except FileNotFoundError:
            continue
        except OSError:  # it exists, and reading it will report the problem
            files.append(FileOnDisk(path, str(path), ""))
            continue
        files.append(FileOnDisk(path, str(path.resolve() if is_link else path), _stamp(status)))
    return files


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError as error:
        raise build_path_error(error, path) from error


def _stamp(status: os.stat_result) -> str:
    # The change time, which no program can set, reveals changes that the modification time may hide.
    if time.time() - max(status.st_mtime, status.st_ctime) < YOUNG_S:
        return ""
    return f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino}"


@dataclass(slots=True)
class _Walk:
    """The files and folders found so far."""

    files: list[Path] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    unreadable: list[Path] = field(default_factory=list)

    def enter(self, path: Path) -> None:
        if _is_file(path):
            self.files.append(path)
        elif is_folder(path):
            self._enter_folder(path)
        else:
            raise InvalidParams("path.not_found", path=path)

    def _enter_folder(self, folder: Path) -> None:
        """List an unreadable folder as an unreadable file itself."""
        try:
            with os.scandir(folder) as scanned:
                entries = sorted(scanned, key=lambda entry: entry.name)
            inner = [entry for entry in entries if self._is_wanted(entry)]
            kinds = [(Path(entry.path), _is_listed_file(entry), _is_environment(entry)) for entry in inner]
        except FileNotFoundError:  # just deleted
            return
        except OSError:
            self.unreadable.append(folder)
            self.files.append(folder)
            return
        for path, is_file, is_environment in kinds:
            if is_file:
                self.files.append(path)
            elif is_environment:
                self.left_out[path.name] += 1
            elif path.is_dir() and not path.is_symlink():
                self._enter_folder(path)

    def _is_wanted(self, entry: os.DirEntry[str]) -> bool:
        if entry.name.startswith((".", LOCK)) or entry.name in NO_DOCUMENTS:
            self.left_out[LOCK if entry.name.startswith(LOCK) else entry.name] += 1
            return False
        return True


def _is_listed_file(entry: os.DirEntry[str]) -> bool:
    """Return True for a file, False also for a circular link: it has no content, like a deleted file.

    Other links that cannot be followed count as files, because reading them reports the problem.
    """
    try:
        return entry.is_file()
    except OSError as error:
        if not entry.is_symlink():
            raise
        return error.errno != errno.ELOOP


def _is_environment(entry: os.DirEntry[str]) -> bool:
    if not entry.is_dir(follow_symlinks=False):
        return False
    try:
        return Path(entry.path, ENVIRONMENT).exists()
    except OSError:  # unreadable, which is reported when it is entered
        return False
