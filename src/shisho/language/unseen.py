"""Characters that no reader sees but a terminal or a browser obeys."""

from __future__ import annotations

import re

# Controls, directions, tags. Variation selectors and joiners stay, for they choose the shape of a letter.
UNSEEN = re.compile(
    "[\u0000-\u0008\u000b-\u001f\u007f-\u0084\u0086-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff"
    "\ufff9-\ufffb\ufffe\U000e0000-\U000e007f]"
)
_SPACE = re.compile(r"[\t-\r\u0085\u2028\u2029]+")


def strip_unseen(text: str) -> str:
    """A name on one line, without what no reader sees; otherwise as it is."""
    return UNSEEN.sub("", _SPACE.sub(" ", text))
