"""Traces of a document in other rows: its names there, and JSON without them.

The same in every database.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from shisho.domain.evidence import REMOVED
from shisho.domain.job import shorten_subject
from shisho.stores.nouns import Row

# Shorter words occur in too many other texts: such a name is blanked only if it is the whole text.
TELLING = 4
# The values of these keys never name the document.
IDS = ("id", "task_id", "job_id", "document_id")
OTHERS = frozenset((*IDS, "kind", "owner", "corpus", "question", "query", "state", "outcome"))

OF_JOBS = (
    ("jobs", "input_json", "id"),
    ("jobs", "output_json", "id"),
    ("jobs", "progress_json", "id"),
    ("jobs", "error_json", "id"),
    ("job_steps", "output_json", "job_id"),
    ("events", "data_json", "job_id"),
)
ANYWHERE = (
    *((table, column) for table, column, _ in OF_JOBS),
    ("runs", "facts"),
    ("answers", "body"),
)


@dataclass(frozen=True, slots=True)
class Traces:
    """The names of a document.

    `places` are full paths and addresses, which name nothing else. `names` are its file name, title and
    metadata, which mean the document only in rows about it.
    """

    document_id: str
    places: frozenset[str]
    names: frozenset[str]

    def blank(self, value: Any, *, about: bool = False) -> Any:
        """Return JSON data without the names; `about`: the data is about this document.

        Names are removed only if it is, sources always.
        """
        if isinstance(value, dict):
            about = about or value.get("document_id") == self.document_id or value.get("url") in self.places
            return {key: self._member(key, member, about=about) for key, member in value.items()}
        if isinstance(value, list):
            return [self.blank(member, about=about) for member in value]
        return self.remove_from(value, about=about) if isinstance(value, str) else value

    def remove_from(self, text: str, *, about: bool) -> str:
        words = self.places | self.names if about else self.places
        if text in words:
            return ""
        for word in sorted((word for word in words if len(word) >= TELLING), key=len, reverse=True):
            text = text.replace(word, "")
        return text

    def _member(self, key: str, member: Any, *, about: bool) -> Any:
        if about and key == "metadata":
            return {}
        return member if key in OTHERS else self.blank(member, about=about)


def traces_of(document_id: str, rows: Iterable[Row]) -> Traces:
    """Collect the traces from rows with a source and a name of the document."""
    named_rows = [*rows]
    sources = {row.source for row in named_rows if row.source}
    places = frozenset(source for source in sources if "/" in source or "\\" in source)
    files = {source.replace("\\", "/").rstrip("/").rpartition("/")[2] for source in sources}
    stems = {name.rpartition(".")[0] for name in files}
    titles = {row.name for row in named_rows if row.name}
    return Traces(document_id, places, frozenset(filter(None, sources | files | stems | titles)) - places)


def json_forms(place: str) -> list[str]:
    """Return the forms of a source in JSON."""
    return sorted({place, json.dumps(place, ensure_ascii=False)[1:-1]})


def subject_forms(place: str) -> list[str]:
    """Return the forms of a source in the subject of an idempotency key."""
    words = repr(shorten_subject(place))[1:-1]
    return sorted({*json_forms(place), *json_forms(words)})


def silence_body(body: str, quotations: Iterable[tuple[int, str, str, str]], traces: Traces) -> str:
    """Return the body of an answer without the quotations and names of a document.

    `quotations` have number, snippet, heading and place.
    """
    answer = _silenced(json.loads(body), [*quotations])
    answer = {key: traces.blank(part, about=key not in ("question", "goals")) for key, part in answer.items()}
    return json.dumps(answer, ensure_ascii=False)


def blank_missing(body: str) -> str:
    """Return the body of an answer without the model's list of missing information.

    The model has read the document, even if the answer doesn't quote it.
    """
    answer = json.loads(body)
    statuses = [status | {"missing": ""} for status in answer["goal_status"]]
    return json.dumps(answer | {"goal_status": statuses}, ensure_ascii=False)


def _silenced(answer: dict[str, Any], gone: list[tuple[int, str, str, str]]) -> dict[str, Any]:
    from shisho.language.display import (
        display_code,
        join_lines,
    )  # only a purge needs it

    numbers = {number for number, *_ in gone}
    texts = [text or "" for _, *texts in gone for text in texts]
    traces = [trace for text in texts for trace in (text, join_lines(text), display_code(text))]
    traces = list(filter(None, traces))
    _blank_words_of_model(answer)
    for unit in _list_units(answer["blocks"]):
        if numbers.intersection(unit["evidence"]):
            traces.insert(0, unit["text"])
            unit["text"] = REMOVED
    for block in answer["blocks"]:
        if block["kind"] == "passage" and numbers.intersection(mark["number"] for mark in block["marks"]):
            erased = REMOVED + "".join(f"[{mark['number']}]" for mark in block["marks"])
            answer["text"] = answer["text"].replace(_render(block), erased)
            marks = [mark | {"start": 0, "end": len(REMOVED)} for mark in block["marks"]]
            block |= {"text": REMOVED, "heading": "", "title": REMOVED, "marks": marks}
    framed = [block for block in answer["blocks"] if block["kind"] in ("heading", "note")]
    for trace in sorted(traces, key=len, reverse=True):  # a heading may be a prefix of another one
        for part in (answer, *framed):
            part["text"] = part["text"].replace(trace, REMOVED)
    return answer


def _blank_words_of_model(answer: dict[str, Any]) -> None:
    """Blank a model's words without a citation, since they may come from any document.

    These are missing information, headings of chapters, and labels of tables.
    """
    from shisho.language.display import join_lines  # only a purge needs it

    for status in answer["goal_status"]:
        status["missing"] = ""
    lines: dict[str, str] = {}
    for block in answer["blocks"]:
        if block["kind"] == "heading" and block["level"] == 2:
            lines[f"## {join_lines(block['text'])}"] = f"## {REMOVED}"
            block["text"] = REMOVED
        elif block["kind"] == "table":
            labels = [join_lines(label).replace("|", "\\|") for label in block["header"]]
            block["header"] = [""] * len(labels)
            lines[f"| {' | '.join(labels)} |"] = f"| {' | '.join(block['header'])} |"
    answer["text"] = "\n".join(lines.get(line, line) for line in answer["text"].split("\n"))


def _list_units(blocks: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the sentences, items and cells of stored blocks."""
    for block in blocks:
        yield from block.get("sentences", ())
        yield from block.get("items", ())
        for row in block.get("rows", ()):
            yield from row


def _render(passage: dict[str, Any]) -> str:
    """Return a shown passage as the answer's text has it."""
    from shisho.domain.inquiry import PassageMark
    from shisho.language.marked_text import render_marked  # only a purge needs it

    marks = [PassageMark(**mark) for mark in passage["marks"]]
    return render_marked(passage["text"], marks, heading=passage["heading"], code=passage["code"])
