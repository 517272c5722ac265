"""`follow_up.resolve` for questions in English."""

from __future__ import annotations

import re
from collections.abc import Sequence

from shisho.librarian.topics import topic_of

_LEAD = re.compile(r"^(?:(?:and|so|but|then|also|ok|okay|now)\b[,\s]*)+", re.IGNORECASE)
_WHY = re.compile(
    r"^(?:why|how come|why (?:is|was) (?:that|this|it)(?: so)?|why so|how so)\s*[?.!]*$",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"^(?:(?:please |can you |could you )?"
    r"(?:tell me more|say more|explain (?:more|further)|go on|elaborate|continue)(?: please)?"
    r"|(?:in )?more details?(?: please)?|more)\s*[?.!]*$",
    re.IGNORECASE,
)
_OTHER = re.compile(
    r"^(?:(?:what|how) about|what of)?\s*"
    r"(?P<other>(?!(?:why|what|who|when|where|how|which|is|are|do|does|did|can)\b)[^?.!]{1,50}?)\s*\?*$",
    re.IGNORECASE,
)
_BACK = re.compile(
    r"^(?P<before>(?:(?:what|who|whom|whose|when|where|why|how|which|much|many|long|is|are|was|were|do|does|did|can|could|will|would|"
    r"should|has|have|had|please|tell me|explain|about|of|for|to|in|on|at|with|by|the|a)\s+)*)"
    r"(?P<word>it|its|they|their|them|he|his|him|she|her|this|that|these|those|one)\b(?P<rest>.*)$",
    re.IGNORECASE,
)
_TOPIC = re.compile(
    r"^(?:why:\s*)?(?:(?:please )?(?:tell me more about|tell me about|explain|describe|define)|(?:what|who|where|when|why|how)"
    r"(?: (?:much|many|long))? (?:is|are|was|were|does|do|did|can|could|will|should|has|have|had)(?: meant by)?)"
    r" (?P<topic>[^?.,]{2,60}?)[?.,\s]*$",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"\s+(?:\w+\s+)?(?:for|of|about|like|from|in|on|at|to|mean|work|works|matter)$", re.IGNORECASE
)
_VERB = re.compile(
    r"\s+(?:mean|matter|work|differ|change|happen|help|need|require|cause|make|stay|move|grow|fall|rise|plan|use|give|say|get)\b.*$",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b(?:1[5-9]|20)[0-9]{2}\b")
_PLACED = re.compile(r"^(?:in|for|at|on|under|during|by|from|with|without)\s", re.IGNORECASE)
_NAME = re.compile(r"\b[A-Z][\w-]*(?: [A-Z][\w-]*)*")
_POSSESSIVE = frozenset({"its", "their", "his"})
_AFTER_POINTING = re.compile(
    r"\s*(?:is|are|was|were|do|does|did|can|could|means?|matters?|works?|so)\b", re.IGNORECASE
)


_AFTER_POINTING = re.compile(
    r"\s*(?:is|are|was|were|do|does|did|can|could|means?|matters?|works?|so)\b", re.IGNORECASE
)
_LEANS = re.compile(r"^\s*(?:\w+\s*)?\?*$")


def resolve(question: str, earlier: Sequence[str]) -> str:
    """As `follow_up.resolve`."""
    before = earlier[-1]
    topic = _topic(before)
    lead = _LEAD.match(question)
    bare = question[lead.end() :] if lead else question
    if not topic:
        return question
    if _WHY.match(bare):
        return f"Why: {before}"
    if _MORE.match(bare):
        return f"Tell me more about {topic}"
    if match := _BACK.match(bare):
        word = match["word"].casefold()
        if word in ("this", "that", "these", "those", "her") and not _points(match["rest"]):
            return question
        thing = topic + ("'s" if word in _POSSESSIVE else "")
        resolved = f"{match['before']}{thing}{match['rest']}"
        return resolved[0].upper() + resolved[1:]
    about = re.match(r"(?:what|how) about\b|what of\b", bare, re.IGNORECASE)
    match = _OTHER.match(bare) if lead or about else None
    return _other(match["other"], topic, before) if match else question


def _points(rest: str) -> bool:
    """True for “that” in “why is that so?”, not in “is that lecture …”, which names a thing of its own."""
    return _LEANS.match(rest) is not None or _AFTER_POINTING.match(rest) is not None


def _topic(question: str) -> str:
    match = _TOPIC.match(question)
    if match is None:
        return topic_of(question)
    return _TAIL.sub("", _VERB.sub("", match["topic"])) or match["topic"]


def _other(other: str, topic: str, before: str) -> str:
    """“And in 2020?”, “What about the intercept?”: what was asked, of something else."""
    stem = before.rstrip("?.! ")
    years = _YEAR.findall(other)
    if years and _YEAR.search(before):
        return _YEAR.sub(years[0], before, count=1)
    if years and not _PLACED.match(other):
        return f"{stem} in {other}?"
    if _PLACED.match(other):
        return f"{stem} {other}?"
    names = [match for match in _NAME.finditer(before) if match.start()]
    if _NAME.match(other) and names and names[-1][0] not in other:
        return before[: names[-1].start()] + other + before[names[-1].end() :]
    _, of, whole = topic.partition(" of ")
    return before.replace(topic, f"{other}{of}{whole}" if " of " not in other else other, 1)
