"""What names a document in rows that are not its own: found, and blanked in JSON without harm to what stands beside it."""

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

NAMED = """SELECT source, title FROM documents WHERE id = :id
    UNION ALL SELECT source, '' FROM places WHERE document_id = :id
    UNION ALL SELECT url, title FROM finds WHERE document_id = :id
    UNION ALL SELECT canonical_url, '' FROM finds WHERE document_id = :id
    UNION ALL SELECT input_json ->> 'path', input_json ->> 'title' FROM jobs
        WHERE id IN (SELECT job_id FROM finds WHERE document_id = :id)
    UNION ALL SELECT '', value FROM document_meta WHERE document_id = :id"""
# Of a result page that lists the document, the row that was never visited tells of it as well.
FOUND = f"SELECT job_id, canonical_url FROM finds WHERE document_id = ? OR (document_id IS NULL AND canonical_url IN {ANY_OF})"
FORGET_FIND = """UPDATE finds SET canonical_url = 'purged:' || seq, url = '', title = '', snippet = '', reason = NULL
    WHERE job_id = ? AND canonical_url = ?"""

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
    """How a document is named: its `places` (full paths and addresses, which name nothing else), and its `names` (of its
    file, its title, what was said of it), which mean it only where a row is about it."""

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
    sources = {source for source, _ in rows if source}
    places = frozenset(source for source in sources if "/" in source or "\\" in source)
    files = {source.replace("\\", "/").rstrip("/").rpartition("/")[2] for source in sources}
    stems = {name.rpartition(".")[0] for name in files}
    titles = {title for _, title in rows if title}
    return Traces(document_id, places, frozenset(filter(None, sources | files | stems | titles)) - places)


def forget(connection: apsw.Connection, named: Traces) -> None:
    """Blank them in the queue's rows and the ledger's: wherever a place stands, and names in what is about the document."""
    found = every(connection.execute(FOUND, (named.document_id, listed(named.places))))
    jobs = listed({job for job, _ in found})
    for table, column, key in OF_JOBS:
        for about, kinds in ((True, "IN"), (False, "NOT IN")):
            within = f"{key} IN (SELECT id FROM jobs WHERE id IN {ANY_OF} AND kind {kinds} ('ingest', 'fetch'))"
            _rewrite(connection, named, table, column, within, jobs, about=about)
    for table, column in ANYWHERE:
        for place in named.places:
            for form in sorted({place, json.dumps(place, ensure_ascii=False)[1:-1]}):
                _rewrite(connection, named, table, column, f"instr({column}, ?)", form, about=False)
    for place in named.places:
        for table, column in (("tasks", "question"), ("interventions", "url")):
            connection.execute(f"UPDATE {table} SET {column} = replace({column}, ?1, '') WHERE instr({column}, ?1)", (place,))
        connection.execute("UPDATE jobs SET dedupe_key = 'purged ' || id WHERE instr(dedupe_key, ?)", (place,))
    connection.executemany(FORGET_FIND, found)


def _rewrite(
    connection: apsw.Connection, named: Traces, table: str, column: str, where: str, value: str, *, about: bool
) -> None:
    query = f"SELECT DISTINCT {column} FROM {table} WHERE {where} AND {column} IS NOT NULL"
    for (text,) in every(connection.execute(query, (value,))):
        blank = json.dumps(named.blanked(json.loads(text), about=about), ensure_ascii=False)
        connection.execute(f"UPDATE {table} SET {column} = ? WHERE {where} AND {column} = ?", (blank, value, text))
