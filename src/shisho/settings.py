"""The values of the settings (`setting_table.py`). Only this module reads the environment and the file.

A value comes from the call, else from `SHISHO_<NAME>`, else from `settings.toml` in the home folder, else
from the default.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path, user_data_path

from shisho.errors import InvalidParams, ShishoError, StorageUnusable
from shisho.messages import Message
from shisho.messages.system import explain_error
from shisho.records import dataclass
from shisho.setting_table import TABLE as TABLE  # re-exported for readers of settings
from shisho.setting_table import Setting as Setting
from shisho.setting_table import Value as Value
from shisho.setting_table import list_full_names as list_full_names

SECRET_FILE = "_FILE"  # suffix in the environment: the file that contains a secret value
LOGIN = re.compile(r"(?<=://)[^/\s]*@")
NEAR = 0.6  # similarity above which an unknown name counts as misspelt
NEAR_STRAY = 0.8  # the same for names that share the common prefix


def hide_login(text: str) -> str:
    """Return the text without user names and passwords in URLs."""
    return LOGIN.sub("***@", text)


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting with its origin: `call`, `environment`, `file` or `default`."""

    values: Mapping[str, Value]
    origins: Mapping[str, str]

    def __getitem__(self, name: str) -> Value:
        return self.values[name]

    def read_text(self, name: str) -> str:
        return str(self.values[name])

    def show(self, name: str) -> Value:
        """Return the value in a printable form, without secrets."""
        secret = any(row.secret for row in TABLE if row.name == name)
        value = self.values[name]
        if secret and value:
            return "(set)"
        return hide_login(value) if isinstance(value, str) else value

    def read_words(self, name: str) -> frozenset[str]:
        """Return the words of a comma-separated value."""
        return frozenset(word.strip() for word in self.read_text(name).split(",") if word.strip())

    def read_int(self, name: str) -> int:
        return int(self.values[name])

    def read_float(self, name: str) -> float:
        return float(self.values[name])

    @property
    def home(self) -> Path:
        """The home folder. Raises StorageUnusable if it is not set and this user has no home directory."""
        value = self.read_text("home")
        try:
            home = Path(value).expanduser() if value else user_data_path("shisho", appauthor=False)
        except RuntimeError:
            home = Path("~")
        if home.parts[:1] == ("~",):  # older versions of platformdirs leave it unexpanded
            raise StorageUnusable("settings.no_home")
        return home

    @property
    def cache(self) -> Path | None:
        """The cache folder; None if this user has no home directory."""
        try:
            folder = user_cache_path("shisho", appauthor=False)
        except RuntimeError:
            return None
        return folder if folder.is_absolute() else None

    @property
    def roots(self) -> tuple[Path, ...]:
        """The folders from which outside callers may add files."""
        return tuple(
            expand_user(part).resolve()
            for part in self.read_text("allowed_roots").split(os.pathsep)
            if part.strip()
        )

    @property
    def reader(self) -> str:
        """The language of messages, `ja` or `en`, by the setting or else the locale."""
        value = self.read_text("language")
        return detect_language() if value == "auto" else value


def expand_user(path: Path | str) -> Path:
    """Return a path with its `~` replaced. Raises InvalidParams if that user has no home directory."""
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise InvalidParams("settings.relative_path", path=path) from error


def detect_language() -> str:
    """Return Japanese for a Japanese locale, English for C, POSIX, any other and none."""
    locale = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or ""
    return "ja" if re.match(r"ja(?![a-z])", locale.lower()) else "en"


def parse_language(arguments: Sequence[str]) -> str:
    """Return the language for a command line before its arguments are parsed."""
    values: dict[str, str] = {}
    for place, argument in enumerate(arguments):
        name, equals, value = argument.partition("=")
        if name in ("--home", "--language"):
            values[name[2:]] = value if equals else next(iter(arguments[place + 1 : place + 2]), "")
    values = {name: value for name, value in values.items() if value}
    try:
        return load_readable(**values)[0].reader
    except InvalidParams:  # an invalid home: the command will report it
        return load_readable(**{**values, "home": os.devnull})[0].reader


def load(**given: Any) -> Settings:
    """Read settings. Raises InvalidParams with the wrong setting and its choices, StorageUnusable."""
    settings, troubles = load_readable(**given)
    if troubles:
        raise troubles[0]
    return settings


