"""A preview of the queries that a question would send out."""

from __future__ import annotations

from dataclasses import dataclass

from shisho.domain.inquiry import Budget
from shisho.domain.requirements import Requirements
from shisho.domain.task import OutgoingQueries
from shisho.services.engines import EngineCatalogue
from shisho.web.serp.category import GENERAL, category_of


@dataclass(frozen=True, slots=True)
class EngineOutgoingPreview:
    """A preview of outgoing queries. `boxed`: the engines belong to a web in a box."""

    engines: EngineCatalogue
    budget: Budget
    boxed: bool

    async def preview_question(self, question: str, required: Requirements) -> OutgoingQueries:
        """Preview the queries for all goals; those that the library answers will not be sent."""
        from shisho.librarian.plan import web_queries
        from shisho.librarian.strategy import strategy

        goals = strategy(question, required).goals
        texts = [query.text for query in web_queries(goals, self.budget.max_pages)]
        return await self.preview_queries(*texts)

    async def preview_queries(self, *queries: str) -> OutgoingQueries:
        categories = {GENERAL, *map(category_of, queries)}
        rows = await self.engines.list_engines()
        names = tuple(row.name for row in rows if row.available and categories & {*row.categories})
        return OutgoingQueries(queries, names, self.boxed)
