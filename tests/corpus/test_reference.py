"""The reference splitter: exact spans, whatever GiNZA makes of the text."""

import itertools
import os
import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shisho.corpus import chunk
from shisho.corpus.chunk import cut_ginza
from shisho.corpus.layout import lay_out
from shisho.domain.corpus import Block, BlockKind, Reading
from shisho.errors import ExtraMissing
from shisho.messages import install_command
from tests.faults.children import LONG

TEXT = (
    "決定係数は、回帰モデルの当てはまりの良さを表す指標である。0から1の値をとり、1に近いほど良い。\n"
    "ただし、説明変数を増やすと大きくなる。そこで自由度調整済み決定係数を用いる。「本当か。」と聞かれることもある。"
)


def ginza() -> None:
    """Without the extra these tests are skipped, but on a machine that sets CI they fail."""
    try:
        import ja_ginza  # noqa: F401
        import langchain_text_splitters  # noqa: F401
    except ImportError:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip('needs pip install "shisho[ginza]"')


# spaCy and its friends warn on import of things that are not ours to mend.
pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning"
)


@pytest.mark.slow
def test_chunks_are_slices_of_the_source_and_lose_nothing() -> None:
    ginza()
    blocks = (
        Block("回帰", BlockKind.HEADING, 1),
        Block(TEXT * 8, BlockKind.PARAGRAPH, 1, ("回帰",)),
        Block("平均\t分散", BlockKind.TABLE, 1, ("回帰",)),
        Block("二頁目。", BlockKind.PARAGRAPH, 2, ("回帰",)),
    )
    layout = lay_out(Reading(blocks))
    pieces = cut_ginza(layout, 200, 50)
    covered = {at for piece in pieces for at in range(piece.start, piece.end)}
    for block in layout.blocks[1:]:
        assert all(at in covered for at in range(block.start, block.end) if not layout.text[at].isspace())
    assert len(pieces) > 6
    assert all(0 < piece.end - piece.start <= 200 for piece in pieces)
    assert [piece.page for piece in pieces] == sorted(piece.page or 0 for piece in pieces)
    assert "平均\t分散" in [layout.text[piece.start : piece.end] for piece in pieces]


@pytest.mark.skipif(not LONG, reason="SHISHO_LONG=1 has GiNZA read 50 kB")
def test_a_text_beyond_the_tokenizer_goes_in_blocks() -> None:
    ginza()
    text = TEXT * 165
    assert len(text.encode()) > 49_149
    layout = lay_out(Reading((Block(text),)))
    pieces = cut_ginza(layout)
    covered = {at for piece in pieces for at in range(piece.start, piece.end)}
    assert all(at in covered for at in range(len(text)) if not text[at].isspace())
    starts = [piece.start for piece in pieces]
    assert starts == sorted(set(starts))


def test_without_the_extra_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "langchain_text_splitters", None)
    chunk._make_splitter.cache_clear()
    with pytest.raises(ExtraMissing, match=re.escape(install_command("ginza"))):
        cut_ginza(lay_out(Reading((Block(TEXT),))))


@given(st.text(alphabet="あ決。\n 1", max_size=400), st.integers(60, 300))
def test_blocks_cover_the_text_and_fit(text: str, limit: int) -> None:
    kept = chunk.MAX_BYTES
    chunk.MAX_BYTES = limit + 3 * 2 * chunk.SHARED_CHARS
    try:
        found = list(chunk.cut_blocks(text, 0, len(text)))
        assert found[0][0] == 0
        assert found[-1][1] == len(text)
        assert all(len(text[start:end].encode()) <= chunk.MAX_BYTES for start, end in found)
        assert all(after[0] == before[1] - chunk.SHARED_CHARS for before, after in itertools.pairwise(found))
    finally:
        chunk.MAX_BYTES = kept


def test_alignment_ignores_white_space() -> None:
    text = "  決定\n係数。 次 の文。"
    assert [
        text[start:end] for start, end in chunk.align(text, 0, len(text), ["決定係数。", "次の文。"], 0)
    ] == [
        "決定\n係数。",
        "次 の文。",
    ]


def test_alignment_leaves_nothing_out() -> None:
    text = "一。二。三。四。"
    assert list(chunk.align(text, 0, len(text), ["二。", "無い。"], 0)) == [(0, 2), (2, 4), (4, 8)]
