"""`shisho verify` and `shisho key`: answers with proofs."""

from __future__ import annotations

from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shisho.errors import InvalidParams
from shisho.interfaces.cli.shell import Json, Shell
from shisho.messages import Message
from shisho.messages.catalogue import render, translate_word

if TYPE_CHECKING:
    from shisho.domain.proof import ProofFault, ProofReport

OTHER_SIGNER = Message("proof.other_key")


def verify(
    shell: Shell,
    file: Annotated[Path | None, typer.Argument(help="help.argument_proof")] = None,
    page: Annotated[
        Path | None,
        typer.Option(help="help.option_proof_page"),
    ] = None,
    key: Annotated[str | None, typer.Option(help="help.option_proof_key")] = None,
    json_: Json = False,
) -> None:
    """Check a proof file (`shisho export --format proof`) without a library.

    Exits with 1 if it is altered.
    """
    if (file is None) == (page is None):
        raise InvalidParams("proof.nothing_named")
    from shisho.bootstrap.personal import check_proof, read_file, write_file

    if page is not None:
        write_file(page, (resources.files("shisho.interfaces.cli") / "verify.html").read_bytes())
        typer.echo(translate_word("proof_page", path=page))
        return
    assert file is not None
    report = _check_signer(check_proof(read_file(file)), key)
    shell.show(report, lambda: _print(report))
    if report.faults:
        raise typer.Exit(1)


def key(shell: Shell) -> None:
    """Create the key that signs proof files, and print its public half for verifiers."""
    from shisho.bootstrap.personal import open_signing_key

    public_key, is_new = open_signing_key(shell.load_settings()).make()
    typer.echo(public_key)
    typer.echo(translate_word("key_made" if is_new else "key_there"), err=True)


def _check_signer(report: ProofReport, public_key: str | None) -> ProofReport:
    if public_key is None or report.faults or report.signer == public_key.strip().lower():
        return report
    from shisho.domain.proof import ProofFault

    return replace(report, faults=(ProofFault(1, "signature", OTHER_SIGNER),))


def _print(report: ProofReport) -> None:
    """Print a report. Line breaks are removed from question and signer, which are untrusted."""
    from shisho.language.display import display_name

    for fault in report.faults:
        typer.echo(_describe_fault(fault))
    if report.faults:
        typer.echo(translate_word("proof_broken", n=len(report.faults)))
        return
    typer.echo(
        translate_word(
            "proof_holds", parts=report.parts, quotations=report.quotations, pictures=report.pictures
        )
    )
    typer.echo(translate_word("proof_question", text=display_name(report.question)))
    signer = display_name(report.signer)
    typer.echo(translate_word("proof_signed", text=signer) if signer else translate_word("proof_unsigned"))
    for note in report.notes:
        typer.echo(_describe_fault(note))


def _describe_fault(fault: ProofFault) -> str:
    from shisho.language.display import display_name

    place = translate_word("proof_place" if fault.part else "proof_line", line=fault.line, part=fault.part)
    return display_name(f"{place}: {render(fault.what)}")
