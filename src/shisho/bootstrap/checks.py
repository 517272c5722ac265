"""The checks of `shisho doctor`: database, index, tokenizer, reader and optional parts.

A failed check of an optional part shows how to install it.
"""

from __future__ import annotations

import asyncio
import importlib.util
import shutil
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path

from shisho.bootstrap.embedder import BY_WORDS, BuiltEmbedders, check_reranker
from shisho.bootstrap.engine_file import read_config
from shisho.bootstrap.models import check_model
from shisho.corpus.readers import drawing, media, specimen
from shisho.corpus.readers.killable import KillableReader
from shisho.domain.corpus import LOCAL_OWNER, Check, Scope, Source
from shisho.domain.viewing import PDF_TYPE
from shisho.errors import ExtraMissing, ShishoError
from shisho.messages import Message, install_command
from shisho.messages.system import explain_error
from shisho.plugins import ENGINES, MODELS, READERS, find_installed, load_plugin
from shisho.ports import MeasuredIndex, Originals, PageRenderer
from shisho.services.models import Embeddings
from shisho.settings import Settings, find_unknown_settings, load_readable
from shisho.system.typesetting import check_japanese, find_fonts
from shisho.web.browser import chromium


async def run_checks(
    settings: Settings,
    check_database: Callable[[], Awaitable[Check]],
    index: MeasuredIndex,
    reader: KillableReader,
    embeddings: Embeddings,
    embedders: BuiltEmbedders | Message,
    originals: Originals,
    renderer: PageRenderer,
) -> Sequence[Check]:
    """Run every check, required parts first.

    Counts and details of home files are only shown to the owner of this machine.
    """
    return [
        await check_database(),
        await _index(index),
        await asyncio.to_thread(_check_settings, settings.home),
        await asyncio.to_thread(_check_engines, settings.home),
        *await asyncio.to_thread(_check_plugins),
        await asyncio.to_thread(_check_tokenizer),
        await _check_reader(reader),
        await _check_fonts(reader),
        await _check_page_fonts(renderer),
        await _check_originals(originals, settings),
        _check_extra(
            "ocr",
            "rapidocr",
            Message("doctor.use_ocr"),
            install_command("ocr"),
        ),
        _check_extra(
            "ginza",
            "ja_ginza",
            Message("doctor.use_ginza"),
            install_command("ginza"),
        ),
        _check_program(
            "ocrmypdf",
            Message("doctor.use_ocrmypdf"),
            Message("doctor.install_ocrmypdf"),
        ),
        await asyncio.to_thread(_check_pdf),
        _check_browser(settings.read_text("browser_path")),
        await _check_embedder(embeddings, embedders, index),
        *await check_reranker(settings),
        await check_model(settings),
        *(Check("environment", False, stray, optional=True) for stray in find_unknown_settings()),
    ]


def _check_settings(home: Path) -> Check:
    """Check that the settings can be read.

    Unreadable ones have their defaults until they are fixed.
    """
    _, troubles = load_readable(home=home)
    if troubles:
        remedy = Message("doctor.mend_settings")
        return Check("settings", False, Message.join([error.message for error in troubles], " "), remedy)
    return Check("settings", True, Message("doctor.settings_readable"))


def _check_engines(home: Path) -> Check:
    """Check that `engines.toml` of the home can be read."""
    try:
        count = len(read_config(home).engines)
    except ShishoError as error:
        remedy = Message("doctor.mend_engines")
        return Check("engines", False, error.message, remedy)
    return Check("engines", True, Message("doctor.engines_known", count=count))


def _check_plugins() -> list[Check]:
    """Check the installed plug-ins: one row for each broken one, and one for all that work."""
    from shisho.inference.providers import Provider
    from shisho.web.engines import is_engine

    accepts: dict[str, Callable[[object], bool]] = {
        ENGINES: is_engine,
        READERS: media.is_file_format,
        MODELS: lambda loaded: isinstance(loaded, Provider),
    }
    checks, working = [], []
    for plugin in (plugin for group in accepts for plugin in find_installed(group)):
        facts = {"name": plugin.name, "package": plugin.package}
        try:
            if accepts[plugin.group](load_plugin(plugin)):
                working.append("{name} ({package})".format(**facts))
                continue
            fault = Message("plugin.no_object", group=plugin.group, **facts)
        except ShishoError as error:
            fault = error.message
        checks.append(Check("plugins", False, fault, optional=True))
    return checks + ([Check("plugins", True, ", ".join(working))] if working else [])


async def _index(index: MeasuredIndex) -> Check:
    """Check the index and rebuild its damaged files."""
    try:
        damages = await index.examine()
        statistics = await index.view(lambda view: view.read_statistics(Scope(LOCAL_OWNER)))
    except ShishoError as error:
        return Check("index", False, error.message)
    except OSError as error:
        remedy = Message("doctor.index_no_right")
        why = Message("common.path_reason", path=error.filename or "lexical", why=explain_error(error))
        return Check("index", False, why, remedy)
    detail = Message("doctor.passages", count=int(statistics["passages"]))
    if not damages:
        return Check("index", True, detail)
    files = ", ".join(f"{damage.folder}/{damage.file}" for damage in damages)
    if all(damage.is_remade for damage in damages):
        remade = Message("doctor.index_remade", detail=detail, files=files)
        return Check("index", True, remade)
    remedy = Message("doctor.index_not_writable")
    return Check("index", False, Message("doctor.files_damaged", files=files), remedy)


