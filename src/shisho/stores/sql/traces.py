"""The traces of a document that a purge erases: quotations, run records, and its names.

Every function runs inside its caller's transaction. The rest of the rows and of their JSON stays.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from shisho.domain.codec import dumps
from shisho.domain.evidence import REMOVED
from shisho.domain.job import shorten_subject
from shisho.records import dataclass
from shisho.stores.nouns import Row
from shisho.stores.sql import Queries

# Shorter words occur in too many other texts: such a name is blanked only if it is the whole text.
MIN_ERASED_CHARS = 4
# The values of these keys never name the document.
IDS = ("id", "task_id", "job_id", "document_id")
NAMELESS_KEYS = frozenset((*IDS, "kind", "owner", "corpus", "question", "query", "state", "outcome"))

OF_JOBS = (
    ("jobs", "input_json", "id"),
    ("jobs", "output_json", "id"),
    ("jobs", "progress_json", "id"),
    ("jobs", "error_json", "id"),
    ("job_steps", "output_json", "job_id"),
    ("events", "data_json", "job_id"),
)
JSON_COLUMNS = (
    *((table, column) for table, column, _ in OF_JOBS),
    ("runs", "facts"),
    ("answers", "body"),
)

# List the names of a document and its sources.
NAMED = """SELECT source, title AS name FROM documents WHERE id = :id
    UNION ALL SELECT source, '' FROM places WHERE document_id = :id
    UNION ALL SELECT url, title FROM finds WHERE document_id = :id
    UNION ALL SELECT canonical_url, '' FROM finds WHERE document_id = :id
    UNION ALL SELECT '', value FROM document_meta WHERE document_id = :id"""
# List the inputs of the jobs that found it.
JOB_INPUTS = (
    "SELECT input_json AS input FROM jobs WHERE id IN (SELECT job_id FROM finds WHERE document_id = :id)"
)
# List its discovered URLs. One that was never visited names the document as well, if a result page lists it.
FOUND = """SELECT job_id, canonical_url FROM finds
    WHERE document_id = :id OR (document_id IS NULL AND canonical_url IN (SELECT value FROM json_each(:places)))"""
# Blank a discovered URL that names the document.
FORGET_FIND = """UPDATE finds SET canonical_url = 'purged:' || seq, url = '', title = '', snippet = '', reason = NULL
    WHERE job_id = :job_id /*pg AND md5(canonical_url) = md5(:canonical_url) */
    AND canonical_url = :canonical_url"""
# The conditions for jobs that added a document, and for all other jobs.
INGESTING = """{key} IN (SELECT j.id FROM jobs j
    WHERE j.id IN (SELECT value FROM json_each(:value)) AND j.kind IN ('ingest', 'fetch'))"""
NOT_INGESTING = """{key} IN (SELECT j.id FROM jobs j
    WHERE j.id IN (SELECT value FROM json_each(:value)) AND j.kind NOT IN ('ingest', 'fetch'))"""
# The condition for a text anywhere in a column.
ANY_PLACE = "instr({column}, :value) > 0"
# Read JSON that may name the document; table, column and condition are filled in.
READ_JSON = "SELECT DISTINCT {column} AS text FROM {table} WHERE {where} AND {column} IS NOT NULL"
# Write the JSON without the names.
WRITE_JSON = "UPDATE {table} SET {column} = :blank WHERE {where} AND {column} = :text"
# Remove a source from text.
BLANK_TEXT = "UPDATE {table} SET {column} = replace({column}, :value, '') WHERE instr({column}, :value) > 0"
TEXTS = (("tasks", "question"), ("turns", "question"), ("interventions", "url"))
# Replace a deduplication key that names the document by one that is unique and meaningless.
BLANK_KEY = "UPDATE jobs SET dedupe_key = 'purged ' || id WHERE instr(dedupe_key, :value) > 0"
# Blank the subject of a request that added the document, by a job or as a known document: the subject does
# not record which of its names belongs to which document.
FORGET_REQUEST = """UPDATE request_keys SET subject = :removed
    WHERE instr(reply_json, '"' || :id || '"') > 0 OR EXISTS
        (SELECT 1 FROM jobs j WHERE j.id IN (SELECT value FROM json_each(:jobs)) AND j.kind IN ('ingest', 'fetch')
            AND instr(request_keys.reply_json, '"' || j.id || '"') > 0)"""
# Blank any other subject that names a source of it.
FORGET_SUBJECT = "UPDATE request_keys SET subject = :removed WHERE instr(subject, :form) > 0"

# List the evidence that quotes a document.
QUOTED = (
    "SELECT id, answer_id, number, snippet, body FROM evidence WHERE document_id = :id /*pg FOR UPDATE */"
)
# Remove the quotation and the names of the document from evidence.
FORGET_QUOTATION = "UPDATE evidence SET snippet = NULL, body = :body WHERE id = :id"
# Read answers by ID.
ANSWERS = "SELECT id, body FROM answers WHERE id IN (SELECT value FROM json_each(:ids)) /*pg FOR UPDATE */"
# Read the answers of runs.
ANSWERS_OF_RUNS = """SELECT id, body FROM answers WHERE run_id IN (SELECT value FROM json_each(:runs))
    /*pg FOR UPDATE */"""
# Read answers that name a document, as a report lists those it has not read.
LISTING = "SELECT id, run_id, body FROM answers WHERE instr(body, :name) > 0 /*pg FOR UPDATE */"
# How an answer quotes a title, in each language (`word.answer_quote`).
QUOTED_NAMES = ("「{}」", "“{}”")
# Write an answer without the quotations.
SILENCE = "UPDATE answers SET body = :body WHERE id = :id"
# Delete cached result pages that contain an address of the document, since they quote it.
FORGET_CACHED = "DELETE FROM cache WHERE instr(value_json, :form) > 0"
# Delete the record of the page that became the document.
FORGET_PAGES = "DELETE FROM page_memory WHERE document_id = :id"
# List the runs that were shown a document.
SHOWN_TO = "SELECT DISTINCT session_id FROM session_passages WHERE document_id = :id"
# Delete the steps of these runs.
FORGET_STEPS = "DELETE FROM steps WHERE run_id IN (SELECT value FROM json_each(:runs))"
# Mark the runs as purged: they cannot be resumed.
PURGE_RUNS = "UPDATE runs SET state = 'purged' WHERE id IN (SELECT value FROM json_each(:runs))"
# A partial answer in progress events may quote passages that the run was shown, and so may a verdict.
PROGRESS_COLUMNS = (("jobs", "progress_json", "id"), ("events", "data_json", "job_id"))
TOLD_BY = """{key} IN (SELECT value FROM json_each(:value))
    AND (instr({column}, '"sentence"') > 0 OR instr({column}, '"verdict"') > 0)"""
TABLES_OF_TRACES = frozenset(
    {"answers", "cache", "evidence", "finds", "page_memory", "request_keys", "steps"}
    | {table for table, *_ in (*PROGRESS_COLUMNS, *OF_JOBS, *JSON_COLUMNS, *TEXTS)}
)
"""Tables that may contain traces of a document."""


def erase_traces(queries: Queries, document_id: str) -> None:
    """Erase all traces of a document; call this before the document itself is erased."""
    traces = _find_traces(queries, document_id)
    for place in sorted(traces.places):
        for form in _list_json_forms(place):
            queries.change(FORGET_CACHED, {"form": form})
    queries.change(FORGET_PAGES, {"id": document_id})
    runs = [row.session_id for row in queries.fetch(SHOWN_TO, {"id": document_id})]
    queries.change(FORGET_STEPS, {"runs": runs})
    queries.change(PURGE_RUNS, {"runs": runs})
    for table, column, key in PROGRESS_COLUMNS:
        _remove_sentences(queries, table, column, TOLD_BY.format(key=key, column=column), runs)
    for answer in queries.fetch(ANSWERS_OF_RUNS, {"runs": runs}):
        queries.change(SILENCE, {"body": _erase_missing(answer.body), "id": answer.id})
    _remove_quotations(queries, document_id, traces)
    _forget(queries, traces)


def _find_traces(queries: Queries, document_id: str) -> Traces:
    inputs = [_JobInput(json.loads(row.input)) for row in queries.fetch(JOB_INPUTS, {"id": document_id})]
    return _collect(document_id, [*queries.fetch(NAMED, {"id": document_id}), *inputs])


class _JobInput:
    """A job's input, in the shape of a row of `NAMED`."""

    def __init__(self, job_input: dict[str, Any]) -> None:
        self.source = job_input.get("path") or ""
        self.name = job_input.get("title") or ""


