"""One table of settings: name, type, default, help. The only reader of the environment and the file.

A value comes from the call, else from `SHISHO_<NAME>`, else from `settings.toml` in the home folder, else
from the default."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from platformdirs import user_data_path

from shisho.errors import InvalidParams, StorageUnusable
from shisho.messages.message import Message
from shisho.messages.system import reason_of

Value = str | int | float | bool
MODEL = r"(?:openai|ollama|gemini|anthropic)/\S+"
ADDRESS = r"https?://[^\s/?#@]+[^\s?#]*"
NEAR = 0.6  # likeness from which an unknown name is taken for a misspelt one
NEAR_STRAY = 0.8  # the same with the beginning that all names of the environment share


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the table. The default's type is the setting's type."""

    name: str
    default: Value
    help: str
    choices: tuple[str, ...] = ()
    secret: bool = False
    pattern: str = ""
    """What a value must match, as a regular expression."""


TABLE: tuple[Setting, ...] = (
    Setting("home", "", "folder of the database and indexes; empty: the platform's data folder"),
    Setting(
        "store",
        "",
        "address of a PostgreSQL database that everything is stored in; empty: a file in the home folder",
        secret=True,
        pattern=r"|postgres(?:ql)?://\S+",
    ),
    Setting("language", "auto", "language of messages", ("auto", "ja", "en")),
    Setting("splitter", "fast", "how passages are cut", ("fast", "ginza")),
    Setting("terms", "fast", "how index terms are made", ("fast", "ginza")),
    Setting(
        "model",
        "none",
        "language model of the librarian, as provider/name; none: quotations only",
        pattern=f"none|{MODEL}",
    ),
    Setting(
        "model_plan",
        "",
        "model that splits the question and plans the searches; empty: as model",
        pattern=f"|none|{MODEL}",
    ),
    Setting("model_evaluate", "", "model that reads the passages; empty: as model", pattern=f"|none|{MODEL}"),
    Setting("model_answer", "", "model that writes the answer; empty: as model", pattern=f"|none|{MODEL}"),
    Setting(
        "preset",
        "balanced",
        "how much the models may do: read and answer; plan too; in more calls",
        ("fast", "balanced", "thorough"),
    ),
    Setting(
        "model_url",
        "",
        "address of the models' server; empty: Ollama on this machine, for other providers their own",
        pattern=f"|{ADDRESS}",
    ),
    Setting("model_key", "", "key for the models' server", secret=True),
    Setting("model_context", 8192, "tokens that a local model reads and writes in one call"),
    Setting("model_seconds", 60.0, "seconds one call of a model may take"),
    Setting(
        "embedder",
        "auto",
        "what gives passages vectors, so that they are found by meaning too: use, e5, a folder, the name of a pulled model, "
        "or the address of a server; auto: use where the extra is installed",
        pattern=rf"auto|none|use|e5|{ADDRESS}|.*[/\\][^\0\n]*",
    ),
    Setting("embedder_model", "", "name of the model at the embedder's server"),
    Setting("embedder_key", "", "key for the embedder's server", secret=True),
    Setting("models_url", "https://huggingface.co", "hub of models that `models pull` asks", pattern=ADDRESS),
    Setting("loop", "own", "what runs the librarian's nodes", ("own", "langgraph")),
    Setting("max_rounds", 3, "search rounds of one question"),
    Setting("max_seconds", 120.0, "seconds one question may take"),
    Setting("room_tokens", 8000, "room for shown passages in one round, in tokens"),
    Setting("growth", "linear", "how k grows with the round: 1, 2, 3 or 1, 3, 10", ("linear", "exponential")),
    Setting(
        "web",
        "ask",
        "whether the web may be searched and pages fetched; ask: not before you said yes",
        ("ask", "on", "off"),
    ),
    Setting("robots", True, "whether robots.txt is heeded"),
    Setting("box", "", "file of a running `shisho box`: its small web is searched in place of the real one"),
    Setting("workers", 2, "jobs done at once by a server or by `shisho worker`"),
    Setting("max_job_seconds", 600.0, "seconds one attempt at a job may take; then it ends with what it has"),
    Setting(
        "notify",
        "auto",
        "how you are told that a page waits for you: on the desktop and in the terminals of workers, there only, not at all",
        ("auto", "terminal", "off"),
    ),
    Setting(
        "allowed_roots",
        "",
        "folders whose files MCP and HTTP callers may name, separated as in PATH; empty: none",
    ),
    Setting(
        "token", "", "word that HTTP clients must send; needed to listen beyond this machine", secret=True
    ),
    Setting("tokens", "", "people with libraries of their own, as name:TOKEN name:TOKEN", secret=True),
    Setting("allowed_hosts", "", "further host names the HTTP server answers to, separated by commas"),
    Setting(
        "allowed_origins",
        "",
        "web pages of others that may call the HTTP server, as https://name, separated by commas",
    ),
    Setting(
        "allow_private_hosts",
        "",
        "hosts that may lead into a private network, as name or name:port, separated by commas",
    ),
    Setting("allow_ports", "", "ports that may be fetched from besides 80 and 443, separated by commas"),
    Setting(
        "contact",
        "",
        "page or mail address shown to web sites, so that their owners can reach you; empty: none",
    ),
    Setting(
        "contact_email",
        "",
        "mail address told to OpenAlex, Crossref and PubMed, which serve those who give one first; empty: none",
    ),
    Setting("ncbi_api_key", "", "key for PubMed: a request every 0.125 s instead of 0.5", secret=True),
    Setting("openalex_api_key", "", "key for OpenAlex", secret=True),
    Setting(
        "semantic_scholar_key",
        "",
        "key for Semantic Scholar: a request every 1.1 s instead of 3",
        secret=True,
    ),
    Setting("brave_api_key", "", "key for Brave's Search API, which answers nobody without one", secret=True),
    Setting("marginalia_key", "", "key for Marginalia; empty: the one that everybody shares", secret=True),
    Setting("browser_path", "", "program of Chromium or Chrome; empty: what is installed"),
    Setting("browser_seconds", 30.0, "seconds one page may take in the browser"),
    Setting("browser_memory_mb", 1500, "memory one page may take in the browser, in megabytes"),
    Setting("max_tabs", 1, "pages open in the browser at once, for each process"),
    Setting("max_file_mb", 50, "largest file taken in, in megabytes"),
    Setting(
        "reader_seconds",
        60.0,
        "seconds a reader may compute on one file (HTML: 5), and 0.5 more for each MB of it",
    ),
    Setting(
        "reader_memory_mb", 1024, "memory a reader may use, in megabytes, and 12 more for each MB of the file"
    ),
    Setting(
        "ocr",
        "auto",
        "text is recognised in pictures and scanned pages where the extra is installed",
        ("auto", "off"),
    ),
    Setting("passage_chars", 500, "longest passage, in characters"),
    Setting("passage_overlap", 100, "overlap of neighbouring passages, in characters"),
)


