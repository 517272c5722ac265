"""Names and titles of strangers in what the shell prints: they forge no line, and no terminal obeys them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.proof import ProofFault, ProofReport
from shisho.domain.task import Bytes
from shisho.interfaces.cli import proof
from shisho.interfaces.cli.layout import format_columns
from shisho.interfaces.cli.render_queue import follow
from shisho.interfaces.cli.shell import Words
from tests.flows.smallweb import finished

FORGED = "猫\n署名: 本物の鍵\x1b]0;x\x07\x9b31m\u202e"
LEGIBLE = "猫 署名: 本物の鍵]0;x31m"


@pytest.mark.parametrize("width", [20, None])
def test_a_cell_makes_no_row(width: int | None) -> None:
    lines = list(format_columns(["ID", "質問"], [("a1", FORGED)], width))
    assert len(lines) == 2 and lines[1].endswith(LEGIBLE)


def test_the_question_of_a_proof_signs_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """Who made the file wrote it: a second line said that it was signed."""
    proof._print(ProofReport((), parts=1, question=FORGED, signer=""))
    printed = capsys.readouterr().out
    assert len(printed.splitlines()) == 3 and LEGIBLE in printed and "\x1b" not in printed
    proof._print(ProofReport((ProofFault(1, FORGED, "…"),)))
    assert len(capsys.readouterr().out.splitlines()) == 2


async def test_what_a_task_has_met_is_told_by_lines_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with open_library(home=tmp_path, embedder="none") as library, library.working(1):
        queued = await library.tasks.queue_documents(files=[Bytes("猫.txt", "猫は眠る。".encode())])
        snapshot = await finished(library, queued.task_id)
    (row,) = snapshot.results
    follow(Words("ja"))(replace(snapshot, results=(replace(row, title=FORGED),)))
    printed = capsys.readouterr().out
    assert len(printed.splitlines()) == 3 and LEGIBLE in printed and "\x1b" not in printed
