"""Requests to a Qdrant server, or to the in-process version of its client.

The server stores only numbers: hashes of words, vectors, and the document, corpus and page of each passage.
"""

from __future__ import annotations

import threading
import uuid
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from functools import cached_property
from typing import TYPE_CHECKING, Any

from shisho.domain.corpus import PassageId
from shisho.errors import ExtraMissing, StorageUnusable, StoreUnavailable
from shisho.records import dataclass
from shisho.stores.indexing import IndexScope, PassageRef
from shisho.stores.nouns import passage_number

if TYPE_CHECKING:
    from qdrant_client import QdrantClient

IN_PROCESS = ":memory:"
WORDS = "words"
BATCH = 256  # points sent at once
SECONDS = 30
NEIGHBOURS = 128  # candidates of a graph search, at least
MAX_EXACT_PASSAGES = 20_000  # passages in scope up to which every vector is compared, despite the graph


class CollectionGone(Exception):
    """The server has no such collection: the index must be rebuilt."""


@dataclass(frozen=True, slots=True)
class SparsePoint:
    """A passage and the weights of its words, by code."""

    place: PassageRef
    weights: Mapping[int, float]


@dataclass(frozen=True, slots=True)
class DensePoint:
    """A passage and its vector."""

    place: PassageRef
    vector: Sequence[float]


