"""Document text for display and copying.

The stored text stays as printed; this is a view of it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import reduce

from shisho.language import compile_lazily
from shisho.language.normalise import RADICALS, UNSEEN, strip_unseen

_BREAK = compile_lazily(r"\r\n?|[\u0085\u2028\u2029]")
_KANGXI = compile_lazily("[\u2e80-\u2fd5]")
_LIGATURE = compile_lazily("[\ufb00-\ufb06]")
_PRIVATE = compile_lazily("[\ue000-\uf8ff]")
_PRIVATE_AT_START = compile_lazily("^([ \t\u3000]*)[\ue000-\uf8ff](?=[ \t\u3000]|[^\ue000-\uf8ff])", re.M)
# Characters that office programs write from the fonts Symbol and Wingdings.
_SYMBOLS = str.maketrans(
    {
        "\uf020": " ",
        "\uf02d": "−",
        "\uf06c": "●",
        "\uf06e": "■",
        "\uf06f": "□",
        "\uf071": "❑",
        "\uf075": "◆",
        "\uf076": "❖",
        "\uf09f": "•",
        "\uf0a7": "▪",
        "\uf0a8": "◻",
        "\uf0b7": "•",
        "\uf0d8": "➢",
        "\uf0e0": "→",
        "\uf0e8": "➔",
        "\uf0f0": "⇨",
        "\uf0fc": "✓",
        "\uf0fe": "☑",
    }
)
UNKNOWN = "〓"  # the mark of Japanese printers for a missing letter

# Written without spaces between words, unlike Korean.
_WIDE = "\u2e80-\u303e\u3041-\u312f\u3190-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff9f\uffe0-\uffe6\U00020000-\U0003ffff"
_BULLET = "•●○■□▪▫◆◇◻◦‣⁃·・※➢➔⇨✓☑❑❖−–*-"
_LISTED = compile_lazily(rf"(?:[{re.escape(_BULLET)}]|[(（]?\d{{1,3}}[.)）．])[ \t\u3000]|[•●■□▪◆◇◻‣➢❑❖]")
_ITEM_MARK = compile_lazily(r"[ \u3000]*(?:[•●■▪◆‣⁃◦·・][ \t\u3000]*|[-–−*][ \t\u3000]+(?!\d|印))")
_AFTER_MARK = compile_lazily(
    rf"^([ \u3000]*(?:[{re.escape(_BULLET)}]|[(（]?\d{{1,3}}[.)）．]?|[(（]?[a-zA-Z][.)）．]))\t[\t ]*",
    re.M,
)
_INDENT = compile_lazily(r"^[ \t\u3000]+|[ \t\u3000]+$", re.M)
_CELLS = compile_lazily(r"\s*\t\s*")
_LINES = compile_lazily(r"\s*\n\s*")
_PARAGRAPHS = compile_lazily(r"\s*\n\s*\n\s*")
_SPACES = compile_lazily(r" {2,}")
_WIDE_BEFORE = compile_lazily(f"[{_WIDE}]$")
_WIDE_AFTER = compile_lazily(f"[{_WIDE}]")
_BACKTICKS = compile_lazily("`+")
# Characters that Markdown would interpret: code, a tag, an entity, a link or picture, emphasis.
_MARKUP = compile_lazily(
    r"`|\\(?=[!-/:-@\[-`{-~])|<(?=[A-Za-z/!?])|&(?=#?\w+;)|(?<=\])\(|\*(?=\S)|(?<=\S)\*|(?<!\w)_(?=\S)|(?<=\S)_(?!\w)"
)
_HYPHENATED = compile_lazily(r"[^\W_][-‐]$")


def make_legible(text: str) -> str:
    """Return the same lines with legible characters only.

    Invisible characters are removed; radicals, ligatures and private-use signs are replaced by their standard
    characters.
    """
    text = _BREAK.sub("\n", text)
    text = UNSEEN.sub("", text)
    text = _KANGXI.sub(lambda sign: unicodedata.normalize("NFKC", sign[0]), text).translate(RADICALS)
    text = _LIGATURE.sub(lambda sign: unicodedata.normalize("NFKC", sign[0]), text)
    text = _PRIVATE_AT_START.sub("\\1•", text.translate(_SYMBOLS))
    return _PRIVATE.sub(UNKNOWN, text)


def display_name(text: str) -> str:
    """Return the name of a file on one line, without control characters; its spaces are kept."""
    return make_legible(strip_unseen(text))


def join_lines(text: str) -> str:
    """Return the text on one line.

    Printed lines are joined: without a space between Japanese, with one between words, and with one between a
    paragraph in Japanese and one in other letters (code). Words hyphenated at the end of a line are rejoined.
    Table cells are separated by bars, rows by slashes.
    """
    text = _AFTER_MARK.sub("\\1 ", _SPACES.sub(" ", make_legible(text)))
    text = _INDENT.sub("", text).strip("\n")
    lines = [line for line in _LINES.split(text) if line]
    if any("\t" in line for line in lines):
        return " / ".join(_CELLS.sub(" | ", line) for line in lines)
    paragraphs = [reduce(_choose_separator, _LINES.split(paragraph)) for paragraph in _PARAGRAPHS.split(text)]
    return reduce(_join_sides, paragraphs)


def _join_sides(before: str, after: str) -> str:
    is_wide = _WIDE_AFTER.match(after) is not None
    return (
        _choose_separator(before, after)
        if is_wide == bool(_WIDE_BEFORE.search(before))
        else f"{before} {after}"
    )


def display_quotation(text: str, *, code: bool) -> str:
    """Return a quotation for display: code with its lines, other text on one line."""
    return display_code(text) if code else join_lines(text)


def strip_item_mark(text: str) -> str:
    """Return a line without its own bullet, for a list that puts one before it. Numbers stay."""
    return text[match.end() :] if (match := _ITEM_MARK.match(text)) else text


def split_item(text: str) -> list[str]:
    """Return an item without its own bullet, then the items nested in it, each on one line."""
    parts: list[str] = []
    for line in make_legible(text).strip().split("\n"):
        if not parts or _LISTED.match(line.strip()) or _ITEM_MARK.match(line):
            parts.append(line)
        else:
            parts[-1] += f"\n{line}"
    return [join_lines(strip_item_mark(part)) for part in parts]


def display_code(text: str) -> str:
    """Return the lines of code with their indentation, which carries meaning."""
    return "\n".join(line.rstrip() for line in make_legible(text).split("\n")).strip("\n")


def fence_code(text: str) -> str:
    """Return code in a Markdown fence, longer than any run of backticks inside."""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{display_code(text)}\n{fence}"


def escape_markdown(text: str) -> str:
    """Return a text that Markdown shows literally. Not needed for the result of `fence_code`."""
    return _MARKUP.sub(r"\\\g<0>", text)


def join_sentences(sentences: Iterable[str]) -> str:
    """Return sentences as one paragraph.

    A space is between them, except after a Japanese full stop.
    """
    joined = ""
    for sentence in sentences:
        gap = "" if not joined or _WIDE_BEFORE.search(joined) else " "
        joined += gap + sentence
    return joined


def _choose_separator(before: str, after: str) -> str:
    if _LISTED.match(after):
        return f"{before} {after}"
    if _HYPHENATED.search(before) and after[0].isalnum():
        broken = before[-2].isalpha() and after[0].islower()
        return (before[:-1] if broken else before) + after
    if _WIDE_BEFORE.search(before) or _WIDE_AFTER.match(after):
        return before + after
    return f"{before} {after}"
