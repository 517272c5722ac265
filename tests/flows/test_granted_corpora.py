"""A corpus is granted, read, cited, added to and taken back, over real desks."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.corpus import SearchRequest, Source
from shisho.domain.reference import Reference
from shisho.domain.task import Bytes
from shisho.domain.team import Access, CorpusKey, Grantee, GranteeKind
from shisho.errors import AccessDenied, NotFound, ShishoError
from shisho.services import Library
from shisho.services.references import References
from tests.flows.smallweb import finished
from tests.inside import builder_of

PAPERS = "決定係数とは、回帰式の当てはまりの良さを示す指標である。1に近いほど当てはまりが良い。"
DIARY = "決定係数の日記。回帰式の当てはまりの良さを示す指標を学んだ。暗証は薔薇である。"
MEMO = "相関係数とは、二つの変数の線形な関係の強さを示す指標である。"
KEY = CorpusKey("hanako", "papers")
TARO = Grantee(GranteeKind.USER, "taro")


@asynccontextmanager
async def desks(home: Path) -> AsyncIterator[tuple[Library, Library, Any]]:
    """Hanako's library with papers and a diary, taro's with a memo, and the grants."""
    async with open_library(home=home, embedder="none") as library:
        hanako = library.for_owner("hanako")
        taro = library.for_owner("taro")
        await hanako.documents.add_source(Source("r2.txt", PAPERS.encode()), "papers")
        await hanako.documents.add_source(Source("diary.txt", DIARY.encode()), "diary")
        await taro.documents.add_source(Source("memo.txt", MEMO.encode()))
        yield hanako, taro, builder_of(library).stores.grants


async def test_what_is_granted_is_asked_cited_and_opened_and_no_more_after_the_grant_ends(
    tmp_path: Path,
) -> None:
    async with desks(tmp_path) as (hanako, taro, grants):
        assert (await taro.questions.ask("決定係数とは何か")).abstained
        with pytest.raises(NotFound):
            await taro.documents.get("r2.txt")
        await grants.grant(KEY, TARO, Access.READ)
        answer = await taro.questions.ask("決定係数とは何か", corpora="papers@hanako")
        assert not answer.abstained and {evidence.title for evidence in answer.evidence} == {"r2"}
        (document,) = await taro.documents.list(corpora="papers@hanako")
        assert (document.corpus, document.owner) == ("papers@hanako", "hanako")
        assert await taro.documents.read_text(document.id) == PAPERS
        session = await taro.sessions.open_session("決定係数とは何か")
        shown = await taro.sessions.search_next(
            session.session_id, SearchRequest(keyword_query=("決定係数",))
        )
        assert len(shown.shown) == 1
        passage = (await taro.documents.search("決定係数"))[0].passage
        await grants.revoke(KEY, TARO)
        for refused in (
            taro.documents.get(document.id),
            taro.documents.read_text(document.id),
            taro.viewer.get_layout(document.id, 1),
            taro.viewer.list_page_starts(document.id),
            taro.viewer.get_evidence_boxes(answer.evidence[0].id),
            taro.sessions.read_passage(id=passage),
            taro.sessions.read_passage(id=answer.evidence[0].id),
            taro.sessions.read_passage(session_id=session.session_id, number=1),
        ):
            with pytest.raises(NotFound):
                await refused
        (exhibit,) = await taro.proofs.list_exhibits(answer.evidence[:1])
        assert (exhibit.text, exhibit.crop) == ("", None) and "no longer" in str(exhibit.why)
        assert (await taro.questions.ask("決定係数とは何か")).abstained
        assert not (await hanako.questions.ask("決定係数とは何か")).abstained


async def test_who_asked_saw_and_removed_what_is_on_record_without_a_word_of_it(tmp_path: Path) -> None:
    async with desks(tmp_path) as (_, taro, grants):
        await grants.grant(KEY, TARO, Access.WRITE)
        (hit,) = await taro.documents.search("決定係数", corpora="papers@hanako")
        await taro.documents.read_text(hit.document)
        answer = await taro.questions.ask("決定係数とは何か")
        await taro.documents.remove(hit.document, purge=True)
        entries = list(await taro.team.list_audit())
        acts = [(entry.verb.value, entry.subjects) for entry in reversed(entries)]
        assert acts[1:] == [
            ("search", (hit.document,)),
            ("read", (hit.document,)),
            ("ask", (answer.task_id,)),
            ("purge", (hit.document,)),
        ]
        with pytest.raises(AccessDenied):
            await taro.team.list_audit("hanako")
        assert {entry.actor for entry in await taro.for_owner("local").team.list_audit()} == {
            "taro",
            "hanako",
        }
        assert "決定" not in str(entries) and "r2" not in str(entries)


async def test_one_who_may_read_changes_nothing_and_one_who_may_write_does(tmp_path: Path) -> None:
    async with desks(tmp_path) as (hanako, taro, grants):
        more = Source("more.txt", "残差とは、実測値と予測値との差である。".encode())
        folder = tmp_path / "folder"
        folder.mkdir()
        (folder / "f.txt").write_text("標本とは、母集団から取り出したものである。")

        async def sync(corpus: str) -> list[str]:
            return [receipt.source async for receipt in taro.folders.sync(folder, corpus)]

        for corpus, error in (
            ("papers@hanako", NotFound),
            ("diary@hanako", NotFound),
            ("none@nobody", NotFound),
        ):
            with pytest.raises(error):
                await taro.documents.add_source(more, corpus)
        await grants.grant(KEY, TARO, Access.READ)
        (document,) = await taro.documents.list(corpora="papers@hanako")
        assert [corpus.is_writable for corpus in await taro.documents.list_corpora()] == [True, False]
        for refused in (
            taro.documents.add_source(more, "papers@hanako"),
            taro.documents.remove(document.id),
            taro.documents.remove(document.id, purge=True),
            taro.tasks.queue_documents(files=[Bytes("x.txt", b"x")], corpus="papers@hanako"),
            sync("papers@hanako"),
        ):
            with pytest.raises(AccessDenied):
                await refused
        await grants.grant(KEY, TARO, Access.WRITE)
        receipt = await taro.documents.add_source(more, "papers@hanako")
        assert len(await sync("papers@hanako")) == 1
        async with taro.working(1):
            queued = await taro.tasks.queue_documents(
                files=[Bytes("q.txt", "分散とは、散らばりである。".encode())], corpus="papers@hanako"
            )
            await finished(taro, queued.task_id)
        sources = {document.source for document in await hanako.documents.list(corpora="papers")}
        assert sources == {"r2.txt", "more.txt", "q.txt", str(folder / "f.txt")}
        assert [(corpus.name, corpus.is_writable) for corpus in await taro.documents.list_corpora()] == [
            ("default", True),
            ("papers@hanako", True),
        ]
        assert receipt.document_id is not None
        await taro.documents.remove(receipt.document_id)
        await taro.documents.restore(receipt.document_id)
        await taro.documents.remove(receipt.document_id, purge=True)
        (folder / "f.txt").unlink()
        assert len([one async for one in taro.folders.sync(folder, "papers@hanako", is_emptied=True)]) == 1
        assert len(await hanako.documents.list(corpora="papers")) == 2


async def test_a_granted_corpus_is_called_so_wherever_one_of_its_documents_is_told(tmp_path: Path) -> None:
    """ "default" by itself is the reader's own corpus."""
    async with desks(tmp_path) as (hanako, taro, grants):
        document_id = (await hanako.documents.add_source(Source("r2.txt", PAPERS.encode()))).document_id
        for corpus in ("default", "papers"):
            await grants.grant(CorpusKey("hanako", corpus), TARO, Access.WRITE)
        assert document_id is not None
        for told in (
            await taro.documents.get(document_id),
            (await taro.viewer.view(document_id)).document,
            removed := await taro.documents.remove(document_id),
            await taro.documents.restore(document_id),
        ):
            assert (told.corpus, told.owner) == ("default@hanako", "hanako")
        (copy,) = removed.warnings
        assert str(copy).startswith("The same file is also in papers@hanako")
        assert (await hanako.documents.get(document_id)).corpus == "default"


