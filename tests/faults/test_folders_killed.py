"""A followed folder whose files are made, changed, moved, copied and deleted in random order, while the
process that follows it is killed and started again: at the end the library equals the folder, and nothing is
in it twice."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.corpus import DocumentState
from shisho.services import Library
from tests.faults.children import LONG
from tests.machine import PATIENCE

FILES, CHANGES, KILLS = (1_000, 1_000, 10) if LONG else (120, 120, 3)
SEED = 11
SHISHO = [sys.executable, "-c", "from shisho.__main__ import main; main()"]


class Follower:
    """`shisho watch --json` in a process group of its own."""

    def __init__(self, home: Path, folder: Path) -> None:
        self.lines: list[dict[str, Any]] = []
        self._changed = threading.Condition()
        self._process = subprocess.Popen(
            [*SHISHO, "--home", str(home), "watch", str(folder), "--json"],
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self._ear = threading.Thread(target=self._listen, daemon=True)
        self._ear.start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.endswith("\n"):
                with self._changed:
                    self.lines.append(json.loads(line))
                    self._changed.notify_all()

    def wait_for(self, receipts: int) -> None:
        """So many receipts, or the library equals the folder."""

        def is_there() -> bool:
            even = any("even" in line for line in self.lines)
            return even or sum("outcome" in line for line in self.lines) >= receipts

        with self._changed:
            assert self._changed.wait_for(is_there, PATIENCE), self.lines[-3:]

    def kill(self) -> None:
        """kill -9, its reading child too."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._ear.join()
        assert self._process.stdout is not None
        self._process.stdout.close()


class Folder:
    """Files that change by chance."""

    def __init__(self, path: Path, seed: int) -> None:
        self.path = path
        self.done: Counter[str] = Counter()
        self._chance = random.Random(seed)
        self._versions = 0
        for part in ("", "甲", "乙", "丙/丁"):
            (path / part).mkdir(parents=True, exist_ok=True)

    def files(self) -> list[Path]:
        return sorted(path for path in self.path.rglob("*") if path.is_file())

    def make(self) -> None:
        self._write(self._new_path())

    def change(self) -> None:
        """One change of some kind."""
        kinds = (self.make, self._rewrite, self._save_beside, self._move, self._move_over, self._delete)
        kind = self._chance.choice((*kinds, self._copy, self._swap, self._rename_folder))
        self.done[kind.__name__] += 1
        kind()

    def _rewrite(self) -> None:
        self._write(self._any())

    def _save_beside(self) -> None:
        """As editors do: a new file takes the place of the old one."""
        path = self._any()
        beside = path.with_suffix(".tmp")
        self._write(beside)
        beside.replace(path)

    def _move(self) -> None:
        self._any().rename(self._new_path())

    def _move_over(self) -> None:
        self._any().replace(self._any())

    def _delete(self) -> None:
        self._any().unlink()

    def _copy(self) -> None:
        self._new_path().write_bytes(self._any().read_bytes())

    def _swap(self) -> None:
        one, other = self._chance.sample(self.files(), 2)
        aside = self._new_path()
        one.rename(aside)
        other.rename(one)
        aside.rename(other)

    def _rename_folder(self) -> None:
        folder = self._chance.choice([path for path in self.path.rglob("*") if path.is_dir()])
        folder.rename(folder.with_name(f"折{self._chance.randrange(10**9)}"))

    def _any(self) -> Path:
        return self._chance.choice(self.files())

    def _new_path(self) -> Path:
        folders = [self.path, *sorted(path for path in self.path.rglob("*") if path.is_dir())]
        return self._chance.choice(folders) / f"書{self._chance.randrange(10**9)}.txt"

    def _write(self, path: Path) -> None:
        self._versions += 1
        words = " ".join(f"語{self._chance.randrange(5_000)}" for _ in range(12))
        path.write_text(f"これは第{self._versions}版の本文である。{words}。", "utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="kills a process group")
async def test_the_library_equals_the_folder_however_often_its_follower_dies(tmp_path: Path) -> None:
    began = time.monotonic()
    home = tmp_path / "home"
    chance = random.Random(SEED)
    folder = Folder(tmp_path / "書庫", SEED)
    for _ in range(FILES):
        folder.make()
    for _ in range(KILLS):
        follower = Follower(home, folder.path)
        try:
            for number in range(CHANGES // KILLS):
                folder.change()
                if number == CHANGES // KILLS // 2:
                    follower.wait_for(chance.randrange(1, 1 + FILES // 4))
                await asyncio.sleep(chance.uniform(0, 0.01))
        finally:
            follower.kill()
        folder.change()  # while nobody follows
    follower = Follower(home, folder.path)
    try:
        async with open_library(home=home) as library:
            await until_even(library, folder, follower)
            await check_equal(library, folder)
    finally:
        follower.kill()
    print(f"{len(folder.files())} files, {folder.done} in {time.monotonic() - began:.0f} s")
    assert len(folder.done) == 9


async def until_even(library: Library, folder: Folder, follower: Follower) -> None:
    follower.wait_for(10**9)
    folder.change()  # and one more, which it is told of
    ends = time.monotonic() + PATIENCE
    while set(await library.documents.list_sources()) != {
        str(path) for path in folder.files()
    } or not await same_bytes(library, folder):
        assert time.monotonic() < ends, follower.lines[-5:]
        await asyncio.sleep(0.5)


async def same_bytes(library: Library, folder: Folder) -> bool:
    documents = {document.id: document for document in await library.documents.list(limit=10_000)}
    places = await library.documents.list_sources()
    hashes = {source: documents[name].sha256 for source, name in places.items() if name in documents}
    return hashes == {str(path): sha256(path.read_bytes()).hexdigest() for path in folder.files()}


async def check_equal(library: Library, folder: Folder) -> None:
    places = await library.documents.list_sources()
    documents = await library.documents.list(limit=10_000)
    held = {sha256(path.read_bytes()).hexdigest() for path in folder.files()}
    assert Counter(document.sha256 for document in documents) == Counter(held), (
        "nothing twice, nothing left over"
    )
    assert {document.id for document in documents} == set(places.values())
    assert all(places[document.source] == document.id for document in documents), "called by where they stand"
    (corpus,) = await library.documents.list_corpora()
    assert (corpus.documents, corpus.passages) == (len(held), len(held))
    for document in documents[:: max(1, len(documents) // 10)]:
        assert document.state is DocumentState.LIVE
        text = await library.documents.read_text(document.id)
        (best, *_) = await library.documents.search(text.partition("。")[2])
        assert best.text == text
