"""Characters that no reader sees but a terminal or a browser obeys."""

from __future__ import annotations

import re

from shisho.language.patterns import compile_lazily

# Controls, directions, tags. Variation selectors and joiners are kept, because they select the shape of a
# letter.
UNSEEN = compile_lazily(
    "[\u0000-\u0008\u000b-\u001f\u007f-\u0084\u0086-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff"
    "\ufff9-\ufffb\ufffe\U000e0000-\U000e007f]"
)
_SPACE = compile_lazily(r"[\t-\r\u0085\u2028\u2029]+")


def strip_unseen(text: str) -> str:
    """Return a name on one line, without invisible characters."""
    return UNSEEN.sub("", _SPACE.sub(" ", text))


# The subset that reverses a line or hides words for a model: directions, tags, runs of zero-width signs. The
# flags of England, Scotland and Wales are written with tags.
_HARMFUL = compile_lazily(
    "(?P<flag>\U0001f3f4[\U000e0020-\U000e007e]{1,6}\U000e007f)|(?:[\u202a-\u202e\u2066-\u2069]+)"
    "|(?:[\u180e\u2060-\u2065\ufff9-\ufffb\U000e0000-\U000e007f]+)|(?:[\u200b-\u200d\ufeff]{4,})"
)
_MARK = compile_lazily("⟨U\\+[0-9A-F]{4,6}(?:×\\d+)?⟩")


def mark_unseen(text: str) -> str:
    """Return a document's text for a model, with hidden characters that a model obeys as marks.

    ⟨U+202E⟩, or ⟨U+E0049×12⟩ for a run of twelve that begins with this one.
    """
    return _HARMFUL.sub(_mark, text)


def drop_marks(text: str) -> str:
    """Return a quotation copied from such a text without the marks."""
    return _MARK.sub("", text)


def _mark(found: re.Match[str]) -> str:
    if found["flag"]:
        return found[0]
    count = f"×{len(found[0])}" if len(found[0]) > 1 else ""
    return f"⟨U+{ord(found[0][0]):04X}{count}⟩"
