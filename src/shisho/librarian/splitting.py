"""Where a question falls into parts: comparisons, things asked of each, and questions in a row. Nothing
inside brackets or quotation marks is ever split, so 『罪と罰』 stays whole."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

_BRACKETED = re.compile(
    r"「[^」]*」|『[^』]*』|（[^）]*）|\([^)]*\)|“[^”]*”|\"[^\"]*\"|【[^】]*】|《[^》]*》|〈[^〉]*〉"
)
# No joint inside a thing: with two readings of 「および」 the search for things would take exponential time.
_ITEM = (
    r"(?:(?!\s|および|及び|ならびに|並びに)[^、。，はがをと?？])"
    r"(?:(?!および|及び|ならびに|並びに)[^、。，はがをと?？]){0,38}?"
)
_JOINT = re.compile(r"、(?:および|及び|ならびに|並びに|そして)?|および|及び|ならびに|並びに|と")
_LEAD = (
    r"^(?P<lead>[^。?？]{1,60}(?:において|における|では|について|に関して|の中で|とき|場合)、?"
    r"|[^、。?？]{1,40}[ぁ-ん]、)?"
)
_ASKED = (
    r"(?:何|なに|なん|どこ|どの|どう|どんな|お?教え|おしえ|説明|述べ|まとめ|挙げ|論じ|示し|知り?たい"
    r"|わか|分か|解|あり|ある)"
)
_CASE = r"[^、。]{2,40}?(?:場合|とき|時)"
_END = (
    rf"(?:点)?(?:とは|って|は|を|が|について|に関して)?、?(?:[^、。]{{0,8}}?{_ASKED}[^、。]{{0,14}}|です|でしょう)?か?"
    r"[。?？!！\s]*$"
)
_ITEMS = rf"(?P<items>{_ITEM}(?:(?:{_JOINT.pattern}){_ITEM})+?)"
_HOW = r"(?:どう|どのように|どれだけ|どんな(?:点[がで])?|どのような点[がで]|何が|どこが)"
_DIFFER = r"(?:違|ちが|異な|変わ|差)[^、。]{0,14}[。?？\s]*$"
_POINT = r"(?P<of>[^、。と]{1,24}?)"
_COMPARED = tuple(
    re.compile(_LEAD + _ITEMS + tail)
    for tail in (
        rf"(?:と)?(?:の間)?の(?:{_POINT}の)?(?:違い|ちがい|相違|差異|異同|区別|使い分け|見分け方){_END}",
        rf"(?:と)?(?:の{_POINT}|の(?P<both>長所と短所|利点と欠点|メリットとデメリット))?を(?:比較|対比|比べ)[^、。]{{0,14}}[。?？\s]*$",
        rf"とで、?\s*{_POINT}(?:が|は|に|の(?:点で)?)、?{_HOW}{_DIFFER}",
        rf"(?:とで|で)?は、?{_POINT}(?:が|は|に|の(?:点で)?)、?{_HOW}{_DIFFER}",
        rf"(?:とでは|では|とは|は|って|、)、?{_HOW}{_DIFFER}",
        r"(?:と)?の差(?:は|って)(?:何(?:です)?か|なん[^、。]{0,4})?[?？。]*$",
        r"(?:で)?(?:に)?は(?:どのような|どんな|どういう|何か)(?:違い|相違|差)[^、。]{0,14}[。?？\s]*$",
        r"(?:を|は|って)、?(?:どう|どのように)(?:やって)?(?:区別|使い?分け|見分け)[^、。]{0,20}[。?？\s]*$",
        r"(?:は|って)(?:同じ|同一の|別の?)(?:もの|物|意味|こと)?(?:です|でしょう|なの?|な?ん)*か?"
        r"(?:、(?:それとも)?(?:別|違|異)[^、。]{0,12})?[。?？\s]*$",
    )
)
_COMPARED_TO = tuple(
    re.compile(_LEAD + form)
    for form in (
        rf"(?P<a>{_ITEM})(?:は|って)、?(?P<b>{_ITEM})と(?:は|比べて)?、?{_HOW}{_DIFFER}",
        rf"(?P<a>{_ITEM})と(?:比べ|比較し)(?:て|ると?)、?(?P<b>{_ITEM})(?:は|って)、?{_HOW}{_DIFFER}",
    )
)
# 「ASVSのレベル1とレベル2で想定している攻撃者」: what stands before the one and after the other is of both.
_NUMBERED = re.compile(
    r"(?P<before>.*?)(?P<stem>[^\W\d]{1,10})(?P<number>\d+)\n(?P=stem)(?P<other>\d+)(?P<after>(?:で|の|が|に|を|は)\S+)"
)
_COMPARED_CASES = re.compile(
    rf"^(?P<a>{_CASE})と、?(?P<b>{_CASE})と?では?、?(?P<of>[^、。]{{1,30}}?)[はがに]、?(?:どう|どのように)(?:違|ちが|異な)[^、。]{{0,14}}[。?？\s]*$"
)
# 「anyと書くのとallと書くのでは、何が変わりますか」
_COMPARED_DEEDS = re.compile(
    r"^(?P<a>[^、。]{2,40}?[うくすつぬむるぐぶ])のと、?(?P<b>[^、。]{2,40}?[うくすつぬむるぐぶ])のと?では、?"
    r"(?:[^、。]{1,24}?[にがは])?、?(?:どう|どのように|どういう|どのような|どんな|何が|どこが|何か)(?:点が)?"
    r"(?:違|ちが|異な|変わ|差)[^、。]{0,14}[。?？\s]*$"
)
_COMPARED_ENGLISH = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\bdifferences? between (?P<a>.{2,60}?) and (?P<b>.{2,60}?)[?.!\s]*$",
        r"^(?:please )?compare (?P<a>.{2,60}?) (?:and|with|to|against|versus|vs\.?) (?P<b>.{2,60}?)[?.!\s]*$",
        r"^how (?:does|do|is|are) (?P<a>.{2,60}?) (?:differ|different|compare) (?:from|to|with) (?P<b>.{2,60}?)[?.!\s]*$",
        r"^how (?:do|are) (?P<a>.{2,60}?) and (?P<b>.{2,60}?) (?:differ|different|compare)(?: from each other)?[?.!\s]*$",
        r"^(?:is|are) (?P<a>.{2,60}?) (?:the same(?: thing)? as|different from) (?P<b>.{2,60}?)[?.!\s]*$",
        r"^are (?P<a>.{2,60}?) and (?P<b>.{2,60}?) (?:the same(?: thing)?|different(?: things)?|interchangeable)[?.!\s]*$",
        r"^what (?:distinguishes|separates|differentiates|sets) (?P<a>.{2,60}?) (?:apart )?from (?P<b>.{2,60}?)[?.!\s]*$",
        r"^in what ways? (?:is|are|does|do) (?P<a>.{2,60}?) (?:unlike|(?:different|differ) from) (?P<b>.{2,60}?)[?.!\s]*$",
        r"^(?P<a>[^?.]{2,60}?) (?:and|or) (?P<b>[^?.]{2,60}?)[:,?] "
        r"(?:what(?:'s| is)|is there) (?:the|a|any) difference[?.!\s]*$",
        r"^(?P<a>[^?.]{2,60}?) (?:vs\.?|versus) (?P<b>[^?.]{2,60}?)[?.!\s]*$",
    )
)
_EACH = re.compile(
    _LEAD + _ITEMS + r"(?P<case>とは|は|を|について|の(?:[^、。はがをと]{1,12}(?:は|を|とは|について))?|)"
    r"、?(?:それぞれ|各々|おのおの)(?P<rest>[^。]+)。?$"
)
# 「と」 often is no "and" (Aとして, Aと思われる), so things that stand without それぞれ are plain nouns: no
# hiragana in them.
_NOUN = r"[^ぁ-ん、。，?？\s]{1,30}"
_DEFINED = re.compile(
    _LEAD
    + rf"(?P<items>{_NOUN}(?:(?:{_JOINT.pattern}){_NOUN})+)とは(?P<rest>、?(?:何|なに|なん)[^、。]{{0,10}})$"
)
_ASKING = re.compile(
    r"何|なに|なん[のでと]|誰|だれ|いつ|どこ|どの|どう|どれ|どんな|どちら|なぜ|いくら|いくつ"
)
# A stretch that asks something of a thing: not 「いつ」 alone, and not 「どうしても」.
_ASKS_OF = re.compile(
    r"^(?:.{2,})?(?:何(?!らか|か[^月国所])|誰|だれ|いつ(?!で)|どこ|いくら|いくつ|なぜ|どれ(?!も)|どの|どう(?!して)|どん)"
)
# It goes on after the pause: a condition, a topic, a thing to be counted.
_GOES_ON = re.compile(
    r"(?:たら|れば|なら|ても|とき|時|場合|際|に|では|とは|から|(?<!も)ので|[はがをとの]|けど|けれども?|こと|について|いつ|どこ|誰|何)$"
)
_CITED = re.compile(r"\s*(?:と(?!き|ころ)|って)")  # 「何ギガまで、と指定する設定」
_YES_OR_NO = re.compile(r"(?:ます|です|でしょう|る|い|の|た)(?:ん|の)?(?:です)?か[。?？]*$|は[?？]$")
_TOLD = re.compile(r"(?<!理由)(?<!例)(?:を|について)(?:説明|教え|述べ)")
_WANTED = re.compile(r"を(?:お?教え|おしえ|知り|挙げ|示し|述べ)[^、。?？]{0,16}[。?？!！\s]*$")
# A noun goes before: not 「すると、」.
_WANTED_JOINT = re.compile(
    r"(?<=[一-鿿々ァ-ヺーa-zA-Z0-9])(?:と、|、(?:それから|あと|そして|および|及び|ならびに|並びに|加えて)、?)"
)
_THING_OF = re.compile(r"^[^、。?？]{1,30}の(?=[一-鿿々ァ-ヺー]+$)")  # 「この本の著者」
MIN_WANTED = 2
_ROW = re.compile(
    r"(?<=[?？])\s*(?=\S)|(?<=[かのいよ]。)\s*(?=\S)|(?<=か)、(?=また|そして|さらに|加えて|なぜ|どう|どの|いつ|誰|どこ|何)|(?<=[A-Za-z0-9)]),?\s+(?=and\s+"
    r"(?:(?:in|at|on|for|from|by|to) )?(?:what|who|when|where|why|how|which)\b)"
    r"|(?<=[A-Za-z0-9)]),\s+(?=(?:what|who|when|where|why|how)\s+(?:is|are|was|were|do|does|did|can|could|will|would|should|has|have|had)\b)",
    re.IGNORECASE,
)
_LINK = re.compile(
    r"^[、,\s]*(?:(?:また|そして|さらに|加えて|次に|それから|and|also)[、,\s]*)?", re.IGNORECASE
)
_TOPIC = re.compile(r"^(?P<topic>[^、。?？]{1,40}?)(?:とは|って|は)")
# A noun that says nothing without the thing it is of: 費用は, 記録は, その後の結果は.
_RELATION = re.compile(
    r"(?:(?:結果|使用|利用|その後)の?)?(?:費用|料金|代金|価格|値段|結果|記録|所属|期限|有効期限|期間|解除|対象|条件|罰則|手続き?|方法|理由|目的|効果"
    r"|ライセンス|作者|著者|代表|場所|住所|連絡先|担当|導入するに|単位|上限|下限|頻度)"
)
_THING_IN = re.compile(r"[がを]")
_TOPIC_ENGLISH = re.compile(r"^(?:what|who) (?:is|are|was|were) (?P<topic>.{2,60}?)[?.,\s]*$", re.IGNORECASE)
_BACK = re.compile(r"^(?P<word>それら?(?!と)|これら?(?!と)|その|この|彼女|彼|同氏)(?P<rest>.*)$")
_BACK_ENGLISH = re.compile(
    r"\b(?:it|its|they|their|them|he|his|him|she|her|this|that|these|those)\b", re.IGNORECASE
)
_LEANING = re.compile(r"(?:in|on|at|for|to|of|by|that|those|it|one)\b", re.IGNORECASE)
_ASKS_FIRST = re.compile(
    r"(?:^|: )(?:(?:in|at|on|for|from|by|to) )?"
    r"(?:what|who|whom|whose|when|where|why|how|which|is|are|was|were|do|does|did|can)\b",
    re.IGNORECASE,
)
_ENGLISH_ASKING = re.compile(r"\b(?:what|who|whom|whose|when|where|why|how|which)\b", re.IGNORECASE)
_PLURAL = re.compile(r"^(?!an? ).*[^isu\W]s$", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:An?|The) ")


def split_comparison(question: str) -> tuple[str, ...]:
    """「AとBの違い」, "the difference between A and B": what A is and what B is, or the point asked of
    each."""
    masked = _masked(question)
    if match := _COMPARED_CASES.search(masked):
        a, b, of = _slices(question, match, "a", "b", "of")
        return f"{a}の{of}", f"{b}の{of}"
    if match := _COMPARED_DEEDS.search(masked):
        return tuple(f"{deed}とどうなるか" for deed in _slices(question, match, "a", "b"))
    for pattern in _COMPARED_TO:
        if match := pattern.search(masked):
            lead, a, b = _slices(question, match, "lead", "a", "b")
            return _sides(lead, (a, b), "")
    for pattern in _COMPARED:
        if match := pattern.search(masked):
            lead, of, both = _slices(question, match, "lead", "of", "both")
            return _sides(lead, _items(question, masked, match), of or both)
    for pattern in _COMPARED_ENGLISH:
        if match := pattern.search(masked):
            a, b = (_bare(part) for part in _slices(question, match, "a", "b"))
            return tuple(map(_ask_what_is, (a, b))) if _things((a, b)) else ()
    return ()


def _sides(lead: str, things: Sequence[str], point: str) -> tuple[str, ...]:
    """What each of the things is, or the point of each that is asked for."""
    first, *others = things
    if point and first.endswith(f"の{point}"):  # 第一種の過誤と第二種の過誤: no point of both
        things = (first, *(f"{other}の{point}" for other in others))
        point = ""
    if not point and (shared := _NUMBERED.fullmatch("\n".join(things))):
        return tuple(
            f"{lead}{shared['before']}{shared['stem']}{shared[number]}{shared['after']}は何か"
            for number in ("number", "other")
        )
    if not _things(things):
        return ()
    return tuple(f"{lead}{thing}の{point}" if point else f"{lead}{thing}とは何か" for thing in things)


def split_each(question: str) -> tuple[str, ...]:
    """「AとBはそれぞれ何か」「A、B、Cとは何か」: the same question of each thing."""
    masked = _masked(question)
    if re.search(r"どちら|どっち", masked):
        return ()
    match = _EACH.search(masked)
    if match and (
        _ASKING.search(match["rest"])
        or _TOLD.search(match["case"] + match["rest"])
        or match["rest"].startswith("の")
    ):
        return _of_each(question, masked, match)
    if match := _DEFINED.search(masked):
        lead, rest = _slices(question, match, "lead", "rest")
        items = _items(question, masked, match)
        return tuple(f"{lead}{item}とは{rest}" for item in items) if _things(items) else ()
    return ()


def _of_each(question: str, masked: str, match: re.Match[str]) -> tuple[str, ...]:
    lead, rest, case = _slices(question, match, "lead", "rest", "case")
    items = [item for item in _items(question, masked, match) if item != "で"]  # AとBとでそれぞれ
    if rest.startswith("の"):
        if case not in ("", "の"):
            return ()
        case = ""
    elif (
        case.startswith("の") and "の" in items[0]
    ):  # 日本の首都とフランスの首都は: の belongs to the last thing
        items[-1] = items[-1] + case.rstrip("はをとについて")
        case = case[-1]
    return tuple(f"{lead}{item}{case}{rest}" for item in items) if _things(items) else ()


def split_wanted(question: str) -> tuple[str, ...]:
    """「…するオプション名と、…の長さ、それから…の既定値を教えて」: things that one wants to be told."""
    masked = _masked(question)
    match = _WANTED.search(masked)
    if match is None:
        return ()
    items = _cut(question, masked, _WANTED_JOINT, 0, match.start())
    if len(items) < 2 or not all(len(item) >= MIN_WANTED and not _ASKING.search(item) for item in items):
        return ()
    first, *others = items
    return tuple(f"{item}を教えて" for item in (first, *(_wanted_of(other, first) for other in others)))


def _wanted_of(item: str, first: str) -> str:
    """A later thing with what the first is of: 「この本の著者と、その値段」「受付の場所と、持ち物」."""
    if back := _BACK.match(item):
        return f"{first}の{back['rest']}"
    of = _THING_OF.match(first)
    return item if of is None or "の" in item else of[0] + item


def questions(question: str) -> tuple[str, ...]:
    """Questions in a row, each made to stand alone: a later one that points back takes the topic of the
    first."""
    masked = _masked(question)
    borders = [0, *(match.start() for match in _ROW.finditer(masked) if match.start()), len(question)]
    rows = [question[a:b].strip() for a, b in pairwise(borders)]
    clauses = [clause for row in rows for clause in _asking_clauses(row, _masked(row)) or [row]]
    parts = [_LINK.sub("", clause) for clause in clauses]
    if len(parts) < 2 or not any(map(_asks, parts)):
        return ()
    if not all(_asks(part) or _YES_OR_NO.search(part) for part in parts):
        return ()
    if question.isascii() and not _ASKS_FIRST.search(parts[0]):
        return ()
    if _relative(parts):
        return ()
    return (parts[0], *(_alone(part, parts[0]) for part in parts[1:]))


def _asking_clauses(question: str, masked: str) -> list[str]:
    """「Aは何分、Bは何割、Cは何日前か」「Aは何回で、いつ終わり、誰が払うのか」: stretches that each ask
    something; else nothing."""
    commas = [at for at, character in enumerate(masked) if character == "、"]
    borders = [-1, *commas, len(question)]
    clauses: list[str] = []
    begun = ""
    for a, b in pairwise(borders):
        begun = f"{begun}、{question[a + 1 : b].strip()}" if begun else question[a + 1 : b].strip()
        is_cited = _CITED.match(question, b + 1) is not None
        if _ASKS_OF.search(begun) and not _GOES_ON.search(begun) and not is_cited:
            clauses.append(begun)
            begun = ""
    if begun and clauses:
        if _YES_OR_NO.search(begun):
            clauses.append(begun)
        else:
            clauses[-1] = f"{clauses[-1]}、{begun}"
    return clauses


def _masked(question: str) -> str:
    return _BRACKETED.sub(lambda match: "〇" * len(match[0]), question)


def _slices(question: str, match: re.Match[str], *names: str) -> list[str]:
    group_index = match.re.groupindex
    return [
        question[slice(*match.span(name))] if name in group_index and match[name] else "" for name in names
    ]


def _items(question: str, masked: str, match: re.Match[str]) -> list[str]:
    return _cut(question, masked, _JOINT, *match.span("items"))


def _cut(question: str, masked: str, joint: re.Pattern[str], start: int, end: int) -> list[str]:
    """What stands between the joints of this stretch."""
    borders = [start, *(at for found in joint.finditer(masked, start, end) for at in found.span()), end]
    return [question[a:b].strip() for a, b in zip(borders[::2], borders[1::2], strict=True)]


def _things(items: Sequence[str]) -> bool:
    """True where each can be asked about by itself: no question word, nothing in front that leans on
    what went before."""
    return all(
        re.search(r"\w", item) and not _ASKING.search(item) and not _LEANING.match(item) for item in items
    )


def _ask_what_is(item: str) -> str:
    verb = "are" if _PLURAL.search(item) else "is"
    return f"What {verb} {_ARTICLE.sub(lambda match: match[0].lower(), item)}?"


def _bare(item: str) -> str:
    return re.sub(r"^(?:what (?:is|are)|the meaning of)\s+", "", item.strip(), flags=re.IGNORECASE)


def _asks(part: str) -> bool:
    if _ENGLISH_ASKING.search(part):
        return len(part.split()) >= 3
    return len(part) >= 4 and (bool(_ASKING.search(part)) or (_asked(part) and not _BACK.match(part)))


def _asked(part: str) -> bool:
    return bool(_ASKING.search(part) or _TOLD.search(part))


def _relative(parts: Sequence[str]) -> bool:
    """True where "… who was born in A and who was killed in B" only adds a relative clause."""
    first = parts[0].casefold().split()
    return any(part.casefold().split()[0] in first[1:] for part in parts[1:] if part.isascii())


def _alone(part: str, first: str) -> str:
    topic = _TOPIC.match(first)
    back = _BACK.match(part)
    if topic and back:
        return topic["topic"] + ("の" if back["word"] in ("その", "この") else "") + back["rest"]
    if topic and _ASKING.match(part):
        return f"{topic['topic']}は{part}"
    own = _TOPIC.match(part)
    if topic and own and _RELATION.fullmatch(own["topic"]):
        return f"{_THING_IN.split(topic['topic'])[0]}では、{part}"
    if match := _BACK_ENGLISH.search(part):
        named_match = _TOPIC_ENGLISH.match(first)
        of = "'s" if named_match and match[0].casefold() in ("its", "their", "his") else ""
        return (
            part[: match.start()] + named_match["topic"] + of + part[match.end() :]
            if named_match
            else f"{first} {part}"
        )
    return f"{first} {part}" if back else part
