"""Words with the same meaning, for ranking and checking, from lists written by hand.

Words with equal normal forms in the dictionary (スイレン and 睡蓮) are not listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

from shisho.language import compile_lazily, read_words
from shisho.language.normalise import fold_text
from shisho.language.terms import TermQuery, build_query, fold, get_tokenizer, split_terms
from shisho.records import dataclass

# Terms that strengthen the claim of their sentence.
STRONG = read_words(
    "必ず 常に 常 何時も 絶対 全て 総て 全員 全部 一切 凡ゆる あらゆる 唯一 初めて 最初 最大 最小 最高 最低 最も 一番 最古",
    "最新 最多 最少 最長 完全 全 皆 永久 永遠",
    "all everi alway onli never none sole uniqu first largest smallest highest lowest most best worst complet entir must",
    "certain certainli everyon nobodi undoubt exclus oldest biggest",
)
# Words whose absence from a source is irrelevant.
LIGHT = read_words(
    "行う 果たす 遂げる 名 内 うち 間 当たる 事柄 連れる つれる 性質 生じる 際する",
    "事 こと 物 もの 為 場合 時 際 所 人物 点 為る 有る 成る 居る 出来る 此れ 其れ 此の 其の 様 よう 等",
    "そこ 指す 表す 比べる 侭 方 言う 於く 因る 対する 関する 其処 此処 又 更に 尚 因みに 特に 即ち 先ず 次 以下 並び 及び",
    "若しくは 或いは 存在 其々 夫々 其れ其れ 凡そ 約 程 程度 頃 一つ 自体 実際 現在 旨 呼ぶ 種 種類",
    "於ける 故 訳 他 とも つまり 共 共に 何れ 以て 非常 とても 当時 彼 彼女 本 同 ので 事実 既に 最早",
    "もう 言える 結局 丁度 共々 まで state call known say tell becom make use also year includ go get be",
    "thing time new",
)


_NEGATION = compile_lazily(
    r"ない|なかっ|なく(?!と)|なけれ|なし(?:に|で)|ません|ず(?=[、。にはと]|$)|(?<=[かがさたなばまらわ])ぬ|ざる|まい(?=[。、]|$)|可能性(?:が|は|も)低|不可能|無関係|皆無"
    r"|\bnot\b|n't\b|\bno\b|\bnever\b|\bwithout\b|\bneither\b|\bnor\b|\bcannot\b|\bunable\b"
)
# Phrases that look like a negation but are not, and double negations.
_NO_NEGATION = compile_lazily(
    r"(?:なければ|なくては|ないと|ねば)(?:なら|いけ)(?:ない|ません|なかった|ず|なく)|だけで(?:は)?なく|のみならず|に(?:違い|ちがい)ない|かもしれ(?:ない|ません)"
    r"|少なく(?:と|ない)|少ない|(?:ほか|他|しか)(?:は)?ない|ないことはない|ないわけではない|必ず|まず|わず(?:か|に)|はず|ずつ|思わず|相変わらず"
    r"|にもかかわらず|に関わらず|を問わず|幼い|危ない|つまらない|なくな"
    r"|\bnot only\b|\bno doubt\b"
)


def count_negations(clause: str) -> int:
    """Return the number of negations in a clause."""
    return len(_NEGATION.findall(_NO_NEGATION.sub("", fold(clause))))


def is_negated(clause: str) -> bool:
    """Return whether a clause has an odd number of negations: two affirm."""
    return count_negations(clause) % 2 == 1


# Without find and leave: found and left are more often words of their own.
IRREGULAR_VERBS = (
    "begin began begun;bring brought;build built;buy bought;catch caught;choose chose chosen;come came;draw drew drawn;"
    "drive drove driven;eat ate eaten;fall fell fallen;feel felt;fight fought;fly flew flown;get got gotten;give gave given;"
    "go went gone;grow grew grown;hold held;keep kept;know knew known;lead led;lend lent;lose lost;make made;mean meant;"
    "meet met;pay paid;rise rose risen;run ran;say said;see saw seen;sell sold;send sent;shake shook shaken;"
    "show shown;sing sang sung;sink sank sunk;sit sat;sleep slept;speak spoke spoken;spend spent;spring sprang sprung;"
    "stand stood;steal stole stolen;strike struck;swim swam swum;take took taken;teach taught;tell told;think thought;"
    "throw threw thrown;understand understood;wear wore worn;win won;write wrote written;break broke broken;hide hid hidden;"
    "freeze froze frozen;forget forgot forgotten;become became;overdraw overdrew overdrawn;withdraw withdrew withdrawn"
)


_WITHOUT = frozenset({"固有名詞", "数詞", "助数詞可能"})
NONE = frozenset[int]()


@lru_cache(maxsize=50_000)
def find_synonym_groups(word: str) -> frozenset[int]:
    """Return the dictionary's groups of a word; none if it is not a single word there.

    The word is in its normal form.
    """
    if word.isascii():
        return NONE
    tokens = list(get_tokenizer().tokenize(word, mode=_compile_whole_words()))
    if len(tokens) != 1 or _WITHOUT.intersection(tokens[0].part_of_speech()):
        return NONE
    return frozenset(tokens[0].synonym_group_ids())


@lru_cache(maxsize=1)
def _compile_whole_words() -> Any:
    from sudachipy import SplitMode

    return SplitMode.C


_NONE = frozenset[int]()


@lru_cache(maxsize=1)
def read_same_words() -> WordGroups:
    return group_words(read_list("same_words"))


@lru_cache(maxsize=1)
def read_near_words() -> WordGroups:
    verbs = ([(stem,) for stem in split_terms(forms)] for forms in IRREGULAR_VERBS.split(";"))
    return group_words([*read_list("near_words"), *verbs])


def mean_same(first: str, other: str) -> bool:
    """Return whether two terms mean the same here.

    They are equal, in one group of this list or of the dictionary, a verb and the noun made from its kanji,
    or a Latin word and its reading.
    """
    return _are_alike(_describe(first), _describe(other))


@lru_cache(maxsize=100_000)
def is_same_word(first: str, other: str) -> bool:
    """Return whether two terms are interchangeable.

    They are equal, in one group of the list of same words, a verb and the noun made from its kanji, or a
    Latin word and its reading.
    """
    if first == other:
        return True
    groups = read_same_words().of
    if not groups.get(first, _NONE).isdisjoint(groups.get(other, _NONE)):
        return True
    if (first in STRONG) != (other in STRONG):
        return False
    if _has_common_kanji(first, other) or _has_common_kanji(other, first):
        return True
    return _is_reading(first, other) or _is_reading(other, first)


def find_same(term: str, words: Iterable[str]) -> frozenset[str]:
    """Return the words that mean the same as the term, as defined by `mean_same`."""
    sought = _describe(term)
    return frozenset(word for word in words if _are_alike(sought, _describe(word)))


class _Word(NamedTuple):
    """A term, and the features by which it is compared.

    `same` and `near` are its groups in the lists; the form of the term decides which comparisons apply.
    """

    term: str
    same: frozenset[int]
    near: frozenset[tuple[str, int]]
    is_strong: bool
    is_katakana: bool
    is_latin: bool
    is_verb: bool
    is_pair: bool


@lru_cache(maxsize=100_000)
def _describe(term: str) -> _Word:
    near = {("near", group) for group in read_near_words().of.get(term, _NONE)}
    return _Word(
        term,
        read_same_words().of.get(term, _NONE),
        frozenset(near.union(("dictionary", group) for group in find_synonym_groups(term))),
        term in STRONG,
        _KATAKANA.fullmatch(term) is not None,
        _LATIN.fullmatch(term) is not None,
        _VERB.fullmatch(term) is not None,
        _PAIR.fullmatch(term) is not None,
    )


def _are_alike(first: _Word, other: _Word) -> bool:
    if first.term == other.term or not first.same.isdisjoint(other.same):
        return True
    if first.is_strong != other.is_strong:
        return False
    if not first.near.isdisjoint(other.near):
        return True
    if (first.is_verb and other.is_pair) or (first.is_katakana and other.is_latin):
        return _has_common_kanji(first.term, other.term) or _is_reading(first.term, other.term)
    if (other.is_verb and first.is_pair) or (other.is_katakana and first.is_latin):
        return _has_common_kanji(other.term, first.term) or _is_reading(other.term, first.term)
    return False


def _is_reading(katakana: str, word: str) -> bool:
    """Return whether they match by the dictionary's readings: シルバー and Silver."""
    if not (_KATAKANA.fullmatch(katakana) and _LATIN.fullmatch(word)):
        return False
    return katakana.translate(_LONG) in _list_readings(word)


