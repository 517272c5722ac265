"""Index terms of text.

Sudachi's short units in normalised form for Japanese, stems for Latin words, and character pairs for words
that the dictionary lacks. Passages and queries go through the same pipeline.
"""

from __future__ import annotations

import ctypes
import re
import sys
import threading
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from shisho.language import compile_lazily, read_words
from shisho.language.asking import is_asking_term
from shisho.language.normalise import fold_text
from shisho.language.sentences import split_sentences
from shisho.records import dataclass

MAPS = Path("/proc/self/maps")
_DONTNEED = 4  # asm-generic/mman-common.h: a page that is read again comes from the cache again


def release_mapped(name: str) -> None:
    """Release the pages of read-only mapped files with this name. Works on Linux only."""
    if sys.platform != "linux":
        return
    for start, end in _read_ranges(name):
        _load_madvise()(start, end - start, _DONTNEED)


def _read_ranges(name: str) -> Iterator[tuple[int, int]]:
    try:
        lines = MAPS.read_text("utf-8", "replace").splitlines()
    except OSError:
        return
    for line in lines:
        place, rights, _ = line.split(None, 2)
        if rights.startswith("r--") and line.endswith(f"/{name}"):
            start, _, end = place.partition("-")
            yield int(start, 16), int(end, 16)


@cache
def _load_madvise() -> Any:
    advise = ctypes.CDLL(None).madvise
    advise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    return advise


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


def split_foreign_terms(text: str) -> Iterator[str]:
    """Yield words between spaces, character pairs in scripts without spaces, and single kanji.

    A single syllable is not a term: it would not match if a particle follows it.
    """
    for run in _RUN.finditer(text.translate(_JOINERS)):
        if run["kanji"]:
            yield run[0]
        elif run["running"]:
            yield from map("".join, pairwise(run[0]))
        else:
            yield from _list_words(run[0])


def _list_words(run: str) -> list[str]:
    written = (char if unicodedata.category(char)[0] in _WRITTEN else " " for char in run)
    return "".join(written).split()


# Sudachi raises above 49,149 bytes, and a long run of katakana takes quadratic time.
PIECE_CHARS = 4_000
TERM_CHARS = 64
DICTIONARY_FILE = "system.dic"
WORDING = 4
NUMBER_TERMS = 3  # of 第45回衆議院議員総選挙: most texts write a longer run in another way
RECENT = 500  # sentences with cached terms: passages begin with the last sentences of the previous one


CONTENT = frozenset({"名詞", "動詞", "形容詞", "形状詞", "接尾辞", "接頭辞", "副詞", "連体詞", "感動詞"})
# Grammatical words in Sudachi's normalised form: the most frequent of those that GiNZA's stop words also
# exclude.
GRAMMAR = read_words(
    "為る 有る 居る 成る よる 因る 言う おく 置く おる つく 出来る 無い こと 物 為 よう 様 の 等 的 此の 其の 或る"
)
# Lucene's English stop words, with the question words and auxiliaries that its list omits.
ENGLISH_STOP = read_words(
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was "
    "will with what which who whom whose when where why how do does did has have had been can could from its we you i"
)
_LATIN = compile_lazily(r"[a-zß-öø-ÿĀ-ɏ][a-z0-9ß-öø-ÿĀ-ɏ]*(?:\+\+|#)?")
_ENGLISH = compile_lazily(rf"{_LATIN.pattern}|[0-9]+(?:[.,][0-9]+)*")
_JAPANESE = compile_lazily(r"[^\x00-ɏ\u2000-\u2bff]")
_PAIRABLE = compile_lazily(rf"[一-鿿々〆ヶァ-ヺー{PAIRED}]+")
_DROPPED = compile_lazily(r"[ぁ-んー]|[!-/:-@\[-`{-~]+|\W+")
_SINGLE_KANJI = compile_lazily(rf"[一-鿿々{PAIRED}]")
_ABBREVIATED = compile_lazily(r"\([一-鿿]\)")
_WIDE = compile_lazily(r"[！-～]")
_QUOTED = compile_lazily(r'["“]([^"“”]+)["”]')
_COUNTED = compile_lazily(r"第?[0-9][0-9.,]*(?:[一-鿿ァ-ヶー]+|[a-z]+)")
_LONG_VOWEL = compile_lazily(r"[ァ-ヺー]{3,}ー")
_NUMERALS = str.maketrans("〇一二三四五六七八九", "0123456789")
# Ids from here on are shared: by parts of longer words without a row in the dictionary (マルウェア and
# ロジックボム are 0xFFFFFFF), and by all words of a kind that it lacks.
_UNKNOWN = 0xFFFFFFF
_HOLE = "\ue000"  # replaces a Latin word while Sudachi reads the rest
_local = threading.local()
_loading = threading.Lock()
_known: dict[int, str] = {}  # terms by the dictionary's word id: at most as many as the dictionary has words

