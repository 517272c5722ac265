"""Numbers that come from outside are bounded at both ends before anything counts with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from shisho.interfaces.api.operations import Verb
from shisho.interfaces.http.routes import ROUTES
from tests.tables import each_row

DEEPER = ("anyOf", "allOf", "oneOf", "prefixItems")


def open_numbers(schema: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """The paths of the numbers in a schema that an end is missing of."""
    if schema.get("type") in ("integer", "number"):
        ends = ({"minimum", "exclusiveMinimum"}, {"maximum", "exclusiveMaximum"})
        if not all(end & schema.keys() for end in ends):
            yield path
    for name, member in schema.get("properties", {}).items():
        yield from open_numbers(member, f"{path}.{name}")
    for name, definition in schema.get("$defs", {}).items():
        yield from open_numbers(definition, name)
    below = [option for key in DEEPER for option in schema.get(key, ())]
    below += [schema[key] for key in ("items", "additionalProperties") if isinstance(schema.get(key), dict)]
    for member in below:
        yield from open_numbers(member, path)


@each_row("verb", ROUTES)
def test_each_number_has_both_ends(verb: Verb) -> None:
    assert list(open_numbers(verb.arguments.model_json_schema(), verb.name)) == []


def test_number_without_an_end_is_found() -> None:
    members = {"least": {"anyOf": [{"type": "integer", "minimum": 0}]}, "both": {"items": {"$ref": "Any"}}}
    assert list(open_numbers({"properties": members}, "verb")) == ["verb.least"]
