"""Verified evidence to an answer without a model: quotations in goal order, and plain words on what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from shisho.domain.inquiry import (
    EvidenceRef,
    Goal,
    GoalStatus,
    LoopStop,
    Sentence,
    Strategy,
    SupportOutcome,
    Unsearched,
    Verdict,
)
from shisho.language.display import running
from shisho.language.script import answer_language
from shisho.librarian.contradictions import contradiction
from shisho.librarian.evaluate import ENOUGH
from shisho.librarian.reflect import open_goals

_WORDS = {
    True: {
        "head": "抜粋のみ(モデル未設定)",
        "quote": "「{}」 [{}]",
        "heading": " — {}",
        "goal": "■ {}",
        "near": "答えとまでは言えませんが、近い記述:",
        "missing": "次の点は見つかりませんでした: {}",
        "none": "この質問に答える記述は、探した資料の中に見つかりませんでした。",
        "advice": "別の言葉で尋ねる、絞り込みを緩める、資料を加える、のいずれかで見つかることがあります。",
        "stop": "探索の終了: {}。",
        "comma": "、",
        "against": "※ [{}] と [{}] は{}が食い違っています。",
        "date": "日付",
        "number": "数",
        "negation": "肯定と否定",
        "gap": "※ {}。",
        "no_way": "ウェブは探していません(使える検索エンジンがありません)",
        "off": "ウェブは探していません(ウェブの利用が off になっています。`shisho web` で確かめられます)",
        "not_asked": "「{query}」はウェブで探していません(言葉を外の検索エンジンに送ってよいか、まだ伺っていません。"
        "よければ一度 `shisho web on` を)",
        "person": "「{query}」のウェブ検索は、人の確認を待っています({detail})",
        "failed": "「{query}」のウェブ検索はできませんでした({detail})",
        "unfinished": "「{query}」のウェブ検索は、時間内に終わりませんでした",
        "budget": "ウェブは探し切れていません(ページ数か時間の上限に達しました)",
    },
    False: {
        "head": "quotations only, no model set",
        "quote": "“{}” [{}]",
        "heading": " — {}",
        "goal": "■ {}",
        "near": "No answer, but near it:",
        "missing": "Not found: {}",
        "none": "Nothing in the documents searched answers this question.",
        "advice": "Asking in other words, filtering less or adding documents may help.",
        "stop": "The search ended: {}.",
        "comma": "; ",
        "against": "Note: [{}] and [{}] disagree in {}.",
        "date": "date",
        "number": "number",
        "negation": "what they affirm and deny",
        "gap": "Note: {}.",
        "no_way": "the web was not searched (no search engine can be used)",
        "off": "the web was not searched (it is set to off; `shisho web` tells more)",
        "not_asked": "the web was not searched for “{query}” (nobody has said yet that words may go to search engines: "
        "`shisho web on` says so once)",
        "person": "the web search for “{query}” waits for a person ({detail})",
        "failed": "the web search for “{query}” could not be made ({detail})",
        "unfinished": "the web search for “{query}” did not end in time",
        "budget": "the web was not searched to the end (the limit of pages or seconds was reached)",
    },
}
_STOPS = {
    LoopStop.ROUNDS: ("回数の上限に達しました", "the limit of rounds was reached"),
    LoopStop.PAGES: ("ページ数の上限に達しました", "the limit of pages was reached"),
    LoopStop.SECONDS: ("時間の上限に達しました", "the time allowed ran out"),
    LoopStop.MODEL_CALLS: ("モデル呼び出しの上限に達しました", "the limit of model calls was reached"),
    LoopStop.TOKENS: ("トークン数の上限に達しました", "the limit of tokens was reached"),
    LoopStop.STAGNATION: ("続けて探しても新しい根拠が出ませんでした", "further rounds brought nothing new"),
    LoopStop.EXHAUSTED: ("関係のある箇所はすべて見ました", "every passage in scope was seen"),
    LoopStop.STOPPED: ("途中で止められました(続きから再開できます)", "it was stopped and can be continued"),
    LoopStop.MODEL_FAILED: ("モデルが応答しませんでした", "the model failed"),
}


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer by number. `missing` holds the questions of goals that are not met, then what could not be searched and why;
    `abstained`: no goal has an answer."""

    text: str
    sentences: tuple[Sentence, ...]
    missing: tuple[str, ...]
    abstained: bool


