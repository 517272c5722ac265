"""What is told of a file that takes long by itself."""

from __future__ import annotations

import pytest

from shisho.desk.news import TextPartStored
from shisho.interfaces.cli.messages import Words
from shisho.interfaces.cli.render_adding import AddingDisplay


@pytest.mark.parametrize(
    ("language", "line"), [("ja", "全集.txt: 25%を保存\n"), ("en", "全集.txt: 25 % stored\n")]
)
def test_a_long_text_says_how_much_of_it_is_stored(
    capsys: pytest.CaptureFixture[str], language: str, line: str
) -> None:
    AddingDisplay(Words(language)).notify(TextPartStored("/書庫/全集.txt", 1_000_000, 4_000_000))
    AddingDisplay(Words(language), quiet=True).notify(TextPartStored("/書庫/全集.txt", 1, 2))
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", line)
