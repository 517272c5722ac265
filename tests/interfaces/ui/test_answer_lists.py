"""The lists of an answer: quoted items have one bullet, as in every other form of an answer."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser

from shisho.language.display import split_item
from tests.interfaces.ui.room import Reader, visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")

ITEMS = (
    "- 係員の指示に従うこと。",
    "・火気を使わないこと。",
    "（1）販売しないこと。\n  - 福祉団体は除く。",
    "甲：\n- 乙\n  - 丙",
    "* first\n  continued",
    "- 40℃で保つ。",
    "- ４０℃で保つ。",
    "* 印は必須。",
    "1. 甲",
    "-x is negative",
)
EVIDENCE = {
    "number": 1,
    "id": "e1",
    "document_id": "d1",
    "document": "rules.md",
    "title": "規則",
    "heading": "",
}
ANSWER = {
    "id": "a1",
    "model": "none",
    "level": "answered",
    "loop_stop": "CONDITION_MET",
    "condition": "G1",
    "rounds": 1,
    "created_at": "2026-01-01T00:00:00Z",
    "budget_used": {},
    "evidence": [{**EVIDENCE, "source_state": "live", "snippet": "甲", "place": "", "page": None}],
    "missing": [],
    "goals": [],
    "goal_status": [],
}
SHOW = """
async (answer) => {
  const { showAnswer } = await import(new URL("answer.js", document.querySelector("script[type=module]").src));
  const lists = showAnswer(answer, null).querySelectorAll(":scope > ul, :scope > .notice > ul");
  const isText = (node) => !["UL", "BLOCKQUOTE"].includes(node.nodeName);
  const text = (item) => [...item.childNodes].filter(isText).map((node) => node.textContent).join("");
  const lines = (item) => [text(item), ...[...item.querySelectorAll("li")].map(text)];
  return [...lists].map((list) => [...list.children].map(lines));
}
"""


async def test_a_quoted_item_has_one_bullet_and_its_nested_items_are_a_list(
    browser: Browser, reader: Reader
) -> None:
    sentences = [{"text": text, "evidence": [], "support": None} for text in ITEMS]
    cited = {**sentences[3], "evidence": [1]}
    blocks = [
        {"kind": "list", "items": [*sentences, cited], "signs": []},
        {"kind": "contradicted", "sentences": sentences},
    ]
    async with visiting(browser, reader) as visit:
        await visit.open("/")
        listed, contradicted = await visit.page.evaluate(SHOW, {**ANSWER, "blocks": blocks})
    assert listed == [*map(split_item, ITEMS), ["甲：", "乙", "丙[1]"]]
    assert contradicted == [*map(split_item, ITEMS)]
