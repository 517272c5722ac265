"""Replies of a played model without the words of documents, and the way back.

What a reply copies from a document is stored as its place there (document, start, end, hash), and a number
of a passage, a quotation or a sentence as what it stands for. So a recording holds nothing but the player's
own words, and is replayed even if passages are ranked or numbered in another way."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from exchange import name_node, write_asked

from shisho.language import estimate_tokens
from shisho.testing.model_providers import ProviderReply, ProviderRequest, Script

MIN_CHARS = 12  # of words that are stored as a place in a document
FIRST_CHARS = 60  # of a passage, by which it is found again
NOT_RECORDED = 404
_FENCED = re.compile(
    r"^(⟦[0-9a-f]{16}) (?!end of)(?P<name>[^\n|]*)(?:\|[^\n]*)?\n(?P<text>.*?)\n\1 end of [^\n]*$",
    re.S | re.M,
)
_SPACE = re.compile(r"\s+")


class DocumentTexts:
    """The stored texts of documents, by name."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._squeezed = {name: _squeeze_with_places(text) for name, text in texts.items()}

    def locate(self, words: str) -> dict[str, Any] | None:
        """Return the place of words in the first document that has them, whatever space is between."""
        squeezed = squeeze(words)
        for name, (text, places) in self._squeezed.items():
            at = text.find(squeezed) if squeezed else -1
            if at >= 0:
                start, end = places[at], places[at + len(squeezed) - 1] + 1
                hashed = hash_words(self._texts[name][start:end])
                return {"document": name, "start": start, "end": end, "sha256": hashed}
        return None

    def read(self, place: Mapping[str, Any]) -> str:
        """Return the words at a place; if they have moved, from where they are now. Raises ValueError if the
        document does not have them any more."""
        text = self._texts.get(place["document"], "")
        length = place["end"] - place["start"]
        for start in (place["start"], *range(len(text) - length + 1)):
            words = text[start : start + length]
            if hash_words(words) == place["sha256"]:
                return words
        raise ValueError(f"{place['document']} no longer has the words at {place['start']}: play again")


@dataclass(frozen=True, slots=True)
class PlayedCall:
    """A call of one question as it is recorded. `reply`: without the words of documents."""

    node: str
    input_tokens: int
    output_tokens: int
    reply: Any


@dataclass
class Played:
    """The calls of each question in their order, and the texts that its last answer was made of."""

    calls: dict[str, list[PlayedCall]] = field(default_factory=dict)
    written: dict[str, list[str]] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    """Calls that a recording does not have."""

    def note(self, name: str, request: ProviderRequest, text: str, reply: Any) -> None:
        call = PlayedCall(
            name_node(request), estimate_tokens(write_asked(request)), estimate_tokens(text), reply
        )
        self.calls.setdefault(name, []).append(call)
        if call.node in ("fact", "answer"):
            units = [unit["text"] for unit in _list_units(json.loads(text))]
            self.written[name] = units or self.written.get(name, [])

    def count(self, kinds: Mapping[str, str]) -> dict[str, tuple[int, int, int]]:
        """Return calls, tokens in and tokens out of each kind of question."""
        sums: dict[str, tuple[int, int, int]] = {}
        for name, calls in self.calls.items():
            before = sums.get(kinds[name], (0, 0, 0))
            now = (len(calls), sum(c.input_tokens for c in calls), sum(c.output_tokens for c in calls))
            sums[kinds[name]] = (before[0] + now[0], before[1] + now[1], before[2] + now[2])
        return sums


def record_calls(player: Script, names: Mapping[str, str], texts: DocumentTexts, played: Played) -> Script:
    """Return a script that asks the player and notes each call. `names`: of the questions, by their text."""

    async def script(request: ProviderRequest) -> ProviderReply:
        reply = player(request)
        if not isinstance(reply, ProviderReply):
            reply = await reply
        stored = store_reply(json.loads(reply.text), request, texts)
        played.note(find_name(request, names), request, reply.text, stored)
        return reply

    return script


def replay_calls(
    recorded: Mapping[str, Sequence[PlayedCall]],
    names: Mapping[str, str],
    texts: DocumentTexts,
    played: Played,
) -> Script:
    """Return a script that replies as recorded: for each question and node the next reply."""
    pending = {
        (name, node): iter([call for call in calls if call.node == node])
        for name, calls in recorded.items()
        for node in {call.node for call in calls}
    }

    def script(request: ProviderRequest) -> ProviderReply:
        name, node = find_name(request, names), name_node(request)
        call = next(pending.get((name, node), iter(())), None)
        if call is None:
            played.unknown.append(f"{name}: {node}")
            return ProviderReply("not recorded", status=NOT_RECORDED)
        text = json.dumps(rebuild_reply(call.reply, request, texts), ensure_ascii=False)
        played.note(name, request, text, call.reply)
        return ProviderReply(
            text, input_tokens=estimate_tokens(write_asked(request)), output_tokens=estimate_tokens(text)
        )

    return script


def find_name(request: ProviderRequest, names: Mapping[str, str]) -> str:
    """Return the name of the question that a request is for."""
    text = request.text
    return next((names[asked] for asked in sorted(names, key=len, reverse=True) if asked in text), "")