async def _check_embedder(
    embeddings: Embeddings, embedders: BuiltEmbedders | Message, index: MeasuredIndex
) -> Check:
    """Report the embedder and its progress, or why there is none.

    Also the vectors used until it is done.
    """
    if isinstance(embedders, Message):
        remedy = install_command("vectors") if embedders == BY_WORDS else ""
        return Check("embedder", False, embedders, remedy, optional=True)
    name = embedders.current.about.name
    try:
        progress = await embeddings.get_progress()
        serving = await index.view(lambda view: view.serving, current=False)
    except ShishoError as error:
        return Check("embedder", False, error.message, optional=True)
    done, total = (progress.done, progress.total) if progress else (0, 0)
    detail = Message("doctor.vectors_made", name=name, done=done, total=total)
    if serving is not None and serving.name != name:
        detail = Message("doctor.other_vectors_serve", detail=detail, other=serving.name)
    return Check("embedder", True, detail, optional=True)


def _check_tokenizer() -> Check:
    from shisho.language.terms import analyse

    return Check(
        "tokenizer",
        "売り上げ" in analyse(["売上"]).terms,
        Message("doctor.sudachi"),
        Message("doctor.install_sudachi"),
    )


async def _check_reader(reader: KillableReader) -> Check:
    samples = {
        "check.md": "# 題\n\n本文。",
        "check.html": "<html><body><p>本文である。</p></body></html>",
    }
    try:
        readings = [await reader.read(Source(name, text.encode())) for name, text in samples.items()]
    except ShishoError as error:
        return Check("reader", False, error.message, Message("doctor.raise_reader_memory"))
    return Check(
        "reader",
        all(reading.blocks for reading in readings),
        Message("doctor.formats", formats=media.FORMAT_NAMES),
    )


async def _check_fonts(reader: KillableReader) -> Check:
    """Check that text is read if neither the PDF nor this machine has its font."""
    remedy = Message("doctor.pdf_print_anew")
    try:
        reading = await reader.read(Source("specimen.pdf", specimen.make_specimen()))
    except ShishoError as error:
        return Check("fonts", False, error.message, remedy)
    missing = specimen.list_unread("\n".join(block.text for block in reading.blocks))
    if missing:
        return Check(
            "fonts",
            False,
            Message(
                "doctor.pdf_letters_lost",
                scripts=_join_scripts(missing),
            ),
            remedy,
        )
    return Check(
        "fonts",
        True,
        Message("doctor.pdf_without_fonts", scripts=_join_scripts(specimen.TEXTS)),
    )


async def _check_page_fonts(renderer: PageRenderer) -> Check:
    """Check that pages are drawn if the PDF does not embed its fonts.

    This machine must have them.
    """
    remedy = Message("doctor.page_letters_missing")
    try:
        image = await renderer.draw(specimen.make_specimen(), PDF_TYPE, 1, 800)
    except ShishoError as error:
        return Check("page_fonts", False, error.message, optional=True)
    lacking = [
        language for language, box in specimen.locate_sentences().items() if not drawing.has_ink(image, box)
    ]
    if lacking:
        detail = Message("doctor.no_font", scripts=_join_scripts(lacking))
        return Check("page_fonts", False, detail, remedy, optional=True)
    detail = Message("doctor.pages_without_fonts", scripts=_join_scripts(specimen.TEXTS))
    return Check("page_fonts", True, detail, optional=True)


async def _check_originals(originals: Originals, settings: Settings) -> Check:
    try:
        count, size = await originals.measure_usage()
    except ShishoError as error:
        return Check("originals", False, error.message)
    except OSError as error:
        remedy = Message("doctor.originals_no_right")
        return Check("originals", False, explain_error(error), remedy)
    facts = {"count": count, "megabytes": size / 1e6}
    if settings.read_text("store"):
        detail = Message(
            "doctor.originals_in_backup",
            **facts,
        )
    else:
        detail = Message(
            "doctor.originals_not_in_backup",
            **facts,
        )
    return Check("originals", True, detail)


def _join_scripts(scripts: Iterable[str]) -> Message:
    return Message.join([Message(script) for script in scripts], ", ")


def _check_browser(path: str) -> Check:
    """Check the browser package and the browser itself."""
    use = Message("doctor.use_browser")
    if importlib.util.find_spec("playwright") is None:
        return Check("browser", False, use, install_command("browser"), optional=True)
    program = chromium.find(path)
    if program is None:
        return Check("browser", False, use, chromium.HOW_TO_GET, optional=True)
    return Check("browser", True, Message("doctor.use_at_path", use=use, path=program), optional=True)


def _check_extra(name: str, module: str, use: str, remedy: str) -> Check:
    return Check(name, importlib.util.find_spec(module) is not None, use, remedy, optional=True)


def _check_pdf() -> Check:
    """Check the PDF typesetter and its Japanese fonts."""
    try:
        check_japanese(find_fonts())
    except ExtraMissing as missing:
        return Check("pdf", False, missing.message, optional=True)
    return Check("pdf", True, Message("doctor.typst"), optional=True)


def _check_program(name: str, use: str, remedy: str) -> Check:
    return Check(name, shutil.which(name) is not None, use, remedy, optional=True)
