"""The configured reader, splitter and tokenizers of documents."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from shisho import settings as settings_
from shisho.errors import ExtraMissing
from shisho.settings import Settings

if TYPE_CHECKING:
    from shisho.corpus.ingest import Analyse, Cut, Ingest
    from shisho.corpus.readers.killable import KillableReader
    from shisho.corpus.retrieve import AskTerms
    from shisho.language.terms import TermQuery
    from shisho.ports import Clock, Originals, Reader, Shelf


def build_reader(settings: Settings, max_bytes: int) -> KillableReader:
    """Build the reader with the configured limits."""
    from shisho.corpus.readers.killable import KillableReader

    seconds = settings.read_float("reader_seconds")
    memory_mb = settings.read_int("reader_memory_mb")
    environment = settings_.build_child_environment()
    return KillableReader(seconds, memory_mb, max_bytes, environment, ocr=settings.read_text("ocr") == "auto")


def build_ingest(
    settings: Settings, shelf: Shelf, reader: Reader, clock: Clock, originals: Originals
) -> Ingest:
    """Build the ingestion of documents."""
    from shisho.corpus.ingest import ClusterAssigner, Ingest, PassageMaker
    from shisho.corpus.readers import media

    passages = PassageMaker(_build_splitter(settings), build_passage_terms(settings))
    return Ingest(shelf, reader, clock, media.sniff, passages, ClusterAssigner(shelf), originals)


def _build_splitter(settings: Settings) -> Cut:
    from shisho.corpus import chunk

    size = settings.read_int("passage_chars")
    overlap = settings.read_int("passage_overlap")
    cut = chunk.cut_ginza if settings.read_text("splitter") == "ginza" else chunk.cut
    return partial(cut, size=size, overlap=overlap)


def build_passage_terms(settings: Settings) -> Analyse:
    """Build the term maker of passages."""
    if settings.read_text("terms") == "ginza":
        return cast("Analyse", _load_ginza().analyse)
    from shisho.language import terms

    return terms.analyse


def build_query_terms(settings: Settings) -> AskTerms:
    """Build the tokenizer of queries."""
    if settings.read_text("terms") == "ginza":
        return cast("AskTerms", _load_ginza().query)
    return _read_query


def _read_query(texts: Sequence[str]) -> TermQuery:
    from shisho.language import terms

    return terms.make_query(texts)


def _load_ginza() -> Any:
    from shisho.language import ginza

    try:
        ginza.load()
    except ImportError as error:
        raise ExtraMissing("blobs.extra_missing", setting="ginza", extra="ginza") from error
    return ginza