Read = Callable[[str], Sequence[str]]  # a folded sentence to its index terms


@dataclass(frozen=True, slots=True)
class Analysis:
    """The terms of a text: one sentence per line, terms separated by spaces.

    `bigrams`: kanji and character pairs likewise, in one line.
    """

    terms: str
    bigrams: str


@dataclass(frozen=True, slots=True)
class TermQuery:
    """A query in terms.

    `terms` and `bigrams` are distinct and in order. `phrases`: the terms of each quoted part. `numbers`: the
    terms of each number with its counter. `wording`: the character runs of the question as typed. `repeated`:
    terms that occur several times in one of the texts, and how often. `synonyms`: for some of the terms, the
    words that count as equal, each as its terms.
    """

    terms: tuple[str, ...]
    bigrams: tuple[str, ...]
    phrases: tuple[tuple[str, ...], ...] = ()
    wording: tuple[str, ...] = ()
    repeated: tuple[tuple[str, int], ...] = ()
    numbers: tuple[tuple[str, ...], ...] = ()
    synonyms: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)

    @property
    def all_terms(self) -> tuple[str, ...]:
        """The distinct terms of the query and of its synonyms."""
        others = (term for words in self.synonyms.values() for word in words for term in word)
        return tuple(dict.fromkeys((*self.terms, *others)))

    @property
    def is_japanese(self) -> bool:
        """True if any part is Japanese: 気圧 is, although too short for a wording run."""
        return any(map(_JAPANESE.search, (*self.wording, *self.bigrams, *self.terms)))


def analyse(sentences: Sequence[str]) -> Analysis:
    """Return the terms of a text given as sentences, one line each. Accepts any input."""
    return analyse_with(sentences, _list_recent_terms)


def make_query(texts: Sequence[str]) -> TermQuery:
    """Build one query from the texts.

    Parts in double quotes become phrases. Words that only ask are dropped, unless there are no others.
    """
    return build_query(texts, split_terms)


def analyse_with(sentences: Sequence[str], read: Read) -> Analysis:
    """Return `analyse` with another function from folded sentences to terms."""
    folded = [fold(sentence) for sentence in sentences]
    return Analysis(
        "\n".join(" ".join(read(line)) for line in folded), " ".join(list_graphs("\n".join(folded)))
    )


def build_query(texts: Sequence[str], read: Read) -> TermQuery:
    """Return `make_query` with another function from folded sentences to terms."""
    folded = [fold(text) for text in texts]
    text_words = [[term for line in text.splitlines() for term in read(line)] for text in folded]
    found_words = [term for words in text_words for term in words]
    named_words = [term for term in found_words if not is_asking_term(term)] or found_words
    phrases = (tuple(read(phrase)) for text in folded for phrase in _QUOTED.findall(text))
    return TermQuery(
        terms=tuple(dict.fromkeys(named_words)),
        bigrams=tuple(dict.fromkeys(graph for text in folded for graph in list_graphs(text))),
        phrases=tuple(dict.fromkeys(phrase for phrase in phrases if len(phrase) > 1)),
        wording=tuple(dict.fromkeys(gram for text in texts for gram in list_wording(squeeze(text)))),
        repeated=_count_repeated(text_words),
        numbers=_find_numbers(folded, read),
    )


def _count_repeated(text_words: Sequence[Sequence[str]]) -> tuple[tuple[str, int], ...]:
    """Return repeated terms, counted in the text that has each most often.

    Another text may be the same question in other words.
    """
    counts: Counter[str] = Counter()
    for words in text_words:
        counts |= Counter(words)
    return tuple((term, count) for term, count in counts.items() if count > 1)


def _find_numbers(folded: Sequence[str], read: Read) -> tuple[tuple[str, ...], ...]:
    """Return 第45回 and 35議席 as their terms.

    A number with its counter is more specific than both apart.
    """
    numbers = (tuple(read(run))[:NUMBER_TERMS] for text in folded for run in _COUNTED.findall(text))
    return tuple(dict.fromkeys(words for words in numbers if len(words) > 1))


def list_wording(text: str) -> list[str]:
    """Return runs of four characters of a squeezed text that are not plain Latin.

    Particles and endings count here.
    """
    return [
        gram for at in range(len(text) - WORDING + 1) if _JAPANESE.search(gram := text[at : at + WORDING])
    ]


def squeeze(text: str) -> str:
    """Return the text in NFKC without white space, so that words broken at line ends are whole."""
    # Most texts that NFKC changes only contain wide brackets and digits; NFKC alone takes four times as long.
    plain = _WIDE.sub(lambda wide: chr(ord(wide[0]) - 0xFEE0), text)
    plain = unicodedata.normalize("NFKC", plain)
    return plain.replace("\n", "").replace(" ", "").replace("\r", "").replace("\t", "")


