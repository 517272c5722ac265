"""The values of the settings (`setting_table.py`). The only reader of the environment and the file.

A value comes from the call, else from `SHISHO_<NAME>`, else from `settings.toml` in the home folder, else
from the default."""

from __future__ import annotations

import json
import os
import re
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path, user_data_path

from shisho.errors import InvalidParams, ShishoError, StorageUnusable
from shisho.messages.message import Message
from shisho.messages.system import reason_of
from shisho.setting_table import TABLE as TABLE  # whoever reads settings finds the table here
from shisho.setting_table import Setting as Setting
from shisho.setting_table import Value as Value
from shisho.setting_table import list_full_names as list_full_names

SECRET_FILE = "_FILE"  # of the environment: the file that a secret value stands in
LOGIN = re.compile(r"(?<=://)[^/\s]*@")
NEAR = 0.6  # likeness from which an unknown name is taken for a misspelt one
NEAR_STRAY = 0.8  # the same with the beginning that all names of the environment share


def hide_login(text: str) -> str:
    """The text without the names and passwords that stand in its addresses."""
    return LOGIN.sub("***@", text)


@dataclass(frozen=True, slots=True)
class Settings:
    """Every value and where it came from: `call`, `environment`, `file` or `default`."""

    values: Mapping[str, Value]
    origins: Mapping[str, str]

    def __getitem__(self, name: str) -> Value:
        return self.values[name]

    def text(self, name: str) -> str:
        return str(self.values[name])

    def show(self, name: str) -> Value:
        """The value as it may be printed."""
        secret = any(row.secret for row in TABLE if row.name == name)
        value = self.values[name]
        if secret and value:
            return "(set)"
        return hide_login(value) if isinstance(value, str) else value

    def words(self, name: str) -> frozenset[str]:
        """A value that is a list with commas."""
        return frozenset(word.strip() for word in self.text(name).split(",") if word.strip())

    def read_int(self, name: str) -> int:
        return int(self.values[name])

    def read_float(self, name: str) -> float:
        return float(self.values[name])

    @property
    def home(self) -> Path:
        """Raises StorageUnusable if it is not named and this user has no home directory."""
        value = self.text("home")
        try:
            home = Path(value).expanduser() if value else user_data_path("shisho", appauthor=False)
        except RuntimeError:
            home = Path("~")
        if home.parts[:1] == ("~",):  # older platformdirs leave it so
            raise StorageUnusable("settings.no_home")
        return home

    @property
    def cache(self) -> Path | None:
        """The folder of files that can be made again; None if this user has no home directory."""
        try:
            folder = user_cache_path("shisho", appauthor=False)
        except RuntimeError:
            return None
        return folder if folder.is_absolute() else None

    @property
    def roots(self) -> tuple[Path, ...]:
        """The folders that callers from outside may take files from."""
        return tuple(
            expand_user(part).resolve()
            for part in self.text("allowed_roots").split(os.pathsep)
            if part.strip()
        )

    @property
    def reader(self) -> str:
        """The language of messages, `ja` or `en`: as set, else as the locale says."""
        value = self.text("language")
        return locale_language() if value == "auto" else value


def expand_user(path: Path | str) -> Path:
    """Return a path with its `~` replaced. Raises InvalidParams if that user has no home directory."""
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise InvalidParams("settings.relative_path", path=path) from error


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
    values = {name: value for name, value in values.items() if value}
    try:
        return load_readable(**values)[0].reader
    except InvalidParams:  # of the home: the command tells of it
        return load_readable(**{**values, "home": os.devnull})[0].reader


def load(**given: Any) -> Settings:
    """Read settings. Raises InvalidParams that names a wrong setting and what it takes, StorageUnusable."""
    settings, troubles = load_readable(**given)
    if troubles:
        raise troubles[0]
    return settings


