"""What every place promises where bytes wait for their job."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from shisho.errors import NotFound
from shisho.ports import Staging
from shisho.stores.blob_folder import FolderBlobs
from shisho.stores.staging import BlobStaging


@pytest.fixture
def staging(tmp_path: Path) -> Staging:
    return BlobStaging(FolderBlobs(tmp_path))


def test_bytes_come_back_under_their_own_key(staging: Staging) -> None:
    keys = [staging.put(data, "hanako") for data in (b"", "決定係数".encode(), "決定係数".encode())]
    assert len(set(keys)) == 3
    assert [staging.get(key) for key in keys] == [b"", "決定係数".encode(), "決定係数".encode()]


def test_dropped_bytes_are_gone_and_dropping_again_is_no_error(staging: Staging) -> None:
    kept = staging.put(b"kept", "hanako")
    dropped = staging.put(b"dropped", "hanako")
    for _ in range(2):
        staging.drop(dropped)
    with pytest.raises(NotFound):
        staging.get(dropped)
    assert staging.get(kept) == b"kept"


def test_every_copy_of_the_same_bytes_is_dropped_together(staging: Staging) -> None:
    staging.drop_bytes(sha256(b"nothing").hexdigest(), "hanako")
    copies = [staging.put(b"same", "hanako") for _ in range(3)]
    other = staging.put(b"other", "hanako")
    others = staging.put(b"same", "taro")
    staging.drop_bytes(sha256(b"same").hexdigest(), "hanako")
    for key in copies:
        with pytest.raises(NotFound):
            staging.get(key)
    assert staging.get(other) == b"other"
    assert staging.get(others) == b"same"  # a purge by one person takes nothing from another


@pytest.mark.parametrize("key", ["", "../shisho.db", "0" * 31, "0" * 33, "G" * 32])
def test_name_that_is_no_key_reaches_nothing(staging: Staging, key: str) -> None:
    with pytest.raises(NotFound):
        staging.get(key)
    with pytest.raises(NotFound):
        staging.drop(key)
