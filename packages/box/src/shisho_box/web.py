"""Choose the response to each request. No I/O: the server does it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from shisho.errors import InvalidParams
from shisho.system.box import HOME
from shisho_box import sites
from shisho_box.challenges import SOLVE, challenge, is_solved, solve
from shisho_box.engines import ENGINES
from shisho_box.engines.engine import (
    SHELL,
    BoxEngine,
    Row,
    SerpContent,
    SerpRequest,
    Tokens,
    WrongRequest,
    has_run_script,
)
from shisho_box.hostile import SCRIPTS
from shisho_box.message import BoxRequest, BoxResponse, Way, html, json_, xml
from shisho_box.ranking import RankedResult, RankingModel, TopicIndex
from shisho_box.rules import CHALLENGES, Rule, RuleAction, RuleSet, RuleTarget, find_deed, rule_of
from shisho_box.world import BoxPage, World

_BEFORE_RULES = ("desk", "solved", "shell")
_ASIDE = ("/robots.txt", "/favicon.ico")  # requested by clients on their own: no query to an engine
_HOSTILE = {f"{name.replace('_', '-')}.hostile.example": name for name in SCRIPTS}
_CHANGED = {RuleAction.RENDERED: sites.answer_by_script, RuleAction.SHIFT_JIS: sites.encode_in_shift_jis}
_STRANGE = {"json": json_('{"weather": "fine"}'), "xml": xml("<forecast>fine</forecast>")}


@dataclass(frozen=True, slots=True)
class RoutedRequest:
    """A request with its target, for the log and for the response."""

    place: RuleTarget
    engine: BoxEngine | None = None
    search: SerpRequest | None = None
    wrong: str = ""


class SmallWeb:
    """The small web: engines, pages, special hosts, and the rules by which they misbehave."""

    def __init__(self, world: World, manner: RankingModel) -> None:
        self.world = world
        self.manner = manner
        self.index = TopicIndex(world)
        self.rules = RuleSet()
        self.tokens = Tokens(manner.seed)
        self.port = 0  # of plain HTTP, for a redirect to this machine
        self._engines = {host: engine for engine in ENGINES for host in engine.hosts}
        self.hosts = tuple(sorted({*self._engines, *world.hosts, *sites.ODD, *_HOSTILE}))

    def page(self, url: str) -> BoxPage | None:
        """Return the page at its own URL, or at an engine's URL for it."""
        parts = urlsplit(url)
        request = BoxRequest(parts.scheme, "GET", parts.hostname or "", parts.path, url)
        engine = self._engines.get(request.host)
        reply = engine.other(request, self.world) if engine else None
        if isinstance(reply, BoxResponse) and "Location" in dict(reply.headers):
            return self.page(dict(reply.headers)["Location"])
        return reply if isinstance(reply, BoxPage) else self.world.page(url)

    def results(self, name: str, query: str) -> list[str]:
        """Return all URLs of an engine for a query in order. Raises: KeyError for an unknown engine."""
        engine = {engine.name: engine for engine in ENGINES}[name]
        return [_make_row(engine, result).url for result in self._rank_results(engine, query)]

    def _rank_results(self, engine: BoxEngine, text: str) -> tuple[RankedResult, ...]:
        """Return the ranked results of an engine for a query, or only those in the topic's language."""
        ranked = self.index.rank(engine.name, text, self.manner)
        if not engine.one_language or not ranked:
            return ranked
        language = self.index.topics(text)[0].language
        return tuple(result for result in ranked if result.page.topic.language == language)

    def meet(self, request: BoxRequest) -> RoutedRequest:
        engine = self._engines.get(request.host)
        if engine is None or request.path in _ASIDE:
            return RoutedRequest(RuleTarget(request.host, request.path))
        try:
            search = engine.read(request, self.tokens)
        except WrongRequest as reason:
            return RoutedRequest(
                RuleTarget(request.host, request.path, engine.name), engine, wrong=str(reason)
            )
        text, page = (search.text, search.page) if search else ("", 0)
        return RoutedRequest(RuleTarget(request.host, request.path, engine.name, text, page), engine, search)

    def answer(self, request: BoxRequest, routed: RoutedRequest, now: float) -> tuple[BoxResponse, str]:
        """Return the response, with a note for the log if it is unusual.

        `now`: seconds of any monotonic clock.
        """
        if request.host == HOME and request.method == "POST":
            return self._run_command(request), "desk"
        if request.path == SOLVE and request.method == "POST":
            return solve(request), "solved"
        if routed.search and routed.engine and routed.engine.shell and not has_run_script(request):
            return html(SHELL.format(title=routed.engine.shell)), "shell"
        rule = self.rules.match(routed.place, now)
        if rule and rule.do in CHALLENGES:
            if rule.do is RuleAction.BLOCKED or not is_solved(request):
                return challenge(rule.do, request), rule.do.value
            rule = None
        if rule:
            early = find_deed(rule)
            if early:
                return replace(early, delay_s=rule.delay_s), rule.do.value
        answer, note = self._serve_usual(request, routed, rule)
        return (replace(answer, delay_s=rule.delay_s), rule.do.value) if rule else (answer, note)

    def record_end(self, routed: RoutedRequest, note: str, now: float) -> None:
        if note not in _BEFORE_RULES:
            self.rules.record_end(routed.place, now)

    def _serve_usual(
        self, request: BoxRequest, routed: RoutedRequest, rule: Rule | None
    ) -> tuple[BoxResponse, str]:
        if routed.engine and routed.wrong:
            return routed.engine.block(routed.wrong), f"wrong: {routed.wrong}"
        if routed.engine and routed.search:
            return self._serve_serp(routed.engine, routed.search, request, rule), ""
        reply = routed.engine.other(request, self.world) if routed.engine else None
        if isinstance(reply, BoxResponse):
            return reply, ""
        if request.path == "/robots.txt":
            return sites.ROBOTS.get(request.host, sites.robots)(), ""
        if request.host in _HOSTILE:
            return BoxResponse(way=Way.SCRIPT, script=_HOSTILE[request.host]), ""
        if request.host in sites.ODD:
            return sites.ODD[request.host](request, self.port), ""
        if routed.engine and request.path == "/":
            return sites.home(routed.engine.name), ""
        page = reply or self.world.page(request.url)
        if page is None:
            return sites.answer_missing(), ""
        sent = sites.page(page, request)
        change = _CHANGED.get(rule.do) if rule else None
        return (
            change(sent) if change and sent.body and sent.media_type.startswith("text/html") else sent
        ), ""

    def _serve_serp(
        self, engine: BoxEngine, search: SerpRequest, request: BoxRequest, rule: Rule | None
    ) -> BoxResponse:
        do = rule.do if rule else None
        if do is RuleAction.UNKNOWN_LAYOUT:
            return _STRANGE.get(engine.kind) or html("<html><body><div class='q1'>fine</div></body></html>")
        results = self._rank_results(engine, search.text)
        if do is RuleAction.NO_RESULTS:
            results = ()
        if do is RuleAction.USELESS:
            results = self._list_useless(search, results)
        end = search.start + search.size
        if do is RuleAction.LAST:
            results = results[:end]
        part = results[search.start : end] or (results[: search.size] if engine.repeats else ())
        if do is RuleAction.REPEAT:
            part = results[max(0, search.start - search.size) : max(search.start, search.size)]
        if do is RuleAction.KNOWN:
            part = tuple(reversed(results[: search.start][:: max(1, search.start // search.size)]))
        more = (end < len(results) or engine.repeats) and do is not RuleAction.LAST and bool(part)
        token = self.tokens.give(engine.name, search.text, end)
        rows = [_make_row(engine, result) for result in part]
        return engine.show(SerpContent(search, rows, more, len(results), token, request.host))

    def _list_useless(self, search: SerpRequest, results: Sequence[RankedResult]) -> tuple[RankedResult, ...]:
        """Return as many rows of pages from other topics, different from all rows before this page."""
        about = self.index.topics(search.text)
        shown_urls = {result.page.url for result in results[: search.start]}
        other = [page for page in self.world.pages if page.topic not in about and page.url not in shown_urls]
        strange = [RankedResult(page.url, page, page.paragraphs[0]) for page in other[search.start :]]
        return (*results[: search.start], *strange[: max(0, len(results) - search.start)])

    def _run_command(self, request: BoxRequest) -> BoxResponse:
        """Handle commands of the box's owner, at its own host."""
        try:
            values: dict[str, Any] = json.loads(request.body or b"{}")
            match request.path:
                case "/rules":
                    self.rules.add(rule_of(values))
                case "/calm":
                    self.rules.remove()
                case "/expire":
                    self.tokens.expire(values["engine"])
                case _:
                    return sites.answer_missing()
        except (InvalidParams, KeyError, ValueError) as error:
            return html(str(error), 400)
        return json_('{"ok": true}')


def _make_row(engine: BoxEngine, result: RankedResult) -> Row:
    page = result.page
    url = engine.address(page) if engine.address else result.url
    return Row(url, page.title, result.snippet, page.day, page.number)
