"""The sections of the desk, each for one subject."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shisho.services.inquiry_runs import InquiryRuns

if TYPE_CHECKING:
    from shisho.services.answers import AnswerDesk
    from shisho.services.conversing import ConversationDesk
    from shisho.services.embeddings import EmbeddingDesk
    from shisho.services.exporting import ExportDesk
    from shisho.services.folders import FolderDesk
    from shisho.services.modelling import ModelDesk
    from shisho.services.proving import ProofDesk
    from shisho.services.references import ReferenceDesk
    from shisho.services.sessions import Sessions
    from shisho.services.tasks import TaskDesk
    from shisho.services.team import TeamDesk
    from shisho.services.viewing import ViewerDesk


class DeskSections(InquiryRuns):
    """The sections of `Desk`."""

    __slots__ = ()

    @property
    def tasks(self) -> TaskDesk:
        """The verbs of background work: queueing, waiting, stopping."""
        return self._parts.tasks

    @property
    def folders(self) -> FolderDesk:
        """The verbs of folders: syncing and watching."""
        return self._parts.folders

    @property
    def conversations(self) -> ConversationDesk:
        """The verbs of conversations: sequences of questions."""
        return self._parts.conversations

    @property
    def answers(self) -> AnswerDesk:
        """The verbs of answers during and after a run: events, log, stopping."""
        return self._parts.answers

    @property
    def references(self) -> ReferenceDesk:
        """The verbs of documents' bibliographic metadata."""
        return self._parts.references

    @property
    def embeddings(self) -> EmbeddingDesk:
        """The verbs of embeddings, which find passages by meaning."""
        return self._parts.embeddings

    @property
    def viewer(self) -> ViewerDesk:
        """The verbs of viewing a document: its pages, and the positions of quotations."""
        return self._parts.viewer

    @property
    def proofs(self) -> ProofDesk:
        """The verbs of proofs for readers without the library or this program."""
        return self._parts.proofs

    @property
    def exports(self) -> ExportDesk:
        """The verbs of exports of answers, as text and as files."""
        return self._parts.exports

    @property
    def team(self) -> TeamDesk:
        """The verbs of users who share the library: users, groups and grants."""
        return self._parts.team

    @property
    def models(self) -> ModelDesk:
        """The verbs of local models: downloading, testing, calibrating."""
        return self._parts.models

    @property
    def sessions(self) -> Sessions:
        """The verbs for an assistant that acts as its own librarian."""
        return self._parts.sessions
