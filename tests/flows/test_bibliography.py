"""What was said of a document when it was added, stands in the bibliography of an answer that quotes it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.flows.conftest import Shell


@pytest.mark.slow
def test_what_meta_says_is_exported_with_the_answer(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "蔵書.txt"
    file.write_text("赤い本は棚の上にある。", "utf-8")
    shell("add", file, "-m", "author=山田, 太郎", "-m", "year=2020", "-m", "publisher=東京書房")
    shell("ask", "--sources", "documents", "赤い本はどこにあるか")
    (item,) = json.loads(shell("export", "--format", "csl"))
    assert item["author"] == [{"family": "山田", "given": "太郎"}] and item["publisher"] == "東京書房"
    assert item["note"] == "赤い本は棚の上にある。" and item["issued"] == {"date-parts": [[2020]]}
    assert "author = {山田, 太郎}" in shell("export", "--format", "bibtex")
    assert "AU  - 山田, 太郎" in shell("export", "--format", "ris")
    shell("remove", "蔵書.txt")
    assert "山田, 太郎" in shell("export", "--format", "ris"), "what was removed is still cited"


FORGED = "[9] 偽の出典.pdf p. 3"


def test_a_line_break_in_a_file_name_forges_no_source(shell: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "棚"
    folder.mkdir()
    (folder / f"蔵書\n{FORGED}.txt").write_text("赤い本は棚の上にある。", "utf-8")
    answer = ["ask", "--sources", "documents", "赤い本はどこにあるか"]
    exports = [["export", "--format", form] for form in ("md", "html", "bibtex", "ris")]
    for words in (["add", folder], answer, ["list"], ["search", "赤い本"], ["show", "last"], *exports):
        printed = shell(*words)
        assert FORGED in printed or words[0] == "show", words
        assert not [line for line in printed.splitlines() if line.strip().startswith("[9]")], words


@pytest.mark.slow
def test_what_a_document_and_a_question_say_is_no_markup_of_an_export(shell: Shell, tmp_path: Path) -> None:
    image = "<img src=x onerror=alert(1)>"
    file = tmp_path / "棚.md"
    file.write_text(f"# \\{image} の \\[題](x)\n\n赤い本は \\{image} 棚の上にある。", "utf-8")
    shell("add", file)
    shell("ask", "--sources", "documents", f"赤い本はどこにあるか\n{image}")
    printed = shell("export", "--format", "md")
    assert "onerror" in printed and not re.search(r"(?<!\\)<img|\]\(x", printed)
    assert "<img" not in shell("export", "--format", "html")
    head, _, _ = printed.partition("\n")
    assert head.startswith("# 赤い本は") and "onerror" in head
