"""What is told before anything is asked: 「端末を足した。どのくらい待つもの?」. Pure rules by form."""

from __future__ import annotations

import re

_SENTENCE_END = re.compile(
    r"(?<=[。?？!！])\s*(?=\S)|(?<=[.?!])(?<!\bvs\.)(?<!\b[a-z]\.[a-z]\.)\s+(?=[\"'A-Za-z0-9])"
)
_HEAD = re.compile(
    r"^[^:?.]{2,80}:\s+(?=(?:(?:in|at|on|for|from|by|to|of|after|under) )?"
    r"(?:what|who|whom|whose|when|where|why|how|which"
    r"|is|are|was|were|do|does|did|can|could|will|would|should|must|may)\b)",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"[?？][」』\")）]?$|か[。.]?$|何|なぜ|どう|どの|どれ|どこ|どちら|どんな|いつ|誰|いくつ|いくら"
    r"|教え(?:て|ろ|よ|願)|おしえて|説明(?:して|せよ|し[。、]|$)|挙げ(?:て|よ|な)|列挙|知りた[いく]|述べ(?:て|よ)|示(?:して|せ)|まとめて|ください|下さい|ほしい|欲しい|願い|(?:は|には|とは|って)[。]?$"
    r"|^(?:and |but |so )?(?:(?:in|at|on|for|from|by|to) )?(?:what|who|whom|whose|why|how|which)\b"
    r"|(?:^|\b(?:please|kindly|you|and) )(?:tell me|explain|describe|list|name|enumerate|define|compare|give|state|show)\b",
    re.IGNORECASE,
)
# 「…のことで三つ教えてください。」 says that questions follow, and of what.
_ANNOUNCES = re.compile(
    r"(?:のこと|について|に関して|の件)(?:で|を|に)?、?(?:[二三四五2-5][つ点]|いくつか|何点か|以下|次の(?:こと|点)|下記)"
    r"(?:ほど|のこと|の点)?(?:を|について)?、?(?:お?教え|おしえ|お?聞|お?尋|伺|うかが|質問|確認|知り)[^。?？]{0,14}[。.]$"
)


def split_lead_up(question: str) -> tuple[str, str]:
    """What is told first and what is asked then; the first is empty where all of it asks."""
    head = _HEAD.match(question)
    if head:
        return question[: head.end()], question[head.end() :]
    for border in _SENTENCE_END.finditer(question):
        sentence = question[: border.start()]
        last = _SENTENCE_END.split(sentence)[-1]
        if _ASKS.search(last) and not _ANNOUNCES.search(last):
            return "", question
        rest = question[border.end() :]
        if _ASKS.search(_SENTENCE_END.split(rest)[0]):
            return question[: border.end()], rest
    return "", question