@dataclass(frozen=True, slots=True)
class Settings:
    """Every value and where it came from: `call`, `environment`, `file` or `default`."""

    values: Mapping[str, Value]
    origins: Mapping[str, str]

    def __getitem__(self, name: str) -> Value:
        return self.values[name]

    def text(self, name: str) -> str:
        return str(self.values[name])

    def shown(self, name: str) -> Value:
        """The value as it may be printed."""
        secret = any(row.secret for row in TABLE if row.name == name)
        return "(set)" if secret and self.values[name] else self.values[name]

    def words(self, name: str) -> frozenset[str]:
        """A value that is a list with commas."""
        return frozenset(word.strip() for word in self.text(name).split(",") if word.strip())

    def whole(self, name: str) -> int:
        return int(self.values[name])

    def real(self, name: str) -> float:
        return float(self.values[name])

    @property
    def home(self) -> Path:
        value = self.text("home")
        return Path(value).expanduser() if value else user_data_path("shisho", appauthor=False)

    @property
    def roots(self) -> tuple[Path, ...]:
        """The folders that callers from outside may take files from."""
        return tuple(
            Path(part).expanduser().resolve()
            for part in self.text("allowed_roots").split(os.pathsep)
            if part.strip()
        )

    @property
    def reader(self) -> str:
        """The language of messages, `ja` or `en`: as set, else as the locale says."""
        value = self.text("language")
        return locale_language() if value == "auto" else value


def locale_language() -> str:
    """Japanese in a Japanese locale, English in C, POSIX, every other and none."""
    locale = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or ""
    return "ja" if re.match(r"ja(?![a-z])", locale.lower()) else "en"


def reader_of(arguments: Sequence[str]) -> str:
    """The language in which a command line is answered, before anything else of it is read."""
    values: dict[str, str] = {}
    for place, argument in enumerate(arguments):
        name, equals, value = argument.partition("=")
        if name in ("--home", "--language"):
            values[name[2:]] = value if equals else next(iter(arguments[place + 1 : place + 2]), "")
    try:
        return load(**{name: value for name, value in values.items() if value}).reader
    except (InvalidParams, StorageUnusable):
        return locale_language()


def load(**given: Any) -> Settings:
    """Read settings. Raises InvalidParams that names a wrong setting and what it takes, StorageUnusable."""
    table = {row.name: row for row in TABLE}
    for name in given:
        if name not in table:
            raise _unknown(name, table)
    values: dict[str, Value] = {row.name: row.default for row in TABLE}
    origins = dict.fromkeys(values, "default")

    def take(name: str, raw: object, origin: str) -> None:
        if raw is not None:
            values[name] = _typed(table[name], raw, origin)
            origins[name] = origin

    take("home", os.environ.get("SHISHO_HOME"), "environment")
    take("home", given.get("home"), "call")
    for name, raw in _file(Settings(values, origins).home / "settings.toml").items():
        if name not in table:
            raise _unknown(name, table, "file")
        if name != "home":
            take(name, raw, "file")
    for name in table:
        take(name, os.environ.get(f"SHISHO_{name.upper()}"), "environment")
        take(name, given.get(name), "call")
    return Settings(values, origins)


