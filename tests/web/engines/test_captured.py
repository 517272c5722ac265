"""Every captured page of every engine: hits in their order, challenges, empty pages, shells, and nothing
taken for another."""

from __future__ import annotations

from collections import defaultdict
from functools import cache

import pytest

from shisho.domain.web import ChallengeKind, Response, Serp
from shisho.errors import EngineUnavailable, ParserFailed, ShishoError
from shisho.web.engines import create_engines, read_saved
from shisho.web.http.url import canonicalise
from tests.faults.children import LONG
from tests.web.engines.pages import REVIEWED, Saved, saved

LEAST = 0.95
MEASURED = ("bing", "brave", "ecosia", "google", "qwant")
EXPECTED_KINDS = {
    "block_cloudflare": {ChallengeKind.CAPTCHA, ChallengeKind.TURNSTILE, ChallengeKind.JS_CHALLENGE},
    "block_ddg_anomaly": {ChallengeKind.CAPTCHA},
    "block_google_sorry": {ChallengeKind.CAPTCHA},
    "block_other": {ChallengeKind.BLOCKED, ChallengeKind.JS_CHALLENGE},
}


@cache
def _read(page: Saved) -> Serp | ShishoError:
    try:
        return read_saved(page.engine or "auto", page.response)
    except ShishoError as error:
        return error


def read(page: Saved) -> Serp:
    """The page, read once for all tests."""
    serp = _read(page)
    if isinstance(serp, ShishoError):
        raise serp
    return serp


def truth(page: Saved) -> str:
    """What a page is: its label, unless a person looked and found otherwise."""
    reviewed = REVIEWED["labels"].get(page.file)
    return reviewed["truth"] if reviewed else "shell" if "shell" in page.kind else page.kind


def of_truth(*wanted: str) -> list[Saved]:
    pages = [page for page in saved() if truth(page) in wanted]
    assert pages
    return pages


def test_organic_urls_in_their_order() -> None:
    found: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for page in saved():
        if page.expected and page.organic():
            expected = page.organic()
            ours = [canonicalise(hit.url) for hit in read(page).hits]
            shared_ = [url for url in ours if url in set(expected)]
            order = list(dict.fromkeys(shared_))
            assert order == [url for url in dict.fromkeys(expected) if url in set(ours)], page.file
            found[page.engine][0] += len([url for url in expected if url in set(ours)])
            found[page.engine][1] += len(expected)
            assert set(ours) <= set(expected), f"{page.file}: hits nobody expected"
    assert set(MEASURED) <= set(found)
    for engine in MEASURED:
        hit, expected_ = found[engine]
        assert expected_ >= 100
        assert hit / expected_ >= LEAST, f"{engine}: {hit} of {expected_}"


def test_every_page_of_results_gives_hits_and_is_no_challenge() -> None:
    for page in of_truth("results", "changed"):
        serp = read(page)
        assert serp.hits and serp.challenge is None and not serp.no_results, page.file
        assert [hit.rank for hit in serp.hits] == list(range(1, len(serp.hits) + 1))
        assert all(hit.title and hit.url.startswith("http") for hit in serp.hits)
        assert "layout_guessed" not in serp.warnings, page.file


def test_a_changed_query_is_said() -> None:
    for page in of_truth("changed"):
        assert "query_changed" in read(page).warnings, page.file


def test_every_block_is_a_challenge_of_its_kind() -> None:
    for page in of_truth(*EXPECTED_KINDS):
        serp = read(page)
        assert serp.challenge and not serp.hits, page.file
        assert serp.challenge.kind in EXPECTED_KINDS[page.kind], (page.file, serp.challenge)


def test_no_results_is_an_answer() -> None:
    for page in of_truth("no_results"):
        serp = read(page)
        assert serp.no_results and not serp.hits and serp.challenge is None and serp.next is None, page.file


def test_a_shell_needs_the_browser() -> None:
    for page in of_truth("shell"):
        with pytest.raises(EngineUnavailable):
            read(page)


def test_an_approved_parse_without_results_gives_none() -> None:
    """Ours may say "no results", "needs a browser" or "layout unknown"; never hits nobody approved."""
    for page in saved():
        if page.expected and page.kind == "other" and not page.organic():
            try:
                serp = read(page)
            except (EngineUnavailable, ParserFailed):
                continue
            assert serp.no_results, page.file


def test_unclassified_pages_never_crash_nor_succeed_empty() -> None:
    for page in of_truth("other"):
        try:
            serp = read(page)
        except ShishoError as error:
            assert isinstance(error, EngineUnavailable | ParserFailed), page.file
            continue
        assert serp.hits or serp.challenge or serp.no_results, page.file


def test_snippets_come_with_nearly_all_hits() -> None:
    counted: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for page in of_truth("results"):
        for hit in read(page).hits:
            counted[page.engine][0] += bool(hit.snippet)
            counted[page.engine][1] += 1
    for engine, (with_snippet, hits) in counted.items():
        assert with_snippet / hits >= 0.9, f"{engine}: {with_snippet} of {hits}"


@pytest.mark.slow
def test_auto_names_the_engine_of_every_page() -> None:
    wrong = []
    for page in saved()[:: 1 if LONG else 2]:
        try:
            named = read_saved("auto", page.response).engine
        except ShishoError as error:
            named = str(error.details.get("engine"))
        own = page.engine if page.kind != "other" else ""
        # A wall in front of an engine may carry no word of it; other wikis stand in Wikipedia's folder.
        if own and named not in (
            own,
            "wikidata" if own == "wikipedia" else own,
            "" if "block" in page.kind else own,
        ):
            wrong.append((page.file, named))
    assert wrong == []


@pytest.mark.slow
def test_no_engine_crashes_on_another_engines_page() -> None:
    for page in saved()[:: 25 if LONG else 75]:
        for name in create_engines():
            try:
                read_saved(name, page.response)
            except ShishoError as error:
                assert isinstance(error, EngineUnavailable | ParserFailed), (name, page.file)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["mojeek", "duckduckgo", "ecosia", "startpage", "qwant", "brave", "google", "bing"]
)
def test_renamed_classes_never_give_an_empty_success(name: str) -> None:
    """A new look tomorrow: the same pages with every class and test id renamed."""
    for page in of_truth("results"):
        if page.engine == name:
            body = page.response.body
            for attribute in (b"class=", b"data-testid=", b"data-test-id=", b"data-type="):
                body = body.replace(attribute, b"x-" + attribute)
            try:
                serp = read_saved(name, Response(body))
            except (ParserFailed, EngineUnavailable):
                continue
            assert serp.hits or serp.challenge, page.file


def test_a_button_is_no_hit_though_it_looks_like_one() -> None:
    """`Try again` stands in a heading inside an anchor that leads nowhere."""
    pages = [
        page for page in saved() if page.file.startswith("google/") and b"Try again" in page.response.body
    ]
    seen = 0
    for page in pages:
        try:
            hits = read(page).hits
        except ShishoError:
            continue
        seen += bool(hits)
        assert all(hit.title != "Try again" and hit.url != "https://www.google.com" for hit in hits), (
            page.file
        )
    assert seen >= 4
