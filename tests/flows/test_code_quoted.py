"""Code that is quoted is shown by its lines, wherever it is shown; prose stays on one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from shisho.domain.inquiry import Answer
from shisho.services import Library
from tests.flows.conftest import Shell

LINES = (
    "def settle(amount):\n    # 精算額を計算する。\n    if amount < 0:\n        return 0\n    return amount"
)
PAGE = f"# 精算\n\n精算額は次の関数で\n計算する。\n\n```python\n{LINES}\n```\n"
QUESTION = "settle は精算額をどう計算するか"
BLOCK = f"\n```\n{LINES}\n```"


@pytest.fixture
async def answer(library: Library, tmp_path: Path) -> Answer:
    file = tmp_path / "精算.md"
    file.write_text(PAGE, "utf-8")
    assert [receipt.code async for receipt in library.documents.add(file)] == [""]
    return await library.questions.ask(QUESTION)


async def test_text_of_an_answer_has_code_between_fences(answer: Answer) -> None:
    (code,) = [evidence for evidence in answer.evidence if evidence.code]
    assert code.snippet == LINES
    assert f"▸ 精算{BLOCK}\n[{code.number}]\n" in answer.text


async def test_code_comes_with_the_paragraph_that_leads_it_in(library: Library, tmp_path: Path) -> None:
    """Although the code has no word of the question, and as a quotation that opens on its own lines."""
    file = tmp_path / "sweep.md"
    file.write_text(
        "# Sweeping\n\nTo remove old sheets, run this command.\n\n```\nsw -x 9\nsw -y\n```\n", "utf-8"
    )
    assert [receipt.code async for receipt in library.documents.add(file)] == [""]
    answer = await library.questions.ask("How do I remove old sheets?")
    lead, code = answer.evidence
    assert (lead.snippet, lead.code) == ("To remove old sheets, run this command.", False)
    assert (code.snippet, code.code, code.heading) == ("sw -x 9\nsw -y", True, "Sweeping")
    text = await library.documents.read_text(code.document_id)
    assert text[code.start : code.end] == code.snippet
    assert [(passage.text, passage.code) for passage in answer.passages] == [
        (lead.snippet, False),
        (code.snippet, True),
    ]
    assert (await library.questions.replay(answer.id)).is_same


async def test_exports_have_code_as_code(library: Library, answer: Answer) -> None:
    assert BLOCK in await library.exports.render(answer.id, "md")
    page = await library.exports.render(answer.id, "html")
    escaped = LINES.replace("<", "&lt;")
    assert page.count(f"<pre><code>{escaped}</code></pre>") == 2  # in the answer, and among what it quotes
    rows = [json.loads(row) for row in (await library.exports.render(answer.id, "jsonl")).splitlines()]
    assert [row["quotation"] for row in rows if row.get("code")] == [LINES]


async def test_a_search_shows_code_as_code(library: Library, answer: Answer) -> None:
    hits = await library.documents.search([QUESTION])
    assert [hit.text for hit in hits if hit.code] == [LINES]


async def test_a_purge_leaves_no_line_of_code(library: Library, answer: Answer) -> None:
    await library.documents.remove(answer.evidence[0].document_id, purge=True)
    assert "return amount" not in (await library.questions.get(answer.id)).text


@pytest.mark.slow
def test_the_shell_prints_code_by_its_lines(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "精算.md").write_text(PAGE, "utf-8")
    shell.run("add", str(tmp_path / "精算.md"))
    assert BLOCK in shell.run("ask", QUESTION).stdout
    indented = "".join(f"   {line}\n" for line in LINES.splitlines())
    assert indented in shell.run("search", QUESTION).stdout
