"""Passages found by meaning, through the library and the shell, with the encoder's real weights."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

import shisho
from shisho.corpus import session
from shisho.domain.corpus import Source
from shisho.domain.embedding import EmbeddingProgress
from shisho.domain.intervention import PendingIntervention
from shisho.messages import install_command
from shisho.services.news import News, VectorsMade
from tests.flows.conftest import SHISHO
from tests.inference.model_folders import (
    static_folder,
    write_json,
    write_safetensors,
    write_tokenizer,
)
from tests.machine import PATIENCE

# Of each question the passage that answers it shares no content word with it.
LIBRARY = {
    "返却": "借りた本は、閉館後でも玄関脇の箱に入れればよい。",
    "退職": "職を辞するときは、ひと月前までに上長へ届け出る。",
    "飼育": "ネコには魚や肉を与える。",
    "天候": "雨天の場合、運動会は翌日に延期する。",
    "財務": "売上高は前年より八パーセント増えた。",
    "防災": "地震が起きたら机の下に身を隠す。",
}
QUESTIONS = {
    "How can I return a library book at night?": "返却",
    "会社をやめる手順": "退職",
    "猫の餌": "飼育",
    "What happens to the sports day if it rains?": "天候",
    "揺れを感じたときの行動": "防災",
}


class HeartbeatMonitor:
    """A notifier of somebody who stays."""

    async def notify(self, waiting: PendingIntervention) -> None: ...


@pytest.fixture
async def library(tmp_path: Path) -> AsyncIterator[shisho.Library]:
    folder = tmp_path / "documents"
    folder.mkdir()
    for name, text in LIBRARY.items():
        (folder / f"{name}.txt").write_text(text, "utf-8")
    async with shisho.open(home=tmp_path / "home", embedder="use") as opened:
        async for _ in opened.documents.add(folder):
            pass
        yield opened


async def first(library: shisho.Library, question: str) -> str:
    hits = await library.documents.search(question, limit=1)
    return Path(hits[0].source).stem if hits else ""


@pytest.mark.slow
async def test_questions_in_other_words_find_their_passage(library: shisho.Library) -> None:
    before = [question for question, name in QUESTIONS.items() if await first(library, question) == name]
    assert await library.embeddings.embed() == EmbeddingProgress(6, 6)
    after = [question for question, name in QUESTIONS.items() if await first(library, question) == name]
    assert len(before) <= 1
    assert len(after) == len(QUESTIONS)


@pytest.mark.slow
@pytest.mark.parametrize("fusion", ["blend", "rrf"])
async def test_fusion_is_a_setting_of_search(library: shisho.Library, tmp_path: Path, fusion: str) -> None:
    await library.embeddings.embed()
    async with shisho.open(home=tmp_path / "home", embedder="use", fusion=fusion) as opened:
        hits = await opened.documents.search("雨天の運動会", limit=3)
    best = hits[0]
    assert Path(best.source).stem == "天候" and {"match", "meaning"} <= best.parts.keys()
    is_by_ranks = best.score == pytest.approx(2 / 61)  # first by words and first by meaning
    assert is_by_ranks == (fusion == "rrf")


@pytest.mark.slow
async def test_what_is_embedded_is_told_and_a_second_time_nothing_is_left(library: shisho.Library) -> None:
    told: list[News] = []
    await library.embeddings.embed(told.append)
    assert (told[0], told[-1]) == (VectorsMade(EmbeddingProgress(0, 6)), VectorsMade(EmbeddingProgress(6, 6)))
    assert await library.embeddings.embed() == EmbeddingProgress(6, 6)


@pytest.mark.slow
async def test_a_purged_document_leaves_no_vector(library: shisho.Library, tmp_path: Path) -> None:
    await library.embeddings.embed()
    assert await first(library, "猫の餌") == "飼育"
    await library.documents.remove("飼育.txt", purge=True)
    assert await first(library, "猫の餌") != "飼育"
    assert await library.embeddings.get_progress() == EmbeddingProgress(5, 5)
    assert [*(tmp_path / "home" / "vectors").glob("*/codes")] == [], "so few have no files"


async def test_without_an_embedder_search_is_by_words(tmp_path: Path) -> None:
    async with shisho.open(home=tmp_path / "home", embedder="none") as library:
        assert await library.embeddings.get_progress() is None
        assert await library.embeddings.embed() == EmbeddingProgress(0, 0)
        checks = {check.name: check for check in await library.run_checks()}
        assert not checks["embedder"].ok and install_command("vectors") in str(checks["embedder"].remedy)


async def test_worker_makes_vectors_in_the_background(library: shisho.Library) -> None:
    async with library.working(1, HeartbeatMonitor()), asyncio.timeout(3 * PATIENCE):
        while await library.embeddings.get_progress() != EmbeddingProgress(6, 6):  # noqa: ASYNC110
            await asyncio.sleep(0.2)
    assert await first(library, "猫の餌") == "飼育"


@pytest.mark.slow
def test_shell_embeds_what_it_adds_and_goes_on_where_it_was_broken_off(tmp_path: Path) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    for number in range(70):
        (folder / f"{number:03}.txt").write_text(
            f"第{number}号の記録。{'内容がある。' * (number % 30 + 1)}", "utf-8"
        )
    environment = {**os.environ, "SHISHO_HOME": str(tmp_path / "home"), "SHISHO_EMBEDDER": "use", "LANG": "C"}
    with subprocess.Popen(
        [*SHISHO, "add", folder], env=environment, stdout=subprocess.PIPE, text=True
    ) as adding:
        assert adding.stdout is not None
        for line in adding.stdout:
            if line.startswith("70 added"):
                break
        adding.send_signal(signal.SIGINT)
        assert adding.wait(300) == 130
    done = asyncio.run(_progress(tmp_path / "home"))
    assert done.total == 70 > done.done
    subprocess.run([*SHISHO, "add", folder], env=environment, check=True, stdout=subprocess.DEVNULL)
    assert asyncio.run(_progress(tmp_path / "home")) == EmbeddingProgress(70, 70)


async def _progress(home: Path) -> EmbeddingProgress:
    async with shisho.open(home=home, embedder="use") as library:
        progress = await library.embeddings.get_progress()
    assert progress is not None
    return progress


# What is told of one thing, each in three wordings.
EFFECTS = {
    "費用": (
        "在宅勤務では通勤手当が不要になり、会社の支出が減る。",
        "自宅で働くと、交通費が浮くので経費の節約になる。",
        "リモートワークの導入は、オフィス賃料などのコスト削減につながる。",
    ),
    "健康": (
        "在宅勤務では座り続ける時間が長く、腰痛になりやすい。",
        "自宅で働くと、運動不足から体調を崩す人が多い。",
        "リモートワークでは歩かなくなるため、体重が増えやすい。",
    ),
    "情報": (
        "在宅勤務では端末の盗難や紛失で機密が漏れるおそれがある。",
        "自宅で働くと、家庭の無線網から情報が流出しかねない。",
        "リモートワークでは、のぞき見によるデータ漏えいに注意する。",
    ),
    "家庭": (
        "在宅勤務では子どもの世話をしながら仕事ができる。",
        "自宅で働くと、育児や介護と両立しやすい。",
        "リモートワークは、家族と過ごす時間を増やす。",
    ),
    "孤独": (
        "在宅勤務では同僚と話す機会が減り、孤立を感じる。",
        "自宅で働くと、雑談がなくなって寂しいという声がある。",
        "リモートワークでは、チームの一体感が失われやすい。",
    ),
    "評価": (
        "在宅勤務では働きぶりが見えず、人事評価が難しい。",
        "自宅で働くと、上司から成果を認めてもらいにくい。",
        "リモートワークでは、査定の基準を見直す必要がある。",
    ),
}


async def test_of_a_large_library_what_is_alike_in_other_words_makes_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of six effects five are told by six passages; by words alike, and in the order of the ranking, four."""
    async with shisho.open(home=tmp_path / "home", embedder="use", web="off") as library:
        for name, texts in EFFECTS.items():
            for number, text in enumerate(texts):
                await library.documents.add_source(Source(f"{name}{number}.txt", text.encode()))
        await library.embeddings.embed()
        for question in ("在宅勤務の影響", "自宅で働くとどうなるか"):
            effects = []
            for diverse_above in (100_000, 10):
                monkeypatch.setattr(session, "DIVERSE_ABOVE", diverse_above)
                hits = await library.documents.search(question, limit=6)
                effects.append(len({hit.source[:2] for hit in hits}))
            assert effects[0] <= effects[1] == 5, question


async def test_of_a_small_library_the_floor_of_the_embedder_leaves_out_what_is_not_near(
    tmp_path: Path,
) -> None:
    """An encoder whose vectors all lie close together: its cosines are above the floor of any other."""
    root = static_folder(tmp_path / "narrow", seed=1)
    size = write_tokenizer(root / "tokenizer.json").get_vocab_size()
    table = 3.0 + np.random.default_rng(1).normal(size=(size, 16)).astype(np.float32)
    write_safetensors(root / "model.safetensors", {"embeddings": table})
    counts = []
    for floor in (0.3, 0.999):
        write_json(root / "shisho.json", {"meaning_floor": floor})
        async with shisho.open(home=tmp_path / f"{floor}", embedder=str(root), web="off") as library:
            for text in ("統計の講義は木曜日である。", "犬が走る。", "猫は眠る。"):
                await library.documents.add_source(Source(f"{text[:2]}.txt", text.encode()))
            await library.embeddings.embed()
            counts.append(len(await library.documents.search("統計の講義")))
    assert counts == [3, 1]
