"""The plugs of the house: what the rooms need from outside, in verbs of the domain. Implementations stand in `stores/`,
`corpus/readers/` and `web/`; `bootstrap` plugs them in. No verb here speaks SQL or HTTP."""

from __future__ import annotations

from shisho.ports.clock import Clock
from shisho.ports.corpus import DenseIndex, Embedder, Index, Reader, Searcher, SearchSession, SessionLog, Shelf
from shisho.ports.interventions import Interventions, Notifier
from shisho.ports.librarian import Ledger, PreparedInquiry
from shisho.ports.queue import Bell, Ear, JobStore, Presence, TaskStore
from shisho.ports.web import Browser, Cache, Fetcher, Health, Limiter, Resolver, SerpEngine, SerpParser

__all__ = [
    "Bell",
    "Browser",
    "Cache",
    "Clock",
    "DenseIndex",
    "Ear",
    "Embedder",
    "Fetcher",
    "Health",
    "Index",
    "Interventions",
    "JobStore",
    "Ledger",
    "Limiter",
    "Notifier",
    "PreparedInquiry",
    "Presence",
    "Reader",
    "Resolver",
    "SearchSession",
    "Searcher",
    "SerpEngine",
    "SerpParser",
    "SessionLog",
    "Shelf",
    "TaskStore",
]
