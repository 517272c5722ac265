"""False sentences made from real passages: something of a true one is swapped, turned round or strengthened.

Only what is really false is made: a name, a figure or a word takes the place of another of its kind, never of
one it stands beside in a list. The passages stay where the shared data is; `held_out` takes others than those
the rules were made with."""

from __future__ import annotations

import gzip
import json
import random
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from shisho.language.sentences import sentences
from shisho.language.terms import tokenizer
from tests.shared import shared

SEED = 20260726
_JAPANESE = re.compile(r"[ぁ-んァ-ヺ一-鿿]")
_NUMBER = re.compile(r"(?<![\d,.A-Za-z])(\d[\d,]*(?:\.\d+)?)(?![\d,.])")
_UNIT = re.compile(
    r"[万億兆]?(?:人|年|月|日|円|ドル|km|m|メートル|キロメートル|個|回|歳|%|%|パーセント|世紀|位|社|校|件|本|度|トン|倍|分|時間)"
)
_TURNS = (
    "増加 減少;増え 減っ;上昇 低下;以上 以下;高い 低い;大きい 小さい;大きく 小さく;大きな 小さな;多い 少ない;"
    "多く 少なく;北部 南部;東部 西部;北側 南側;東側 西側;前期 後期;前半 後半;最初 最後;拡大 縮小;開始 終了;"
    "成功 失敗;賛成 反対;勝利 敗北;強い 弱い;長い 短い;輸出 輸入;左 右;内側 外側;新しい 古い;最大 最小;"
    "最高 最低;上流 下流;肯定 否定;可能 不可能;許可 禁止;有利 不利;増大 減少;早い 遅い;以前 以後;以降 以前;"
    "未満 以上;支持 批判;入口 出口;生産 消費;公開 非公開;合法 違法;前に 後に;上位 下位;攻撃 防御;男性 女性;"
    "父 母;兄 弟;夏 冬;春 秋;昼 夜;朝 夕;直接 間接"
)
_ENGLISH_TURNS = (
    "more less;increase decrease;increased decreased;increases decreases;higher lower;larger smaller;"
    "before after;first last;rise fall;rose fell;up down;above below;most least;many few;best worst;"
    "gain loss;allow forbid;accept reject;early late;north south;east west;old new;longer shorter;"
    "stronger weaker;support oppose;win lose;won lost;buy sell;bought sold"
)
_NEGATIONS = (
    ("ではない。", "である。"),
    ("ではなかった。", "であった。"),
    ("である。", "ではない。"),
    ("であった。", "ではなかった。"),
    ("していない。", "している。"),
    ("している。", "していない。"),
    ("していた。", "していなかった。"),
    ("されている。", "されていない。"),
    ("されていた。", "されていなかった。"),
    ("された。", "されなかった。"),
    ("れている。", "れていない。"),
    ("した。", "しなかった。"),
    ("する。", "しない。"),
    ("される。", "されない。"),
    ("れた。", "れなかった。"),
    ("なった。", "ならなかった。"),
)
_ABILITY = (
    ("できない", "できる"),
    ("できる", "できない"),
    ("可能である", "不可能である"),
    ("られる。", "られない。"),
    ("できた", "できなかった"),
)
_HEDGES = (
    (
        r"(?<=[うくすつぬむるいただ])(?:と|とも)(?:され|いわれ|言われ|考えられ|推測され|推定され|みられ)(?:ている|る)。",
        "。",
    ),
    (
        r"(?<=[一-鿿ァ-ヺ])(?:と|とも)(?:され|いわれ|言われ|考えられ|推測され|推定され|みられ)(?:ている|る)。",
        "である。",
    ),
    (r"(?<=[うくすつぬむるいた])可能性(?:が|も)(?:ある|高い|指摘されている)。", "。"),
    (r"(?<=[うくすつぬむるいた])かもしれない。", "。"),
    (r"(?<=[うくすつぬむるいた])(?:こと|場合)(?:が|も)ある。", "。"),
)
_UNIT_TURNS = (
    "万 億;億 万;km m;kg g;mg g;% ポイント;％ ポイント;円 ドル;メートル キロメートル;キロメートル メートル;年間 日間;時間 分;"
    "歳 か月;世紀 年;人 社;回 年;トン キログラム;million billion;billion million;percent points"
)
_UNITS = dict(pair.split(" ") for pair in _UNIT_TURNS.split(";"))


