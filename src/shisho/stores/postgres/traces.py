"""The traces of a document that a purge erases: quotations, run records, its names.

Every function runs inside its caller's transaction.
"""

from __future__ import annotations

import json
from typing import Any

from shisho.domain.evidence import REMOVED
from shisho.stores.postgres.pool import Connection
from shisho.stores.postgres.rows import Row, change, fetch_all
from shisho.stores.sql.traces import (
    ANYWHERE,
    OF_JOBS,
    Traces,
    blank_missing,
    json_forms,
    silence_body,
    subject_forms,
    traces_of,
)

# List the names of a document and its sources.
NAMED = """SELECT source, title AS name FROM documents WHERE id = %(id)s
    UNION ALL SELECT source, '' FROM places WHERE document_id = %(id)s
    UNION ALL SELECT url, title FROM finds WHERE document_id = %(id)s
    UNION ALL SELECT canonical_url, '' FROM finds WHERE document_id = %(id)s
    UNION ALL SELECT '', value FROM document_meta WHERE document_id = %(id)s"""
# List the inputs of the jobs that found it.
GIVEN = "SELECT input_json AS input FROM jobs WHERE id IN (SELECT job_id FROM finds WHERE document_id = %s)"
# List its finds. If a result page lists the document, the find that was never visited names it as well.
FOUND = """SELECT job_id, canonical_url FROM finds
    WHERE document_id = %(id)s OR (document_id IS NULL AND canonical_url = ANY(%(places)s))"""
# Blank a find that names the document.
FORGET_FIND = """UPDATE finds SET canonical_url = 'purged:' || seq, url = '', title = '', snippet = '', reason = NULL
    WHERE job_id = %s AND md5(canonical_url) = md5(%s)"""
# The conditions for jobs that added a document, and for all other jobs.
TAKING_IN = "{key} IN (SELECT j.id FROM jobs j WHERE j.id = ANY(%(value)s) AND j.kind IN ('ingest', 'fetch'))"
NOT_TAKING_IN = (
    "{key} IN (SELECT j.id FROM jobs j WHERE j.id = ANY(%(value)s) AND j.kind NOT IN ('ingest', 'fetch'))"
)
# The condition for a text anywhere in a column.
ANY_PLACE = "strpos({column}, %(value)s) > 0"
# Read JSON that may name the document; table, column and condition are filled in.
READ_JSON = "SELECT DISTINCT {column} AS text FROM {table} WHERE {where} AND {column} IS NOT NULL"
# Write the JSON without the names.
WRITE_JSON = "UPDATE {table} SET {column} = %(blank)s WHERE {where} AND {column} = %(text)s"
# Remove a source from text.
BLANK_TEXT = (
    "UPDATE {table} SET {column} = replace({column}, %(value)s, '') WHERE strpos({column}, %(value)s) > 0"
)
TEXTS = (("tasks", "question"), ("turns", "question"), ("interventions", "url"))
# Replace a deduplication key that names the document by one that is unique and meaningless.
BLANK_KEY = "UPDATE jobs SET dedupe_key = 'purged ' || id WHERE strpos(dedupe_key, %s) > 0"
# Blank the subject of a request that added the document, by a job or as a known document: the subject does
# not record which of its names belongs to which document.
FORGET_REQUEST = """UPDATE request_keys SET subject = %(removed)s
    WHERE strpos(reply_json, '"' || %(id)s || '"') > 0 OR EXISTS
        (SELECT 1 FROM jobs j WHERE j.id = ANY(%(jobs)s) AND j.kind IN ('ingest', 'fetch')
            AND strpos(request_keys.reply_json, '"' || j.id || '"') > 0)"""
# Blank any other subject that names a source of it.
FORGET_SUBJECT = "UPDATE request_keys SET subject = %s WHERE strpos(subject, %s) > 0"

# List the evidence that quotes a document.
QUOTED = "SELECT id, answer_id, number, snippet, body FROM evidence WHERE document_id = %s FOR UPDATE"
# Remove the quotation and the names of the document from evidence.
FORGET_QUOTATION = "UPDATE evidence SET snippet = NULL, body = %s WHERE id = %s"
# Read answers by ID.
ANSWERS = "SELECT id, body FROM answers WHERE id = ANY(%s) FOR UPDATE"
# Read the answers of runs.
ANSWERS_OF_RUNS = "SELECT id, body FROM answers WHERE run_id = ANY(%s) FOR UPDATE"
# Write an answer without the quotations.
SILENCE = "UPDATE answers SET body = %s WHERE id = %s"
# Delete cached result pages that contain an address of the document, since they quote it.
FORGET_CACHED = "DELETE FROM cache WHERE strpos(value_json, %s) > 0"
# Delete the record of the page that became the document.
FORGET_PAGES = "DELETE FROM page_memory WHERE document_id = %s"
# List the runs that were shown a document.
SHOWN_TO = "SELECT DISTINCT session_id FROM session_passages WHERE document_id = %s"
# Delete the steps of these runs.
FORGET_STEPS = "DELETE FROM steps WHERE run_id = ANY(%s)"
# Mark the runs as purged: they cannot be resumed.
PURGE_RUNS = "UPDATE runs SET state = 'purged' WHERE id = ANY(%s)"
# A partial answer in progress events may quote passages that the run was shown, and so may a verdict.
TOLD = (("jobs", "progress_json", "id"), ("events", "data_json", "job_id"))
TOLD_BY = "{key} = ANY(%(value)s) AND strpos({column}, '\"sentence\"') > 0"
TABLES_OF_TRACES = frozenset(
    {"answers", "cache", "evidence", "finds", "page_memory", "request_keys", "steps"}
    | {table for table, *_ in (*TOLD, *OF_JOBS, *ANYWHERE, *TEXTS)}
)
"""Tables that may contain traces of a document."""


