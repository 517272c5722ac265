"""The pages of the box and their facts, generated from a seed: the same seed gives the same web."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cached_property
from importlib.resources import files
from random import Random
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit, urlunsplit

from shisho.errors import InvalidParams

MADE: Mapping[str, Any] = tomllib.loads((files("shisho_box") / "world.toml").read_text("utf-8"))
# of a topic's pages; the rest mention it without any facts
FACT_SHARE = 0.6
MIRROR_SHARE = 0.1
_LAST_DAY = date(2026, 6, 30)
_TRACKING = ("utm_", "fbclid", "gclid")


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic of pages. A page is found by the name, `words` and `aspects` (its known facts)."""

    name: str
    language: str
    words: str
    aspects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BoxPage:
    """A page of the box.

    `aspects`: the facts about its topic; empty on useless pages. `mirror_of`: the URL of its original, if it
    is a copy in another frame. `body`: bytes to send unmodified, else the paragraphs are laid out.
    """

    number: int
    url: str
    title: str
    topic: Topic
    paragraphs: tuple[str, ...]
    aspects: frozenset[str] = frozenset()
    mirror_of: str | None = None
    day: date = _LAST_DAY
    body: bytes | None = None
    media_type: str = "text/html; charset=utf-8"

    @property
    def useful(self) -> bool:
        return bool(self.aspects)

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""


@dataclass(frozen=True, slots=True)
class BoxQuestion:
    """A question, the string that an answer must contain, and the URLs with that string, best first."""

    text: str
    gold: str
    urls: tuple[str, ...]
    topic: str

    @property
    def url(self) -> str:
        return self.urls[0]


class World:
    """All pages, and the questions they answer."""

    def __init__(self, pages: Sequence[BoxPage], questions: Sequence[BoxQuestion]) -> None:
        self.pages = tuple(replace(page, number=number) for number, page in enumerate(_make_titled(pages)))
        self.questions = tuple(questions)
        self.topics = tuple(dict.fromkeys(page.topic for page in self.pages))

    @cached_property
    def _by_url(self) -> dict[str, BoxPage]:
        return {_make_key(page.url): page for page in self.pages}

    def page(self, url: str) -> BoxPage | None:
        """Return the page at a URL, ignoring tracking parameters and the scheme."""
        return self._by_url.get(_make_key(url))

    def find_by_number(self, number: int) -> BoxPage | None:
        return self.pages[number] if 0 <= number < len(self.pages) else None

    @cached_property
    def by_title(self) -> Mapping[str, BoxPage]:
        return {page.title: page for page in self.pages}

    @cached_property
    def hosts(self) -> tuple[str, ...]:
        return tuple(sorted({page.host for page in self.pages}))


def make(seed: int = 0, topics: int = 16, pages: int = 20) -> World:
    """Generate `topics` invented things with `pages` pages each.

    Raises: InvalidParams if the tables have too few names.
    """
    kinds = MADE["kind"]
    subjects = [(kind, kind["names"][turn]) for turn in range(len(kinds[0]["names"])) for kind in kinds]
    if not 0 <= topics <= len(subjects) or pages < 4:
        raise InvalidParams(
            "box.topics_out_of_range",
            most=len(subjects),
            topics=topics,
            pages=pages,
        )
    box_pages: list[BoxPage] = []
    questions: list[BoxQuestion] = []
    taken: set[str] = set()
    for kind, name in subjects[:topics]:
        found_pages = _Subject(seed, kind, name, taken).pages(pages)
        box_pages += found_pages
        questions += _make_questions(kind, name, found_pages, seed)
    return World(box_pages, questions)


