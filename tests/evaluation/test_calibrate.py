"""The share of words is measured on a set, kept in the home, and used by searches."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import shisho
from shisho.bootstrap.embedder import BuiltEmbedders, build_calibration_target, build_embedders
from shisho.errors import ExtraMissing
from shisho.evaluation.calibrate import FEWEST, calibrate
from shisho.settings import load
from tests.inference.model_folders import write_json, write_safetensors, write_tokenizer

WORDS = ("犬", "猫", "統計", "講義", "木曜", "走", "眠", "検索")


@pytest.fixture
def embedder(tmp_path: Path) -> Path:
    """One that sees nothing but noise: words alone are right."""
    root = tmp_path / "noise"
    size = write_tokenizer(root / "tokenizer.json").get_vocab_size()
    table = np.random.default_rng(0).normal(size=(size, 16)).astype(np.float32)
    write_json(root / "config.json", {"model_type": "model2vec"})
    write_safetensors(root / "model.safetensors", {"embeddings": table})
    return root


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    """Each question has the words of one document."""
    folder = tmp_path / "set"
    folder.mkdir()
    pairs = [(first, second) for first in WORDS for second in WORDS if first < second][: FEWEST + 4]
    corpus = [
        {"_id": f"d{at}", "title": "", "text": f"{first}と{second}のこと。"}
        for at, (first, second) in enumerate(pairs)
    ]
    queries = [
        {"_id": f"q{at}", "text": f"{first}と{second}は何か"} for at, (first, second) in enumerate(pairs)
    ]
    for name, rows in (("corpus", corpus), ("queries", queries)):
        text = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        (folder / f"{name}.jsonl").write_text(text, "utf-8")
    lines = [f"q{at}\td{at}\t1" for at in range(len(pairs))]
    (folder / "qrels.tsv").write_text("\n".join(["query-id\tcorpus-id\tscore", *lines]), "utf-8")
    return folder


@pytest.mark.slow
async def test_share_that_is_best_is_kept_and_used(tmp_path: Path, embedder: Path, questions: Path) -> None:
    home = tmp_path / "home"
    settings = load(home=home, embedder=str(embedder))
    before = build_embedders(settings)
    assert isinstance(before, BuiltEmbedders)
    outcome = await calibrate(build_calibration_target(settings), questions)
    scores = list(outcome.ndcg["japanese"].values())
    assert scores[-1] == max(scores) > scores[0]
    assert outcome.share.japanese > before.current.about.share.japanese
    assert outcome.share.english == before.current.about.share.english  # no question of it
    after = build_embedders(settings)
    assert isinstance(after, BuiltEmbedders)
    assert after.current.about.share == outcome.share
    # Of relevant passages 95 % are above it: nearly all that this encoder sees, which is noise.
    assert after.current.about.meaning_floor == outcome.meaning_floor != before.current.about.meaning_floor
    (home / "cosine_scales.json").write_text("{", "utf-8")
    async with shisho.open(home=home, embedder=str(embedder), web="off") as library:
        assert next(check for check in await library.run_checks() if check.name == "embedder").ok


def test_without_an_embedder_there_is_nothing_to_calibrate(tmp_path: Path) -> None:
    with pytest.raises(ExtraMissing):
        build_calibration_target(load(home=tmp_path, embedder="none"))
