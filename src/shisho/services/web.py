"""Web access: engines, consent, previews, and challenges that wait for a person."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial

from shisho.domain.inquiry import Budget
from shisho.domain.intervention import (
    AuthAction,
    AuthResolved,
    AuthTarget,
    HumanChallenge,
    InterventionState,
    PendingIntervention,
    WindowResult,
    find_intervention,
    find_solved_together,
    select_interventions,
)
from shisho.domain.politeness import BreakerState, EngineHealth, Limit, LimiterStatus
from shisho.domain.reference import Reference
from shisho.domain.task import (
    EngineStatus,
    OutgoingQueries,
    WebConsent,
)
from shisho.domain.time import add_seconds, count_seconds, drop_fraction
from shisho.domain.web import EngineAbout, Response
from shisho.errors import (
    Conflict,
    EngineUnavailable,
    NotFound,
    ParserFailed,
)
from shisho.messages import Message
from shisho.ports import Browser, Clock, Health, Interventions, Limiter, SerpParser
from shisho.records import dataclass
from shisho.services import intake
from shisho.services.coercion import coerce
from shisho.services.queue import JobQueue
from shisho.services.requirements import (
    GoalLike,
    build_requirements,
)
from shisho.services.tasks import Consent
from shisho.web.http.challenge import detect
from shisho.web.serp.credentials import find_missing_keys, limit_of
from shisho.web.serp.selection import GENERAL, EngineAvailability, PassedOverReason, classify_query, find_bar

NO_WAY = Message("engine.no_way")
OFF = Message("engine.web_off")
OFF_BY_SETTING = Message("engine.web_off_by_setting")
PASSES = (PassedOverReason.RESTING, PassedOverReason.SPENT)


@dataclass(frozen=True, slots=True)
class WebTools:
    """A person's access to the web.

    `window` shows a challenge to the person at the screen and returns whether they solved it. `look_up`
    returns the facts of a DOI; None without web access. `is_boxed`: the engines belong to a web in a box.
    """

    consent: Consent
    engines: Callable[[], EngineCatalogue]
    window: Callable[[HumanChallenge], Awaitable[bool]]
    look_up: Callable[[str], Awaitable[Reference | None]] | None
    is_boxed: bool


class Web:
    """Web access: engines, the user's consent, previews, and challenges that wait for a person."""

    def __init__(
        self,
        queue: JobQueue,
        interventions: Interventions,
        close_breaker: Callable[[str], Awaitable[None]],
        tools: WebTools,
        budget: Budget,
    ) -> None:
        self._queue = queue
        self._interventions = interventions
        self._close_breaker = close_breaker
        self._tools = tools
        self._budget = budget

    async def is_usable(self) -> bool:
        """Return True if web searches are possible and allowed."""
        return self._tools.consent.read_state() is WebConsent.GIVEN and any(
            row.available for row in await self._tools.engines().list_engines()
        )

    async def list_engines(self) -> Sequence[EngineStatus]:
        """List all engines, available ones first. Raises InvalidParams for an invalid engines.toml."""
        return sorted(await self._tools.engines().list_engines(), key=lambda row: not row.available)

    def get_consent(self) -> WebConsent:
        """Return the user's consent to web searches."""
        return self._tools.consent.read_state()

    def get_consent_time(self) -> str:
        """Return the time of the user's choice; "" if there is none, or a setting decides."""
        return self._tools.consent.read_since()

    def set_consent(self, consent: WebConsent | str) -> None:
        """Store a yes (`given`) or a no (`off`); `not_asked` deletes both."""
        self._tools.consent.keep(coerce(WebConsent, consent, "consent"))

    async def preview_question(
        self, question: str, goals: GoalLike | Sequence[GoalLike] = ()
    ) -> OutgoingQueries:
        """Preview the web queries and engines for a question with these goals. Nothing is sent.

        Queries for goals that the library answers will not be sent.
        """
        from shisho.librarian.strategy import strategy
        from shisho.librarian.web_fallback import build_web_queries

        aims = strategy(question, build_requirements(goals)).goals
        return await self.preview_queries(
            *(query.text for query in build_web_queries(aims, self._budget.max_pages))
        )

    async def preview_queries(self, *queries: str) -> OutgoingQueries:
        """Preview these queries unchanged."""
        categories = {GENERAL, *map(classify_query, queries)}
        rows = await self._tools.engines().list_engines()
        names = tuple(row.name for row in rows if row.available and categories & {*row.categories})
        return OutgoingQueries(queries, names, self._tools.is_boxed)

    async def get_auth_queue(self, task_id: str | None = None) -> Sequence[PendingIntervention]:
        """List the interventions that wait for a person, oldest first."""
        return await self._interventions.list_waiting(
            self._queue.owner, None if task_id is None else await self._queue.find(task_id)
        )

    async def resolve_auth(
        self, target: AuthTarget | str, id: str, action: AuthAction | str = AuthAction.COMPLETE
    ) -> AuthResolved:
        """Complete or skip interventions.

        Completing queues everything on the same domain or engine again; skipping ends exactly the named jobs
        with their partial results. An item can be named by unique prefix or `last`.

        Raises: InvalidParams for a blank, NotFound if there is no such intervention.
        """
        target = coerce(AuthTarget, target, "target")
        action = coerce(AuthAction, action, "action")
        name = intake.check_waiting_name(id)
        if target is AuthTarget.ITEM:
            name = (await self._find_waiting(id)).id
        elif target is AuthTarget.TASK:
            name = await self._queue.find(id)
        if action is AuthAction.SKIP:
            interventions = await self._interventions.skip(self._queue.owner, target, name)
        else:
            interventions = await self._complete(target, name)
        if not interventions:
            raise NotFound("wait.not_found", id=id)
        return AuthResolved(
            len(interventions),
            () if action is AuthAction.SKIP else tuple(intervention.job_id for intervention in interventions),
        )

    async def open_auth(self, name: str = "last") -> WindowResult:
        """Open a pending intervention (an item, a domain or `last`) in a window, and wait until it is solved.

        Then everything on the same domain or engine is queued again.

        Raises: NotFound, EngineUnavailable without a browser, AuthRequired without a screen, Conflict if
        another browser uses the engine's profile.
        """
        intervention = await self._find_waiting(intake.check_waiting_name(name))
        if not await self._solve_in_window(intervention):
            return WindowResult(False)
        if intervention.engine:
            await self._close_breaker(intervention.engine)
        # By the domain, because the item itself may have ended in the meantime.
        interventions = await self._complete(AuthTarget.DOMAIN, intervention.domain)
        return WindowResult(
            True, len(interventions), tuple(intervention.job_id for intervention in interventions)
        )

    async def _find_waiting(self, name: str) -> PendingIntervention:
        intervention = find_intervention(await self._interventions.list_waiting(self._queue.owner), name)
        if intervention is None:
            raise NotFound(
                "wait.ambiguous",
                name=name,
            )
        return intervention

    async def _solve_in_window(self, intervention: PendingIntervention) -> bool:
        """Return True if a person solved the challenge in the window; otherwise its state is restored."""
        item = (self._queue.owner, AuthTarget.ITEM, intervention.id)
        through = False
        state = InterventionState.PENDING
        await self._interventions.mark(*item, InterventionState.IN_PROGRESS)
        try:
            through = await self._tools.window(intervention.met)
        except Conflict:
            state = intervention.state
            raise
        finally:
            if not through:
                await self._interventions.mark(*item, state)
        return through

    async def _complete(self, target: AuthTarget, name: str) -> Sequence[PendingIntervention]:
        """Complete interventions, closing the breakers first.

        A job must not be queued again before its engine may be asked.
        """
        interventions = find_solved_together(
            await self._interventions.list_waiting(self._queue.owner),
            select_interventions(target, name),
        )
        for engine in {intervention.engine for intervention in interventions} - {""}:
            await self._close_breaker(engine)
        return await self._interventions.complete(self._queue.owner, target, name)


