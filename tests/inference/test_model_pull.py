"""Models from a hub on loopback: whatever breaks off goes on, nothing wrong is kept, what is there needs no
network."""

from __future__ import annotations

import hashlib
import io
import json
import random
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import shisho.inference.model_pull as model_pull
from shisho.errors import AllFetchesFailed, Conflict, InvalidParams, NotFound
from shisho.inference.model_files import ModelFiles
from shisho.inference.model_pull import ModelPull
from tests.loopback import LoopbackReply, LoopbackRequest, LoopbackServer

NAME = "library/tiny-ja"
WEIGHTS = random.Random(3).randbytes(300_000)
FILES = {
    "config.json": b'{"model_type": "modernbert"}',
    "tokenizer.json": b"{}",
    "1_Pooling/config.json": b"{}",
    "onnx/model.onnx": WEIGHTS,
    "README.md": b"not needed",
    "model_fp32.bin": b"not needed",
}
Cut = Callable[[int], int | None]


def hub(
    files: dict[str, bytes] = FILES, cut: Cut = lambda length: None, *, ranges: bool = True
) -> Callable[[LoopbackRequest], LoopbackReply]:
    """A hub of one model. `cut`: of a body of this length so much is sent, or all."""

    def listed(path: str, data: bytes) -> dict[str, Any]:
        entry: dict[str, Any] = {"type": "file", "path": path, "size": len(data)}
        if len(data) > 1000:
            return entry | {
                "oid": "0" * 40,
                "lfs": {"oid": hashlib.sha256(WEIGHTS).hexdigest(), "size": len(WEIGHTS)},
            }
        return entry | {"oid": hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()}

    def answer(request: LoopbackRequest) -> LoopbackReply:
        path = request.path.partition("?")[0]
        if path == f"/api/models/{NAME}/revision/main":
            return LoopbackReply(b'{"sha": "abc123"}')
        if path == f"/api/models/{NAME}/tree/abc123":
            entries = [{"type": "directory", "path": "onnx"}, *(listed(*item) for item in files.items())]
            return LoopbackReply(json.dumps(entries).encode())
        data = files.get(path.removeprefix(f"/{NAME}/resolve/abc123/"))
        if data is None:
            return LoopbackReply(b"", 404)
        start = int(request.headers.get("range", "bytes=0-")[6:-1]) if ranges else 0
        rest = data[start:]
        headers = {"Content-Range": f"bytes {start}-{len(data) - 1}/{len(data)}"} if start else {}
        return LoopbackReply(rest, 206 if start else 200, headers, cut(len(rest)))

    return answer


def left_behind(folder: Path, pattern: str) -> list[Path]:
    return list(folder.rglob(pattern))


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_pull, "WAIT_S", 0.0)


