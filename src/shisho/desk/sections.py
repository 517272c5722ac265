"""The desks beside the main one, each for one matter: what a visitor asks there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shisho.desk.inquiry_runs import InquiryRuns

if TYPE_CHECKING:
    from shisho.desk.answers import AnswerDesk
    from shisho.desk.conversing import ConversationDesk
    from shisho.desk.embeddings import EmbeddingDesk
    from shisho.desk.exporting import ExportDesk
    from shisho.desk.folders import FolderDesk
    from shisho.desk.modelling import ModelDesk
    from shisho.desk.proving import ProofDesk
    from shisho.desk.references import ReferenceDesk
    from shisho.desk.sessions import Sessions
    from shisho.desk.tasks import TaskDesk
    from shisho.desk.team import TeamDesk
    from shisho.desk.viewing import ViewerDesk


class DeskSections(InquiryRuns):
    """The sections of `Desk`."""

    __slots__ = ()

    @property
    def tasks(self) -> TaskDesk:
        """The verbs of long work: all that is queued, waited for and stopped."""
        return self._parts.tasks

    @property
    def folders(self) -> FolderDesk:
        """The verbs of folders: what happens in them, happens in the library."""
        return self._parts.folders

    @property
    def conversations(self) -> ConversationDesk:
        """The verbs of conversations: which questions follow each other."""
        return self._parts.conversations

    @property
    def answers(self) -> AnswerDesk:
        """The verbs of answers while and after they are made: their news, their log, stopping them."""
        return self._parts.answers

    @property
    def references(self) -> ReferenceDesk:
        """The verbs of what is said of documents in bibliographies."""
        return self._parts.references

    @property
    def embeddings(self) -> EmbeddingDesk:
        """The verbs of vectors, by which passages are found by meaning."""
        return self._parts.embeddings

    @property
    def viewer(self) -> ViewerDesk:
        """The verbs of looking at a document: its pages, and where quotations stand on them."""
        return self._parts.viewer

    @property
    def proofs(self) -> ProofDesk:
        """The verbs of answers that show themselves to who has neither the library nor this program."""
        return self._parts.proofs

    @property
    def exports(self) -> ExportDesk:
        """The verbs of answers that are taken elsewhere, as text and as files."""
        return self._parts.exports

    @property
    def team(self) -> TeamDesk:
        """The verbs of people who share the library: users, groups, and what is granted to them."""
        return self._parts.team

    @property
    def models(self) -> ModelDesk:
        """The verbs of models on this machine: fetching, trying, calibrating."""
        return self._parts.models

    @property
    def sessions(self) -> Sessions:
        """The verbs for an assistant that is its own librarian."""
        return self._parts.sessions
