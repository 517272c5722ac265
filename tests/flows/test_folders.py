"""What happens in a folder, happens in the library: by `sync`, and by whoever follows it."""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.corpus import IntakeOutcome
from shisho.errors import InvalidParams, NotFound
from shisho.ports import Files
from shisho.services import Library
from shisho.services.folders import Folders
from shisho.services.news import FolderFailed, News
from tests.flows.conftest import Shell
from tests.inside import builder_of
from tests.machine import PATIENCE


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def library_of(folder: Path, count: int = 3) -> Path:
    for number in range(count):
        write(folder / f"{number}.txt", f"第{number}の本文は{'甲乙丙丁戊'[number]}である。")
    return folder


async def sync(library: Library, folder: Path, **given: Any) -> list[tuple[str, str]]:
    """Outcome and name of all that is not as it was."""
    receipts = [receipt async for receipt in library.folders.sync(folder, **given)]
    return sorted(
        (str(receipt.outcome), str(Path(receipt.source).relative_to(folder)))
        for receipt in receipts
        if receipt.outcome is not IntakeOutcome.KNOWN
    )


async def names(library: Library) -> list[str]:
    return sorted(Path(document.source).name for document in await library.documents.list())


async def test_new_changed_moved_and_deleted_files_are_so_in_the_library(
    library: Library, tmp_path: Path
) -> None:
    folder = library_of(tmp_path / "書庫", 4)
    assert await sync(library, folder) == [("added", f"{number}.txt") for number in range(4)]
    assert await sync(library, folder) == []
    moved = (await library.documents.get("1.txt")).id
    write(folder / "0.txt", "第0の本文は己である。")
    (folder / "奥").mkdir()
    (folder / "1.txt").rename(folder / "奥" / "1.txt")
    (folder / "2.txt").unlink()
    shutil.copy(folder / "3.txt", folder / "写し.txt")
    outcomes = await sync(library, folder)
    assert outcomes == [("gone", "2.txt"), ("moved", "奥/1.txt"), ("replaced", "0.txt")]
    document = await library.documents.get("1.txt")
    assert (document.id, document.source) == (moved, str(folder / "奥" / "1.txt"))
    assert [hit.source for hit in await library.documents.search("丙")] == []
    assert await names(library) == ["0.txt", "1.txt", "3.txt"]
    (folder / "3.txt").unlink()
    assert await sync(library, folder) == [("gone", "3.txt")]
    assert await names(library) == ["0.txt", "1.txt", "写し.txt"]


async def test_a_file_that_stands_in_two_corpora_is_found_once(library: Library, tmp_path: Path) -> None:
    """By hand, and in the corpus of its folder, which a question to it makes."""
    folder = library_of(tmp_path / "f", 5)
    assert len([receipt async for receipt in library.documents.add(folder)]) == 5
    assert len([receipt async for receipt in library.folders.mirror(folder)]) == 5
    assert len(await library.documents.list()) == 10
    hits = await library.documents.search("第0の本文は甲である", limit=4)
    assert [Path(hit.source).name for hit in hits] == ["0.txt"]


async def test_what_is_elsewhere_in_the_corpus_is_left_alone(library: Library, tmp_path: Path) -> None:
    folder = library_of(tmp_path / "書庫")
    write(tmp_path / "書庫2" / "よそ.txt", "よその本文である。")
    assert [receipt async for receipt in library.documents.add(folder, tmp_path / "書庫2")]
    (folder / "0.txt").unlink()
    assert await sync(library, folder) == [("gone", "0.txt")]
    assert await names(library) == ["1.txt", "2.txt", "よそ.txt"]


@pytest.mark.parametrize("is_missing", [True, False])
async def test_of_a_folder_that_is_missing_or_empty_nothing_is_removed(
    library: Library, tmp_path: Path, is_missing: bool
) -> None:
    """A drive that is not mounted leaves an empty folder, or none."""
    folder = library_of(tmp_path / "書庫")
    await sync(library, folder)
    folder.rename(tmp_path / "外した")
    if not is_missing:
        folder.mkdir()
    with pytest.raises(NotFound, match=r"[Nn]othing was removed"):
        await sync(library, folder)
    assert len(await names(library)) == 3
    assert len(await sync(library, folder, is_emptied=True)) == 3
    assert await names(library) == []
    with pytest.raises(InvalidParams):
        await sync(library, tmp_path / "ない")