async def test_a_folder_that_is_followed_into_anothers_corpus_counts_its_documents(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "f.txt").write_text("標本とは、母集団から取り出したものである。", "utf-8")
    async with desks(tmp_path / "home") as (_, taro, grants):
        await grants.grant(KEY, TARO, Access.WRITE)
        await taro.folders.watch(folder, "papers@hanako")
        assert [receipt.outcome async for receipt in taro.folders.sync(folder, "papers@hanako")] == ["added"]
        assert [status.documents for status in await taro.folders.get_status()] == [1]
        await grants.revoke(KEY, TARO)
        assert [status.documents for status in await taro.folders.get_status()] == [0]


async def test_what_is_not_there_and_what_is_not_granted_are_refused_in_the_same_words(
    tmp_path: Path,
) -> None:
    async with desks(tmp_path) as (hanako, taro, _):
        (secret,) = await hanako.documents.list(corpora="diary")
        passage = (await hanako.documents.search("薔薇"))[0].passage
        answer = await hanako.questions.ask("決定係数とは何か")
        real = {
            "document": secret.id,
            "passage": passage,
            "answer": answer.id,
            "evidence": answer.evidence[0].id,
        }
        invented = {name: value[:-4] + "0000" for name, value in real.items()}

        async def refusals(ids: dict[str, str]) -> list[tuple[str, str]]:
            refused = []
            for call in (
                taro.documents.get(ids["document"]),
                taro.documents.read_text(ids["document"]),  # type: ignore[arg-type]
                taro.documents.read_page(ids["document"], 1),
                taro.documents.remove(ids["document"], purge=True),
                taro.documents.restore(ids["document"]),
                taro.viewer.view(ids["document"]),
                taro.viewer.get_image(ids["document"], 1, 100),
                taro.viewer.find(ids["document"], "薔薇"),
                taro.sessions.read_passage(id=ids["passage"]),
                taro.questions.get(ids["answer"]),
                taro.questions.find_evidence(ids["evidence"]),
                taro.viewer.get_evidence_boxes(ids["evidence"]),
                taro.documents.add_source(
                    Source("x.txt", b"x"), "diary@hanako" if ids is real else "none@hanako"
                ),
                taro.documents.search("薔薇", corpora="diary@hanako" if ids is real else "none@hanako"),
            ):
                try:
                    await call
                except ShishoError as error:
                    said = str(error)
                    for value in (*ids.values(), "diary@hanako", "none@hanako"):
                        said = said.replace(value, "…")
                    refused.append((error.code, said))
                else:
                    refused.append(("", ""))
            return refused

        assert await refusals(real) == await refusals(invented)
        assert all(code for code, _ in await refusals(real))


