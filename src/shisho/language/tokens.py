"""Estimates of a model's token counts: one per CJK character, one per four others.

Exact enough for cutting a prompt, but not a bound: a small model may need two for a CJK character (SmolLM2:
70 for 40 characters).
"""

from __future__ import annotations

import json

from shisho.language.patterns import compile_lazily

_WIDE = compile_lazily(r"[⺀-\u9fff가-\ud7ff豈-\ufaff！-￮\U00020000-\U0003ffff]")


FENCE_TOKENS = 30  # around a passage or a quotation in a prompt


def estimate_tokens(text: str) -> int:
    """Return an estimate, in tokens."""
    wide = len(_WIDE.findall(text))
    return wide + (len(text) - wide + 3) // 4


def estimate_row_tokens(text: str, heading: str) -> int:
    """Return an estimate of a passage's tokens in a JSON reply."""
    return estimate_tokens(json.dumps([text, heading], ensure_ascii=False)) + FENCE_TOKENS


def estimate_passage_tokens(text: str, heading: str) -> int:
    """Return an estimate of a passage's tokens in a prompt."""
    return estimate_tokens(text) + estimate_tokens(heading) + FENCE_TOKENS
