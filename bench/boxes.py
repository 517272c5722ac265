"""How exactly quotations are lit: random stretches of stored passages of real PDFs, and the characters that
stand in the boxes which the viewer gives for them, counted by a way of its own.

    python bench/boxes.py [--spans 1000] [--seed 1] [FILE …]

Each file is taken as it is, and copies of it with its pages turned and cropped. Without files: all of
$SHISHO_SHARED/pdf."""

from __future__ import annotations

import argparse
import asyncio
import ctypes
import io
import os
import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

import shisho
from shisho.corpus.readers.pdffonts import install_substitutes
from shisho.domain.corpus import Passage

ROOT = Path(__file__).parent.parent
LENGTHS = (4, 12, 40, 120, 300)
HYPHENS = dict.fromkeys(map(ord, "\u00ad\u0002\ufffe"), "-")
MARGIN = 1.5  # points by which the middle of a box may stand out of the stored lines of its stretch
SAME_PLACE = 1.0  # points between the copies of a character that is printed twice
CROPPED = 0.06  # of width and height, at each edge
TURNED = (0, 90, 180, 270)

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Span:
    """A stretch to be lit, and what came of it."""

    file: str
    page: int
    text: str
    exact: bool
    why: str
    covered: float = 0.0
    others: float = 0.0
    astray: bool = False

    @property
    def is_wrong(self) -> bool:
        """True where another sentence is lit."""
        return self.exact and (self.covered < 0.5 or self.astray)


@dataclass
class Outcome:
    """All stretches together."""

    spans: list[Span] = field(default_factory=list)

    @property
    def exact(self) -> list[Span]:
        return [span for span in self.spans if span.exact]

    def share_covered(self) -> float:
        """Of all characters of the stretches called exact."""
        sizes = [len(_squeezed(span.text)) for span in self.exact]
        lit = sum(span.covered * size for span, size in zip(self.exact, sizes, strict=True))
        return lit / max(1, sum(sizes))

    def share_of_others(self) -> float:
        """Characters lit beside the quoted ones, as a share of these."""
        sizes = [len(_squeezed(span.text)) for span in self.exact]
        others = sum(span.others * size for span, size in zip(self.exact, sizes, strict=True))
        return others / max(1, sum(sizes))

    def lines(self) -> Iterator[str]:
        total = len(self.spans)
        exact = self.exact
        yield f"stretches {total}, exact {len(exact)} ({len(exact) / max(1, total):.1%})"
        yield f"of their characters lit {self.share_covered():.3%}, others lit {self.share_of_others():.3%}"
        poor = [span for span in exact if span.covered < 0.98 or span.others > 0.02]
        wrong = sum(span.is_wrong for span in exact)
        yield f"stretches below 98 % or above 2 % others: {len(poor)}; wrong sentence lit: {wrong}"
        for why, count in Counter(span.why for span in self.spans if not span.exact).most_common():
            yield f"  not exact {count}: {why}"
        for span in [*poor, *(span for span in exact if span.is_wrong and span not in poor)][:20]:
            yield (
                f"  {span.file} p.{span.page} covered {span.covered:.2f} others {span.others:.2f} astray {span.astray} "
                f"{span.text[:50]!r}"
            )


async def measure(files: Sequence[tuple[str, bytes]], count: int, seed: int, home: Path) -> Outcome:
    """Take the files in and light `count` random stretches of them."""
    chance = random.Random(seed)
    outcome = Outcome()
    async with shisho.open(home=home, ocr="off", max_file_mb=100) as library:
        kept: list[tuple[str, bytes, Any, list[Passage]]] = []
        for name, data in files:
            receipt = await library.documents.add_source(shisho.Source(name, data, "application/pdf"))
            if receipt.document_id is None:
                continue
            passages = list(await library._builder.stores.shelf.list_passages_of(receipt.document_id))
            if passages:
                kept.append((name, data, receipt.document_id, passages))
        for _ in range(count):
            name, data, document_id, passages = chance.choice(kept)
            passage = chance.choice(passages)
            start, end = _stretch(chance, passage)
            text = passage.text[start - passage.start : end - passage.start]
            boxes = await library.viewer.get_span_boxes(document_id, start, end)
            page = passage.page or 1
            if not boxes.exact:
                outcome.spans.append(Span(name, page, text, False, str(boxes.why)))
                continue
            layout = await library.viewer.get_layout(document_id, page)
            lines = [line.box for line in layout.lines if line.box and line.start < end and start < line.end]
            outcome.spans.append(_checked(name, data, page, text, boxes.boxes, lines))
    return outcome


def _stretch(chance: random.Random, passage: Passage) -> tuple[int, int]:
    """A stretch of a passage that neither begins nor ends with white."""
    while True:
        size = min(chance.choice(LENGTHS), len(passage.text))
        at = chance.randrange(len(passage.text) - size + 1)
        text = passage.text[at : at + size]
        if text.strip():
            start = passage.start + at + len(text) - len(text.lstrip())
            return start, start + len(text.strip())


