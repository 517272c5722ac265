"""The library as its users see it. Every interface is a thin layer over it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from shisho.domain.corpus import LOCAL_OWNER, Check, Document
from shisho.domain.inquiry import Answer, Evidence
from shisho.domain.library import LibraryMetrics, SettingValue
from shisho.errors import AccessDenied, NotFound
from shisho.ports import Notifier

if TYPE_CHECKING:
    from shisho.services.conversations import Conversations
    from shisho.services.documents import Documents
    from shisho.services.exports import Exports, Proofs
    from shisho.services.folders import Folders
    from shisho.services.models import Embeddings, Models
    from shisho.services.questions import Questions
    from shisho.services.references import References
    from shisho.services.sessions import Sessions
    from shisho.services.tasks import Tasks
    from shisho.services.team import Team
    from shisho.services.viewer import Viewer
    from shisho.services.web import Web


class LibraryBuilder(Protocol):
    """The parts of a library by their names, built over its stores. `bootstrap` implements it."""

    def build_documents(self, library: Library) -> Documents: ...
    def build_questions(self, library: Library) -> Questions: ...
    def build_tasks(self, library: Library) -> Tasks: ...
    def build_web(self, library: Library) -> Web: ...
    def build_conversations(self, library: Library) -> Conversations: ...
    def build_folders(self, library: Library) -> Folders: ...
    def build_viewer(self, library: Library) -> Viewer: ...
    def build_sessions(self, library: Library) -> Sessions: ...
    def build_references(self, library: Library) -> References: ...
    def build_exports(self, library: Library) -> Exports: ...
    def build_proofs(self, library: Library) -> Proofs: ...
    def build_embeddings(self) -> Embeddings: ...
    def build_models(self, library: Library) -> Models: ...
    def build_team(self, library: Library) -> Team: ...

    def get_library(self, owner: str) -> Library:
        """Return the library of another user over the same stores and workers."""

    def run_jobs(
        self, library: Library, slots: int | None, notifier: Notifier | None
    ) -> AbstractAsyncContextManager[None]: ...

    def list_settings(self) -> Sequence[SettingValue]: ...
    async def run_checks(self) -> Sequence[Check]: ...
    async def read_figures(self) -> LibraryMetrics: ...
    async def check_ready(self) -> None: ...
    async def backup(self, target: Path) -> None: ...
    async def close(self) -> None: ...


class Library:
    """One user's view of the library. Its parts are made at first use."""

    def __init__(self, owner: str, builder: LibraryBuilder) -> None:
        self._owner = owner
        self._builder = builder

    @cached_property
    def documents(self) -> Documents:
        """The documents: added, listed, read, searched, removed."""
        return self._builder.build_documents(self)

    @cached_property
    def questions(self) -> Questions:
        """Questions and their answers."""
        return self._builder.build_questions(self)

    @cached_property
    def tasks(self) -> Tasks:
        """Background work, queued and followed by task."""
        return self._builder.build_tasks(self)

    @cached_property
    def web(self) -> Web:
        """Web access: engines, consent, previews, challenges."""
        return self._builder.build_web(self)

    @cached_property
    def conversations(self) -> Conversations:
        """Conversations: sequences of questions."""
        return self._builder.build_conversations(self)

    @cached_property
    def folders(self) -> Folders:
        """Folders: syncing and watching."""
        return self._builder.build_folders(self)

    @cached_property
    def viewer(self) -> Viewer:
        """The viewer: pages of documents, and the positions of quotations."""
        return self._builder.build_viewer(self)

    @cached_property
    def sessions(self) -> Sessions:
        """Sessions of an assistant that acts as its own librarian."""
        return self._builder.build_sessions(self)

    @cached_property
    def references(self) -> References:
        """Bibliographic metadata of documents."""
        return self._builder.build_references(self)

    @cached_property
    def exports(self) -> Exports:
        """Answers as text and as files."""
        return self._builder.build_exports(self)

    @cached_property
    def proofs(self) -> Proofs:
        """Proof files, for readers without the library or this program."""
        return self._builder.build_proofs(self)

    @cached_property
    def embeddings(self) -> Embeddings:
        """Embeddings, which find passages by meaning."""
        return self._builder.build_embeddings()

    @cached_property
    def models(self) -> Models:
        """Models: the language model, and local embedders."""
        return self._builder.build_models(self)

    @cached_property
    def team(self) -> Team:
        """The users who share the library: users, groups, grants, quotas, and the audit log."""
        return self._builder.build_team(self)

    @property
    def owner(self) -> str:
        """The user's name."""
        return self._owner

    @property
    def is_host(self) -> bool:
        """True if the user runs this machine, and may see its settings and paths."""
        return self._owner == LOCAL_OWNER

    def for_owner(self, owner: str) -> Library:
        """Return another user's library over the same stores and workers: neither sees the other's data."""
        return self._builder.get_library(owner)

    def working(
        self, slots: int | None = None, here: Notifier | None = None
    ) -> AbstractAsyncContextManager[None]:
        """Run jobs in this process during the block, `slots` at once (None: as configured).

        `here` is notified of challenges for a person.
        """
        return self._builder.run_jobs(self, slots, here)

    async def show(self, prefix: str = "last") -> Answer | Evidence | tuple[Document, str]:
        """Return an answer, evidence, or a document with its text, by id, unique prefix or name.

        Raises: NotFound.
        """
        for look in (self.questions.get, self.questions.find_evidence):
            with suppress(NotFound):
                return await look(prefix)
        try:
            return await self.documents.read(prefix)
        except NotFound as error:
            if prefix == "last":
                raise NotFound("answer.none") from error
            raise

    async def list_settings(self) -> Sequence[SettingValue]:
        """Return every setting with its value and origin. Raises AccessDenied for guests of a server."""
        self._check_host()
        return self._builder.list_settings()

    async def run_checks(self) -> Sequence[Check]:
        """Check what works here, and how to get the rest. Raises AccessDenied for guests of a server."""
        self._check_host()
        return await self._builder.run_checks()

    async def read_figures(self) -> LibraryMetrics:
        """Return figures of the whole library, for all owners."""
        return await self._builder.read_figures()

    async def check_ready(self) -> None:
        """Check that something could be read and stored now.

        Raises StorageUnusable, or Conflict with the lock's holder.
        """
        await self.documents.list_corpora()
        await self._builder.check_ready()

    async def backup(self, target: Path | str) -> None:
        """Write everything to one file, which opens as a home's `shisho.db`.

        Raises: Conflict if the file exists, InvalidParams if it cannot be created.
        """
        await self._builder.backup(Path(target))

    def count_tokens(self, text: str) -> int:
        """Return about how many tokens the text is for a language model."""
        from shisho.language import estimate_tokens

        return estimate_tokens(text)

    async def close(self) -> None:
        """Release all resources. `async with` does it."""
        if self.is_host:
            await self._builder.close()

    async def __aenter__(self) -> Library:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.close()

    def _check_host(self) -> None:
        if not self.is_host:
            raise AccessDenied("settings.owner_only")
