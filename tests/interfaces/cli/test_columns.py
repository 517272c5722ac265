"""Tables that fit, and rows that do not: nothing that is copied is ever broken; and names that tell files
apart."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from shisho.interfaces.cli.layout import format_columns, list_names_below, make_names_distinct
from shisho.interfaces.cli.render import break_into_pages
from shisho.interfaces.cli.render_adding import file_name
from shisho.interfaces.cli.shell import Words

ID = "01a2010b77237c89856990035e361bd9"
URL = "https://www.example.ac.jp/faculty/department/lectures/2024/regression.html?part=7"


def test_columns_stand_under_their_heads_whatever_the_letters() -> None:
    lines = list(
        format_columns(["ID", "状態", "質問"], [("a1", "完了", "残差"), ("b22", "waiting", "mean")], 80)
    )
    assert lines == ["ID   状態     質問", "a1   完了     残差", "b22  waiting  mean"]
    assert {
        cell_len(line[: line.index(last)]) for line, last in zip(lines, ("質問", "残差", "mean"), strict=True)
    } == {14}


@pytest.mark.parametrize("width", [40, 80])
def test_what_does_not_fit_stands_on_lines_of_its_own(width: int) -> None:
    assert list(format_columns(["ID", "状態", "URL"], [(ID, "待機", URL)], width)) == [
        ID,
        "  状態: 待機",
        f"  URL: {URL}",
    ]
    assert list(format_columns(["", "名"], [("○", "m" * 90), ("-", "n")], width)) == [f"○ {'m' * 90}", "- n"]


@given(
    st.lists(st.tuples(st.text("aあ", max_size=30), st.text("bい", max_size=30)), min_size=1),
    st.integers(1, 100),
)
def test_no_cell_is_broken(rows: list[tuple[str, str]], width: int) -> None:
    printed = list(format_columns(["x", "y"], rows, width))
    assert all(any(cell in line for line in printed) for row in rows for cell in row)
    assert all(
        any(cell in line for line in format_columns(["x", "y"], rows, None)) for row in rows for cell in row
    )


def test_names_have_the_folders_that_tell_them_apart() -> None:
    names = make_names_distinct(["/a/x/1.pdf", "/a/y/1.pdf", "/b/y/1.pdf", "/c/2.pdf", "/c/2.pdf"])
    assert dict(names) == {
        "/a/x/1.pdf": "x/1.pdf",
        "/a/y/1.pdf": "a/y/1.pdf",
        "/b/y/1.pdf": "b/y/1.pdf",
        "/c/2.pdf": "2.pdf",
    }


def test_names_below_a_folder(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    name = list_names_below([tmp_path / "lib"])
    assert name(str(tmp_path.resolve() / "lib" / "a" / "1.pdf")) == "a/1.pdf"
    assert name("/elsewhere/1.pdf") == "/elsewhere/1.pdf"
    assert list_names_below([tmp_path / "1.pdf"])(str(tmp_path.resolve() / "1.pdf")) == "1.pdf"


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r", "\u2028", "\u0085", "\v", "\f"])
def test_a_name_is_one_line_whatever_breaks_stand_in_it(line_break: str, tmp_path: Path) -> None:
    forged = f"規程.txt{line_break}[9] 偽の出典.pdf p. 3"
    other = f"{tmp_path}/b/{forged}"
    names = make_names_distinct([f"/a/{forged}", f"/b/{forged}", f"/c/x{line_break}y.txt"])
    below = list_names_below([tmp_path])
    for name in (*names.values(), below(other), below(f"/elsewhere/{forged}"), file_name(other)):
        assert len(name.splitlines()) == 1
    assert names[f"/c/x{line_break}y.txt"] == "x y.txt"
    assert file_name("/a/二つの  空白.txt") == "二つの  空白.txt"


def test_pages_are_marked_where_they_begin() -> None:
    text = "前書き\n一頁目\x1b[31m\n二頁目\n"
    parts = list(break_into_pages(text, {1: 4, 2: text.index("二")}, Words("ja")))
    assert parts == ["前書き", "── 1ページ ──", "一頁目[31m", "── 2ページ ──", "二頁目"]
    assert list(break_into_pages("全部", {}, Words("ja"))) == ["全部"]
