"""The estimate of tokens that prompts are cut by."""

from __future__ import annotations

from shisho.language import estimate_tokens
from tests.tables import each_row


@each_row(
    ("text", "estimate"),
    [
        ("", 0),
        ("決定係数とは何か。", 9),
        ("カタカナとｶﾅ、全角ＡＢ", 12),
        ("한국어", 3),
        ("𠮷野家", 3),
        ("a", 1),
        ("word", 1),
        ("words", 2),
        ("The coefficient of determination.", 9),
        ("R2は決定係数", 6),
        ("Pythonで書く", 5),
        ("犬\n猫", 3),
    ],
)
def test_a_wide_character_is_a_token_and_so_are_four_others(text: str, estimate: int) -> None:
    assert estimate_tokens(text) == estimate
