"""A small PDF with a Japanese text layer. Its font is available in every reader, so none is embedded."""

from __future__ import annotations

from collections.abc import Sequence

_FONT = """<< /Type /Font /Subtype /Type0 /BaseFont /HeiseiKakuGo-W5 /Encoding /UniJIS-UTF16-H /DescendantFonts [ << /Type /Font
/Subtype /CIDFontType0 /BaseFont /HeiseiKakuGo-W5 /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 6 >>
/FontDescriptor << /Type /FontDescriptor /FontName /HeiseiKakuGo-W5 /Flags 4 /FontBBox [-92 -250 1010 922] /ItalicAngle 0
/Ascent 752 /Descent -221 /CapHeight 737 /StemV 114 >> >> ] >>"""
_PAGE = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents {content} 0 R >>"


def write(pages: Sequence[Sequence[str]]) -> bytes:
    """Write pages of lines; the first line of each is its heading."""
    kids = " ".join(f"{4 + 2 * at} 0 R" for at in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        _FONT,
    ]
    for at, lines in enumerate(pages):
        drawn = _draw_lines(lines)
        objects += [
            _PAGE.format(content=5 + 2 * at),
            f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream",
        ]
    return _write_objects(objects)


def _draw_lines(lines: Sequence[str]) -> str:
    parts = ["BT"]
    for at, line in enumerate(lines):
        size, top = (20, 770) if at == 0 else (12, 740 - 24 * at)
        parts.append(f"/F1 {size} Tf 1 0 0 1 60 {top} Tm <{line.encode('utf-16-be').hex()}> Tj")
    return "\n".join([*parts, "ET"])


def _write_objects(objects: Sequence[str]) -> bytes:
    out = b"%PDF-1.5\n"
    starts = []
    for number, content in enumerate(objects, 1):
        starts.append(len(out))
        out += f"{number} 0 obj\n{content}\nendobj\n".encode("ascii")
    table = "".join(f"{start:010} 00000 n \n" for start in starts)
    tail = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\n"
    return out + f"{tail}startxref\n{len(out)}\n%%EOF\n".encode("ascii")