def fold(text: str) -> str:
    """Return the text in NFKC with folded case, the form in which terms are compared.

    A lone surrogate becomes a question mark.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    return folded if folded.isascii() else folded.encode("utf-8", "replace").decode()


def split_terms(line: str) -> list[str]:
    """Return the index terms of one folded sentence, in order."""
    if not _JAPANESE.search(line):
        words = [
            _number(word) if word[0].isdigit() else stem(word[:TERM_CHARS])
            for word in _ENGLISH.findall(line)
            if word not in ENGLISH_STOP
        ]
        return words
    latin: list[str] = []

    def dig(word: re.Match[str]) -> str:
        latin.append(word[0][:TERM_CHARS])
        return _HOLE

    holed = _LATIN.sub(dig, line.replace(_HOLE, " "))
    found_words: list[str] = []
    rest = iter(latin)
    for at in range(0, len(holed), PIECE_CHARS):
        _read(holed[at : at + PIECE_CHARS], rest, found_words)
    return found_words


@lru_cache(maxsize=RECENT)
def _list_recent_terms(line: str) -> tuple[str, ...]:
    return tuple(split_terms(line))


def list_pairs(text: str) -> list[str]:
    """Return overlapping character pairs of the runs of kanji, katakana and Hangul."""
    return [run[at : at + 2] for run in _PAIRABLE.findall(text) for at in range(len(run) - 1)]


def list_graphs(text: str) -> list[str]:
    """Return the character pairs, then every single kanji and syllable.

    音速 shares one with 音の速さ.
    """
    return list_pairs(text) + _SINGLE_KANJI.findall(text)


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return the stem of a Latin word, without accents."""
    plain = (
        word
        if word.isascii()
        else "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))
    )
    # Short words are often acronyms: the stem of ABS would be ab.
    return str(_load_stemmer().stemWord(plain)) if len(plain) > 3 else plain


def _number(word: str) -> str:
    return word.replace(",", "")[:TERM_CHARS]


def _read(piece: str, latin: Iterator[str], found_words: list[str]) -> None:
    """Append Sudachi's terms of a piece.

    A dictionary word always has the same term, so its id is looked up once.
    """
    known_kinds = _known
    for token in get_tokenizer().tokenize(piece):
        word = token.word_id()
        if word >= _UNKNOWN:
            found_words.extend(_list_unknown(token, latin))
            continue
        if word in known_kinds:
            term = known_kinds[word]
        else:
            term = _make_term(token)
            known_kinds[word] = term
        if term:
            found_words.append(term)


def _list_unknown(token: Any, latin: Iterator[str]) -> Iterator[str]:
    """Yield the terms of a token that the dictionary lacks.

    Sudachi takes holes and adjacent letters of other scripts for one token.
    """
    if term := _make_term(token):
        yield term
        return
    for at, part in enumerate(token.surface().split(_HOLE)):
        if at:
            yield stem(next(latin))
        yield from (term[:TERM_CHARS] for term in split_foreign_terms(part))


def _make_term(token: Any) -> str:
    """Return the index term of a token; empty if the token has no content."""
    if token.part_of_speech()[0] not in CONTENT:  # ㈱ is (株), which is punctuation in the dictionary
        return token.surface()[1] if _ABBREVIATED.fullmatch(token.surface()) else ""
    term = fold(token.normalized_form()).replace(" ", "_")
    if token.part_of_speech()[1] == "数詞":
        term = term.translate(_NUMERALS)
    if term in GRAMMAR or _DROPPED.fullmatch(term):
        return ""
    if _LATIN.fullmatch(term):
        return stem(term)  # グーグル is google in the dictionary
    return (term[:-1] if _LONG_VOWEL.fullmatch(term) else term)[:TERM_CHARS]


def get_tokenizer() -> Any:
    """Return Sudachi's tokenizer in short units.

    Tokenizers are not thread-safe: one per thread, over one dictionary (200 MB, mapped).
    """
    if not hasattr(_local, "tokenizer"):
        from sudachipy import SplitMode

        with _loading:
            _local.tokenizer = _load_dictionary().create(mode=SplitMode.A)
    return _local.tokenizer


@lru_cache(maxsize=1)
def _load_dictionary() -> Any:
    from sudachipy import Dictionary

    loaded = Dictionary(dict="core")
    release_mapped(DICTIONARY_FILE)  # loading copies the 28 MB that it reads
    return loaded


@lru_cache(maxsize=1)
def _load_stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("english")


def make_pairs(text: str) -> str:
    """Return the character pairs of a passage, separated by spaces (`Analysis.bigrams`)."""
    return " ".join(list_graphs("\n".join(_fold_sentences(text))))


def make_terms(text: str) -> list[str]:
    """Return the index terms of a passage."""
    return [term for line in _fold_sentences(text) for term in split_terms(line)]


def _fold_sentences(text: str) -> list[str]:
    return [fold(fold_text(text[start:end])) for start, end in split_sentences(text)]
