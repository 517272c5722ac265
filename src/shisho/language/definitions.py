"""Defining sentences, found by their form.

For example 「X」とは…をいう, "X is a …", an entry of a glossary, and the first sentence under a heading.
Pure.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import chain

from shisho.language import compile_lazily, read_words
from shisho.records import dataclass

MAX_CHARACTERS = 40  # of a name
MAX_WORDS = 5
MIN_DEFINITION_CHARS = 12  # characters of a sentence that can define something
MAX_READ = 600


_NAME = (
    r"(?:[一-鿿々〆ヶァ-ヺー・A-Za-z0-9&/+#.<>_-]|(?<=\S)の(?=[一-鿿ァ-ヺA-Za-z])"
    r"|(?<=\S) (?=[A-Za-z<一-鿿ァ-ヺ]))"
)
_MARK = r"[\W_]{0,3}"
_OPEN = r"[「『\"]"
_CLOSE = r"[」』\"]"
_QUOTED = r"[^「」『』\"]{1,40}"
_BESIDE = r"(?:\s?\((?P<beside>[^()]{1,60})\))?"
_TOWA_NOTHING = (
    r"(?!限ら|異な|違|別|言|い[いえっ]|思え|関係|無関係|対照|逆|一致|反対|"
    r"何|なに|なん|どの|どう|どん|一体|な[らりっ]|し|さ)"
)
# 「この法律で「情報成果物作成委託」とは、…をいう」
_TOWA_QUOTED = compile_lazily(
    rf"(?:^|、|で|では|において|に){_MARK}{_OPEN}(?P<name>{_QUOTED}){_CLOSE}{_BESIDE}\s?とは、?{_TOWA_NOTHING}.{{6,}}$"
)
# 「産業投資とは、…です」
_TOWA = compile_lazily(
    rf"(?:^|、){_MARK}(?P<name>{_NAME}{{1,40}}){_BESIDE}\s?とは"
    rf"(?=、|.{{6,}}(?:です|である|をいう|をいいます|のこと)。?$)、?{_TOWA_NOTHING}.{{6,}}$"
)
# 「…を「素性」と呼ぶ」「これを リアクティブエフェクト(Reactive Effect) と呼びます」
_YOBU = compile_lazily(
    rf"[をはが][、\s]?(?:{_OPEN}(?P<quoted>{_QUOTED}){_CLOSE}|(?P<name>{_NAME}{{2,40}})){_BESIDE}\s?"
    r"と(?:呼[ぶびばん]|称[すさし]|名付け|定義(?:する|します|され))"
)
_TO_IU = compile_lazily(
    rf"を[、\s]?(?:{_OPEN}(?P<quoted>{_QUOTED}){_CLOSE}|(?P<name>[一-鿿ァ-ヺー]{{2,12}}))\s?"
    r"と(?:い(?:う|います)|言(?:う|います))[。)]?$"
)
# 「一つのときを単回帰、二つ以上のときを重回帰という」
_PARALLEL = compile_lazily(rf"を{_OPEN}?(?P<name>{_NAME}{{2,20}}?){_CLOSE}?{_BESIDE}、")
# 「適合率(precision)は…」: a name with a translation in brackets is new to the reader.
_GLOSS = compile_lazily(
    rf"^{_MARK}(?P<name>[一-鿿ァ-ヺー・]{{2,20}})\s?"
    r"\((?P<beside>[A-Za-z][A-Za-z -]{2,40})(?:[、,][^()]{1,30})?\)\s?(?:は|とは|が)"
)
_FIRST_WA = compile_lazily(
    rf"^{_MARK}{_OPEN}?(?P<name>{_NAME}{{1,40}}?){_CLOSE}?>?{_BESIDE}\s?(?:とは|は|というのは)[、,\s]?(?=.{{6}})"
)
_NO_STATEMENT = compile_lazily(r"(?:[?？]|ですか|でしょうか|ますか|のか)[。」]?$")
_STATES = compile_lazily(
    r"(?:です|である|であり|もの|こと|をいう|をいいます|を指し?ます?|を指す|の一つ|方法|機能|仕組み)[。.]?$"
)
_NO_NAME = read_words(
    "since although because though unless until after before said says saying both many most any every whether than this"
    " that it there these those he she we they you i here what which who how if when while where why one another each his"
    " her its my our your their no some all such for in on at to and but so as by with from not then also only note"
    " following below above"
)
_WORDS = r"[A-Za-z][\w/+#'.-]*(?: [\w/+#'-]+){0,4}?"
# "An encoder is a device …", "Inspired by Cargo, a workspace is a …"
_IS_A = compile_lazily(
    rf"(?:^\W{{0,3}}(?P<article>an? |the )?|, an? )\W{{0,2}}(?P<name>{_WORDS})\W{{0,2}}?"
    r"(?: \((?P<beside>[^()]{1,40})\))?(?:,[^,]{1,60},)? (?:is|are) "
    r"(?:(?:basically|essentially|simply|just|formally) )?(?P<what>\"?an? |the |one of |any )(?=.{8})",
    re.IGNORECASE,
)
_MEANS = compile_lazily(
    rf"^\W{{0,3}}(?:an? |the )?\"?(?P<name>{_WORDS})\"?{_BESIDE}"
    r" (?:means|refers to|denotes|is defined as|are defined as|stands for|is short for) (?=.{8})",
    re.IGNORECASE,
)
_ENTRY = compile_lazily(
    r"^[^\w「]{0,4}(?P<name>[^\s:：\t、。()][^:：\t。()]{0,39}?)\*{0,2}(?:\s?\((?P<beside>[^()]{1,60})\))?"
    r"\*{0,2}\s?(?:[:：\t—–]|\s-\s)\s?\*{0,2}.{8,}$"
)
# 「誤差 モデルの中の確率変数」: an item in a list of terms.
_SPACED_ENTRY = compile_lazily(r"^(?P<name>[一-鿿ァ-ヺー・々]{2,20})(?P<beside>)\s[^\s].{5,}$")
_GLOSSARY = compile_lazily(
    r"glossar|terminolog|definitions?\b|\bterms\b|abbreviation|用語|定義|略語", re.IGNORECASE
)
_NO_ENTRY = compile_lazily(r"https?$|[をがは]|//")
_NO_TERM = read_words(
    "overview introduction configuration note notes summary example examples usage details reference references background"
    " contents はじめに 概要 目次 参考 参考情報 詳細 型 まとめ 例 注 注意 備考 その他 背景 目的"
)
_UNDERLINE = compile_lazily(r"^([^\n]{2,80})\n([=~^\"'`*+#-])\2{2,}[^\S\n]*$", re.MULTILINE)
_MARKUP = compile_lazily(r"^(?:\.\.|:\w|\||[-*_]{3,}|\{|\[)|[=~^-]{5,}")
_SEVERAL = compile_lazily(r"[、,;]\s?|(?:とも(?:いう|呼ばれる|呼ぶ)|または|又は|\bor\b|\balso\b)")
_ANCHOR = compile_lazily(r"(?<!\s)\s*+\{#[^}]{0,80}\}|(?<![¶#])[¶#]++$|`++|\*++")
_NUMBER = compile_lazily(r"^(?:第?[0-9]+(?:[.-][0-9]+)*(?:[章節条項.)、]|\s)|[IVX]+\.|\([0-9a-z]{1,2}\))\s*")
_NOTE_NUMBER = compile_lazily(r"(?<=[ぁ-んァ-ヺー一-鿿])[0-9]{1,2}$")
_QUESTION = compile_lazily(
    r"^(?:what(?:'s| is| are)(?: an?| the)? (?P<english>.+?)\??|(?P<japanese>.+?)(?:とは|って)(?:何|なに)?(?:です)?か?[?？]?)$",
    re.IGNORECASE,
)
_INDEFINITE = compile_lazily(r"\W?(?:an?|any)\b", re.IGNORECASE)
_ARTICLE = compile_lazily(r"^(?:an?|the) ", re.IGNORECASE)
_HEADING = compile_lazily(r"^(?P<name>[^()]{1,40}?)\s?\((?P<beside>[^()]{1,40})\)$")


@dataclass(frozen=True, slots=True)
class Definition:
    """A name that a sentence defines.

    `is_stated`: its wording states the definition; otherwise it is only the first sentence under a heading of
    that name. `sentence`: its number.
    """

    name: str
    sentence: int
    is_stated: bool


def find_definitions(
    text: str,
    sentences: Sequence[tuple[int, int]],
    folded: Sequence[str],
    headings_over: Sequence[str],
    *,
    is_first: bool,
) -> list[Definition]:
    """Return the definitions in a passage of prose or rows under a path of headings.

    `sentences` are their spans, `folded` their folded texts. `is_first`: the passage directly follows the
    last heading.
    """
    heading = headings_over[-1] if headings_over else ""
    is_glossary = any(map(_GLOSSARY.search, headings_over))
    headings = {0: _read_heading(heading)} if is_first else {}
    starts = [start for start, _ in sentences]
    for underlined in _UNDERLINE.finditer(text):
        below = range(bisect_left(starts, underlined.end()), len(folded))
        if at := next((at for at in below if not _MARKUP.search(folded[at])), 0):
            headings[at] = _read_heading(underlined[1])
    names_over = {name.casefold() for name in (*_read_heading(heading), *chain(*headings.values()))}
    definitions: dict[tuple[str, int], Definition] = {}
    for at, sentence in enumerate(folded):
        if len(sentence) > MAX_READ or _NO_STATEMENT.search(sentence):
            continue
        statements = [*_read_statements(sentence, names_over, at in headings)]
        if is_glossary:
            statements += _read_entry(sentence)
        names = [(part, True) for name in statements for part in _SEVERAL.split(name)]
        if len(sentence) >= MIN_DEFINITION_CHARS and not _MARKUP.search(sentence):
            names += [(name, False) for name in headings.get(at, ())]
        for name, is_stated in names:
            if plain := _clean(name):
                definitions.setdefault((plain.casefold(), at), Definition(plain, at, is_stated))
    return [*definitions.values()]


def _read_entry(sentence: str) -> list[str]:
    """Return the names of an entry in a list of terms."""
    entry = _ENTRY.match(sentence) or _SPACED_ENTRY.match(sentence)
    if entry is None or _NO_ENTRY.search(entry["name"]):
        return []
    return [entry["name"], entry["beside"] or ""]


def _read_statements(sentence: str, names_over: set[str], is_first: bool) -> Iterator[str]:
    """Yield the names that the sentence itself defines."""
    if "と" in sentence or "は" in sentence or "が" in sentence:
        yield from _read_japanese(sentence, names_over, is_first)
    if " " in sentence:
        yield from _read_english(sentence, names_over, is_first)


def _read_japanese(sentence: str, names_over: set[str], is_first: bool) -> Iterator[str]:
    forms = (_TOWA_QUOTED, _TOWA) if "とは" in sentence else ()
    matches = [match for form in forms for match in form.finditer(sentence)]
    calls = [match for form in (_YOBU, _TO_IU) for match in form.finditer(sentence)]
    if calls:
        matches += [*calls, *_PARALLEL.finditer(sentence, 0, calls[0].start())]
    if gloss := _GLOSS.match(sentence):
        matches.append(gloss)
    for match in matches:
        groups = match.groupdict()
        yield from (groups.get("quoted") or groups["name"], groups.get("beside") or "")
    first = _FIRST_WA.match(sentence) if is_first or _STATES.search(sentence) else None
    if first and _clean(first["name"]).casefold() in names_over:
        yield first["name"]


def _read_english(sentence: str, names_over: set[str], is_first: bool) -> Iterator[str]:
    for match in (*_IS_A.finditer(sentence), *_MEANS.finditer(sentence)):
        groups = match.groupdict()
        words = match["name"].casefold().split()
        is_over = is_first or _clean(match["name"]).casefold() in names_over
        is_loose = "what" in groups and not _INDEFINITE.match(groups["article"] or groups["what"])
        if words[0] not in _NO_NAME and "that" not in words and (is_over or not is_loose):
            yield from (match["name"], match["beside"] or "")


def _read_heading(heading: str) -> list[str]:
    """Return the names in a heading.

    Both names in 「スロット(slot)」, and the thing in "What is slicing?".
    """
    plain = _NUMBER.sub("", _ANCHOR.sub("", heading).strip()).strip(" :：.。")
    if question := _QUESTION.match(plain):
        plain = question["english"] or question["japanese"]
    both = _HEADING.match(plain)
    names = [both["name"], both["beside"]] if both else [plain]
    return [name for name in map(_clean, names) if name and not _NO_ENTRY.search(name)]


def _clean(name: str) -> str:
    """Return a name without article and marks; empty if it is not a name."""
    plain = _ARTICLE.sub("", _ANCHOR.sub("", name).strip(" 「」『』\"'<>・•●–—-_:：")).strip()
    plain = _NOTE_NUMBER.sub("", plain)
    words = plain.split()
    if not 1 < len(plain) <= MAX_CHARACTERS or len(words) > MAX_WORDS or plain.isdigit():
        return ""
    if plain.casefold() in _NO_TERM or "'s " in plain:
        return ""
    return " ".join(words)
