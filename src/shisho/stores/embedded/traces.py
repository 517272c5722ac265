"""Find and blank traces of a document in other rows, leaving the rest of their JSON intact."""

from __future__ import annotations

import json

import apsw

from shisho.domain.evidence import REMOVED
from shisho.stores.embedded.rows import ANY_OF, bind_list, fetch_all
from shisho.stores.sql.traces import ANYWHERE, OF_JOBS, Traces, json_forms, subject_forms, traces_of

# List the names of a document and its sources.
NAMED = """SELECT source, title AS name FROM documents WHERE id = :id
    UNION ALL SELECT source, '' FROM places WHERE document_id = :id
    UNION ALL SELECT url, title FROM finds WHERE document_id = :id
    UNION ALL SELECT canonical_url, '' FROM finds WHERE document_id = :id
    UNION ALL SELECT input_json ->> 'path', input_json ->> 'title' FROM jobs
        WHERE id IN (SELECT job_id FROM finds WHERE document_id = :id)
    UNION ALL SELECT '', value FROM document_meta WHERE document_id = :id"""
# List its finds. If a result page lists the document, the find that was never visited names it as well.
FOUND = f"SELECT job_id, canonical_url FROM finds WHERE document_id = ? OR (document_id IS NULL AND canonical_url IN {ANY_OF})"
# Blank a find that names the document.
FORGET_FIND = """UPDATE finds SET canonical_url = 'purged:' || seq, url = '', title = '', snippet = '', reason = NULL
    WHERE job_id = ? AND canonical_url = ?"""
# The conditions for jobs that added a document, and for all other jobs.
TAKING_IN = f"{{key}} IN (SELECT j.id FROM jobs j WHERE j.id IN {ANY_OF} AND j.kind IN ('ingest', 'fetch'))"
NOT_TAKING_IN = (
    f"{{key}} IN (SELECT j.id FROM jobs j WHERE j.id IN {ANY_OF} AND j.kind NOT IN ('ingest', 'fetch'))"
)
# The condition for a text anywhere in a column.
ANY_PLACE = "instr({column}, ?)"
# Read JSON that may name the document; table, column and condition are filled in.
READ_JSON = "SELECT DISTINCT {column} AS text FROM {table} WHERE {where} AND {column} IS NOT NULL"
# Write the JSON without the names.
WRITE_JSON = "UPDATE {table} SET {column} = ? WHERE {where} AND {column} = ?"
# Remove a source from text.
BLANK_TEXT = "UPDATE {table} SET {column} = replace({column}, ?1, '') WHERE instr({column}, ?1)"
# Replace a deduplication key that names the document by one that is unique and meaningless.
BLANK_KEY = "UPDATE jobs SET dedupe_key = 'purged ' || id WHERE instr(dedupe_key, ?)"

# Blank the subject of a request that added the document, by a job or as a known document: the subject does
# not record which of its names belongs to which document.
FORGET_REQUEST = f"""UPDATE request_keys SET subject = ? WHERE instr(reply_json, json_quote(?)) OR EXISTS
    (SELECT 1 FROM jobs j WHERE j.id IN {ANY_OF} AND j.kind IN ('ingest', 'fetch')
        AND instr(request_keys.reply_json, json_quote(j.id)))"""
# Blank any other subject that names a source of it.
FORGET_SUBJECT = "UPDATE request_keys SET subject = ? WHERE instr(subject, ?)"


def traces(connection: apsw.Connection, document_id: str) -> Traces:
    """Collect the names of a document; call this before the document is erased."""
    return traces_of(document_id, fetch_all(connection.execute(NAMED, {"id": document_id})))


def forget(connection: apsw.Connection, traces: Traces) -> None:
    """Blank the document's names in rows of the queue and the ledger.

    Sources are blanked everywhere, other names only in rows about the document.
    """
    rows = fetch_all(connection.execute(FOUND, (traces.document_id, bind_list(traces.places))))
    jobs = bind_list({row.job_id for row in rows})
    for table, column, key in OF_JOBS:
        for about, within in ((True, TAKING_IN), (False, NOT_TAKING_IN)):
            _rewrite(connection, traces, table, column, within.format(key=key), jobs, about=about)
    for table, column in ANYWHERE:
        for place in traces.places:
            for form in json_forms(place):
                _rewrite(
                    connection,
                    traces,
                    table,
                    column,
                    ANY_PLACE.format(column=column),
                    form,
                    about=False,
                )
    for place in traces.places:
        for table, column in (("tasks", "question"), ("turns", "question"), ("interventions", "url")):
            connection.execute(BLANK_TEXT.format(table=table, column=column), (place,))
        connection.execute(BLANK_KEY, (place,))
        for form in subject_forms(place):
            connection.execute(FORGET_SUBJECT, (REMOVED, form))
    connection.execute(FORGET_REQUEST, (REMOVED, traces.document_id, jobs))
    connection.executemany(FORGET_FIND, rows)


def _rewrite(
    connection: apsw.Connection,
    traces: Traces,
    table: str,
    column: str,
    where: str,
    value: str,
    *,
    about: bool,
) -> None:
    write = WRITE_JSON.format(table=table, column=column, where=where)
    for row in fetch_all(
        connection.execute(READ_JSON.format(table=table, column=column, where=where), (value,))
    ):
        blank = json.dumps(traces.blank(json.loads(row.text), about=about), ensure_ascii=False)
        connection.execute(write, (blank, value, row.text))
