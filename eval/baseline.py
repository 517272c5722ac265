"""BM25 by the `bm25s` library with an English stemmer: what Cranfield is held against, in the same run."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import bm25s
import Stemmer

from shisho.evaluation import load
from shisho.evaluation.run import ndcg, recall, reciprocal_rank


def stemmed_bm25(folder: Path) -> dict[str, Any]:
    """bm25s' defaults (Lucene's variant, k1 1.5, b .75) over title and text, its English stop words,
    Snowball's stemmer."""
    started = time.perf_counter()
    held = load(folder)
    stemmer = Stemmer.Stemmer("english")
    index = bm25s.BM25()
    texts = [f"{one.title} {one.text}" for one in held.entries]
    index.index(
        bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False
    )
    asked = bm25s.tokenize(
        [one.text for one in held.questions], stopwords="en", stemmer=stemmer, show_progress=False
    )
    places, _ = index.retrieve(asked, k=min(200, len(texts)), show_progress=False)
    rankings = [[held.entries[place].id for place in row] for row in places]
    judged = [held.judged[one.id] for one in held.questions]
    pairs = list(zip(rankings, judged, strict=True))
    return {
        "ndcg@10": round(sum(ndcg(*each) for each in pairs) / len(pairs), 4),
        "recall@50": round(sum(recall(*each) for each in pairs) / len(pairs), 4),
        "mrr@10": round(sum(reciprocal_rank(*each) for each in pairs) / len(pairs), 4),
        "queries": len(pairs),
        "documents": len(texts),
        "seconds": round(time.perf_counter() - started, 2),
    }
