"""What documents lack for a bibliography is asked of Crossref by their DOI: never without a yes, and nothing
else is sent."""

from __future__ import annotations

from pathlib import Path

import pytest

from shisho.domain.corpus import IntakeOutcome
from shisho.errors import ConsentRequired, EngineUnavailable
from shisho.services import Library
from shisho_box.server import Box
from tests.flows.boxed import boxed
from tests.flows.conftest import Shell
from tests.flows.test_references import all_of


def paper(folder: Path, name: str, doi: str, **metadata: str) -> Path:
    tags = "".join(f'<meta name="citation_{key}" content="{value}">' for key, value in metadata.items())
    path = folder / f"{name}.html"
    head = f'<title>{name}</title><meta name="citation_doi" content="{doi}">{tags}'
    path.write_text(f"<html><head>{head}</head><body><p>{f'{name}の本文である。' * 20}</p>", "utf-8")
    return path


def number_of_a_page(box: Box) -> int:
    return next(page.number for page in box.web.world.pages if page.useful)


async def test_what_a_doi_s_registry_knows_fills_what_is_not_said(tmp_path: Path) -> None:
    async with boxed(tmp_path / "home") as (box, library):
        number = number_of_a_page(box)
        doi = f"10.5555/box.{number}"
        await all_of(
            library.documents.add(
                paper(tmp_path, "甲", doi, author="本人"), paper(tmp_path, "乙", "10.5555/box.999999")
            )
        )
        await all_of(
            library.documents.add(paper(tmp_path, "丙", "10.1000/x", author="a", publication_date="2020"))
        )
        incomplete = await library.references.list_incomplete()
        assert sorted(document.title for document in incomplete) == ["乙", "甲"]
        receipts = {receipt.title: receipt async for receipt in library.references.complete(incomplete)}
        filled, unknown = receipts["甲"], receipts[""]
        assert (filled.outcome, unknown.code) == (IntakeOutcome.DESCRIBED, "RESOURCE_NOT_FOUND")
        document = await library.documents.get("甲.html")
        assert document.metadata["author"] == "本人", "what is said already stays"
        assert (
            document.metadata["container"] == "Journal of Boxes"
            and document.metadata["kind"] == "article-journal"
        )
        assert document.metadata["year"].isdigit() and document.metadata["title"]
        sent = [(entry.host, entry.path) for entry in box.log.requests]
        assert {host for host, _ in sent} == {"api.crossref.org"} and len(sent) == 2


async def test_nothing_is_asked_before_the_yes_nor_where_the_web_is_off(
    library: Library, tmp_path: Path
) -> None:
    await all_of(library.documents.add(paper(tmp_path, "甲", "10.5555/box.1")))
    incomplete = await library.references.list_incomplete("甲.html")
    with pytest.raises((ConsentRequired, EngineUnavailable)):
        await all_of(library.references.complete(incomplete))


def test_the_shell_says_what_is_lacking_and_refuses_without_a_yes(shell: Shell, tmp_path: Path) -> None:
    shell("add", paper(tmp_path, "甲", "10.5555/box.1"))
    assert "10.5555/box.1  甲" in shell("references") and "--look-up" in shell("references")
    shell.environment["SHISHO_WEB"] = "ask"
    assert "CONSENT_REQUIRED" in shell("references", "--look-up", code=1)
    shell.environment["SHISHO_WEB"] = "off"
    assert "ENGINE_UNAVAILABLE" in shell("references", "--look-up", code=1)