@dataclass(frozen=True, slots=True)
class Alteration:
    """`sentence` is false of `quotations`. `simple`: a rule that swaps or compares word for word could
    tell."""

    kind: str
    sentence: str
    quotations: tuple[str, ...]
    original: str
    simple: bool = True


@dataclass(frozen=True, slots=True)
class Place:
    """A true sentence with the rest of its passage."""

    sentence: str
    others: tuple[str, ...]


Make = Callable[[Place, random.Random], "Iterator[tuple[str, tuple[str, ...], bool]]"]


def alterations(amount: int, *, held_out: bool) -> list[Alteration]:
    """At least one of each kind; kinds take turns until `amount` is reached."""
    rng = random.Random(SEED + held_out)
    places = list(_places(rng, held_out))
    made: list[Alteration] = []
    languages = {
        "": [place for place in places if _JAPANESE.search(place.sentence)],
        " (English)": [place for place in places if not _JAPANESE.search(place.sentence)],
    }
    streams = {
        kind + name: _made(kind + name, make, some, random.Random(f"{kind}{SEED}{held_out}"))
        for kind, make in _KINDS.items()
        for name, some in languages.items()
    }
    while streams and len(made) < amount:
        for kind in list(streams):
            one = next(streams[kind], None)
            if one is None:
                del streams[kind]
            elif len(made) < amount:
                made.append(one)
    return made


def altered_paraphrases(paraphrase: str, quotation: str) -> list[tuple[str, str]]:
    """A true sentence in other words than its quotation's, made false in each kind of way that it allows."""
    place = Place(paraphrase, (quotation,))
    made: list[tuple[str, str]] = []
    for kind, make in _KINDS.items():
        rng = random.Random(f"{kind}{SEED}{paraphrase}")
        options = [one for one in make(place, rng) if _differs(one[0], paraphrase)]
        if options:
            made.append((rng.choice(options)[0], quotation))
    return made


def _made(kind: str, make: Make, places: list[Place], rng: random.Random) -> Iterator[Alteration]:
    order = list(places)
    rng.shuffle(order)
    for place in order:
        options = [one for one in make(place, rng) if _differs(one[0], place.sentence)]
        if options:
            sentence, more, simple = rng.choice(options)
            # Half of the sentences cite only the one they were made from, half more of its passage.
            wide = (*place.others,) if rng.random() < 0.5 else ()
            quotations = tuple(dict.fromkeys((place.sentence, *more, *wide)))
            if sentence not in "".join(quotations):
                yield Alteration(kind, sentence, quotations, place.sentence, simple)


def _differs(one: str, other: str) -> bool:
    return re.sub(r"[\s、。,.]", "", one) != re.sub(r"[\s、。,.]", "", other)


