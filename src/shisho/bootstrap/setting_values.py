"""The settings of a library, for display."""

from __future__ import annotations

from collections.abc import Sequence

from shisho.domain.library import SettingValue
from shisho.settings import TABLE, Settings, hide_login

SET = "set"  # shown in place of a secret


def list_settings(settings: Settings) -> Sequence[SettingValue]:
    """Return the settings in the order of their table."""
    rows = []
    for row in TABLE:
        value = settings.values[row.name]
        if row.secret:
            value = SET if value else ""
        elif row.name == "home":
            value = str(settings.home)
        elif isinstance(value, str):
            value = hide_login(value)
        rows.append(
            SettingValue(
                name=row.name,
                value=value,
                default=row.default,
                origin=settings.origins[row.name],
                help=row.help,
                choices=row.choices,
                secret=row.secret,
            )
        )
    return rows
