"""The engines as shown to a visitor: facts, health and remaining quota of each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from shisho.domain.politeness import BreakerState, EngineHealth, Limit, LimiterStatus
from shisho.domain.task import EngineStatus
from shisho.domain.time import count_seconds, drop_fraction, later
from shisho.domain.web import EngineAbout
from shisho.messages.message import Message
from shisho.ports import Clock, Health, Limiter
from shisho.web.serp.credentials import find_missing_keys, limit_of
from shisho.web.serp.selection import Means, PassedOverReason, find_bar

NO_WAY = Message("engine.no_way")
OFF = Message("engine.web_off")
OFF_BY_SETTING = Message("engine.web_off_by_setting")
PASSES = (PassedOverReason.RESTING, PassedOverReason.SPENT)


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
        abouts = self.list_known()
        means = Means({}, {}, find_missing_keys(abouts, self.values), self.browser)
        return any(about.name in self.plugged and find_bar(about, means) is None for about in abouts)

    async def list_engines(self) -> Sequence[EngineStatus]:
        """List every engine in the order of their table. Raises InvalidParams for an invalid engines.toml."""
        abouts = self.list_known()
        limits = {about.name: limit_of(about, self.values) for about in abouts}
        health = {
            name: self._dated(health) for name, health in (await self.health.read(list(limits))).items()
        }
        busy = await self.limiter.read_status({f"engine:{name}": limit for name, limit in limits.items()})
        standing = {name: busy[f"engine:{name}"] for name in limits}
        means = Means(health, standing, find_missing_keys(abouts, self.values), self.browser)
        off = self.find_off_reason()
        return [self._row(about, limits[about.name], means, off) for about in abouts]

    def _row(self, about: EngineAbout, limit: Limit, means: Means, off: str) -> EngineStatus:
        why = find_bar(about, means)
        if off and why is not None and why.why is PassedOverReason.NO_BROWSER:
            why = None  # not looked for, because it would not be used
        is_plugged = about.name in self.plugged
        reason = why.reason if why else off or ("" if is_plugged else NO_WAY)
        health = means.health.get(about.name, EngineHealth(about.name))
        standing = means.standing.get(about.name, LimiterStatus())
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
            quota_left=None if limit.per_day is None else max(0, limit.per_day - standing.used_today),
            breaker=health.breaker,
            success_rate=health.success_rate,
            median_latency_s=health.median_latency_s,
            cool_down_until=health.open_until if health.breaker is BreakerState.OPEN else None,
            last_error=health.last_error or None,
        )

    def _dated(self, health: EngineHealth) -> EngineHealth:
        """Return the health with the end of its cooldown in wall-clock time, to the second."""
        if not health.open_until:
            return health
        remaining = count_seconds(self.clock.steady(), health.open_until)
        return replace(health, open_until=drop_fraction(later(self.clock.now(), remaining)))
