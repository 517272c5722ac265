"""Settings for display."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SettingValue:
    """A setting, its value and its origin. A secret's value only shows whether it is set."""

    name: str
    value: str | int | float | bool
    default: str | int | float | bool
    origin: str
    """One of call, environment, file (settings.toml of the home) or default."""
    help: str
    choices: tuple[str, ...]
    """Empty: any value of the default's type."""
    secret: bool
