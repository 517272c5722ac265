"""Messages about questions that follow each other, in Japanese, by their English templates."""

from __future__ import annotations

from collections.abc import Mapping

SAID: Mapping[str, str] = {
    "conversation": "やりとり",
    "Nothing was asked yet that a question could follow. Ask it by itself first.": (
        "続けられる質問がまだありません。まず、それだけで分かる質問をしてください。"
    ),
    "There is no conversation {prefix}. Ask without one, or name one by the conversation_id of its answers, or `last`.": (
        "{prefix} というやりとりはありません。指定せずに尋ねるか、その答えの conversation_id か `last` を渡してください。"
    ),
    "with a question: it follows those of this conversation or answer; without: go on with a stopped run (an id, or last)": (
        "質問とともに: このやりとり(か答え)に続けて尋ねる。質問なしで: 止まった調査を続ける(IDか last)"
    ),
    "of a conversation or one of its answers; or last": "やりとりか、その答えのID。または last",
    "erase its questions and their answers": "その質問と答えを抹消する",
    "do not ask before it is erased": "抹消の前に確かめない",
    "Show the questions of a conversation, each as it was understood; or erase it.": (
        "やりとりの質問を、どう解したかとともに示す。または抹消する"
    ),
}