def load_readable(**given: Any) -> tuple[Settings, Sequence[ShishoError]]:
    """Those settings that can be read, the others as they are by default, and what is wrong with these.
    Raises InvalidParams for a name in the call that is no setting, and for a home that cannot be one."""
    table = {row.name: row for row in TABLE}
    for name in given:
        if name not in table:
            raise _unknown(name, table)
    values: dict[str, Value] = {row.name: row.default for row in TABLE}
    origins = dict.fromkeys(values, "default")
    troubles: list[ShishoError] = []

    def take(name: str, read: Callable[[], object], origin: str) -> None:
        try:
            raw = read()
            if raw is not None:
                values[name] = _typed(table[name], raw, origin)
                origins[name] = origin
        except ShishoError as error:
            troubles.append(error)

    if given.get("home") is None:
        take("home", lambda: os.environ.get("SHISHO_HOME"), "environment")
    else:
        take("home", lambda: given["home"], "call")
    if troubles:  # another home is no home that was meant
        raise troubles[0]
    try:
        written = _file(Settings(values, origins).home / "settings.toml")
    except ShishoError as error:
        troubles.append(error)
        written = {}
    for name in written:
        if name not in table:
            troubles.append(_unknown(name, table, "file"))
        elif name != "home":
            take(name, partial(written.get, name), "file")
    for name in [name for name in table if name != "home"]:
        take(name, partial(_environment, table[name]), "environment")
        take(name, partial(given.get, name), "call")
    return Settings(values, origins), troubles


def reread(settings: Settings) -> Settings:
    """Return the settings as the file and the environment have them now; unchanged if they are unreadable."""
    from_call = {name: settings.values[name] for name, origin in settings.origins.items() if origin == "call"}
    try:
        return load(**from_call)
    except ShishoError:
        return settings


def write_settings(settings: Settings, changes: Mapping[str, Value]) -> None:
    """Write values into settings.toml, and keep its other lines as they are.

    Raises InvalidParams for a value that the setting does not take, for one that the environment or the
    command line overrides, and for a file that must be edited by hand; StorageUnusable."""
    table = {row.name: row for row in TABLE}
    for name, value in changes.items():
        _typed(table[name], value, "file")
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
                file.write(written)  # for the owner alone, as it may hold a key
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
        raise StorageUnusable("settings.file_not_writable", path=path, why=reason_of(error)) from error


def _environment(row: Setting) -> str | None:
    """The value in the environment; of what is secret also that of the file which the environment names."""
    name = f"SHISHO_{row.name.upper()}"
    file = os.environ.get(f"{name}{SECRET_FILE}") if row.secret else None
    if file is None or name in os.environ:
        value = os.environ.get(name)
        return None if value == "" and _is_never_empty(row) else value
    try:
        return Path(file).read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = reason_of(error)
        raise StorageUnusable("settings.file_unreadable", path=file, why=why) from error


def _is_never_empty(row: Setting) -> bool:
    """True for what is no free text: `SHISHO_WEB=` of a compose file that knows of no value sets nothing."""
    return bool(row.choices) or not isinstance(row.default, str)


NOT_SETTINGS = frozenset(("SHISHO_LONG", "SHISHO_POSTGRES", "SHISHO_SHARED", "SHISHO_SNAPSHOT"))
"""Names of the environment that mean something to Shisho's own tests."""


def find_stray_names() -> tuple[Message, ...]:
    """Names of the environment that look like settings and are none, each with those that are near: what they
    were to set is as it was."""
    known = [f"SHISHO_{row.name.upper()}" for row in TABLE]
    known += [f"SHISHO_{row.name.upper()}{SECRET_FILE}" for row in TABLE if row.secret]
    strays = {name for name in os.environ if name.startswith("SHISHO_")} - NOT_SETTINGS - set(known)
    return tuple(
        Message(
            "settings.unknown_variable",
            name=name,
            lists=_near(get_close_matches(name, known, cutoff=NEAR_STRAY)),
        )
        for name in sorted(strays)
    )


def _unknown(name: str, known: Iterable[str], origin: str = "call") -> InvalidParams:
    near = get_close_matches(name.lower(), known, cutoff=NEAR)
    lists = _near(near)
    if origin == "file":
        return InvalidParams("settings.unknown_in_file", name=name, lists=lists, near=near)
    return InvalidParams("settings.unknown", name=name, lists=lists, near=near)


def _near(near: Sequence[str]) -> Message:
    if near:
        return Message("settings.near", near=", ".join(near))
    return Message("settings.see_list")


ENGINE_FILE = "engines.toml"


def engine_overrides(home: Path) -> dict[str, Mapping[str, Any]]:
    """`engines.toml` of the home folder as read: fields to override, by engine. Raises InvalidParams that
    names the file; which engines and fields there are is checked where engines are made."""
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
        return tomllib.loads(path.read_text("utf-8-sig"))  # editors of Windows begin it with a mark
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidParams("settings.bad_toml", path=path, why=reason_of(error)) from error
    except OSError as error:
        why = reason_of(error)
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


def _typed(row: Setting, raw: object, origin: str) -> Value:
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
    """Raises InvalidParams for bytes of another encoding: no file of a database can be called by them, and no
    word compared with them."""
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
