"""Sentences that say what a thing is, and the questions that nothing else answers. Pure rules by form."""

from __future__ import annotations

import re
from functools import lru_cache

from shisho.language.keywords import keywords

_BETWEEN = r"(?:は|、|一体|いったい|要するに|つまり|結局|そもそも|具体的に)*"
_SORT = (
    r"(?:どうい(?:う|った)|どんな|どのような)[^。?？、]{0,15}?"
    r"(?:こと|もの|物|意味|仕組み|しくみ|制度|概念|考え方|状態|病気|言葉|用語|方法|手法)"
    r"(?:を(?:意味|指)|です|でしょう|な|だ|か|$|[?？])"
)
_WHAT = r"(?:何|なに|なん)(?:です|でしょう|の|な|だ|か|を(?:意味|指)|$|[?？。])"
# As people say it: 「Xって要するにどういうこと?」「Xというのは、そもそも何ですか」「Xは何を指すのか」.
SPOKEN = (
    rf"って(?:(?:い|言)う(?:の|もの|言葉|用語|語)?)?{_BETWEEN}(?:{_SORT}|{_WHAT})"
    rf"|という(?:の|[^、。?？\s]{{1,4}})は{_BETWEEN}(?:{_SORT}|{_WHAT})|は何を(?:意味|指)"
)
_ASKED_OF = re.compile(
    rf"[」』\"”]?(?:{SPOKEN}|とは|という(?:の|もの|言葉|用語|語)?は|の(?:定義|意味)(?:を|は|$|[?？])"
    r"|は(?:何|なん)(?:です|でしょう)?か?[?？。]?$)"
)
NOUNS = re.compile(r"[一-鿿々〆ヶァ-ヺー・a-z0-9*+#./&'-]+")
# 「…で「進入」という言い方を見かけました。ルビがどういう位置に来ている状態を言うのでしょうか」
_WORD_MET = re.compile(
    r"[「『\"“]([^「『\"“」』”]{1,40})[」』\"”](?:とか)?(?:という|っていう|って|なる)(?:言い方|用語|言葉|ことば|単語|語|表現|呼び方|呼び名|名前|概念)"
    r"|\bthe (?:word|term|expression|phrase|notion|name) [\"“']([^\"“”']{2,40})[\"”']"
)
_MEANT = re.compile(
    r"(?:何|どう|どん)[^?？]{0,40}(?:[をは](?:言|いう|いい|指|さす|意味)|こと|もの|意味)|何(?:です|でしょう|なの|だ)"
    r"|\bwhat (?:is|are|does|do|sort|kind|exactly)\b|\bmean"
)
# 「「X」が出てきますが、…、要するに何なのでしょう」
AT_LAST = (
    r"(?:(?:要するに|要は|結局|つまり|いったい|一体|そもそも)、?(?:何|なん)(?:です|なの|なん|だ|でしょう|か|$|[?？])"
    r"|(?:要するに|要は)、?(?:どんな|どう(?:いう|いった))[^。?？、]{1,15}[。?？]*$)"
)
_MET_BEFORE = re.compile(
    rf"[「『\"“]([^「『\"“」』”]{{1,40}})[」』\"”][^「」『』。?？]{{1,60}}{AT_LAST}"
    rf"|([一-鿿々ァ-ヺーa-z0-9*+#./ -]{{2,40}}?)(?:\s*というのが[^「」『』。?？]{{1,60}}?|、){AT_LAST}"
)
# 「「X」は何と何をひっくるめた呼び名?」
_NAME_OF_WHAT = re.compile(
    r"[」』\"”]?は(?:何|なに|なん|どう|どん)[^。?？]{0,24}(?:呼び名|呼び方|総称|名前|言葉|用語|略語|意味)"
)
_QUOTED_BEFORE = re.compile(r"[「『\"“]([^「『\"“」』”]{1,40})$")
# "What is the maximum weight of a parcel" asks for a figure.
ENGLISH_FIGURE = (
    r"(?:maximum|minimum|average|price|cost|fee|weight|height|length|width|depth|capacity|population|salary|allowance"
    r"|age|temperature|distance)\b[\w\s-]* (?:of|for|per|in|to)\b"
)
# No clause tells it from others: not "what are the parts it is made of".
_ENGLISH_THING = (
    rf"(?:an? |the )?+(?!{ENGLISH_FIGURE})[\"“]?((?![\w\s]* (?:is|are|was|were|does|do|did|has|have|can|must|should)\b)"
    r"[\w\s*+-]{2,40}?)[\"”]?"
)
_ASKED_OF_ENGLISH = tuple(
    re.compile(rf"^(?:please )?{form}")
    for form in (
        rf"what(?: exactly)?(?: is| are|'s)(?: exactly)? (?:meant by |the meaning of )?{_ENGLISH_THING}\??$",
        rf"define {_ENGLISH_THING}[?.]?$",
        rf"what (?:does|do) [\w\s'’-]{{2,60}}? mean by {_ENGLISH_THING}\??$",
        rf"what (?:does|do) {_ENGLISH_THING} (?:mean|stand for)\??$",
        rf"how (?:is|are) {_ENGLISH_THING} defined\b",
    )
)
_NUMBERED = re.compile(r"^(?:第?[0-9]+(?:\.[0-9]+)*[章節条.]?|[a-z]\.)\s+")
_AROUND = "・•●○■□◆◇「」『』【】()（）[]:：¶"
_LEFT_OUT = str.maketrans("", "", "ー・")
_WHAT_IS = re.compile(
    r"(?:とは|って)、?(?:一体|いったい)?(?:何|なに|なん)(?:です|でしょう|のこと|なの|だ)*か?[。?？]*$"
)
# Which of several is asked, not what it is: 「1825年に導入された主義とは何か」.
_WHICH_ONE = re.compile(r"(?:た|いる|れる)[一-鿿々ァ-ヺー]{2,}(?:とは|って)")


