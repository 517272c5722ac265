"""An English sentence as phrases: each content word with the preposition before it; what is passive is turned
round."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from shisho.language import irregular_verbs
from shisho.language.numbers import Date, FigurePlace, Measure
from shisho.language.phrase import Phrase, Statement
from shisho.language.terms import fold, stem
from shisho.language.weights import word_set

_WORD = re.compile(
    r"\ue000|[a-zß-öø-ÿĀ-ɏ][a-z0-9ß-öø-ÿĀ-ɏ]*(?:['’-][a-z0-9ß-öø-ÿĀ-ɏ]+)*(?:\.[a-z0-9]+)*(?:\+\+|#)?|[0-9][0-9.,]*|[,;:]"
)
_PREPOSITIONS = word_set(
    "of in on at by for from to into with without within between among against during through over under above below before",
    "after since until near than as about across toward towards per via behind beside because",
)
_EMPTY = word_set(
    "a an the and or but if so that this these those it its it's they their them he his him she her we our us you your i my me",
    "who whom whose which what when where why how there here is are was were be been being am do does did has have had having",
    "would shall also then such both each other another same own very too just while though although however thus therefore",
    "said says according one ones s t re ve ll will now must",
)
_BE = word_set("is are was were be been being am")
_NOT = word_set("not no never neither nor without cannot hardly nobody nothing none")
_MAYBE = word_set(
    "may might could possibly perhaps probably likely allegedly reportedly apparently potentially suggests seems appears"
)
_MUST = word_set("must should shall")
_IF = word_set("if unless whether")
_SOMETIMES = word_set("sometimes often usually occasionally rarely")
_ONLY = word_set("only solely exclusively")
_ABLE = word_set("can could able")
FUNCTION_WORDS = _PREPOSITIONS | _EMPTY | _BE | _NOT | _MAYBE | _MUST | _IF | _SOMETIMES | _ONLY | _ABLE
_PASSED_OVER = _PREPOSITIONS | _EMPTY | _NOT | _MAYBE | _MUST | _IF | _ABLE
_NOT_ONLY = re.compile(r"\bnot (?:only|just|merely|the (?:first|only|last))\b")
_LARGELY = {"mostly": "largely", "mainly": "largely"}  # whose stem would be most
_PRESENT = {past: verb for verb, *forms in map(str.split, irregular_verbs.FORMS.split(";")) for past in forms}
_BASE = _PRESENT | _LARGELY
_PAST = re.compile(r".+(?:ed|en|wn|ught|old|ound|ade|one|et|uilt|ung|um|unk|id|ost|eft|elt|ept|ent)$")


@dataclass(slots=True)
class _Draft:
    word: str
    role: str
    figures: list[Date | Measure] = field(default_factory=list)
    name: bool = False
    marks: set[str] = field(default_factory=set)
    broken: bool = False
    passive: bool = False
    clause: int = 0


def statement(plain: str, places: list[FigurePlace], known_words: frozenset[str]) -> Statement:
    """The sentence; names are those of `known_words`."""
    drafts = _active(list(_drafts(plain, places, known_words)))
    return Statement(plain, tuple(_phrase(draft) for draft in drafts))


def _drafts(plain: str, places: list[FigurePlace], known_words: frozenset[str]) -> Iterator[_Draft]:
    figures = iter([place.figure for place in places])
    role = ""
    reach = 0
    marks = set[str]()
    be = False
    last = None
    clause = 0
    for match in _WORD.finditer(_holed(plain, places)):
        word = match[0].replace("’", "'").removesuffix("'s").removesuffix("'")
        if word.endswith("n't"):
            marks.add("not")
            be = be or word[:-3] in _BE
            continue
        if word in ",;:":
            clause += 1
            role = ""
            if last:
                last.broken = True
            continue
        marks |= _marks(word)
        if word in _PREPOSITIONS:
            role = word
            reach = 2
        elif word in _BE:
            be = True
        if word in _PASSED_OVER:
            continue
        draft = _Draft(
            "" if word == "\ue000" else word,
            role,
            [next(figures)] if word == "\ue000" else [],
            clause=clause,
        )
        draft.name = fold(word) in known_words
        draft.marks = marks
        draft.passive = be and bool(_PAST.match(word)) and not draft.figures
        # A preposition holds for the two words after it, until another one.
        marks = set()
        be = False
        last = draft
        reach = reach - 1
        if reach <= 0:
            role = ""
        yield draft


def hedges(sentence: str) -> int:
    """How many words say that it may not be so."""
    return sum(word in _MAYBE or word in _SOMETIMES for word in re.findall(r"[a-z]+", sentence))


def denials(sentence: str) -> int:
    """How many words deny. Not the first time: there was one before."""
    sentence = _NOT_ONLY.sub("", sentence)
    return len(re.findall(r"n['’]t\b", sentence)) + sum(
        word in _NOT for word in re.findall(r"[a-z]+", sentence)
    )


def _marks(word: str) -> set[str]:
    sets = {
        "not": _NOT,
        "maybe": _MAYBE,
        "must": _MUST,
        "if": _IF,
        "sometimes": _SOMETIMES,
        "only": _ONLY,
        "able": _ABLE,
    }
    return {mark for mark, words in sets.items() if word in words}


def _holed(plain: str, places: list[FigurePlace]) -> str:
    pieces = []
    at = 0
    for place in places:
        pieces += [plain[at : place.start], " \ue000 "]
        at = place.end
    return "".join([*pieces, plain[at:]])


def _active(drafts: list[_Draft]) -> list[_Draft]:
    """The wing was tested by NACA: NACA tested the wing."""
    for at, draft in enumerate(drafts):
        agent = [later for later in drafts[at + 1 :] if later.role == "by" and later.clause == draft.clause]
        if draft.passive and agent:
            start = at
            while start and drafts[start - 1].clause == draft.clause and not drafts[start - 1].passive:
                start -= 1
            subject = drafts[start:at]
            rest = [later for later in drafts[at + 1 :] if later not in agent]
            for other_draft in agent:
                other_draft.role = ""
            return [*drafts[:start], *agent, draft, *subject, *rest]
    return drafts


def _phrase(draft: _Draft) -> Phrase:
    return Phrase(
        terms=(stem(_BASE.get(draft.word, draft.word)),) if draft.word else (),
        surface=draft.word,
        role=draft.role,
        predicate=False,
        adverb=False,
        figures=tuple(draft.figures),
        name=draft.name,
        marks=frozenset(draft.marks),
        broken=draft.broken,
    )
