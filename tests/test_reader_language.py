"""What stands between sentences is in the reader's language too: states, names of fields, reasons that others
gave."""

from __future__ import annotations

import dataclasses
import re
import signal
import socket
import subprocess
import sys
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from shisho.domain.corpus import Document, DocumentState
from shisho.domain.inquiry import Evidence, Gap, LoopStop
from shisho.domain.intervention import InterventionState
from shisho.domain.job import JobState, TaskState
from shisho.domain.task import JobKind
from shisho.domain.web import ChallengeKind, Tier
from shisho.errors import InvalidParams
from shisho.interfaces.api.arguments import check_arguments
from shisho.librarian import condition
from shisho.messages.catalogue import render, translate_word
from shisho.messages.system import explain_error
from tests.test_messages import JAPANESE, KANA, shell

FAMILIES: list[tuple[str, type[StrEnum]]] = [
    ("state", DocumentState),
    ("state", JobState),
    ("state", TaskState),
    ("state", InterventionState),
    ("job", JobKind),
    ("proof", ChallengeKind),
    ("tier", Tier),
    ("end", LoopStop),
    ("gap", Gap),
]
SAME = {"proof_captcha", "proof_turnstile"}


@pytest.mark.parametrize(("family", "kind"), FAMILIES, ids=lambda value: getattr(value, "__name__", value))
def test_every_state_and_kind_has_its_word(family: str, kind: type[StrEnum]) -> None:
    given = {"query": "q", "detail": "d"} if family == "gap" else {}
    for member in kind:
        key = f"{family}_{member}".lower()
        assert translate_word(key, "en", **given)
        assert key in SAME or JAPANESE.search(translate_word(key, "ja", **given)), key


@pytest.mark.parametrize("shape", [Document, Evidence])
def test_every_field_that_is_shown_has_its_name(shape: Any) -> None:
    for field in dataclasses.fields(shape):
        if field.name != "snippet":  # stands as a quotation
            assert translate_word(f"field_{field.name}", "en")
            assert translate_word(f"field_{field.name}", "ja")


def test_what_is_shown_of_a_document_an_answer_and_the_settings_is_named_in_japanese(tmp_path: Path) -> None:
    (tmp_path / "灯台.txt").write_text("灯台とは、光で船を導く塔のことである。\n", "utf-8")
    locale = "ja_JP.UTF-8"
    assert "1か所" in shell(locale, ("add", "灯台.txt"), tmp_path)
    listed = shell(locale, ("list",), tmp_path)
    shown = shell(locale, ("show", listed.split()[0]), tmp_path).partition("\n\n")[0].splitlines()
    names = [line.partition(":")[0] for line in shown]
    assert [name for name in names if not JAPANESE.search(name)] == ["ID", "SHA-256"]
    assert "状態: 検索できます" in shown
    shell(locale, ("ask", "灯台とは何か", "--sources", "documents"), tmp_path)
    account = shell(locale, ("show", "last"), tmp_path).partition("終了条件: ")[2].partition("shisho show")[0]
    assert not re.search("[A-Z]{2}|[a-z]", account), account
    origins = re.findall(r"SHISHO_LANGUAGE +auto +(\S+)", shell(locale, ("settings",), tmp_path))
    assert origins == ["既定"]


def test_a_box_begins_in_the_language_of_its_reader(tmp_path: Path) -> None:
    for language, head in (("en", "A test web"), ("ja", "テスト用のウェブ")):
        command = [
            sys.executable,
            "-m",
            "shisho",
            "--language",
            language,
            "box",
            "--folder",
            str(tmp_path),
            "--topics",
            "1",
        ]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as running:
            assert running.stdout is not None
            told = [running.stdout.readline()]
            while told[-1] and not told[-1].rstrip().endswith("/calm"):
                told.append(running.stdout.readline())
            running.send_signal(signal.SIGINT)
        assert told[0].startswith(head)
        prose = [line for line in told if not line.startswith("  ")]  # queries and commands are indented
        assert all(bool(KANA.search(line)) == (language == "ja") for line in prose), prose


class Taken(BaseModel):
    """Arguments of every kind there is."""

    model_config = ConfigDict(extra="forbid", strict=True)

    text: str = Field(default="", min_length=2, max_length=3)
    count: int = Field(default=1, ge=1, le=9)
    share: float = Field(default=0.5, gt=0, lt=1)
    flag: bool = False
    names: list[str] = Field(default=["a"], min_length=1, max_length=2)
    table: dict[str, int] = {}
    choice: Literal["high", "low"] = "low"


WRONG = [
    {"text": 1},
    {"text": "a"},
    {"text": "abcd"},
    {"count": "x"},
    {"count": 1.5},
    {"count": 0},
    {"count": 10},
    {"share": 0},
    {"share": 1},
    {"share": "much"},
    {"flag": "perhaps"},
    {"names": 3},
    {"names": []},
    {"names": ["a", "b", "c"]},
    {"table": 1},
    {"choice": "middle"},
    {"nothing": 1},
]


@pytest.mark.parametrize("given", WRONG, ids=str)
def test_what_is_wrong_with_an_argument_is_said_in_our_words(given: dict[str, Any]) -> None:
    with pytest.raises(InvalidParams) as refused:
        check_arguments("do", Taken, given)
    said = render(refused.value.message, "ja")
    reason = said.partition(": ")[2]
    assert KANA.search(reason) and "cannot be used" not in str(refused.value), said
    with pytest.raises(ValidationError) as theirs:
        Taken.model_validate(given)
    assert theirs.value.errors()[0]["msg"] not in str(refused.value) + said


@pytest.mark.parametrize(
    "text", ["G1 xor G2", "G9", "(G1", "G1 and", "at_least(3, G1, G2)", "G1 ¥", "(" * 30, "G1 " * 900]
)
def test_why_a_condition_cannot_be_read_is_said_in_both_languages(text: str) -> None:
    with pytest.raises(InvalidParams) as refused:
        condition.parse(text, ["G1", "G2"])
    assert "can't be read at character" in refused.value.message
    said = render(refused.value.message, "ja")
    assert KANA.search(said) and not re.search(r"\b(?:is|the|no|goal|than|missing)\b", said), said


def test_why_the_system_refused_is_said_in_both_languages(tmp_path: Path) -> None:
    def refused(action: Any) -> str:
        with pytest.raises(OSError) as error:
            action()
        return explain_error(error.value)

    with socket.create_server(("127.0.0.1", 0)) as server:
        taken = server.getsockname()
        reasons = [
            refused((tmp_path / "missing").read_bytes),
            refused(tmp_path.read_bytes),
            refused(tmp_path.mkdir),
            refused((tmp_path / ("x" * 300)).touch),
            refused(lambda: socket.create_server(taken)),
        ]
    refusing = refused(lambda: socket.create_connection(taken))
    said = [render(reason, "ja") for reason in (*reasons, refusing)]
    assert reasons[0] == "there is no such file or folder"
    assert all(map(KANA.search, said)) and len(set(said)) == 6, said
    assert explain_error(OSError(9999, "strange")) == "strange"
