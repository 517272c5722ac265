"""Traces of a document in rows that are not its own: found, and blanked in JSON without harm to what
stands beside it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import apsw

from shisho.stores.embedded.rows import ANY_OF, every, listed

# Shorter words stand in too much else: such a name is blanked only where it is all that is said.
TELLING = 4
# Under these keys stands something else, whatever the document is called.
IDS = ("id", "task_id", "job_id", "document_id")
OTHERS = frozenset((*IDS, "kind", "owner", "corpus", "question", "query", "state", "outcome"))

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
    """How a document is named: its `places` (full paths and addresses, which name nothing else), and its
    `names` (of its file, its title, what was said of it), which mean it only where a row is about it."""

    document_id: str
    places: frozenset[str]
    names: frozenset[str]

    def blanked(self, value: Any, *, about: bool = False) -> Any:
        """JSON data without them. `about`: it is about this document, and names count as well as places."""
        if isinstance(value, dict):
            about = about or value.get("document_id") == self.document_id or value.get("url") in self.places
            return {key: self._member(key, member, about=about) for key, member in value.items()}
        if isinstance(value, list):
            return [self.blanked(member, about=about) for member in value]
        return self.without(value, about=about) if isinstance(value, str) else value

    def without(self, text: str, *, about: bool) -> str:
        words = self.places | self.names if about else self.places
        if text in words:
            return ""
        for word in sorted((word for word in words if len(word) >= TELLING), key=len, reverse=True):
            text = text.replace(word, "")
        return text

    def _member(self, key: str, member: Any, *, about: bool) -> Any:
        if about and key == "metadata":
            return {}
        return member if key in OTHERS else self.blanked(member, about=about)


def traces(connection: apsw.Connection, document_id: str) -> Traces:
    """Read before anything of the document is erased."""
    rows = every(connection.execute(NAMED, {"id": document_id}))
    sources = {row.source for row in rows if row.source}
    places = frozenset(source for source in sources if "/" in source or "\\" in source)
    files = {source.replace("\\", "/").rstrip("/").rpartition("/")[2] for source in sources}
    stems = {name.rpartition(".")[0] for name in files}
    titles = {row.name for row in rows if row.name}
    return Traces(document_id, places, frozenset(filter(None, sources | files | stems | titles)) - places)


def forget(connection: apsw.Connection, traces: Traces) -> None:
    """Blank them in the queue's rows and the ledger's: wherever a place stands, and names in what is about
    the document."""
    rows = every(connection.execute(FOUND, (traces.document_id, listed(traces.places))))
    jobs = listed({row.job_id for row in rows})
    for table, column, key in OF_JOBS:
        for about, within in ((True, TAKING_IN), (False, NOT_TAKING_IN)):
            _rewrite(connection, traces, table, column, within.format(key=key), jobs, about=about)
    for table, column in ANYWHERE:
        for place in traces.places:
            for form in sorted({place, json.dumps(place, ensure_ascii=False)[1:-1]}):
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
    for row in every(connection.execute(READ_JSON.format(table=table, column=column, where=where), (value,))):
        blank = json.dumps(traces.blanked(json.loads(row.text), about=about), ensure_ascii=False)
        connection.execute(write, (blank, value, row.text))