async def test_a_bibliography_describes_nothing_of_a_corpus_that_is_granted_for_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither by title nor by DOI, whichever corpus it is handed to; and no registry is asked about it."""
    monkeypatch.setenv("SHISHO_WEB", "on")
    asked: list[str] = []

    async def look_up(doi: str) -> Reference | None:
        asked.append(doi)
        return Reference(doi, {"author": "薔薇", "year": "2020"}, ())

    async with desks(tmp_path) as (hanako, taro, grants):
        source = Source("cited.txt", "残差平方和の論文。".encode(), metadata={"doi": "10.1/x"})
        await hanako.documents.add_source(source, "papers")
        await grants.grant(KEY, TARO, Access.READ)
        entry = "@article{x, title={r2}, doi={10.1/x}, author={Intruder}, year={1999}}"
        bibliography = tmp_path / "my.bib"
        bibliography.write_text(entry, "utf-8")
        receipts = [receipt async for receipt in taro.documents.add(references=bibliography)]
        assert [match.document_id for receipt in receipts for match in receipt.references] == [""]
        with pytest.raises(AccessDenied):
            [receipt async for receipt in taro.documents.add(references=bibliography, corpus="papers@hanako")]
        its = taro.references
        references = References(its._access, its._shelf, its._consent, look_up)
        lacking = await references.list_incomplete()
        codes = [receipt.code async for receipt in references.complete(lacking)]
        assert codes == ["ACCESS_DENIED"] and asked == []
        documents = await hanako.documents.list(corpora="papers")
        assert "Intruder" not in str(documents) and "薔薇" not in str(documents)
        await grants.grant(KEY, TARO, Access.WRITE)
        assert [receipt.code async for receipt in references.complete(lacking)] == [""] and asked == [
            "10.1/x"
        ]
