"""The words of each language, and the language that this process speaks to its user.

Messages are found by their English template; words of the shell and of
answers, which have no sentence of their own, by a key."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

from shisho.messages.message import Message, is_packed, unpack

LANGUAGES = ("ja", "en")
DEFAULT = "en"
_spoken = DEFAULT
_spoken_here: ContextVar[str | None] = ContextVar("spoken_here", default=None)


def speak(language: str) -> None:
    """From here on this process says things in this language: `ja` or `en`."""
    global _spoken
    _spoken = language if language in LANGUAGES else DEFAULT


def current_language() -> str:
    """The language that things are said in now."""
    return _spoken_here.get() or _spoken


def process_language() -> str:
    """The language that this process speaks, whoever it is speaking to now."""
    return _spoken


@contextmanager
def use_language(language: str | None) -> Iterator[None]:
    """Inside it, and in what is begun there, things are said in this language; None: as the process
    speaks."""
    before = _spoken_here.set(language)
    try:
        yield
    finally:
        _spoken_here.reset(before)


def choose_accepted_language(header: str) -> str | None:
    """The first of our languages that a header `Accept-Language` names, best first by its weights; None where
    it names none."""
    weighed = sorted(map(_weighed, header.split(",")), key=lambda choice: -choice[0])
    return next((language for weight, language in weighed if weight > 0 and language in LANGUAGES), None)


def _weighed(choice: str) -> tuple[float, str]:
    tag, _, parameter = choice.partition(";")
    name, _, value = parameter.strip().partition("=")
    try:
        weight = float(value) if name == "q" else 1.0
    except ValueError:
        weight = 0.0
    return weight, tag.strip().lower().partition("-")[0]


@cache
def catalogue(language: str) -> Mapping[str, str]:
    """Everything that is said in a language: by key, and in other languages than English by the English
    template too."""
    if language == "ja":
        from shisho.messages import (
            japanese_answers,
            japanese_blobs,
            japanese_conversations,
            japanese_desk,
            japanese_documents,
            japanese_embedders,
            japanese_folders,
            japanese_help,
            japanese_http,
            japanese_log,
            japanese_models,
            japanese_operating,
            japanese_paging,
            japanese_postgres,
            japanese_proof,
            japanese_references,
            japanese_room,
            japanese_shell,
            japanese_states,
            japanese_team_words,
            japanese_teams,
            japanese_viewer,
            japanese_web,
        )

        words = (japanese_answers, japanese_room, japanese_shell, japanese_states, japanese_team_words)
        about_documents = (japanese_documents, japanese_folders, japanese_references, japanese_teams)
        sentences = (
            *about_documents,
            japanese_blobs,
            japanese_conversations,
            japanese_desk,
            japanese_embedders,
            japanese_help,
            japanese_http,
            japanese_log,
            japanese_models,
            japanese_operating,
            japanese_paging,
            japanese_postgres,
            japanese_proof,
            japanese_viewer,
            japanese_web,
        )
        tables = (*sentences, *words)
        return {template: translation for table in tables for template, translation in table.SAID.items()}
    from shisho.messages import english, english_answers, english_room, english_states, english_team_words

    by_key = (english, english_answers, english_room, english_states, english_team_words)
    return {key: words for table in by_key for key, words in table.SAID.items()}


def word(key: str, language: str | None = None, **values: object) -> str:
    """The words with this key, as the shell says them or an answer is framed with them. Raises KeyError
    for an unknown one."""
    return catalogue(language or current_language())[key].format(**values)


def render(text: str, language: str | None = None) -> str:
    """A message in a language, the reader's where none is named; what has no translation, and text that is no
    Message, as it is."""
    language = language or current_language()
    if not isinstance(text, Message) or language == DEFAULT:
        return str(text)
    values = {
        name: render(value, language) if isinstance(value, Message) else value
        for name, value in text.values.items()
    }
    template = catalogue(language).get(text.template, text.template)
    return template.format(**values) if values else template


def translate(text: str, language: str | None = None) -> str:
    """A fixed text of ours, such as a command's help, in a language; as it is where it has no translation."""
    language = language or current_language()
    return text if language == DEFAULT else catalogue(language).get(text, text)


def render_all(thing: Any, language: str | None = None) -> Any:
    """The same thing with every Message in it as `render` says it; dataclasses, sequences and mappings are
    looked through."""
    if isinstance(thing, Message):
        return render(thing, language)
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        values = {field.name: getattr(thing, field.name) for field in dataclasses.fields(thing) if field.init}
        rendered_values = {name: render_all(value, language) for name, value in values.items()}
        changed = {name: value for name, value in rendered_values.items() if value is not values[name]}
        return dataclasses.replace(thing, **changed) if changed else thing
    if isinstance(thing, Mapping) and is_packed(thing):  # of a job's output, which has no type to be read by
        return render(unpack(thing), language)
    if isinstance(thing, Mapping):
        entries = {name: render_all(value, language) for name, value in thing.items()}
        return entries if any(entries[name] is not value for name, value in thing.items()) else thing
    if isinstance(thing, list | tuple) and type(thing) in (list, tuple):
        members = [render_all(member, language) for member in thing]
        changed_any = any(new is not old for new, old in zip(members, thing, strict=True))
        return type(thing)(members) if changed_any else thing
    return thing
