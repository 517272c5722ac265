"""Parse what a question asks for: its kind of answer, the words it will be known by, the figures and
names it insists on."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from shisho.language.names import names
from shisho.language.numbers import Figures, figures
from shisho.language.terms import fold, pairs, squeeze, terms, tokenizer
from shisho.librarian import definitions, demands


class AnswerKind(StrEnum):
    """The kind of thing that a sentence must hold to be an answer."""

    REASON = "reason"
    TIME = "time"
    PERSON = "person"
    AMOUNT = "amount"
    PLACE = "place"
    DEFINITION = "definition"
    NAME = "name"
    THING = "thing"


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """Words of a question that name one thing, as far as they are written without kana between."""

    text: str
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """A question as it is compared with sentences.

    `defined` is what it asks the meaning of, `frame` the terms that only say where to look
    (「情報通信白書では、」), `unit` the noun counted or classified (何論: 論, 何県: 県), `form` what an
    answer must look like where the noun asked for says so. `superlatives`: what else a word is written as
    (一番大きい: 最大). `lists`: several things are asked for. `compares`: how things differ. `explains`: an
    answer is more than one fact."""

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
    grades: frozenset[tuple[str, str]]
    versions: frozenset[str]
    superlatives: Mapping[str, frozenset[str]]
    lists: bool
    compares: bool
    folded: str

    @property
    def explains(self) -> bool:
        return self.lists or self.compares or self.kind is AnswerKind.REASON

    @property
    def asks_for_a_way(self) -> bool:
        return _WAY.search(self.folded) is not None

    @property
    def asks_what_is(self) -> bool:
        """True where nothing answers but a sentence that says what the thing is: 「Xとは何か」."""
        return self.defined is not None and definitions.is_asked_for(self.folded)

    @property
    def asks_yes_or_no(self) -> bool:
        if self.kind not in (AnswerKind.THING, AnswerKind.DEFINITION) or _WH_WORD.search(self.folded):
            return False
        return _YES_OR_NO.search(self.folded) is not None


_DATE_UNITS = r"年(?![間分])|月|日(?!間)|曜日|世紀|年代"
_COUNTED = (
    "人|名|個|回|本|匹|度|歳|才|社|[カかヶヵケ]国|[カかヶヵケ]月|[カか]所|km|kg|cm|mm|m|%|パーセント|メートル|キロ|円|ドル|つ|種|番|件|位|倍|分|秒|時間|"
    "年[間分]|割|議席|票|隻|頭|巻|話|色|字|文字|ページ|トン|ヘクタール|層|階|世|代目|日間|点|枚|台|校|冊|曲|作|試合|リットル|グラム"
)
# The first kind whose pattern is found is the kind of the question.
_KINDS: tuple[tuple[AnswerKind, re.Pattern[str]], ...] = (
    (
        AnswerKind.REASON,
        re.compile(
            r"なぜ|何故|どうして(?!も)|なんで|(?:理由|原因|要因)(?!は、.*何[がをに])|[たるいの](?:訳|わけ)(?:は|を|が|$|\?)|\bwhy\b|\breasons?\b|\bcauses?\b"
        ),
    ),
    (
        AnswerKind.TIME,
        re.compile(
            rf"いつ|何(?:{_DATE_UNITS}|時(?!間))|時期|年号|西暦|どの時代|\bwhen\b"
            r"|\b(?:what|which|in what) (?:year|date|day|month|century|decade)"
        ),
    ),
    (
        AnswerKind.PERSON,
        re.compile(
            r"誰|だれ|何者|人物|氏名|何という人|[人性者]の(?:お)?名前|\bwho(?:m|se)?\b|\bwhich (?:person|author|scientist)"
        ),
    ),
    (
        AnswerKind.AMOUNT,
        re.compile(
            rf"いくつ|いくら|幾つ|何(?:{_COUNTED})|何[十百千万]|どれ(?:くらい|ぐらい|ほど|だけ)|どの(?:くらい|ぐらい|程度|ほど)|割合|人口|面積|"
            r"(?:高さ|長さ|重さ|重量|深さ|距離|温度|気温|速度|数|年齢|価格|金額)は"
            r"|\bhow (?:many|much|long|far|old|high|tall|large|big|deep|often|fast)\b"
            r"|\bwhat (?:percentage|percent|number|proportion)"
        ),
    ),
    (
        AnswerKind.PLACE,
        re.compile(
            r"どこ(?!まで)|何処|場所は|何(?:県|市|州|国|区|町|村|駅|島|大陸|地方)|どの(?:国|都市|地域|県|州|街|町|大陸|地方|島)"
            r"|\bwhere\b|\b(?:what|which) (?:country|city|state|place|town|continent)"
        ),
    ),
    (
        AnswerKind.DEFINITION,
        re.compile(
            r"とは(?:何|なに|なん|どの|どう|どんな|$|[?？。、])|とい(?:う|った)(?:の|もの|言葉|用語|語)?は[^。]{0,12}(?:何|どう|どんな|どのよう)|(?:意味|定義)[はをす]|って(?:何|なに)"
            r"|^what (?:is|are) (?:an? |the )?[\w\s-]{2,40}\??$|\bdefin|\bmean"
        ),
    ),
    (
        AnswerKind.NAME,
        re.compile(
            r"何と(?:い[いうっ]|言|呼|称|名)|何という|(?:名称|呼び名|通称|別名|略称|愛称|名前)は|と(?:呼ばれる|いう|言われる)の[はが]"
            r"|\bwhat (?:name|is the name)|\bcalled\b"
        ),
    ),
)

_TIME_WORD = re.compile(
    r"[0-9一二三四五六七八九十]+世紀|世紀|年代|[0-9一二三四五六七八九十][年月日時]|元年|時代|[初中後末]期|以[降前後]|直[後前]|[上中下]旬|[春夏秋冬]|頃|\b(?:1[0-9]{3}|20[0-9]{2})s?\b"
    r"|\b(?:january|february|march|april|june|july|august|september|october|november|december|centur)"
)
_DATED = re.compile(
    rf"何(?:{_DATE_UNITS})|西暦|いつ.*た(?:の|か|$|[?。])|いつ(?:です|でした|だ)"
    r"|\bwhen (?:was|were|did|will)\b|\b(?:what|which|in what) (?:year|date|century|decade)"
)
_AMOUNT_WORD = re.compile(
    r"[0-9]|[一二三四五六七八九十百千万億兆](?=[^一-鿿]|[人個回本匹度歳才社国つ種番件位倍分秒時年か月割票隻名頭巻話色字層階])|半分|半数|複数|多数"
    r"|\b(?:half|double|twice|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|hundred|thousand|million)\b"
)
_BY_NAME = re.compile(r"誰|だれ|氏名|何という人|[人性者]の(?:お)?名前")
_PERSON_WORD = re.compile(
    r"[一-鿿]{2,}(?:氏|さん|先生|[がはをに]行|する者|の者)|担当者|[一-鿿](?:者|官|長|師|員)(?:[がはをにで、]|と[、し]|による)|国民"
)
_REASON_WORD = re.compile(
    r"ため|(?<=[のるた])為|から(?:[、。]|である|だ)|ので|こと(?:により|によって|で)|により|によって|による|理由|原因|要因|きっかけ|せいで|おかげ|目的|結果|よって|[いたるな]分、"
    r"|\bbecause|\bdue to|\bsince\b|\bin order to|\bto (?:prevent|avoid)\b|\breason|\bowing|\bcaused?\b|\bso that|\btherefore"
)
_DEFINING = re.compile(
    r"とは|こと(?:である|をいう|を指す|です|を示す|。)|(?:と(?:いう|呼ぶ|呼ばれ|称|定義)|をいう|を指す|を意味|を表す|を示す)|(?:である|です|の一種|の一つ)。?$"
    r"|\b(?:is|are) (?:an? |the |defined|called)|\bmeans\b|\brefers? to|\bdefined as|\bknown as"
)
_NAMING = re.compile(
    r"呼[ばびぶん]|と(?:いう|い[いわっ]|言|称|名付)|通称|別名|略称|愛称|名称|「|『|とも|\b(?:called|named|known as|termed)\b"
)
_PLACE_WORD = re.compile(
    r"[一-鿿ァ-ヶー]*[国県市州区町村島駅都府道部湾湖山海港寺城宮川]|[ァ-ヶー]{3,}|地方|地域|半島|大陸"
    r"|\b(?:in|at|near|from) [a-z]"
)
_NAME_WORD = re.compile(r"[ァ-ヶー・]{3,}|[一-鿿々]{2,}|[a-z][a-z'-]+ [a-z][a-z'-]+")
_UNIT = re.compile(r"何([一-鿿ァ-ヶー]{1,6}|[a-z%]+)")
_NOUNS = re.compile(r"[一-鿿々〆ヶァ-ヺー・a-z0-9*+#./&'-]+")
# In a Japanese question what is written in katakana or Latin is a name, or as good as one.
_LETTER = re.compile(r"[a-z](?![a-z])")
_NAME = re.compile(r"[ァ-ヺー・]{3,}|[a-z]{2,}")
_FRAME = re.compile(
    r"[^、。?？]{2,40}?(?:では|によると|によれば|においては?|(?:の中|の説明|の資料)で(?:は)?"
    r"|を(?:読ん|見|調べ|勉強し|学ん)でい(?:る|ます)?(?:の|ん)?(?:です|だ)?が|(?:について|のこと)(?:な)?(?:の|ん)ですが)、"
    r"|(?:according to|in) [^,?]{2,40},\s",
)
_DEFINED = re.compile(
    r"(?:」|』)?(?:とは|という(?:の|もの|言葉|用語|語)?は|って(?:何|なに|どう)|の(?:定義|意味)(?:を|は|$|[?？])|は(?:何|なん)(?:です|でしょう)?か?[?？。]?$)"
)
_DEFINED_ENGLISH = re.compile(
    r"^(?:please )?(?:what (?:is|are) (?:meant by )?|define )(?:an? |the )?([\w\s*+-]{2,40}?)\??$"
)
_LISTS = re.compile(
    r"挙げ|列挙|列記|すべて|全て|全部|一覧|(?:誰と誰|何と何|どこと(?:どこ|何処))|リストアップ|何が(?:あ|含|必要)|(?:どんな|どのような|どういう|どういった)[^。?？]{1,20}(?:があ|が含|ですか|か[?？。]?$)"
    r"|種類|手順|手続|方法|やり方|条件|要件|項目|書類|措置|使い道|用途|方針|流れ|ポイント|留意点|注意点|特徴|役割|メリット|デメリット|対策|[2-9二三四五六七八九]つ"
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
_WAY = re.compile(
    r"どうす(?:れば|る)|どうや(?:って|れば)|どのように(?:す|設|実|行)|方法|手順|措置|やり方|仕方|しかた|するには"
    r"|\bhow (?:to|do|does|can|should)\b"
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
        "ever realli actual still also just about get got per reason kind instead yet s m re ve ll",
    )
    for word in line.split()
)


@lru_cache(maxsize=256)
def read(question: str) -> ParsedQuestion:
    """A question, read once."""
    folded = fold(question)
    words = terms(folded)
    told_words = [word for word in words if word not in _ASKING] or words
    kept_words = set(told_words)
    counted = _UNIT.search(folded)
    framed = _FRAME.match(folded)
    asked_text = folded[framed.end() :] if framed else folded
    inner_words = frozenset(terms(asked_text))
    nouns = _NOUNS.findall(asked_text)
    runs = [(run, tuple(term for term in terms(run) if term in kept_words)) for run in nouns]
    phrases = tuple(NounPhrase(run, words_of_run) for run, words_of_run in runs if words_of_run)
    return ParsedQuestion(
        kind=next((kind for kind, pattern in _KINDS if pattern.search(folded)), AnswerKind.THING),
        terms=tuple(dict.fromkeys(told_words)),
        phrases=phrases,
        defined=_defined(asked_text, phrases),
        frame=frozenset(told_words) - inner_words,
        names=_names(question, phrases, counted[1] if counted else ""),
        pairs=frozenset(pairs(folded)),
        triples=_triples(squeeze(folded)),
        figures=figures(question),
        quoted=tuple(fold(phrase) for phrase in _QUOTED.findall(question)),
        unit=counted[1] if counted else "",
        form=demands.form(folded),
        labels=demands.labels(folded),
        grades=demands.grades(folded),
        versions=demands.versions(folded),
        superlatives=_superlatives(folded),
        lists=_LISTS.search(folded) is not None,
        compares=_COMPARES.search(folded) is not None,
        folded=folded,
    )


def strip_frame(question: str) -> str:
    """The question without the words before it that only say where to look."""
    framed = _FRAME.match(question)
    return question[framed.end() :] if framed else question


def _defined(folded: str, phrases: Sequence[NounPhrase]) -> NounPhrase | None:
    """The thing whose meaning is asked for: what stands right before とは, 「の定義」, "What is …"."""
    if match := _DEFINED_ENGLISH.match(folded):
        return NounPhrase(match[1], tuple(terms(match[1])))
    match = _DEFINED.search(folded)
    if match is None:
        return None
    before = folded[: match.start()]
    return next((phrase for phrase in reversed(phrases) if before.endswith(phrase.text)), None)


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
    all_names = (written - _common_words(question)) | names(question)
    counted_words = frozenset(terms(unit))
    return tuple(term for term in own_words if term in all_names and term not in counted_words)


def _common_words(question: str) -> frozenset[str]:
    """The terms of what the dictionary has and does not call a name: タイミング, ブランド."""
    tokens = tokenizer().tokenize(question)
    common = (token for token in tokens if token.part_of_speech()[1] != "固有名詞" and not token.is_oov())
    return frozenset(term for token in common for term in terms(token.surface()))


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


def asks_for_a_date(question: ParsedQuestion) -> bool:
    """True where no sentence without a time answers: a year is asked for, or when something was. When to do
    something may be told by a condition."""
    return question.kind is AnswerKind.TIME and _DATED.search(question.folded) is not None


def answers(question: ParsedQuestion, sentence: str) -> bool:
    """True where a folded sentence holds something of the kind asked for that the question did not bring
    itself."""
    if question.kind is AnswerKind.REASON:
        return _REASON_WORD.search(sentence) is not None
    if question.kind is AnswerKind.DEFINITION:
        return _DEFINING.search(sentence) is not None
    if question.kind is AnswerKind.NAME:
        return _NAMING.search(sentence) is not None
    if question.kind is AnswerKind.PERSON and _BY_NAME.search(question.folded):
        return bool(names(sentence) - names(question.folded)) or _PERSON_WORD.search(sentence) is not None
    word = _WORD_OF.get(question.kind)
    return word is None or any(match[0] not in question.folded for match in word.finditer(sentence))


_WORD_OF = {
    AnswerKind.TIME: _TIME_WORD,
    AnswerKind.AMOUNT: _AMOUNT_WORD,
    AnswerKind.PLACE: _PLACE_WORD,
    AnswerKind.PERSON: _NAME_WORD,
}
