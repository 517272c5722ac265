"""How many sources stand behind a goal: sites, not pages; documents, not passages; and no copy counts."""

from __future__ import annotations

import pytest

from shisho.domain.corpus import WEB_CORPUS, SearchRequest, Source
from shisho.domain.inquiry import Finding, Goal
from shisho.services import Library
from tests.flows.smallweb import html

# Long enough that a copy of it is one however its page is framed.
FACT = (
    "決定係数は、回帰モデルの当てはまりのよさを表す指標であり、目的変数の分散のうち、説明変数で説明できる割合として定められ、"
    "0から1の値をとって、1に近いほど観測値が回帰直線の近くに集まっていることを示すものである。"
)


def told(number: int) -> str:
    return f"第{number}の著者によれば、決定係数は{number}通りの仕方で説明できる割合である。"


@pytest.mark.parametrize(
    ("sources", "independent"),
    [
        ({"https://a.example.jp/1": told(1), "https://a.example.jp/2": told(2)}, 1),
        ({"https://www.a.example.co.jp/1": told(1), "https://blog.a.example.co.jp/2": told(2)}, 1),
        ({"https://a.example.co.jp/1": told(1), "https://www.test.co.jp/2": told(2)}, 2),
        ({"https://one.github.io/": told(1), "https://two.github.io/": told(2)}, 2),
        ({"https://a.example/": FACT, "https://mirror.test/": FACT}, 1),
        ({"https://a.example/": FACT, "notes.md": FACT}, 1),
        ({"https://a.example/": told(1), "notes.md": told(2), "more.md": told(3)}, 3),
    ],
)
async def test_sources_of_one_goal(library: Library, sources: dict[str, str], independent: int) -> None:
    for place, text in sources.items():
        web = place.startswith("http")
        data = html(f"{place} の頁", text) if web else text.encode()
        receipt = await library.documents.add_source(Source(place, data), WEB_CORPUS if web else "default")
        assert receipt.outcome == "added", receipt
    goal = Goal("G1", "決定係数とは何か", min_evidence=1, min_sources=2)
    opened = await library.sessions.open_session("決定係数とは何か", goals=[goal])
    found = await library.sessions.search_next(opened.session_id, SearchRequest(keyword_query=("決定係数",)))
    findings = [
        Finding(one.temp_index, "G1", sentence, 1.0)
        for one in found.shown
        for sentence in sources.values()
        if sentence in one.text
    ]
    assert len(findings) >= len(sources)
    done = await library.sessions.submit_findings(opened.session_id, findings)
    assert all(one.accepted for one in done.findings)
    assert done.goal_status[0].sources == independent and done.condition_met is (independent >= 2)