def load_readable(**given: Any) -> tuple[Settings, Sequence[ShishoError]]:
    """Return the readable settings, with defaults for the others, and the errors of those.

    Raises: InvalidParams for an unknown name in the call, and for an invalid home.
    """
    table = {row.name: row for row in TABLE}
    for name in given:
        if name not in table:
            raise _refuse_unknown(name, table)
    values: dict[str, Value] = {row.name: row.default for row in TABLE}
    origins = dict.fromkeys(values, "default")
    troubles: list[ShishoError] = []

    def take(name: str, read: Callable[[], object], origin: str) -> None:
        try:
            raw = read()
            if raw is not None:
                values[name] = _parse_value(table[name], raw, origin)
                origins[name] = origin
        except ShishoError as error:
            troubles.append(error)

    if given.get("home") is None:
        take("home", lambda: os.environ.get("SHISHO_HOME"), "environment")
    else:
        take("home", lambda: given["home"], "call")
    if troubles:  # never use another home than the intended one
        raise troubles[0]
    try:
        written = _file(Settings(values, origins).home / "settings.toml")
    except ShishoError as error:
        troubles.append(error)
        written = {}
    for name in written:
        if name not in table:
            troubles.append(_refuse_unknown(name, table, "file"))
        elif name != "home":
            take(name, partial(written.get, name), "file")
    for name in [name for name in table if name != "home"]:
        take(name, partial(_read_environment, table[name]), "environment")
        take(name, partial(given.get, name), "call")
    return Settings(values, origins), troubles


def reread(settings: Settings) -> Settings:
    """Return the current settings of the file and the environment; unchanged if they are unreadable."""
    from_call = {name: settings.values[name] for name, origin in settings.origins.items() if origin == "call"}
    try:
        return load(**from_call)
    except ShishoError:
        return settings


def write_settings(settings: Settings, changes: Mapping[str, Value]) -> None:
    """Write values into settings.toml, keeping its other lines unchanged.

    Raises: InvalidParams for a value that the setting does not accept, for one that the environment or the
    command line overrides, and for a file that must be edited by hand; StorageUnusable.
    """
    table = {row.name: row for row in TABLE}
    for name, value in changes.items():
        _parse_value(table[name], value, "file")
        if settings.origins[name] in ("environment", "call") and settings.values[name] != value:
            raise InvalidParams(
                "settings.overridden",
                setting=name,
                origin=ORIGINS[settings.origins[name]],
            )
    path = settings.home / "settings.toml"
    before = _file(path)
    try:
        text = path.read_text("utf-8-sig") if path.is_file() else ""
        other_lines = [line for line in text.splitlines() if line.partition("=")[0].strip() not in changes]
        lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in changes.items()]
        written = "\n".join((*lines, *other_lines)) + "\n"
        if tomllib.loads(written) != {**before, **changes}:
            raise tomllib.TOMLDecodeError
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=path.parent, encoding="utf-8", delete=False) as file:
            try:
                file.write(written)  # for the owner alone, because it may contain a key
                file.close()
                Path(file.name).replace(path)
            except OSError:
                Path(file.name).unlink(missing_ok=True)
                raise
    except tomllib.TOMLDecodeError as error:
        raise InvalidParams(
            "settings.file_unchangeable",
            path=path,
            names=", ".join(changes),
        ) from error
    except OSError as error:
        raise StorageUnusable("settings.file_not_writable", path=path, why=explain_error(error)) from error


def _read_environment(row: Setting) -> str | None:
    """Return the value in the environment; for secrets, also that of the file named there."""
    name = f"SHISHO_{row.name.upper()}"
    file = os.environ.get(f"{name}{SECRET_FILE}") if row.secret else None
    if file is None or name in os.environ:
        value = os.environ.get(name)
        return None if value == "" and _is_never_empty(row) else value
    try:
        return Path(file).read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = explain_error(error)
        raise StorageUnusable("settings.file_unreadable", path=file, why=why) from error


def _is_never_empty(row: Setting) -> bool:
    """Return True if the setting is not free text: an empty `SHISHO_WEB=` in a compose file sets nothing."""
    return bool(row.choices) or not isinstance(row.default, str)


NOT_SETTINGS = frozenset(("SHISHO_LONG", "SHISHO_POSTGRES", "SHISHO_SHARED", "SHISHO_SNAPSHOT"))
"""Environment variables of Shisho's own tests."""


def find_unknown_settings() -> tuple[Message, ...]:
    """Return messages for environment variables that look like settings but are not, with similar names.

    The settings that were meant stay unchanged.
    """
    known = [f"SHISHO_{row.name.upper()}" for row in TABLE]
    known += [f"SHISHO_{row.name.upper()}{SECRET_FILE}" for row in TABLE if row.secret]
    strays = {name for name in os.environ if name.startswith("SHISHO_")} - NOT_SETTINGS - set(known)
    return tuple(
        Message(
            "settings.unknown_variable",
            name=name,
            lists=_suggest(get_close_matches(name, known, cutoff=NEAR_STRAY)),
        )
        for name in sorted(strays)
    )


