"""A reranker that stands in a folder: what it reads, what it may change, and what it may not."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

import pytest

import shisho
from shisho.corpus.session import RERANKED
from shisho.domain.corpus import Source
from shisho.errors import InvalidParams
from shisho.inference.model_folder import read_folder
from shisho.inference.reranker import FolderReranker
from tests.inference.model_folders import onnx_folder, reranker_folder, write_json

WEIGHTS = {"犬が": 5.0, "木": 1.0, "曜": -2.0, "。": 0.25, "</s>": 0.5}
DOCUMENTS = 24
QUESTION = "統計の講義"


def reranker(root: Path) -> FolderReranker:
    return FolderReranker(read_folder(root))


async def test_number_is_of_question_and_passage_together_as_the_tokenizer_joins_them(tmp_path: Path) -> None:
    tokenizer = reranker_folder(tmp_path, WEIGHTS)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    texts = ["犬が走る。", "木曜日である。", "", " 犬が", "知らない字𠮷"]
    scores = await reranker(tmp_path).score("犬が", texts)
    for text, score in zip(texts, scores, strict=True):
        tokens = tokenizer.encode("犬が", text).tokens
        assert score == pytest.approx(sum(WEIGHTS.get(token, 0.0) for token in tokens)), text


async def test_of_two_classes_the_second_speaks_for_the_passage(tmp_path: Path) -> None:
    reranker_folder(tmp_path, {"犬が": 5.0}, classes=2)
    bad, good = await reranker(tmp_path).score("猫", ["木曜日", "木犬が"])
    assert (bad, good) == (0.0, 5.0)


async def test_long_passage_is_cut_and_the_question_is_not(tmp_path: Path) -> None:
    reranker_folder(tmp_path, {"木": 1.0, "。": 100.0}, room=32)
    (score,) = await reranker(tmp_path).score("木木木木", ["日" * 100 + "。" * 100])
    assert score == 4.0
    (score,) = await reranker(tmp_path).score("木" * 3_000, ["日。"])
    assert 100.0 < score < 132.0, "of a long question as much is read as leaves room for the passage"


async def test_folder_of_an_encoder_is_no_reranker(tmp_path: Path) -> None:
    onnx_folder(tmp_path)
    with pytest.raises(InvalidParams, match="not a reranker"):
        await reranker(tmp_path).score("犬", ["犬が走る。"])


async def add_documents(library: shisho.Library) -> None:
    """One passage each; the last ones the reranker likes best."""
    for number in range(DOCUMENTS):
        text = f"統計の講義の記録である。{'別の話。' * number}犬が{'木' * number}。"
        await library.documents.add_source(Source(f"{number:02}.txt", text.encode()))


async def places(library: shisho.Library) -> list[str]:
    return [hit.source for hit in await library.documents.search([QUESTION], limit=DOCUMENTS)]


@pytest.mark.slow
async def test_the_first_twenty_come_in_its_order_and_the_rest_as_they_were(tmp_path: Path) -> None:
    home = tmp_path / "home"
    reranker_folder(home / "models" / "owner" / "tiny", {"木": 1.0})
    async with shisho.open(home=home, web="off", embedder="none") as library:
        await add_documents(library)
        plain = await places(library)
        assert "reranker" not in {check.name for check in await library.run_checks()}
    async with shisho.open(home=home, web="off", embedder="none", reranker="owner/tiny") as library:
        reranked = await places(library)
        hits = await library.documents.search([QUESTION], limit=3)
        answer = await library.questions.ask(f"{QUESTION}の記録とは何か")
        checks = {check.name: check for check in await library.run_checks()}
    assert len(plain) == DOCUMENTS and plain != reranked
    assert reranked[:RERANKED] == sorted(plain[:RERANKED], reverse=True)
    assert reranked[RERANKED:] == plain[RERANKED:]
    # Fewer are shown than are reranked: the best of the twenty.
    assert [hit.source for hit in hits] == reranked[:3]
    assert checks["reranker"].ok and "tiny" in str(checks["reranker"].detail)
    for quotation in answer.evidence:
        assert (
            quotation.snippet in f"統計の講義の記録である。{'別の話。' * DOCUMENTS}犬が{'木' * DOCUMENTS}。"
        )


@pytest.mark.slow
async def test_reranker_that_fails_leaves_the_order_of_the_search_and_doctor_says_why(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    home = tmp_path / "home"
    root = home / "models" / "owner" / "tiny"
    reranker_folder(root, {"木": 1.0})
    (root / "onnx" / "model.onnx").write_bytes(b"no graph")
    async with shisho.open(home=home, web="off", embedder="none") as library:
        await add_documents(library)
        plain = await places(library)
    caplog.set_level(logging.WARNING)
    for choice, why in (
        ("owner/tiny", "can't be used"),
        ("owner/absent", "shisho models pull owner/absent"),
    ):
        async with shisho.open(home=home, web="off", embedder="none", reranker=choice) as library:
            assert await places(library) == plain
            checks = {check.name: check for check in await library.run_checks()}
        assert not checks["reranker"].ok and why in str(checks["reranker"].detail)
        assert why in caplog.text
    write_json(root / "config.json", {"model_type": "bert"})
    (root / "onnx" / "model.onnx").unlink()
    async with shisho.open(home=home, web="off", embedder="none", reranker="owner/tiny") as library:
        assert await places(library) == plain


def test_without_a_reranker_nothing_of_it_is_loaded() -> None:
    code = (
        "import sys, asyncio, shisho, tempfile\n"
        "from shisho.domain.corpus import Source\n"
        "async def main():\n"
        "    async with shisho.open(home=tempfile.mkdtemp(), web='off', embedder='none') as library:\n"
        "        await library.documents.add_source(Source('a.txt', '司書は本を探す。'.encode()))\n"
        "        assert await library.documents.search(['司書'])\n"
        "asyncio.run(main())\n"
        "print([name for name in sys.modules if name.startswith(('onnxruntime', 'tokenizers', 'shisho.inference'))])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip().splitlines()[-1] == "[]"
