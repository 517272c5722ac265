"""Respell a question as the library writes it.

It corrects words typed in kana, and one wrong or missing letter. Only for words that the library does not
contain as typed, and only if one of its own spellings is clearly meant.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from shisho.language import compile_lazily
from shisho.language.terms import fold, get_tokenizer
from shisho.records import dataclass

_HIRAGANA = {code: code - 0x60 for code in range(ord("ァ"), ord("ヶ") + 1)}
# The dictionary gives a lone kanji its Japanese reading; at the end of a compound it usually has this one.
_LAST = {
    "力": "りょく",
    "率": "りつ",
    "数": "すう",
    "性": "せい",
    "法": "ほう",
    "量": "りょう",
    "都": "と",
    "県": "けん",
    "者": "しゃ",
    "会": "かい",
    "型": "がた",
    "値": "ち",
    "式": "しき",
    "語": "ご",
    "国": "こく",
    "人": "じん",
    "日": "び",
    "金": "きん",
    "物": "ぶつ",
}


def to_hiragana(text: str) -> str:
    """Return the text with katakana as hiragana."""
    return text.translate(_HIRAGANA)


@lru_cache(maxsize=100_000)
def find_readings(word: str) -> tuple[str, ...]:
    """Return the readings of a word; none if the dictionary does not know one."""
    tokens = [
        (token.surface(), to_hiragana(token.reading_form())) for token in get_tokenizer().tokenize(word)
    ]
    plain = "".join(reading for _, reading in tokens)
    if not plain or not all("ぁ" <= character <= "ゖ" or character == "ー" for character in plain):
        return ()
    last, reading = tokens[-1]
    if len(tokens) > 1 and last in _LAST and reading != _LAST[last]:
        return plain, plain[: -len(reading)] + _LAST[last]
    return (plain,)


_WORD_RUN = compile_lazily(r"[一-鿿々〆ァ-ヺー・]{2,24}|[a-z][a-z'-]{3,30}")


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """A vocabulary, equal only to itself.

    `counts`: the number of texts that contain a run. `text`: all of the texts, folded, for searching.
    """

    counts: Mapping[str, int]
    text: str

    def has(self, writing: str) -> bool:
        """Return whether the library contains this spelling, alone or inside a longer word."""
        return writing in self.text


def read_vocabulary(texts: Iterable[str]) -> Vocabulary:
    """Collect the words of these texts; a word broken at the end of a line is whole."""
    folded = [_join_broken(fold(text)) for text in texts]
    counts = Counter(run for text in folded for run in set(_WORD_RUN.findall(text)))
    return Vocabulary(counts, "\n".join(folded))


_BREAK = compile_lazily(r"(?<=[^\x00-\x7f])\n(?=[^\x00-\x7f])")


def _join_broken(text: str) -> str:
    return _BREAK.sub("", text)


SHORTEST_READING = 3  # of a word typed in kana: ししょ
MAX_READING = 24
MIN_TYPED = 3  # hiragana in a word that was typed in kana
SURE_CHARS = 5  # from here on one different letter is a typo, whatever its sound
_KANA = compile_lazily(r"[ぁ-んァ-ヺー一-鿿々]+")
_AFTER = compile_lazily(r"$|[、。?？!！\s]|って|[のはがをにでともへやか]|など|から|まで|より|です|する|した")
_BEFORE = compile_lazily(r"(?:^|[、。?？!！\s「」『』]|[のはがをにでともへや]|[^ぁ-んァ-ヺー一-鿿々])$")
_RUN = compile_lazily(r"[一-鿿々ァ-ヺー・]{3,24}|[A-Za-z][A-Za-z'-]{5,30}")
_FIGURE = compile_lazily(r"[0-9〇一二三四五六七八九十百千万億]")
# Letters that distinguish words rather than being typos: 最大 is not a misspelt 最小.
_CONTRAST = compile_lazily(
    r"[大小高低上下前後内外左右東西南北新旧有無正負男女父母春夏秋冬朝昼夜甲乙丙丁初終強弱軽重長短多少増減加除売買入出始終生死明暗早遅公私甲種類級第不非未全半再]"
)


@dataclass(frozen=True, slots=True)
class SpelledSpan:
    """A span `start:end` of a question, and its intended spelling."""

    start: int
    end: int
    writing: str


def respell(question: str, vocabulary: Vocabulary) -> str:
    """Return the question in the library's spelling; "" if nothing closer exists."""
    rewritings = [*_find_typed_in_kana(question, vocabulary), *_find_typos(question, vocabulary)]
    text = question
    last = len(question)
    for rewriting in sorted(rewritings, key=lambda rewriting: -rewriting.start):
        if rewriting.end <= last:
            text = text[: rewriting.start] + rewriting.writing + text[rewriting.end :]
            last = rewriting.start
    return text if text != question else ""


