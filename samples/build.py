# /// script
# requires-python = ">=3.11"
# dependencies = ["typst==0.15.0"]
# ///
"""Make `lectures/*.pdf` from `src/*.typ`: `pip install typst==0.15.0 && python samples/build.py`.

Needs the fonts Noto Serif CJK JP and Noto Sans CJK JP (Debian: `apt-get install fonts-noto-cjk`). The PDFs
are committed, so only who changes a lecture needs this.
"""

from pathlib import Path

import typst

HERE = Path(__file__).parent
MOST_BYTES = 400_000


def build(source: Path) -> Path:
    """One lecture. The same source, compiler and fonts give the same bytes: dates are those of the
    lecture."""
    target = HERE / "lectures" / source.with_suffix(".pdf").name
    typst.compile(str(source), output=str(target))
    if target.stat().st_size > MOST_BYTES:
        raise SystemExit(f"{target} is over {MOST_BYTES:,} bytes; are the fonts embedded whole?")
    return target


if __name__ == "__main__":
    for path in sorted((HERE / "src").glob("[0-9]*.typ")):
        made = build(path)
        print(f"{made.name}  {made.stat().st_size:,} bytes")