class _Subject:
    """The pages of one topic."""

    def __init__(self, seed: int, kind: Mapping[str, Any], name: str, taken: set[str]) -> None:
        self._kind = kind
        self._name = name
        self._seed = seed
        self._taken = taken
        self._tongue = MADE["language"][kind["language"]]
        self._chance = Random(f"{seed}/{name}")
        self._topic = Topic(
            name, kind["language"], kind["words"], tuple(aspect["word"] for aspect in kind["aspects"])
        )

    def pages(self, count: int) -> list[BoxPage]:
        facts = [self._make_fact_page(number) for number in range(round(count * FACT_SHARE))]
        mirrors = [
            self._mirror(self._chance.choice(facts)) for _ in range(max(1, round(count * MIRROR_SHARE)))
        ]
        return [*facts, *mirrors, *(self._make_idle_page() for _ in range(count - len(facts) - len(mirrors)))]

    def _make_fact_page(self, number: int) -> BoxPage:
        aspects = self._kind["aspects"]
        # The first pages go through all aspects in turn, so that every question has its page.
        mentioned_aspects = [
            aspects[number % len(aspects)],
            *self._chance.sample(aspects, self._chance.choice((0, 1, 1, 2))),
        ]
        mentioned_aspects = list({aspect["word"]: aspect for aspect in mentioned_aspects}.values())
        sentences = [self._make_sentence(aspect) for aspect in mentioned_aspects]
        title = self._pick("title").format(
            name=self._name, about=self._join_words([aspect["word"] for aspect in mentioned_aspects])
        )
        text = [
            self._pick("intro"),
            *(
                f"{self._make_filler()}{self._gap}{sentence}{self._gap}{self._make_filler()}"
                for sentence in sentences
            ),
        ]
        return self._make_page(
            title,
            [*text, self._make_filler() + self._gap + self._make_filler()],
            frozenset(aspect["word"] for aspect in mentioned_aspects),
        )

    def _make_sentence(self, aspect: Mapping[str, Any]) -> str:
        wording: str = self._chance.choice(aspect["said"])
        return wording.format(name=self._name, v=value(self._seed, self._name, aspect))

    def _make_idle_page(self) -> BoxPage:
        text = [
            self._pick("idle"),
            *(self._make_filler() + self._gap + self._make_filler() for _ in range(3)),
        ]
        return self._make_page(self._pick("idle_title").format(name=self._name), text)

    def _mirror(self, page: BoxPage) -> BoxPage:
        return replace(
            self._make_page(page.title, [*page.paragraphs, self._make_filler()], page.aspects),
            mirror_of=page.url,
        )

    def _make_page(self, title: str, text: Sequence[str], aspects: frozenset[str] = frozenset()) -> BoxPage:
        day = _LAST_DAY - timedelta(days=self._chance.randrange(2_500))
        paragraphs = tuple(sentence.format(name=self._name) for sentence in text)
        return BoxPage(0, self._make_address(), title, self._topic, paragraphs, aspects, day=day)

    def _make_address(self) -> str:
        while True:
            host = self._chance.choice(MADE["hosts"])
            number = self._chance.randrange(10, 9_000)
            path = self._chance.choice(
                (
                    f"/{number}.html",
                    f"/articles/{number}",
                    f"/{quote(self._name)}/{number}",
                    f"/?p={number}",
                )
            )
            scheme = "http" if self._chance.random() < 0.1 else "https"
            if f"{host}{path}" not in self._taken:
                self._taken.add(f"{host}{path}")
                return f"{scheme}://{host}{path}"

    def _make_filler(self) -> str:
        pattern: str = self._pick("filler")
        sentence = pattern.format(
            when=self._pick("when"), who=self._pick("who"), did=self._pick("did"), name=self._name
        )
        return sentence[0].upper() + sentence[1:]

    def _pick(self, name: str) -> str:
        return str(self._chance.choice(self._tongue[name]))

    @property
    def _gap(self) -> str:
        return "" if self._topic.language == "ja" else " "

    def _join_words(self, words: Sequence[str]) -> str:
        return "・".join(words) if self._topic.language == "ja" else " and ".join(words)


def value(seed: int, name: str, aspect: Mapping[str, Any]) -> str:
    """The true value of an aspect of a topic: the same on every page that tells it."""
    chance = Random(f"{seed}/{name}/{aspect['word']}")
    if "of" in aspect:
        return str(chance.choice(aspect["of"]))
    return f"{chance.randint(aspect['from'], aspect['to'])}{aspect['unit']}"


def _make_questions(
    kind: Mapping[str, Any], name: str, pages: Sequence[BoxPage], seed: int
) -> Iterator[BoxQuestion]:
    for aspect in kind["aspects"]:
        holding = [page.url for page in pages if aspect["word"] in page.aspects]
        if holding:
            yield BoxQuestion(
                aspect["asked"].format(name=name), value(seed, name, aspect), tuple(holding), name
            )


def _make_titled(pages: Sequence[BoxPage]) -> Iterator[BoxPage]:
    """Each title once, for Wikipedia knows its pages by title alone."""
    counts: dict[str, int] = {}
    for page in pages:
        counts[page.title] = counts.get(page.title, 0) + 1
        yield (
            page if counts[page.title] == 1 else replace(page, title=f"{page.title} ({counts[page.title]})")
        )


def _make_key(url: str) -> str:
    parts = urlsplit(url)
    pairs = [(name, value) for name, value in parse_qsl(parts.query) if not name.startswith(_TRACKING)]
    return urlunsplit(("", parts.netloc.lower(), unquote(parts.path) or "/", urlencode(sorted(pairs)), ""))
