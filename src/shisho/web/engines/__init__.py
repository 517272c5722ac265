"""Loading of the engines, the user's overrides, and detection of the engine of a saved page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from functools import cache
from types import ModuleType
from typing import Any

from shisho.domain.codec import build
from shisho.domain.web import (
    ChallengeKind,
    Credential,
    EngineAbout,
    EngineQuery,
    Look,
    Request,
    Response,
    Serp,
    SerpLayout,
    State,
    Tier,
    TimeRange,
)
from shisho.errors import InvalidParams
from shisho.plugins import ENGINES, load_plugins
from shisho.records import dataclass
from shisho.web.engines._answer import decode, report_unknown_layout
from shisho.web.engines._detect import detect_engine
from shisho.web.http.challenge import detect


@dataclass(frozen=True, slots=True)
class Engine:
    """An engine: its facts and its two pure functions, both using the overridden `about`."""

    about: EngineAbout
    _request: Callable[[EngineQuery, int, State, EngineAbout], Request]
    _parse: Callable[[Response, EngineAbout], Serp]

    def request(self, query: EngineQuery, page: int, state: State) -> Request:
        """Return the request for page `page` (from 1); `state` comes from the previous page.

        Raises: InvalidParams.
        """
        return self._request(query, page, state, self.about)

    def parse(self, response: Response) -> Serp:
        """Parse a response; no results and challenges are results, not errors.

        Raises: ParserFailed or EngineUnavailable.
        """
        return self._parse(response, self.about)


@cache
def load_engines() -> tuple[Engine, ...]:
    """Return the built-in engines in the order of their table, then those of plug-ins."""
    return tuple(
        Engine(module.ABOUT, module.request, module.parse)
        for _, module in load_plugins(ENGINES, is_engine)
        if isinstance(module, ModuleType)
    )


def is_engine(loaded: object) -> bool:
    """Return True if a plug-in registered a module with `ABOUT`, `request`, and `parse`."""
    functions = (getattr(loaded, "request", None), getattr(loaded, "parse", None))
    return isinstance(getattr(loaded, "ABOUT", None), EngineAbout) and all(map(callable, functions))


def create_engines(overrides: Mapping[str, Mapping[str, Any]] | None = None) -> dict[str, Engine]:
    """Return every engine by name, with the fields of `overrides` (a parsed engines.toml) applied.

    Raises: InvalidParams for an unknown engine, an unknown field or a value of another type.
    """
    found_engines: dict[str, Engine] = {}
    for engine in load_engines():  # the built-in ones come first and are not replaced
        found_engines.setdefault(engine.about.name, engine)
    for name, values in (overrides or {}).items():
        if name not in found_engines:
            raise InvalidParams(
                "engine.file_unknown_engine",
                known=", ".join(found_engines),
                engine=name,
            )
        if values.get("name", name) != name:
            raise InvalidParams("engine.file_name_fixed", engine=name)
        found_engines[name] = replace(
            found_engines[name], about=_override(found_engines[name].about, values, name)
        )
    return found_engines


_ROWS: dict[str, type[SerpLayout] | type[Credential]] = {
    "layouts": SerpLayout,
    "credentials": Credential,
}
_NUMBERS = ("interval_s", "page_size", "max_pages", "per_day", "parallel", "query_limit")


def _override(about: EngineAbout, values: Mapping[str, Any], where: str) -> EngineAbout:
    changed = {key: _coerce(about, key, value, where) for key, value in values.items()}
    # the user's own pace applies, whatever a key would allow
    if "interval_s" in changed and "credentials" not in changed:
        changed["credentials"] = tuple(
            replace(credential, interval_s=None) for credential in about.credentials
        )
    return replace(about, **changed)


def _coerce(owner: EngineAbout | Look, key: str, value: Any, where: str) -> Any:
    if key not in {f.name for f in fields(owner)}:
        raise InvalidParams("engine.file_unknown_field", engine=where, field=key)
    current = getattr(owner, key)
    try:
        if isinstance(current, Look):
            return replace(
                current, **{inner: _coerce(current, inner, v, where) for inner, v in value.items()}
            )
        return _convert_value(current, key, value)
    except (TypeError, ValueError, AttributeError) as error:
        raise InvalidParams(
            "engine.file_bad_value",
            value=value,
            engine=where,
            field=key,
        ) from error


def _convert_value(current: Any, key: str, value: Any) -> Any:
    if key in _ROWS:
        return tuple(_ROWS[key](**row) for row in value)
    if key == "tier":
        return Tier(value)
    if key == "time_ranges":
        return tuple(TimeRange(v) for v in value)
    if key == "markers":
        return {str(marker): ChallengeKind(kind) for marker, kind in value.items()}
    if isinstance(current, tuple):
        if isinstance(value, str) or not all(isinstance(v, str) for v in value):
            raise TypeError(key)
        return tuple(value)
    types = (int, float) if key in _NUMBERS else (bool,) if isinstance(current, bool) else (str,)
    if not isinstance(value, types) or (key in _NUMBERS and isinstance(value, bool)):
        raise TypeError(key)
    return value


def read_page(data: bytes, engine: str, fields: Mapping[str, Any], overrides: Mapping[str, Any]) -> Serp:
    """Parse a body with the other fields of its response, as `read_saved`, inside a child process."""
    return read_saved(engine, build({**fields, "body": data}, Response), overrides)


def read_saved(
    name: str, response: Response, overrides: Mapping[str, Mapping[str, Any]] | None = None
) -> Serp:
    """Parse a page by the engine `name`, or by `auto` detection.

    A general challenge is returned with an empty engine. Raises InvalidParams for an unknown name,
    ParserFailed and EngineUnavailable as `Engine.parse`.
    """
    known_engines = create_engines(overrides)
    engine = detect_engine(response, [e.about for e in known_engines.values()]) if name == "auto" else name
    if engine is None:
        challenge = detect(decode(response), response.url, response.status)
        if challenge:
            return Serp("", challenge=challenge)
        raise report_unknown_layout("an unknown engine", response)
    if engine not in known_engines:
        raise InvalidParams(
            "engine.not_found",
            known=", ".join(known_engines),
            engine=engine,
        )
    return known_engines[engine].parse(response)