@lru_cache(maxsize=20_000)
def _list_readings(stem: str) -> frozenset[str]:
    """Return the readings of a Latin term, and of its possible words (cooki of cookie).

    Long vowels are removed.
    """
    words = {stem, f"{stem}e", f"{stem[:-1]}y" if stem.endswith("i") else stem}
    tokens = (get_tokenizer().tokenize(word) for word in words)
    readings = (word_tokens[0].reading_form() for word_tokens in tokens if len(word_tokens) == 1)
    return frozenset(reading.translate(_LONG) for reading in readings if _KATAKANA.fullmatch(reading))


_KATAKANA = compile_lazily(r"[ァ-ヶー]{3,}")
_LATIN = compile_lazily(r"[a-z]{3,}")
_LONG = str.maketrans("", "", "ー・")
_VERB = compile_lazily(r"([一-鿿])[ぁ-ん]{1,3}")
_PAIR = compile_lazily(r"[一-鿿]{2}")
_OTHER = ("電話", "解雇", "否認")  # not 話す, and the opposites of 雇う and 認める


@lru_cache(maxsize=20_000)
def _has_common_kanji(verb: str, noun: str) -> bool:
    """Return whether a verb and a noun share a kanji: 増える and 増加, 建てる and 建設.

    The noun must be one that forms a verb with する.
    """
    match = _VERB.fullmatch(verb)
    # 興行 is not 行う, nor 形成 成る.
    if match is None or verb in LIGHT or not _PAIR.fullmatch(noun) or match[1] not in noun or noun in _OTHER:
        return False
    return any("サ変" in token.part_of_speech()[2] for token in get_tokenizer().tokenize(noun))