def _remove_quotations(queries: Queries, document_id: str, traces: Traces) -> None:
    """Remove the quotations of a document from answers; the answers stay."""
    rows = queries.fetch(QUOTED, {"id": document_id})
    quotations: dict[str, list[tuple[int, str, str, str]]] = {}
    for row in rows:
        body = json.loads(row.body)
        what = (row.number, row.snippet, body.get("heading"), body.get("place"))
        quotations.setdefault(row.answer_id, []).append(what)
        queries.change(FORGET_QUOTATION, {"body": _erase_names(body), "id": row.id})
    for answer in queries.fetch(ANSWERS, {"ids": [*quotations]}):
        silenced = _erase_quotations(answer.body, quotations[answer.id], traces)
        queries.change(SILENCE, {"body": silenced, "id": answer.id})
    _remove_names(queries, traces)


def _remove_names(queries: Queries, traces: Traces) -> None:
    """Remove the names of a document from the lists of reports that have read others."""
    quoted = [form.format(name) for name in traces.names for form in QUOTED_NAMES]
    for name in quoted:
        for answer in queries.fetch(LISTING, {"name": json.dumps(name, ensure_ascii=False)[1:-1]}):
            body = _erase_listed(answer.body, quoted)
            if body is not None:
                queries.change(SILENCE, {"body": body, "id": answer.id})
                for statement in (FORGET_STEPS, PURGE_RUNS):  # the steps have the titles of all documents
                    queries.change(statement, {"runs": [answer.run_id]})


