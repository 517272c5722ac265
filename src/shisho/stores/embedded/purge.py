"""Erase the text and passages of a document, every snippet, and every copy in the ledger."""

from __future__ import annotations

import json

import apsw

from shisho.domain.evidence import REMOVED
from shisho.stores.embedded.rows import fetch_all
from shisho.stores.embedded.traces import forget, traces
from shisho.stores.sql.traces import Traces, blank_missing, silence_body

# Blank a document; it keeps its ID, the hash of its bytes and its times.
DOCUMENT = "UPDATE documents SET warnings = '[]', source = '', title = '' WHERE id = ?"
# Remove the quotation and the names of the document from evidence.
EVIDENCE = """UPDATE evidence SET snippet = NULL, body = json_set(json_remove(body, '$.heading', '$.place'),
        '$.title', ?, '$.document', '', '$.source_url', NULL, '$.link', '')
    WHERE document_id = ?"""
# Delete cached result pages that contain an address of the document, since they quote it.
CACHED = """DELETE FROM cache WHERE EXISTS (SELECT 1 FROM
        (SELECT source AS url FROM documents WHERE id = :document_id
         UNION SELECT url FROM finds WHERE document_id = :document_id
         UNION SELECT canonical_url FROM finds WHERE document_id = :document_id)
    WHERE url <> '' AND instr(cache.value_json, trim(json_quote(url), '"')))"""

# Find the older versions of a changed file, whose texts are still stored.
VERSIONS = """SELECT old.id FROM documents d JOIN documents old ON old.corpus_id = d.corpus_id AND old.id <> d.id
    WHERE d.id = ? AND old.source = d.source AND old.state IN ('superseded', 'removed')"""

# Purge an older version too.
PURGE = "UPDATE documents SET state = 'purged' WHERE id = ?"
# List the runs that were shown a document.
SHOWN_TO = "SELECT DISTINCT session_id FROM session_passages WHERE document_id = ?"
# Delete the steps of such a run.
FORGET_STEPS = "DELETE FROM steps WHERE run_id = ?"
# Mark the run as purged: it cannot be resumed.
PURGE_RUN = "UPDATE runs SET state = 'purged' WHERE id = ?"
# Read the answer of such a run.
ANSWERS_OF_RUN = "SELECT id, body FROM answers WHERE run_id = ?"
# A partial answer in a job's progress may quote passages that the run was shown, and so may a verdict.
UNTELL_JOB = """UPDATE jobs SET progress_json = json_replace(json_remove(progress_json, '$.sentence'),
        '$.verdict.judgment_reason', '', '$.verdict.next_focus', '', '$.verdict.model_reason', '')
    WHERE id = ?"""
# Remove the same from the events of its job.
UNTELL_EVENTS = """UPDATE events SET data_json = json_replace(json_remove(data_json, '$.progress.sentence'),
        '$.progress.verdict.judgment_reason', '', '$.progress.verdict.next_focus', '',
        '$.progress.verdict.model_reason', '')
    WHERE job_id = ? AND (data_json ->> '$.progress.sentence' <> ''
        OR data_json ->> '$.progress.verdict' IS NOT NULL)"""
# Delete the text and the metadata of a document; the table is filled in.
EMPTY = "DELETE FROM {table} WHERE document_id = ?"
HOLD_TEXT = (
    "short_names",
    "definitions",
    "passages",
    "parts",
    "arrivals",
    "document_meta",
    "page_memory",
    "places",
)
# Read answers that quote a document, with their quotations.
QUOTING = """SELECT a.id, a.body,
        json_group_array(json_array(e.number, e.snippet, e.body ->> 'heading', e.body ->> 'place')) AS quoted
    FROM evidence e JOIN answers a ON a.id = e.answer_id WHERE e.document_id = ? GROUP BY a.id"""
# Write an answer without the quotations.
SILENCE = "UPDATE answers SET body = ? WHERE id = ?"


def erase(connection: apsw.Connection, document_id: str) -> None:
    """Erase a document and the older versions of its file, in the caller's transaction.

    Answers that quoted them stay, without the quotations. The document keeps its ID, the hash of its bytes
    and its times.
    """
    for version in fetch_all(connection.execute(VERSIONS, (document_id,))):
        connection.execute(PURGE, (version.id,))
        _erase(connection, version.id)
    _erase(connection, document_id)


def _erase(connection: apsw.Connection, document_id: str) -> None:
    named_traces = traces(connection, document_id)
    connection.execute(CACHED, {"document_id": document_id})
    for run in fetch_all(connection.execute(SHOWN_TO, (document_id,))):
        connection.execute(FORGET_STEPS, (run.session_id,))
        for statement in (PURGE_RUN, UNTELL_JOB, UNTELL_EVENTS):
            connection.execute(statement, (run.session_id,))
        for answer in fetch_all(connection.execute(ANSWERS_OF_RUN, (run.session_id,))):
            connection.execute(SILENCE, (blank_missing(answer.body), answer.id))
    _silence_answers(connection, document_id, named_traces)
    connection.execute(EVIDENCE, (REMOVED, document_id))
    forget(connection, named_traces)
    for table in HOLD_TEXT:
        connection.execute(EMPTY.format(table=table), (document_id,))
    connection.execute(DOCUMENT, (document_id,))


def _silence_answers(connection: apsw.Connection, document_id: str, traces: Traces) -> None:
    for row in fetch_all(connection.execute(QUOTING, (document_id,))):
        body = silence_body(row.body, json.loads(row.quoted), traces)
        connection.execute(SILENCE, (body, row.id))
