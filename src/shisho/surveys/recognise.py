"""Recognise questions about the collection.

They ask how many or which documents mention something, for a summary of one document, for the changes between
two, for open deadlines, or for work that only a model can do. Unclear questions are treated as ordinary ones.
"""

from __future__ import annotations

import re
from functools import lru_cache

from shisho.domain.requirements import RequestKind
from shisho.domain.survey import SurveyKind
from shisho.language import compile_lazily
from shisho.records import dataclass

GENERIC_ENGLISH = ("document", "file", "paper", "article", "text", "source", "doc")
GENERIC_JAPANESE = ("文書", "資料", "書類", "ファイル", "文献", "論文", "記事", "ドキュメント")
# Generic nouns for any document; the other nouns also occur in titles and file names.
GENERIC = frozenset((*GENERIC_ENGLISH, *GENERIC_JAPANESE))
_KINDS_JA = "|".join(
    (*GENERIC_JAPANESE, "報告書|議事録|メモ|ノート|手紙|メール|契約書|PDF|講義|マニュアル|規程|規則|手引き?")
)
_NOUN = (
    rf"(?P<noun>(?:{'|'.join(GENERIC_ENGLISH)}|note|report|page|letter|e-?mail|pdf|contract|memo|manual|book|lecture"
    r"|newsletter|agreement|invoice|slide|presentation|transcript|guide)s?|minutes)"
)
_ASKED = r"^(?:please |can you |could you |tell me |show me )*"
_ENGLISH = compile_lazily(
    rf"{_ASKED}(?P<count>(?:in )?how many |count )?(?(count)(?:all )?"
    r"|(?:(?:list|show|name|find|give)(?: me)? (?:all|every|each)(?: of)? |(?:in )?(?:which|what) ))"
    rf"(?:of (?:all )?)?(?:the |my |our |these )?{_NOUN}\b(?: do (?:i|we|you) have)?(?: are there)? (?P<rest>.+)$",
    re.I,
)
_MENTIONING = compile_lazily(
    r"^(?:(?:that|which) )?(?:(?:are |is )?about|on|mention(?:s|ed|ing)?|contain(?:s|ing)?|discuss(?:es|ed|ing)?"
    r"|(?:talk|speak|tell)(?:s|ing)? (?:about|of)|refer(?:s|ring)? to|deal(?:s|ing)? with|concern(?:s|ing)?"
    r"|(?:has|have) the words?) (?:the words? |the terms? )?(?P<topic>.+)$",
    re.I,
)
_MENTIONED = compile_lazily(
    r"^(?:(?:in which|where|in) )?(?:(?:is|are|was|were|does|do|did) )?(?P<topic>.+?) (?:(?:is|are|was|were) )?"
    r"(?:mentioned|discussed|talked about|occurs?|appears?|comes? up|named)(?: in)?$",
    re.I,
)
# A topic is a noun phrase: with a verb of its own, the sentence asks something else about those documents.
_PREDICATE = compile_lazily(
    r"\b(?:is|are|was|were|has|have|had|do|does|did|can|must|should|will|when|why|how|who|what)\b|[,;:?]",
    re.I,
)
_HOW_MANY = r"(?:何|いくつ|幾つ|どれ(?:くらい|ぐらい|だけ|ほど))(?:件|個|通|冊|本|つ|点)?"
_JAPANESE = compile_lazily(
    r"^(?P<topic>.+?)(?:に(?:関する|関して(?:書かれた|書いてある)?|触れて?いる|触れた|言及して?いる|言及した|ついての"
    r"|ついて(?:書かれた|書かれている|書いてある|書いた|触れた|触れている|述べた|述べている|議論した|話し合った))"
    r"|を(?:含む|含んだ|含んでいる|扱う|扱った|扱っている|取り上げた|取り上げている)|[がの](?:出て(?:くる|来る)|載っている"
    r"|登場する|書かれた|書かれている|取り上げられている|取り上げられた|議論された|話し合われた))"
    rf"(?P<noun>{_KINDS_JA})(?:の数)?[はがをの]?(?:全部で|全部|すべて|全て)?(?:(?P<count>{_HOW_MANY}(?:ある|あり|存在し|です)?)"
    r"|(?:の?(?:一覧|リスト)|すべて|全て|全部|列挙|どれ|どの|何と何)|(?<=すべて)|(?<=全て)|(?<=全部))[にをで]?"
    r"(?:して|挙げて|教えて|見せて|示して|出して|列挙して|です|ます|ください|下さい|ほしい|くれますか|もらえますか|お願いします|か)*$"
)
_JAPANESE_FIRST = compile_lazily(
    rf"^(?:(?P<count>{_HOW_MANY})の|どの)(?P<noun>{_KINDS_JA})[がでには](?P<topic>.+?)(?:のことが|について|[にがはを])"
    r"(?:書いて|書かれて|載って|出て|触れて|触れられて|言及して|含まれて|含んで|取り上げて|取り上げられて|登場して)"
    r"(?:い|あり|き)(?:る|ます|ました)?か?$"
)
_BARE = compile_lazily(
    r"^(?:the|a|an|my|our) |[「」『』“”\"]|(?:という|との)?(?:語|言葉|単語|文字列|用語|こと|話題?)$"
    r"| in (?:about |at most |under )?\w+ (?:words|sentences|lines)$",
    re.I,
)
_SUMMARY = compile_lazily(
    rf"{_ASKED}(?:summari[sz]e|sum up|outline|(?:(?:give|show|make|write)(?: me)? )?(?:a |an |the )?(?:short |brief )?"
    r"(?:summary|outline|overview) of) (?P<name>.+)$"
    r"|^(?P<name_ja>.+?)(?:の内容)?(?:を(?:短く|簡単に|簡潔に)?(?:要約|まとめて|サマライズ)|の(?:要約|概要|要点|サマリー))"
    r"(?:して|を|作って|まとめて|教えて|見せて|示して|書いて|お願い|ください|下さい|します|できますか|ほしい|くれますか)*$",
    re.I,
)
_CHANGES = compile_lazily(
    rf"^(?:{_ASKED[1:]}(?:what|which)(?: \w+)?(?: has| have| was| were)? changed?(?: in (?P<within>.+?))? (?:between|from)"
    r"|.*?\b(?:differences?|changes?) between|how (?:does|do|did)(?= .+ (?:differ|change) (?:from|to))) "
    r"(?P<one>.+?) (?:and|to|differ from|change to) (?P<other>.+)$"
    r"|^(?P<one_ja>.+?)(?:と|から)(?P<other_ja>.+?)(?:と)?(?:の(?:間)?|との間)?(?:では|で|は|に)?(?:何が|どこが|どう|どのように)?"
    r"(?:違う|違い|異な|変わった|変わり|変更点|相違点|差異|改定された|改正された|変更され|改訂され)[^、]{0,20}$",
    re.I,
)
# Marks that distinguish documents of the same kind; other things are compared by reading their passages.
_DOCUMENT_MARK = compile_lazily(
    rf"\bv(?:ersion |\.)?\d|(?<!\d)(?:19|20)\d\d(?!\d|年)|[旧新]|[初改\d]版|版$|\w\.[a-z]{{2,5}}$|\b{_NOUN}\b|(?:{_KINDS_JA})$"
    r"|\b(?:old|new|older|newer|previous|current|former|latest|first|second|final|draft|edition)\b",
    re.I,
)
_OPEN_DEADLINES = compile_lazily(
    r"^(?=.*\b(?:which|what|list|show|are there|any|all)\b)(?=.*\bdeadlines?\b)"
    r".*\b(?:still|open|upcoming|coming|ahead|not (?:yet )?(?:passed|over|expired)|remain(?:s|ing)?|left|next)\b"
    r"|^(?=.*(?:締め?切|〆切|期限|期日))(?=.*(?:どれ|どの|何|一覧|リスト|すべて|全て|挙げ|教えて|ありますか))"
    r".*(?:まだ(?:過ぎて|終わって|切れて|来て|到来して|間に合)|これから(?:来る|の|迎える|期限|締)|過ぎていない|今後の|残っている)",
    re.I,
)
_MODEL = compile_lazily(
    rf"{_ASKED}(?:write|draft|compose)(?: me| us)?(?: an?| the| some)?(?: [\w-]+)? (?:report|essay|article|letter|memo"
    r"|review|speech|blog post)\b"
    r"|^why (?:do|does|did) .+ (?:disagree|contradict|differ in (?:opinion|view))"
    rf"|^(?:compare|how do) .*\b(?:tone|style|mood)s?\b|{_ASKED}(?:summari[sz]e|sum up) (?:all|every)\b"
    r"|すべての(?:文書|資料).*(?:要約|概要|まとめ)"
    r"|(?:報告書|レポート|エッセイ|論文|記事|小論文|作文|手紙)を(?:書いて|作成して|作って|執筆して|まとめて)"
    r"(?:ください|下さい|ほしい|くれますか|もらえますか|お願いします)?$|^(?:なぜ|どうして).+(?:食い違|矛盾|意見が(?:違|分かれ|対立)).*か?$"
    r"|(?:論調|文体|口調|トーン)(?:の違い)?[をはが](?:比べ|比較|どう)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class CollectionQuestion:
    """A question about the collection.

    `topic`: the subject that documents mention, or the whole question for deadlines and model work. `noun`:
    the kind of document, "" for any. `names`: one document, or two to compare. `is_chosen`: the caller has
    chosen this kind of question.
    """

    kind: SurveyKind
    topic: str = ""
    noun: str = ""
    names: tuple[str, ...] = ()
    is_chosen: bool = False


@lru_cache
def recognise(question: str, kind: RequestKind = RequestKind.AUTO) -> CollectionQuestion | None:
    """Return the question about the collection; None for any other.

    An explicit `kind` is obeyed.
    """
    text = question.strip().rstrip("?？。.!！ 　")
    if kind is RequestKind.SUMMARY:
        names = (_read_name(text) or _strip_phrase(text),)
        return CollectionQuestion(SurveyKind.SUMMARY, names=names, is_chosen=True)
    if kind is RequestKind.REPORT:
        return CollectionQuestion(SurveyKind.MODEL, text)
    if kind not in (RequestKind.AUTO, RequestKind.COLLECTION):
        return None
    if mention := _read_mentions(text) or _read_changes(text):
        return mention
    if _OPEN_DEADLINES.search(text):
        return CollectionQuestion(SurveyKind.DEADLINES, text)
    if _MODEL.search(text):
        return CollectionQuestion(SurveyKind.MODEL, text)
    if name := _read_name(text):
        return CollectionQuestion(SurveyKind.SUMMARY, names=(name,))
    is_chosen = kind is RequestKind.COLLECTION
    return CollectionQuestion(SurveyKind.LIST, text, is_chosen=True) if is_chosen else None


def _read_mentions(text: str) -> CollectionQuestion | None:
    if match := _ENGLISH.match(text):
        tail = _MENTIONING.match(match["rest"]) or _MENTIONED.match(match["rest"])
        topic = _strip_phrase(tail["topic"]) if tail and not _PREDICATE.search(tail["topic"]) else ""
    elif match := _JAPANESE_FIRST.match(text) or _JAPANESE.match(text):
        topic = _strip_phrase(match["topic"])
    if not match or not topic:
        return None
    noun = match["noun"].lower()
    special = "" if GENERIC & {noun, noun.removesuffix("s")} else noun
    return CollectionQuestion(SurveyKind.COUNT if match["count"] else SurveyKind.LIST, topic, special)


def _read_changes(text: str) -> CollectionQuestion | None:
    if not (match := _CHANGES.match(text)):
        return None
    within = f"{match['within']} " if match["within"] else ""
    names = (
        _strip_phrase(within + (match["one"] or match["one_ja"])),
        _strip_phrase(match["other"] or match["other_ja"]),
    )
    is_plain = all(_DOCUMENT_MARK.search(name) and "、" not in name for name in names)
    return CollectionQuestion(SurveyKind.CHANGES, names=names) if is_plain else None


def _read_name(text: str) -> str:
    match = _SUMMARY.match(text)
    return _strip_phrase(match["name"] or match["name_ja"]) if match else ""


def _strip_phrase(text: str) -> str:
    """Strip articles, quotation marks, and phrases such as "the word"."""
    return _BARE.sub("", text.strip()).strip()