UNREADABLE = """
import asyncio, os, sys
from pathlib import Path
from shisho.system.files import look, survey
root = Path(sys.argv[1])
(root / "closed").chmod(0o000)
(root / "listed").chmod(0o644)
if os.geteuid() == 0:
    os.setuid(65534)
found = survey([root])
print([str(path.relative_to(root)) for path in found.files], [path.name for path in found.unreadable])
print([file.path.name for file in look(found.files)])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="has other permissions")
def test_a_folder_that_may_not_be_looked_into_is_told_of_and_its_neighbours_are_found(tmp_path: Path) -> None:
    """It broke the whole command."""
    for part in ("closed", "listed", "open"):
        write(tmp_path / part / "a.txt", "本文。")
    top = Path(tempfile.gettempdir())
    for parent in (tmp_path, *tmp_path.parents):
        if parent.is_relative_to(top) and parent != top:
            parent.chmod(0o755)
    done = subprocess.run(
        [sys.executable, "-c", UNREADABLE, str(tmp_path)], capture_output=True, text=True, check=False
    )
    for part in ("closed", "listed"):
        (tmp_path / part).chmod(0o755)
    listed = "['closed', 'listed/a.txt', 'open/a.txt'] ['closed']"
    assert done.stdout == f"{listed}\n['closed', 'a.txt', 'a.txt']\n", done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="links are made as on Unix")
async def test_links_that_lead_nowhere_hide_none_of_their_neighbours(
    library: Library, tmp_path: Path
) -> None:
    folder = library_of(tmp_path / "書庫", 2)
    (folder / "loop").symlink_to(folder / "loop")
    (folder / "gone.txt").symlink_to(tmp_path / "gone.txt")
    (folder / "long.txt").symlink_to("x" * 300)
    news = [("added", "0.txt"), ("added", "1.txt"), ("failed", "x" * 300)]
    assert sorted(await sync(library, folder)) == news
    queued = await library.tasks.queue_documents(paths=[folder], remote=False)
    assert (queued.queued, len(queued.already_known)) == (1, 2)
    (folder / "1.txt").unlink()
    (folder / "1.txt").symlink_to("1.txt")
    assert sorted(await sync(library, folder))[-1] == ("gone", "1.txt")


@pytest.mark.skipif(sys.platform == "win32", reason="links are made as on Unix")
async def test_a_looping_link_in_place_of_a_folder_is_told(library: Library, tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(InvalidParams):
        await library.folders.watch(loop)
    with pytest.raises(InvalidParams):
        await library.questions.ask("何か", folders=[loop])
    for listed in (library.folders.sync(loop), library.documents.add(loop)):
        with pytest.raises(InvalidParams):
            _ = [receipt async for receipt in listed]


@dataclass
class CountingFiles:
    """The files on disk, and how often each was read."""

    files: Files
    hidden: str = ""
    reads: Counter[str] = field(default_factory=Counter)

    def survey(self, paths: Any) -> Any:
        survey = self.files.survey(paths)
        hidden = tuple(path for path in survey.files if self.hidden and path.is_relative_to(self.hidden))
        files = tuple(path for path in survey.files if path not in hidden)
        return replace(survey, files=files, unreadable=(Path(self.hidden),) if hidden else ())

    def is_folder(self, path: Path) -> bool:
        return self.files.is_folder(path)

    def look(self, paths: Sequence[Path]) -> Any:
        return self.files.look(paths)

    def read(self, path: Path, within: Path | None = None) -> bytes:
        self.reads[path.name] += 1
        return self.files.read(path, within)


def counted(library: Library) -> tuple[Library, CountingFiles]:
    builder: Any = builder_of(library)
    files = CountingFiles(builder.shared.disk)
    counting = Library(library.owner, builder)
    counting.folders = Folders(replace(library.folders._parts, files=files))  # type: ignore[misc]
    return counting, files


async def test_what_looks_as_it_did_is_not_read_again(library: Library, tmp_path: Path) -> None:
    folder = library_of(tmp_path / "書庫")
    write(folder / "壊れ.pdf", "no PDF at all")
    counting, files = counted(library)
    await sync(counting, folder)
    assert set(files.reads.values()) == {1}
    # a young file is read once more: it might change unseen
    await until(lambda: all(file.stamp for file in files.look(files.survey([folder]).files)))
    await sync(counting, folder)
    files.reads.clear()
    assert await sync(counting, folder) == [("failed", "壊れ.pdf")] and not files.reads
    write(folder / "1.txt", "変わった本文である。")
    await sync(counting, folder)
    assert files.reads == {"1.txt": 1}


async def test_below_a_folder_that_cannot_be_looked_into_nothing_is_removed(
    library: Library, tmp_path: Path
) -> None:
    folder = library_of(tmp_path / "書庫")
    write(folder / "奥" / "a.txt", "奥の本文である。")
    await sync(library, folder)
    counting, files = counted(library)
    files.hidden = str(folder / "奥")
    (folder / "1.txt").unlink()
    assert await sync(counting, folder) == [("gone", "1.txt")]
    assert await names(library) == ["0.txt", "2.txt", "a.txt"]


async def test_of_a_folder_that_the_system_refuses_to_look_at_nothing_is_removed(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even where it is said to be emptied: it may be as full as ever."""
    folder = library_of(tmp_path / "書庫")
    await sync(library, folder)

    def refuse(self: Path) -> bool:
        raise PermissionError(errno.EACCES, "Permission denied")

    with monkeypatch.context() as refusing:
        refusing.setattr(Path, "is_file", refuse)
        with pytest.raises(InvalidParams, match="cannot be used"):
            await sync(library, folder, is_emptied=True)
    assert len(await names(library)) == 3


