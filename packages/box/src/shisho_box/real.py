"""The handwritten pages and one PDF, in addition to the generated ones."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from datetime import date
from importlib.resources import files
from typing import Any

from shisho_box.pdf import write
from shisho_box.world import BoxPage, BoxQuestion, Topic, World

_PAPER = "https://kiyou.example.ac.jp/2025/hyouhon.pdf"
_PAPER_TOPIC = Topic("標準誤差", "ja", "標準誤差 標本 標本調査 母集団 統計 平均 推定")
_PAPER_LINES = (
    ("標本調査と標準誤差", "母集団のすべてを調べることは難しい。", "そこで一部を取り出して調べることを標本調査という。",
     "標本は母集団から無作為に選ばれなければならない。"),
    ("標準誤差の求め方", "標準誤差は標準偏差を標本の大きさの平方根で割った値である。",
     "標本の大きさを4倍にすると標準誤差は半分になる。", "推定の精度を上げるには標本を大きくすればよい。"),
)  # fmt: skip


def add_real_pages(world: World, pdf: bytes | None) -> World:
    """Add the hand-written pages to a world.

    `pdf`: the bytes of a PDF that replaces ours at the same address.
    """
    return World(
        [*_make_pages(), _make_paper(pdf), *world.pages],
        [*_make_questions(), *_ask_about_paper(pdf), *world.questions],
    )


def _read_rows() -> list[Mapping[str, Any]]:
    rows: list[Mapping[str, Any]] = tomllib.loads(
        (files("shisho_box") / "pages" / "pages.toml").read_text("utf-8")
    )["page"]
    return rows


def _make_pages() -> Iterator[BoxPage]:
    for number, row in enumerate(_read_rows()):
        body = (files("shisho_box") / "pages" / row["file"]).read_bytes()
        topic = Topic(row["name"], row["language"], row["words"])
        aspects = frozenset({row["name"]})
        day = date(2021 + number % 5, 1 + number, 10)
        # No charset in the header: what the page says of itself has to do.
        yield BoxPage(
            0,
            row["url"],
            row["title"],
            topic,
            (row["about"],),
            aspects,
            day=day,
            body=body,
            media_type="text/html",
        )


def _make_paper(pdf: bytes | None) -> BoxPage:
    lines = _PAPER_LINES[1]
    body = write(_PAPER_LINES) if pdf is None else pdf
    return BoxPage(
        0,
        _PAPER,
        "標本調査と標準誤差",
        _PAPER_TOPIC,
        lines,
        frozenset({"標準誤差"}),
        body=body,
        media_type="application/pdf",
    )


def _make_questions() -> Iterator[BoxQuestion]:
    for row in _read_rows():
        for text, gold in row["questions"]:
            yield BoxQuestion(text, gold, (row["url"],), row["name"])


def _ask_about_paper(pdf: bytes | None) -> Iterator[BoxQuestion]:
    if pdf is None:
        yield BoxQuestion(
            "標本の大きさを4倍にすると標準誤差はどうなるか", "半分", (_PAPER,), _PAPER_TOPIC.name
        )
