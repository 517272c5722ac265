"""The checks of `shisho doctor`: database, index, tokenizer, reader, and the optional parts with the way
to get them."""

from __future__ import annotations

import asyncio
import importlib.util
import shutil
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from shisho.bootstrap.embedder import BY_WORDS, BuiltEmbedders
from shisho.bootstrap.engine_file import read_config
from shisho.bootstrap.models import check_model
from shisho.bootstrap.reranking import check_reranker
from shisho.corpus.readers import drawing, media, specimen
from shisho.corpus.readers.killable import KillableReader
from shisho.desk.embeddings import EmbeddingDesk
from shisho.domain.corpus import LOCAL_OWNER, Check, Scope, Source
from shisho.domain.viewing import PDF_TYPE
from shisho.errors import ExtraMissing, ShishoError
from shisho.messages.installing import install_command
from shisho.messages.message import Message
from shisho.messages.system import reason_of
from shisho.plugins import GROUPS, find_installed, load_plugin
from shisho.ports import MeasuredIndex, Originals, PageRenderer
from shisho.settings import Settings, find_stray_names, load_readable
from shisho.system.typesetting import check_japanese, find_fonts
from shisho.web.browser import chromium


async def run_checks(
    settings: Settings,
    owner: str,
    check_database: Callable[[], Awaitable[Check]],
    index: MeasuredIndex,
    reader: KillableReader,
    embeddings: EmbeddingDesk,
    embedders: BuiltEmbedders | Message,
    originals: Originals,
    renderer: PageRenderer,
) -> Sequence[Check]:
    """Every check, the needed ones first. How much is in it, is told to this machine's owner alone."""
    return [
        _quiet(await check_database(), owner),
        _quiet(await _index(index, owner), owner),
        _secluded(await asyncio.to_thread(_settings, settings.home), owner),
        _secluded(await asyncio.to_thread(_engines, settings.home), owner),
        *await asyncio.to_thread(_plugins),
        await asyncio.to_thread(_tokenizer),
        await _reader(reader),
        await _fonts(reader),
        await _page_fonts(renderer),
        _quiet(await _originals(originals, settings), owner),
        _extra(
            "ocr",
            "rapidocr",
            Message("text of pictures and scanned pages"),
            install_command("ocr"),
        ),
        _extra(
            "ginza",
            "ja_ginza",
            Message("reference splitter and terms"),
            install_command("ginza"),
        ),
        _program(
            "ocrmypdf",
            Message("text layer for scanned PDFs"),
            Message("install ocrmypdf with tesseract's Japanese data; see docs/howto/ocr.md"),
        ),
        await asyncio.to_thread(_pdf),
        _browser(settings.text("browser_path")),
        _quiet(await _embedder(embeddings, embedders, index), owner),
        *await check_reranker(settings),
        await check_model(settings),
        *(Check("environment", False, stray, optional=True) for stray in find_stray_names()),
    ]


def _quiet(check: Check, owner: str) -> Check:
    """The check as it may be told: its amounts are those of everybody's libraries together."""
    return replace(check, detail=Message("works")) if check.ok and owner != LOCAL_OWNER else check


def _secluded(check: Check, owner: str) -> Check:
    """The check as it may be told: what stands in the home's own files is for this machine's owner alone."""
    is_told = check.ok or owner == LOCAL_OWNER
    return check if is_told else replace(check, detail=Message("cannot be read"), remedy="")


def _settings(home: Path) -> Check:
    """Check that the settings can be read; unreadable ones keep their defaults meanwhile."""
    _, troubles = load_readable(home=home)
    if troubles:
        remedy = Message("mend it, or move it away; what it was to set is as it is by default until then")
        return Check("settings", False, Message.join([error.message for error in troubles], " "), remedy)
    return Check("settings", True, Message("settings.toml and the environment can be read"))


def _engines(home: Path) -> Check:
    """Check that `engines.toml` of the home can be read."""
    try:
        count = len(read_config(home).engines)
    except ShishoError as error:
        remedy = Message("mend engines.toml, or move it away; no engine is asked until then")
        return Check("engines", False, error.message, remedy)
    return Check("engines", True, Message("{count} search engines are known", count=count))


def _plugins() -> Iterator[Check]:
    """Check the plug-ins of installed packages: one row for each broken one, and one for those that work."""
    working = []
    for plugin in (plugin for group in GROUPS for plugin in find_installed(group)):
        try:
            load_plugin(plugin)
        except ShishoError as error:
            yield Check("plugins", False, error.message, optional=True)
        else:
            working.append(f"{plugin.name} ({plugin.package})")
    if working:
        yield Check("plugins", True, ", ".join(working))


async def _index(index: MeasuredIndex, owner: str) -> Check:
    """Look through the index; what was damaged in it is made anew."""
    try:
        damages = await index.examine()
        statistics = await index.view(lambda view: view.statistics(Scope(owner)))
    except ShishoError as error:
        return Check("index", False, error.message)
    except OSError as error:
        remedy = Message(
            "give yourself the right to its folder, or delete it: it is made again from the database"
        )
        why = Message("{path}: {why}", path=error.filename or "lexical", why=reason_of(error))
        return Check("index", False, why, remedy)
    detail = Message("{count} passages", count=int(statistics["passages"]))
    if not damages:
        return Check("index", True, detail)
    files = ", ".join(f"{damage.folder}/{damage.file}" for damage in damages)
    if all(damage.is_remade for damage in damages):
        remade = Message(
            "{detail}; {files} was damaged, and the index was made anew", detail=detail, files=files
        )
        return Check("index", True, remade)
    remedy = Message(
        "give yourself the right to write its folder, or delete it: it is made again from the database; "
        "until then searches make it in memory"
    )
    return Check("index", False, Message("{files} is damaged", files=files), remedy)


