"""The documentation site, as `make docs` builds it: nothing is missing, and reading it asks no other machine
for anything."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Request, sync_playwright

from tests.machine import PATIENCE
from tests.shared import missing
from tests.web.browsing import find_page_browser, need_browser

pytestmark = [pytest.mark.slow, pytest.mark.site]
ROOT = Path(__file__).parent.parent
SOURCES = ("mkdocs.yml", "README.md", "README.ja.md", "LICENSE", "docs", "src", "pyproject.toml")
PAGES = ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")


def build(repository: Path, site: Path) -> subprocess.CompletedProcess[str]:
    if find_spec("material") is None or find_spec("mkdocs") is None:
        missing("mkdocs and its theme are not installed: pip install -e '.[docs]'")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)]
    return subprocess.run(
        command, cwd=repository, capture_output=True, text=True, timeout=5 * PATIENCE, check=False
    )


def test_the_makefile_builds_it_as_it_is_built_here() -> None:
    assert "-m mkdocs build --strict --site-dir build/site" in (ROOT / "Makefile").read_text("utf-8")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As `make docs` has just built it, else built here."""
    if built := os.environ.get("SHISHO_SITE"):
        return ROOT / built
    folder = tmp_path_factory.mktemp("site")
    done = build(ROOT, folder)
    assert done.returncode == 0, done.stderr
    return folder


class LoadedAddresses(HTMLParser):
    """The addresses of what a page loads by itself. What a reader may click on is not among them."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        names = ["src", "srcset", "data", "poster", *(["href"] if tag == "link" else [])]
        self.addresses += [value for name in names if (value := given.get(name))]
        self.addresses += re.findall(r"url\(([^)]+)\)", given.get("style") or "")


def loaded_by_page(html: str) -> list[str]:
    parser = LoadedAddresses()
    parser.feed(html)
    return parser.addresses


def is_elsewhere(address: str) -> bool:
    return re.match(r"\s*[\"']?(https?:)?//", address) is not None


def test_addresses_elsewhere_are_noticed() -> None:
    html = '<link href="//fonts.test/a.css"><img src="/b.png"><a href="https://c.test">c</a><script src="https://d.test/d.js">'
    assert [address for address in loaded_by_page(html) if is_elsewhere(address)] == [
        "//fonts.test/a.css",
        "https://d.test/d.js",
    ]


def test_no_page_and_no_style_loads_anything_from_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 40
    outside = {
        f"{page.relative_to(site)}: {address}"
        for page in pages
        for address in loaded_by_page(page.read_text("utf-8"))
        if is_elsewhere(address)
    }
    for style in site.rglob("*.css"):
        named = re.findall(r"(?:url\(|@import\s+)([^);]+)", style.read_text("utf-8"))
        outside |= {f"{style.relative_to(site)}: {address}" for address in named if is_elsewhere(address)}
    assert outside == set()


def page_of(source: str, site: Path) -> Path:
    if source == "README.md":
        return site / "index.html"
    return site / source.removesuffix(".md") / "index.html"


def test_every_page_of_the_repository_is_on_the_site_in_its_language(site: Path) -> None:
    sources = [path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")]
    for source in [*sources, "README.md", "README.ja.md", *PAGES]:
        html = page_of(source, site).read_text("utf-8")
        language = "ja" if source.endswith(".ja.md") else "en"
        assert f'<html lang="{language}"' in html, source
    assert (site / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_docstrings_of_the_public_packages_are_on_the_site(site: Path) -> None:
    library = (site / "docs/reference/library/index.html").read_text("utf-8")
    ports = (site / "docs/reference/ports/index.html").read_text("utf-8")
    errors = (site / "docs/reference/errors/index.html").read_text("utf-8")
    assert 'id="shisho.open"' in library
    assert 'id="shisho.ports' in ports and ports.count("doc-function") > 50
    assert 'id="shisho.errors.ShishoError"' in errors


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A copy of what the site is built from."""
    for name in (*SOURCES, *PAGES):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, tmp_path / name)
    return tmp_path


@pytest.mark.parametrize(
    ("planted", "said"),
    [
        (
            "[a](no-such-page.md) [a](web.md#no-such-heading) [a](../../LICENCE)",
            ("no-such-page.md", "no-such-heading", "LICENCE"),
        ),
        ("::: shisho.no_such_module", ("no_such_module",)),
    ],
)
def test_broken_links_and_names_that_are_not_there_end_the_build(
    repository: Path, planted: str, said: tuple[str, ...]
) -> None:
    for page in (repository / "docs" / "reference").glob("*.md"):
        page.write_text("# Nothing\n", "utf-8")  # what takes long is not what is tried here
    queue = repository / "docs" / "howto" / "queue.md"
    queue.write_text(f"{queue.read_text('utf-8')}\n{planted}\n", "utf-8")
    done = build(repository, repository.parent / "site")
    assert done.returncode != 0 and all(word in done.stderr for word in said), done.stderr


@contextmanager
def served(folder: Path) -> Iterator[str]:
    class QuietHandler(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def browser() -> Iterator[Browser]:
    need_browser()
    with sync_playwright() as playwright:
        options = [
            "--no-sandbox",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--no-first-run",
        ]
        opened = playwright.chromium.launch(executable_path=find_page_browser(), args=options)
        yield opened
        opened.close()


def search(page: Page, words: str, address: str) -> None:
    """Type into the field and wait until a page at this address is among the results."""
    field = page.locator("input.md-search__input")
    field.fill(words)
    field.press("End")  # the theme listens to keys
    page.locator(f".md-search-result a[href*='{address}']").first.wait_for(state="attached")


def test_reading_and_searching_in_a_browser_asks_this_server_alone(site: Path, browser: Browser) -> None:
    asked: list[str] = []

    def note(request: Request) -> None:
        asked.append(request.url)

    with served(site) as address:
        page = browser.new_page()
        page.set_default_timeout(1000 * PATIENCE)
        page.on("request", note)
        page.goto(f"{address}/", wait_until="networkidle")
        search(page, "captcha", "howto/web/")
        page.goto(f"{address}/docs/howto/queue.ja/", wait_until="networkidle")
        assert page.get_by_role("link", name="In English", exact=True).get_attribute("href") == "../queue/"
        search(page, "キュー", "howto/queue.ja/")
        search(page, "異常終了", "howto/queue.ja/")
        search(page, "ボリューム", "howto/container.ja/")
        page.goto(f"{address}/docs/reference/ports/", wait_until="networkidle")
    assert any(url.endswith("search_index.json") for url in asked)
    assert [url for url in asked if not url.startswith((f"{address}/", "data:", "blob:"))] == []