def forget_copies(connection: Connection, document_id: str) -> None:
    """Erase all traces of a document; call this before the document itself is erased."""
    traces = _traces(connection, document_id)
    for place in sorted(traces.places):
        for form in json_forms(place):
            change(connection, FORGET_CACHED, (form,))
    change(connection, FORGET_PAGES, (document_id,))
    runs = [row.session_id for row in fetch_all(connection, SHOWN_TO, (document_id,))]
    change(connection, FORGET_STEPS, (runs,))
    change(connection, PURGE_RUNS, (runs,))
    for table, column, key in TOLD:
        _untell(connection, table, column, TOLD_BY.format(key=key, column=column), runs)
    for answer in fetch_all(connection, ANSWERS_OF_RUNS, (runs,)):
        change(connection, SILENCE, (blank_missing(answer.body), answer.id))
    _silence(connection, document_id, traces)
    _forget(connection, traces)


def _traces(connection: Connection, document_id: str) -> Traces:
    inputs = [_JobInput(json.loads(row.input)) for row in fetch_all(connection, GIVEN, (document_id,))]
    return traces_of(document_id, [*fetch_all(connection, NAMED, {"id": document_id}), *inputs])


class _JobInput:
    """A job's input, in the shape of a row of `NAMED`."""

    def __init__(self, job_input: dict[str, Any]) -> None:
        self.source = job_input.get("path") or ""
        self.name = job_input.get("title") or ""


def _silence(connection: Connection, document_id: str, traces: Traces) -> None:
    """Remove the quotations of a document from answers; the answers stay."""
    rows = fetch_all(connection, QUOTED, (document_id,))
    quotations: dict[str, list[tuple[int, str, str, str]]] = {}
    for row in rows:
        body = json.loads(row.body)
        what = (row.number, row.snippet, body.get("heading"), body.get("place"))
        quotations.setdefault(row.answer_id, []).append(what)
        change(connection, FORGET_QUOTATION, (_without_names(body), row.id))
    for answer in fetch_all(connection, ANSWERS, ([*quotations],)):
        silenced = silence_body(answer.body, quotations[answer.id], traces)
        change(connection, SILENCE, (silenced, answer.id))


def _without_names(body: dict[str, Any]) -> str:
    rest = {key: value for key, value in body.items() if key not in ("heading", "place")}
    blank = {"title": REMOVED, "document": "", "source_url": None, "link": ""}
    return json.dumps(rest | blank, ensure_ascii=False)


def _forget(connection: Connection, traces: Traces) -> None:
    """Blank the document's names in rows of the queue and the ledger.

    Sources are blanked everywhere, other names only in rows about the document.
    """
    places = [*traces.places]
    rows = fetch_all(connection, FOUND, {"id": traces.document_id, "places": places})
    jobs = sorted({row.job_id for row in rows})
    for table, column, key in OF_JOBS:
        for about, within in ((True, TAKING_IN), (False, NOT_TAKING_IN)):
            _rewrite(connection, traces, table, column, within.format(key=key), jobs, about=about)
    for table, column in ANYWHERE:
        for place in places:
            for form in json_forms(place):
                where = ANY_PLACE.format(column=column)
                _rewrite(connection, traces, table, column, where, form, about=False)
    for place in places:
        for table, column in TEXTS:
            change(connection, BLANK_TEXT.format(table=table, column=column), {"value": place})
        change(connection, BLANK_KEY, (place,))
        for form in subject_forms(place):
            change(connection, FORGET_SUBJECT, (REMOVED, form))
    change(connection, FORGET_REQUEST, {"removed": REMOVED, "id": traces.document_id, "jobs": jobs})
    for row in rows:
        change(connection, FORGET_FIND, (row.job_id, row.canonical_url))


def _rewrite(
    connection: Connection,
    traces: Traces,
    table: str,
    column: str,
    where: str,
    value: object,
    *,
    about: bool,
) -> None:
    for row in _json_rows(connection, table, column, where, value):
        blank = json.dumps(traces.blank(json.loads(row.text), about=about), ensure_ascii=False)
        _write_json(connection, table, column, where, {"value": value, "text": row.text, "blank": blank})


def _untell(connection: Connection, table: str, column: str, where: str, runs: list[str]) -> None:
    for row in _json_rows(connection, table, column, where, runs):
        facts = json.loads(row.text)
        for holder in (facts, facts.get("progress")):
            if isinstance(holder, dict):
                holder.pop("sentence", None)
                if holder.get("verdict"):
                    holder["verdict"] |= {"judgment_reason": "", "next_focus": "", "model_reason": ""}
        blank = json.dumps(facts, ensure_ascii=False)
        _write_json(connection, table, column, where, {"value": runs, "text": row.text, "blank": blank})


def _json_rows(connection: Connection, table: str, column: str, where: str, value: object) -> list[Row]:
    return fetch_all(connection, READ_JSON.format(table=table, column=column, where=where), {"value": value})


def _write_json(connection: Connection, table: str, column: str, where: str, values: dict[str, Any]) -> None:
    change(connection, WRITE_JSON.format(table=table, column=column, where=where), values)
