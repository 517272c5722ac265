"""Each error has the HTTP status that a client expects of its meaning; what goes over the wire is well
named."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import httpx
import pytest

from shisho import errors
from shisho.domain.codec import to_plain
from shisho.errors import ShishoError
from shisho.interfaces.http.guard import AccessRules
from shisho.interfaces.http.routes import ROUTES, build_refusal
from shisho.interfaces.http.server import build
from shisho.interfaces.http.statuses import status_of
from shisho.services import Library
from shisho.services.intake import parse_addresses
from shisho.web.http.url import canonicalise
from shisho.web.serp.client import EngineRefused
from tests.interfaces.serving import serving
from tests.machine import PATIENCE

EXPECTED = {
    errors.ShishoError: 500,
    errors.InternalError: 500,
    errors.InvalidParams: 400,
    errors.NotFound: 404,
    errors.TaskNotFound: 404,
    errors.EmptyCorpus: 409,
    errors.BudgetExhausted: 429,
    errors.QuotaExhausted: 429,
    errors.SourceRemoved: 410,
    errors.EngineUnavailable: 503,
    errors.ParserFailed: 502,
    errors.AllEnginesBlocked: 503,
    errors.AllFetchesFailed: 502,
    errors.ModelFailed: 502,
    errors.ForbiddenAddress: 403,
    errors.RobotsDisallowed: 403,
    errors.ExtraMissing: 501,
    errors.ForbiddenPath: 403,
    errors.AuthRequired: 502,
    errors.ConsentRequired: 403,
    errors.Conflict: 409,
    errors.KeyConflict: 422,
    errors.NameConflict: 409,
    errors.ServerBusy: 503,
    errors.StorageUnusable: 503,
    errors.StoreUnavailable: 503,
    errors.TimedOut: 504,
    errors.AccessDenied: 403,
    errors.UnusableDocument: 422,
    errors.DocumentUnreadable: 422,
    errors.DocumentEncrypted: 422,
    errors.NeedsOcr: 422,
    errors.UnsupportedMedia: 415,
    errors.TooLarge: 413,
}
CLASSES = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, ShishoError)]
# said by the guard, which knows no class: the token, the Host, the time of the body
AT_THE_DOOR = {"AUTH_REQUIRED": {401}, "FORBIDDEN_ADDRESS": {421}, "TIMEOUT": {408}}


def test_every_error_class_has_an_expected_status() -> None:
    assert set(CLASSES) == EXPECTED.keys()


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_error_is_answered_with_the_status_of_its_class(kind: type[ShishoError]) -> None:
    reply = build_refusal(kind("Something."))
    assert (reply.status_code, json.loads(bytes(reply.body))["code"]) == (EXPECTED[kind], kind.code)


def test_fault_of_ours_is_500_and_full_disk_is_a_conflict() -> None:
    assert build_refusal(RuntimeError("no words of it")).status_code == 500
    assert build_refusal(OSError(28, "No space left on device")).status_code == 409


def test_what_was_skipped_is_told_in_words() -> None:
    _, skipped = parse_addresses(["no address"], canonicalise)
    body = json.loads(bytes(build_refusal(errors.InvalidParams("None.", skipped=to_plain(skipped))).body))
    assert body["details"]["skipped"] == [
        {"subject": "no address", "reason": "neither an http(s) address nor a DOI"}
    ]


def test_error_that_knows_when_to_ask_again_says_so() -> None:
    known = EngineRefused("Later.", retry_after_s=12.2)
    assert (status_of(known), build_refusal(known).headers["retry-after"]) == (503, "13")
    assert "retry-after" not in build_refusal(EngineRefused("Later.", retry_after_s=None)).headers
    assert "retry-after" not in build_refusal(errors.Conflict("Now?")).headers


@pytest.mark.parametrize("code", sorted(errors.map_by_code()))
def test_statuses_of_an_error_code_are_documented(code: str) -> None:
    page = (Path(__file__).parents[3] / "docs" / "errors.md").read_text("utf-8")
    row = next(line for line in page.splitlines() if line.startswith(f"| `{code}` |"))
    documented = {int(status) for status in re.findall(r"\b[45]\d\d\b", row.split("|")[2])}
    assert documented == {EXPECTED[kind] for kind in CLASSES if kind.code == code} | AT_THE_DOOR.get(
        code, set()
    )


OPEN = Path(tempfile.gettempdir()).resolve()  # the allowed folder


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A server of an empty library whose web is off."""
    home = tmp_path_factory.mktemp("statuses") / "home"
    with (
        serving(home, SHISHO_WEB="off", SHISHO_ALLOWED_ROOTS=str(OPEN)) as url,
        httpx.Client(base_url=f"{url}/api/v1", timeout=PATIENCE) as opened,
    ):
        yield opened


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("/tasks", {"question": " "}, 400, "INVALID_PARAMS"),
        ("/tasks", {"question": "x", "unknown": 1}, 400, "INVALID_PARAMS"),
        ("/documents", {"paths": ["/etc/passwd"]}, 403, "FORBIDDEN_PATH"),
        ("/documents", {"paths": [str(OPEN / f"{'あ' * 100}.pdf")]}, 400, "INVALID_PARAMS"),
        ("/folders", {"path": str(OPEN / ("あ" * 100))}, 400, "INVALID_PARAMS"),
        ("/tasks/none/resume", {}, 404, "TASK_NOT_FOUND"),
        ("/passages/search", {"keyword_query": ["決定係数"]}, 409, "EMPTY_CORPUS"),
        ("/answers", {"question": "決定係数とは", "sources": "web"}, 503, "ENGINE_UNAVAILABLE"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_status_over_http(
    client: httpx.Client, path: str, body: dict[str, Any], status: int, code: str
) -> None:
    reply = client.post(path, json=body)
    assert (reply.status_code, reply.json()["code"]) == (status, code), reply.text


def test_number_that_no_database_can_hold_is_refused(client: httpx.Client) -> None:
    assert client.post("/tasks", json={"question": "決定係数"}).status_code == 200
    reply = client.get("/tasks/last", params={"wait": 0, "since_revision": 2**63})
    assert (reply.status_code, reply.json()["code"]) == (400, "INVALID_PARAMS")
    assert client.get("/tasks/last", params={"wait": 0, "since_revision": 2**53 - 1}).status_code == 200


def test_key_of_another_request_is_unprocessable(client: httpx.Client) -> None:
    assert client.post("/tasks", json={"question": "決定係数", "idempotency_key": "k"}).status_code == 200
    reply = client.post("/tasks", json={"question": "相関係数", "idempotency_key": "k"})
    assert (reply.status_code, reply.json()["code"]) == (422, "CONFLICT")


NAMES = re.findall(
    r"\w+",
    """
    AcceptedEvidence Access AddDocumentsRequest AddGrantRequest AddGroupRequest AddMembersRequest
    AddUserRequest Answer AnswerHandle AnswerHeading AnswerLevel AnswerList AnswerLog AnswerNote
    AnswerParagraph AnswerPassage AnswerTable AskBudget AskRequest AuditEntry AuditOutcome AuditPage AuditVerb
    AuthAction AuthQueue AuthResolved AuthTarget BreakerState CalibrateModelsRequest CheckList CheckResult
    Complexity ComposeAnswerRequest ComposedAnswer ConsentStatus ContradictedSentences Conversation
    ConversationList ConversationRemoved ConversationSummary Corpus CorpusList CreateTaskRequest Delay
    Document DocumentBody DocumentList DocumentState DocumentsQueued EmbeddingProgress EndReason EngineList
    EngineStatus ErrorBody Evidence EvidenceBoxes ExistingDocument FailedItem FeedbackRecorded FeedbackRequest
    FetchedText FileInput FilterRange FindingInput FindingResult FindingsResult FolderList FolderState
    FolderStatus FoundModel FoundPage FoundPassage Gap Goal GoalInput GoalProgress GoalState GoalStatus
    GrantList GrantRow GranteeKind GroupList IntakeOutcome InterventionState IssuedToken LayoutLine LoopStop
    MatchedBy MetadataField MetadataFields MetadataValue ModelChoice ModelFault ModelOverview ModelTrialResult
    ModelUsage ModelUse ModelWork ModelWorkBegun ModelWorkKind ModelWorkState NodeModelUse NoteRole
    OpenSessionRequest Opinion PageFate PageLayout PagingStop PassageMark PassageText PendingIntervention
    PendingJobs PlannedSection ProgressSummary PullModelRequest PurgeScope QuestionTurn QueueSearchesRequest
    QueueUrlsRequest QuotaList QuotaResource QuotaRow RangeInput Receipt ReferenceMatch RemovedDocument
    ReportEstimate RequestKind ResolveAuthRequest RestoredDocument SearchCorpusRequest SearchItem SearchItems
    SearchOptionsInput SearchPaging SearchResult SearchRound SearchesQueued Sentence SentenceInput
    SentenceRevision SessionOpened SetConsentRequest SetModelRequest SetQuotaRequest SettingList SettingValue
    ShareList ShareRow ShareTaskRequest ShownPassage SigningKey SkippedItem Sources SpanBoxes Stance
    StatusDetail StopMode StopStrategy StopTaskRequest StoredModel Strategy SubmitFindingsRequest
    SupportCounts SupportOutcome SupportedBy TaskBudget TaskCreated TaskDeleted TaskList TaskResult
    TaskResumed TaskState TaskStatus TaskStopped TaskSummary TextMatch TextMatches TimeRange TryModelRequest
    TurnState UnsearchedQuery UrlsQueued User UserGroup UserList Viewable WaitCondition WatchFolderRequest
    WebConsent WebRound WindowOpening
    """,
)


@pytest.mark.slow
def test_names_of_the_document_are_the_contract() -> None:
    """A generated client has these classes. A new one is a noun phrase of the field: no bare participle,
    pronoun or verb."""
    document = build(cast(Library, None), AccessRules()).app.openapi()  # type: ignore[attr-defined]
    assert sorted(document["components"]["schemas"]) == sorted(NAMES)
    assert not [name for name in NAMES if not re.fullmatch(r"([A-Z][a-z]+)+", name)]


def test_what_a_reply_leaves_out_is_not_required() -> None:
    """What is null is left out of a reply that is shaped, at every depth."""
    for verb in (verb for verb in ROUTES if verb.form.shape):
        whole = verb.reply.model_json_schema(mode="serialization")
        for noun in (whole, *whole["$defs"].values()):
            required = [noun["properties"][name] for name in noun.get("required", ())]
            assert {"type": "null"} not in [kind for field in required for kind in field.get("anyOf", ())]


def test_events_are_described_as_a_stream_of_events() -> None:
    document = build(cast(Library, None), AccessRules()).app.openapi()  # type: ignore[attr-defined]
    paths = [path for path in document["paths"] if path.endswith("/events")]
    assert len(paths) == 2
    for path in paths:
        assert [*document["paths"][path]["get"]["responses"]["200"]["content"]] == ["text/event-stream"]


def test_every_refusal_of_the_document_has_the_body_of_an_error() -> None:
    document = build(cast(Library, None), AccessRules()).app.openapi()  # type: ignore[attr-defined]
    operations = [operation for path in document["paths"].values() for operation in path.values()]
    replies = [reply for operation in operations for reply in operation["responses"].items()]
    contents = [reply["content"] for status, reply in replies if status >= "400"]
    body = {"schema": {"$ref": "#/components/schemas/ErrorBody"}}
    assert contents and all(content == {"application/json": body} for content in contents)
