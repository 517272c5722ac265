"""A task is shared with a group: its members see how it stands and its answer, without a word of what they
may not read."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from shisho.domain.job import TaskId
from shisho.domain.task import AskOptions, Sources
from shisho.domain.team import AuditVerb
from shisho.errors import InvalidParams, NotFound, TaskNotFound
from tests.flows.smallweb import answered
from tests.flows.test_granted_corpora import KEY, TARO, desks

QUESTION = "決定係数とは何か"


async def test_members_read_and_only_the_owner_and_who_runs_the_library_stop(tmp_path: Path) -> None:
    async with desks(tmp_path) as (hanako, taro, grants):
        local = hanako.for_owner("local")
        for name in ("hanako", "taro", "jiro"):
            await local.team.add_user(name)
        await local.team.add_group("lab")
        await local.team.join("lab", "hanako", "taro")
        options = AskOptions(("papers",), {}, Sources.DOCUMENTS, {}, "")
        async with local.working(1):
            made = await hanako.questions.queue(QUESTION, options=options)
            answer = await answered(hanako, made)
        for reading in (
            taro.tasks.get_status(made.task_id, wait=0),
            taro.questions.wait(made.answer_id),
        ):
            with pytest.raises(NotFound):
                await reading
        with pytest.raises(NotFound):
            await taro.tasks.share(made.task_id, "lab")
        with pytest.raises(NotFound):
            await hanako.for_owner("jiro").tasks.share("last", "lab")
        await hanako.tasks.share(made.task_id, "lab")

        status = await taro.tasks.get_status(made.task_id, wait=0)
        assert (status.status, status.question, status.answer_id) == ("completed", QUESTION, made.answer_id)
        with pytest.raises(InvalidParams, match="999999 is not a cursor of this task"):
            await taro.tasks.get_status(made.task_id, wait=50, cursor="999999")
        seen = (await taro.questions.wait(made.answer_id)).answer
        assert seen is not None and len(seen.evidence) == len(answer.evidence)
        for secret in (
            "当てはまり",
            "r2",
            answer.evidence[0].sha256,
            answer.evidence[0].document_id,
        ):
            assert secret not in str(seen) and secret not in str(status), secret
        await grants.grant(KEY, TARO, "read")
        granted = (await taro.questions.wait(made.answer_id)).answer
        assert granted is not None and granted.text == answer.text
        with pytest.raises(NotFound):
            await hanako.for_owner("jiro").questions.wait(made.answer_id)
        for verb in (
            taro.tasks.stop,
            taro.tasks.resume,
            taro.tasks.remove,
            taro.tasks.list_jobs,
        ):
            with pytest.raises(TaskNotFound):
                await verb(made.task_id)
        assert [share.owner for share in await taro.tasks.list_shares()] == ["hanako"]

        await hanako.tasks.unshare(made.task_id, "lab")
        with pytest.raises(NotFound):
            await taro.tasks.get_status(made.task_id, wait=0)
        await hanako.tasks.share(made.answer_id, "lab")
        assert (await local.tasks.stop(made.task_id)).task_id == made.task_id
        assert (await local.tasks.remove(made.task_id)).task_id == made.task_id
        assert list(await hanako.tasks.list_shares()) == []
        told = [entry.verb for entry in await local.team.list_audit()]
        assert {AuditVerb.SHARE, AuditVerb.UNSHARE, AuditVerb.READ, AuditVerb.REMOVE} <= {*told}


async def test_who_waits_for_what_is_shared_is_told_nothing_after_its_end(tmp_path: Path) -> None:
    async with desks(tmp_path) as (hanako, taro, _):
        local = hanako.for_owner("local")
        await local.team.add_group("lab")
        for name in ("hanako", "taro"):
            await local.team.add_user(name)
            await local.team.join("lab", name)
        options = AskOptions(("papers",), {}, Sources.DOCUMENTS, {}, "")
        made = await hanako.questions.queue(QUESTION, options=options, wait=0)
        await hanako.tasks.share(made.task_id, "lab")
        waiting = [
            asyncio.create_task(taro.tasks.get_status(made.task_id, wait=50, wait_for="done")),
            asyncio.create_task(taro.questions.wait(made.answer_id, wait=50)),
        ]
        while taro.tasks._queue.watch.waiting < 2:  # type: ignore[attr-defined]  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        await hanako.tasks.unshare(made.task_id, "lab")
        async with local.working(1):
            await answered(hanako, made)
        for refused in waiting:
            with pytest.raises(NotFound):
                await refused


async def test_an_answer_that_no_task_has_made_is_shared_too(tmp_path: Path) -> None:
    async with desks(tmp_path) as (hanako, taro, grants):
        local = hanako.for_owner("local")
        await local.team.add_group("lab")
        for name in ("hanako", "taro"):
            await local.team.add_user(name)
            await local.team.join("lab", name)
        answer = await hanako.questions.ask(QUESTION, corpora="papers")
        with pytest.raises(NotFound):
            await taro.questions.wait(answer.id)
        await hanako.tasks.share(answer.id, "lab")
        await grants.grant(KEY, TARO, "read")
        shown = await taro.questions.wait(answer.id)
        assert shown.answer is not None and shown.answer.text == answer.text
        with pytest.raises(TaskNotFound):
            await taro.tasks.get_status(answer.id, wait=0)
        with pytest.raises(TaskNotFound):
            await taro.tasks.get_status(TaskId("nothing"), wait=0)