def _places(rng: random.Random, held_out: bool) -> Iterable[Place]:
    found = []
    for name in ("jsquad-valid", "jaquad-dev", "niilc-dev"):
        with gzip.open(shared("eval", name, "corpus.jsonl.gz"), "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        found += [place for row in rows if _held(row["_id"]) == held_out for place in _sentences(row["text"])]
    articles = json.loads(shared("extract", "ground-truth.json").read_text("utf-8"))
    english = [text["articleBody"] for name, text in sorted(articles.items()) if _held(name) == held_out]
    rng.shuffle(found)
    plain = (text for text in english if not re.search(r"[^\x00-\u2100]", text[:2_000]) and " the " in text)
    return [*found[:6_000], *(place for text in plain for place in _sentences(text[:6_000]))]


def _held(name: str) -> bool:
    return zlib.crc32(name.encode()) % 2 == 1


def _sentences(text: str) -> Iterator[Place]:
    parts = [" ".join(text[start:end].split()) for start, end in sentences(text)]
    for at, part in enumerate(parts):
        if 25 <= len(part) <= (120 if _JAPANESE.search(part) else 240) and part.endswith(("。", ".")):
            near = (*parts[max(0, at - 1) : at], *parts[at + 1 : at + 3])
            yield Place(part, tuple(one for one in near if len(one) <= 300))


def _numbers(place: Place, rng: random.Random) -> Iterator[tuple[str, tuple[str, ...], bool]]:
    """A number with a unit becomes another number of the passage with that unit."""
    everywhere = [
        (mark[1], _unit(source, mark.end()), source)
        for source in (place.sentence, *place.others)
        for mark in _NUMBER.finditer(source)
    ]
    for mark in _NUMBER.finditer(place.sentence):
        unit = _unit(place.sentence, mark.end())
        for value, other, source in everywhere:
            listed = re.search(
                rf"{re.escape(value)}{re.escape(unit)}?(?:[、・,~〜-]|と|から|\sand\s|\sor\s)", place.sentence
            )
            if unit and unit == other and value != mark[1] and not listed:
                yield place.sentence[: mark.start(1)] + value + place.sentence[mark.end(1) :], (source,), True


def _exchanged_numbers(place: Place, rng: random.Random) -> Iterator[tuple[str, tuple[str, ...], bool]]:
    """Two numbers with one unit change places, unless they are ends of a range or members of a list."""
    marks = list(_NUMBER.finditer(place.sentence))
    for at, one in enumerate(marks):
        for other in marks[at + 1 :]:
            unit = _unit(place.sentence, one.end())
            between = place.sentence[one.end() : other.start()]
            apart = len(re.findall(r"[ぁ-ん一-鿿ァ-ヺ]|[a-z]{2,}", between)) > len(unit) + 3
            if one[1] != other[1] and unit and unit == _unit(place.sentence, other.end()) and apart:
                text = place.sentence
                yield (
                    text[: one.start(1)]
                    + other[1]
                    + text[one.end(1) : other.start(1)]
                    + one[1]
                    + text[other.end(1) :],
                    (),
                    True,
                )


def _unit(text: str, at: int) -> str:
    found = _UNIT.match(text, at)
    return found[0] if found else ""


def _dates(place: Place, rng: random.Random) -> Iterator[tuple[str, tuple[str, ...], bool]]:
    """A year is moved by one, or becomes another year of the passage."""
    for mark in re.finditer(
        r"(?<!\d)(1[0-9]{3}|20[0-2][0-9])(?=年)|(?<=in )(1[0-9]{3}|20[0-2][0-9])\b", place.sentence
    ):
        year = int(mark[0])
        for moved in (year - 1, year + 1, year + 10):
            if str(moved) not in "".join((place.sentence, *place.others)):
                yield place.sentence[: mark.start()] + str(moved) + place.sentence[mark.end() :], (), True


def _names(text: str) -> list[tuple[int, int, str]]:
    """Proper nouns that stand alone before a particle: start, end, kind."""
    tokens = list(tokenizer().tokenize(text))
    found = []
    for before, token, after in zip([None, *tokens], tokens, [*tokens[1:], None], strict=False):
        part = token.part_of_speech()
        alone = (
            after is not None
            and after.part_of_speech()[0] == "助詞"
            and (before is None or before.part_of_speech()[0] in ("助詞", "補助記号", "助動詞"))
        )
        if part[1] == "固有名詞" and alone and len(token.surface()) > 1:
            found.append((token.begin(), token.end(), part[2]))
    return found


def _entities(place: Place, rng: random.Random) -> Iterator[tuple[str, tuple[str, ...], bool]]:
    """A name becomes another of its kind from the passage."""
    if not _JAPANESE.search(place.sentence):
        yield from _english_entities(place)
        return
    pool = [
        (source, source[start:end], kind)
        for source in (place.sentence, *place.others)
        for start, end, kind in _names(source)
    ]
    for start, end, kind in _names(place.sentence):
        name = place.sentence[start:end]
        if place.sentence.count(name) > 1 or place.sentence[end : end + 1] in "とや、・も":
            continue
        for source, other, other_kind in pool:
            if (
                kind == other_kind
                and other != name
                and other not in name
                and name not in other
                and other not in place.sentence
            ):
                yield place.sentence[:start] + other + place.sentence[end:], (source,), True


def _english_entities(place: Place) -> Iterator[tuple[str, tuple[str, ...], bool]]:
    known = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}(?: [A-Z][a-z]+)?(?=[ .,'])")
    pool = [
        (source, mark[0]) for source in (place.sentence, *place.others) for mark in known.finditer(source)
    ]
    for mark in known.finditer(place.sentence):
        for source, other in pool:
            if not set(other.split()) & set(place.sentence.split()) and place.sentence.count(mark[0]) == 1:
                yield place.sentence[: mark.start()] + other + place.sentence[mark.end() :], (source,), True


def _exchanged_entities(place: Place, rng: random.Random) -> Iterator[tuple[str, tuple[str, ...], bool]]:
    """Two names of one kind with different particles change places."""
    found = _names(place.sentence)
    for at, (start, end, kind) in enumerate(found):
        for other_start, other_end, other_kind in found[at + 1 :]:
            one = place.sentence[start:end]
            other = place.sentence[other_start:other_end]
            marks = (place.sentence[end], place.sentence[other_end])
            if (
                kind == other_kind
                and one != other
                and marks[0] != marks[1]
                and not set(marks) & set("とや、・も")
            ):
                text = place.sentence
                yield text[:start] + other + text[end:other_start] + one + text[other_end:], (), True


def _roles(place: Place, rng: random.Random) -> Iterator[tuple[str, tuple[str, ...], bool]]:
    """Subject and object, or from and to, or the two sides of a comparison change places."""
    noun = r"([一-鿿ァ-ヺーA-Za-z]{2,12})"
    pairs = (
        r"(?:(?<!\w)|(?<=、)|(?<=は))"
        + noun
        + r"(?:(は|が)(、?)"
        + noun
        + r"(を)|(から)()"
        + noun
        + r"(へ|まで))"
    )
    for mark in re.finditer(pairs, place.sentence):
        one, first, pause, other, second = (part for part in mark.groups() if part is not None)
        if one != other and _plain_noun(one) and _plain_noun(other):
            swapped = f"{other}{first}{pause}{one}{second}"
            yield place.sentence[: mark.start()] + swapped + place.sentence[mark.end() :], (), True


def _plain_noun(text: str) -> bool:
    """No adverb, no word for a time."""
    parts = [token.part_of_speech() for token in tokenizer().tokenize(text)]
    return all(part[0] == "名詞" and part[2] not in ("副詞可能", "形状詞可能") for part in parts)


def _replaced(pairs: Iterable[tuple[str, str]], simple: bool = True) -> Make:
    def make(place: Place, rng: random.Random) -> Iterator[tuple[str, tuple[str, ...], bool]]:
        text = place.sentence
        for old, new in pairs:
            form = rf"\b{old}\b" if old.isascii() else re.escape(old)
            marks = list(re.finditer(form, text))
            if len(marks) == 1 and not re.search(rf"\b{new}\b" if new.isascii() else re.escape(new), text):
                yield text[: marks[0].start()] + new + text[marks[0].end() :], (), simple

    return make


def _both_ways(turns: str) -> list[tuple[str, str]]:
    pairs = [tuple(pair.split(" ")) for pair in turns.split(";")]
    return [(a, b) for a, b in pairs] + [(b, a) for a, b in pairs]


def _directions(place: Place, rng: random.Random) -> Iterator[tuple[str, tuple[str, ...], bool]]:
    turns = _TURNS if _JAPANESE.search(place.sentence) else _ENGLISH_TURNS
    for one in _replaced(_both_ways(turns))(place, rng):
        # A single kanji may be part of a word or name.
        before = place.sentence
        after = one[0]
        start = next(at for at, (a, b) in enumerate(zip(before, after, strict=False)) if a != b)
        whole = re.search(r"[一-鿿]", before[start - 1 : start]) is None
        if (
            not _JAPANESE.search(before)
            or len(before) - start < 2
            or whole
            or re.match(r"[一-鿿]{2}", before[start - 1 : start + 1]) is None
        ):
            yield one


def _endings(pairs: Iterable[tuple[str, str]]) -> Make:
    def make(place: Place, rng: random.Random) -> Iterator[tuple[str, tuple[str, ...], bool]]:
        for old, new in pairs:
            if place.sentence.endswith(old):
                yield place.sentence[: -len(old)] + new, (), True
                return

    return make


def _negated(place: Place, rng: random.Random) -> Iterator[tuple[str, tuple[str, ...], bool]]:
    if _JAPANESE.search(place.sentence):
        yield from _endings(_NEGATIONS)(place, rng)
        return
    for mark in re.finditer(
        r"\b(is|was|were|are|will|can|has|have|had|would|could)\b (?!not|no\b|never|been|n't)", place.sentence
    ):
        yield place.sentence[: mark.end(1)] + " not " + place.sentence[mark.end() :], (), True
        return


def _hedges(place: Place, rng: random.Random) -> Iterator[tuple[str, tuple[str, ...], bool]]:
    for form, new in _HEDGES:
        if re.search(form + "$", place.sentence):
            yield re.sub(form + "$", new, place.sentence), (), True
    for old, new in (
        ("may", "will"),
        ("might", "will"),
        ("could", "will"),
        ("allegedly ", ""),
        ("probably ", "certainly "),
    ):
        if re.search(rf"\b{old}\b", place.sentence) and not _JAPANESE.search(place.sentence):
            yield re.sub(rf"\b{old}\b", new, place.sentence, count=1), (), True


def _quantifiers(place: Place, rng: random.Random) -> Iterator[tuple[str, tuple[str, ...], bool]]:
    text = place.sentence
    if not _JAPANESE.search(text):
        yield from _replaced(
            [
                ("some", "all"),
                ("many", "all"),
                ("most", "all"),
                ("often", "always"),
                ("sometimes", "always"),
                ("a few", "all"),
            ]
        )(place, rng)
        return
    yield from _replaced(
        [
            ("一部の", "すべての"),
            ("多くの", "すべての"),
            ("ほとんどの", "すべての"),
            ("主に", "必ず"),
            ("しばしば", "必ず"),
            ("などを", "のみを"),
        ]
    )(place, rng)
    strong = re.search(r"必ず|常に|すべて|全て|のみ|だけ|唯一|初めて|最も|最大|あらゆる|しか|最初|全", text)
    if strong is None:
        for mark in re.finditer(r"(?<=[一-鿿ァ-ヺー])(を|に|で)(?=[一-鿿])", text):
            yield text[: mark.start()] + "のみ" + text[mark.start() :], (), True
        ended = re.search(r"[一-鿿]{1,3}(?:される|する|している|されている|できる|なる|う|む|る)。$", text)
        if ended:
            yield text[: ended.start()] + rng.choice(("必ず", "常に")) + text[ended.start() :], (), True
        did = re.search(r"(?<=を|に|が)[一-鿿]{2}(?:した|された)。$", text)
        if did:
            yield text[: did.start()] + "初めて" + text[did.start() :], (), True


def _units(place: Place, rng: random.Random) -> Iterator[tuple[str, tuple[str, ...], bool]]:
    for mark in _NUMBER.finditer(place.sentence):
        rest = place.sentence[mark.end() :]
        for unit, other in _UNITS.items():
            if rest.lstrip(" ").startswith(unit) and not re.match(
                rf"\s?{re.escape(unit)}[a-zA-Z目代間]", rest
            ):
                lead = len(rest) - len(rest.lstrip(" "))
                yield place.sentence[: mark.end() + lead] + other + rest[lead + len(unit) :], (), True
                break


def _merged(place: Place, rng: random.Random) -> Iterator[tuple[str, tuple[str, ...], bool]]:
    """The subject of one sentence with what another says of its own subject."""
    subject = re.compile(r"^([一-鿿ァ-ヺーA-Za-z・]{2,15})は、?")
    mine = subject.match(place.sentence)
    if mine is None:
        return
    for other in place.others:
        theirs = subject.match(other)
        apart = (
            theirs and theirs[1] != mine[1] and theirs[1] not in place.sentence and mine[1] not in theirs[1]
        )
        if theirs and apart and _proper(mine[1]) and _proper(theirs[1]):
            yield theirs[1] + place.sentence[len(mine[1]) :], (other,), True


def _proper(text: str) -> bool:
    return any(token.part_of_speech()[1] == "固有名詞" for token in tokenizer().tokenize(text))


_KINDS: dict[str, Make] = {
    "number": _numbers,
    "numbers exchanged": _exchanged_numbers,
    "date": _dates,
    "entity": _entities,
    "entities exchanged": _exchanged_entities,
    "role": _roles,
    "negation": _negated,
    "ability": _replaced(_ABILITY),
    "direction": _directions,
    "quantifier": _quantifiers,
    "hedge": _hedges,
    "unit": _units,
    "merged": _merged,
}
