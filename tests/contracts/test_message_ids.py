"""A library whose messages were stored as English sentences."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable

import pytest

from shisho.domain.codec import Payload, dumps
from shisho.domain.inquiry import Inquiry
from shisho.messages import Message, read_catalogue
from shisho.messages.catalogue import render
from shisho.stores.sql.migrating import COLUMNS, SENTENCES, identify_messages
from tests.contracts.conftest import EmbeddedStore, PostgresStore, Store
from tests.contracts.test_renamed_levels import reopen, run

FORGET = "DELETE FROM migrations WHERE name IN ('0086_message_ids.sql', '0105_message_ids.sql')"
REASON = {
    "template": "{engine}: {reason}",
    "text": "bing: no reason given",
    "values": {
        "engine": "bing",
        "reason": {"template": "no reason given", "text": "no reason given", "values": {}},
    },
}
MESSAGE = Message("common.name_reason", engine="bing", reason=Message("engine.no_reason"))


def test_every_sentence_has_an_id_that_there_is() -> None:
    ids = json.loads(SENTENCES.read_text("utf-8"))
    assert len(ids) > 500
    assert {sentence: id_ for sentence, id_ in ids.items() if id_ not in read_catalogue("en")} == {}


@pytest.mark.parametrize(
    ("stored", "identified"),
    [
        (REASON, json.loads(dumps(MESSAGE))),
        ({"reason": REASON, "n": 1}, {"reason": json.loads(dumps(MESSAGE)), "n": 1}),
        (["quoted", json.dumps(REASON)], ["quoted", json.dumps(REASON)]),
        (
            {"template": "a plug-in says {x}", "text": "", "values": {"x": 1}},
            {"id": "a plug-in says {x}", "values": {"x": 1}},
        ),
        ({"template": "not a message"}, {"template": "not a message"}),
    ],
)
def test_sentences_become_ids(stored: object, identified: object) -> None:
    assert json.loads(identify_messages(json.dumps(stored))) == identified


@pytest.mark.parametrize("text", ["no JSON {", "plain", '{"a": "\\"template\\""}', "[1, 2]"])
def test_other_text_stays_as_it_is(text: str) -> None:
    assert identify_messages(text) == text


async def read_facts(store: Store, into: list[str]) -> None:
    assert isinstance(store, (EmbeddedStore, PostgresStore))

    def work(connection: object) -> None:
        statement = "SELECT facts FROM runs"
        sql = statement if isinstance(store, EmbeddedStore) else statement.encode()
        rows = connection.execute(sql).fetchall()  # type: ignore[attr-defined]
        into.extend(row[0] for row in rows)

    await store.database.write(work)


@pytest.mark.parametrize("compress", [zlib.compress, bytes], ids=["compressed", "plain"])
async def test_a_stored_sentence_gets_its_id(compress: Callable[[bytes], bytes], store: Store) -> None:
    await store.ledger.begin(Inquiry("run1", "何か。"))
    await store.ledger.record("run1", 1, "answer", "0" * 64, Payload("{}"))
    content = json.dumps({"output": {"reason": REASON}, "documents": [], "texts": []})
    await run(
        store,
        ("UPDATE steps SET content = ?", (compress(content.encode()),)),
        ("UPDATE runs SET facts = ?", (json.dumps(REASON),)),
        (FORGET, ()),
    )

    async def check(opened: Store) -> None:
        (stored,) = await opened.ledger.list_steps("run1")
        assert stored.output.text == f'{{"reason":{dumps(MESSAGE)}}}'
        facts: list[str] = []
        await read_facts(opened, facts)
        assert facts == [dumps(MESSAGE)]

    await reopen(store, check)


EMBEDDED_COLUMNS = (
    "SELECT t.name, c.name FROM sqlite_master t JOIN pragma_table_info(t.name) c "
    "WHERE t.type = 'table' AND c.type = 'TEXT'"
)
POSTGRES_COLUMNS = (
    "SELECT table_name, column_name FROM information_schema.columns "
    "WHERE table_schema = current_schema() AND data_type = 'text'"
)
# Columns of JSON that never hold a message.
WITHOUT = {
    ("jobs", "input_json"),
    ("tasks", "budget_json"),
    ("tasks", "spent_json"),
    ("searches", "novelty_json"),
    ("searches", "harvest_json"),
    ("searches", "warnings_json"),
}


async def test_every_column_with_messages_is_listed(store: Store) -> None:
    def work(connection: object) -> set[tuple[str, str]]:
        sql = EMBEDDED_COLUMNS if isinstance(store, EmbeddedStore) else POSTGRES_COLUMNS.encode()
        return {tuple(row) for row in connection.execute(sql)}  # type: ignore[attr-defined]

    found = await store.database.write(work)  # type: ignore[attr-defined]
    assert set(COLUMNS) <= found
    texts = ("body", "facts", "warnings", "reason")
    named = {(table, column) for table, column in found if column.endswith("_json") or column in texts}
    assert named - set(COLUMNS) == WITHOUT


def test_an_identified_message_is_rendered_in_both_languages() -> None:
    from shisho.messages import read

    text = read(identify_messages(json.dumps(REASON)))
    assert text == "bing: " + read_catalogue("en")["engine.no_reason"]  # type: ignore[operator]
    assert render(text, "ja").startswith("bing: ") and render(text, "ja") != text
