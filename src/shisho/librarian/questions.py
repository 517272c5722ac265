"""Parse what a question asks for: its kind of answer, the words it will be known by, the figures and
names it insists on."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from typing import Any

from shisho.language.names import names
from shisho.language.numbers import Figures, figures
from shisho.language.terms import fold, pairs, squeeze, terms, tokenizer
from shisho.librarian import answer_kinds, definitions, demands
from shisho.librarian.answer_kinds import AnswerKind
from shisho.librarian.asking_words import spell_asking_words
from shisho.librarian.designations import Designation, find_designations
from shisho.librarian.splitting import split_told


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """Words of a question that name one thing, as far as they are written without kana between."""

    text: str
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """A question as it is compared with sentences.

    `defined` is what it asks the meaning of, `frame` the terms that only say where to look
    (「情報通信白書では、」), what was told before anything is asked, or how to answer (「三文字で」),
    `unit` the noun counted or classified (何論: 論, 何県: 県), `form` what an answer must look like where the
    noun asked for says so. `superlatives`: what else a word is written as (一番大きい: 最大). `lists`:
    several things are asked for. `compares`: how things differ. `explains`: an answer is more than one fact.
    `asking`: the part of `folded` that asks."""

    kind: AnswerKind
    terms: tuple[str, ...]
    phrases: tuple[NounPhrase, ...]
    defined: NounPhrase | None
    frame: frozenset[str]
    names: tuple[str, ...]
    pairs: frozenset[str]
    triples: frozenset[str]
    figures: Figures
    quoted: tuple[str, ...]
    unit: str
    form: re.Pattern[str] | None
    labels: frozenset[str]
    designations: frozenset[Designation]
    versions: frozenset[str]
    superlatives: Mapping[str, frozenset[str]]
    lists: bool
    compares: bool
    folded: str
    asking: str

    @property
    def explains(self) -> bool:
        return self.lists or self.compares or self.kind is AnswerKind.REASON

    @property
    def asks_for_a_way(self) -> bool:
        return _WAY.search(self.asking) is not None

    @property
    def asks_what_is(self) -> bool:
        """True where nothing answers but a sentence that says what the thing is: 「Xとは何か」. One with kana
        in its name has other spellings and synonyms (誤り: 過誤), by which it may be defined."""
        is_written_alike = self.defined is not None and any(
            phrase.text == self.defined.text for phrase in self.phrases
        )
        return is_written_alike and definitions.is_asked_for(self.asking)

    @property
    def asks_for_a_date(self) -> bool:
        return self.kind is AnswerKind.TIME and answer_kinds.is_dated(self.asking)

    @property
    def asks_yes_or_no(self) -> bool:
        if self.kind not in (AnswerKind.THING, AnswerKind.DEFINITION) or _WH_WORD.search(self.asking):
            return False
        return _YES_OR_NO.search(self.asking) is not None and not _REQUEST.search(self.asking)

    def is_answered_by(self, sentence: str, title: str = "", labels: frozenset[str] = frozenset()) -> bool:
        """True where a folded sentence, or for it its document's title or the labels of its columns (terms),
        holds something of the kind asked for that the question did not bring itself."""
        said = answer_kinds.brings(self.kind, self.folded, sentence)
        said = said or answer_kinds.is_in_column_of(self.kind, labels)
        return said or answer_kinds.is_of_its_title(self.kind, self.folded, sentence, title)


ENOUGH_ASKED = 3  # words that ask by themselves: with fewer, what was told first is asked about
_UNIT = re.compile(r"何[十百千万億]*((?:か(?=[国所月]))?[一-鿿ァ-ヶー]{1,6}+|[a-z%]++)(?!も(?!ら))")
# In a Japanese question what is written in katakana or Latin is a name, or as good as one.
_ONLY_ASKS = re.compile(
    rf"{demands.HOW_OFTEN}|\bdo (?:i|we|you|they) need\b|\bhow (?:long|old|far|soon)\b"
    r"|\b(?:version|release)(?= v?[0-9])|バージョン(?=\s*[0-9])|[てで]はいけな"
    r"|(?<=[うくすつぬむるぐぶいただな])[一-鿿ァ-ヶー]{1,6}(?=は(?:どれ|どちら))"
)
_LETTER = re.compile(r"[a-z](?![a-z])")
_NAME = re.compile(r"[ァ-ヺー・]{3,}|[a-z]{2,}")
_BEHIND_A_TOPIC = frozenset({"は", "と", "って"})
_LISTS = re.compile(
    r"挙げ|列挙|列記|すべて|全て|全部|一覧|(?:誰と誰|何と何|どれとどれ|どこと(?:どこ|何処))|リストアップ|何が(?:あ|含|必要)|(?:どんな|どのような|どういう|どういった)[^。?？]{1,20}(?:があ|が含|ですか|か[?？。]?$)"
    r"|種類|手順|手続|方法|やり方|条件(?!を満)|要件(?!を満)|項目|書類|措置|使い道|用途|方針|流れ(?=[はをがと]|$|[?？。])|ポイント|留意点|注意点|特徴|役割(?!を[果担])|メリット|デメリット|対策|[2-9二三四五六七八九]つ"
    r"|どうす(?:れば|る)|どうや(?:って|れば)|\b(?:list|which|steps?|what are|kinds?|types?|how (?:to|do|can))\b"
)
_COMPARES = re.compile(
    r"違い|違う|違って|異な|差(?:は|が|を|異)|相違|比較|比べ|対比|長所と短所|メリットとデメリット"
    r"|\b(?:compare|compared|differ\w*|versus|vs|distinguish\w*)\b"
)
_WH_WORD = re.compile(
    r"何|誰|いつ|どこ|どれ|どの|どう|どん|いくら|いくつ|なぜ|\b(?:what|who|when|where|why|how|which)\b"
)
_YES_OR_NO = re.compile(
    r"(?:ます|です|でしょう|る|い|の|た|ない|せん|よい|いい)(?:ん|の)?(?:です)?(?:でしょう)?か?[。?？]*$"
    r"|^(?:is|are|was|were|do|does|did|can|could|has|have|had|will|would|should|must|may)\b"
)
_REQUEST = re.compile(
    r"(?:知りたい|教えて|おしえて|ほしい|欲しい|ください|下さい|願い|頼み|挙げて|列挙|説明|まとめて|示して|並べて)[^、。]{0,12}[。?？]*$"
)
_WAY = re.compile(
    r"どうす(?:れば|る)|どうや(?:って|れば)|どのように(?:す|設|実|行)|方法|手順|措置|やり方|仕方|しかた|するには"
    r"|どう[^、。?？は]{0,8}[えけせてねべめれげ]ば(?:いい|良い|よい|よろしい)|何をすれば|[うくすつぬむるぐぶ]には[。?？]*$"
    r"|\bhow (?:to|do|does|can|should)\b"
    r"|\bwhat (?:do|must|should) (?:i|we|you|one) (?:(?:have|need) to )?(?:do|set up|change|add|run|type|write|enter)\b"
)
# What is to be done, and what can, must or must not be.
_ACTION = re.compile(
    r"クリック|選択|押し|押す|入力|指定|設定|実行|使用|利用|用い|使[いうっ]|開[いくき]|ください|します。|すること|必要が|しなければ|なければなりません"
    r"|を行[いうっ]|\b(?:click|select|press|enter|choose|use|set|specify|run|open|must|need to|should|by \w+ing|you can)\b"
)
_GRANT = re.compile(
    r"でき|可能|なければ|べき|必要|禁止|てはい[けな]|ません|ない|違反|認め|許|義務|こととされ"
    r"|\b(?:not|no|never|must|may|can|cannot|should|only|allowed|required|barred)\b|n't"
)
_SUPERLATIVE = {
    "大きい": "最大",
    "高い": "最高",
    "多い": "最多",
    "長い": "最長",
    "古い": "最古",
    "新しい": "最新",
    "小さい": "最小",
    "低い": "最低",
    "少ない": "最少",
    "短い": "最短",
    "速い": "最速",
    "強い": "最強",
    "広い": "最大",
    "深い": "最深",
    "良い": "最良",
    "早い": "最初",
}
_DECADE = re.compile(r"[0-9０-９]{2,4}年代")  # 1992年 is of it
# A sentence with its predicate: not 「…について2点。」, "vsftpd:".
_TELLS = re.compile(r"[うくすつぬむるぐぶいただ](?:です|ね|よ)?。$|[a-z\"')]\.$")
_QUOTED = re.compile(r"[「『\"“]([^」』\"”]{2,60})[」』\"”]")
# Words that ask, name the asking, or carry no meaning of their own, as index terms are written.
_ASKING = frozenset(
    word
    for line in (
        "何 誰 何れ 何時 何処 何方 幾つ 幾ら 何故 如何 言う 呼ぶ 称する 為る 成る 有る 居る 出来る 事 物 所 時",
        "名前 名称 呼び名 名 意味 どの どんな 此の 其の 其れ 此れ 此処 そう 良い 答える 教える 説明 述べる 下さる 知る 御",
        "どういう 如何 指す 具体 遣る 貰う 呉れる 詳しい 解る 分かる 訳 全部 挙げる 列挙 示す 願う 思う",
        "一体 そもそも 書く 下記 どう どのような 何分 いつ頃 幾 其々 先ず 宜しい 構う 大丈夫 駄目 欲しい 為さる 仕舞う",
        "さん の 為 因る 於く 就く 対する 関する か月",
        "mani much were would could should may might tell explain describ name call mean give find say ani some pleas",
        "ever realli actual still also just about get got per reason kind instead yet s m re ve ll happen",
    )
    for word in line.split()
)


@lru_cache(maxsize=256)
def read(question: str) -> ParsedQuestion:
    """A question, read once."""
    folded = spell_asking_words(fold(question))
    lead_up, asking = split_told(folded)
    if word_met := definitions.find_word_met(lead_up, asking):
        asking = f"「{word_met}」とは"
    kind = answer_kinds.find_kind(asking)
    words = terms(folded)
    told_words = [word for word in words if word not in _ASKING and word[0] != "何"] or words
    if kind is AnswerKind.PERSON:
        told_words = [word for word in told_words if word != "者"] or told_words  # 欠席: 渡辺
    kept_words = frozenset(told_words)
    unit = _unit(asking)
    nouns = definitions.NOUNS.findall(folded)
    runs = [(run, tuple(term for term in terms(run) if term in kept_words)) for run in nouns]
    phrases = tuple(NounPhrase(run, words_of_run) for run, words_of_run in runs if words_of_run)
    own_names = _names(question, phrases, unit)
    return ParsedQuestion(
        kind=kind,
        terms=tuple(dict.fromkeys(told_words)),
        phrases=phrases,
        defined=_defined(asking, kept_words),
        frame=_background(lead_up, asking, told_words, own_names) | (_words_that_ask(asking) & kept_words),
        names=own_names,
        pairs=frozenset(pairs(folded)),
        triples=_triples(squeeze(folded)),
        figures=figures(_DECADE.sub("", question)),
        quoted=tuple(fold(phrase) for phrase in _QUOTED.findall(question)),
        unit=unit,
        form=demands.form(asking),
        labels=demands.labels(folded),
        designations=find_designations(folded),
        versions=demands.versions(folded),
        superlatives=_superlatives(folded),
        lists=_LISTS.search(asking) is not None,
        compares=_COMPARES.search(asking) is not None,
        folded=folded,
        asking=asking,
    )


def _background(
    lead_up: str, asking: str, told_words: Sequence[str], own_names: Sequence[str]
) -> frozenset[str]:
    """The terms that only the lead-up has and that name nothing, where what is asked has words enough of its
    own."""
    asked_words = frozenset(terms(asking)) & frozenset(told_words)
    if len(asked_words) < ENOUGH_ASKED or not _TELLS.search(lead_up.rstrip()):
        return frozenset()
    return frozenset(told_words) - asked_words - frozenset(own_names)


def _words_that_ask(asking: str) -> frozenset[str]:
    """The terms of 「どのくらいの頻度で」 and "do I need": a rate need not be called one."""
    return frozenset(word for part in _ONLY_ASKS.findall(asking) for word in terms(part))


def _defined(folded: str, kept_words: frozenset[str]) -> NounPhrase | None:
    """The thing whose meaning is asked for, unless only words that ask are left: 「その名前は何ですか」."""
    thing = definitions.find_defined_thing(folded)
    words_of_thing = tuple(term for term in terms(thing) if term in kept_words)
    return NounPhrase(thing, words_of_thing) if words_of_thing else None


def _unit(folded: str) -> str:
    """The noun that is counted or classified: of 「何人兄弟」 its first word."""
    match = _UNIT.search(folded)
    if match is None or match[1].isascii():
        return match[1] if match else ""
    noun: str = tokenizer().tokenize(match[1])[0].surface()
    return noun


def _superlatives(folded: str) -> Mapping[str, frozenset[str]]:
    """Each word of a superlative with the terms that say it in another way."""
    also: dict[str, set[str]] = {}
    for adjective, short in _SUPERLATIVE.items():
        if re.search(rf"(?:一番|いちばん|最も|もっとも){adjective[:-1]}[いくなかけ]", folded):
            for word in ("一番", "最も", adjective):
                also.setdefault(word, set()).update((*terms(short), "最も", "一番"))
        elif short in folded:
            for word in terms(short):
                also.setdefault(word, set()).add(adjective)
    return {word: frozenset(others - {word}) for word, others in also.items()}


def _names(question: str, phrases: Sequence[NounPhrase], unit: str) -> tuple[str, ...]:
    """The terms of what has a name, but for the unit of 「何パーセント」. In English that is what has a
    capital inside the question."""
    if question.isascii():
        inside = " ".join(question.split()[1:])
        # A letter is no name: R-squared is written R² as well.
        words = [name for name in sorted(names(inside)) if not _LETTER.match(name)]
        return tuple(term for word in words for term in terms(word))
    own_words = dict.fromkeys(term for phrase in phrases for term in phrase.terms)
    written = frozenset(term for phrase in phrases if _NAME.search(phrase.text) for term in phrase.terms)
    # Alone a name may be cut otherwise: 平等院 is one word before 鳳凰堂 and two by itself.
    all_names = (written | names(question)) - _common_words(question)
    counted_words = frozenset(terms(unit))
    return tuple(term for term in own_words if term in all_names and term not in counted_words)


def _common_words(question: str) -> frozenset[str]:
    """The terms of what the dictionary has and does not call a name: タイミング, ブランド. What the question
    is about is as good as one: 「マルウェアとは何か」."""
    tokens = list(tokenizer().tokenize(question))
    common = (
        token
        for token, following in zip_longest(tokens, tokens[1:])
        if not (_is_name(token) or (following and following.surface() in _BEHIND_A_TOPIC))
    )
    return frozenset(term for token in common for term in terms(token.surface()))


def _is_name(token: Any) -> bool:
    return bool(token.part_of_speech()[1] == "固有名詞" or token.is_oov())


def _triples(dense: str) -> frozenset[str]:
    """Every three letters that follow each other."""
    return frozenset(dense[start : start + 3] for start in range(len(dense) - 2))


def defines(question: ParsedQuestion, line: str) -> bool:
    """True where a folded sentence says what the thing is whose meaning is asked for."""
    return question.defined is not None and definitions.defines(question.defined.text, line)


def acts(folded: str) -> bool:
    """True where a folded text says what to do."""
    return _ACTION.search(folded) is not None


def grants(folded: str) -> bool:
    """True where a folded text says what can, must or must not be."""
    return _GRANT.search(folded) is not None
