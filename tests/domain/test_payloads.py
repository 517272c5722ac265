"""What jobs are given: every kind has a shape, which survives its store and refuses another's."""

from __future__ import annotations

import pytest

from shisho.domain.codec import Payload, UnreadablePayload
from shisho.domain.job import JobId, NewJob
from shisho.domain.payloads import (
    SHAPES,
    AnswerJob,
    FetchJob,
    IngestJob,
    JobPayload,
    SearchJob,
    list_staged_keys,
    read_payload,
)
from shisho.domain.task import JobKind, Sources, StopStrategy
from shisho.domain.time import Instant
from tests.tables import each_row

UNTIL = Instant("2026-07-01T09:00:00.000000+00:00")
CEILINGS = {"max_rounds": 2.0}
PAYLOADS: dict[JobKind, JobPayload] = {
    JobKind.SEARCH: SearchJob(
        query="決定係数 定義",
        owner="local",
        engines=("mojeek",),
        stop_strategy=StopStrategy.FIXED,
        until=UNTIL,
        without=("bing",),
    ),
    JobKind.FETCH: FetchJob("https://a.example/", "local", metadata={"year": "2026"}, password="key"),
    JobKind.INGEST: IngestJob("a.pdf", "local", "default", path="/docs/a.pdf", within="/docs"),
    JobKind.ANSWER: AnswerJob(
        "決定係数とは何か", "local", ("default",), {"year": ("2025", "2026")}, Sources.BOTH, CEILINGS
    ),
}


def test_every_kind_of_job_has_a_shape() -> None:
    assert set(SHAPES) == set(JobKind) == set(PAYLOADS)


@each_row("kind", JobKind)
def test_payload_comes_back_from_its_job(kind: JobKind) -> None:
    job = NewJob(JobId("a"), kind, Payload.wrap(PAYLOADS[kind]))
    assert read_payload(job) == PAYLOADS[kind] and type(read_payload(job)) is SHAPES[kind]


@each_row(
    ("kind", "given"),
    [
        (JobKind.FETCH, PAYLOADS[JobKind.SEARCH]),  # another kind's
        (JobKind.SEARCH, {"query": "回帰", "owner": "local", "engine": "mojeek"}),  # a key that nobody reads
        (JobKind.INGEST, {"source": "a.pdf", "owner": "local"}),  # a key that is missing
    ],
)
def test_payload_of_another_shape_is_refused(kind: JobKind, given: object) -> None:
    with pytest.raises(UnreadablePayload):
        read_payload(NewJob(JobId("a"), kind, Payload.wrap(given)))


@each_row(
    ("payload", "subject", "keys"),
    [
        (PAYLOADS[JobKind.SEARCH], "決定係数 定義", ()),
        (PAYLOADS[JobKind.FETCH], "https://a.example/", ("key",)),
        (FetchJob("https://a.example/", "local"), "https://a.example/", ()),
        (PAYLOADS[JobKind.INGEST], "a.pdf", ()),
        (IngestJob("a.pdf", "local", "default", staged="bytes", password="word"), "a.pdf", ("bytes", "word")),
        (PAYLOADS[JobKind.ANSWER], "決定係数とは何か", ()),
    ],
)
def test_payload_tells_its_subject_and_what_it_has_staged(
    payload: JobPayload, subject: str, keys: tuple[str, ...]
) -> None:
    assert (payload.subject, list_staged_keys(payload)) == (subject, keys)
