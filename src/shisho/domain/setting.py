"""Settings as they are told."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SettingValue:
    """A setting, its value and where that came from. Of a secret the value only says whether it is set."""

    name: str
    value: str | int | float | bool
    default: str | int | float | bool
    origin: str
    """call, environment, file (settings.toml of the home) or default."""
    help: str
    choices: tuple[str, ...]
    """Empty: any value of the default's type."""
    secret: bool
