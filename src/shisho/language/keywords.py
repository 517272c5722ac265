"""Turn a question into web search keywords: whole nouns, and verbs in dictionary form."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

from shisho.language import compile_lazily
from shisho.language.asking import is_asking_term, strip_asking
from shisho.language.terms import ENGLISH_STOP, GRAMMAR, fold, get_tokenizer, split_terms, stem
from shisho.records import dataclass

MAX_CHARS = 2_000
_JAPANESE = compile_lazily(r"[ぁ-んァ-ヺ一-鿿々]")
# Text kept whole: quoted parts, and C++ and C#, whose signs Sudachi takes for punctuation.
_WHOLE = compile_lazily(r"[「『“\"]([^」』”\"]{2,60})[」』”\"]|([A-Za-z]+(?:\+\+|#))")
_KATAKANA = compile_lazily(r"[ァ-ヺー]+")
_WHY = compile_lazily(r"なぜ|何故|どうして|なんで")
_WORD = compile_lazily(r"[^\W_]+(?:['’.+#-][^\W_]+)*")
_NOMINAL = frozenset({"名詞", "接頭辞", "接尾辞", "形状詞", "記号"})
_NO_THINGS = frozenset({"形状詞可能", "助数詞可能"})  # 必要, 3年
_VERBAL = frozenset({"動詞", "形容詞"})
_WHICH = frozenset({"何", "どの", "どんな"})  # with the noun after them: 何席, どの国
_ASKED = GRAMMAR | frozenset("なさる 為さる 呼ぶ 知る 説明 述べる 意味".split())  # noqa: SIM905
_FORMAL = GRAMMAR | {"時"}  # nouns of grammar: 0のとき決定係数は, 為, 事
_ENGLISH_ASKED = (ENGLISH_STOP - {"why"}) | frozenset(
    "may mean means called name about".split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class Keyword:
    """A keyword of a question.

    `noun`: a compound, name or number; otherwise a verb or adjective. `quoted`: to be matched literally.
    """

    text: str
    noun: bool = True
    quoted: bool = False


def find_keywords(question: str) -> list[Keyword]:
    """Return the distinct keywords in the order of the question; none if it only asks."""
    text = " ".join(unicodedata.normalize("NFKC", question).split())[:MAX_CHARS]
    found_keywords: dict[str, Keyword] = {}
    for keyword in _read(text):
        found_keywords.setdefault(fold(keyword.text), keyword)
    if found_keywords and _WHY.search(text):
        found_keywords.setdefault("理由", Keyword("理由"))
    return list(found_keywords.values())


def count_nouns(text: str) -> int:
    """Return the number of things that a text names.

    It is 0 for 「なぜ必要なのですか」. In English, all terms count.
    """
    if text.isascii():
        return sum(not is_asking_term(term) for term in split_terms(fold(strip_asking(text))))
    tokens = list(get_tokenizer().tokenize(text))
    forms = [fold(token.normalized_form()) for token in tokens]
    nouns = [
        form
        for token, form, verb in zip(tokens, forms, [*forms[1:], ""], strict=True)
        if _is_name(token, verb)
    ]
    return sum(form not in GRAMMAR and not is_asking_term(form) for form in nouns)


def _is_name(token: Any, following: str) -> bool:
    kind = token.part_of_speech()
    is_verb = kind[2].startswith("サ変") and following == "為る"
    return kind[0] == "名詞" and kind[1] != "数詞" and kind[2] not in _NO_THINGS and not is_verb


def _read(text: str) -> Iterator[Keyword]:
    at = 0
    for whole in _WHOLE.finditer(text):
        yield from _find_plain(text[at : whole.start()])
        yield Keyword(whole[1], quoted=True) if whole[1] else Keyword(whole[2])
        at = whole.end()
    yield from _find_plain(text[at:])


def _find_plain(text: str) -> Iterator[Keyword]:
    if _JAPANESE.search(text):
        yield from _find_japanese(text)
    else:
        yield from (Keyword(word) for word in _WORD.findall(text) if not _is_asking(fold(word)))


def _is_asking(word: str) -> bool:
    return word in _ENGLISH_ASKED or is_asking_term(stem(word))


def _find_japanese(text: str) -> Iterator[Keyword]:
    """Yield the keywords of Japanese text.

    Neighbouring nouns are one word. A verb or adjective is a word of its own, or with its suffix (重さ) the
    beginning of a noun.
    """
    morphemes: list[Any] = []
    tokens = list(get_tokenizer().tokenize(text))
    for at, token in enumerate(tokens):
        kind = token.part_of_speech()[0]
        nominal = _is_nominal(token)
        form = fold(token.normalized_form())
        joined = morphemes and morphemes[-1].end() == token.begin()
        if joined and _is_binding(tokens, at):
            morphemes.append(token)
            continue
        compound = joined and (_is_noun(morphemes) or kind == "接尾辞" or _is_stem(morphemes[-1]))
        if not (nominal and compound) or form in _FORMAL:
            yield from _join_tokens(morphemes)
            morphemes = []
        if (nominal or kind in _VERBAL or form in _WHICH) and form not in _FORMAL:
            morphemes.append(token)
    yield from _join_tokens(morphemes)


def _is_binding(tokens: Sequence[Any], at: int) -> bool:
    """Return whether a token that is not a noun belongs to a name.

    It is between two nouns, without a gap. It is in katakana (ヶ, ノ), which nobody uses for grammar, or a
    verb stem that forms the next noun (鐘撞き堂).
    """
    if not 0 < at < len(tokens) - 1:
        return False
    before, token, after = tokens[at - 1 : at + 2]
    nouns = _is_nominal(before) and _is_nominal(after)
    if not nouns or token.end() != after.begin() or _is_nominal(token):
        return False
    return bool(_KATAKANA.fullmatch(token.surface())) or (
        _is_stem(token) and fold(token.normalized_form()) not in GRAMMAR
    )


def _is_nominal(token: Any) -> bool:
    """Return whether a token can be part of a noun.

    Sudachi treats letters of scripts that it does not know (𠮷, 한국어) as signs.
    """
    kind = token.part_of_speech()[0]
    return kind in _NOMINAL or (kind == "補助記号" and token.is_oov() and token.surface().isalpha())


def _is_stem(token: Any) -> bool:
    """Return whether a verb or adjective is in the form that makes compounds (流れ橋, 高窓).

    Before a noun it does not end a sentence.
    """
    speech = token.part_of_speech()
    return speech[0] in _VERBAL and speech[5].startswith(("連用形-一般", "語幹"))


def _is_noun(tokens: list[Any]) -> bool:
    return len(tokens) > 1 or tokens[0].part_of_speech()[0] not in _VERBAL


def _join_tokens(tokens: list[Any]) -> Iterator[Keyword]:
    """Yield the tokens as one word, unless they ask or have no content.

    A thing counted or classified by 何 is not known yet.
    """
    forms = [fold(token.normalized_form()) for token in tokens]
    if all(form in _ASKED for form in forms) or any(map(is_asking_term, forms)):
        return
    if not _is_noun(tokens):
        yield Keyword(tokens[0].dictionary_form(), noun=False)
    elif any(map(str.isalnum, text := "".join(token.surface() for token in tokens))):
        yield Keyword(text)
