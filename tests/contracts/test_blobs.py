"""What every place promises where bytes stand by name."""

from __future__ import annotations

import stat
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from obstore.store import LocalStore, MemoryStore

from shisho.errors import NotFound, StorageUnusable, StoreUnavailable
from shisho.ports import Blobs
from shisho.stores.blob_folder import FolderBlobs
from shisho.stores.blob_objects import ObjectBlobs, connect_objects
from tests.objects import object_server


@pytest.fixture(params=["folder", "objects", "objects-folder", "s3"])
def blobs(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Blobs]:
    if request.param == "s3":
        with object_server() as (address, _):
            point_to(address, monkeypatch)
            yield connect_objects("s3://shisho/a/b")
        return
    makers = {
        "folder": lambda: FolderBlobs(tmp_path),
        "objects": lambda: ObjectBlobs(MemoryStore(), "memory"),
        "objects-folder": lambda: ObjectBlobs(LocalStore(tmp_path), "folder"),
    }
    yield makers[request.param]()


def point_to(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    values = {
        "AWS_ENDPOINT_URL": address,
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "here",
    }
    for name, value in values.items():
        monkeypatch.setenv(name, value)


def test_bytes_come_back_by_name_and_the_last_ones_stand(blobs: Blobs) -> None:
    assert blobs.read_facts("originals/a") is None
    with pytest.raises(NotFound):
        blobs.get("originals/a")
    blobs.put("originals/a", b"first")
    blobs.put("originals/a", "二番目".encode(), durable=False)
    assert blobs.get("originals/a") == "二番目".encode()
    facts = blobs.read_facts("originals/a")
    assert facts is not None and (facts.name, facts.size) == ("originals/a", 9)
    blobs.put("originals/empty", b"")
    assert blobs.get("originals/empty") == b""


def test_folder_lists_its_own(blobs: Blobs) -> None:
    assert not blobs.list("originals")
    for name in ("originals/a", "originals/b.webp", "originals_too/a", "staging/a"):
        blobs.put(name, b"12")
    assert sorted((blob.name, blob.size) for blob in blobs.list("originals")) == [
        ("originals/a", 2),
        ("originals/b.webp", 2),
    ]
    assert all(blob.at > 0 for blob in blobs.list("staging"))


def test_dropped_bytes_are_gone_and_dropping_again_is_no_error(blobs: Blobs) -> None:
    blobs.put("staging/a", b"1")
    blobs.put("staging/b", b"2")
    for _ in range(2):
        blobs.drop("staging/a")
    assert [blob.name for blob in blobs.list("staging")] == ["staging/b"]


def test_touched_bytes_count_as_new_or_are_said_not_to(blobs: Blobs) -> None:
    assert not blobs.touch("originals/none")
    blobs.put("originals/a", b"1")
    began = time.time() - 2  # clocks of files are coarse
    if blobs.touch("originals/a"):
        facts = blobs.read_facts("originals/a")
        assert facts is not None and facts.at >= began
    assert blobs.get("originals/a") == b"1"


def test_name_that_is_none_reaches_nothing(blobs: Blobs) -> None:
    for name in ("", "a", "../shisho.db", "a/../b", "/etc/passwd", "a/b/c", "a/.b", "a/", "a\n/b", "あ/b"):
        for verb in (blobs.get, blobs.read_facts, blobs.drop, lambda name: blobs.put(name, b"")):
            with pytest.raises(NotFound):
                verb(name)


def test_files_are_their_owners_alone(tmp_path: Path) -> None:
    FolderBlobs(tmp_path / "shared").put("originals/a", b"1")
    path = tmp_path / "shared" / "originals" / "a"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_store_that_lets_nobody_in_says_what_to_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    with object_server(deny=True) as (address, _):
        point_to(address, monkeypatch)
        with pytest.raises(StorageUnusable, match=r"s3://shisho .*setting blobs"):
            connect_objects("s3://shisho").put("originals/a", b"1")


def test_store_that_is_away_says_that_it_may_be_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with object_server() as (address, _):
        point_to(address, monkeypatch)
    with pytest.raises(StoreUnavailable, match="Try again"):
        connect_objects("s3://shisho").get("originals/a")