def store_reply(reply: Any, request: ProviderRequest, texts: DocumentTexts) -> Any:
    """Return the reply without words of documents and without numbers that another request may change."""
    fences = read_fences(request)
    passages = {number: _locate_passage(body, texts) for number, body in fences["passage"].items()}
    sentences = dict(zip(fences["sentence"], name_bodies(fences["sentence"].values()), strict=True))
    known = {"passage": passages, "read_around": passages, "sentence": sentences}
    if name_node(request) == "answer":  # a fact's own numbers count its findings
        known["cites"] = _name_quotations(fences["quotation"], texts)

    def store(value: Any, key: str) -> Any:
        if isinstance(value, dict):
            return {name: store(part, name) for name, part in value.items()}
        if isinstance(value, list):
            return [store(part, key) for part in value]
        if isinstance(value, int) and not isinstance(value, bool) and key in known:
            name = known[key].get(value)
            return value if name is None else name if key == "cites" else {"of": name}
        if isinstance(value, str) and (len(value) >= MIN_CHARS or key == "quotation"):
            place = texts.locate(value)
            return value if place is None else {"words": place, **_note_spaces(value, texts.read(place))}
        return value

    return store(reply, "")


def rebuild_reply(stored: Any, request: ProviderRequest, texts: DocumentTexts) -> Any:
    """Return the reply with the words of documents and the numbers of this request. A number whose passage,
    quotation or sentence was not shown is 0. A verdict on a sentence that was not shown is left out: with it
    the reply would not be believed."""
    fences = read_fences(request)
    sentences = dict(zip(name_bodies(fences["sentence"].values()), fences["sentence"], strict=True))
    quotations = _name_quotations(fences["quotation"], texts)

    def rebuild(value: Any, key: str) -> Any:
        if isinstance(value, list):
            rebuilt = [rebuild(part, key) for part in value]
            return [part for part in rebuilt if part["sentence"]] if key == "verdicts" else rebuilt
        if not isinstance(value, dict):
            return value
        if "words" in value:
            words = texts.read(value["words"])
            return _put_spaces(words, value["spaces"]) if "spaces" in value else words
        if "of" in value:
            if isinstance(value["of"], str):
                return sentences.get(value["of"], 0)
            if key != "cites":
                return find_body(fences["passage"], texts.read(value["of"]))
            same = [number for number, name in quotations.items() if name == value]
            return next(iter(same), 0) or find_body(fences["quotation"], texts.read(value["of"]))
        parts = {name: rebuild(part, name) for name, part in value.items()}
        if "passage" in parts and "quotation" in parts:  # the same words may be in another passage
            parts["passage"] = (
                find_body(fences["passage"], parts["quotation"], parts["passage"]) or parts["passage"]
            )
        return parts

    return rebuild(stored, "")


def find_body(bodies: Mapping[int, str], words: str, preferred: int = 0) -> int:
    """Return the number of the first body that has these words, 0 if none has."""
    squeezed = squeeze(words)
    if squeezed in squeeze(bodies.get(preferred, "")):
        return preferred
    return next((number for number, body in bodies.items() if squeezed in squeeze(body)), 0)


def read_fences(request: ProviderRequest) -> Mapping[str, dict[int, str]]:
    """Return the numbered passages, quotations and sentences that a request shows."""
    shown: dict[str, dict[int, str]] = {"passage": {}, "quotation": {}, "sentence": {}}
    for match in _FENCED.finditer(request.text):
        kind, _, rest = match["name"].strip().partition(" ")
        number = rest.partition(" ")[0]
        if kind in shown and number.isdigit():
            shown[kind][int(number)] = match["text"]
    return shown


def name_bodies(bodies: Iterable[str]) -> Iterator[str]:
    """Name sentences to judge by their words and those beside them; equal ones by their order."""
    seen: Counter[str] = Counter()
    for body in bodies:
        lines = [line for line in body.split("\n") if not line.startswith("(suspect: ")]
        hashed = hash_words("\n".join(lines))
        seen[hashed] += 1
        yield f"{hashed}/{seen[hashed]}"


def squeeze(words: str) -> str:
    return _SPACE.sub("", words)


def hash_words(words: str) -> str:
    return sha256(words.encode()).hexdigest()[:16]


def _squeeze_with_places(text: str) -> tuple[str, list[int]]:
    kept = [(character, place) for place, character in enumerate(text) if not character.isspace()]
    return "".join(character for character, _ in kept), [place for _, place in kept]


def _locate_passage(body: str, texts: DocumentTexts) -> Any:
    return texts.locate(body[:FIRST_CHARS])


def _locate_suffix(body: str, texts: DocumentTexts) -> Any:
    """The quotation stands last, after its context and its stance."""
    lines = body.split("\n")
    places: Callable[[int], Any] = lambda first: texts.locate("\n".join(lines[first:]))  # noqa: E731
    return next(filter(None, map(places, range(len(lines)))), None)


def _name_quotations(bodies: Mapping[int, str], texts: DocumentTexts) -> dict[int, Any]:
    """Name quotations by their places; the same place is quoted for several goals: `nth` tells them apart."""
    seen: Counter[str] = Counter()
    named: dict[int, Any] = {}
    for number, body in bodies.items():
        place = _locate_suffix(body, texts)
        if place is not None:
            named[number] = {"of": place, "nth": seen[str(place)]}
            seen[str(place)] += 1
    return named


def _note_spaces(written: str, words: str) -> dict[str, Any]:
    """Return where the player wrote white space, if not where the document has it."""
    if written == words:
        return {}
    runs = list(_SPACE.finditer(written))
    return {"spaces": [[len(squeeze(written[: run.start()])), run[0]] for run in runs]}


def _put_spaces(words: str, spaces: Iterable[Sequence[Any]]) -> str:
    squeezed, parts, last = squeeze(words), "", 0
    for at, space in spaces:
        parts, last = parts + squeezed[last:at] + space, at
    return parts + squeezed[last:]


def _list_units(reply: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for block in reply.get("blocks", ()):
        yield from block.get("sentences", ())
        for row in block.get("rows", ()):
            yield from row