async def _embedder(
    embeddings: EmbeddingDesk, embedders: BuiltEmbedders | Message, index: MeasuredIndex
) -> Check:
    """Which embedder works, how far it is, and whose vectors serve meanwhile; or why none does."""
    if isinstance(embedders, Message):
        remedy = install_command("vectors") if embedders == BY_WORDS else ""
        return Check("embedder", False, embedders, remedy, optional=True)
    name = embedders.current.about.name
    try:
        progress = await embeddings.progress()
        serving = await index.view(lambda view: view.serving, current=False)
    except ShishoError as error:
        return Check("embedder", False, error.message, optional=True)
    done, total = (progress.done, progress.total) if progress else (0, 0)
    detail = Message("{name}: {done} of {total} passages have a vector", name=name, done=done, total=total)
    if serving is not None and serving.name != name:
        detail = Message("{detail}; until all have, {other} serves", detail=detail, other=serving.name)
    return Check("embedder", True, detail, optional=True)


def _tokenizer() -> Check:
    from shisho.language.terms import analyse

    return Check(
        "tokenizer",
        "売り上げ" in analyse(["売上"]).terms,
        Message("Sudachi, core dictionary"),
        "pip install sudachidict-core",
    )


async def _reader(reader: KillableReader) -> Check:
    samples = {
        "check.md": "# 題\n\n本文。",
        "check.html": "<html><body><p>本文である。</p></body></html>",
    }
    try:
        readings = [await reader.read(Source(name, text.encode())) for name, text in samples.items()]
    except ShishoError as error:
        return Check("reader", False, error.message, Message("raise reader_memory_mb, or look with --debug"))
    return Check(
        "reader",
        all(reading.blocks for reading in readings),
        Message("{formats}; each file in a child process", formats=media.FORMAT_NAMES),
    )


async def _fonts(reader: KillableReader) -> Check:
    """Check that letters are read whose font neither the PDF nor this machine has."""
    remedy = Message(
        "until then open such PDFs where their fonts are installed and print them to new ones; pip install -U pypdfium2"
    )
    try:
        reading = await reader.read(Source("specimen.pdf", specimen.specimen()))
    except ShishoError as error:
        return Check("fonts", False, error.message, remedy)
    missing = specimen.list_unread("\n".join(block.text for block in reading.blocks))
    if missing:
        return Check(
            "fonts",
            False,
            Message(
                "letters are lost in PDFs that do not hold their fonts: {scripts}",
                scripts=_named(missing),
            ),
            remedy,
        )
    return Check(
        "fonts",
        True,
        Message("PDFs are read without their fonts: {scripts}", scripts=_named(specimen.TEXTS)),
    )


async def _page_fonts(renderer: PageRenderer) -> Check:
    """Check that pages are drawn with letters whose font the PDF does not hold: those come from this
    machine."""
    remedy = Message(
        "such pages are shown without these letters, the text beside them is whole; install fonts for all users (Debian, "
        "Ubuntu: apt install fonts-noto-cjk), and start Shisho again"
    )
    try:
        image = await renderer.draw(specimen.specimen(), PDF_TYPE, 1, 800)
    except ShishoError as error:
        return Check("page_fonts", False, error.message, optional=True)
    lacking = [language for language, box in specimen.places().items() if not drawing.has_ink(image, box)]
    if lacking:
        detail = Message("no font here has the letters of {scripts}", scripts=_named(lacking))
        return Check("page_fonts", False, detail, remedy, optional=True)
    detail = Message("pages are drawn without their fonts: {scripts}", scripts=_named(specimen.TEXTS))
    return Check("page_fonts", True, detail, optional=True)


async def _originals(originals: Originals, settings: Settings) -> Check:
    try:
        count, size = await originals.measure_usage()
    except ShishoError as error:
        return Check("originals", False, error.message)
    except OSError as error:
        remedy = Message("give yourself the right to read the folder `originals` in the home")
        return Check("originals", False, reason_of(error), remedy)
    facts = {"count": count, "megabytes": size / 1e6}
    if settings.text("store"):
        detail = Message(
            "{count} files that were handed in are kept, {megabytes:.1f} MB; `shisho backup` takes them along",
            **facts,
        )
    else:
        detail = Message(
            "{count} files that were handed in are kept, {megabytes:.1f} MB; `shisho backup` leaves them out",
            **facts,
        )
    return Check("originals", True, detail)


def _named(scripts: Iterable[str]) -> Message:
    return Message.join([Message(script) for script in scripts], ", ")


def _browser(path: str) -> Check:
    """The package that drives it, and the program itself."""
    use = Message("engines and pages that only scripts fill")
    if importlib.util.find_spec("playwright") is None:
        return Check("browser", False, use, install_command("browser"), optional=True)
    program = chromium.find(path)
    if program is None:
        return Check("browser", False, use, chromium.HOW_TO_GET, optional=True)
    return Check("browser", True, Message("{use}: {path}", use=use, path=program), optional=True)


def _extra(name: str, module: str, use: str, remedy: str) -> Check:
    return Check(name, importlib.util.find_spec(module) is not None, use, remedy, optional=True)


def _pdf() -> Check:
    """Check what sets answers on paper, and letters for it."""
    try:
        check_japanese(find_fonts())
    except ExtraMissing as missing:
        return Check("pdf", False, missing.message, optional=True)
    return Check("pdf", True, Message("Typst, with a font that has Japanese letters"), optional=True)


def _program(name: str, use: str, remedy: str) -> Check:
    return Check(name, shutil.which(name) is not None, use, remedy, optional=True)
