"""Use the client's own model (MCP sampling) if no model is configured and the client offers one.

It serves the questions of this client while the call is open. The client lets its user decide what is sent.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from mcp.server.mcpserver.context import Context
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp_types import SamplingMessage, TextContent

from shisho.domain.model import FAULT_REASONS, ModelFault
from shisho.domain.task import MAX_WAIT, AnswerHandle
from shisho.errors import ModelFailed
from shisho.interfaces.api.operations import Verb
from shisho.services import Library

LENDING_VERB = "ask"
# Newer protocols have no sampling: a client that offers it uses an older one.
warnings.filterwarnings("ignore", message="The sampling capability is deprecated")


class ClientModel:
    """The model behind the client of this call."""

    def __init__(self, context: Context) -> None:
        self._context = context

    @property
    def name(self) -> str:
        info = self._context.session.client_params
        return f"client/{info.client_info.name if info else 'unknown'}"

    async def reply(self, instructions: str, text: str, max_output_tokens: int) -> str:
        """Return the model's reply. Raises: ModelFailed if the client refuses."""
        message = SamplingMessage(role="user", content=TextContent(type="text", text=text))
        try:
            sampled = await self._context.session.create_message(
                [message],
                max_tokens=max_output_tokens,
                system_prompt=instructions,
                temperature=0.0,
                related_request_id=self._context.request_id,
            )
        except NoBackChannelError:
            raise self._make_failure(ModelFault.UNREACHABLE) from None
        except MCPError:
            raise self._make_failure(ModelFault.REFUSED) from None
        parts = sampled.content if isinstance(sampled.content, list) else [sampled.content]
        return "".join(part.text for part in parts if isinstance(part, TextContent))

    def _make_failure(self, fault: ModelFault) -> ModelFailed:
        return ModelFailed(
            "model.reply_unusable",
            model=self.name,
            why=FAULT_REASONS[fault],
            fault=str(fault),
        )


def offers_model(context: Context | None) -> bool:
    """Return whether the client offers its model, and requests to it are possible."""
    if context is None:
        return False
    capabilities = context.client_capabilities
    return bool(capabilities and capabilities.sampling and context.session.can_send_request)


async def ask_with_client_model(
    verb: Verb, library: Library, arguments: Mapping[str, Any], context: Context
) -> AnswerHandle:
    """Return the answer, waiting as long as it takes.

    The model is only available during the call.

    If a model is configured, it is used instead, and the call ends normally.
    """
    with library.questions.use_model(ClientModel(context)) as is_lent:
        handle: AnswerHandle = await verb.ask(library, **arguments)
        while is_lent and handle.answer is None:
            handle = await library.questions.wait(handle.answer_id, wait=MAX_WAIT)
    return handle