def _erase_names(body: dict[str, Any]) -> str:
    rest = {key: value for key, value in body.items() if key not in ("heading", "place")}
    blank = {"title": REMOVED, "document": "", "source_url": None, "link": ""}
    return json.dumps(rest | blank, ensure_ascii=False)


def _forget(queries: Queries, traces: Traces) -> None:
    """Blank the document's names in rows of the queue and the ledger.

    Sources are blanked everywhere, other names only in rows about the document.
    """
    places = [*traces.places]
    rows = queries.fetch(FOUND, {"id": traces.document_id, "places": places})
    jobs = sorted({row.job_id for row in rows})
    for table, column, key in OF_JOBS:
        for about, within in ((True, INGESTING), (False, NOT_INGESTING)):
            _rewrite(queries, traces, table, column, within.format(key=key), jobs, about=about)
    for table, column in JSON_COLUMNS:
        for place in places:
            for form in _list_json_forms(place):
                where = ANY_PLACE.format(column=column)
                _rewrite(queries, traces, table, column, where, form, about=False)
    for place in places:
        for table, column in TEXTS:
            queries.change(BLANK_TEXT.format(table=table, column=column), {"value": place})
        queries.change(BLANK_KEY, {"value": place})
        for form in _list_subject_forms(place):
            queries.change(FORGET_SUBJECT, {"removed": REMOVED, "form": form})
    queries.change(FORGET_REQUEST, {"removed": REMOVED, "id": traces.document_id, "jobs": jobs})
    found = [{"job_id": row.job_id, "canonical_url": row.canonical_url} for row in rows]
    queries.change_each(FORGET_FIND, found)


def _rewrite(
    queries: Queries,
    traces: Traces,
    table: str,
    column: str,
    where: str,
    value: object,
    *,
    about: bool,
) -> None:
    for row in _list_json(queries, table, column, where, value):
        blank = dumps(traces.erase(json.loads(row.text), about=about))
        _write_json(queries, table, column, where, {"value": value, "text": row.text, "blank": blank})


def _remove_sentences(queries: Queries, table: str, column: str, where: str, runs: list[str]) -> None:
    for row in _list_json(queries, table, column, where, runs):
        facts = json.loads(row.text)
        for holder in (facts, facts.get("progress")):
            if isinstance(holder, dict):
                holder.pop("sentence", None)
                if holder.get("verdict"):
                    holder["verdict"] |= {"judgment_reason": "", "next_focus": "", "model_reason": ""}
        blank = dumps(facts)
        _write_json(queries, table, column, where, {"value": runs, "text": row.text, "blank": blank})


def _list_json(queries: Queries, table: str, column: str, where: str, value: object) -> list[Row]:
    return queries.fetch(READ_JSON.format(table=table, column=column, where=where), {"value": value})


