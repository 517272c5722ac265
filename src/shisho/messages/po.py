"""The texts of each language, by id: `locale/*/messages.po`, in the format of GNU gettext.

A file is read as it is: its thousands of entries take a few milliseconds, less than a compiled catalogue
and the library to read it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "locale"
LANGUAGES = ("ja", "en")
DEFAULT = "en"
# An entry, once the lines of a text that spans several are joined.
_ENTRY = re.compile(r'^msgid "(.+)"\nmsgstr "(.*)"$', re.MULTILINE)


@cache
def read_catalogue(language: str) -> Mapping[str, str]:
    """Read the texts of a language, by id."""
    text = (FOLDER / language / "messages.po").read_text("utf-8").replace('"\n"', "")
    return {id_: _unescape(entry) for id_, entry in _ENTRY.findall(text)}


def _unescape(text: str) -> str:
    return str(json.loads(f'"{text}"')) if "\\" in text else text
