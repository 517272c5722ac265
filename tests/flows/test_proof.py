"""An answer leaves the library as one file that proves itself: from a PDF to the check on a machine without a
home."""

from __future__ import annotations

import base64
import json
import stat
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import shisho
from shisho.interfaces.cli.app import app
from shisho.rendering.proof import check_proof
from shisho.system.signing import is_signed
from tests.interfaces.serving import SAMPLES

QUESTION = "決定係数が0に近いとき何を意味するか"
NOTE = "貸出の決まり。図書の返却期限は、借りた日から14日です。"


def parts_of(proof: bytes) -> dict[str, Any]:
    rows = [line.split(" ", 2) for line in proof.decode().splitlines()[1:] if not line.startswith("se")]
    return {name: json.loads(text) for _, name, text in rows if name != "ed25519"}


@pytest.mark.slow
async def test_an_answer_is_exported_signed_and_checked_without_a_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    (tmp_path / "note.txt").write_text(NOTE, "utf-8")
    async with shisho.open(home=home) as library:
        async for _ in library.documents.add(SAMPLES / "01-regression.pdf", tmp_path / "note.txt"):
            pass
        answer = await library.questions.ask(QUESTION)
        plain = (await library.exports.render(answer.id, "proof")).encode()
        made = CliRunner().invoke(app, ["--home", str(home), "key"])
        signed = (await library.exports.render(answer.id, "proof")).encode()
        other = await library.questions.ask("図書の返却期限は何日か")
        of_text = (await library.exports.render(other.id, "proof")).encode()
        await library.documents.remove(other.evidence[0].document_id, purge=True)
        erased = (await library.exports.render(other.id, "proof")).encode()
    parts = parts_of(plain)
    for evidence in answer.evidence:
        picture = parts[f"page/{evidence.number}"]
        assert picture["page"] == evidence.page and picture["exact"] and picture["boxes"]
        assert base64.b64decode(picture["png"]).startswith(b"\x89PNG")
    assert check_proof(plain, is_signed).faults == ()
    assert str(tmp_path).encode() not in signed and str(SAMPLES).encode() not in signed
    assert check_proof(of_text, is_signed).faults == () and NOTE.encode() in of_text
    report = check_proof(erased, is_signed)
    assert report.faults == () and [row.part for row in report.notes] == ["evidence/1"]
    assert "14日".encode() not in erased

    key_file = home / "proof.key"
    assert stat.S_IMODE(key_file.stat().st_mode) == 0o600
    public_key = made.stdout.split()[0]
    assert CliRunner().invoke(app, ["--home", str(home), "key"]).stdout.split()[0] == public_key
    monkeypatch.setenv("SHISHO_HOME", str(tmp_path / "nowhere"))
    proof_file = tmp_path / "answer.proof"
    proof_file.write_bytes(signed)
    checked = CliRunner().invoke(app, ["verify", str(proof_file), "--key", public_key])
    assert checked.exit_code == 0 and public_key in checked.stdout, checked.output
    assert CliRunner().invoke(app, ["verify", str(proof_file), "--key", "0" * 64]).exit_code == 1
    proof_file.write_bytes(signed.replace(b"png", b"pmg", 1))
    altered = CliRunner().invoke(app, ["verify", str(proof_file)])
    assert altered.exit_code == 1 and "page/" in altered.stdout
    assert not (tmp_path / "nowhere").exists()


async def test_a_damaged_key_is_told_and_never_replaced(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "proof.key").write_text("broken")
    told = CliRunner().invoke(app, ["--home", str(home), "--language", "en", "key"])
    assert told.exit_code == 1 and "damaged" in told.output
    assert (home / "proof.key").read_text() == "broken"
