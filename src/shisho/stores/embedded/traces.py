"""Traces of a document in rows that are not its own: found, and blanked in JSON without harm to what
stands beside it."""

from __future__ import annotations

import json

import apsw

from shisho.domain.evidence import REMOVED
from shisho.stores.embedded.rows import ANY_OF, bind_list, fetch_all
from shisho.stores.traces import ANYWHERE, OF_JOBS, Traces, json_forms, subject_forms, traces_of

# How a document is named, and what else stands for it in places.
NAMED = """SELECT source, title AS name FROM documents WHERE id = :id
    UNION ALL SELECT source, '' FROM places WHERE document_id = :id
    UNION ALL SELECT url, title FROM finds WHERE document_id = :id
    UNION ALL SELECT canonical_url, '' FROM finds WHERE document_id = :id
    UNION ALL SELECT input_json ->> 'path', input_json ->> 'title' FROM jobs
        WHERE id IN (SELECT job_id FROM finds WHERE document_id = :id)
    UNION ALL SELECT '', value FROM document_meta WHERE document_id = :id"""
# Of a result page that lists the document, the row that was never visited tells of it as well.
FOUND = f"SELECT job_id, canonical_url FROM finds WHERE document_id = ? OR (document_id IS NULL AND canonical_url IN {ANY_OF})"
# A find that names the document.
FORGET_FIND = """UPDATE finds SET canonical_url = 'purged:' || seq, url = '', title = '', snippet = '', reason = NULL
    WHERE job_id = ? AND canonical_url = ?"""
# Jobs that took a document in, or none of them.
TAKING_IN = f"{{key}} IN (SELECT j.id FROM jobs j WHERE j.id IN {ANY_OF} AND j.kind IN ('ingest', 'fetch'))"
NOT_TAKING_IN = (
    f"{{key}} IN (SELECT j.id FROM jobs j WHERE j.id IN {ANY_OF} AND j.kind NOT IN ('ingest', 'fetch'))"
)
# Wherever something stands.
ANY_PLACE = "instr({column}, ?)"
# JSON that may name the document; table, column and condition are filled in.
READ_JSON = "SELECT DISTINCT {column} AS text FROM {table} WHERE {where} AND {column} IS NOT NULL"
# The same with the names gone.
WRITE_JSON = "UPDATE {table} SET {column} = ? WHERE {where} AND {column} = ?"
# Text without a place.
BLANK_TEXT = "UPDATE {table} SET {column} = replace({column}, ?1, '') WHERE instr({column}, ?1)"
# A key that names the document keeps other requests apart, and says nothing any more.
BLANK_KEY = "UPDATE jobs SET dedupe_key = 'purged ' || id WHERE instr(dedupe_key, ?)"

# Of a request that handed the document in, by a job or as one that was known, its key says so no more: which
# of the documents its subject names is not kept.
FORGET_REQUEST = f"""UPDATE request_keys SET subject = ? WHERE instr(reply_json, json_quote(?)) OR EXISTS
    (SELECT 1 FROM jobs j WHERE j.id IN {ANY_OF} AND j.kind IN ('ingest', 'fetch')
        AND instr(request_keys.reply_json, json_quote(j.id)))"""
# Any other subject that names a place of it.
FORGET_SUBJECT = "UPDATE request_keys SET subject = ? WHERE instr(subject, ?)"


def traces(connection: apsw.Connection, document_id: str) -> Traces:
    """Read before anything of the document is erased."""
    return traces_of(document_id, fetch_all(connection.execute(NAMED, {"id": document_id})))


def forget(connection: apsw.Connection, traces: Traces) -> None:
    """Blank them in the queue's rows and the ledger's: wherever a place stands, and names in what is about
    the document."""
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
