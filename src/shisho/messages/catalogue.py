"""Messages rendered in a language, and the language that this process speaks to its user."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from shisho.messages import (
    DEFAULT,
    LANGUAGES,
    Message,
    fill_template,
    is_message_id,
    is_packed,
    unpack,
)

_spoken = DEFAULT
_spoken_here: ContextVar[str | None] = ContextVar("spoken_here", default=None)


def set_process_language(language: str) -> None:
    """Make this process use a language from now on: `ja` or `en`."""
    global _spoken
    _spoken = language if language in LANGUAGES else DEFAULT


def find_language() -> str:
    """Return the language in use here and now."""
    return _spoken_here.get() or _spoken


def process_language() -> str:
    """Return the language of this process, whatever `use_language` says here."""
    return _spoken


@contextmanager
def use_language(language: str | None) -> Iterator[None]:
    """Use a language inside the block and in tasks that begin there; None: that of the process."""
    before = _spoken_here.set(language)
    try:
        yield
    finally:
        _spoken_here.reset(before)


def choose_accepted_language(header: str) -> str | None:
    """Return the supported language that a header `Accept-Language` weighs highest, or None."""
    weighed = sorted(map(_weigh_choice, header.split(",")), key=lambda choice: -choice[0])
    return next((language for weight, language in weighed if weight > 0 and language in LANGUAGES), None)


def _weigh_choice(choice: str) -> tuple[float, str]:
    tag, _, parameter = choice.partition(";")
    name, _, value = parameter.strip().partition("=")
    try:
        weight = float(value) if name == "q" else 1.0
    except ValueError:
        weight = 0.0
    return weight, tag.strip().lower().partition("-")[0]


def translate_word(key: str, language: str | None = None, **values: object) -> str:
    """Return the text of `word.KEY`, as used by the shell and by answers. Raises KeyError."""
    return translate(f"word.{key}", language, **values)


def translate(id_: str, language: str | None = None, **values: object) -> str:
    """Return the text of an id in a language, by default the reader's. Raises KeyError."""
    if not is_message_id(id_):
        raise KeyError(id_)
    return fill_template(id_, values, language or find_language())


def render(text: str, language: str | None = None) -> str:
    """Return a message in a language, by default the reader's. Other text is returned unchanged."""
    language = language or find_language()
    if not isinstance(text, Message) or language == DEFAULT:
        return str(text)
    values = {
        name: render(value, language) if isinstance(value, Message) else value
        for name, value in text.values.items()
    }
    return fill_template(text.id, values, language)


def render_all(thing: Any, language: str | None = None) -> Any:
    """Render every Message inside dataclasses, sequences and mappings."""
    if isinstance(thing, Message):
        return render(thing, language)
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        values = {field.name: getattr(thing, field.name) for field in dataclasses.fields(thing) if field.init}
        rendered_values = {name: render_all(value, language) for name, value in values.items()}
        changed = {name: value for name, value in rendered_values.items() if value is not values[name]}
        return dataclasses.replace(thing, **changed) if changed else thing
    if isinstance(thing, Mapping) and is_packed(thing):  # in the output of a job, which is untyped here
        return render(unpack(thing), language)
    if isinstance(thing, Mapping):
        entries = {name: render_all(value, language) for name, value in thing.items()}
        return entries if any(entries[name] is not value for name, value in thing.items()) else thing
    if isinstance(thing, list | tuple) and type(thing) in (list, tuple):
        members = [render_all(member, language) for member in thing]
        changed_any = any(new is not old for new, old in zip(members, thing, strict=True))
        return type(thing)(members) if changed_any else thing
    return thing
