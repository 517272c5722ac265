"""Build the parts of a library, each from its stores and adapters."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from shisho.bootstrap.models import SET
from shisho.bootstrap.personal import open_signing_key
from shisho.bootstrap.shared import SharedLibrary
from shisho.domain.corpus import UNBOUNDED_ROOM, Check
from shisho.domain.library import SettingValue
from shisho.errors import EngineUnavailable
from shisho.services.access import CorpusAccess
from shisho.services.library import Library
from shisho.settings import TABLE, Settings, hide_login, reread

if TYPE_CHECKING:
    from shisho.domain.inquiry import Answer
    from shisho.domain.intervention import HumanChallenge
    from shisho.domain.job import Job, Task
    from shisho.domain.library import LibraryMetrics
    from shisho.domain.reference import Reference
    from shisho.domain.task import TaskDeleted
    from shisho.jobs.status import TaskWatch
    from shisho.ports import Notifier
    from shisho.services.conversations import Conversations
    from shisho.services.documents import Documents
    from shisho.services.exports import Exports, Proofs
    from shisho.services.folders import Folders
    from shisho.services.models import Embeddings, Models
    from shisho.services.questions import Questions
    from shisho.services.queue import JobQueue
    from shisho.services.references import References
    from shisho.services.sessions import Sessions
    from shisho.services.sharing import SharedReading
    from shisho.services.tasks import Tasks
    from shisho.services.team import Team
    from shisho.services.viewer import Viewer
    from shisho.services.web import Web, WebTools


class PartBuilder:
    """A builder of the parts of every owner's library over the shared ones."""

    def __init__(self, shared: SharedLibrary) -> None:
        self.shared = shared
        self.stores = shared.stores
        self._settings = shared.settings
        self._libraries: dict[str, Library] = {}

    def get_library(self, owner: str) -> Library:
        """Return the library of a user. Every call returns the same object."""
        if owner not in self._libraries:
            self._libraries[owner] = Library(owner, self)
        return self._libraries[owner]

    def build_documents(self, library: Library) -> Documents:
        """Build the documents."""
        from shisho.services.documents import Documents

        stores = self.stores

        async def drop_staged(sha256: str) -> None:
            await library.tasks.drop_staged(sha256)

        return Documents(
            self._build_access(library.owner), stores.shelf, stores.opinions, self.shared, drop_staged
        )

    def build_questions(self, library: Library) -> Questions:
        """Build the questions."""
        from shisho.services.questions import Questions

        stores = self.stores
        owner = library.owner
        return Questions(
            library,
            self._build_access(owner),
            stores.shelf,
            self.shared.inquiries,
            lambda: stores.queue,
            partial(self._build_job_queue, owner),
            partial(self._build_sharing, owner),
        )

    def build_tasks(self, library: Library) -> Tasks:
        """Build the background work."""
        from shisho.services.tasks import Tasks, Uploads

        stores = self.stores
        queue = stores.queue
        owner = library.owner
        uploads = Uploads(self.shared.disk, queue.staging, stores.pages.originals, self._settings.roots)
        return Tasks(
            self._build_job_queue(owner),
            stores.shelf,
            stores.ledger,
            queue.reports,
            uploads,
            self.shared.find_consent(owner),
            self._build_sharing(owner),
        )

    def build_web(self, library: Library) -> Web:
        """Build the web access."""
        from shisho.services.web import Web

        stores = self.stores.queue
        tools = self._build_web_tools(library.owner)
        return Web(
            self._build_job_queue(library.owner),
            stores.interventions,
            stores.rate_limits.health.close_breaker,
            tools,
            self.shared.budget,
        )

    def build_conversations(self, library: Library) -> Conversations:
        """Build the conversations."""
        from shisho.services.conversations import Conversations

        stores = self.stores
        understand = self.shared.inquiries.understand
        access = self._build_access(library.owner)

        async def find_job(answer_id: str) -> tuple[Job, Task] | None:
            return await library.questions.find_job(answer_id)

        async def remove_task(task_id: str) -> TaskDeleted:
            return await library.tasks.remove(task_id)

        return Conversations(access, stores.conversations, stores.ledger, understand, find_job, remove_task)

    def build_folders(self, library: Library) -> Folders:
        """Build the folders."""
        from shisho.services.folders import FolderParts, Folders
        from shisho.system.watching import SystemFolderWatcher

        stores = self.stores
        return Folders(
            FolderParts(
                access=self._build_access(library.owner),
                roots=self._settings.roots,
                shelf=stores.shelf,
                files=self.shared.disk,
                find_ingest=lambda: self.shared.ingest,
                register=stores.folders,
                watcher=SystemFolderWatcher(),
                turn=stores.follower_turn,
                seconds=stores.clock.monotonic,
            )
        )

    def build_viewer(self, library: Library) -> Viewer:
        """Build the viewer."""
        from shisho.services.viewer import Viewer, ViewerParts

        stores = self.stores
        return Viewer(
            ViewerParts(
                access=self._build_access(library.owner),
                shelf=stores.shelf,
                ledger=stores.ledger,
                files=self.shared.disk,
                roots=self._settings.roots,
                originals=stores.pages.originals,
                images=stores.pages.images,
                renderer=self.shared.renderer,
            )
        )

    def build_sessions(self, library: Library) -> Sessions:
        """Build the sessions of assistants."""
        from shisho.services.sessions import SessionFindings, Sessions

        shared, stores = self.shared, self.stores
        room = self._settings.read_int("room_tokens") or UNBOUNDED_ROOM
        findings = SessionFindings(stores.assistants, stores.sessions, stores.shelf, shared.searcher, room)
        return Sessions(
            self._build_access(library.owner),
            stores.shelf,
            shared.inquiries.history,
            findings,
            shared.checks,
            stores.quotas,
            stores.clock,
        )

    def build_references(self, library: Library) -> References:
        """Build the bibliographic metadata."""
        from shisho.services.references import References

        tools = self._build_web_tools(library.owner)
        access = self._build_access(library.owner)
        return References(access, self.stores.shelf, tools.consent, tools.look_up)

    def build_exports(self, library: Library) -> Exports:
        """Build the exports."""
        from shisho.services.exports import Exports
        from shisho.system.typesetting import TypstTypesetter

        async def write_proof(answer: Answer) -> str:
            return await library.proofs.write(answer)

        stores = self.stores
        return Exports(library.owner, stores.shelf, stores.ledger, write_proof, TypstTypesetter())

    def build_proofs(self, library: Library) -> Proofs:
        """Build the proofs."""
        from shisho.services.exports import Proofs

        key = open_signing_key(self._settings, library.owner)
        return Proofs(self._build_access(library.owner), self.stores.shelf, library.viewer, key)

    def build_embeddings(self) -> Embeddings:
        """Return the embeddings, which all owners share."""
        return self.shared.embeddings

    def build_models(self, library: Library) -> Models:
        """Build the models."""
        from shisho.bootstrap.embedder import StoredEmbedders
        from shisho.bootstrap.models import ConfiguredModel
        from shisho.services.models import Models

        settings = self._settings
        models = (ConfiguredModel(settings), StoredEmbedders(settings))
        return Models(library.owner, settings.roots, *models, library.embeddings)

    def build_team(self, library: Library) -> Team:
        """Build the users, groups and grants."""
        from shisho.services.team import Team

        stores = self.stores
        people = frozenset(entry.partition(":")[0] for entry in self._settings.read_text("tokens").split())
        return Team(self._build_access(library.owner), stores.users, stores.quotas, people)

    def run_jobs(
        self, library: Library, slots: int | None, notifier: Notifier | None
    ) -> AbstractAsyncContextManager[None]:
        """Return a block in which jobs are run."""
        from shisho.bootstrap.worker import run_jobs

        return run_jobs(self.shared, library, slots, notifier)

    def list_settings(self) -> Sequence[SettingValue]:
        """Return every setting with its value and origin."""
        return list_settings(reread(self._settings))

    async def run_checks(self) -> Sequence[Check]:
        """Check what works here."""
        from shisho.bootstrap.checks import run_checks

        shared, stores = self.shared, self.stores
        looked_at = (stores.check, stores.index, shared.reader)
        embedding = (shared.embeddings, shared.embedders)
        return await run_checks(
            self._settings, *looked_at, *embedding, stores.pages.originals, shared.renderer
        )

    async def read_figures(self) -> LibraryMetrics:
        """Return figures of the whole library."""
        return await self.stores.read_figures()

    async def check_ready(self) -> None:
        """Check that something could be stored now."""
        await self.stores.storage.check_ready()

    async def backup(self, target: Path) -> None:
        """Write everything to one file."""
        await self.stores.storage.backup(target)

    async def close(self) -> None:
        """Close the shared parts."""
        await self.shared.close()

    def _build_access(self, owner: str) -> CorpusAccess:
        return CorpusAccess(owner, self.stores.grants, self.stores.audit)

    @cached_property
    def _watch(self) -> TaskWatch:
        """One for all: it reads each change once, however many callers wait for the task."""
        from shisho.jobs.status import TaskWatch

        return TaskWatch(self.stores.queue.tasks, self.stores.queue.notifier)

    def _build_job_queue(self, owner: str) -> JobQueue:
        from shisho.jobs.status import estimate_seconds
        from shisho.jobs.timing import make_id
        from shisho.services.queue import JobQueue

        stores = self.stores.queue
        estimate = partial(estimate_seconds, stores.tasks, slots=self._settings.read_int("workers"))
        return JobQueue(self._build_access(owner), stores.tasks, stores.jobs, self._watch, estimate, make_id)

    def _build_sharing(self, owner: str) -> SharedReading:
        from shisho.services.sharing import SharedReading

        stores = self.stores
        return SharedReading(self._build_access(owner), stores.shares, stores.users)

    def _build_web_tools(self, owner: str) -> WebTools:
        from shisho.bootstrap.worker import build_engine_catalogue
        from shisho.services.web import WebTools

        return WebTools(
            consent=self.shared.find_consent(owner),
            engines=partial(build_engine_catalogue, self.shared, owner),
            window=self._show_window,
            look_up=self._build_look_up(),
            is_boxed=bool(self._settings.read_text("box")),
        )

    async def _show_window(self, challenge: HumanChallenge) -> bool:
        if self.shared.web is None:
            raise EngineUnavailable("web.off_url", url=challenge.url)
        return await self.shared.web.window(challenge)

    def _build_look_up(self) -> Callable[[str], Awaitable[Reference | None]] | None:
        if self.shared.web_mode == "off":
            return None

        async def look_up(doi: str) -> Reference | None:
            from shisho.services.references import CrossrefRegistry

            web = self.shared.web
            assert web is not None
            about = web.engines["crossref"].about
            limiter = self.stores.limiter
            registry = CrossrefRegistry(web.fetcher, self.shared.reader, limiter, about, web.keys)
            return await registry.look_up(doi)

        return look_up


def list_settings(settings: Settings) -> Sequence[SettingValue]:
    """Return the settings in the order of their table."""
    rows = []
    for row in TABLE:
        value = settings.values[row.name]
        if row.secret:
            value = SET if value else ""
        elif row.name == "home":
            value = str(settings.home)
        elif isinstance(value, str):
            value = hide_login(value)
        rows.append(
            SettingValue(
                name=row.name,
                value=value,
                default=row.default,
                origin=settings.origins[row.name],
                help=row.help,
                choices=row.choices,
                secret=row.secret,
            )
        )
    return rows
