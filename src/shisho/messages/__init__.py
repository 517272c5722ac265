"""A message for people: an id and values, rendered in the language of its reader.

The texts are in `locale/en/messages.po` and `locale/ja/messages.po`, in the format of GNU gettext. Reading
thousands of entries takes a few milliseconds, less than loading a compiled catalogue and its library.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any, Self

# No width: a stored text must not make a text of any length. `{n:page|pages}` chooses by the number.
_SPEC = re.compile(r",?(?:\.[0-9])?[dfg]?|[^{}|]+\|[^{}|]+")
_PLURAL = re.compile(r"\{(\w+):([^{}|]+)\|([^{}|]+)\}")


class Message(str):
    """A message by its id: `Message("document.not_found", name="d1")`.

    As a `str` it is the English text, for logs and for callers that show no other language. A value may be
    a Message. A text that is not an id, such as a sentence of a plug-in, is its own template in every
    language. A template whose values are missing is shown unfilled.
    """

    id: str
    values: Mapping[str, Any]

    def __new__(cls, id_: str, /, **values: Any) -> Self:
        try:
            known_values = {name: _to_plain_value(values[name]) for name in list_variables(id_)}
            text = fill_template(id_, known_values, DEFAULT)
        except (ValueError, KeyError, TypeError):
            known_values = {}
            text = fill_template(id_, known_values, DEFAULT)
        message = super().__new__(cls, text)
        message.id = id_
        message.values = known_values
        return message

    @classmethod
    def join(cls, parts: Iterable[str], between: str = " ") -> Self:
        """Join several messages into one."""
        values = {f"part{number}": part for number, part in enumerate(parts, 1)}
        return cls(between.join(f"{{{name}}}" for name in values), **values)


def is_message_id(text: str) -> bool:
    """Return True if the catalogue has a message with this id."""
    return text in read_catalogue(DEFAULT)


def list_variables(id_: str) -> list[str]:
    """Return the names of the values that a message takes.

    Raises: ValueError for a template with a field that is more than a name with a short format.
    """
    return _list_catalogued_fields(id_) if is_message_id(id_) else _list_fields(id_)


def fill_template(id_: str, values: Mapping[str, Any], language: str) -> str:
    """Return the text of a message in a language. Raises KeyError or ValueError for wrong values."""
    template = read_catalogue(language).get(id_, id_)
    if not values:
        return template
    if "|" in template:
        template = _PLURAL.sub(lambda field: field[2 if str(values[field[1]]) == "1" else 3], template)
    return template.format(**values)


def pack(text: str) -> Any:
    """Return a Message as a JSON-ready object for `unpack`, and other text unchanged."""
    if not isinstance(text, Message):
        return text
    values = {name: pack(value) if isinstance(value, str) else value for name, value in text.values.items()}
    return {"id": text.id, "values": values}


def unpack(packed: Any) -> str:
    """Return the text that was packed. Raises TypeError, KeyError or AttributeError for anything else."""
    if isinstance(packed, str):
        return packed
    id_ = packed["id"]
    if not isinstance(id_, str):
        raise TypeError(packed)
    values = {
        name: unpack(value) if isinstance(value, dict) else _to_plain_value(value)
        for name, value in packed["values"].items()
    }
    return Message(id_, **values)


def is_packed(thing: Mapping[str, Any]) -> bool:
    """Return True for an object that `pack` made from a Message."""
    return thing.keys() == {"id", "values"} and isinstance(thing["values"], dict)


def write(text: str) -> str:
    """Write a text as a single string, which `read` reads."""
    return json.dumps(pack(text), ensure_ascii=False) if isinstance(text, Message) else text


def read(stored_text: str) -> str:
    """Read a text from the string that `write` returned."""
    try:
        packed = json.loads(stored_text) if stored_text.startswith("{") else stored_text
        return unpack(packed)
    except (ValueError, TypeError, KeyError, AttributeError):
        return stored_text


@cache
def _list_catalogued_fields(id_: str) -> list[str]:
    return _list_fields(read_catalogue(DEFAULT)[id_])


def _list_fields(template: str) -> list[str]:
    names: list[str] = []
    for _, name, spec, conversion in Formatter().parse(template):
        if name is None:
            continue
        if not name.isidentifier() or conversion not in (None, "r") or not _SPEC.fullmatch(spec or ""):
            raise ValueError(template)
        names.append(name)
    return list(dict.fromkeys(names))


def _to_plain_value(value: Any) -> Any:
    return value if value is None or isinstance(value, str | int | float) else str(value)


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


def install_command(extra: str) -> str:
    """Return the command that installs an extra, from the package index or this checkout."""
    package = Path(__file__).parents[1]
    root = package.parents[1]
    if package.parent.name != "src" or not (root / "pyproject.toml").is_file():
        return f'pip install "shisho[{extra}]"'
    # Some extras are packages of their own in this repository.
    return (
        f"pip install -e packages/{extra}"
        if (root / "packages" / extra).is_dir()
        else f'pip install -e ".[{extra}]"'
    )
