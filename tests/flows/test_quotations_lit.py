"""The exact characters of a quotation are lit on its page, or nothing: Japanese, two columns, vertical, turned, cropped, fonts
that are not in the file, letters printed twice. The long version over all real PDFs is bench/boxes.py."""

from __future__ import annotations

from pathlib import Path

from bench.boxes import measure, variants

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


async def test_random_quotations_are_lit_to_the_character(tmp_path: Path) -> None:
    files = variants([shared("pdf", *kind.split("/")) for kind in KINDS], seed=1)
    outcome = await measure(files, count=100, seed=1, home=tmp_path / "home")
    print("\n".join(outcome.lines()))
    assert not [span for span in outcome.spans if span.is_wrong]
    assert outcome.share_covered() >= 0.98
    assert outcome.share_of_others() <= 0.02
    assert len(outcome.exact) >= 0.95 * len(outcome.spans)
