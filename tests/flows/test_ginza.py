"""The reference mode end to end: GiNZA's splitter and terms, chosen by settings."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.corpus import Source
from tests.faults.children import LONG

TEXT = "決定係数は回帰式の当てはまりの良さを表す。単回帰では相関係数の二乗に等しい。図書館の貸出期間は二週間である。"


@pytest.fixture(autouse=True)
def _needs_the_extra() -> None:
    if importlib.util.find_spec("ja_ginza") is None:
        word = 'GiNZA is not installed: pip install "shisho[ginza]"'
        if os.environ.get("CI") == "true":
            pytest.fail(word)
        pytest.skip(word)


# spaCy and its model's packages warn of their own ageing; that is not ours to mend.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "settings",
    [
        {"terms": "ginza", "splitter": "ginza"},
        *([{"terms": "ginza"}, {"splitter": "ginza"}] if LONG else []),
    ],
)
async def test_documents_are_taken_in_found_and_quoted(tmp_path: Path, settings: dict[str, str]) -> None:
    async with open_library(home=tmp_path, passage_chars=40, passage_overlap=0, **settings) as library:
        receipt = await library.documents.add_source(Source("講義.txt", TEXT.encode()))
        assert receipt.passages > 1
        found = await library.documents.search(["決定係数の良さ"])
        assert "当てはまりの良さ" in found[0].text
        answer = await library.questions.ask("図書館の貸出期間はどれだけか")
        (evidence,) = (one for one in answer.evidence if "二週間" in one.snippet)
        assert (await library.documents.read_text(evidence.document_id))[
            evidence.start : evidence.end
        ] == evidence.snippet