@pytest.mark.slow
async def test_a_folder_is_followed_by_one_of_those_that_work_on_the_library(tmp_path: Path) -> None:
    """As `serve` and `worker` do; another one takes over."""
    folder = library_of(tmp_path / "書庫")
    home = tmp_path / "home"
    async with open_library(home=home) as library, open_library(home=home) as other:
        await library.folders.watch(folder)
        told: list[News] = []
        follower = asyncio.create_task(library.folders.follow(told.append))
        await holds(library, ["0.txt", "1.txt", "2.txt"])
        assert other.folders.find_follower() == os.getpid()
        write(folder / "奥" / "新.txt", "新しい本文である。")
        (folder / "0.txt").unlink()
        await holds(library, ["1.txt", "2.txt", "新.txt"])
        folder.rename(tmp_path / "外した")
        await until(lambda: any(isinstance(news, FolderFailed) for news in told))
        assert await names(library) == ["1.txt", "2.txt", "新.txt"]
        write(tmp_path / "外した" / "後.txt", "後の本文である。")
        (tmp_path / "外した").rename(folder)
        await holds(library, ["1.txt", "2.txt", "後.txt", "新.txt"])
        follower.cancel()
        await asyncio.gather(follower, return_exceptions=True)
        second = asyncio.create_task(other.folders.follow())
        write(folder / "終.txt", "終わりの本文である。")
        await holds(library, ["1.txt", "2.txt", "後.txt", "新.txt", "終.txt"])
        await other.folders.unwatch(folder)
        with pytest.raises(NotFound):
            await other.folders.unwatch(folder)
        second.cancel()
        await asyncio.gather(second, return_exceptions=True)


async def holds(library: Library, wanted: list[str]) -> None:
    async def is_so() -> bool:
        return await names(library) == sorted(wanted)

    for _ in range(int(PATIENCE * 5)):
        if await is_so():
            return
        await asyncio.sleep(0.2)
    raise AssertionError(f"{await names(library)} is not {wanted}")


async def until(is_so: Any) -> None:
    for _ in range(int(PATIENCE * 5)):
        if is_so():
            return
        await asyncio.sleep(0.2)
    raise AssertionError("it has not come")


def test_the_shell_brings_a_folder_up_to_date_and_says_what_it_did(shell: Shell, tmp_path: Path) -> None:
    folder = library_of(tmp_path / "書庫")
    assert "監視しているフォルダーはありません" in shell("sync", code=2)
    assert "追加 3 · 更新 0 · 移動 0 · 削除 0" in shell("sync", folder)
    (folder / "0.txt").rename(folder / "9.txt")
    (folder / "1.txt").unlink()
    said = shell("sync", folder)
    assert "移動  9.txt" in said and "なくなりました  1.txt" in said and "追加 0 · 更新 0 · 移動 1" in said
    folder.rename(tmp_path / "外した")
    assert "何も削除していません" in shell("sync", folder, code=1)
    assert len(shell("list", "--json")) == 2
    assert "削除 2" in shell("sync", "--emptied", folder)


@pytest.mark.slow
def test_the_shell_follows_until_interrupted_and_a_worker_goes_on(shell: Shell, tmp_path: Path) -> None:
    from tests.flows.test_shell_interrupted import interrupted

    folder = library_of(tmp_path / "書庫")
    process = shell.start("watch", folder)
    try:
        assert process.stdout is not None
        lines = {process.stdout.readline().strip() for _ in range(3)}
        assert {line.partition("  ")[0] for line in lines} == {"追加"}
        assert "が監視しています" in shell.run("watch").stderr
        write(folder / "新.txt", "新しい本文である。")
        assert "新.txt" in process.stdout.readline()
        _, said = interrupted(process)
        assert "フォルダーの設定は保存されています" in said
    finally:
        shell.kill(process)
        process.communicate()
    assert shell("watch", "--list", "--json")[0]["path"] == str(folder)
    (folder / "0.txt").unlink()
    worker = shell.start("worker")
    try:
        for _ in range(int(PATIENCE)):
            if len(shell("list", "--json")) == 3:
                break
        assert len(shell("list", "--json")) == 3
    finally:
        shell.kill(worker)
        worker.communicate()
    assert "監視しているフォルダーはありません" in shell("watch", "--forget", folder)
    assert len(shell("list", "--json")) == 3
    shell("watch", "--forget", folder, code=1)
