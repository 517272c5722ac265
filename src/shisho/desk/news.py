"""The news of work while a caller waits for it: each kind is a class of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shisho.domain.answer_news import RunNews
from shisho.domain.corpus import FileSurvey, Receipt
from shisho.domain.embedding import EmbeddingProgress
from shisho.domain.folder import WatchedFolder
from shisho.domain.inquiry import Answer
from shisho.domain.job import Job
from shisho.domain.task import TaskSnapshot
from shisho.errors import ShishoError


@dataclass(frozen=True, slots=True)
class FilesSurveyed:
    """The files that will be taken in are known."""

    survey: FileSurvey


@dataclass(frozen=True, slots=True)
class PagesRead:
    """So many of the pages of a long PDF are read: told about once a second, and again from the first page
    where all have to be read a second time."""

    source: str
    pages: int
    total: int


@dataclass(frozen=True, slots=True)
class PageRecognised:
    """The text of another page of a scan was recognised, which takes seconds a page."""

    source: str
    page: int
    pages: int


@dataclass(frozen=True, slots=True)
class TextPartStored:
    """Of a text too long for one part `characters` of `total` are stored: told first of none, then after each
    part."""

    source: str
    characters: int
    total: int


@dataclass(frozen=True, slots=True)
class FileTakenIn:
    """A file of a folder was taken in, or is gone."""

    receipt: Receipt


@dataclass(frozen=True, slots=True)
class FolderFailed:
    """A folder cannot be followed now."""

    folder: WatchedFolder
    error: ShishoError


@dataclass(frozen=True, slots=True)
class FolderUpToDate:
    """All of a folder is taken in."""

    folder: WatchedFolder


@dataclass(frozen=True, slots=True)
class VectorsMade:
    """More passages have a vector."""

    progress: EmbeddingProgress


@dataclass(frozen=True, slots=True)
class TaskChanged:
    """Something has changed in the task of a question. `jobs`: its own and its searches'."""

    status: TaskSnapshot
    jobs: Sequence[Job]


@dataclass(frozen=True, slots=True)
class AnswerReady:
    """The answer of a task is there."""

    answer: Answer


FolderNews = FilesSurveyed | FileTakenIn | FolderFailed | FolderUpToDate
FileNews = PagesRead | PageRecognised | TextPartStored
News = RunNews | FolderNews | FileNews | VectorsMade | TaskChanged | AnswerReady
