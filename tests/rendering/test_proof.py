"""Proof files: what is as it was written holds, and what is not is named, by the line and by what it
means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shisho.rendering.proof import check_proof
from shisho.system.signing import is_signed
from tests.rendering.proofs import answer, flips, forged, proof, purged_proof, sealed
from tests.tables import each_row


def faults(data: bytes) -> list[tuple[int, str]]:
    return [(fault.line, fault.part) for fault in check_proof(data, is_signed).faults]


def test_what_was_written_holds_signed_or_not() -> None:
    plain = check_proof(proof(), is_signed)
    assert (plain.faults, plain.notes, plain.signer) == ((), (), "")
    assert (plain.parts, plain.quotations, plain.pictures) == (6, 2, 1)
    assert plain.question == answer().question
    signed = check_proof(proof(sign=True), is_signed)
    assert signed.faults == () and len(signed.signer) == 64
    assert proof() == proof(), "the same each time"


def test_a_proof_tells_no_stranger_where_its_files_lie() -> None:
    assert "統計.pdf".encode() in proof() and b"somebody" not in proof()


@each_row("sign", [False, True])
def test_each_of_two_hundred_flipped_bytes_is_named_by_its_line(sign: bool) -> None:
    data = proof(sign)
    for line, flipped in flips(data, 200, seed=13):
        found = faults(flipped)
        assert found and found[0][0] == line, (line, found)


@each_row(
    "change",
    [
        lambda lines: lines[:3] + lines[4:],
        lambda lines: [*lines[:4], lines[5], lines[4], *lines[6:]],
        lambda lines: lines[:-1],
        lambda lines: [*lines, b"more\n"],
        lambda lines: [*lines, lines[-1]],
        lambda lines: [*lines[:2], lines[1], *lines[2:]],
        lambda lines: [lines[0].replace(b" 1 ", b" 2 "), *lines[1:]],
        lambda lines: lines[1:],
        lambda lines: [],
        lambda lines: [b"\n"],
        lambda lines: [b"\xff\x00" * 50],
    ],
)
def test_lines_taken_out_added_or_moved_are_named(change: Callable[[list[bytes]], list[bytes]]) -> None:
    assert faults(b"".join(change(proof().splitlines(keepends=True))))


def test_a_signature_of_another_file_or_another_key_is_named() -> None:
    signed = proof(sign=True).splitlines(keepends=True)
    other = sealed(
        "".join(line.decode() for line in proof().splitlines(keepends=True)[:-1]).replace("a1", "a2")
    )
    assert faults(other + signed[-1])
    key = signed[-1].replace(signed[-1].split(b" ")[2], b"11" * 32)
    assert faults(b"".join([*signed[:-1], key])) == [(9, "signature")]


@each_row(
    ("part", "change", "said"),
    [
        ("evidence/1", {"snippet": "決定係数は0から2までの値をとる。"}, "hash"),
        ("evidence/1", {"start": 1_006}, "offsets"),
        ("evidence/1", {"slice": {"start": 1_000, "text": "まったく別の本文"}}, "offsets"),
        ("evidence/1", {"slice": None}, "missing"),
        ("evidence/1", {"slice": 7}, "wrong format"),
        ("evidence/2", {"number": 1}, "number"),
        ("evidence/2", {"picture": True}, "page image"),
        ("page/1", {"png": "AAAA"}, "PNG"),
        ("page/1", {"png": "not base64"}, "wrong format"),
        ("page/1", {"boxes": [[0.1, 0.2, 1.5, 0.4]]}, "outside"),
        ("page/1", {"page": 4}, "different pages"),
        ("stop", {"loop_stop": "BORED"}, "why the search ended"),
        ("stop", {"level": None}, "why the search ended"),
    ],
)
def test_a_part_that_was_forged_with_its_hash_is_named_by_what_it_says(
    part: str, change: dict[str, Any], said: str
) -> None:
    report = check_proof(forged(proof(), part, lambda data: {**data, **change}), is_signed)
    assert {fault.part for fault in report.faults} == {part} and said in report.faults[0].what


@each_row(
    ("index", "change", "said"),
    [
        (0, {"evidence": [7]}, "quotation 7"),
        (0, {"support": None}, "no verdict"),
        (0, {"support": "perhaps"}, "no verdict"),
        (2, {"support": "supported"}, "has no quotation"),
    ],
)
def test_sentences_must_rest_on_quotations_with_a_verdict(
    index: int, change: dict[str, Any], said: str
) -> None:
    def altered(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{**row, **change} if place == index else row for place, row in enumerate(rows)]

    report = check_proof(forged(proof(), "sentences", altered), is_signed)
    assert [fault.part for fault in report.faults] == ["sentences"] and said in report.faults[0].what


def test_a_proof_with_a_level_of_another_version_holds() -> None:
    data = forged(proof(), "stop", lambda part: {**part, "level": "near"})
    assert not check_proof(data, is_signed).faults


def test_of_an_erased_document_it_is_noted_that_nothing_is_shown() -> None:
    report = check_proof(purged_proof(), is_signed)
    assert report.faults == ()
    assert [(note.part, "erased" in note.what) for note in report.notes] == [("evidence/2", True)]
