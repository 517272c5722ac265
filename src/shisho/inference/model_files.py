"""The downloaded models of this machine, in `<owner>/<name>/` below one folder of the home.

Each folder has a manifest of its files. A folder is always complete: it is written elsewhere and renamed.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tarfile
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path, PurePosixPath
from typing import IO, Any

from shisho.domain.embedding import StoredModel
from shisho.errors import Conflict, InvalidParams, NotFound
from shisho.messages import Message
from shisho.records import dataclass

NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)
MANIFEST = "manifest.json"
PARTIAL = ".partial"  # the folder of incomplete models
MAX_FILES = 200
CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A file of a model. `digest`: `sha256:…`, or `git:…` for the SHA-1 that git gives a file."""

    path: str
    size: int
    digest: str


@dataclass(frozen=True, slots=True)
class ModelManifest:
    """The files of a model at one revision, and the URL that they came from."""

    name: str
    revision: str
    source: str
    files: tuple[ModelFile, ...]

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)


class ModelFiles:
    """The models in a folder. Never uses the network."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def list_models(self) -> list[StoredModel]:
        """Return the complete models, sorted by name."""
        folders = [path.parent for path in sorted(self.root.glob(f"*/*/{MANIFEST}"))]
        manifests = [self.read_manifest(folder) for folder in folders if folder.parent.name != PARTIAL]
        return [
            StoredModel(manifest.name, manifest.size, manifest.source)
            for manifest in manifests
            if manifest is not None
        ]

    def locate_folder(self, name: str) -> Path:
        """Return the folder for a model of this name, which may not exist.

        Raises: InvalidParams for an invalid name.
        """
        if not NAME.fullmatch(name):
            raise InvalidParams("models.not_a_name", name=name)
        return self.root / name

    def is_whole(self, name: str) -> bool:
        """Return whether every file of the model exists with its expected size."""
        folder = self.locate_folder(name)
        manifest = self.read_manifest(folder)
        return manifest is not None and all(
            (folder / file.path).is_file() and (folder / file.path).stat().st_size == file.size
            for file in manifest.files
        )

    def read_manifest(self, folder: Path) -> ModelManifest | None:
        """Read a folder's manifest; None if it is missing or invalid."""
        try:
            fields = json.loads((folder / MANIFEST).read_text("utf-8"))
            files = tuple(ModelFile(**entry) for entry in fields.pop("files"))
            manifest = ModelManifest(**fields, files=files)
            check_manifest(manifest)
        except (OSError, ValueError, TypeError, KeyError, InvalidParams):
            return None
        return manifest

    def export(self, name: str, file: Path) -> None:
        """Write a model into one file.

        Raises: NotFound, Conflict if the file exists.
        """
        folder = self.locate_folder(name)
        manifest = self.read_manifest(folder)
        if manifest is None:
            raise NotFound("models.not_found", name=name)
        if file.exists():
            raise Conflict("models.export_exists", path=file)
        with tarfile.open(file, "x", format=tarfile.PAX_FORMAT) as archive:
            for path in (MANIFEST, *(entry.path for entry in manifest.files)):
                archive.add(folder / path, f"{name}/{path}", recursive=False, filter=_anonymise)

    def import_(self, file: Path) -> str:
        """Import an exported model and return its name.

        Raises: InvalidParams if the file is not an export, or if a file in it does not match its manifest.
        """
        partial = self.root / PARTIAL / uuid.uuid4().hex
        try:
            manifest = self._unpack(file, partial)
            check_files(partial, manifest)
            self.place(partial, manifest)
        except (tarfile.TarError, EOFError) as error:
            raise InvalidParams(
                "models.not_an_export",
                path=file,
                cause=Message("models.export_truncated") if isinstance(error, EOFError) else error,
            ) from error
        finally:
            shutil.rmtree(partial, ignore_errors=True)
        return manifest.name

    def _unpack(self, file: Path, partial: Path) -> ModelManifest:
        with tarfile.open(file, "r:") as archive:
            first = archive.next()
            source = archive.extractfile(first) if first is not None and first.isreg() else None
            if (
                first is None
                or source is None
                or first.size > CHUNK
                or not first.name.endswith(f"/{MANIFEST}")
            ):
                raise tarfile.ReadError("its manifest is not in front")
            partial.mkdir(parents=True)
            (partial / MANIFEST).write_bytes(source.read())
            manifest = self.read_manifest(partial)
            if manifest is None or first.name != f"{manifest.name}/{MANIFEST}":
                raise tarfile.ReadError("its manifest cannot be read")
            # Only files of the manifest are extracted, up to their listed size: no links, and no paths that
            # lead outside.
            sizes = {f"{manifest.name}/{entry.path}": entry.size for entry in manifest.files}
            for member in archive:
                if member.name == first.name:
                    continue
                if not member.isreg() or sizes.get(member.name) != member.size:
                    raise tarfile.ReadError(f"{member.name} is not in its manifest")
                target = partial / member.name.removeprefix(f"{manifest.name}/")
                target.parent.mkdir(parents=True, exist_ok=True)
                content = archive.extractfile(member)
                assert content is not None
                with target.open("wb") as written:
                    shutil.copyfileobj(content, written, CHUNK)
        return manifest

    def remove(self, name: str) -> None:
        """Remove a model.

        Raises: NotFound.
        """
        folder = self.locate_folder(name)
        if not folder.is_dir():
            raise NotFound("models.not_found", name=name)
        (self.root / PARTIAL).mkdir(parents=True, exist_ok=True)
        going = self.root / PARTIAL / uuid.uuid4().hex
        folder.rename(going)  # at once: no reader sees an incomplete model
        shutil.rmtree(going)

    def place(self, partial: Path, manifest: ModelManifest) -> None:
        """Move a complete folder to its final place, replacing an older one."""
        listed = [
            ModelFile(file.path, file.size, digest(partial / file.path, "sha256")) for file in manifest.files
        ]
        write_manifest(
            partial, ModelManifest(manifest.name, manifest.revision, manifest.source, tuple(listed))
        )
        folder = self.locate_folder(manifest.name)
        folder.parent.mkdir(parents=True, exist_ok=True)
        if folder.exists():
            self.remove(manifest.name)
        partial.rename(folder)


