"""The person in front of a page: which language they read, and the words in it."""

from __future__ import annotations

from collections.abc import Mapping

from shisho.messages.catalogue import DEFAULT, LANGUAGES, catalogue, choose_accepted_language, word

PREFIX = "room_"
SHARED = ("end_", "gap_", "level_", "origin_", "proof_", "state_")
COOKIE = "shisho_language"


def choose_language(chosen: str | None, accepted: str) -> str:
    """`ja` or `en`: the one chosen on the page, else the first of ours that the browser accepts, else
    English."""
    return chosen if chosen in LANGUAGES else choose_accepted_language(accepted) or DEFAULT


def room_words(language: str) -> Mapping[str, str]:
    """The words of the pages by key, the pages' own without their prefix; scripts fill in what stands in
    braces."""
    entries = catalogue(language)
    names = (key for key in catalogue(DEFAULT) if key.startswith((PREFIX, *SHARED)))
    return {name.removeprefix(PREFIX): entries[name] for name in names}


def room_word(key: str, language: str, **values: object) -> str:
    """One of them. Raises KeyError for an unknown key."""
    return word(f"room_{key}", language, **values)
