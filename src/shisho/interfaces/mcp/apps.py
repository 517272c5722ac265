"""Show citations inside the assistant (MCP Apps, SEP-1865).

A client with support for such pages gets one with its answers, on which each quotation is highlighted; any
other gets text and links.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from importlib import resources
from typing import Any

from mcp.server.apps import APP_MIME_TYPE, Apps, ResourceCsp, client_supports_apps
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp_types import CallToolRequestParams, CallToolResult

from shisho.domain.inquiry import Answer
from shisho.domain.proof import EvidenceExhibit
from shisho.errors import ShishoError
from shisho.interfaces.api.truncate import to_plain_data
from shisho.language.normalise import mark_unseen
from shisho.services import Library

URI = "ui://shisho/evidence"
MIME = APP_MIME_TYPE
TOOLS = frozenset({"ask", "get_answer", "compose_answer"})
EVIDENCE_KEY = "shisho/evidence"  # the key of the page's data in the metadata of a result
MAX_BYTES = 500_000  # of images in one result: some clients accept at most a megabyte
MARGIN = 144.0  # points of the page above and below the highlight


class EvidenceApp(Apps):
    """An extension that serves the page, links tools to it, and adds its data to results."""

    def __init__(self, library: Library) -> None:
        super().__init__()
        self._library = library
        html = (resources.files("shisho.interfaces.mcp") / "evidence.html").read_text("utf-8")
        self.add_html_resource(
            URI,
            html,
            name="evidence",
            title="Quotations of an answer, lit where they stand",
            csp=ResourceCsp(connect_domains=[], resource_domains=[], frame_domains=[], base_uri_domains=[]),
            prefers_border=True,
        )

    async def intercept_tool_call(
        self, params: CallToolRequestParams, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        result = await call_next(ctx)
        if params.name in TOOLS and isinstance(result, CallToolResult) and client_supports_apps(ctx):
            return await self.with_evidence(result)
        return result

    async def with_evidence(self, result: CallToolResult) -> CallToolResult:
        """Return the result with the page's data about its answer; unchanged if that is unavailable."""
        data: dict[str, Any] = result.structured_content or {}
        if result.is_error or data.get("answer", data) is None:
            return result
        try:
            answer = await self._library.questions.get(data["answer_id"])
            exhibits = await self._library.proofs.list_exhibits(answer.evidence, MAX_BYTES, MARGIN)
        except ShishoError:  # the answer is complete without its images
            return result
        return result.model_copy(
            update={"meta": {**(result.meta or {}), EVIDENCE_KEY: _describe_answer(answer, exhibits)}}
        )


async def point_to_evidence(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Add the page to the listed tools that return answers (middleware)."""
    result = await call_next(ctx)
    if ctx.method == "tools/list" and isinstance(result, dict) and client_supports_apps(ctx):
        for tool in result["tools"]:
            if tool["name"] in TOOLS:
                tool["_meta"] = {**tool.get("_meta", {}), "ui": {"resourceUri": URI}}
    return result


def _describe_answer(answer: Answer, exhibits: Sequence[EvidenceExhibit]) -> dict[str, Any]:
    shown: dict[str, Any] = to_plain_data(
        {
            "answer_id": answer.id,
            "question": answer.question,
            "quotations": [_describe_quotation(answer, exhibit) for exhibit in exhibits],
        }
    )
    return shown


def _describe_quotation(answer: Answer, exhibit: EvidenceExhibit) -> dict[str, Any]:
    """Describe a quotation.

    `sentences`: the sentences of the answer that cite it, each with its verdict. The text is in three pieces,
    because a browser counts offsets differently.
    """
    evidence = exhibit.evidence
    first = evidence.start - exhibit.start
    last = evidence.end - exhibit.start
    crop = exhibit.crop
    return {
        "number": evidence.number,
        "title": evidence.title,
        "page": evidence.page,
        "place": evidence.place,
        "heading": evidence.heading,
        "source_url": evidence.source_url,
        "ocr": evidence.ocr,
        "source_state": evidence.source_state,
        "quoted_before": mark_unseen(exhibit.text[:first]) if exhibit.text else "",
        "quoted_text": mark_unseen(evidence.snippet),
        "quoted_after": mark_unseen(exhibit.text[last:]),
        "sentences": [
            {"text": sentence.text, "support": sentence.support, "by": sentence.by}
            for sentence in answer.sentences
            if evidence.number in sentence.evidence
        ],
        "picture": crop
        and {
            "png": base64.b64encode(crop.png).decode(),
            "width": crop.width,
            "height": crop.height,
            "boxes": crop.boxes,
            "exact": crop.exact,
        },
        "why": exhibit.why,
    }
