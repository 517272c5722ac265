"""The refusals of every store about users and groups that are there, or are not."""

from __future__ import annotations

from shisho.errors import Conflict, NotFound


def user_is_there(name: str) -> Conflict:
    return Conflict(
        "There is a user {name} already, or was: `shisho users list`. One who was removed comes back with "
        "`shisho users restore {name}`.",
        name=name,
    )


def user_is_missing(name: str) -> NotFound:
    return NotFound("There is no user {name}. `shisho users list` shows who there is.", name=name)


def group_is_there(name: str) -> Conflict:
    return Conflict("There is a group {name} already.", name=name)


def group_is_missing(name: str) -> NotFound:
    return NotFound("There is no group {name}. `shisho groups list` shows which there are.", name=name)
