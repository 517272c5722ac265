"""The settings that a desk was made with, as they are told."""

from __future__ import annotations

from collections.abc import Sequence

from shisho.domain.setting import SettingValue
from shisho.settings import TABLE, Settings, hide_login

SET = "set"  # in place of a secret


def list_settings(settings: Settings) -> Sequence[SettingValue]:
    """In the order of the table."""
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
