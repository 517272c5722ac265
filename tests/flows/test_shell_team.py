"""People are let in, grouped, and granted a corpus, in the shell; each command is undone by another."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest

from tests.flows.conftest import Shell


@pytest.mark.slow
def test_people_groups_and_grants_come_and_go(shell: Shell, tmp_path: Path) -> None:
    made = shell("users", "add", "hanako", "--json")
    assert made["user"] == "hanako" and len(made["token"]) > 40
    shell("users", "add", "jiro", "--no-token")
    renewed = shell.run("users", "token", "hanako")
    assert renewed.stdout.strip() != made["token"] and renewed.stdout.strip() not in renewed.stderr
    assert shell("users", "list") == "hanako  トークン\njiro  プロキシー経由\n"
    assert shell("groups", "add", "lab", "hanako", "jiro") == "lab: 2人を追加しました\n"
    assert shell("groups", "list") == "lab  hanako, jiro\n"
    shell("groups", "remove", "lab", "jiro")
    assert shell("groups", "list", "--json") == [{"name": "lab", "members": ["hanako"]}]
    text = tmp_path / "a.txt"
    text.write_text("決定係数は指標である。", "utf-8")
    shell("add", text, "--corpus", "papers")
    assert shell("grants", "add", "papers", "lab", "--group", "--write") == (
        "papers@local  グループ lab  閲覧と編集\n"
    )
    shell("grants", "add", "papers", "jiro")
    rows = shell("grants", "list", "--json")
    assert [(row["grantee"][1], row["access"]) for row in rows] == [("lab", "write"), ("jiro", "read")]
    shell("grants", "remove", "papers", "jiro")
    shell("groups", "remove", "lab")
    assert shell("grants", "list") == "付与した権限はありません: shisho grants add コレクション 名前\n"
    shell("users", "remove", "jiro")
    assert "jiro  削除済み" in shell("users", "list")
    shell("users", "restore", "jiro")
    for wrong in (
        ("users", "add", "hanako"),
        ("users", "remove", "nobody"),
        ("users", "token", "nobody"),
        ("groups", "add", "lab2", "nobody"),
        ("groups", "remove", "lab2", "hanako"),
        ("groups", "remove", "nothing"),
        ("grants", "add", "nothing", "jiro"),
        ("grants", "add", "papers", "nobody"),
        ("grants", "remove", "papers", "jiro"),
        ("add", text, "--corpus", "papers@hanako"),
    ):
        assert shell.run(*wrong).returncode == 1
    assert shell("groups", "list", "--json") == []


def test_a_group_is_the_same_however_its_name_is_typed(shell: Shell) -> None:
    shell("users", "add", "hanako", "--no-token")
    shell("groups", "add", "ゼミ")
    assert (
        shell("groups", "add", unicodedata.normalize("NFD", "ゼミ"), "hanako") == "ゼミ: 1人を追加しました\n"
    )
    shell("groups", "remove", unicodedata.normalize("NFD", "ゼミ"), "hanako")
    newest, *_ = shell("audit", "--json")
    assert (newest["verb"], newest["subjects"]) == ("leave", ["ゼミ", "hanako"])


def test_a_record_that_nobody_has_is_asked_for(shell: Shell) -> None:
    """A number that no database holds ended in a traceback; where nothing fits, more may be on record."""
    shell("users", "add", "hanako", "--no-token")
    for number in ("99999999999999999999", "-5"):
        done = shell.run("audit", "--before", number, "--json")
        assert (done.returncode, json.loads(done.stdout)["code"]) == (2, "INVALID_PARAMS"), done.stderr
    assert shell("audit", "--user", "hanako") == "該当する記録はありません。\n"
    assert len(shell("audit", "--before", str(2**63 - 1), "--json")) == 1
