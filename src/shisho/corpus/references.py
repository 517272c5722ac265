"""Bibliographies that describe documents.

Each entry finds its document by path, DOI or title, and provides its metadata.
"""

from __future__ import annotations

import posixpath
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from pathlib import PurePath

from shisho.domain.corpus import Document, DocumentId, IntakeOutcome, Receipt, Source
from shisho.domain.reference import MatchedBy, Reference, ReferenceMatch
from shisho.ports import Reader, Shelf
from shisho.records import dataclass

# A file name alone identifies a file only if it is distinctive: "fulltext.pdf" is not.
OWN_NAME = 8  # letters
OWN_TITLE = 4


@dataclass(frozen=True, slots=True)
class BibliographyImport:
    """The application of bibliographies to the documents of a corpus."""

    shelf: Shelf
    reader: Reader

    async def apply(self, source: Source, corpus: str, owner: str) -> Receipt:
        """Apply a bibliography. Applying it again updates changed entries.

        `source.metadata` takes precedence over its entries.

        Raises:
            UnusableDocument: It cannot be read.
        """
        entries = await self.reader.read_references(source)
        places = await self.shelf.list_places(corpus, owner)
        documents = await self.shelf.fetch_documents(sorted(set(places.values())))
        library = DescribedLibrary.build(places, documents)
        folder = PurePath(source.name).parent.as_posix()
        matches = []
        facts: dict[DocumentId, Mapping[str, str]] = {}
        for entry in entries:
            by, document_id = library.find(entry, folder)
            match = ReferenceMatch(entry.key, entry.facts.get("title", ""), by)
            if document_id is not None:
                place = documents[document_id].source
                match = ReferenceMatch(match.key, match.title, by, document_id, place)
                facts.setdefault(document_id, {**entry.facts, **source.metadata})
            matches.append(match)
        news = await self.shelf.describe(facts)
        outcome = IntakeOutcome.DESCRIBED if news else IntakeOutcome.KNOWN
        return Receipt(source.name, outcome, references=tuple(matches))


@dataclass(frozen=True, slots=True)
class DescribedLibrary:
    """Documents by the features that an entry may contain."""

    by_path: Mapping[str, DocumentId]
    by_tail: Mapping[str, set[DocumentId]]
    by_name: Mapping[str, set[DocumentId]]
    by_doi: Mapping[str, set[DocumentId]]
    by_title: Mapping[str, set[DocumentId]]
    dois: Mapping[DocumentId, str] = field(default_factory=dict)

    @staticmethod
    def build(places: Mapping[str, DocumentId], documents: Mapping[DocumentId, Document]) -> DescribedLibrary:
        paths = {_normalise_path(source): name for source, name in places.items()}
        tails: dict[str, set[DocumentId]] = defaultdict(set)
        names: dict[str, set[DocumentId]] = defaultdict(set)
        titles: dict[str, set[DocumentId]] = defaultdict(set)
        for path, document_id in paths.items():
            tails[_cut_tail(path, 2)].add(document_id)
            names[_cut_tail(path, 1)].add(document_id)
            # Zotero names a file by author, year and title.
            for title in (PurePath(path).stem, PurePath(path).stem.rpartition(" - ")[2]):
                titles[_reduce_title(title)].add(document_id)
        dois = {name: doi for name, document in documents.items() if (doi := _find_doi(document.metadata))}
        by_doi: dict[str, set[DocumentId]] = defaultdict(set)
        for document_id, doi in dois.items():
            by_doi[doi].add(document_id)
        for document_id, document in documents.items():
            for title in (document.title, document.metadata.get("title", "")):
                titles[_reduce_title(title)].add(document_id)
        return DescribedLibrary(paths, tails, names, by_doi, titles, dois)

    def find(self, entry: Reference, folder: str) -> tuple[MatchedBy, DocumentId | None]:
        """Return the document that an entry describes, and how it matched.

        `folder`: that of the bibliography. The most reliable feature that fits exactly one document decides.
        """
        is_several = False
        for by, candidates in self._find_candidates(entry, folder):
            if len(candidates) == 1:
                return by, next(iter(candidates))
            is_several = is_several or len(candidates) > 1
        return MatchedBy.SEVERAL if is_several else MatchedBy.NOTHING, None

    def _find_candidates(self, entry: Reference, folder: str) -> Iterator[tuple[MatchedBy, set[DocumentId]]]:
        paths = [_normalise_path(path) for path in entry.files]
        whole = [_normalise_path(posixpath.normpath(posixpath.join(folder, path))) for path in entry.files]
        yield MatchedBy.FILE, {self.by_path[path] for path in whole if path in self.by_path}
        yield MatchedBy.FILE, _join_keys(self.by_tail, (_cut_tail(path, 2) for path in paths if "/" in path))
        own_names = [path for path in paths if _is_own_name(path)]
        yield MatchedBy.FILE, _join_keys(self.by_name, (_cut_tail(path, 1) for path in own_names))
        doi = _find_doi(entry.facts)
        yield MatchedBy.DOI, self.by_doi.get(doi, set()) if doi else set()
        title = _reduce_title(entry.facts.get("title", ""))
        alike = self.by_title.get(title, set()) if len(title) >= OWN_TITLE else set()
        yield MatchedBy.TITLE, {name for name in alike if not doi or self.dois.get(name, doi) == doi}


def _join_keys(index: Mapping[str, set[DocumentId]], keys: Iterable[str]) -> set[DocumentId]:
    return set().union(*(index.get(key, set()) for key in keys))


def _is_own_name(path: str) -> bool:
    return "/" not in path or len(_reduce_title(PurePath(path).stem)) >= OWN_NAME


def _normalise_path(path: str) -> str:
    """Return a path in one form, whatever its Unicode composition and separators."""
    return unicodedata.normalize("NFC", path.replace("\\", "/"))


def _cut_tail(path: str, parts: int) -> str:
    """Return the last parts of a path.

    Zotero's folders are named by keys, so two parts identify an attachment anywhere.
    """
    return "/".join(path.split("/")[-parts:]).casefold()


def _reduce_title(title: str) -> str:
    """Return a title without characters that programs write in different ways."""
    folded = unicodedata.normalize("NFKC", title).casefold()
    return "".join(character for character in folded if character.isalnum())


def _find_doi(facts: Mapping[str, str]) -> str:
    return facts.get("doi", "").casefold()
