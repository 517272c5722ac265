"""Measures against values worked out by hand, and sets that are not what they should be."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import pytest

from shisho.errors import InvalidParams
from shisho.evaluation import load
from shisho.evaluation.run import ndcg, recall, reciprocal_rank

JUDGED = {"a": 1, "b": 2, "c": 0}


@pytest.mark.parametrize(
    ("ranking", "gain"),
    [
        (["b", "a"], 1.0),
        (["a", "b"], (1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3))),
        (["x", "b"], (2 / math.log2(3)) / (2 + 1 / math.log2(3))),
        (["c", "x"], 0.0),
        ([], 0.0),
    ],
)
def test_ndcg(ranking: list[str], gain: float) -> None:
    assert ndcg(ranking, JUDGED) == pytest.approx(gain)


def test_recall_and_reciprocal_rank() -> None:
    assert recall(["x", "a"], JUDGED) == 0.5
    assert recall(["x", "a", "b"], JUDGED, depth=2) == 0.5
    assert reciprocal_rank(["x", "c", "a"], JUDGED) == pytest.approx(1 / 3)
    assert reciprocal_rank(["x"], JUDGED) == recall([], {}) == ndcg(["a"], {}) == 0.0


def written(folder: Path, corpus: str, queries: str, qrels: str) -> Path:
    with gzip.open(folder / "corpus.jsonl.gz", "wt", encoding="utf-8") as packed:
        packed.write(corpus)
    (folder / "queries.jsonl").write_text(queries, "utf-8")
    (folder / "qrels.tsv").write_text(qrels, "utf-8")
    return folder


CORPUS = '{"_id": "d1", "title": "題", "text": "本文。"}\n\n{"_id": 2, "text": "別。"}\n'
QUERIES = '{"_id": "q1", "text": "何。", "metadata": {"answers": ["本文"]}}\n{"_id": "q2", "text": "誰。"}\n'


@pytest.mark.parametrize(
    "qrels", ["query-id\tcorpus-id\tscore\nq1\td1\t1\n", "q1\td1\t1\n", "q1\t0\td1\t1\n"]
)
def test_a_set_is_read_with_and_without_its_header(tmp_path: Path, qrels: str) -> None:
    held = load(written(tmp_path, CORPUS, QUERIES, qrels))
    assert [one.id for one in held.entries] == ["d1", "2"]
    assert [(one.id, one.answers) for one in held.questions] == [("q1", ("本文",))]
    assert held.judged == {"q1": {"d1": 1}}


@pytest.mark.parametrize(
    ("corpus", "qrels", "said"),
    [
        ("{", "q1\td1\t1\n", "line 1"),
        ('{"text": "x"}', "q1\td1\t1\n", "_id"),
        (CORPUS, "q1\td1\n", "line 1"),
        (CORPUS, "\nx y", "line"),
    ],
)
def test_a_broken_set_says_where(tmp_path: Path, corpus: str, qrels: str, said: str) -> None:
    with pytest.raises(InvalidParams, match=said):
        load(written(tmp_path, corpus, QUERIES, qrels))
