"""Daily quotas in a database.

They are read, compared and charged in one transaction, so that concurrent processes never exceed one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

from shisho.domain.codec import dumps
from shisho.domain.team import Grantee, GranteeKind, Quota, QuotaCharge, QuotaResource, find_full
from shisho.domain.time import Instant, count_seconds, drop_fraction
from shisho.errors import QuotaExhausted
from shisho.ports import Clock
from shisho.stores.nouns import Row
from shisho.stores.sql import Queries, QueryStore

DAY_DIGITS = 10  # the date part of an instant
# The quotas of a user: their own, and those of their groups.
BINDING = """(q.kind = 'user' AND q.name = :user
    OR q.kind = 'group' AND q.name IN (SELECT m.group_name FROM group_members m WHERE m.user_name = :user))"""
# Read and lock the quotas of a resource for a user, in a fixed order.
BINDING_QUOTAS = f"""SELECT q.kind, q.name, q.resource, q.per_day, q.day, q.used FROM quotas q
    WHERE q.resource = :resource AND {BINDING} ORDER BY q.kind, q.name /*pg FOR UPDATE */"""
# Record the use of a quota on its day.
USE = """UPDATE quotas SET used = :used, day = :day WHERE kind = :kind AND name = :name AND resource = :resource"""
# Return an unused amount, on the same day only.
RELEASE_UNUSED = """UPDATE quotas SET used = CASE WHEN used > :amount THEN used - :amount ELSE 0 END
    WHERE kind = :kind AND name = :name AND resource = :resource AND day = :day"""
# Set a quota; today's use stays counted.
SET = """INSERT INTO quotas(kind, name, resource, per_day) VALUES (:kind, :name, :resource, :per_day)
    ON CONFLICT (kind, name, resource) DO UPDATE SET per_day = excluded.per_day"""
# Delete the quotas of a user or a group.
REMOVE = "DELETE FROM quotas WHERE kind = :kind AND name = :name RETURNING resource"
# Read and lock the budget and the spending of a task.
BUDGET = "SELECT owner, budget_json, spent_json FROM tasks WHERE id = :id /*pg FOR UPDATE */"
# Record the spending of a task.
SPEND = "UPDATE tasks SET spent_json = :spent WHERE id = :id"
# List all quotas.
ALL = """SELECT q.kind, q.name, q.resource, q.per_day, q.day, q.used FROM quotas q
    ORDER BY q.kind, q.name, q.resource"""
# List all quotas of a user.
OF_USER = f"""SELECT q.kind, q.name, q.resource, q.per_day, q.day, q.used FROM quotas q WHERE {BINDING}
    ORDER BY q.kind, q.name, q.resource"""


class StoredQuotas:
    """`ports.Quotas` over a database."""

    def __init__(self, store: QueryStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def set(self, grantee: Grantee, ceilings: Mapping[QuotaResource, int]) -> None:
        def write(queries: Queries) -> None:
            for resource, per_day in ceilings.items():
                queries.fetch(SET, _bind_key(grantee, resource) | {"per_day": per_day})

        await self._store.write(write)

    async def remove(self, grantee: Grantee) -> bool:
        values = {"kind": grantee.kind, "name": grantee.name}
        return bool(await self._store.write(lambda queries: queries.fetch(REMOVE, values)))

    async def list_quotas(self, user: str | None = None) -> Sequence[Quota]:
        statement = ALL if user is None else OF_USER
        rows = await self._store.read(lambda queries: queries.fetch(statement, {"user": user}))
        today = self._clock.timeline_now()[:DAY_DIGITS]
        return [_build_quota(row).begin_day(today) for row in rows]

    async def take(self, user: str, resource: QuotaResource, amount: int) -> QuotaCharge:
        return await self._store.write(
            lambda queries: charge_quotas(queries, user, resource, amount, self._clock.timeline_now())
        )

    async def release_unused(self, charge: QuotaCharge, amount: int) -> None:
        if not charge.charged or amount <= 0:
            return

        def write(queries: Queries) -> None:
            for quota in charge.charged:
                key = _bind_key(quota.grantee, quota.resource)
                queries.fetch(RELEASE_UNUSED, key | {"day": quota.day, "amount": amount})

        await self._store.write(write)


def charge_quotas(
    queries: Queries, user: str, resource: QuotaResource, amount: int, now: Instant
) -> QuotaCharge:
    """Charge all quotas of a user for a resource, in the caller's transaction.

    `now` is a moment of the timeline that all users of the database share.

    Raises: QuotaExhausted, with nothing charged, if one has no room.
    """
    if amount <= 0:
        return QuotaCharge((), 0)
    today = now[:DAY_DIGITS]
    rows = queries.fetch(BINDING_QUOTAS, {"user": user, "resource": resource})
    quotas = [_build_quota(row).begin_day(today) for row in rows]
    check_room(quotas, amount, now)
    charged = tuple(replace(quota, used=quota.used + amount) for quota in quotas)
    for quota in charged:
        queries.fetch(USE, _bind_key(quota.grantee, resource) | {"used": quota.used, "day": quota.day})
    return QuotaCharge(charged, amount)


def charge_task(queries: Queries, task_id: str, amounts: Mapping[str, float], now: Instant) -> bool:
    """Charge a job's use to its task's budget; return False, unchanged, if it is exceeded.

    Pages are also charged to the daily quotas. Raises as `charge_quotas`.
    """
    (task,) = queries.fetch(BUDGET, {"id": task_id})
    ceilings = json.loads(task.budget_json)
    total = json.loads(task.spent_json)
    total |= {name: total.get(name, 0) + amount for name, amount in amounts.items()}
    if any(total[name] > ceilings.get(f"max_{name}", total[name]) for name in amounts):
        return False
    queries.fetch(SPEND, {"id": task_id, "spent": dumps(total)})
    charge_quotas(queries, task.owner, QuotaResource.PAGES, int(amounts.get("pages", 0)), now)
    return True


def _bind_key(grantee: Grantee, resource: QuotaResource) -> dict[str, str | int]:
    return {"kind": str(grantee.kind), "name": grantee.name, "resource": str(resource)}


def _build_quota(row: Row) -> Quota:
    grantee = Grantee(GranteeKind(row.kind), row.name)
    return Quota(grantee, QuotaResource(row.resource), row.per_day, row.used, row.day)


FULL: Mapping[QuotaResource, str] = {
    QuotaResource.JOBS: ("quota.jobs_used_up"),
    QuotaResource.PAGES: ("quota.pages_used_up"),
    QuotaResource.TOKENS: ("quota.tokens_used_up"),
}


def check_room(quotas: Sequence[Quota], amount: int, now: Instant) -> None:
    """Raise QuotaExhausted for the first of today's quotas without room for this amount."""
    full = find_full(quotas, amount)
    if full is None:
        return
    raise QuotaExhausted(
        FULL[full.resource],
        name=full.grantee.name,
        resource=full.resource,
        used=full.used,
        limit=full.per_day,
        asked=amount,
        free_at=drop_fraction(full.free_at),
        retry_after_s=max(1.0, count_seconds(now, full.free_at)),
    )
