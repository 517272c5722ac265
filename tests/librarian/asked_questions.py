"""Questions in many wordings, of one part and of several, and after others: `asked_questions.jsonl`, written
before the code that reads them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

PATH = Path(__file__).with_suffix(".jsonl")


def read_questions(kind: str) -> list[dict[str, Any]]:
    """Those of a kind: wording, parts or follow."""
    rows = [json.loads(line) for line in PATH.read_text("utf-8").splitlines()]
    return [row for row in rows if row["kind"] == kind]