def _find_typed_in_kana(question: str, vocabulary: Vocabulary) -> Iterator[SpelledSpan]:
    """Yield words that sound like one of the library's, the longest first.

    Particles or boundaries must surround them.
    """
    candidates = [*_find_kana_spans(question, vocabulary)]
    if not candidates:
        return
    by_reading = _index_by_reading(vocabulary)
    last_end = 0
    for start, end in candidates:
        sounds = _list_sounds(question[start:end])
        writing = next((by_reading[reading] for reading in sounds if reading in by_reading), None)
        if writing is not None and start >= last_end:
            yield SpelledSpan(start, end, writing)
            last_end = end


def _find_kana_spans(question: str, vocabulary: Vocabulary) -> Iterator[tuple[int, int]]:
    """Yield spans that may be typed in kana and are not in the library, the longest first."""
    for run in _KANA.finditer(question):
        for start in range(run.start(), run.end()):
            if not _BEFORE.search(question[:start]):
                continue
            for end in range(min(run.end(), start + MAX_READING), start + SHORTEST_READING - 1, -1):
                typed = question[start:end]
                is_kana = len(re.findall(r"[ぁ-ん]", typed)) >= MIN_TYPED
                if is_kana and _AFTER.match(question, end) and not vocabulary.has(fold(typed)):
                    yield start, end


def _list_sounds(typed: str) -> tuple[str, ...]:
    plain = to_hiragana(typed)
    return (plain,) if re.fullmatch(r"[ぁ-ゖー]+", plain) else find_readings(typed)


@lru_cache(maxsize=1)
def _index_by_reading(vocabulary: Vocabulary) -> Mapping[str, str]:
    """Return the most frequent word for each reading."""
    writings: dict[str, tuple[int, str]] = {}
    for word, count in vocabulary.counts.items():
        if word.isascii():
            continue
        for reading in find_readings(word):
            if len(reading) >= SHORTEST_READING and (count, word) > writings.get(reading, (0, "")):
                writings[reading] = (count, word)
    return {reading: word for reading, (_, word) in writings.items()}


def _find_typos(question: str, vocabulary: Vocabulary) -> Iterator[SpelledSpan]:
    for run in _RUN.finditer(question):
        typed = fold(run[0])
        if vocabulary.has(typed) or _FIGURE.search(typed):
            continue
        meant = _guess_meant(typed, vocabulary)
        if meant:
            yield SpelledSpan(run.start(), run.end(), meant)


def _guess_meant(typed: str, vocabulary: Vocabulary) -> str:
    """Return the library's word that is one typo away; "" if there is none, or if several are."""
    least = {True: 6, False: 3}[typed.isascii()]
    near: defaultdict[bool, list[tuple[int, str]]] = defaultdict(list)
    letters = set(typed)
    sounds = set() if typed.isascii() else set(find_readings(typed))
    for word, count in vocabulary.counts.items():
        is_near = abs(len(word) - len(typed)) <= 1 and len(letters - set(word)) <= 1
        if is_near and len(word) >= least and _is_typo(typed, word, sounds):
            near[bool(sounds.intersection(find_readings(word)))].append((count, word))
    candidates: Sequence[tuple[int, str]] = near[True] or near[False]
    return max(candidates)[1] if len(candidates) == 1 or near[True] else ""


def _is_typo(typed: str, word: str, sounds: set[str]) -> bool:
    """Return True if two words differ by one typo.

    A typo is a changed, missing or extra letter, or two swapped ones. Letters that distinguish words do not
    count.
    """
    start = 0
    while start < min(len(typed), len(word)) and typed[start] == word[start]:
        start += 1
    end = 0
    while end < min(len(typed), len(word)) - start and typed[-1 - end] == word[-1 - end]:
        end += 1
    ours = typed[start : len(typed) - end]
    theirs = word[start : len(word) - end]
    if len(ours) == len(theirs) == 2:
        return len(typed) >= SURE_CHARS and ours == theirs[::-1] and not _CONTRAST.search(ours)
    if max(len(ours), len(theirs)) != 1 or _CONTRAST.search(ours + theirs) or _FIGURE.search(theirs):
        return False
    if typed.isascii():
        return typed[0] == word[0] and not word.startswith(typed) and not typed.startswith(word)
    if ours and theirs:
        return bool(sounds.intersection(find_readings(word))) or len(typed) >= SURE_CHARS
    # A missing kanji makes another word; a missing kana or long vowel does not.
    return len(typed) >= SURE_CHARS and re.fullmatch(r"[ァ-ヺー]", ours + theirs) is not None
