"""The texts of each language, by id: `locale/*/messages.po`, in the format of GNU gettext.

A file is read as it is: its thousands of entries take a few milliseconds, less than a compiled catalogue
and the library to read it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "locale"
LANGUAGES = ("ja", "en")
DEFAULT = "en"
# An entry, once the lines of a text that spans several are joined.
_ENTRY = re.compile(
    r'^msgid "(.+)"\n(?:msgstr "(.*)"|msgid_plural "\{(\w+)\}"((?:\nmsgstr\[\d\] ".*")+))$', re.MULTILINE
)
_FORM = re.compile(r'^msgstr\[\d\] "(.*)"$', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class PluralTexts:
    """The texts of a message that counts: `variable` chooses one of them."""

    variable: str
    forms: tuple[str, ...]

    def choose(self, count: object) -> str:
        """Return the first text for one, the last for every other number."""
        return self.forms[0 if count == 1 else -1]


@cache
def catalogue(language: str) -> Mapping[str, str | PluralTexts]:
    """Read the texts of a language, by id."""
    text = (FOLDER / language / "messages.po").read_text("utf-8").replace('"\n"', "")
    return {
        id_: PluralTexts(variable, tuple(map(_unescape, _FORM.findall(forms))))
        if variable
        else _unescape(single)
        for id_, single, variable, forms in _ENTRY.findall(text)
    }


def _unescape(text: str) -> str:
    return str(json.loads(f'"{text}"')) if "\\" in text else text
