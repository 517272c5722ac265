"""Blobs as objects of an S3-compatible store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import obstore
from obstore.exceptions import BaseError, NotFoundError, PermissionDeniedError, UnauthenticatedError
from obstore.store import from_url

from shisho.domain.library import BlobFacts
from shisho.errors import StorageUnusable, StoreUnavailable
from shisho.stores.blob_folder import check_name, no_blob

# Plain HTTP is allowed, for addresses that name it.
OPTIONS: dict[str, Any] = {"connect_timeout": "5s", "timeout": "60s", "allow_http": True}
TRIES = {"max_retries": 3}


def connect_objects(address: str) -> ObjectBlobs:
    """Return the store at an address such as `s3://bucket/prefix`, without connecting yet.

    Keys, region and endpoint come from the usual environment variables of S3 tools (AWS_ACCESS_KEY_ID,
    AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_ENDPOINT_URL).
    """
    try:
        store = from_url(address, client_options=OPTIONS, retry_config=TRIES)  # type: ignore[call-overload]
    except (BaseError, ValueError, TypeError) as error:
        raise _build_unusable(address, error) from error
    return ObjectBlobs(store, address)


class ObjectBlobs:
    """`ports.Blobs` over a store of the package obstore. `place` is its name in messages."""

    def __init__(self, store: Any, place: str) -> None:
        self._store = store
        self._place = place

    def put(self, name: str, data: bytes, *, durable: bool = True) -> None:
        check_name(name)
        with self._translate_errors():
            obstore.put(self._store, name, data, use_multipart=False)

    def get(self, name: str) -> bytes:
        check_name(name)
        try:
            with self._translate_errors():
                return bytes(obstore.get(self._store, name).bytes())
        except FileNotFoundError:
            raise no_blob(name) from None

    def read_facts(self, name: str) -> BlobFacts | None:
        check_name(name)
        try:
            with self._translate_errors():
                return _read_facts(obstore.head(self._store, name))
        except FileNotFoundError:
            return None

    def touch(self, name: str) -> bool:
        return False  # the time of an object is when its bytes were written

    def list(self, folder: str) -> Sequence[BlobFacts]:
        with self._translate_errors():
            chunks = obstore.list(self._store, prefix=folder)
            return [_read_facts(entry) for chunk in chunks for entry in chunk]

    def drop(self, name: str) -> None:
        check_name(name)
        try:
            with self._translate_errors():
                obstore.delete(self._store, name)
        except FileNotFoundError:
            return

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except (NotFoundError, FileNotFoundError):
            raise
        except (PermissionDeniedError, UnauthenticatedError) as error:
            raise _build_unusable(self._place, error) from error
        except (BaseError, OSError) as error:
            raise StoreUnavailable(
                "blobs.unreachable",
                place=self._place,
                reason=_shorten_reason(error),
            ) from error


def _read_facts(entry: Any) -> BlobFacts:
    return BlobFacts(str(entry["path"]), int(entry["size"]), entry["last_modified"].timestamp())


def _build_unusable(place: str, error: Exception) -> StorageUnusable:
    return StorageUnusable(
        "blobs.denied",
        place=place,
        reason=_shorten_reason(error),
    )


def _shorten_reason(error: Exception) -> str:
    """Return the first line, which is all that people need."""
    return str(error).strip().partition("\n")[0][:200]
