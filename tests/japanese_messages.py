"""The Japanese messages as a document for textlint: `python -m tests.japanese_messages FILE`.

Each text is an item on the line of its id in messages.po, so that what textlint finds is found there.
"""

from __future__ import annotations

import re
import sys
from importlib.resources import files
from pathlib import Path

from babel.messages.pofile import read_po

_FORMAT = re.compile(r"\{(\w+)[!:][^}]*\}")  # of a value, `{seconds:g}`


def write_texts(target: Path) -> None:
    with files("shisho").joinpath("locale/ja/messages.po").open("rb") as stream:
        texts = {message.lineno: message.string for message in read_po(stream) if message.id}
    lines = [""] * (max(texts) + 1)
    for number, text in texts.items():
        lines[number - 1] = "- " + _FORMAT.sub(r"{\1}", text).replace("\n", " ")
    target.write_text("\n".join(lines), "utf-8")


if __name__ == "__main__":
    write_texts(Path(sys.argv[1]))
