"""The queries that a question would send out, told before anything is sent."""

from __future__ import annotations

from dataclasses import dataclass

from shisho.domain.inquiry import Budget
from shisho.domain.requirements import Requirements
from shisho.domain.task import OutgoingQueries
from shisho.handlers.engines import EngineCatalogue
from shisho.web.serp.category import GENERAL, category_of


@dataclass(frozen=True, slots=True)
class EngineOutgoingPreview:
    """`boxed`: the engines are those of a web in a box."""

    engines: EngineCatalogue
    budget: Budget
    boxed: bool

    async def preview_question(self, question: str, required: Requirements) -> OutgoingQueries:
        """For all that the question asks; what the library answers is left out when it comes to that."""
        from shisho.librarian.strategy import strategy
        from shisho.librarian.web_fallback import web_queries

        goals = strategy(question, required).goals
        texts = [query.text for query in web_queries(goals, self.budget.max_pages)]
        return await self.preview_queries(*texts)

    async def preview_queries(self, *queries: str) -> OutgoingQueries:
        categories = {GENERAL, *map(category_of, queries)}
        rows = await self.engines.list_engines()
        names = tuple(row.name for row in rows if row.available and categories & {*row.categories})
        return OutgoingQueries(queries, names, self.boxed)
