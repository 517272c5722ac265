"""How many tokens a model will count in a text, near enough to cut a prompt by: one a CJK character, one for
four others.

An estimate, no bound: a small model may need two for a CJK character (SmolLM2: 70 for 40 characters)."""

from __future__ import annotations

import json

from shisho.language.patterns import compile_lazily

_WIDE = compile_lazily(r"[⺀-\u9fff가-\ud7ff豈-\ufaff！-￮\U00020000-\U0003ffff]")


FENCE_TOKENS = 30  # around a passage or a quotation in a prompt


def tokens(text: str) -> int:
    """An estimate, in tokens."""
    wide = len(_WIDE.findall(text))
    return wide + (len(text) - wide + 3) // 4


def row_tokens(text: str, heading: str) -> int:
    """An estimate of what a passage takes in a reply in JSON."""
    return tokens(json.dumps([text, heading], ensure_ascii=False)) + FENCE_TOKENS


def passage_tokens(text: str, heading: str) -> int:
    """An estimate of what a passage takes in a prompt."""
    return tokens(text) + tokens(heading) + FENCE_TOKENS
