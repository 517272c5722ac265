"""Download models from a hub, or from a mirror with the same layout.

`api/models/NAME/revision/…` and `…/tree/…` list the files and their hashes; `NAME/resolve/REVISION/PATH`
serves them. Partial downloads are kept, and the next try requests the rest.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, urljoin, urlsplit

import httpx2

from shisho.errors import AllFetchesFailed, InvalidParams, NotFound
from shisho.inference.model_files import (
    PARTIAL,
    ModelFile,
    ModelFiles,
    ModelManifest,
    check_files,
    check_manifest,
    digest,
    write_manifest,
)
from shisho.inference.model_folder import list_needed_files

REVISION = "main"
MAX_REDIRECTS = 5
MAX_LISTING = 8 << 20  # bytes
TRIES = 5  # in a row without a received byte
WAIT_S = 1.0
SECONDS = 60.0  # without a response of the server
ReportBytes = Callable[[int, int], None]
REDIRECTS = frozenset({301, 302, 303, 307, 308})


class ModelPull:
    """The download of one model. `report(done, total)` is called with bytes as they arrive."""

    def __init__(self, files: ModelFiles, url: str, report: ReportBytes = lambda done, total: None) -> None:
        self._files = files
        self._url = url.rstrip("/")
        self._report = report
        self._done = 0
        self._total = 0

    async def pull(self, name: str) -> bool:
        """Download a model; return False, without any request, if it is already complete.

        Raises: NotFound, AllFetchesFailed, InvalidParams for a file that does not match its hash.
        """
        folder = self._files.locate_folder(name)
        if self._files.is_whole(name):
            return False
        partial = self._files.root / PARTIAL / name.replace("/", "--")
        try:
            manifest = self._files.read_manifest(partial)
            if manifest is None or manifest.source != f"{self._url}/{name}":
                shutil.rmtree(partial, ignore_errors=True)
                manifest = await self._list_files(name)
                write_manifest(partial, manifest)
            self._total = manifest.size
            for file in manifest.files:
                await self._fetch(manifest, file, partial / file.path)
        except (httpx2.TransportError, TimeoutError, httpx2.InvalidURL) as error:
            raise AllFetchesFailed(
                "models.hub_unreachable",
                url=self._url,
                cause=type(error).__name__,
                name=name,
                folder=folder,
            ) from error
        check_files(partial, manifest)
        self._files.place(partial, manifest)
        return True

    async def _list_files(self, name: str) -> ModelManifest:
        """Return the model's current files at the hub that an embedder needs."""
        api = f"{self._url}/api/models/{name}"
        revision = str((await self._fetch_json(f"{api}/revision/{REVISION}", name)).get("sha") or REVISION)
        entries = await self._fetch_json(f"{api}/tree/{quote(revision, safe='')}?recursive=true", name)
        try:
            by_path = {entry["path"]: _parse_entry(entry) for entry in entries if entry["type"] == "file"}
            needed = list_needed_files(by_path)
            manifest = ModelManifest(
                name, revision, f"{self._url}/{name}", tuple(by_path[path] for path in needed)
            )
            if needed:
                check_manifest(manifest)
        except (TypeError, KeyError, ValueError, AttributeError) as error:
            raise self._refuse_listing(name) from error
        if not any(path.endswith((".onnx", ".safetensors")) for path in needed):
            raise NotFound(
                "models.no_onnx",
                name=name,
                url=self._url,
            )
        return manifest

    async def _fetch_json(self, url: str, name: str) -> Any:
        async with self._open_response(url, {}, name) as reply:
            body = bytearray()
            async for part in reply.aiter_bytes():
                body += part
                if len(body) > MAX_LISTING:
                    raise self._refuse_listing(name)
        try:
            return json.loads(bytes(body))
        except ValueError as error:
            raise self._refuse_listing(name) from error

    async def _fetch(self, manifest: ModelManifest, file: ModelFile, path: Path) -> None:
        """Download the rest of a file, with retries. A file with a wrong hash is deleted."""
        part = path.with_name(f"{path.name}.part")
        if _is_there(path):
            self._report_progress(file.size)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        part.touch()
        tries = TRIES
        self._report_progress(_measure_file(part))
        while (size := _measure_file(part)) < file.size:
            try:
                await self._continue(manifest, file, part)
            except (httpx2.TransportError, TimeoutError):
                tries = TRIES if _measure_file(part) > size else tries - 1
                if not tries:
                    raise
                await asyncio.sleep(WAIT_S if _measure_file(part) == size else 0)
        if size > file.size or digest(part, file.digest.partition(":")[0]) != file.digest:
            part.unlink()
            raise InvalidParams(
                "models.download_hash_differs",
                path=file.path,
                name=manifest.name,
                url=self._url,
            )
        part.replace(path)

    async def _continue(self, manifest: ModelManifest, file: ModelFile, part: Path) -> None:
        """Download as many bytes as one connection delivers."""
        start = _measure_file(part)
        headers = {"Range": f"bytes={start}-"} if start else {}
        url = f"{self._url}/{manifest.name}/resolve/{quote(manifest.revision, safe='')}/{quote(file.path)}"
        async with self._open_response(url, headers, manifest.name) as reply:
            is_rest = reply.status_code == 206 and reply.headers.get("content-range", "").startswith(
                f"bytes {start}-"
            )
            if start and not is_rest:  # a server without range support starts from the beginning
                self._report_progress(-start)
                start = 0
            with part.open("r+b") as written:
                written.truncate(start)
                written.seek(start)
                async for data in reply.aiter_raw():
                    room = file.size - written.tell()
                    written.write(data[: room + 1])  # an extra byte reveals a different file
                    self._report_progress(min(len(data), room))
                    if len(data) > room:
                        return
        if _measure_file(part) < file.size:
            raise httpx2.ReadError("broken off")

    @asynccontextmanager
    async def _open_response(
        self, url: str, headers: dict[str, str], name: str
    ) -> AsyncIterator[httpx2.Response]:
        """Yield the response after redirects.

        Hubs serve files from another host; a redirect from TLS to plain HTTP is refused.
        """
        all_headers = {"Connection": "close", "Accept-Encoding": "identity", **headers}
        async with httpx2.AsyncClient(timeout=SECONDS, trust_env=False, follow_redirects=False) as client:
            for _ in range(MAX_REDIRECTS):
                async with client.stream("GET", url, headers=all_headers) as reply:
                    if reply.status_code not in REDIRECTS:
                        self._check_status(reply.status_code, name)
                        yield reply
                        return
                    target = urljoin(url, reply.headers.get("location", ""))
                if urlsplit(target).scheme not in {"https", urlsplit(self._url).scheme}:
                    raise self._refuse_listing(name)
                url = target
        raise self._refuse_listing(name)

    def _check_status(self, status: int, name: str) -> None:
        if status in (401, 403, 404):
            raise NotFound(
                "models.not_public",
                url=self._url,
                name=name,
            )
        if status >= 500 or status in (408, 429):
            raise httpx2.RemoteProtocolError(f"status {status}")
        if status not in (200, 206):
            raise self._refuse_listing(name)

    def _report_progress(self, more: int) -> None:
        self._done += more
        self._report(self._done, self._total)

    def _refuse_listing(self, name: str) -> AllFetchesFailed:
        return AllFetchesFailed(
            "models.not_a_hub",
            url=self._url,
            name=name,
        )


def _measure_file(path: Path) -> int:
    return path.stat().st_size


def _is_there(path: Path) -> bool:
    return path.is_file()


def _parse_entry(entry: Any) -> ModelFile:
    """Parse a file of the hub's listing: large ones have a SHA-256, the others a git hash."""
    large = entry.get("lfs")
    if large:
        return ModelFile(entry["path"], int(large["size"]), f"sha256:{large['oid'].removeprefix('sha256:')}")
    return ModelFile(entry["path"], int(entry["size"]), f"git:{entry['oid']}")
