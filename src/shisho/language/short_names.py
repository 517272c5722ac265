"""Short names that a text defines.

For example "Department of Tidal Engineering (DTE)" and 労働基準法(以下「労基法」). Precision first: the
letters of the short name must fit, or the text must say that it is one. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from shisho.language import compile_lazily
from shisho.records import dataclass

MAX_CHARACTERS = 60
MAX_WORDS = 14
REACH = 200  # characters before a bracket in which its long name must be
_LINKS = frozenset(
    ["a", "an", "and", "by", "de", "for", "from", "in", "of", "on", "or", "the", "to", "und", "with"]
)
_BRACKETED = compile_lazily(r"\(([^()]{2,120})\)")
_HENCEFORTH = compile_lazily(
    r"(?:^|[、,。;\s])以下[、,]?\s?(?:単に)?\s?[「『\"]?(?P<short>[^「」『』\"()。、]{1,30}?)[」』\"]?"
    r"\s?(?:と(?:い[うい]|言[うい]|する|し(?:ます|て)|略|記|呼|称|表記)[^「」]{0,20})?[。.]?$"
)
_LABELLED = compile_lazily(
    r"(?:^|[、,;\s])(?:略称|略して|通称)(?:は|を)?[:、,]?\s?[「『\"]?(?P<short>[^「」『』\"()。、]{1,30}?)[」』\"]?$"
)
_ABBREVIATED = compile_lazily(r"^[「『]?([一-鿿々ァ-ヺー]{2,6})[」』]?$")
_BESIDE_LATIN = compile_lazily(r"^([A-Za-z][^、,()]{3,80})[、,]\s?([A-Z][A-Za-z0-9&/-]{1,9})$")
_APPOSITION = compile_lazily(
    r"\b(?P<short>[A-Z][A-Z0-9&]{1,9}), the (?P<long>[A-Z][^,()]{3,80}),"
    r"|\b[Tt]he (?P<spelled>[A-Z][^,()]{3,80}), or (?:the )?(?P<letters>[A-Z][A-Z0-9&]{1,9}),"
)
_HEREINAFTER = compile_lazily(
    r"^(?:hereinafter|hereafter)(?:,? (?:referred to as|called))?,? \"?(?:the )?\"?([^\"]{2,30}?)\"?$"
)
_LATIN_SHORT = compile_lazily(r"^\"?([A-Za-z][A-Za-z0-9&/.-]{1,9})\"?$")
_LATIN_WORDS = compile_lazily(r"(?<![A-Za-z0-9'&/,\s-])[A-Za-z0-9'&/,\s-]++\"?$")
_CAPITALISED = compile_lazily(r"(?:[A-Z][\w'-]*\s(?:of |for |and |the )*){1,8}$")
_WORD = compile_lazily(r"[A-Za-z0-9]+")
_NAME_RUN = compile_lazily(r"(?<![一-鿿々〆ヶァ-ヺー・A-Za-z0-9&-])[一-鿿々〆ヶァ-ヺー・A-Za-z0-9&-]++$")
_QUOTATION = compile_lazily(r"[「『]([^「」『』]{2,60})[」』]$")
_CLAUSE = compile_lazily(r"[^、。「」『』()\s]{2,60}$")
_SHORT_BEFORE = compile_lazily(r"([A-Z][A-Za-z0-9&/-]{1,9})\s?$")
_ENTRY = compile_lazily(
    r"^\W{0,4}([A-Z][A-Za-z0-9&/-]{1,9})\*{0,2}\s?(?::|\t|—|–|=| - )\s?\*{0,2}([A-Za-z][^:\t()]{3,80}?)(?:[.,;(]|$)"
)
_STANDS_FOR = compile_lazily(
    r"\b([A-Z][A-Za-z0-9&/-]{1,9})\"?,? (?:stands for|is short for|short for|is an abbreviation of|abbreviates) (?:the )?\"?"
    r"([A-Za-z][^:\t()\".,;]{3,80})"
)
_SHORT_FOR = compile_lazily(
    r"[「『\"]?([^\s「」『』\"()、。は]{2,12})[」』\"]?(?:とは|は)、?[「『\"]?([^「」『』\"()、。は]{4,60}?)[」』\"]?の略(?:称|語|記)?(?:で|。|$)"
)
_NOTE_NUMBER = compile_lazily(r"(?<=[A-Z]{3})[0-9]{2,}$")
# Japanese names of organisations; capitals in brackets after them are their short name.
_BODY = compile_lazily(
    r"(?:機構|協会|研究所|センター|委員会|連盟|連合|機関|銀行|財団|学会|基金|組織|庁|省|大学|会議|同盟|公社|公団|本部)$"
)
# 「本調査」 names a thing in one text only, and 「十分に知識がある」 is not a name.
_NO_NAME = compile_lazily(
    r"^(?:本|当|同|該|甲|乙|丙|これ|それ|前者|後者|[でにをのとがは])|[がはを][ぁ-ん]|\s?等$"
)


@dataclass(frozen=True, slots=True)
class ShortName:
    """A short name and its long form, as the text writes them."""

    short: str
    long: str


def find_short_names(sentences: Iterable[str]) -> tuple[ShortName, ...]:
    """Return the distinct short names that folded sentences define, in order."""
    names = (name for sentence in sentences for name in _find(sentence))
    return tuple(dict.fromkeys(filter(_is_usable, names)))


def _find(sentence: str) -> Iterator[ShortName]:
    if "(" in sentence:
        for bracket in _BRACKETED.finditer(sentence):
            before = sentence[max(0, bracket.start() - REACH) : bracket.start()].rstrip()
            yield from _read_bracket(before, bracket[1].strip())
    for form in (_ENTRY, _STANDS_FOR):
        match = form.search(sentence)
        if match and fit_letters(match[1], match[2].strip()) == match[2].strip():
            yield ShortName(match[1], match[2].strip())
    for match in _APPOSITION.finditer(sentence):
        short, long = match["short"] or match["letters"], match["long"] or match["spelled"]
        if fit_letters(short, long) == long:
            yield ShortName(short, long)
    if "の略" in sentence and (match := _SHORT_FOR.search(sentence)):
        is_latin = match[1].isascii()
        if fit_letters(match[1], match[2]) if is_latin else _is_subsequence(match[1], match[2]):
            yield ShortName(match[1], match[2].strip())


def _read_bracket(before: str, inside: str) -> Iterator[ShortName]:
    if match := _HENCEFORTH.search(inside) or _LABELLED.search(inside):
        yield from _read_henceforth(before, inside[: match.start()], match["short"].strip())
    elif hereinafter := _HEREINAFTER.search(inside):
        if names := _CAPITALISED.search(before + " "):
            yield ShortName(hereinafter[1], names[0].strip().removeprefix("The "))
    elif beside := _BESIDE_LATIN.search(inside):
        if fit_letters(beside[2], beside[1]) == beside[1]:
            yield from _read_henceforth(before, beside[1], beside[2])
    elif abbreviated := _ABBREVIATED.search(inside):
        run = _NAME_RUN.search(before)
        if run and run[0][0] == abbreviated[1][0] and _is_abbreviation(abbreviated[1], run[0]):
            yield ShortName(abbreviated[1], run[0])
    elif short := _LATIN_SHORT.search(inside):
        if long := fit_letters(short[1], _cut_last_words(before)):
            yield ShortName(short[1], long)
        elif (run := _NAME_RUN.search(before)) and _BODY.search(run[0]) and short[1].isupper():
            yield ShortName(_NOTE_NUMBER.sub("", short[1]), run[0])
    elif name := _SHORT_BEFORE.search(before):
        long = inside.strip('"')
        if long.isascii() and fit_letters(name[1], long) == long:
            yield ShortName(name[1], long)


def _read_henceforth(before: str, beside: str, short: str) -> Iterator[ShortName]:
    """Yield the names for 以下「…」.

    It is short for the name before the bracket, and for a name in Latin letters inside it.
    """
    latin = beside.strip(" 、,;:")
    if latin and fit_letters(short, latin) == latin:
        yield ShortName(short, latin)
    if long := _find_name_before(before, short):
        yield ShortName(short, long)


def _find_name_before(before: str, short: str) -> str:
    """Return the long name of `short` at the end of a text; empty if it is uncertain."""
    if quotation := _QUOTATION.search(before):
        return quotation[1]
    if short.isascii() and (long := fit_letters(short, _cut_last_words(before))):
        return long
    run = _NAME_RUN.search(before)
    if run and (
        _is_subsequence(short, run[0]) or not before[: run.start()].endswith(("する", "した", "の", "な"))
    ):
        return run[0] if len(run[0]) > len(short) else ""
    clause = _CLAUSE.search(before)
    if clause and _is_subsequence(short, clause[0]):
        return clause[0][clause[0].index(short[0]) :]
    return ""


def _cut_last_words(text: str) -> str:
    match = _LATIN_WORDS.search(text)
    return match[0].lstrip(" ,0123456789'&/-").rstrip('" ') if match else ""


def fit_letters(short: str, text: str) -> str:
    """Return the last words of a text whose initials form `short`; empty if they do not fit.

    Each word except small ones contributes at least its first letter, and all letters must be used.
    """
    bare = short[:-1] if short[-1] == "s" and short[:-1].isupper() else short
    letters = [letter for letter in bare.casefold() if letter.isalnum()]
    words = list(_WORD.finditer(text))
    if len(letters) < 2:
        return ""
    for first in range(len(words) - 1, max(-1, len(words) - MAX_WORDS - 1), -1):
        taken = [word[0].casefold() for word in words[first:]]
        if taken[0] not in _LINKS and _can_supply(letters, taken, bare.isupper()):
            return text[words[first].start() :].strip()
    return ""


def _can_supply(letters: list[str], words: list[str], is_upper: bool) -> bool:
    """Return whether the words contribute the letters.

    There must be two words at least; only capitals may take letters from within a word.
    """
    if not words:
        return not letters
    word, rest = words[0], words[1:]
    if word in _LINKS and _can_supply(letters, rest, is_upper):
        return True
    if not letters or word[0] != letters[0]:
        return False
    if _can_supply(letters[1:], rest, is_upper):
        return True
    inner = letters[1:]
    within = word[1:]
    # One more letter of a compound: the L of polylactic.
    return (
        is_upper
        and bool(inner)
        and inner[0] in within[2:]
        and bool(rest)
        and _can_supply(inner[1:], rest, False)
    )


def _is_subsequence(short: str, long: str) -> bool:
    """Return whether one text contains the other's characters in order: 労働基準法 and 労基法."""
    letters = iter(long)
    return all(letter in letters for letter in short)


def _is_abbreviation(short: str, long: str) -> bool:
    """Return whether one text is the other with some characters of its words removed."""
    return _is_subsequence(short, long) and short not in long and len(long) >= 2 * len(short)


def _is_usable(name: ShortName) -> bool:
    return (
        1 < len(name.short) < len(name.long) <= MAX_CHARACTERS
        and name.short.casefold() != name.long.casefold()
        and not _NO_NAME.search(name.short)
    )
