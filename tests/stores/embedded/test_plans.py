"""A statement is planned once, whatever it is bound to."""

from __future__ import annotations

from pathlib import Path

import apsw

from shisho.bootstrap.library import open_library
from shisho.domain.corpus import Source
from shisho.stores.embedded import rows
from shisho.stores.embedded.home import connect
from shisho.stores.embedded.shelf import NEAR_DUPLICATES

BANDS_OF_ONE = "SELECT band FROM passage_bands LIMIT 12"
ALLOCATIONS = (
    apsw.SQLITE_DBSTATUS_LOOKASIDE_HIT,
    apsw.SQLITE_DBSTATUS_LOOKASIDE_MISS_SIZE,
    apsw.SQLITE_DBSTATUS_LOOKASIDE_MISS_FULL,
)


async def test_other_values_are_not_planned_for_anew(tmp_path: Path) -> None:
    async with open_library(home=tmp_path) as library:
        text = "決定係数は、回帰モデルの当てはまりのよさを表す指標である。"
        await library.documents.add_source(Source("note.md", f"# 覚書\n\n{text}\n".encode()))
    connection = connect(tmp_path / "shisho.db", readonly=True)
    first, *later = (count_allocations_of_a_look(connection, turn) for turn in range(4))
    connection.close()
    assert max(later) < first / 4, "what takes up so much memory is the planning"


def count_allocations_of_a_look(connection: apsw.Connection, turn: int) -> int:
    """How often SQLite takes memory for a look for near-duplicates by other bands and for another owner."""
    bands = [row[0] for row in connection.execute(BANDS_OF_ONE)]
    assert bands
    values = rows.bind_list([band + turn for band in bands])
    before = count_allocations(connection)
    connection.execute(NEAR_DUPLICATES, (values, f"owner{turn}")).fetchall()
    return count_allocations(connection) - before


def count_allocations(connection: apsw.Connection) -> int:
    return sum(connection.status(kind)[1] for kind in ALLOCATIONS)
