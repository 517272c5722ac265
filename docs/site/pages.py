"""The pages of the documentation site: what the repository holds for readers, at the paths it has there.

So a link that works in the repository works on the site, and an added page is on the site without an entry.
MkDocs calls the functions whose names begin with `on_`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
JAPANESE = ".ja.md"
PROJECT = ("ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Put the repository's pages in place of the folder that MkDocs looked through, and order them."""
    for file in list(files.documentation_pages()):
        files.remove(file)
    paths = [path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")]
    paths += ["README.md", "README.ja.md", *PROJECT, "LICENSE"]
    pictures = [path.relative_to(ROOT).as_posix() for path in (ROOT / "docs" / "pictures").iterdir()]
    for path in (*paths, *pictures):
        files.append(File(path, str(ROOT), config.site_dir, config.use_directory_urls))
    config.nav = navigation(sorted(paths))
    return files


def navigation(paths: list[str]) -> list[Any]:
    """Return one tab for each language, then what both share. Howtos are in the order of the README."""
    readme = (ROOT / "README.md").read_text("utf-8")

    def place(path: str) -> int:
        found = readme.find(path.replace(JAPANESE, ".md"))
        return found if found >= 0 else len(readme)

    howtos = sorted((path for path in paths if path.startswith("docs/howto/")), key=place)
    reference = [path for path in paths if path.startswith("docs/reference/")]
    decisions = [path for path in paths if path.startswith("docs/adr/")]
    others = [
        path for path in paths if path.startswith("docs/") and path not in {*howtos, *reference, *decisions}
    ]
    return [
        {"English": ["README.md", *(path for path in howtos if not path.endswith(JAPANESE))]},
        {"日本語": ["README.ja.md", *(path for path in howtos if path.endswith(JAPANESE))]},
        {"Reference · 参照": [*others, {"Python": reference}]},
        {"Project · 開発": [*PROJECT, {"Decisions": decisions}]},
    ]


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Lead from a howto to its pair in the other language. The READMEs do so themselves."""
    path = Path(page.file.src_uri)
    if path.name.endswith(JAPANESE):
        pair, words = path.with_name(path.name.replace(JAPANESE, ".md")), "In English"
    else:
        pair, words = path.with_suffix(JAPANESE), "日本語で読む"
    if path.stem.startswith("README") or files.get_file_from_path(pair.as_posix()) is None:
        return markdown
    title, _, text = markdown.partition("\n")
    return f"{title}\n\n[{words}]({pair.name})\n\n{text}"


def on_page_context(
    context: dict[str, Any], page: Page, config: MkDocsConfig, nav: Navigation
) -> dict[str, Any]:
    """Give the page its language, which chooses the theme's words and the reader's fonts."""
    config.theme["language"] = "ja" if page.file.src_uri.endswith(JAPANESE) else "en"
    return context
