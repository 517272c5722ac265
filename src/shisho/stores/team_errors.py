"""Errors about existing and missing users and groups, the same in every store."""

from __future__ import annotations

from shisho.errors import Conflict, NotFound


def user_is_there(name: str) -> Conflict:
    return Conflict(
        "user.exists",
        name=name,
    )


def user_is_missing(name: str) -> NotFound:
    return NotFound("user.not_found", name=name)


def group_is_there(name: str) -> Conflict:
    return Conflict("group.exists", name=name)


def group_is_missing(name: str) -> NotFound:
    return NotFound("group.not_found", name=name)