_NEGATING = ("un", "in", "im", "ir", "non", "dis", "非", "不", "無", "未")


@lru_cache(maxsize=100_000)
def are_opposite(first: str, other: str) -> bool:
    """Return whether two terms are listed as opposites, or one is the other with a negating prefix."""
    pairs = ((first, other), (other, first))
    if any(longer == prefix + shorter for longer, shorter in pairs for prefix in _NEGATING):
        return True
    sides = _read_opposites()
    return not sides.get(first, frozenset()).isdisjoint(-side for side in sides.get(other, frozenset()))


@lru_cache(maxsize=1)
def _read_opposites() -> dict[str, frozenset[int]]:
    """Return the sides of the listed pairs on which each term stands: line 3 has the sides 3 and -3."""
    sides: dict[str, set[int]] = {}
    lines = files("shisho.language.lists").joinpath("opposite_words.txt").read_text("utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        if not line.startswith("#"):
            for sign, side in zip((1, -1), line.split("|"), strict=True):
                for word in side.split():
                    for term in split_terms(fold(word)) or [word]:
                        sides.setdefault(term, set()).add(sign * number)
    return {term: frozenset(numbers) for term, numbers in sides.items()}


Word = tuple[str, ...]
"""The index terms of a listed word; most have one."""


@dataclass(frozen=True, slots=True)
class WordGroups:
    """Groups of synonymous words.

    `of`: the numbers of the groups of each word, its terms joined. `words`: the words of each group.
    """

    of: Mapping[str, frozenset[int]]
    words: Sequence[Sequence[Word]]


def group_words(groups: Sequence[Sequence[Word]]) -> WordGroups:
    numbers: dict[str, set[int]] = {}
    for number, group in enumerate(groups):
        for word in group:
            name = "".join(word) if word[1:] else word[0]
            numbers.setdefault(name, set()).add(number)
    return WordGroups({name: frozenset(of) for name, of in numbers.items()}, groups)


def read_list(name: str) -> list[list[Word]]:
    """Return the lines of a file in language/lists.

    The file contains the results of `split_terms` (在宅+勤務, citi+centr): analysing so many words would
    delay the first question by half a second.
    """
    lines = files("shisho.language").joinpath("lists", f"{name}.txt").read_text("utf-8").splitlines()
    return [
        [(*word.split("+"),) for word in line.split()] if "+" in line else [(word,) for word in line.split()]
        for line in lines
    ]


MAX_TERMS = 40  # of a query that gets synonyms, ten each: a longer one has enough words of its own
_NO_GROUPS = frozenset[int]()


@lru_cache(maxsize=20_000)
def list_synonyms(term: str) -> tuple[Word, ...]:
    """Return the other words in the groups of a term, or of joined terms."""
    found = (
        word
        for groups in (read_same_words(), read_near_words())
        for number in sorted(groups.of.get(term, _NO_GROUPS))
        for word in groups.words[number]
    )
    return tuple(word for word in dict.fromkeys(found) if "".join(word) != term)


@lru_cache(maxsize=20_000)
def join_synonyms(term: str) -> frozenset[str]:
    """Return `list_synonyms` with the terms of each word joined."""
    return frozenset(map("".join, list_synonyms(term)))


@lru_cache(maxsize=1)
def _read_long_words() -> Mapping[str, Sequence[Word]]:
    """Return the listed words of several terms, by their first term."""
    found: dict[str, dict[Word, None]] = {}
    for words in (*read_same_words().words, *read_near_words().words):
        for word in words:
            if word[1:]:
                found.setdefault(word[0], {})[word] = None
    return {first: tuple(words) for first, words in found.items()}


def find_long_words(words: Sequence[str]) -> list[Word]:
    """Return the listed words of several terms (在宅勤務) that occur in a row of terms."""
    by_first = _read_long_words()
    return [
        word
        for at, first in enumerate(words)
        for word in by_first.get(first, ())
        if tuple(words[at : at + len(word)]) == word
    ]


def add_synonyms(query: TermQuery) -> TermQuery:
    """Return the query with synonyms of its terms, unless it is long."""
    if len(query.terms) > MAX_TERMS:
        return query
    synonyms = {term: dict.fromkeys(list_synonyms(term)) for term in query.terms}
    for word in find_long_words(query.terms):
        for term in word:
            synonyms[term].update(dict.fromkeys(list_synonyms("".join(word))))
    return replace(query, synonyms={term: tuple(words) for term, words in synonyms.items() if words})


def has_synonyms(texts: Sequence[str]) -> bool:
    """Return whether a query of these texts has words with listed synonyms."""
    return bool(add_synonyms(build_query([fold_text(text) for text in texts], split_terms)).synonyms)
