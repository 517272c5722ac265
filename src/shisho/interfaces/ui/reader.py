"""The reader of a page: their language, and the texts in it."""

from __future__ import annotations

from collections.abc import Mapping

from shisho.messages.catalogue import choose_accepted_language, translate
from shisho.messages.message import DEFAULT, LANGUAGES, read_catalogue

OWN = "room."
WORDS = "word."
SHARED_PREFIXES = ("end_", "gap_", "level_", "origin_", "proof_", "state_")
COOKIE = "shisho_language"


def choose_language(chosen: str | None, accepted: str) -> str:
    """Return `ja` or `en`: the chosen language, else the browser's, else English."""
    return chosen if chosen in LANGUAGES else choose_accepted_language(accepted) or DEFAULT


def room_words(language: str) -> Mapping[str, str]:
    """Return the texts of the pages by key. Scripts fill in the variables in braces."""
    shared = tuple(WORDS + kind for kind in SHARED_PREFIXES)
    return {
        id_.removeprefix(OWN).removeprefix(WORDS): text
        for id_, text in read_catalogue(language).items()
        if id_.startswith((OWN, *shared))
    }


def room_word(key: str, language: str, **values: object) -> str:
    """Return one of the pages' own texts. Raises: KeyError for an unknown key."""
    return translate(OWN + key, language, **values)
