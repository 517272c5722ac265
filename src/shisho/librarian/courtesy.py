"""The question inside a polite or long one: greetings, reasons for asking and thanks are no part of what is
sought."""

from __future__ import annotations

import re

_OPENING = re.compile(
    r"^(?:(?:(?:お忙しいところ|大変|誠に|たびたび)?、?(?:恐れ入りますが|恐縮ですが|すみません(?:が)?|すいません(?:が)?"
    r"|申し訳(?:ありません|ございません)が|失礼ですが|突然ですが|お世話になって(?:います|おります))|こんにちは|こんばんは|はじめまして"
    r"|(?:ちょっと|少し|一つ)?(?:お聞き|お伺い|伺い|お尋ね|質問)(?:したい|させていただきたい)?(?:の|ん)?(?:です|ます)が)[、。!！]?\s*)+"
)
_CLOSING = re.compile(
    r"[。、]?\s*(?:(?:どうぞ|どうか)?よろしく(?:お願い(?:いたします|致します|します|申し上げます))?|お願い(?:いたします|致します|します)"
    r"|ありがとうございます|助かります)[。!！]*$"
)
_TOLD = re.compile(
    r"(?<=か)、?(?:(?:ちょっと|ぜひ|是非|詳しく|簡単に|わかりやすく)、?)?(?:(?:お?教えて|ご教示|ご説明|説明して)(?:ください|下さい|願います|ほしい(?:です)?"
    r"|(?:いただけ|頂け|もらえ)(?:ない|ません|ます|る)?(?:でしょう|です)?か?)|知りたい(?:の|ん)?(?:です)?(?:が|けど|けれども?|と思っています)?)[。?？]*$"
)
# 「それぞれの短所は何ですか。比べて教えてください。」
_ASKED_FOR = re.compile(
    r"(?<=[か。?？])\s*(?:(?:それぞれ|両者を|二つを|詳しく|簡単に|できるだけ)、?)?(?:比べて|比較して|まとめて)?(?:お?教えて|説明して|おしえて)(?:ください|下さい|ほしい(?:です)?)[。!！]*$"
)
_PUZZLED = re.compile(
    r"(?:という(?:の|もの|言葉|用語))?(?:が|の意味が)(?:よく|いまいち|いまひとつ|全然|まだ)?(?:分から|わから|判ら|理解でき)"
    r"(?:なくて|ないのですが|ないんですが|ないので|ず)、(?:結局|つまり|要するに|いったい)?、?"
)
_MET = re.compile(
    r"^[^、。はが]{1,24}(?:で|に)(?:出て(?:きた|きました|くる)|載っている|載っていた|書いてある|習った|聞いた)(?=[^、。])"
)
_MEANT = re.compile(r"は、?(?:結局)?、?どういう(?:もの|こと|意味|用語)(?:なの)?(?:です|でしょう)?か[。?？]*$")
_ENGLISH = re.compile(
    r"^.*\b(?:tell me|let me know|explain(?: to me)?|(?:like|want|love) to know|wonder(?:ing)?|do you know|understand)"
    r"\s+(?P<question>(?:what|who|when|where|why|how|which)\b.*)$",
    re.IGNORECASE,
)
_ABOUT = re.compile(r"^(?:please )?tell me (?:more )?about (?P<thing>[^?.!]{2,80})[?.!\s]*$", re.IGNORECASE)
_TURNED = re.compile(
    r"^(?P<asking>what|who|where|when)\s+(?P<thing>.+?)\s+(?P<verb>is|are|was|were)(?P<rest>[?.!\s]*)$",
    re.IGNORECASE,
)


def strip_courtesy(question: str) -> str:
    """What is asked, without what is only said around it; the question itself where nothing would be left."""
    if question.isascii():
        if about := _ABOUT.match(question):
            return f"What is {about['thing']}?"
        match = _ENGLISH.match(question)
        return _straight(match["question"]) if match else question
    bare = _CLOSING.sub("", _OPENING.sub("", question))
    bare = _TOLD.sub("", _ASKED_FOR.sub("", bare))
    puzzled = _PUZZLED.search(bare)
    if puzzled:
        bare = f"{_MET.sub('', bare[: puzzled.start()])}は{bare[puzzled.end() :]}"
    bare = _MEANT.sub("とは何か", bare).strip()
    return bare if sum(map(str.isalnum, bare)) > 1 else question


def _straight(question: str) -> str:
    """“what a residual is” as “What is a residual?”."""
    match = _TURNED.match(question)
    if match is None:
        return question
    return f"{match['asking'].capitalize()} {match['verb']} {match['thing']}?"
