"""Questions that follow each other: in the shell, from Python, over the tools, and erased."""

from __future__ import annotations

from pathlib import Path

import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.corpus import Source
from shisho.domain.task import AskOptions, Sources
from shisho.errors import KeyConflict, NotFound
from tests.flows.conftest import Shell
from tests.flows.smallweb import answered
from tests.flows.test_purge import left

TEXT = """# 樹氷

樹氷とは、過冷却の水滴が木に凍り付いたものである。
樹氷が白いのは、気泡を多く含むためである。

# 霧氷

霧氷とは、霧の粒が物に凍り付いたものの総称である。
"""
OTHER = "樹氷は駅前の喫茶店の名であり、そこでは白い菓子が出る。\n"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    (tmp_path / "氷.md").write_text(TEXT, "utf-8")
    return tmp_path / "氷.md"


@pytest.mark.slow
def test_the_shell_goes_on_with_new_words(shell: Shell, notes: Path) -> None:
    shell("add", str(notes))
    first = shell("ask", "樹氷とは何か", "--json")
    shown = shell("ask", "--continue", "last", "それはなぜ白いのか")
    assert "「樹氷とは何か → それはなぜ白いのか」と解釈しました" in shown and "気泡を多く含む" in shown
    third = shell("ask", "--continue", first["id"], "では霧氷は?", "--json")
    assert (
        third["question"] == "では霧氷は?"
        and third["understood"] == "樹氷とは何か → それはなぜ白いのか → では霧氷は?"
    )
    assert third["conversation_id"] == first["conversation_id"] == first["task_id"]
    assert "→ では霧氷は?」と解釈しました" in shell("show", "last")
    told = shell("conversation")
    assert (
        "1. 樹氷とは何か" in told
        and "→ 樹氷とは何か → それはなぜ白いのか" in told
        and told.count("では霧氷は?") == 2
    )
    error = shell("ask", "--continue", "nowhere", "それは?", "--json", code=1)
    assert error["code"] == "RESOURCE_NOT_FOUND" and "会話" in error["message"]


@pytest.mark.slow
def test_an_erased_conversation_leaves_nothing_behind(shell: Shell, notes: Path) -> None:
    shell("add", str(notes))
    shell("ask", "縞馬の樹氷とは何か")
    shell("ask", "--continue", "last", "それはなぜ白い縞馬なのか")
    home = Path(shell.environment["SHISHO_HOME"])
    assert left(home, ["縞馬"])
    assert "--yes" in shell.run("conversation", "--remove", "last").stderr
    removed = shell("conversation", "last", "--remove", "--yes", "--json")
    assert (removed["turns"], removed["answers"]) == (2, 2)
    assert not left(home, ["縞馬"])
    shell("show", "last", "--json", code=1)


async def test_a_question_looks_where_the_one_before_it_did(tmp_path: Path) -> None:
    async with open_library(home=tmp_path / "home") as library:
        await library.documents.add_source(Source("氷.md", TEXT.encode(), "text/markdown"), "自然")
        await library.documents.add_source(Source("街.txt", OTHER.encode(), "text/plain"), "街")
        first = await library.questions.ask("樹氷とは何か", corpora="自然")
        second = await library.questions.ask("それはなぜ白いのか", conversation=first.conversation_id)
        assert {evidence.document for evidence in second.evidence} == {"氷.md"}
        await library.documents.add_source(
            Source("灯.txt", "街灯とは、道を照らす灯りである。\n".encode()), "街"
        )
        third = await library.questions.ask("街灯とは何か", conversation=first.conversation_id)
        assert third.abstained
        asked = {"conversation": first.conversation_id, "anywhere": True}
        fourth = await library.questions.ask("街灯とは何か", **asked)
        assert {evidence.document for evidence in fourth.evidence} == {"灯.txt"}
        async with library.working(1):
            options = AskOptions(sources=Sources.DOCUMENTS, **asked)
            fifth = await answered(library, await library.questions.queue("街灯とは何か", options=options))
        assert {evidence.document for evidence in fifth.evidence} == {"灯.txt"}
        wide = await library.questions.ask("樹氷はなぜ白いのか", corpora=["自然", "街"])
        assert wide.conversation_id != first.conversation_id and wide.understood == ""
        with pytest.raises(NotFound, match="conversation"):
            await library.questions.ask("それは?", conversation="nowhere")


async def test_a_queued_question_follows_one_that_still_waits(tmp_path: Path) -> None:
    async with open_library(home=tmp_path / "home", web="off") as library:
        await library.documents.add_source(Source("氷.md", TEXT.encode(), "text/markdown"))
        documents = AskOptions(sources=Sources.DOCUMENTS)
        first = await library.questions.queue("樹氷とは何か", options=documents, wait=0)
        follows = AskOptions(sources=Sources.DOCUMENTS, conversation=first.conversation_id)
        asked = {"options": follows, "idempotency_key": "k1", "wait": 0}
        second = await library.questions.queue("それはなぜ白いのか", **asked)
        again = await library.questions.queue("それはなぜ白いのか", **asked)
        assert again.answer_id == second.answer_id and again.conversation_id == first.conversation_id
        with pytest.raises(KeyConflict):
            await library.questions.queue("それはなぜ白いのか", idempotency_key="k1", wait=0)
        async with library.working():
            answer = await answered(library, second)
        assert answer.understood == "樹氷とは何か → それはなぜ白いのか"
        assert [turn.number for turn in await library.conversations.list_turns(first.conversation_id)] == [
            1,
            2,
        ]
        removed = await library.conversations.remove("last")
        assert removed.turns == 2 and removed.kept_tasks == ()
        assert not (await library.tasks.list()).tasks