def _refuse_unknown(name: str, known: Iterable[str], origin: str = "call") -> InvalidParams:
    near = get_close_matches(name.lower(), known, cutoff=NEAR)
    lists = _suggest(near)
    if origin == "file":
        return InvalidParams("settings.unknown_in_file", name=name, lists=lists, near=near)
    return InvalidParams("settings.unknown", name=name, lists=lists, near=near)


def _suggest(near: Sequence[str]) -> Message:
    if near:
        return Message("settings.near", near=", ".join(near))
    return Message("settings.see_list")


ENGINE_FILE = "engines.toml"


def read_engine_overrides(home: Path) -> dict[str, Mapping[str, Any]]:
    """Return `engines.toml` of the home folder as parsed: fields to override, by engine.

    Engines and fields are checked when engines are created. Raises InvalidParams with the file's name.
    """
    path = home / ENGINE_FILE
    overrides: dict[str, Mapping[str, Any]] = {}
    for engine, fields in _file(path).items():
        if not isinstance(fields, dict):
            raise InvalidParams(
                "settings.engine_outside_table",
                path=path,
                engine=engine,
            )
        overrides[engine] = fields
    return overrides


SCREEN = ("HOME", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS")


def build_child_environment(*, screen: bool = False) -> dict[str, str]:
    """Return the environment that a child process needs to start, without keys, tokens or settings.

    `screen`: also the variables needed to show windows.
    """
    places = ("PATH", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
    names = (*(SCREEN if screen else ()), *places, "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "LANG")
    return {name: os.environ[name] for name in names if name in os.environ}


def _file(path: Path) -> dict[str, object]:
    try:
        if not path.is_file():
            return {}
        return tomllib.loads(path.read_text("utf-8-sig"))  # Windows editors add a byte order mark
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidParams("settings.bad_toml", path=path, why=explain_error(error)) from error
    except OSError as error:
        why = explain_error(error)
        raise StorageUnusable("settings.file_unreadable", path=path, why=why) from error


ORIGINS: Mapping[str, str] = {
    "environment": Message("settings.origin_environment"),
    "call": Message("settings.origin_call"),
    "file": "settings.toml",
}
_KINDS: Mapping[type, str] = {
    bool: Message("settings.kind_boolean"),
    int: Message("settings.kind_whole"),
    float: Message("settings.kind_number"),
}
_FLAGS = dict.fromkeys(("1", "true", "yes", "on"), True) | dict.fromkeys(("0", "false", "no", "off"), False)


def _parse_value(row: Setting, raw: object, origin: str) -> Value:
    type_ = type(row.default)
    _expect_text(row, str(raw), origin)
    if "on" in row.choices and str(raw).strip().lower() in _FLAGS:
        raw = "on" if _flag(raw) else "off"
    try:
        value: Value = _flag(raw) if type_ is bool else type_(str(raw))
    except ValueError as error:
        raise InvalidParams(
            "settings.wrong_kind",
            setting=row.name,
            origin=ORIGINS[origin],
            kind=_KINDS[type_],
            raw=raw,
        ) from error
    if row.choices and value not in row.choices:
        raise InvalidParams(
            "settings.not_a_choice",
            setting=row.name,
            origin=ORIGINS[origin],
            choices=", ".join(row.choices),
            raw=raw,
        )
    if row.pattern and not re.fullmatch(row.pattern, str(value)):
        if row.secret:
            raise InvalidParams(
                "settings.bad_secret",
                setting=row.name,
                origin=ORIGINS[origin],
                help=row.help,
            )
        if names := list_full_names(str(value), row.name):
            raise InvalidParams(
                "settings.partial_model",
                setting=row.name,
                origin=ORIGINS[origin],
                raw=str(value),
                names=names,
            )
        raise InvalidParams(
            "settings.bad_form",
            setting=row.name,
            origin=ORIGINS[origin],
            raw=hide_login(str(raw)),
            help=row.help,
        )
    return value


def _expect_text(row: Setting, raw: str, origin: str) -> None:
    """Check a text's encoding: no database file can have such a name, and no word can be compared with it.

    Raises: InvalidParams for bytes of another encoding.
    """
    try:
        raw.encode()
    except UnicodeEncodeError as error:
        raise InvalidParams(
            "settings.unknown_encoding",
            setting=row.name,
            origin=ORIGINS[origin],
        ) from error


def _flag(raw: object) -> bool:
    word = str(raw).strip().lower()
    if word not in _FLAGS:
        raise ValueError(word)
    return _FLAGS[word]
