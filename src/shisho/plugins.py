"""Find and load plug-ins: search engines, readers of file formats, and providers of language models.

Another package registers them as entry points of the groups below. The built-in ones are listed here in the
same form, so they work from a checkout and cost no search through the installed packages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module

from shisho.errors import InvalidParams
from shisho.messages import Message
from shisho.messages.system import explain_error
from shisho.records import dataclass
from shisho.telemetry import log

ENGINES = "shisho.engines"
"""A module with `ABOUT`, `request`, and `parse`: see docs/howto/add-an-engine.md."""
READERS = "shisho.readers"
"""A `FileFormat`, or a tuple of them."""
MODELS = "shisho.models"
"""A `shisho.inference.providers.Provider`. Its name is the first part of the setting `model`."""

BUILT_IN: Mapping[str, Mapping[str, str]] = {
    ENGINES: {
        name: f"shisho.web.engines.{name}"
        for name in (
            "mojeek", "duckduckgo", "marginalia", "ecosia", "startpage", "qwant", "brave", "google", "bing",
            "wikipedia", "wikidata", "arxiv", "pubmed", "openalex", "semantic_scholar", "crossref", "searxng",
            "brave_api",
        )
    },
    READERS: {"shisho": "shisho.corpus.readers.media:FORMATS"},
    MODELS: {
        "openai": "shisho.inference.providers:OPENAI",
        "ollama": "shisho.inference.providers:OLLAMA",
        "gemini": "shisho.inference.providers:GEMINI",
        "anthropic": "shisho.inference.providers:ANTHROPIC",
    },
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Plugin:
    """A registered plug-in. `target` is `module` or `module:name`. `package` is empty if it is built in."""

    group: str
    name: str
    target: str
    package: str = ""


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A file format and its reader.

    `media_type` identifies it. `suffixes` are lower case, without a dot. `read` is `module:function` with the
    signature `read(data: bytes, password: str | None = None) -> Reading`; it runs in a child process.
    `magic`: the first bytes of every such file; without them, a file is recognised by its suffix alone.
    """

    media_type: str
    suffixes: tuple[str, ...]
    read: str
    magic: tuple[bytes, ...] = ()


@cache
def find_installed(group: str) -> tuple[Plugin, ...]:
    """Return the plug-ins of installed packages, ordered by name. A name that is built in is left out."""
    from importlib.metadata import entry_points

    plugins: dict[str, Plugin] = {}
    for entry in sorted(entry_points(group=group), key=lambda entry: (entry.name, entry.value)):
        package = entry.dist.name if entry.dist else ""
        if entry.name in plugins or entry.name in BUILT_IN[group]:
            log.warning(
                Message(
                    "plugin.name_taken",
                    name=entry.name,
                    package=package,
                )
            )
            continue
        plugins[entry.name] = Plugin(group, entry.name, entry.value, package)
    return tuple(plugins.values())


def find_plugins(group: str) -> tuple[Plugin, ...]:
    """Return the built-in plug-ins of a group in their order, then the installed ones."""
    built_in = tuple(Plugin(group, name, target) for name, target in BUILT_IN[group].items())
    return built_in + find_installed(group)


def find_plugin(group: str, name: str) -> Plugin | None:
    """Return one plug-in. Installed packages are searched only if the name is not built in."""
    target = BUILT_IN[group].get(name)
    if target is not None:
        return Plugin(group, name, target)
    return next((plugin for plugin in find_installed(group) if plugin.name == name), None)


def load_plugin(plugin: Plugin) -> object:
    """Import what a plug-in registers.

    Raises:
        InvalidParams: It can't be imported.
    """
    module, _, name = plugin.target.partition(":")
    try:
        loaded = import_module(module)
        return getattr(loaded, name) if name else loaded
    except Exception as error:  # a plug-in may raise anything
        if not plugin.package:
            raise
        raise InvalidParams(
            "plugin.cannot_load",
            name=plugin.name,
            package=plugin.package,
            why=explain_error(error),
        ) from error


def load_plugins(group: str, accept: Callable[[object], bool]) -> Iterator[tuple[Plugin, object]]:
    """Load all plug-ins of a group. Broken ones and objects of another type are logged and skipped."""
    for plugin in find_plugins(group):
        try:
            loaded = load_plugin(plugin)
        except InvalidParams as error:
            log.warning(error.message)
            continue
        if accept(loaded):
            yield plugin, loaded
        else:
            log.warning(
                Message(
                    "plugin.no_object",
                    name=plugin.name,
                    package=plugin.package,
                    group=group,
                )
            )