def find_defined_thing(folded_question: str) -> str:
    """The thing whose meaning is asked for: what stands before とは, の定義, って何, in "What is …"; empty
    where none is."""
    for form in _ASKED_OF_ENGLISH:
        if match := form.match(folded_question):
            return match[1]
    if met := _MET_BEFORE.search(folded_question):
        return (met[1] or met[2]).strip()
    match = _ASKED_OF.search(folded_question) or _NAME_OF_WHAT.search(folded_question)
    if match is None:
        return ""
    before = folded_question[: match.start()]
    if quoted := _QUOTED_BEFORE.search(before):
        return quoted[1]
    runs = [run for run in NOUNS.findall(before)[-1:] if before.endswith(run)]
    nouns = [word.text for word in keywords(before)[-1:] if word.noun and before.endswith(word.text)]
    return max(runs + nouns, key=len, default="")


def find_word_met(lead_up: str, asking: str) -> str:
    """The quoted word that a question tells of first and then asks the meaning of; empty where none is."""
    match = _WORD_MET.search(lead_up) if _MEANT.search(asking) else None
    return (match[1] or match[2]) if match else ""


def is_asked_for(folded_question: str) -> bool:
    """True for 「Xとは何か」, 「Xって何」, where no clause tells the thing from others."""
    return _WHAT_IS.search(folded_question) is not None and not _WHICH_ONE.search(folded_question)


def defines(thing: str, line: str) -> bool:
    """True where a folded sentence says what the thing is."""
    return _definition(_spelt_alike(thing)).search(_spelt_alike(line)) is not None


def is_name_of(thing: str, folded_heading: str) -> bool:
    """True where a heading is the thing, with a number or without: 「6.3.2 multiselect」."""
    return _spelt_alike(_NUMBERED.sub("", folded_heading)).strip(_AROUND) == _spelt_alike(thing)


def _spelt_alike(text: str) -> str:
    """Without white space and what is often left out of katakana: インターバル is インタバル."""
    return "".join(text.split()).translate(_LEFT_OUT)


@lru_cache(maxsize=256)
def _definition(name: str) -> re.Pattern[str]:
    # Its sign may stand behind it: 「決定係数（R-squared）R² は、…の割合である。」
    thing = rf"[「『\"“]?{re.escape(name)}(?:(?<=[a-z])s)?[」』\"”)）]?(?:[(（][^)）]{{1,60}}[)）])?(?:[a-z][0-9²³]?(?![a-z]))?"
    return re.compile(
        rf"{thing}(?:とは|[:：–—]|(?:は|も)(?=.*(?:である|です|をいう|をいいます|を指す|を指します|という|こと|もの|の一種|の一つ)[。.]?$))"
        rf"|^(?:[^\w]*){thing}(?:[-–—:：]|は[、,])"
        rf"|(?:を|ことを|のを|ものを|が)(?:[^、。をが]{{1,12}}では)?{thing}(?:と(?:い[いうわっ]|言|呼|称|名付|定義)|という)"
        rf"|以下[、,]?{thing}と|{thing}(?:is|are)(?:an?|the|defined|called)"
        rf"|(?:called|named|knownas|termed){thing}"
        rf"|^[^\w]*[\"“]{re.escape(name)}[\"”](?:is|are|lists?|means|denotes|describes|contains|holds|represents)"
        # 「雇止め（契約が更新されないこと）」「特定期間（…をいう。以下同じ。）」
        rf"|(?<![一-鿿ァ-ヺa-z]){re.escape(name)}[」』]?[(（](?![^()（）]*参照)[^()（）]{{6,200}}(?:こと|をいう|を指す|の意)[。.]?(?:以下[^()（）]{{0,20}})?[)）]"
    )
