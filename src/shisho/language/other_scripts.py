"""Index terms for scripts that neither Sudachi's dictionary nor the stemmer knows.

Hangul, Arabic, Thai, Devanagari and the like, and kanji beyond U+FFFF.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import pairwise

from shisho.language.patterns import compile_lazily

# All of these are used in classes of regular expressions.
_HANGUL = "\u1100-\u11ff\uac00-\ud7a3"
_KANJI = "\U00016fe0-\U0001b2ff\U00020000-\U0003ffff"  # with Tangut and old kana
PAIRED = _HANGUL + _KANJI
"""Letters that are paired like kanji."""
# Thai, Lao, Burmese, Khmer, Bopomofo and Yi have no spaces between words. Hangul has, but its particles are
# attached to their noun: people search for 주소는 as 주소.
_RUNNING = (
    f"{_HANGUL}\u0e01-\u0e3a\u0e40-\u0e4e\u0e50-\u0e59\u0e81-\u0edf\u1000-\u1049\u1050-\u109f\u1780-\u17d3\u17e0-\u17e9"
    "\u3105-\u312f\u31a0-\u31bf\ua000-\ua48c"
)
# All others from Armenian on, except for the extension blocks of Latin, Greek and Cyrillic.
_SPACED = (
    "\u0530-\u0dff\u0f00-\u0fff\u10a0-\u10ff\u1200-\u177f\u1800-\u1c7f\u1c90-\u1cff\u2c00-\u2c5f\u2c80-\u2ddf"
    "\ua4d0-\ua63f\ua6a0-\ua6ff\ua800-\uab2f\uab70-\uabff\U00010000-\U00016fdf\U0001e000-\U0001efff"
)
_RUN = compile_lazily(f"(?P<kanji>[{_KANJI}])|(?P<running>[{_RUNNING}]+)|[{_SPACED}]+")
# They shape letters inside a word of Persian or Hindi; `normalise` drops them too.
_JOINERS = str.maketrans(dict.fromkeys("\u200c\u200d"))
_WRITTEN = "LMN"  # Unicode's letters, their marks, and figures


def list_terms(text: str) -> Iterator[str]:
    """Yield words between spaces, character pairs in scripts without spaces, and single kanji.

    A single syllable is not a term: it would not match if a particle follows it.
    """
    for run in _RUN.finditer(text.translate(_JOINERS)):
        if run["kanji"]:
            yield run[0]
        elif run["running"]:
            yield from map("".join, pairwise(run[0]))
        else:
            yield from _split_words(run[0])


def _split_words(run: str) -> list[str]:
    written = (char if unicodedata.category(char)[0] in _WRITTEN else " " for char in run)
    return "".join(written).split()
