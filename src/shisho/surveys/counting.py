"""Count the documents that mention a topic.

Its words must be adjacent terms in a sentence or heading.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from shisho.domain.corpus import Passage, TermVector
from shisho.language.meanings import Word, read_same_words
from shisho.language.sentences import split_sentences
from shisho.language.terms import fold, split_terms
from shisho.language.vectors import TERM_BYTES, encode_term
from shisho.records import dataclass

Say = Callable[..., str]

MAX_FORMS = 4  # of a word that are listed: roof, roofs
# Words of a question about documents other than its topic.
_GENERIC_WORDS = (
    "document file paper list show find name all every each many count mention contain about discuss please "
    "文書 資料 書類 ファイル 一覧 すべて 全部 何 件 触れる 関する 含む 書く 教える 挙げる 見せる どれ"
)
_AND = re.compile(r"(?<!\s)\s++(?:and|as well as)\s+|」と「", re.IGNORECASE)
_ARTICLE = re.compile(r"^\s*(?:the|an?)\s+", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class SoughtWord:
    """A topic that a document must mention.

    `terms` must be adjacent; each of `synonyms` can replace all of them.
    """

    text: str
    terms: Word
    synonyms: tuple[Word, ...]


def read_topic(topic: str, *, is_question: bool = False) -> tuple[SoughtWord, ...]:
    """Return the topics that a document must all mention; empty if the text has no words.

    For a whole question, words that ask for documents are omitted.
    """
    parts = [_ARTICLE.sub("", part).strip("「」 ") for part in _AND.split(topic)]
    if is_question:
        generic_terms = frozenset(split_terms(_GENERIC_WORDS))
        parts = [
            " ".join(term for term in split_terms(fold(part)) if term not in generic_terms) for part in parts
        ]
    matches = {part: tuple(split_terms(fold(part))) for part in parts}
    return tuple(SoughtWord(part, word, _list_synonyms(word)) for part, word in matches.items() if word)


def _list_synonyms(word: Word) -> tuple[Word, ...]:
    groups = read_same_words()
    numbers = sorted(groups.of.get("".join(word), ()))
    return tuple(
        dict.fromkeys(other for number in numbers for other in groups.words[number] if other != word)
    )


def count_mentions(vector: TermVector, phrase: Word) -> int:
    """Count the adjacent occurrences of the terms in a passage's text.

    1 if they are only in its heading.
    """
    sought = b"".join(map(encode_term, phrase))
    inside = sum(1 for _ in _find_codes(vector.terms, sought))
    return inside or int(any(_find_codes(vector.heading, sought)))


def _find_codes(codes: bytes, sought: bytes) -> Iterator[bool]:
    at = codes.find(sought)
    while at >= 0:
        if at % TERM_BYTES == 0:
            yield True
        at = codes.find(sought, at + 1)


def choose_sentence(passage: Passage, phrases: Sequence[Word]) -> tuple[int, int]:
    """Return the span of the sentence with the most phrases.

    Ties prefer text to headings, then the first.

    If only the heading of the passage has them, the first sentence.
    """

    def score(span: tuple[int, int]) -> tuple[int, bool]:
        text = passage.text[slice(*span)]
        words = split_terms(fold(text))
        matching = sum(_has_phrase(words, phrase) for phrase in phrases)
        return matching, not passage.heading.endswith(text.lstrip("# ").strip())

    return max(split_sentences(passage.text), key=score, default=(0, len(passage.text)))


def _has_phrase(words: Sequence[str], phrase: Word) -> bool:
    return any(tuple(words[at : at + len(phrase)]) == phrase for at in range(len(words)))


def list_forms(texts: Iterable[str], word: SoughtWord, others: Sequence[Word]) -> list[str]:
    """Return the written forms in these texts that match a word: roofs for roof.

    Japanese by its terms.
    """
    matches: dict[str, None] = {}
    for text in texts:
        words = split_terms(fold(text))
        joined = {"".join(other): other for other in others if _has_phrase(words, other)}
        matches |= dict.fromkeys(name for name in joined if not name.isascii() and joined[name] != word.terms)
        forms = [form for form in _WORD.findall(text.casefold()) if form.isascii()]
        matches |= dict.fromkeys(form for form in forms if tuple(split_terms(form)) in others)
    return [form for form in matches if form != word.text.casefold()][:MAX_FORMS]


def name_words(words: Sequence[str], others: Sequence[str], say: Say) -> str:
    """Format words for display: “roof” (or “roofs”), or several words that are all required."""
    quoted_words = say("survey_and").join(say("answer_quote", text=text) for text in words)
    forms = say("answer_comma").join(say("answer_quote", text=text) for text in others)
    return say("survey_forms", words=quoted_words, forms=forms) if forms else quoted_words


def count_documents(
    count: int, of_all: int, words: str, noun: str, are_together: bool, say: Say
) -> list[str]:
    """Return the lines that say how many documents contain the words.

    `of_all`: the count for any kind of document. `are_together`: the words are in one passage, but not
    adjacent.
    """
    if not of_all:
        return [say("survey_contain_none", words=words)]
    if are_together:
        return [say("survey_together", words=words, count=of_all)]
    if noun and count:
        return [say("survey_called", count=count, all=of_all, words=words, noun=noun)]
    number = "one" if of_all == 1 else "many"
    lines = [say(f"survey_contain_{number}", count=of_all, words=words)]
    return [*lines, say("survey_called_none", noun=noun)] if noun else lines
