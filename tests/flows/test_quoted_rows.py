"""A quoted row of a table comes with the header that says what its cells are: beside the quotation, and never
in it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.codec import to_plain
from shisho.domain.corpus import SearchRequest, Source
from shisho.domain.inquiry import Answer, Evidence, Finding
from shisho.domain.session import CitedSentence
from shisho.services import Library

CSV = "予約ID,基本料金,税金,その他費用\n" + "\n".join(f"R{n:03},{n}000,{n}00,{n}0" for n in range(10, 22))
PIPES = (
    "# 会議室\n\n| 部屋 | 平日料金 | 休日料金 |\n|---|---|---|\n| 梅の間 | 3,000円 | 4,000円 |\n"
    "| 竹の間 | 5,000円 | 6,000円 |\n"
)
HTML = (
    '<html><body><h1>貸会議室</h1><table><tr><th rowspan="2">部屋</th><th colspan="2">料金</th></tr>'
    "<tr><th>1時間あたり</th><th>4時間パック</th></tr><tr><td>松の間</td><td>2,500円</td><td>9,000円</td></tr>"
    "<tr><td>桜の間</td><td>3,500円</td><td>12,000円</td></tr></table></body></html>"
)
OF_CSV = "表の見出し: 予約ID · 基本料金 · 税金 · その他費用"
OF_PIPES = "会議室 › 部屋 · 平日料金 · 休日料金"
OF_HTML = "表の見出し: 部屋 · 料金 / 部屋 · 1時間あたり · 4時間パック"
CASES = [
    (Source("費用.txt", CSV.encode(), "text/plain"), "R018,18000,1800,180", OF_CSV),
    (Source("会議室.md", PIPES.encode(), "text/markdown"), "竹の間\t5,000円\t6,000円", OF_PIPES),
    (Source("貸会議室.html", HTML.encode(), "text/html"), "桜の間\t3,500円\t12,000円", OF_HTML),
]


async def quoted(library: Library, row: str) -> Answer:
    """An answer that an assistant writes of this one row."""
    name = row[:4].strip("\t")
    session = (await library.sessions.open_session(f"{name}の料金はいくらか")).session_id
    round_ = await library.sessions.search_next(session, SearchRequest(keyword_query=(name, "料金")))
    passage = next(passage for passage in round_.shown if row in passage.text)
    await library.sessions.submit_findings(session, [Finding(passage.temp_index, "G1", row, 0.9)])
    composed = await library.sessions.compose_answer(session, [CitedSentence(row.replace("\t", " "), (1,))])
    return await library.questions.get(composed.answer_id)


@pytest.mark.parametrize(("source", "row", "header"), CASES, ids=["csv", "pipes", "html"])
async def test_a_row_that_an_assistant_quotes_has_its_header(
    tmp_path: Path, source: Source, row: str, header: str
) -> None:
    async with open_library(home=tmp_path) as library:
        receipt = await library.documents.add_source(source)
        assert receipt.document_id is not None
        (evidence,) = (await quoted(library, row)).evidence
        assert evidence.snippet == row and evidence.heading.endswith(header)
        text = await library.documents.read_text(receipt.document_id)
        assert text[evidence.start : evidence.end] == row


async def test_a_row_that_the_librarian_quotes_has_it_in_the_answer_too(tmp_path: Path) -> None:
    async with open_library(home=tmp_path) as library:
        for source, _, _ in CASES:
            await library.documents.add_source(source)
        answer = await library.questions.ask("桜の間の料金はいくらですか")
        evidence = find_row(answer, "桜の間")
        assert evidence.snippet == "桜の間\t3,500円\t12,000円" and evidence.heading.endswith(OF_HTML)
        assert f"▸ {evidence.heading}\n" in answer.text
        assert f"\n桜の間 | 3,500円 | 12,000円[{evidence.number}]" in answer.text
        # What is purged leaves no word of its header.
        await library.documents.remove(evidence.document_id, purge=True)
        left = json.dumps(to_plain(await library.questions.get(answer.id)), ensure_ascii=False)
        assert "1時間あたり" not in left and "貸会議室" not in left


def find_row(answer: Answer, name: str) -> Evidence:
    return next(evidence for evidence in answer.evidence if evidence.snippet.startswith(name))