def _checked(
    name: str, data: bytes, page: int, text: str, boxes: Sequence[Box], lines: Sequence[Box]
) -> Span:
    quoted = Counter(_squeezed(text))
    size = sum(quoted.values())
    lit = [glyph for glyph in letters(data, page) if any(_holds(box, *glyph[1:]) for box in boxes)]
    letter_counts = Counter(letter for letter, *_ in lit)
    single_counts = Counter(letter for letter, *_ in _printed_once(lit))
    astray = not all(any(_is_inside(box, line) for line in lines) for box in boxes)
    return Span(
        name,
        page,
        text,
        True,
        "",
        sum((quoted & letter_counts).values()) / size,
        sum((single_counts - quoted).values()) / size,
        astray,
    )


def _printed_once(lit: Sequence[tuple[str, float, float]]) -> Iterator[tuple[str, float, float]]:
    """Without those that are printed once more in the same place, to look bold."""
    for rank, (letter, x, y) in enumerate(lit):
        if not any(
            letter == other and max(abs(x - left), abs(y - top)) < SAME_PLACE
            for other, left, top in lit[:rank]
        ):
            yield letter, x, y


_LETTERS: dict[tuple[int, int], list[tuple[str, float, float]]] = {}


def letters(data: bytes, page: int) -> list[tuple[str, float, float]]:
    """Each character of a page that is not white, and the middle of its box on the shown page: by the turn of
    the page and its crop box. Of letters whose font neither the PDF nor the machine has nothing would be
    known: they are measured by the fonts of reading."""
    key = (hash(data), page)  # an id is given again, once its bytes are gone
    if key not in _LETTERS:
        fonts = install_substitutes()
        readings = []
        for everywhere in (False, True):
            fonts.begin(everywhere=everywhere)
            with closing(pypdfium2.PdfDocument(data)) as document:
                sheet = document[page - 1]
                textpage = sheet.get_textpage()
                readings.append(list(_letters(sheet, textpage.raw)))
                textpage.close()
                sheet.close()
        _LETTERS[key] = max(readings, key=len)
    return _LETTERS[key]


def _letters(sheet: Any, textpage: Any) -> Iterator[tuple[str, float, float]]:
    left, bottom, right, top = sheet.get_bbox()
    turn = sheet.get_rotation()
    high = 0  # of a character beyond U+FFFF, which PDFium gives in two
    for index in range(pdfium.FPDFText_CountChars(textpage)):
        code = pdfium.FPDFText_GetUnicode(textpage, index)
        if 0xD800 <= code < 0xDC00:
            high = code
            continue
        if 0xDC00 <= code < 0xE000:
            code = 0x10000 + (high - 0xD800 << 10) + code - 0xDC00
        letter = chr(code).translate(HYPHENS) if 0 < code < 0x110000 else "\ufffd"
        if not _squeezed(letter) or pdfium.FPDFText_IsGenerated(textpage, index) == 1:
            continue
        x, y = _middle(textpage, index)
        shown = {
            0: (x - left, top - y),
            90: (y - bottom, x - left),
            180: (right - x, y - bottom),
            270: (top - y, right - x),
        }
        yield letter, *shown[turn]


def _middle(textpage: Any, index: int) -> tuple[float, float]:
    edges = [ctypes.c_double() for _ in range(4)]
    pdfium.FPDFText_GetCharBox(textpage, index, *edges)
    left, right, bottom, top = (edge.value for edge in edges)
    if left == right or bottom == top:
        loose = pdfium.FS_RECTF()
        pdfium.FPDFText_GetLooseCharBox(textpage, index, ctypes.byref(loose))
        left, right, bottom, top = loose.left, loose.right, loose.bottom, loose.top
    return (left + right) / 2, (bottom + top) / 2


def _squeezed(text: str) -> str:
    return "".join(text.translate(HYPHENS).split()).replace("\x00", "")


def _holds(box: Box, x: float, y: float) -> bool:
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def _is_inside(box: Box, line: Box) -> bool:
    wider = (line[0] - MARGIN, line[1] - MARGIN, line[2] + MARGIN, line[3] + MARGIN)
    return _holds(wider, (box[0] + box[2]) / 2, (box[1] + box[3]) / 2)


def turned(data: bytes, turn: int, share: float) -> bytes:
    """A copy with every page turned by so many degrees more and cropped by this share at each edge."""
    with closing(pypdfium2.PdfDocument(data)) as document:
        for sheet in document:
            left, bottom, right, top = sheet.get_bbox()
            width, height = share * (right - left), share * (top - bottom)
            sheet.set_cropbox(left + width, bottom + height, right - width, top - height)
            sheet.set_rotation((sheet.get_rotation() + turn) % 360)
        target = io.BytesIO()
        document.save(target)
        return target.getvalue()


def variants(paths: Sequence[Path], seed: int) -> list[tuple[str, bytes]]:
    """Each file, and a turned and cropped copy of each that can be opened."""
    chance = random.Random(seed)
    files = []
    for path in paths:
        data = path.read_bytes()
        files.append((path.name, data))
        turn = chance.choice(TURNED)
        try:
            files.append((f"{turn}-{path.name}", turned(data, turn, CROPPED)))
        except pypdfium2.PdfiumError:
            continue
    return files


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--spans", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    shared = Path(os.environ.get("SHISHO_SHARED", ROOT.parent / "shared"))
    paths = options.files or sorted((shared / "pdf").rglob("*.pdf"))
    with tempfile.TemporaryDirectory() as folder:
        outcome = asyncio.run(
            measure(variants(paths, options.seed), options.spans, options.seed, Path(folder))
        )
    print("\n".join(outcome.lines()))


if __name__ == "__main__":
    main()
