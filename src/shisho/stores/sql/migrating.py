"""The schema scripts that a database lacks, and IDs for messages that were stored as English sentences.

The IDs are in `sentences.json`.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from shisho.errors import StorageUnusable


def scripts_in(package: str) -> list[str]:
    """Return the schema scripts of a package in order: their names begin with their number."""
    schema = resources.files(package) / "schema"
    return sorted(script.name for script in schema.iterdir() if script.name.endswith(".sql"))


def list_missing_scripts(done: Iterable[str], scripts: Sequence[str], place: str | Path) -> list[str]:
    """Return the names of the scripts that the database at `place` lacks.

    Raises: StorageUnusable if a newer version has run unknown scripts.
    """
    run = set(done)
    newer = sorted(run - set(scripts))
    if newer:
        raise StorageUnusable(
            "store.newer_version",
            path=place,
            version=newer[-1],
        )
    return [name for name in scripts if name not in run]


SENTENCES = Path(__file__).with_name("sentences.json")
PATTERN = '%"template"%'
"""A LIKE pattern for columns that contain such a message."""
COLUMNS = (
    ("answers", "body"),
    ("cache", "value_json"),
    ("documents", "warnings"),
    ("events", "data_json"),
    ("evidence", "body"),
    ("finds", "reason"),
    ("job_steps", "output_json"),
    ("jobs", "error_json"),
    ("jobs", "output_json"),
    ("jobs", "progress_json"),
    ("request_keys", "reply_json"),
    ("request_keys", "subject"),
    ("runs", "facts"),
)
"""The tables and text columns that may contain messages, besides the content of steps."""


def identify_messages(text: str) -> str:
    """Return JSON with an ID for each stored sentence; return other text unchanged."""
    try:
        stored = json.loads(text)
    except ValueError:
        return text
    identified = _identify(stored)
    if identified == stored:
        return text
    return json.dumps(identified, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def identify_content(content: bytes) -> bytes:
    """Return the content of a step (`step_content.py`) with an ID for each stored sentence."""
    plain = content if content.startswith(b"{") else zlib.decompress(content)
    text = plain.decode("utf-8", "surrogatepass")
    identified = identify_messages(text) if '"template"' in text else text
    return content if identified == text else zlib.compress(identified.encode("utf-8", "surrogatepass"))


@cache
def _read_ids() -> Mapping[str, str]:
    ids: dict[str, str] = json.loads(SENTENCES.read_text("utf-8"))
    return ids


def _identify(thing: Any) -> Any:
    if isinstance(thing, dict):
        members = {name: _identify(member) for name, member in thing.items()}
        if thing.keys() == {"text", "template", "values"} and isinstance(thing["template"], str):
            # A sentence without an ID, such as a plug-in's, stays its own template.
            return {"id": _read_ids().get(thing["template"], thing["template"]), "values": members["values"]}
        return members
    if isinstance(thing, list):
        return [_identify(member) for member in thing]
    return thing
