"""Erase what a purge promises to erase: the text, its passages, every snippet and every copy in the ledger."""

from __future__ import annotations

import json
from typing import Any

import apsw

from shisho.language.display import running
from shisho.stores.embedded.rows import every

REMOVED = "(出典は削除されました / source removed)"

# A kept result page quotes the page it lists: what names an address of the document goes.
CACHED = """DELETE FROM cache WHERE EXISTS (SELECT 1 FROM
        (SELECT source AS url FROM documents WHERE id = :document_id
         UNION SELECT url FROM finds WHERE document_id = :document_id
         UNION SELECT canonical_url FROM finds WHERE document_id = :document_id)
    WHERE url <> '' AND instr(cache.value_json, trim(json_quote(url), '"')))"""

# The results of searches name the page by its title.
TOLD = """UPDATE jobs SET output_json = json_set(output_json, '$.hits', json((SELECT json_group_array(
        CASE WHEN hit.value ->> 'document_id' = :document_id THEN json_set(hit.value, '$.title', '') ELSE json(hit.value) END)
        FROM json_each(jobs.output_json, '$.hits') hit)))
    WHERE json_type(output_json, '$.hits') = 'array' AND id IN (SELECT job_id FROM finds WHERE document_id = :document_id)"""


def erase(connection: apsw.Connection, document_id: str) -> None:
    """Inside the caller's transaction. Answers that quoted the document stay, with the quotations gone."""
    connection.execute("UPDATE documents SET text = NULL, layout = NULL, warnings = '[]' WHERE id = ?", (document_id,))
    connection.execute("DELETE FROM passages WHERE document_id = ?", (document_id,))
    connection.execute("DELETE FROM document_meta WHERE document_id = ?", (document_id,))
    connection.execute(CACHED, {"document_id": document_id})
    connection.execute("DELETE FROM page_memory WHERE document_id = ?", (document_id,))
    connection.execute(TOLD, {"document_id": document_id})
    connection.execute("UPDATE finds SET title = '', snippet = '' WHERE document_id = ?", (document_id,))
    query = "SELECT DISTINCT session_id FROM session_passages WHERE document_id = ?"
    for (run,) in every(connection.execute(query, (document_id,))):
        connection.execute("DELETE FROM steps WHERE run_id = ?", (run,))
        connection.execute("UPDATE runs SET state = 'purged' WHERE id = ?", (run,))
    _silence_answers(connection, document_id)
    connection.execute(
        "UPDATE evidence SET snippet = NULL, body = json_remove(body, '$.heading') WHERE document_id = ?", (document_id,)
    )


def _silence_answers(connection: apsw.Connection, document_id: str) -> None:
    query = """SELECT a.id, a.body, json_group_array(json_array(e.number, e.snippet, e.body ->> 'heading'))
        FROM evidence e JOIN answers a ON a.id = e.answer_id WHERE e.document_id = ? GROUP BY a.id"""
    for answer_id, body, gone in every(connection.execute(query, (document_id,))):
        answer = _silenced(json.loads(body), json.loads(gone))
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