class QdrantServer:
    """A server at `qdrant://host:port`, or with TLS at `qdrant+https://host:port`.

    The connection is opened by the first call. Methods raise CollectionGone; StorageUnusable if the server
    refuses the request, StoreUnavailable if it does not answer.
    """

    def __init__(self, address: str, key: str = "") -> None:
        scheme, _, host = address.partition("://")
        self._is_local = host == IN_PROCESS
        self._url = f"{'https' if scheme.endswith('+https') else 'http'}://{host}"
        self._key = key
        self._lock = threading.Lock()
        self.name = f"{address}{uuid.uuid4().hex}" if self._is_local else address
        """Its name in the records: an in-process server is a new one each time."""

    def close(self) -> None:
        """Close the connections, if there are any."""
        if "_client" in vars(self):
            self._client.close()

    def create_words(self, collection: str) -> None:
        from qdrant_client import models

        sparse = models.SparseVectorParams(index=models.SparseIndexParams(datatype=models.Datatype.FLOAT16))
        with self._borrow_client() as client:
            client.create_collection(collection, vectors_config={}, sparse_vectors_config={WORDS: sparse})
            self._make_filters(client, collection)

    def create_vectors(self, collection: str, dimensions: int) -> None:
        from qdrant_client import models

        # Eight-bit codes in memory select candidates, full vectors on disk decide.
        codes = models.ScalarQuantizationConfig(type=models.ScalarType.INT8, always_ram=True)
        vectors = models.VectorParams(size=dimensions, distance=models.Distance.DOT, on_disk=True)
        with self._borrow_client() as client:
            quantization = models.ScalarQuantization(scalar=codes)
            client.create_collection(collection, vectors_config=vectors, quantization_config=quantization)
            self._make_filters(client, collection)

    def _make_filters(self, client: QdrantClient, collection: str) -> None:
        from qdrant_client import models

        kinds = {
            "document": models.PayloadSchemaType.KEYWORD,
            "corpus": models.PayloadSchemaType.INTEGER,
            "page": models.PayloadSchemaType.INTEGER,
        }
        for field, kind in kinds.items() if not self._is_local else ():
            client.create_payload_index(collection, field, kind)

    def delete_collection(self, collection: str) -> None:
        """Delete a collection; a missing one is ignored."""
        with self._borrow_client() as client:
            client.delete_collection(collection)

    def put_words(self, collection: str, points: Sequence[SparsePoint]) -> None:
        """Store the words of passages, replacing earlier ones."""
        from qdrant_client import models

        def build_vector(point: SparsePoint) -> dict[str, Any]:
            indices = [*point.weights]
            values = [*point.weights.values()]
            return {WORDS: models.SparseVector(indices=indices, values=values)}

        self._put(collection, [(point.place, build_vector(point)) for point in points])

    def put_vectors(self, collection: str, points: Sequence[DensePoint]) -> None:
        """Store the vectors of passages, replacing earlier ones."""
        self._put(collection, [(point.place, [*point.vector]) for point in points])

    def _put(self, collection: str, points: Sequence[tuple[PassageRef, Any]]) -> None:
        from qdrant_client import models

        for start in range(0, len(points), BATCH):
            structs = [
                models.PointStruct(id=place.number, vector=vector, payload=_build_payload(place))
                for place, vector in points[start : start + BATCH]
            ]
            with self._borrow_client() as client:
                client.upsert(collection, structs, wait=True)

    def drop_documents(self, collection: str, document_ids: Sequence[str]) -> None:
        """Delete the passages of documents."""
        from qdrant_client import models

        condition = models.FieldCondition(key="document", match=models.MatchAny(any=[*document_ids]))
        selector = models.FilterSelector(filter=models.Filter(must=[condition]))
        with self._borrow_client() as client:
            client.delete(collection, selector, wait=True)

    def search_words(
        self,
        collection: str,
        weights: Mapping[int, float],
        within: IndexScope,
        limit: int,
        excluded: Sequence[int],
    ) -> list[tuple[int, float]]:
        """Return numbers and scores of passages that share a word with the query, best first."""
        from qdrant_client import models

        query = models.SparseVector(indices=[*weights], values=[*weights.values()])
        arguments = {"query": query, "using": WORDS}
        return [hit for hit in self._search(collection, arguments, within, limit, excluded) if hit[1] > 0]

    def search_vectors(
        self,
        collection: str,
        vector: Sequence[float],
        within: IndexScope,
        limit: int,
        excluded: Sequence[int],
        in_scope: int,
    ) -> list[tuple[int, float]]:
        """Return numbers and cosines of passages, nearest first; exact if few are `in_scope`."""
        from qdrant_client import models

        arguments: dict[str, Any] = {"query": [*vector]}
        if not self._is_local:  # the in-process version always compares all
            graph = max(NEIGHBOURS, limit)
            arguments["search_params"] = models.SearchParams(
                hnsw_ef=graph, exact=in_scope <= MAX_EXACT_PASSAGES
            )
        return self._search(collection, arguments, within, limit, excluded)

    def _search(
        self,
        collection: str,
        arguments: Mapping[str, Any],
        within: IndexScope,
        limit: int,
        excluded: Sequence[int],
    ) -> list[tuple[int, float]]:
        condition = _filter(within, excluded)
        with self._borrow_client() as client:
            answer = client.query_points(
                collection, **arguments, query_filter=condition, limit=limit, with_payload=False
            )
        return [(int(point.id), float(point.score)) for point in answer.points]

    @contextmanager
    def _borrow_client(self) -> Iterator[QdrantClient]:
        client = self._client
        from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

        # The in-process version is not thread-safe.
        with self._lock if self._is_local else nullcontext():
            try:
                yield client
            except UnexpectedResponse as error:
                if error.status_code == 404:
                    raise CollectionGone from error
                raise self._build_refused(str(error.reason_phrase or error.status_code)) from error
            except ResponseHandlingException as error:
                raise StoreUnavailable(
                    "qdrant.unreachable",
                    address=self.name,
                    why=str(error.source),
                ) from error
            except ValueError as error:
                if self._is_local and "not found" in str(error):
                    raise CollectionGone from error
                raise

    def _build_refused(self, why: str) -> StorageUnusable:
        return StorageUnusable(
            "qdrant.refused",
            address=self.name,
            why=why,
        )

    @cached_property
    def _client(self) -> QdrantClient:
        try:
            from qdrant_client import QdrantClient
        except ImportError as error:
            raise ExtraMissing("blobs.extra_missing", setting="index", extra="qdrant") from error
        if self._is_local:
            return QdrantClient(IN_PROCESS)
        with warnings.catch_warnings():
            # A key without TLS on a private network is the operator's choice, documented in
            # docs/howto/scale.md.
            warnings.simplefilter("ignore", UserWarning)
            # Its check of the server's version is a thread that outlives the client's creator.
            return QdrantClient(
                url=self._url, api_key=self._key or None, timeout=SECONDS, check_compatibility=False
            )


def list_excluded_numbers(passage_ids: Iterable[PassageId]) -> list[int]:
    """Return the numbers of the passages to exclude."""
    return [number for number in map(passage_number, passage_ids) if number >= 0]


def _build_payload(place: PassageRef) -> dict[str, str | int]:
    page = {} if place.page is None else {"page": place.page}
    return {"document": place.document_id, "corpus": place.corpus, **page}


def _filter(within: IndexScope, excluded: Sequence[int]) -> Any:
    from qdrant_client import models

    def match_any(key: str, values: Sequence[Any]) -> models.FieldCondition:
        return models.FieldCondition(key=key, match=models.MatchAny(any=[*values]))

    must: list[Any] = []
    must_not: list[Any] = []
    if within.corpora is not None:
        must.append(match_any("corpus", within.corpora))
    if within.documents is not None:
        must.append(match_any("document", within.documents))
    if within.pages is not None:
        low, high = within.pages
        must.append(models.FieldCondition(key="page", range=models.Range(gte=low or 0, lte=high)))
    if within.without:
        must_not.append(match_any("document", within.without))
    if excluded:
        must_not.append(models.HasIdCondition(has_id=[*excluded]))
    return models.Filter(must=must, must_not=must_not) if must or must_not else None