def write_manifest(folder: Path, manifest: ModelManifest) -> None:
    """Write the manifest of a folder, whose files may still be missing."""
    folder.mkdir(parents=True, exist_ok=True)
    fresh = folder / f"{MANIFEST}.new"
    fresh.write_text(json.dumps(asdict(manifest), ensure_ascii=False, indent=1), "utf-8")
    fresh.replace(folder / MANIFEST)


def check_files(folder: Path, manifest: ModelManifest) -> None:
    """Check every file against the manifest.

    Raises: InvalidParams for a missing or different file.
    """
    for file in manifest.files:
        path = folder / file.path
        if not path.is_file() or digest(path, file.digest.partition(":")[0]) != file.digest:
            raise InvalidParams(
                "models.hash_differs",
                path=file.path,
                name=manifest.name,
            )


def digest(path: Path, kind: str) -> str:
    """Return the hash of a file in the format of `ModelFile`."""
    hashed: Any = hashlib.sha256()
    if kind == "git":
        hashed = hashlib.sha1(f"blob {path.stat().st_size}\0".encode(), usedforsecurity=False)
    with path.open("rb") as file:
        for chunk in _read_chunks(file):
            hashed.update(chunk)
    return f"{kind}:{hashed.hexdigest()}"


def is_safe(path: str) -> bool:
    """Return whether the path stays inside its folder on every operating system."""
    parts = PurePosixPath(path).parts
    plain = bool(parts) and not path.startswith("/") and not any(part.startswith(".") for part in parts)
    return (
        plain
        and not any(mark in path for mark in ("\\", ":", "\0", "\n"))
        and str(PurePosixPath(path)) == path
    )


def check_manifest(manifest: ModelManifest) -> None:
    """Check a manifest.

    Raises: ValueError for a manifest that no hub and no export writes.
    """
    paths: Sequence[str] = [file.path for file in manifest.files]
    is_named = bool(NAME.fullmatch(manifest.name))
    if (
        not is_named
        or not paths
        or len(paths) > MAX_FILES
        or len(set(paths)) < len(paths)
        or MANIFEST in paths
    ):
        raise ValueError("not a list of files")
    for file in manifest.files:
        kind, _, value = file.digest.partition(":")
        length = {"sha256": 64, "git": 40}.get(kind)
        if not is_safe(file.path) or file.size < 0 or len(value) != length:
            raise ValueError(f"not a file: {file.path}")


def _read_chunks(file: IO[bytes]) -> Iterator[bytes]:
    while chunk := file.read(CHUNK):
        yield chunk


def _anonymise(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Remove the traces of the machine that wrote the archive."""
    member.uid = 0
    member.gid = 0
    member.mtime = 0
    member.uname = ""
    member.gname = ""
    member.mode = 0o644
    return member
