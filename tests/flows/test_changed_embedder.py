"""Another embedder: passages get its vectors in the background while searches go on with those of the one
before."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

import shisho
from shisho.domain.embedding import EmbeddingProgress, compute_cosine
from shisho.inference.model_folder import read_folder
from shisho.inference.static_folder import StaticEmbedder
from shisho.services.news import News, VectorsMade
from shisho.stores.embedded.connect import Database
from tests.inference.model_folders import static_folder

TEXTS = [f"第{number}号。{'犬が走る。' * (number % 7 + 1)}" for number in range(40)]
QUESTION = "犬が走る"


class BrokenOff(Exception):
    """Somebody pressed Ctrl-C."""


def breaking_off(news: News) -> None:
    """After the first batch."""
    if isinstance(news, VectorsMade) and news.progress.done:
        raise BrokenOff


async def filled(home: Path, embedder: Path) -> None:
    """A library whose passages all have a vector."""
    folder = home.parent / "documents"
    folder.mkdir()
    for number, text in enumerate(TEXTS):
        (folder / f"{number}.txt").write_text(text, "utf-8")
    async with shisho.open(home=home, embedder=str(embedder), web="off") as library:
        async for _ in library.documents.add(folder):
            pass
        assert await library.embeddings.embed() == EmbeddingProgress(40, 40)
        await library.documents.search(QUESTION)


async def serves(library: shisho.Library, folder: Path) -> bool:
    """Whether searches are by the vectors of this embedder: the best hit says how near its passage is."""
    hit = (await library.documents.search(QUESTION, limit=1))[0]
    embedder = StaticEmbedder(read_folder(folder), "")
    (passage,) = await embedder.embed_passages([hit.text])
    return hit.parts.get("meaning") == pytest.approx(
        compute_cosine(await embedder.embed_query(QUESTION), passage), abs=2e-3
    )


async def embedders(home: Path) -> list[str]:
    database = Database(home / "shisho.db")
    names = await database.read(
        lambda connection: [row[0] for row in connection.execute("SELECT name FROM embedders")]
    )
    await database.close()
    return names


async def doctor(library: shisho.Library) -> str:
    return str(next(check.detail for check in await library.run_checks() if check.name == "embedder"))


@pytest.mark.slow
async def test_old_vectors_serve_until_all_passages_have_new_ones_which_goes_on_where_it_was_broken_off(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    old, new = static_folder(tmp_path / "old", 1), static_folder(tmp_path / "new", 2, 24)
    await filled(home, old)
    async with shisho.open(home=home, embedder=str(new), web="off") as library:
        assert await serves(library, old)
        with pytest.raises(BrokenOff):
            await library.embeddings.embed(breaking_off)
        assert await serves(library, old)
        report = await doctor(library)
        assert "32 of 40" in report and f"{read_folder(old).name} is used" in report
    async with shisho.open(home=home, embedder=str(new), web="off") as library:
        assert await library.embeddings.get_progress() == EmbeddingProgress(32, 40)
        assert await serves(library, old)
        assert await library.embeddings.embed() == EmbeddingProgress(40, 40)
        assert await serves(library, new) and not await serves(library, old)
        assert "is used" not in await doctor(library)
    assert await embedders(home) == [read_folder(new).name]
    assert [*(home / "vectors").glob("*/codes")] == [], "so few have no files"


async def test_document_that_comes_meanwhile_is_found(tmp_path: Path) -> None:
    home = tmp_path / "home"
    old, new = static_folder(tmp_path / "old", 1), static_folder(tmp_path / "new", 2)
    await filled(home, old)
    (tmp_path / "late.txt").write_text("猫は眠る。", "utf-8")
    async with shisho.open(home=home, embedder=str(new), web="off") as library:
        async for _ in library.documents.add(tmp_path / "late.txt"):
            pass
        assert Path((await library.documents.search("猫は眠る", limit=1))[0].source).name == "late.txt"
        assert await serves(library, old)


async def test_old_embedder_that_is_gone_serves_no_more(tmp_path: Path) -> None:
    home = tmp_path / "home"
    old, new = static_folder(tmp_path / "old", 1), static_folder(tmp_path / "new", 2)
    await filled(home, old)
    (old / "model.safetensors").unlink()
    async with shisho.open(home=home, embedder=str(new), web="off") as library:
        assert "meaning" not in (await library.documents.search(QUESTION, limit=1))[0].parts
        await library.embeddings.embed()
        assert await serves(library, new)


async def test_file_that_changed_in_place_is_another_embedder(tmp_path: Path) -> None:
    home = tmp_path / "home"
    folder = static_folder(tmp_path / "model", 1)
    await filled(home, folder)
    static_folder(folder, 2)
    async with shisho.open(home=home, embedder=str(folder), web="off") as library:
        assert "meaning" not in (await library.documents.search(QUESTION, limit=1))[0].parts
        assert await library.embeddings.get_progress() == EmbeddingProgress(0, 40)
        await library.embeddings.embed()
        assert await serves(library, folder)


@pytest.mark.slow
@pytest.mark.parametrize("choice", ["cl-nagoya/ruri-v3-30m", "./nowhere/at/all"])
async def test_embedder_that_is_not_there_is_told_once_and_search_is_by_words(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, choice: str
) -> None:
    (tmp_path / "a.txt").write_text("決定係数は当てはまりの指標である。", "utf-8")
    with caplog.at_level(logging.WARNING, "shisho"):
        async with shisho.open(home=tmp_path / "home", embedder=choice, web="off") as library:
            async for _ in library.documents.add(tmp_path / "a.txt"):
                pass
            await library.embeddings.embed()
            assert await library.documents.search("決定係数")
            assert f"`shisho models pull {choice}`" in await doctor(library)
    assert len([line for line in caplog.messages if "models pull" in line]) == 1