def japanese(question: str) -> bool:
    """Whether the answer is to be in Japanese: the question has kana or kanji."""
    return answer_language(question) == "ja"


def compose(
    strategy: Strategy,
    status: Sequence[GoalStatus],
    evidence: Sequence[EvidenceRef],
    verdict: Verdict,
    unsearched: Sequence[Unsearched] = (),
) -> Draft:
    """Quote what was found, best first, and name what was not."""
    words = _WORDS[japanese(strategy.question)]
    quoted = [_best_first(goal, evidence) for goal in strategy.goals]
    missing = _missing(strategy, status, verdict)
    abstained = not any(one.score >= ENOUGH for one in evidence)
    titled = len(strategy.goals) > 1
    paragraphs = [words["head"], *([words["none"]] if abstained else [])]
    paragraphs += [_paragraph(goal, found, titled, words) for goal, found in zip(strategy.goals, quoted, strict=True) if found]
    gaps = tuple(dict.fromkeys(words[one.why].format(query=one.query, detail=one.detail) for one in unsearched))
    if missing:
        paragraphs.append(_closing(missing, not abstained, verdict, strategy.question))
    if gaps:
        paragraphs.append("\n".join(words["gap"].format(gap) for gap in gaps))
    # A quotation carries itself: its text is the very slice its number opens.
    sentences = tuple(Sentence(one.snippet, (one.number,), SupportOutcome.SUPPORTED) for found in quoted for one in found)
    return Draft("\n\n".join(paragraphs), sentences, (*missing, *gaps), abstained)


def _best_first(goal: Goal, evidence: Sequence[EvidenceRef]) -> list[EvidenceRef]:
    return sorted((one for one in evidence if one.goal_id == goal.id), key=lambda one: -one.score)


def _missing(strategy: Strategy, status: Sequence[GoalStatus], verdict: Verdict) -> tuple[str, ...]:
    if verdict.loop_stop is LoopStop.CONDITION_MET:
        return ()
    return tuple(goal.question for goal in open_goals(strategy.goals, status))


def _paragraph(goal: Goal, found: Sequence[EvidenceRef], titled: bool, words: dict[str, str]) -> str:
    quotes = [words["quote"].format(running(one.snippet), one.number) + _heading(one, words) for one in found]
    title = [words["goal"].format(goal.question)] if titled else []
    near = [words["near"]] if found[0].score < ENOUGH else []
    return "\n".join([*title, *near, *quotes, *_disagreements(found, words)])


def _disagreements(found: Sequence[EvidenceRef], words: dict[str, str]) -> list[str]:
    """Quotations of one goal that say opposite things stand side by side, and the reader is told.

    Under one heading a text sets cases against each other (near 0, near 1); that is no disagreement.
    """
    sure = [one for one in found if one.score >= ENOUGH]
    apart = ((one, other) for one, other in combinations(sure, 2) if not one.heading or one.heading != other.heading)
    pairs = ((one, other, contradiction(one.snippet, other.snippet)) for one, other in apart)
    return [words["against"].format(one.number, other.number, words[kind]) for one, other, kind in pairs if kind]


def _heading(one: EvidenceRef, words: dict[str, str]) -> str:
    return words["heading"].format(running(one.heading)) if one.heading else ""


def _closing(missing: Sequence[str], found: bool, verdict: Verdict, question: str) -> str:
    words, lines = _WORDS[japanese(question)], []
    if found or len(missing) > 1:
        lines.append(words["missing"].format(words["comma"].join(missing)))
    if verdict.loop_stop in _STOPS:
        lines.append(words["stop"].format(_STOPS[verdict.loop_stop][0 if japanese(question) else 1]))
    return "\n".join([*lines, words["advice"]])
