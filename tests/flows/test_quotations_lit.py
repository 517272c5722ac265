"""The exact characters of a quotation are lit on its page, or nothing: Japanese, two columns, vertical,
turned, cropped, fonts that are not in the file, letters printed twice. The long version over all real PDFs is
bench/boxes.py."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.boxes import letters, measure, variants

import shisho
from tests.shared import shared

KINDS = (
    "ja/pdfminer__pdfminer.six__samples__jo.pdf",
    "ja/pdf-association__pdf-differences__VerticalText__VerticalText.pdf",
    "ja/mozilla__pdf.js__test__pdfs__issue5202.pdf",
    "ja/mozilla__pdf.js__test__pdfs__noembed-sjis.pdf",
    "ja/luatexja__luatexja__test__test19-ivs.pdf",
    "ja/jsvine__pdfplumber__tests__pdfs__issue-53-example.pdf",
    "en/jsvine__pdfplumber__tests__pdfs__nics-background-checks-2015-11-rotated.pdf",
    "en/Unstructured-IO__unstructured__example-docs__pdf__copy-protected.pdf",
)


@pytest.mark.slow
async def test_random_quotations_are_lit_to_the_character(tmp_path: Path) -> None:
    files = variants([shared("pdf", *kind.split("/")) for kind in KINDS], seed=1)
    outcome = await measure(files, count=100, seed=1, home=tmp_path / "home")
    print("\n".join(outcome.lines()))
    assert not [span for span in outcome.spans if span.is_wrong]
    assert outcome.share_covered() >= 0.98
    assert outcome.share_of_others() <= 0.02
    assert len(outcome.exact) >= 0.95 * len(outcome.spans)


async def test_a_glyph_that_the_file_does_not_name_is_lit_with_its_line(tmp_path: Path) -> None:
    """Ligatures such as ffi, whose code is 0: stored as a mark of one character, which has the box of the
    ligature."""
    data = shared("pdf", *KINDS[-1].split("/")).read_bytes()
    async with shisho.open(home=tmp_path, embedder="none", ocr="off") as library:
        document = (
            await library.documents.add_source(shisho.Source("paper.pdf", data, "application/pdf"))
        ).document_id
        assert document is not None
        unnamed = 0
        for page in range(1, ((await library.documents.get(document)).page_count or 0) + 1):
            layout = await library.viewer.get_layout(document, page)
            for letter, x, y in letters(data, page):
                if letter != "\ufffd":
                    continue
                unnamed += 1
                lines = [line for line in layout.lines if line.box and holds(line.box, x, y)]
                placed = [
                    await library.viewer.get_span_boxes(document, line.start, line.end) for line in lines
                ]
                assert placed and all(boxes.exact for boxes in placed)
                assert any(holds(box, x, y) for boxes in placed for box in boxes.boxes)
        assert unnamed == 3


def holds(box: tuple[float, float, float, float], x: float, y: float) -> bool:
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]