async def test_cut_twenty_times_at_random_it_goes_on_and_is_whole(tmp_path: Path) -> None:
    files = ModelFiles(tmp_path)
    dice = random.Random(5)
    cuts = 20

    def cut(length: int) -> int | None:
        nonlocal cuts
        if length < 1000 or not cuts:
            return None
        cuts -= 1
        return dice.randrange(length // 8)

    done: list[tuple[int, int]] = []
    with LoopbackServer(hub(cut=cut)) as server:
        tries = 0
        while not files.is_whole(NAME):
            tries += 1
            try:
                assert await ModelPull(files, server.url, lambda *bytes_: done.append(bytes_)).pull(NAME)
            except AllFetchesFailed:  # five times in a row without a byte
                assert tries < 20
        assert cuts == 0
        asked = [request for request in server.requests if request.path.endswith("model.onnx")]
        assert len({request.headers.get("range") for request in asked}) > 10
    folder = files.locate_folder(NAME)
    assert (folder / "onnx" / "model.onnx").read_bytes() == WEIGHTS
    assert not (folder / "README.md").exists()
    assert done[-1][0] == done[-1][1] == files.list_models()[0].size
    assert not left_behind(tmp_path / ".partial", "*")


async def test_what_is_there_is_not_asked_for(tmp_path: Path) -> None:
    files = ModelFiles(tmp_path)
    with LoopbackServer(hub()) as server:
        assert await ModelPull(files, server.url).pull(NAME)
        count = len(server.requests)
        assert not await ModelPull(files, server.url).pull(NAME)
        assert len(server.requests) == count


async def test_next_pull_goes_on_with_the_files_and_the_revision_of_the_first(tmp_path: Path) -> None:
    files = ModelFiles(tmp_path)
    with LoopbackServer(hub(cut=lambda length: 0 if length > 1000 else None)) as server:
        with pytest.raises(AllFetchesFailed, match="shisho models import"):
            await ModelPull(files, server.url).pull(NAME)
        assert not files.list_models()
        server.requests.clear()
        with pytest.raises(AllFetchesFailed):
            await ModelPull(files, server.url).pull(NAME)
        assert {request.path for request in server.requests} == {f"/{NAME}/resolve/abc123/onnx/model.onnx"}


@pytest.mark.parametrize("ranges", [True, False])
async def test_wrong_hash_is_refused_and_thrown_away(tmp_path: Path, ranges: bool) -> None:
    files = ModelFiles(tmp_path)
    swapped = {**FILES, "onnx/model.onnx": WEIGHTS[:-1] + b"?"}
    with (
        LoopbackServer(hub(swapped, ranges=ranges)) as server,
        pytest.raises(InvalidParams, match=r"hash .*differs"),
    ):
        await ModelPull(files, server.url).pull(NAME)
    assert not files.list_models()
    assert not left_behind(tmp_path, "*.onnx*")


async def test_server_without_ranges_begins_anew(tmp_path: Path) -> None:
    files = ModelFiles(tmp_path)
    left = [1000, 5000]

    def cut(length: int) -> int | None:
        return left.pop() if length > 1000 and left else None

    with LoopbackServer(hub(cut=cut, ranges=False)) as server:
        assert await ModelPull(files, server.url).pull(NAME)
    assert (files.locate_folder(NAME) / "onnx" / "model.onnx").read_bytes() == WEIGHTS


@pytest.mark.parametrize(
    ("files", "error"),
    [
        ({"1_x/../../evil.json": b"{}", "onnx/model.onnx": WEIGHTS}, AllFetchesFailed),
        ({"config.json": b"{}", "pytorch_model.bin": b"x"}, NotFound),
    ],
)
async def test_listing_that_cannot_be_used_brings_nothing(
    tmp_path: Path, files: dict[str, bytes], error: type[Exception]
) -> None:
    with LoopbackServer(hub(files)) as server, pytest.raises(error):
        await ModelPull(ModelFiles(tmp_path / "models"), server.url).pull(NAME)
    assert not left_behind(tmp_path, "*evil*")


async def test_redirect_to_another_host_is_followed_and_a_circle_is_not(tmp_path: Path) -> None:
    def circle(request: LoopbackRequest) -> LoopbackReply:
        return LoopbackReply(b"", 302, {"Location": request.path})

    with LoopbackServer(hub()) as far:

        def sending(request: LoopbackRequest) -> LoopbackReply:
            if "/resolve/" in request.path:
                return LoopbackReply(b"", 302, {"Location": f"{far.url}{request.path}"})
            return hub()(request)

        with LoopbackServer(sending) as server:
            assert await ModelPull(ModelFiles(tmp_path), server.url).pull(NAME)
    with LoopbackServer(circle) as server, pytest.raises(AllFetchesFailed):
        await ModelPull(ModelFiles(tmp_path / "b"), server.url).pull(NAME)


async def test_unknown_model_and_odd_names_are_refused(tmp_path: Path) -> None:
    files = ModelFiles(tmp_path)
    with LoopbackServer(lambda request: LoopbackReply(b"", 404)) as server:
        with pytest.raises(NotFound):
            await ModelPull(files, server.url).pull(NAME)
        for name in ("../up", "a/b/c", "plain", "/etc/passwd", "a/.."):
            with pytest.raises(InvalidParams):
                await ModelPull(files, server.url).pull(name)
        assert len(server.requests) == 1


async def pulled(folder: Path) -> ModelFiles:
    files = ModelFiles(folder)
    with LoopbackServer(hub()) as server:
        await ModelPull(files, server.url).pull(NAME)
    return files


async def test_export_goes_to_another_machine_and_back_the_same(tmp_path: Path) -> None:
    here = await pulled(tmp_path / "here")
    here.export(NAME, tmp_path / "model.tar")
    with pytest.raises(Conflict):
        here.export(NAME, tmp_path / "model.tar")
    there = ModelFiles(tmp_path / "there")
    assert there.import_(tmp_path / "model.tar") == NAME
    assert there.is_whole(NAME)
    assert (there.locate_folder(NAME) / "onnx" / "model.onnx").read_bytes() == WEIGHTS
    there.remove(NAME)
    assert not there.list_models()
    with pytest.raises(NotFound):
        there.remove(NAME)


def spoiled(
    source: Path, target: Path, change: Callable[[tarfile.TarInfo, bytes], tuple[tarfile.TarInfo, bytes]]
) -> None:
    """An export with its members changed."""
    with tarfile.open(source) as before, tarfile.open(target, "w") as after:
        for member in before:
            content = before.extractfile(member)
            assert content is not None
            changed, data = change(member, content.read())
            after.addfile(changed, io.BytesIO(data))


def _climbing(member: tarfile.TarInfo, data: bytes) -> tuple[tarfile.TarInfo, bytes]:
    if member.name.endswith("tokenizer.json"):
        member.name = "../../evil"
    return member, data


def _linked(member: tarfile.TarInfo, data: bytes) -> tuple[tarfile.TarInfo, bytes]:
    if member.name.endswith("tokenizer.json"):
        member.type, member.linkname, member.size = tarfile.SYMTYPE, "/etc/passwd", 0
    return member, data


def _altered(member: tarfile.TarInfo, data: bytes) -> tuple[tarfile.TarInfo, bytes]:
    return member, data.replace(b"{}", b"[]") if member.name.endswith("tokenizer.json") else data


def _renamed(member: tarfile.TarInfo, data: bytes) -> tuple[tarfile.TarInfo, bytes]:
    member.name = member.name.replace(NAME, "../../x")
    return member, data


@pytest.mark.parametrize("change", [_climbing, _linked, _altered, _renamed])
async def test_spoiled_export_is_refused_and_leaves_nothing(tmp_path: Path, change: Any) -> None:
    (await pulled(tmp_path / "here")).export(NAME, tmp_path / "model.tar")
    spoiled(tmp_path / "model.tar", tmp_path / "spoiled.tar", change)
    there = ModelFiles(tmp_path / "there")
    with pytest.raises(InvalidParams):
        there.import_(tmp_path / "spoiled.tar")
    assert not there.list_models()
    assert not [path for path in left_behind(tmp_path / "there", "*") if path.is_file()]


@pytest.mark.parametrize("data", [b"", b"no tar at all", b"\0" * 20_000])
def test_file_that_is_no_export_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x.tar").write_bytes(data)
    with pytest.raises(InvalidParams):
        ModelFiles(tmp_path / "there").import_(tmp_path / "x.tar")
