"""A sentence as phrases: its content words, what particle or preposition hangs on them, and what is said of
its predicates.

No parser: Sudachi's parts of speech, the particles, and the order of words. Good enough to see who does what
to whom in most sentences, at about a millisecond each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from shisho.language import english
from shisho.language.names import names
from shisho.language.numbers import Date, FigurePlace, Measure, figure_places, fold_figures
from shisho.language.phrase import Phrase, Statement
from shisho.language.polarity import is_negated
from shisho.language.sentences import sentences
from shisho.language.terms import CONTENT, fold, tokenizer
from shisho.language.weights import STRONG, word_set

END_CHARS = 16  # of a sentence, where Japanese says how sure it is
HOLE = "\ue000"  # stands for a figure while Sudachi reads the rest
_JAPANESE = re.compile(r"[ぁ-んァ-ヺ一-鿿々]")
_BETWEEN_WIDE = re.compile(r"(?<=[^\x00-\xff])\s+(?=[^\x00-\xff])|(?<=[^\x00-\xff])\n+|\n+(?=[^\x00-\xff])")
_ABOUT = re.compile("おおよそ|およそ")  # which the dictionary reads as 御余所 after a particle
_ALONE = re.compile("(?<=[一-鿿ァ-ヺー])のみ(?=[をにでがはと、])")  # 水のみで is no 水飲み
_NOUN = frozenset({"名詞", "代名詞", "形状詞", "接頭辞", "接尾辞", "記号"})
# Words that only say how sure, when or whether, where they follow a predicate; they belong to its tail.
_LIGHT = word_set(
    "事 こと 物 もの 場合 時 際 為 よう 様 筈 可能 可能性 性 恐れ 虞 訳 必要 説 推定 推測 積もり 予定 見込み ところ",
    "所 考える 言う 思う 見る 居る 有る 成る 為る 置く 来る 行く 仕舞う 得る 兼ねる 出来る 呉れる 貰う 頂く 下さる",
    "過ぎる 欲しい 義務 無い 高い 低い 指摘 報告 見なす 述べる 評価 始める 続ける",
)
_OF_PARTICLES = {
    "に": word_set("因る 対する 関する 基づく 於く 取る 伴う 渡る よる おく 就く"),
    "を": word_set("通ずる 除く"),
    "と": word_set("為る 言う 見る 考える 評する 推定 推測 限る"),
}
_LIGHT_AFTER_TO = word_set("言う 考える 思う 見る 為る 推定 推測 見なす 述べる 指摘 報告 主張")
_BARE = word_set(
    "上 的 性 化 用 者 達 間 等 共"
)  # suffixes that change the kind of a word, little of its meaning
_COMPOUND_PARTICLE = (
    r"によって|により|による|に対して|に対し|に対する|に関して|に関する|について|において|における|にとって|にわたって|に伴って|に伴い|に基づいて|に基づき|"
    r"に基づく|との間で|との間の|との間に|とともに|という|といった|を通じて|を通して|を除く|を除いて|として|とともに|と共に|からの|への|での|との|までの|には|では|とは|からは|へは|までは|よりも|より|にも|でも|"
    r"から|まで|へ|に|を|が|は|も|と|や|か|で|の"
)
_ONLY = re.compile(r"^[」』）)】\"”]*(?:から|に|へ|で|と)?(?:のみ|だけ|しか)(?!なら|でな|では?なく)")
_ONLY_WHEN = re.compile(r"(?:際|時|とき|場合)に?(?:のみ|だけ)|(?:際|時|とき|場合)しか")
_ROLE = re.compile(
    rf"^[」』）)】\"”》〉]*(?:のみ|だけ|しか|ばかり|など|等|ほど|程度|ごろ|頃|ころ|くらい|ぐらい|ずつ)*({_COMPOUND_PARTICLE})?"
)
_COPULA = re.compile(
    r"^[」』）)】\"”》〉]*(?:(?:から|まで|より)?と(?:も|は)?(?:限ら|され|見られ|みられ|言われ|いわれ|考えられ|評され|推定|推測)|だ|です|である|であ|でした|だった|で(?:は|も)?な|じゃな|でし|であっ|で、|だろ|でしょ)"
)
_PASSIVE = re.compile(r"(?:^|[さらかがたなばまわせ])れ(?!ば)|られ")
_CAUSE = re.compile(r"^(?:さ)?せ(?!ず|ん)|させ")
_MUST = re.compile(
    r"なければ(?:なら|いけ)|なくては(?:なら|いけ)|ねばなら|べき|必要(?:が|の|で)|義務|ことになってい|てください|こと。?$|(?:禁止|厳禁)"
)
_ABLE = re.compile(r"でき|可能|こと(?:が|も)出来|得る|うる|得な|えな")
_IF = re.compile(
    r"(?:[いえけせてねべめれ]ば|たら|なら(?!な|ず|び)|場合(?:は|に|、)|ときは?、|時は?、|とすれば|としても|ても|でも、|限り|くても|ると、)"
)
_MAYBE = re.compile(
    r"可能性|(?:^|[おこそとのもよろ])うと(?:し|す)|かもしれ|かも知れ|だろう|でしょう|まい[。、]?$|恐れ|おそれ"
    r"|はずで|はずだ|らしい|ようで|ようだ|そうだ|見込み|予定|つもり|たい[。、]|得る|うる|かねな|(?:という|との|とする)(?:説|指摘|見方)"
    r"|とも?(?:みられ|見られ|思われ|され|いわれ|言われ|考えら|みなさ|推定|推測|評|主張|述べ|指摘|報告|書い|書く|記し|語っ|語る|話し|伝え|証言)"
)
_INTENDED = re.compile(r"と(?:も)?(?:し|す)")  # 止まろうとする
_QUOTING = re.compile(r"と(?:も)?(?:の|さ|い|言|考|思|み|見|推|評|述|指|報)")
# Neither a concession (変動することがあっても) nor a reason (未導入だったこともあり、) says that it happens
# only at times.
_SOMETIMES = re.compile(r"(?:こと|場合)(?:が|も)(?:あ(?!って|り、)|多)")


def phrases(text: str) -> tuple[Statement, ...]:
    """The sentences of a text as phrases, in its order. Takes any text, however hostile."""
    return _read(text[:20_000])


_REPORTING = re.compile(r"とも?(?:述べ|書[いく]|記し|語[っる]|話し|主張|証言|報告|指摘)")
_ATTRIBUTED = re.compile(
    r"に(?:よると|よれば|いわせれば)|の(?:話|回想|証言|説|報告)(?:では|で、)|\b(?:according to|said|says|reported)\b"
)


def is_attributed(sentence: str) -> bool:
    """True where a folded sentence names whose word it gives."""
    return bool(_ATTRIBUTED.search(sentence))


def reports(sentence: str, source: str) -> bool:
    """True where a folded sentence names whose word it gives, and its source is unsure of nothing but
    that."""
    return is_attributed(sentence) and not (
        english.hedges(source) or _MAYBE.search(_REPORTING.sub("", source))
    )


def hedges(sentence: str) -> int:
    """How often a folded sentence says that it may not be so: in English anywhere, in Japanese at its end."""
    if not _JAPANESE.search(sentence):
        return english.hedges(sentence)
    end = sentence[-END_CHARS:]
    return len(_MAYBE.findall(end)) + len(_SOMETIMES.findall(end))


def denies(sentence: str) -> int:
    """The denials of a folded sentence: in English all, in Japanese whether its end denies."""
    return (
        int(is_negated(sentence[-END_CHARS // 2 :]))
        if _JAPANESE.search(sentence)
        else english.denials(sentence)
    )


@lru_cache(maxsize=1_000)
def _read(text: str) -> tuple[Statement, ...]:
    known_words = names(text)
    plain = fold_figures(text)
    if _JAPANESE.search(plain):
        plain = _ALONE.sub("だけ", _ABOUT.sub("約", _BETWEEN_WIDE.sub("", plain)))
    return tuple(_statement(plain[start:end], known_words) for start, end in sentences(plain))


def _statement(plain: str, known_words: frozenset[str]) -> Statement:
    places = figure_places(plain)
    if not _JAPANESE.search(plain):
        return english.statement(plain, places, known_words)
    return Statement(plain, tuple(_Reader(plain, places, known_words).phrases()))


@dataclass(slots=True)
class _Draft:
    """A phrase while it is being read."""

    terms: list[str] = field(default_factory=list)
    surface: str = ""
    figures: list[Date | Measure] = field(default_factory=list)
    tail: str = ""
    predicate: bool = False
    name: bool = False
    adverb: bool = False
    absent: bool = False


class _Reader:
    """Reads one Japanese sentence."""

    def __init__(self, plain: str, places: list[FigurePlace], known_words: frozenset[str]) -> None:
        self._figures = [place.figure for place in places]
        self._known = known_words
        self._done: list[_Draft] = []
        self._now = _Draft()
        self._holed = _holed(plain, places)

    def phrases(self) -> Iterator[Phrase]:
        """The phrases in order."""
        for token in tokenizer().tokenize(self._holed[:8_000]):
            self._take(token, token.surface(), token.part_of_speech(), fold(token.normalized_form()))
        self._flush()
        aside = False
        only = False
        for draft, after in zip(self._done, [*self._done, None][1:], strict=True):
            phrase = _phrase(draft, after, aside)
            if phrase.predicate and only:  # しか … ない
                phrase = replace(phrase, marks=phrase.marks ^ {"not"})
            only = "しか" in draft.tail or (only and not phrase.predicate)
            aside = _inside(draft.tail, aside)
            yield phrase

    def _take(self, token: Any, surface: str, part: tuple[str, ...], term: str) -> None:
        now = self._now
        if HOLE in surface:
            self._noun(surface, "", self._figures[: surface.count(HOLE)])
            del self._figures[: surface.count(HOLE)]
        elif self._in_tail(surface, part, term):
            now.tail += surface
        elif part[0] == "動詞" and term in ("為る", "出来る", "致す") and now.surface and not now.tail:
            now.predicate = True
            now.tail = now.tail + surface
        elif part[0] in ("動詞", "形容詞"):
            self._flush()
            # There is none: denied being.
            absent = part[0] == "形容詞" and term == "無い"
            self._now = _Draft(["有る" if absent else term], surface, predicate=True, absent=absent)
        elif part[0] in ("副詞", "連体詞"):
            self._flush()
            if part[0] == "副詞" or term in STRONG or surface.endswith(("きな", "さな", "同じ")):
                self._now = _Draft([term], surface, adverb=True)
                self._flush()
        elif part[0] in _NOUN and part[0] in CONTENT | {"代名詞", "記号"}:
            name = part[1] == "固有名詞" or (token.is_oov() and bool(re.fullmatch(r"[ァ-ヺー]{3,}", surface)))
            name = name or (fold(surface) in self._known and surface.isascii())
            self._noun(surface, term, [], name=name, bare=part[0] == "接尾辞" and term in _BARE)
        else:
            now.tail += surface

    def _in_tail(self, surface: str, part: tuple[str, ...], term: str) -> bool:
        """True where the word belongs to what is said of the predicate before it."""
        now = self._now
        if surface.startswith("ともさ"):  # とも + される, which the dictionary reads as 灯す
            return True
        nominal = term in _LIGHT and part[0] in ("名詞", "形状詞")
        if not now.predicate or not (now.tail or part[1] == "非自立可能" or nominal):
            # 人気が無い is a predicate of its own; 王では無い and 可能性が有る after a noun are not.
            if term in ("有る", "無い") and (
                now.tail.endswith(("で", "では", "でも", "じゃ")) or _COPULA.match(now.tail)
            ):
                return True
            if term in _LIGHT and _COPULA.match(now.tail):
                return True
            last = "と" if now.tail.endswith(("とも", "とは")) else now.tail[-1:]
            return term in _OF_PARTICLES.get(last, ())
        if "、" in now.tail and term not in ("言う", "考える"):
            return False
        if part[0] == "動詞" and part[1] == "非自立可能":
            return not now.tail or bool(
                re.search(
                    r"(?:[てでば]|つつ|[れせ]|に|と|が|も|は|う|る|す|く|っ|き|し|い|り|み|ち|び|え|け|せ|め|べ|げ)$",
                    now.tail,
                )
            )
        if term in _LIGHT_AFTER_TO and now.tail.endswith(("と", "とも", "との")):
            return True
        return (
            term in _LIGHT
            and part[0] in ("名詞", "形状詞", "形容詞", "接尾辞")
            and bool(now.tail or term in ("事", "こと", "為", "よう", "場合"))
        )

    def _noun(
        self, surface: str, term: str, figures: list[Any], *, name: bool = False, bare: bool = False
    ) -> None:
        now = self._now
        if now.tail or now.predicate or now.adverb:
            self._flush()
            now = self._now
        now.surface += surface
        now.terms += [] if not term or (bare and now.terms) else [term]
        now.figures += figures
        now.name = now.name or name

    def _flush(self) -> None:
        if self._now.surface:
            self._done.append(self._now)
        elif self._done:
            self._done[-1].tail += self._now.tail
        self._now = _Draft()


def _holed(plain: str, places: list[FigurePlace]) -> str:
    pieces = []
    at = 0
    for place in places:
        pieces += [plain[at : place.start].replace(HOLE, " "), HOLE]
        at = place.end
    return "".join([*pieces, plain[at:].replace(HOLE, " ")])


def _inside(tail: str, aside: bool) -> bool:
    """True where the next phrase stands in brackets."""
    last = max(tail.rfind("("), tail.rfind(")"))
    return aside if last < 0 else tail[last] == "("


def _phrase(draft: _Draft, after: _Draft | None, aside: bool) -> Phrase:
    tail = draft.tail
    role = _ROLE.match(tail)
    copula = not draft.predicate and not draft.adverb and bool(_COPULA.match(tail))
    is_ended = not draft.predicate and not draft.adverb and (after is None and not (role and role[1]))
    predicate = draft.predicate or copula or is_ended
    return Phrase(
        terms=tuple(draft.terms),
        surface=draft.surface.replace(HOLE, ""),
        role="" if predicate else (role[1] or "") if role else "",
        predicate=predicate,
        adverb=draft.adverb,
        figures=tuple(draft.figures),
        name=draft.name,
        marks=frozenset(_marks(tail, predicate, draft.surface)) ^ ({"not"} if draft.absent else set()),
        broken="、" in tail or "," in tail,
        aside=aside,
    )


def _marks(tail: str, predicate: bool, surface: str) -> Iterator[str]:
    if _ONLY.search(tail) or (predicate and _ONLY_WHEN.search(tail)):
        yield "only"
    if not predicate:
        return
    if is_negated(tail):
        yield "not"
    if surface.endswith("う") and _INTENDED.match(tail):
        yield "maybe"
    own_part = _QUOTING.split(tail, maxsplit=1)[0]
    for mark, form in (
        ("passive", _PASSIVE),
        ("cause", _CAUSE),
        ("must", _MUST),
        ("able", _ABLE),
        ("if", _IF),
        ("maybe", _MAYBE),
        ("sometimes", _SOMETIMES),
    ):
        if form.search(own_part if mark in ("passive", "cause") else tail) and not (
            mark == "if" and _MUST.search(tail)
        ):
            yield mark