@dataclass(frozen=True, slots=True)
class EngineCatalogue:
    """The catalogue of engines.

    `list_known` returns all engines with the user's overrides; `plugged` are those that can be reached;
    `values` are the settings for credentials; `find_off_reason` returns why web search is off, "" if it is
    on.
    """

    list_known: Callable[[], Sequence[EngineAbout]]
    plugged: Collection[str]
    health: Health
    limiter: Limiter
    values: Mapping[str, object]
    browser: bool
    clock: Clock
    find_off_reason: Callable[[], str]

    def is_any_set_up(self) -> bool:
        """Return True if an engine can be asked, now or after its cooldown."""
        return bool(self._list_set_up())

    def is_other_set_up(self, query: str, tried: Collection[str]) -> bool:
        """Return True if an engine for this query's category, other than the tried ones, can be asked."""
        categories = {GENERAL, classify_query(query)}
        return any(
            about.name not in tried and categories & {*about.categories} for about in self._list_set_up()
        )

    def _list_set_up(self) -> Sequence[EngineAbout]:
        abouts = self.list_known()
        availability = EngineAvailability({}, {}, find_missing_keys(abouts, self.values), self.browser)
        return [
            about for about in abouts if about.name in self.plugged and find_bar(about, availability) is None
        ]

    async def list_engines(self) -> Sequence[EngineStatus]:
        """List every engine in the order of their table. Raises InvalidParams for an invalid engines.toml."""
        abouts = self.list_known()
        limits = {about.name: limit_of(about, self.values) for about in abouts}
        health = {
            name: self._set_cooldown_end(health)
            for name, health in (await self.health.read(list(limits))).items()
        }
        busy = await self.limiter.read_status({f"engine:{name}": limit for name, limit in limits.items()})
        limiter_status = {name: busy[f"engine:{name}"] for name in limits}
        availability = EngineAvailability(
            health, limiter_status, find_missing_keys(abouts, self.values), self.browser
        )
        off = self.find_off_reason()
        return [self._describe(about, limits[about.name], availability, off) for about in abouts]

    def _describe(
        self, about: EngineAbout, limit: Limit, availability: EngineAvailability, off: str
    ) -> EngineStatus:
        why = find_bar(about, availability)
        if off and why is not None and why.why is PassedOverReason.NO_BROWSER:
            why = None  # not looked for, because it would not be used
        is_plugged = about.name in self.plugged
        reason = why.reason if why else off or ("" if is_plugged else NO_WAY)
        health = availability.health.get(about.name, EngineHealth(about.name))
        limiter_status = availability.limiter_status.get(about.name, LimiterStatus())
        return EngineStatus(
            name=about.name,
            site=about.site,
            tier=about.tier,
            categories=about.categories,
            languages=about.languages,
            time_ranges=about.time_ranges,
            enabled=about.enabled,
            available=is_plugged and not off and (why is None or why.why in PASSES),
            reason=reason,
            needs_browser=about.needs_browser,
            max_pages=about.max_pages,
            interval_s=limit.interval_s,
            per_day=limit.per_day,
            quota_left=None if limit.per_day is None else max(0, limit.per_day - limiter_status.used_today),
            breaker=health.breaker,
            success_rate=health.success_rate,
            median_latency_s=health.median_latency_s,
            cool_down_until=health.open_until if health.breaker is BreakerState.OPEN else None,
            last_error=health.last_error or None,
        )

    def _set_cooldown_end(self, health: EngineHealth) -> EngineHealth:
        """Return the health with the end of its cooldown in wall-clock time, to the second."""
        if not health.open_until:
            return health
        remaining = count_seconds(self.clock.timeline_now(), health.open_until)
        return replace(health, open_until=drop_fraction(add_seconds(self.clock.now(), remaining)))


@dataclass(frozen=True, slots=True)
class Window:
    """A browser window for a person.

    The page itself shows that the challenge is solved, by the parser that found it.
    """

    browser: Browser
    parser: SerpParser

    async def __call__(self, challenge: HumanChallenge) -> bool:
        """Show the challenge. Returns False if the window was closed before it was solved."""
        return await self.browser.open_for_person(
            challenge.url, challenge.engine, partial(self._is_solved, challenge.engine)
        )

    async def _is_solved(self, engine: str, response: Response) -> bool:
        if not engine:
            return detect(response.body.decode("utf-8", "replace"), response.url, response.status) is None
        try:
            return (await self.parser.parse(engine, response)).challenge is None
        except (ParserFailed, EngineUnavailable):  # navigating from one page to the next
            return False