NOT_SETTINGS = frozenset(("SHISHO_LONG", "SHISHO_POSTGRES", "SHISHO_SHARED", "SHISHO_SNAPSHOT"))
"""Names of the environment that mean something to Shisho's own tests."""


def stray_names() -> tuple[Message, ...]:
    """Names of the environment that look like settings and are none, each with those that are near: what they
    were to set is as it was."""
    known = [f"SHISHO_{row.name.upper()}" for row in TABLE]
    strays = {name for name in os.environ if name.startswith("SHISHO_")} - NOT_SETTINGS - set(known)
    return tuple(
        Message(
            "{name} in the environment is no setting and does nothing. {lists}",
            name=name,
            lists=_near(get_close_matches(name, known, cutoff=NEAR_STRAY)),
        )
        for name in sorted(strays)
    )


def _unknown(name: str, known: Iterable[str], origin: str = "call") -> InvalidParams:
    near = get_close_matches(name.lower(), known, cutoff=NEAR)
    lists = _near(near)
    if origin == "file":
        return InvalidParams(
            "settings.toml has {name!r}, which is no setting. {lists}", name=name, lists=lists, near=near
        )
    return InvalidParams("There is no setting {name!r}. {lists}", name=name, lists=lists, near=near)


def _near(near: Sequence[str]) -> Message:
    if near:
        return Message("Did you mean {near}? `shisho settings` lists them all.", near=", ".join(near))
    return Message("`shisho settings` lists them all.")


def engine_overrides(home: Path) -> dict[str, Mapping[str, Any]]:
    """`engines.toml` of the home folder as read: fields to override, by engine. Raises InvalidParams that
    names the file; which engines and fields there are is checked where engines are made."""
    path = home / "engines.toml"
    overrides: dict[str, Mapping[str, Any]] = {}
    for engine, fields in _file(path).items():
        if not isinstance(fields, dict):
            raise InvalidParams(
                "{path}: {engine} stands outside a table. Write [name of the engine] above its fields.",
                path=path,
                engine=engine,
            )
        overrides[engine] = fields
    return overrides


SCREEN = ("HOME", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS")


def child_environment(*, screen: bool = False) -> dict[str, str]:
    """The part of the environment that a child process needs to start: no key, token or setting is
    passed on. `screen`: also what it needs to show something."""
    places = ("PATH", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
    names = (*(SCREEN if screen else ()), *places, "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "LANG")
    return {name: os.environ[name] for name in names if name in os.environ}


def _file(path: Path) -> dict[str, object]:
    try:
        if not path.is_file():
            return {}
        return tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidParams("{path} is not valid TOML: {error}", path=path, error=error) from error
    except OSError as error:
        why = reason_of(error)
        raise StorageUnusable(
            "{path} cannot be read: {why}. Give yourself the right to it.", path=path, why=why
        ) from error


ORIGINS: Mapping[str, str] = {
    "environment": Message("the environment"),
    "call": Message("the command line"),
    "file": "settings.toml",
}
_FLAGS = dict.fromkeys(("1", "true", "yes", "on"), True) | dict.fromkeys(("0", "false", "no", "off"), False)


def _typed(row: Setting, raw: object, origin: str) -> Value:
    type_ = type(row.default)
    if "on" in row.choices and str(raw).strip().lower() in _FLAGS:
        raw = "on" if _flag(raw) else "off"
    try:
        value: Value = _flag(raw) if type_ is bool else type_(str(raw))
    except ValueError as error:
        raise InvalidParams(
            "{setting} (from {origin}) takes {kind}, not {raw!r}.",
            setting=row.name,
            origin=ORIGINS[origin],
            kind=type_.__name__,
            raw=raw,
        ) from error
    if row.choices and value not in row.choices:
        raise InvalidParams(
            "{setting} (from {origin}) takes one of {choices}, not {raw!r}.",
            setting=row.name,
            origin=ORIGINS[origin],
            choices=", ".join(row.choices),
            raw=raw,
        )
    if row.pattern and not re.fullmatch(row.pattern, str(value)):
        raise InvalidParams(
            "{setting} (from {origin}) does not take {raw!r}: {help}. See docs/settings.md.",
            setting=row.name,
            origin=ORIGINS[origin],
            raw=raw,
            help=Message(row.help),
        )
    return value


def _flag(raw: object) -> bool:
    word = str(raw).strip().lower()
    if word not in _FLAGS:
        raise ValueError(word)
    return _FLAGS[word]