def _write_json(queries: Queries, table: str, column: str, where: str, values: dict[str, Any]) -> None:
    queries.change(WRITE_JSON.format(table=table, column=column, where=where), values)


@dataclass(frozen=True, slots=True)
class Traces:
    """The names of a document.

    `places` are full paths and addresses, which name nothing else. `names` are its file name, title and
    metadata, which mean the document only in rows about it.
    """

    document_id: str
    places: frozenset[str]
    names: frozenset[str]

    def erase(self, value: Any, *, about: bool = False) -> Any:
        """Return JSON data without the names; `about`: the data is about this document.

        Names are removed only if it is, sources always.
        """
        if isinstance(value, dict):
            about = about or value.get("document_id") == self.document_id or value.get("url") in self.places
            return {key: self._erase_member(key, member, about=about) for key, member in value.items()}
        if isinstance(value, list):
            return [self.erase(member, about=about) for member in value]
        return self.remove_from(value, about=about) if isinstance(value, str) else value

    def remove_from(self, text: str, *, about: bool) -> str:
        words = self.places | self.names if about else self.places
        if text in words:
            return ""
        for word in sorted((word for word in words if len(word) >= MIN_ERASED_CHARS), key=len, reverse=True):
            text = text.replace(word, "")
        return text

    def _erase_member(self, key: str, member: Any, *, about: bool) -> Any:
        if about and key == "metadata":
            return {}
        return member if key in NAMELESS_KEYS else self.erase(member, about=about)


def _collect(document_id: str, rows: Iterable[Row]) -> Traces:
    """Collect the traces from rows with a source and a name of the document."""
    named_rows = [*rows]
    sources = {row.source for row in named_rows if row.source}
    places = frozenset(source for source in sources if "/" in source or "\\" in source)
    files = {source.replace("\\", "/").rstrip("/").rpartition("/")[2] for source in sources}
    stems = {name.rpartition(".")[0] for name in files}
    titles = {row.name for row in named_rows if row.name}
    return Traces(document_id, places, frozenset(filter(None, sources | files | stems | titles)) - places)


def _list_json_forms(place: str) -> list[str]:
    """Return the forms of a source in JSON."""
    return sorted({place, json.dumps(place, ensure_ascii=False)[1:-1]})


def _list_subject_forms(place: str) -> list[str]:
    """Return the forms of a source in the subject of an idempotency key."""
    words = repr(shorten_subject(place))[1:-1]
    return sorted({*_list_json_forms(place), *_list_json_forms(words)})


def _erase_quotations(body: str, quotations: Iterable[tuple[int, str, str, str]], traces: Traces) -> str:
    """Return the body of an answer without the quotations and names of a document.

    `quotations` have number, snippet, heading and place.
    """
    answer = _erase_answer(json.loads(body), [*quotations])
    answer = {key: traces.erase(part, about=key not in ("question", "goals")) for key, part in answer.items()}
    return json.dumps(answer, ensure_ascii=False)


def _erase_listed(body: str, quoted: Sequence[str]) -> str | None:
    """Return the body of an answer without these names in its notes; None if they have none."""
    answer = json.loads(body)
    is_listed = False
    for block in answer["blocks"]:
        if block["kind"] == "note":
            before = block["text"]
            for name in quoted:
                block["text"] = block["text"].replace(name, REMOVED)
            answer["text"] = answer["text"].replace(before, block["text"])
            is_listed = is_listed or block["text"] != before
    return json.dumps(answer, ensure_ascii=False) if is_listed else None


def _erase_missing(body: str) -> str:
    """Return the body of an answer without the model's list of missing information.

    The model has read the document, even if the answer doesn't quote it.
    """
    answer = json.loads(body)
    statuses = [status | {"missing": ""} for status in answer["goal_status"]]
    return json.dumps(answer | {"goal_status": statuses}, ensure_ascii=False)


def _erase_answer(answer: dict[str, Any], gone: list[tuple[int, str, str, str]]) -> dict[str, Any]:
    from shisho.language.display import (
        display_code,
        join_lines,
    )  # only a purge needs it

    numbers = {number for number, *_ in gone}
    texts = [text or "" for _, *texts in gone for text in texts]
    traces = [trace for text in texts for trace in (text, join_lines(text), display_code(text))]
    traces = list(filter(None, traces))
    _erase_words_of_model(answer)
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


def _erase_words_of_model(answer: dict[str, Any]) -> None:
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
