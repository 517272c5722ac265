"""Progress events of work in this process, and the callbacks that receive them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shisho.domain.answer_news import RunNews
from shisho.domain.corpus import FileSurvey, Receipt
from shisho.domain.embedding import EmbeddingProgress
from shisho.domain.folder import WatchedFolder
from shisho.domain.inquiry import Answer
from shisho.domain.job import Job
from shisho.domain.task import TaskSnapshot
from shisho.errors import ShishoError
from shisho.records import dataclass


@dataclass(frozen=True, slots=True)
class FilesSurveyed:
    """The files to add are known."""

    survey: FileSurvey


@dataclass(frozen=True, slots=True)
class PagesRead:
    """Pages of a long PDF were read.

    Sent about once a second, and again from the first page if all must be read a second time.
    """

    source: str
    pages: int
    total: int


@dataclass(frozen=True, slots=True)
class PageRecognised:
    """The text of another scanned page was recognised, which takes seconds per page."""

    source: str
    page: int
    pages: int


@dataclass(frozen=True, slots=True)
class TextPartStored:
    """Parts of a long text are stored: `characters` of `total`, first 0, then after each part."""

    source: str
    characters: int
    total: int


@dataclass(frozen=True, slots=True)
class FileTakenIn:
    """A file of a folder was added, or was deleted."""

    receipt: Receipt


@dataclass(frozen=True, slots=True)
class FolderFailed:
    """A folder cannot be followed now."""

    folder: WatchedFolder
    error: ShishoError


@dataclass(frozen=True, slots=True)
class FolderUpToDate:
    """A folder is completely synchronized."""

    folder: WatchedFolder


@dataclass(frozen=True, slots=True)
class VectorsMade:
    """More passages have a vector."""

    progress: EmbeddingProgress


@dataclass(frozen=True, slots=True)
class TaskChanged:
    """The task of a question has changed. `jobs`: the question's own and those of its searches."""

    status: TaskSnapshot
    jobs: Sequence[Job]


@dataclass(frozen=True, slots=True)
class AnswerReady:
    """The answer of a task is ready."""

    answer: Answer


FolderNews = FilesSurveyed | FileTakenIn | FolderFailed | FolderUpToDate
FileNews = PagesRead | PageRecognised | TextPartStored
News = RunNews | FolderNews | FileNews | VectorsMade | TaskChanged | AnswerReady


Notify = Callable[[News], None]
Stop = Callable[[], bool]


def never() -> bool:
    """Return False: never stop early."""
    return False
