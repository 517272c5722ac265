"""The shell's texts, by key, in the reader's language."""

from __future__ import annotations

from shisho.messages.catalogue import render, translate_word


class Words:
    """The texts of one language: `words("pages", n=3)`."""

    def __init__(self, language: str) -> None:
        self._language = language

    def __call__(self, name: str, **values: object) -> str:
        return translate_word(name, self._language, **values)

    def render(self, text: str) -> str:
        """Return a message in this language."""
        return render(text, self._language)
