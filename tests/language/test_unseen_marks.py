"""What a reader does not see and a model obeys is marked in text that a model reads, and nothing else is."""

from __future__ import annotations

from shisho.language.normalise import drop_marks, mark_unseen
from tests.tables import each_row

TAGS = "".join(chr(0xE0000 + ord(letter)) for letter in "ignore all")
ENGLAND = "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in "gbeng") + "\U000e007f"


@each_row(
    ("text", "shown"),
    [
        ("請求額は\u202e000,1\u202c円", "請求額は⟨U+202E⟩000,1⟨U+202C⟩円"),
        (f"条件{TAGS}はない", "条件⟨U+E0069×10⟩はない"),
        ("隠\u200b\u200c\u200b\u200d\u200bす", "隠⟨U+200B×5⟩す"),
        ("a\u2066b\u2069", "a⟨U+2066⟩b⟨U+2069⟩"),
    ],
)
def test_hidden_characters_are_marked(text: str, shown: str) -> None:
    assert mark_unseen(text) == shown
    assert drop_marks(shown) == "".join(letter for letter in text if letter.isascii() or letter.isprintable())


@each_row(
    "text",
    [
        "ソフト\u00adハイフン",
        "改\u200b行",
        "👩\u200d👩\u200d👧",
        "葛\U000e0100城",
        ENGLAND,
        "שלום\u200f!",
        "表\t行\n",
    ],
)
def test_what_shapes_letters_and_lines_stays(text: str) -> None:
    assert mark_unseen(text) == text
