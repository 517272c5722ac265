"""What every store promises of the record of who did what."""

from __future__ import annotations

from shisho.domain.audit import AuditVerb
from tests.contracts.conftest import Store


async def test_acts_are_told_newest_first_of_one_or_of_all(store: Store) -> None:
    await store.audit.record("local", AuditVerb.READ, ["doc_alone"])
    assert list(await store.audit.list_entries(None, None, 9)) == []
    await store.users.add("taro")
    await store.audit.record("local", AuditVerb.LET_IN, ["taro"])
    await store.audit.record("taro", AuditVerb.READ, ["doc_1", "doc_2"])
    newest, oldest = await store.audit.list_entries(None, None, 9)
    assert (newest.actor, newest.verb, newest.subjects) == ("taro", AuditVerb.READ, ("doc_1", "doc_2"))
    assert (oldest.actor, oldest.subjects) == ("local", ("taro",))
    assert list(await store.audit.list_entries(None, newest.seq, 9)) == [oldest]
    assert list(await store.audit.list_entries("taro", None, 9)) == [newest]
    assert list(await store.audit.list_entries(None, None, 1)) == [newest]
