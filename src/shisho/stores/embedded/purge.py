"""Erase what a purge promises to erase: the text, its passages, every snippet and every copy in the ledger."""

from __future__ import annotations

import json
from typing import Any

import apsw

from shisho.language.display import running
from shisho.stores.embedded.rows import every
from shisho.stores.embedded.traces import Traces, forget, traces

REMOVED = "(出典は削除されました / source removed)"

DOCUMENT = "UPDATE documents SET warnings = '[]', source = '', title = '' WHERE id = ?"
EVIDENCE = """UPDATE evidence SET snippet = NULL, body = json_set(json_remove(body, '$.heading'),
        '$.title', ?, '$.document', '', '$.source_url', NULL, '$.link', '')
    WHERE document_id = ?"""
# A kept result page quotes the page it lists: what names an address of the document goes.
CACHED = """DELETE FROM cache WHERE EXISTS (SELECT 1 FROM
        (SELECT source AS url FROM documents WHERE id = :document_id
         UNION SELECT url FROM finds WHERE document_id = :document_id
         UNION SELECT canonical_url FROM finds WHERE document_id = :document_id)
    WHERE url <> '' AND instr(cache.value_json, trim(json_quote(url), '"')))"""

# A file that has changed since it was added has left its older texts behind.
VERSIONS = """SELECT old.id FROM documents d JOIN documents old ON old.corpus_id = d.corpus_id AND old.id <> d.id
    WHERE d.id = ? AND old.source = d.source AND old.state IN ('superseded', 'removed')"""


def erase(connection: apsw.Connection, document_id: str) -> None:
    """The document and the older versions of its file, inside the caller's transaction. Answers that quoted them stay, with
    the quotations gone; of the document its id, the hash of its bytes and its times are left."""
    for (version,) in every(connection.execute(VERSIONS, (document_id,))):
        connection.execute("UPDATE documents SET state = 'purged' WHERE id = ?", (version,))
        _erase(connection, version)
    _erase(connection, document_id)


def _erase(connection: apsw.Connection, document_id: str) -> None:
    named = traces(connection, document_id)
    connection.execute(CACHED, {"document_id": document_id})
    query = "SELECT DISTINCT session_id FROM session_passages WHERE document_id = ?"
    for (run,) in every(connection.execute(query, (document_id,))):
        connection.execute("DELETE FROM steps WHERE run_id = ?", (run,))
        connection.execute("UPDATE runs SET state = 'purged' WHERE id = ?", (run,))
    _silence_answers(connection, document_id, named)
    connection.execute(EVIDENCE, (REMOVED, document_id))
    forget(connection, named)
    connection.execute("DELETE FROM passages WHERE document_id = ?", (document_id,))
    for table in ("parts", "arrivals", "document_meta", "page_memory", "places"):
        connection.execute(f"DELETE FROM {table} WHERE document_id = ?", (document_id,))
    connection.execute(DOCUMENT, (document_id,))


def _silence_answers(connection: apsw.Connection, document_id: str, named: Traces) -> None:
    query = """SELECT a.id, a.body, json_group_array(json_array(e.number, e.snippet, e.body ->> 'heading'))
        FROM evidence e JOIN answers a ON a.id = e.answer_id WHERE e.document_id = ? GROUP BY a.id"""
    for answer_id, body, gone in every(connection.execute(query, (document_id,))):
        answer = _silenced(json.loads(body), json.loads(gone))
        answer = {key: named.blanked(part, about=key not in ("question", "goals")) for key, part in answer.items()}
        connection.execute("UPDATE answers SET body = ? WHERE id = ?", (json.dumps(answer, ensure_ascii=False), answer_id))


def _silenced(answer: dict[str, Any], gone: list[tuple[int, str, str]]) -> dict[str, Any]:
    numbers = {number for number, _, _ in gone}
    told = [text or "" for _, snippet, heading in gone for text in (snippet, heading)]
    traces = [trace for text in told for trace in (text, running(text)) if trace]
    for sentence in answer["sentences"]:
        if numbers.intersection(sentence["evidence"]):
            traces.insert(0, sentence["text"])
            sentence["text"] = REMOVED
    for trace in traces:
        answer["text"] = answer["text"].replace(trace, REMOVED)
    return answer
