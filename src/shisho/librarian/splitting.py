"""Read how a question stands in its conversation, and split it into parts.

A question is prefixed with the earlier one that it clearly refers back to; the two are not merged into one
sentence. Parts are numbered items, sentences with a question each, full questions between commas, and
alternatives that are compared or asked about separately. Brackets, quotation marks and words are never split.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from shisho.language import answer_language, compile_lazily
from shisho.language.asking import is_asking_term, strip_asking
from shisho.language.keywords import count_nouns
from shisho.language.terms import fold, split_terms

JOINT = " → "  # between an earlier question and the one that refers back to it
MAX_EARLIER = 2  # questions of the prefix: the last ones of a long chain
FEW = 2  # words of “are there any fees?”, which does not say what the fees are for
_POINTING = compile_lazily(
    r"(?:それ|これ|あれ)(?!ぞれ|から|でも|では|とも|ほど|なり|ゆえ|なら|以)|(?:そこ|そちら|そいつ)(?!から)"
    r"|(?:その|この|あの)(?!他|ほか|まま|うち|よう|ため|後|ころ|頃|際|度|資料|文書|文献|本|冊子|論文|記事|章|節|ページ|図|表|サイト)"
    r"|彼女|彼(?!岸|方)|同(?:氏|社|書|法|年)|両者|前者|後者|双方"
)
_BARE_TOPIC = compile_lazily(r"[^、。は]{1,24}(?<!と)(?:は|って)(?:どう(?:です|でしょう|なの)?か?)?[?？。]*")
_LEAD = compile_lazily(
    r"(?:(?:それでは|それなら|では|じゃあ?|なら|ちなみに|そして|それで|あと|ところで|また|一方)、?)+"
)
_POINTING_ENGLISH = compile_lazily(
    r"\b(?:its?|they|them|theirs?|him|his|s?he|hers?|there|the (?:same|former|latter|two)|(?:this|that|these|those|such)"
    r"(?= (?:is|are|was|were|do|does|did|can|could|will|would|ones?|mean|so|true|right|possible|enough)\b|\W*$))\b",
    re.IGNORECASE,
)
# Expletive words without a referent: “is it true that”, “are there …”, “the form that was sent”.
_IDLE_ENGLISH = compile_lazily(
    r"\b(?:is|was|are|were|does|did|would|will) (?:it|there)\b(?= (?:an?|any|some|no|true|possible|takes?|cost|\w+ to)\b)"
    r"|(?<=\w )that (?:is|was|are|were)\b",
    re.IGNORECASE,
)
_GOES_ON_ENGLISH = compile_lazily(
    r"(?:and|but|or|so(?! (?:wh|how))|also|i meant?|(?:what|how) about|what (?:of|if|else)|anything else|are you sure)\b"
    r"|(?:please |can you |could you )*(?:tell me |say |explain )?(?:more|further|go on|continue|elaborate|in detail)\W*$"
    r"|(?:how (?:often|long|far|much|many|so|come)|since when|until when|what for)\W*$"
    rf"|(?:are|is) there (?:any|other|more) (?:[\w-]+\s*){{1,{FEW}}}\W*$",
    re.IGNORECASE,
)
_CLAUSE_ENGLISH = compile_lazily(r",|\band\b|\bor\b|\bif\b|\bwhen\b")


def resolve(question: str, earlier: Sequence[str]) -> str:
    """Return the question after those that it refers back to, oldest first.

    Unchanged if independent.

    `earlier`: the resolved questions of the conversation, oldest first.
    """
    if not earlier or not refers_back(question):
        return question
    return JOINT.join([*earlier[-1].split(JOINT)[-MAX_EARLIER:], question])


def split_context(question: str) -> tuple[str, str]:
    """Return the prefix that `resolve` added, and the question."""
    context, _, request = question.rpartition(JOINT)
    return context, request


def refers_back(question: str) -> bool:
    """Return whether the question refers to something that it does not name, or names nothing."""
    if answer_language(question) == "en":
        return _is_english_follow_up(question)
    lead = _LEAD.match(question)
    bare = question[lead.end() :] if lead else question
    pointing = _POINTING.search(bare)
    if pointing and not count_nouns(bare[: pointing.start()]):
        return True
    return _BARE_TOPIC.fullmatch(bare) is not None or not count_nouns(bare)


def _is_english_follow_up(question: str) -> bool:
    sought = split_terms(fold(strip_asking(question)))
    if all(map(is_asking_term, sought)) or _GOES_ON_ENGLISH.match(question):
        return True
    asking = [part for part in _SENTENCE_END.split(question) if part.endswith("?")]
    pointing = _POINTING_ENGLISH.search(_IDLE_ENGLISH.sub("", " ".join(asking) or question))
    if pointing is None:
        return False
    clauses = _CLAUSE_ENGLISH.split(pointing.string[: pointing.start()])
    return len(clauses) == 1 or len(split_terms(fold(strip_asking(clauses[0])))) < 2


_BRACKETED = compile_lazily(
    r"「[^」]*」|『[^』]*』|（[^）]*）|\([^)]*\)|“[^”]*”|\"[^\"]*\"|【[^】]*】|《[^》]*》"
)
_NUMBER = compile_lazily(
    r"(?:^|(?<=[\s。、,:：?？を]))(?:[①-⑳]|\(?(?P<n>[1-9][0-9]?)(?:[)）]|[.．](?!\d)))\s*(?=\S)"
)
_SENTENCE_END = compile_lazily(
    r"(?<=[。?？!！])\s*(?=\S)|(?<=[.?!])(?<!\bvs\.)(?<!\b[a-z]\.[a-z]\.)\s+(?=[\"'A-Za-z0-9])"
)
_ASKING_WORD = compile_lazily(
    r"何(?!らか|か[^月国所。?？、\s])|誰|だれ|いつ(?!で)|どこ|いく[らつ]|なぜ|ど[のうれん]|どちら"
)
# A comparison with a thing outside the list (「昨年と比べた売上と利益」), not 比較例 or 比較優位.
_NO_NOUN = compile_lazily(rf"{_ASKING_WORD.pattern}|比べ|比較[しす]|^の比較")
_WH = r"(?:what|who|whom|whose|when|where|why|how|which)"
_BE = r"(?:is|are|was|were|do|does|did|can|could|will|would|should|must|may)"
_PREPOSED = r"(?:(?:in|at|on|for|from|by|to) )?"
_ASKS = compile_lazily(
    rf"[?？][」』\")）]?$|か[。.]?$|{_ASKING_WORD.pattern}|教え[てろよ願]|挙げ[てよな]|知りた[いく]"
    r"|説明(?:して|せよ|し[。、]|$)|述べ[てよ]|示(?:して|せ)|まとめて|ください|下さい|ほしい|欲しい|願い|とは[。]?$"
    rf"|^(?:and |but |so )?{_PREPOSED}{_WH}\b|(?:^|\b(?:please|you|and) )(?:tell me|explain|describe|list|name|give|show)\b",
    re.IGNORECASE,
)
# The clause continues after the comma: a condition, a topic, an item of an enumeration.
_GOES_ON = compile_lazily(
    r"(?:たら|れば|なら|ても|とき|時|場合|際|から|(?<!も)ので|[にはがをとの]|けど|けれども?|こと|について|いつ|どこ|誰|何)$"
)
_COMMA_ENGLISH = compile_lazily(
    rf"(?:, (?:and |or )?| and )(?={_PREPOSED}{_WH} [^ ]+ [^ ]|{_BE} [^ ]+ [^ ])", re.IGNORECASE
)
_OPENS_ENGLISH = compile_lazily(rf"{_PREPOSED}(?:{_WH}|{_BE})\b(?! and\b)", re.IGNORECASE)
_LINK = compile_lazily(
    r"^[、,\s]*(?:(?:また|そして|さらに|加えて|次に|それから|and|also)\b[、,\s]*)?", re.IGNORECASE
)
_TOPIC = compile_lazily(r"^([^、。?？]{1,40}?)(?:とは|って|は)")
_JOINT = compile_lazily(r"と、|、と|、?(?:および|及び|ならびに|並びに)|と|、")
_ITEM = r"(?:(?!および|及び|ならびに|並びに)[^\s、。，はがをと?？]){1,30}?"
_ITEMS = (
    r"^(?P<lead>[^。?？]{1,40}?(?:において|における|では|について|に関して|の中で)、)?"
    rf"(?P<items>{_ITEM}(?:(?:{_JOINT.pattern}){_ITEM})+?)"
)
_OF = r"(?P<of>[^、。とは]{1,24}?)"
_HOW = (
    r"(?:どう|どのように|どれだけ|どれ?くらい|どんな点[がで]|どのような点[がで]|何が|どこが|何か)"
    r"(?:違|ちが|異な|変わ|使い?分け|区別|見分け)"
)
_END = r"[^、。は]{0,20}[。?？!！\s]*$"
_DIFFER = tuple(
    compile_lazily(_ITEMS + tail + _END)
    for tail in (
        rf"と?(?:の間)?の(?:{_OF}の)?(?:違い|ちがい|相違|差異?|異同|区別|使い分け|見分け方)点?(?:とは|って|は|を|が)?、?",
        r"と?(?:の(?P<of>[^、。は]{1,24}?))?を(?:比較|対比|見?比べ)",
        rf"(?:とで[、\s]*|とでは|では?|とは|は|って|を|、)、?(?:{_OF}(?:が|は|に|の点で)、?)?{_HOW}",
    )
)
_EACH = compile_lazily(
    rf"{_ITEMS}(?P<of>の[^、。はがをと]{{1,12}}?)?(?P<case>とは|は|を|について|)"
    r"、?(?:それぞれ|各々|おのおの)(?P<rest>[^。]+)。?$"
)
_A, _B = r"(?P<a>[^?]{2,60}?)", r"(?P<b>[^?]{2,60}?)"
_DIFFER_BY_NAME = tuple(
    compile_lazily(pattern + r"[?？.。!\s]*$", re.IGNORECASE)
    for pattern in (
        rf"\bdifferences? between {_A} and {_B}",
        rf"^(?:please )?compare {_A} (?:and|with|to|against|versus|vs\.?) {_B}",
        rf"^how (?:do|are) {_A} and {_B} (?:differ|different|compare)(?: from each other)?",
        rf"^{_A} (?:vs\.?|versus) {_B}",
    )
)
_LEANING = compile_lazily(r"(?:in|on|at|for|to|of|by|that|those|it|one)\b", re.IGNORECASE)


def split_lead(question: str) -> tuple[str, str]:
    """Return the context, including an earlier question, and the part that asks."""
    context, request = split_context(question)
    lead_up = f"{context}{JOINT}" if context else ""
    for border in _SENTENCE_END.finditer(request):
        if _ASKS.search(_SENTENCE_END.split(request[: border.start()])[-1]):
            break
        if _ASKS.search(_SENTENCE_END.split(request[border.end() :])[0]):
            return lead_up + request[: border.end()], request[border.end() :]
    return lead_up, request


def split_sides(question: str) -> tuple[str, ...]:
    """Return a question for each item of 「AとBの違い」 or "the difference between A and B"."""
    masked = _mask(question)
    for pattern in _DIFFER:
        if match := pattern.search(masked):
            items = _list_items(question, masked, match)
            lead, of = _slice(question, match, "lead", "of")
            if of and items and items[0].endswith(f"の{of}"):  # 第一種の過誤と第二種の過誤
                items, of = [*items[:-1], f"{items[-1]}の{of}"], ""
            return tuple(f"{lead}{item}の{of}" if of else _ask_what_is(lead + item) for item in items)
    for pattern in _DIFFER_BY_NAME:
        if match := pattern.search(masked):
            sides = _slice(question, match, "a", "b")
            return () if any(map(_LEANING.match, sides)) else tuple(map(_ask_what_is, sides))
    return ()


def split_parts(question: str) -> tuple[str, ...]:
    """Return the parts with a question each, so that each can be searched for.

    Empty if there is only one.
    """
    if numbered := _split_numbered(question):
        return tuple(numbered)
    lead_up, request = split_lead(question)
    return tuple(lead_up + part for part in _split_each(request) or _split_asking(request))


def _ask_what_is(thing: str) -> str:
    return f"What is {thing}?" if thing.isascii() else f"{thing}とは何か"


def _split_each(question: str) -> Sequence[str]:
    masked = _mask(question)
    match = _EACH.search(masked)
    if match is None:
        return ()
    lead, of, case, rest = _slice(question, match, "lead", "of", "case", "rest")
    items = _list_items(question, masked, match)
    if rest.startswith("の"):
        of = case = ""
    elif items and of and "の" in items[0]:  # 日本の首都とフランスの首都は
        items, of = [*items[:-1], items[-1] + of], ""
    return [f"{lead}{item}{of}{case}{rest}" for item in items]


def _split_numbered(question: str) -> Sequence[str]:
    marks = list(_NUMBER.finditer(_mask(question)))
    numbers = [int(mark["n"]) if mark["n"] else ord(mark[0][0]) - ord("①") + 1 for mark in marks]
    if len(marks) < 2 or numbers != list(range(1, len(marks) + 1)):
        return ()
    ends = [*(mark.start() for mark in marks[1:]), len(question)]
    items = [question[mark.end() : end].strip(" 、,;") for mark, end in zip(marks, ends, strict=True)]
    lead = question[: marks[0].start()]
    return [lead + _prefix_topic(item, items[:1] if at else []) for at, item in enumerate(items)]


def _split_asking(question: str) -> Sequence[str]:
    """Split sentences with a question each, and then at the commas between full questions."""
    sentences: list[str] = []
    for sentence in _cut(question, _SENTENCE_END):
        if sentences and not (sentence.isascii() or _ASKING_WORD.search(sentence) or count_nouns(sentence)):
            sentences[-1] += sentence  # 「具体的に説明してください。」
        else:
            sentences.append(_LINK.sub("", sentence))
    parts: list[str] = []
    for sentence in sentences if all(map(_is_asking, sentences)) else ():
        for at, clause in enumerate(_cut_clauses(sentence)):
            parts.append(_prefix_topic(clause, parts[:1], least_nouns=2 if at else 0))
    return parts if parts[1:] else ()


def _is_asking(sentence: str) -> bool:
    """Return whether the sentence asks; False for 「違法ですか？」, which only adds an alternative."""
    is_full = sentence.isascii() or _ASKING_WORD.search(sentence) or len(split_terms(fold(sentence))) > 1
    return bool(is_full and _ASKS.search(sentence))


def _prefix_topic(part: str, first: Sequence[str], least_nouns: int = 0) -> str:
    """Prefix a part with the topic of the first one if it refers back or has too few nouns."""
    if not first or not (refers_back(part) or count_nouns(part) < least_nouns):
        return part
    match = _TOPIC.match(first[0])
    topic = match[1] if match and not _ASKING_WORD.search(match[1]) else strip_asking(first[0])
    return f"{topic}{JOINT}{part}"


def _cut_clauses(sentence: str) -> Sequence[str]:
    """Return the clauses with a question each: 「Aは何分、Bは何割」, "Who …, when … and where …"."""
    if sentence.isascii():
        clauses = [_LINK.sub("", clause) for clause in _cut(sentence, _COMMA_ENGLISH)]
        first = clauses[0].casefold().split()
        is_relative = any(clause.casefold().split()[0] in first[1:] for clause in clauses[1:])
        is_full = len(first) > 2 and all(map(_OPENS_ENGLISH.match, clauses))
        return clauses if is_full and not is_relative else [sentence]
    clauses, begun = [], ""
    for piece in _cut(sentence, re.compile("、")):
        begun = f"{begun}、{piece}" if begun else piece
        if _ASKING_WORD.search(begun) and not _GOES_ON.search(begun):
            clauses.append(_LINK.sub("", begun))
            begun = ""
    if begun and clauses:
        clauses[-1] += f"、{begun}"
    return clauses or [sentence]


def _mask(question: str) -> str:
    return _BRACKETED.sub(lambda match: "〇" * len(match[0]), question)


def _slice(question: str, match: re.Match[str], *names: str) -> list[str]:
    return [question[slice(*match.span(name))] if match[name] else "" for name in names]


def _cut(question: str, joint: re.Pattern[str]) -> list[str]:
    """Return the text between the joints; brackets and quotation marks are never cut."""
    borders = [0, *(at for match in joint.finditer(_mask(question)) for at in match.span()), len(question)]
    return [part for a, b in zip(borders[::2], borders[1::2], strict=True) if (part := question[a:b].strip())]


def _list_items(question: str, masked: str, match: re.Match[str]) -> list[str]:
    """Return the coordinated nouns; empty if one of them is not a noun."""
    start, end = match.span("items")
    borders = [start, *(at for found in _JOINT.finditer(masked, start, end) for at in found.span()), end]
    items = [question[a:b].strip() for a, b in zip(borders[::2], borders[1::2], strict=True)]
    are_nouns = all(any(map(str.isalnum, item)) and not _NO_NOUN.search(item) for item in items)
    return items if are_nouns else []
