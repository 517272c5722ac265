"""A question that leans on those before it, as one that stands by itself. Only what a rule can be sure of: a
word that points back, a question that only asks, and one that names another thing and no more."""

from __future__ import annotations

import re
from collections.abc import Sequence

from shisho.language.script import answer_language
from shisho.librarian import follow_up_english
from shisho.librarian.topics import ATTRIBUTE, TIME, is_place, places, topic_of

_LEAD = re.compile(
    r"^(?:(?:それでは|それなら|では|じゃあ?|なら|ちなみに|そして|それで|あと|ところで|また|一方|で)、?(?![はもの])\s*)+"
)
_ONE_PARAGRAPH = r"(?:資料|文書|本|論文|講義|章|節|ページ|頁|PDF|ファイル|図|表|サイト|回|国|質問)"
_BACK = re.compile(
    r"^(?P<asking>(?:なぜ|何故|どうして|なんで|いつ|どこで|誰が|どのように|どうやって|どう)、?)?"
    r"(?:(?P<thing>(?:それ|これ|あれ)(?:ら|ら全部|って)?|彼女|彼ら|彼|同氏|同社|そいつ|そちら|そこ)(?!ぞれ|とも|でも|から|ほど|なり|ゆえ|以)"
    rf"|(?P<of>その|この|あの|同)(?!他|ほか|まま|もの|うち|よう|ため|後|ころ|頃|際|{_ONE_PARAGRAPH}))(?P<rest>.*)$"
)
_BOTH = re.compile(
    r"^(?:両者|双方|両方|この二つ|その二つ|これら|それら|二つ|2つ)(?P<rest>(?:の|は|に|を|で).*)$"
)
_END = r"(?:(?:な(?:の|ん))?(?:です|でしょう|だ)?か?)?(?:教えて(?:ください|下さい)?)?[?？。!！\s]*$"
_WHY = re.compile(rf"^(?:は|って|というのは)?(?:なぜ|何故|どうして|なんで|理由は){_END}")
_MORE = re.compile(
    r"^(?:もう少し|もうちょっと|もっと|さらに|より)?、?(?:詳しく|くわしく|詳細に|具体的に|かみ砕いて|わかりやすく|続けて|続きを?)"
    r"(?:教えて|説明して|述べて|知りたい|お願い|頼む)?(?:ください|下さい|です|します|いたします)?[?？。!！\s]*$"
)
_BARE = re.compile(
    r"^(?P<asking>いつ(?:から|まで)?|誰(?:が|に|の)?|だれが|どこ(?:で|に|の)?|いくら|いくつ|何(?:人|年|月|日|個|回|円|%|パーセント)?"
    rf"|どうやって|どのように){_END}"
)
_PREDICATE = re.compile(
    r"^(?:なぜ|何故|どうして|なんで|いつ(?:から|まで)?|どこ(?:で|に|から)|誰が|だれが|どうやって|どのように)[^、はがをにへの]{1,14}(?:のです)?か?[?？。\s]*$"
)
_OTHER = re.compile(
    r"^(?P<other>[^、。?？]{1,40}?)(?<!と)(?P<case>(?:の場合|について|に関して)?(?:は|って)|では|には|からは)"
    r"(?:どう(?:です|でしょう|なります|なの)?か?)?[?？。!！\s]*$"
)
_CIRCUMSTANCE = re.compile(r"(?:とき|時|場合|際|なら|たら|れば|後|前|以上|以下|未満)$")
_MEANING = re.compile(r"(?:とは|って|の(?:定義|意味)|は(?:何|なに))(?!.*、)")
_ASKING = re.compile(r"何|なに|誰|だれ|いつ|どこ|どの|どれ|どんな|どちら|なぜ|いくら|いくつ|とは$")


def resolve(question: str, earlier: Sequence[str]) -> str:
    """The question as it is understood after these, which were understood before, oldest first; as it is
    where it needs none of them. It is on one line."""
    if not earlier:
        return question
    if answer_language(question) == "en":
        return follow_up_english.resolve(question, earlier)
    lead = _LEAD.match(question)
    bare = question[lead.end() :] if lead else question
    return _resolve_bare(bare, earlier) or question


def _resolve_bare(question: str, earlier: Sequence[str]) -> str:
    before = earlier[-1]
    topic = topic_of(before)
    if not topic:
        return ""
    if (match := _BOTH.match(question)) and (other := _topic_before(topic, earlier)):
        return f"{other}と{topic}{match['rest']}"
    if _MORE.match(question):
        return (
            f"{topic}について、もう少し詳しく" if _is_defined(topic, before) else f"もう少し詳しく: {before}"
        )
    if _BARE.match(question) or (_PREDICATE.match(question) and not _WHY.match(question)):
        return f"{topic}は{question}"
    if _WHY.match(question):
        return _why(topic, before)
    if match := _BACK.match(question):
        if not match["asking"] and match["thing"] and _WHY.match(match["rest"]):
            return _why(topic, before)
        joint = "の" if match["of"] else ""
        return f"{match['asking'] or ''}{topic}{joint}{match['rest']}"
    match = _OTHER.match(question)
    return _other(match["other"], match["case"], topic, before) if match else ""


def _topic_before(topic: str, earlier: Sequence[str]) -> str:
    topics = (topic_of(question) for question in reversed(earlier[:-1]))
    return next((other for other in topics if other and other != topic), "")


def _why(topic: str, before: str) -> str:
    """The reason of what was asked; of a thing whose meaning was asked, the reason for the thing."""
    return f"{topic}はなぜか" if _is_defined(topic, before) else f"なぜか: {before}"


def _is_defined(topic: str, before: str) -> bool:
    """True where nothing but the meaning of the thing was asked."""
    rest = before.removeprefix(topic)
    return rest != before and _MEANING.match(rest) is not None


def _other(other: str, case: str, topic: str, before: str) -> str:
    """「では英国は?」: what was asked, of something else; nothing where it is no plain name."""
    if _ASKING.search(other):
        return ""
    if _CIRCUMSTANCE.search(other):
        return f"{topic}は、{other}{case}どうか"
    if TIME.search(other):
        replaced = TIME.sub(other, before, count=1)
        return replaced if replaced != before else f"{other}の{before}"
    if is_place(other) and (names := places(before)):
        return before.replace(names[0], other, 1)
    head, joint, last = topic.rpartition("の")
    if ATTRIBUTE.fullmatch(other):
        return f"{head if joint and ATTRIBUTE.fullmatch(last) else topic}の{other}は何か"
    if joint and "の" not in other and last[-2:] != other[-2:]:
        return before.replace(topic, f"{other}の{last}", 1)
    return before.replace(topic, other, 1) if topic in before else ""
