"""Every contract test runs against every implementation."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from shisho.domain.embedding import EmbedderAbout
from shisho.ports import AuditLog, EmbeddingStore, Grants, Index, Ledger, SessionLog, Shelf, Users
from shisho.stores.embedded.connect import Database, EmbeddedQueryStore
from shisho.stores.embedded.embeddings import EmbeddedEmbeddings
from shisho.stores.embedded.index_feed import EmbeddedIndexFeed
from shisho.stores.embedded.lexical import LexicalIndex
from shisho.stores.embedded.serving import ServingIndex
from shisho.stores.embedded.shelf import EmbeddedShelf
from shisho.stores.postgres.connect import PostgresDatabase, PostgresQueryStore
from shisho.stores.postgres.embeddings import PostgresEmbeddings
from shisho.stores.postgres.index_feed import PostgresIndexFeed
from shisho.stores.postgres.lexical import PostgresIndex
from shisho.stores.postgres.serving import PostgresServing
from shisho.stores.postgres.shelf import PostgresShelf
from shisho.stores.qdrant.index import QdrantIndex
from shisho.stores.qdrant.server import QdrantServer
from shisho.stores.sql.audit import StoredAudit
from shisho.stores.sql.grants import StoredGrants
from shisho.stores.sql.ledger import StoredLedger
from shisho.stores.sql.sessions import StoredSessions
from shisho.stores.sql.users import StoredUsers
from shisho.system.clock import SystemClock
from tests.contracts.discoveries import Discoveries, discoveries_of
from tests.postgres import shared_server

ABOUT = EmbedderAbout("compass 1")
DIMENSIONS = 4


@dataclass(frozen=True)
class Store:
    shelf: Shelf
    index: Index
    embeddings: EmbeddingStore
    sessions: SessionLog
    ledger: Ledger
    users: Users
    grants: Grants
    audit: AuditLog


@dataclass(frozen=True)
class EmbeddedStore(Store):
    database: Database


@dataclass(frozen=True)
class PostgresStore(Store):
    database: PostgresDatabase


@asynccontextmanager
async def embedded_store(folder: Path) -> AsyncIterator[EmbeddedStore]:
    database = Database(folder / "shisho.db")
    clock = SystemClock()
    index = LexicalIndex(folder / "lexical", database, ServingIndex(folder / "vectors", database, ABOUT))
    embeddings = EmbeddedEmbeddings(database, ABOUT)
    shelf = EmbeddedShelf(database, clock)
    ledger = StoredLedger(EmbeddedQueryStore(database), clock)
    users = StoredUsers(EmbeddedQueryStore(database), clock)
    grants = StoredGrants(EmbeddedQueryStore(database), clock)
    sessions = StoredSessions(EmbeddedQueryStore(database))
    audit = StoredAudit(EmbeddedQueryStore(database), clock)
    yield EmbeddedStore(shelf, index, embeddings, sessions, ledger, users, grants, audit, database)
    await database.close()


@asynccontextmanager
async def qdrant_store(folder: Path) -> AsyncIterator[Store]:
    """The shelf of an embedded store under an index in Qdrant, as far as its client plays it in this
    process."""
    server = QdrantServer("qdrant://:memory:")
    async with embedded_store(folder) as made:
        yield replace(made, index=QdrantIndex(server, EmbeddedIndexFeed(made.database, ABOUT)))


@asynccontextmanager
async def postgres_store(url: str) -> AsyncIterator[PostgresStore]:
    database = PostgresDatabase(url)
    clock = SystemClock()
    index = PostgresIndex(database, PostgresServing(database, ABOUT))
    embeddings = PostgresEmbeddings(database, ABOUT)
    shelf = PostgresShelf(database, clock)
    sessions = StoredSessions(PostgresQueryStore(database))
    ledger = StoredLedger(PostgresQueryStore(database), clock)
    users = StoredUsers(PostgresQueryStore(database), clock)
    grants = StoredGrants(PostgresQueryStore(database), clock)
    audit = StoredAudit(PostgresQueryStore(database), clock)
    yield PostgresStore(shelf, index, embeddings, sessions, ledger, users, grants, audit, database)
    await database.close()


def qdrant_over(made: PostgresStore) -> QdrantIndex:
    """The index in Qdrant over a shelf in PostgreSQL."""
    serving = PostgresServing(made.database, ABOUT)
    return QdrantIndex(QdrantServer("qdrant://:memory:"), PostgresIndexFeed(made.database, serving))


@asynccontextmanager
async def fresh_postgres() -> AsyncIterator[PostgresStore]:
    """A store over a database without rows."""
    with shared_server().fresh() as url:
        async with postgres_store(url) as made:
            yield made


@asynccontextmanager
async def indexed_store(kind: str, folder: Path) -> AsyncIterator[Store]:
    """A store by the name of its index."""
    if kind.startswith("postgres"):
        async with fresh_postgres() as made:
            yield made if kind == "postgres" else replace(made, index=qdrant_over(made))
    else:
        async with (qdrant_store if kind == "qdrant" else embedded_store)(folder) as made:
            yield made


INDEXES = ("embedded", "qdrant", "postgres", "postgres+qdrant")


@pytest.fixture(params=["embedded", "postgres"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    async with indexed_store(request.param, tmp_path) as made:
        yield made


@pytest.fixture
async def embedded(tmp_path: Path) -> AsyncIterator[EmbeddedStore]:
    """For what only files can be tried for."""
    async with embedded_store(tmp_path) as made:
        yield made


@pytest.fixture(params=["embedded", "postgres"])
async def discoveries(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Discoveries]:
    async with discoveries_of(request.param, tmp_path) as made:
        yield made
