"""People are let in, grouped, and granted a corpus, in the shell; each command is undone by another."""

from __future__ import annotations

from pathlib import Path

from tests.flows.conftest import Shell


def test_people_groups_and_grants_come_and_go(shell: Shell, tmp_path: Path) -> None:
    made = shell("users", "add", "hanako", "--json")
    assert made["user"] == "hanako" and len(made["token"]) > 40
    shell("users", "add", "jiro", "--no-token")
    renewed = shell.run("users", "token", "hanako")
    assert renewed.stdout.strip() != made["token"] and renewed.stdout.strip() not in renewed.stderr
    assert shell("users", "list") == "hanako  トークン\njiro  プロキシ経由\n"
    assert shell("groups", "add", "lab", "hanako", "jiro") == "lab: 2人増えました\n"
    assert shell("groups", "list") == "lab  hanako, jiro\n"
    shell("groups", "remove", "lab", "jiro")
    assert shell("groups", "list", "--json") == [{"name": "lab", "members": ["hanako"]}]
    text = tmp_path / "a.txt"
    text.write_text("決定係数は指標である。", "utf-8")
    shell("add", text, "--corpus", "papers")
    assert shell("grants", "add", "papers", "lab", "--group", "--write") == (
        "papers@local  グループ lab  読み書きできる\n"
    )
    shell("grants", "add", "papers", "jiro")
    rows = shell("grants", "list", "--json")
    assert [(row["grantee"][1], row["access"]) for row in rows] == [("lab", "write"), ("jiro", "read")]
    shell("grants", "remove", "papers", "jiro")
    shell("groups", "remove", "lab")
    assert shell("grants", "list") == "何も許していません: shisho grants add コーパス 名前\n"
    shell("users", "remove", "jiro")
    assert "jiro  外した" in shell("users", "list")
    shell("users", "restore", "jiro")
    for wrong in (
        ("users", "add", "hanako"),
        ("users", "remove", "nobody"),
        ("users", "token", "nobody"),
        ("groups", "add", "lab2", "nobody"),
        ("groups", "remove", "nothing"),
        ("grants", "add", "nothing", "jiro"),
        ("grants", "add", "papers", "nobody"),
        ("grants", "remove", "papers", "jiro"),
        ("add", text, "--corpus", "papers@hanako"),
    ):
        assert shell.run(*wrong).returncode == 1
