"""What every store promises of the record of who did what."""

from __future__ import annotations

import apsw
import psycopg
import pytest

from shisho.domain.team import AuditAct, AuditOutcome, AuditVerb
from tests.contracts.conftest import PostgresStore, Store


async def test_acts_are_told_newest_first_of_one_or_of_all(store: Store) -> None:
    await store.audit.record(AuditAct("local", AuditVerb.READ, ("doc_alone",)))
    assert list(await store.audit.list_entries(None, None, 9)) == []
    await store.users.add("taro")
    await store.audit.record(AuditAct("local", AuditVerb.LET_IN, ("taro",)))
    await store.audit.record(AuditAct("taro", AuditVerb.READ, ("doc_1", "doc_2")))
    newest, oldest = await store.audit.list_entries(None, None, 9)
    assert (newest.actor, newest.verb, newest.subjects) == ("taro", AuditVerb.READ, ("doc_1", "doc_2"))
    assert (oldest.actor, oldest.subjects) == ("local", ("taro",))
    assert list(await store.audit.list_entries(None, newest.seq, 9)) == [oldest]
    assert list(await store.audit.list_entries("taro", None, 9)) == [newest]
    assert list(await store.audit.list_entries(None, None, 1)) == [newest]


async def test_an_act_is_on_record_with_what_became_of_it(store: Store) -> None:
    act = AuditAct("taro", AuditVerb.ADD, ("default",), AuditOutcome.REFUSED, "QUOTA_EXHAUSTED")
    await store.audit.record(act)
    (entry,) = await store.audit.list_entries(None, None, 9)
    assert (entry.outcome, entry.code, entry.subjects) == (act.outcome, act.code, act.subjects)


async def test_what_is_on_record_can_be_neither_changed_nor_deleted(store: Store) -> None:
    await store.audit.record(AuditAct("taro", AuditVerb.ADD, ("default",)))
    changes = ["UPDATE audit SET actor = 'hanako'", "DELETE FROM audit"]
    if isinstance(store, PostgresStore):
        changes.append("TRUNCATE audit")
    before = await store.audit.list_entries(None, None, 9)
    for change in changes:
        with pytest.raises((apsw.Error, psycopg.Error), match="only ever added to"):
            await store.database.write(lambda connection, change=change: connection.execute(change) and None)
    assert list(await store.audit.list_entries(None, None, 9)) == list(before)
