"""The stores of a library in groups."""

from __future__ import annotations

from shisho.domain.answer_log import RunTrace
from shisho.ports import (
    Cache,
    ChangeNotifier,
    Clock,
    DiscoveredUrls,
    Health,
    Interventions,
    JobStore,
    Ledger,
    Limiter,
    Opinions,
    Presence,
    Reports,
    SessionLog,
    Staging,
    TaskStore,
)
from shisho.records import dataclass


@dataclass(frozen=True, slots=True)
class RunHistory:
    """What was asked, what the runs have done, and the user's opinions of their sources."""

    ledger: Ledger
    opinions: Opinions
    sessions: SessionLog

    async def trace(self, run_id: str) -> RunTrace:
        """Return the trace of a run's steps and rounds."""
        from shisho.librarian.record import trace_run

        steps = await self.ledger.list_steps(run_id)
        return trace_run(steps, await self.sessions.list_rounds(run_id))


@dataclass(frozen=True, slots=True)
class RateLimits:
    """The shared rate limits and health records that all processes obey."""

    limiter: Limiter
    health: Health
    cache: Cache
    interventions: Interventions
    clock: Clock


@dataclass(frozen=True, slots=True)
class QueueStores:
    """The queue's stores in the database, and its parts outside the database."""

    notifier: ChangeNotifier
    jobs: JobStore
    interventions: Interventions
    tasks: TaskStore
    finds: DiscoveredUrls
    reports: Reports
    staging: Staging
    presence: Presence
    rate_limits: RateLimits
