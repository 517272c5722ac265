"""A small extractor that stands in a folder: which sentences it chooses, and what remains where it fails."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import pytest

import shisho
from shisho.domain.corpus import Source
from shisho.errors import InvalidParams
from shisho.inference.extractor import FolderExtractor
from shisho.inference.model_folder import read_folder
from shisho.language.sentences import sentences
from tests.inference.model_folders import extractor_folder, onnx_folder, reranker_folder

# By rules the second sentence answers; by this extractor the one in which there is a 木.
TEXT = "講義は統計である。統計の講義は講である。木木木木。"
QUESTION = "統計の講義とは何か"


def extractor(root: Path) -> FolderExtractor:
    return FolderExtractor(read_folder(root))


def logistic(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))


async def test_sentence_is_kept_as_its_own_tokens_are_and_none_of_the_question_or_another(
    tmp_path: Path,
) -> None:
    extractor_folder(tmp_path, {"木": 4.0, "曜": 0.0}, relevance=1.0)
    text = "木木木木曜犬が犬が。"
    spans = [(0, 4), (4, 5), (5, len(text))]
    (scores,) = await extractor(tmp_path).score("木木木木", [text], [spans])
    assert scores.passage == pytest.approx(logistic(1.0))
    # The tokenizer puts a mark for a space before the text: it belongs to the first sentence.
    first = (4 * logistic(4.0) + logistic(-4.0)) / 5
    assert scores.sentences == pytest.approx((first, logistic(0.0), logistic(-4.0)))


async def test_what_is_cut_off_speaks_to_nothing(tmp_path: Path) -> None:
    extractor_folder(tmp_path, {"木": 4.0}, room=32)
    text = "日" * 100 + "。" + "木" * 20
    (scores,) = await extractor(tmp_path).score("犬が", [text], [sentences(text)])
    assert scores.sentences[1] == 0.0


@pytest.mark.parametrize("make", [onnx_folder, lambda root: reranker_folder(root, {"木": 1.0})])
async def test_folder_of_an_encoder_or_a_reranker_is_no_extractor(make: object, tmp_path: Path) -> None:
    assert callable(make)
    make(tmp_path)
    with pytest.raises(InvalidParams, match="no extractor"):
        await extractor(tmp_path).score("犬", ["犬が走る。"], [[(0, 5)]])


@pytest.mark.slow
async def test_its_sentences_are_quoted_in_place_of_those_of_the_rules_and_a_replay_needs_it_no_more(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    root = home / "models" / "owner" / "tiny"
    extractor_folder(root, {"木": 4.0})
    async with shisho.open(home=home, web="off", embedder="none") as desk:
        await desk.add_source(Source("a.txt", TEXT.encode()))
        by_rules = await desk.ask(QUESTION)
        assert "extractor" not in {check.name for check in await desk.doctor()}
    async with shisho.open(home=home, web="off", embedder="none", extractor="owner/tiny") as desk:
        checks = {check.name: check for check in await desk.doctor()}
        extracted = await desk.ask(QUESTION)
    assert checks["extractor"].ok and "tiny" in str(checks["extractor"].detail)
    assert "木木木木。" not in [evidence.snippet for evidence in by_rules.evidence]
    assert [evidence.snippet for evidence in extracted.evidence] == ["木木木木。"]
    assert {(use.node, use.model, use.fault) for use in extracted.model_uses} == {("evaluate", "tiny", None)}
    shutil.rmtree(root)
    async with shisho.open(home=home, web="off", embedder="none") as desk:
        report = await desk.replay(extracted.id)
    assert report.is_same, report.differences


@pytest.mark.slow
async def test_where_it_fails_the_rules_choose_and_doctor_says_why(tmp_path: Path) -> None:
    home = tmp_path / "home"
    root = home / "models" / "owner" / "tiny"
    extractor_folder(root, {"木": 4.0})
    (root / "onnx" / "model.onnx").write_bytes(b"no graph")
    async with shisho.open(home=home, web="off", embedder="none") as desk:
        await desk.add_source(Source("a.txt", TEXT.encode()))
        by_rules = await desk.ask(QUESTION)
    for choice, why in (
        ("owner/tiny", "cannot be used"),
        ("owner/absent", "shisho models pull owner/absent"),
    ):
        async with shisho.open(home=home, web="off", embedder="none", extractor=choice) as desk:
            answer = await desk.ask(QUESTION)
            checks = {check.name: check for check in await desk.doctor()}
        assert [evidence.snippet for evidence in answer.evidence] == [
            evidence.snippet for evidence in by_rules.evidence
        ]
        assert not checks["extractor"].ok and why in str(checks["extractor"].detail)
