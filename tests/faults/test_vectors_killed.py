"""kill -9 at random moments while vectors are made and taken into the index: none is lost, none is there
twice, and a process that was looking on all the time sees the same."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from shisho.domain.corpus import Scope
from shisho.stores.embedded.serving import folder_name
from shisho.stores.embedded.shelf import EmbeddedShelf
from shisho.system.clock import SystemClock
from tests.faults.children import LONG
from tests.faults.embedding_process import ABOUT, parts
from tests.making import intake

KILLS = 60 if LONG else 6
PASSAGES = 100 * KILLS
ROW = np.dtype([("passage", "<i8"), ("document", "<u4"), ("page", "<i4")])


def run_and_kill(home: Path, after: float) -> bool:
    """True where it had come to its end before."""
    command = [sys.executable, "-m", "tests.faults.embedding_process", str(home)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        if child.stdout.readline():  # from here on it writes
            time.sleep(after)
        child.send_signal(signal.SIGKILL)
        return child.wait() == 0


async def test_killed_again_and_again_every_passage_has_one_vector_and_one_row(tmp_path: Path) -> None:
    chance = random.Random(11)
    database, embedding, onlooker = parts(tmp_path)
    shelf = EmbeddedShelf(database, SystemClock())
    ids = {}
    for number in range(4):
        first = number * PASSAGES // 4
        text = "\n\n".join(f"{first + at + 1}。" for at in range(PASSAGES // 4))
        document = intake(text, source=str(number))
        await shelf.put(document)
        ids |= {passage.id: passage.text for passage in document.passages}
    assert len(ids) == PASSAGES
    vector = await embedding.embedder.embed_query("1")
    ended = []
    for _ in range(KILLS):
        ended.append(run_and_kill(tmp_path, chance.uniform(0.0, 0.3)))
        done = (await embedding.measure_progress()).done
        near = await onlooker.view(lambda view: view.find_nearest(vector, Scope(), PASSAGES, frozenset()))
        assert len(near) == done
    assert done > 0
    while await embedding.embed_next(64):
        pass
    near = await onlooker.view(lambda view: view.find_nearest(vector, Scope(), PASSAGES, frozenset()))
    assert set(near) == set(ids)
    table = np.fromfile(tmp_path / "vectors" / folder_name(ABOUT) / "rows", ROW)
    assert len(table) == len(np.unique(table["passage"])) == PASSAGES
    own = {name: await embedding.embedder.embed_query(ids[name]) for name in list(ids)[:: PASSAGES // 20]}
    for name, query in own.items():
        similar = await onlooker.view(
            lambda view, query=query, name=name: view.measure_similarities(query, [name])
        )
        assert similar[name] > 0.999
    await database.close()
