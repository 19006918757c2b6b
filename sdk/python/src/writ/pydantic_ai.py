# SPDX-License-Identifier: Apache-2.0
"""Adapter of Pydantic AI. It needs the extra `pydantic-ai`, and Python 3.11 or later."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from opentelemetry.trace import NoOpTracer, Span, Status, StatusCode, get_current_span, get_tracer
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from pydantic_ai import (
    AbstractToolset,
    ApprovalRequired,
    DeferredToolRequests,
    RunContext,
    ToolCallPart,
    ToolDefinition,
    ToolDenied,
    ToolFailed,
)
from pydantic_ai.capabilities import AbstractCapability, CapabilityOrdering
from pydantic_ai.exceptions import SkipToolExecution
from pydantic_ai.toolsets.abstract import ToolsetTool
from pydantic_core import SchemaValidator, core_schema

from ._governed import Answer, Done, FrameworkCall, Governed, GovernedTool, Held, unlisted
from .async_client import AsyncClient

__all__ = ["GovernedCapability", "govern_tools"]

#: Arguments are for Writ to judge, by the schema of the tool: what is no object is asked for again.
ANY_OBJECT = SchemaValidator(core_schema.dict_schema(core_schema.str_schema(), core_schema.any_schema()))
#: The member of a definition's metadata that says that the tool is governed. Its name doesn't: it can be changed.
MARK = "writ.tool_id"
#: How often a model may be asked for arguments that are an object.
RETRIES = 1


def govern_tools(
    writ: AsyncClient,
    tools: Mapping[str, GovernedTool],
    *,
    fields: Mapping[str, Any] | None = None,
    scope: str | None = None,
) -> GovernedCapability:
    """A capability of an agent with tools, each call of which Writ decides. `tools` are by their names for the model.

    `fields` are further members of each call, such as `capability_token_id` or `session_id`. `scope` tells
    conversations apart, where the ids of a model's calls repeat.
    """
    return GovernedCapability(Governed(writ, dict(tools), dict(fields or {}), scope))


@dataclass
class GovernedCapability(AbstractCapability[Any]):
    """Pass it to `Agent(capabilities=[…])`, with `DeferredToolRequests` among the output types for held calls.

    A held call is one of `approvals` of the requests. Whatever you answer it with, the run asks Writ again, and the
    call runs only where Writ admits it. Every other function tool of the agent is denied.
    """

    core: Governed

    def get_ordering(self) -> CapabilityOrdering:
        """No other capability changes a call after this one has seen it."""
        return CapabilityOrdering(position="innermost")

    def get_toolset(self) -> AbstractToolset[Any]:
        return _GovernedToolset(self.core)

    async def before_tool_execute(
        self, ctx: RunContext[Any], *, call: ToolCallPart, tool_def: ToolDefinition, args: dict[str, Any]
    ) -> dict[str, Any]:
        if (tool_def.metadata or {}).get(MARK) not in {tool.tool_id for tool in self.core.tools.values()}:
            # It did not run, which is a decision and no error.
            raise SkipToolExecution(ToolDenied(unlisted(call.tool_name).text))
        return args

    def operations_of(self, requests: DeferredToolRequests) -> dict[str, str]:
        """The operations of held calls, by the framework's ids of the calls."""
        found = {call.tool_call_id: requests.metadata.get(call.tool_call_id, {}) for call in requests.approvals}
        return {call_id: made["operation_id"] for call_id, made in found.items() if "operation_id" in made}

    async def until_decided(self, operation_id: str, *, timeout: float | None = None) -> None:
        """Waits until a held call has been decided, or its approval expires. Raises TimeoutError."""
        await self.core.until_decided(operation_id, timeout=timeout)


class _GovernedToolset(AbstractToolset[Any]):
    """The governed tools of an agent."""

    def __init__(self, core: Governed) -> None:
        self._core = core

    @property
    def id(self) -> str:
        return "writ"

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
        return {
            name: ToolsetTool(
                toolset=self,
                tool_def=ToolDefinition(
                    name=name,
                    description=tool.description,
                    parameters_json_schema=dict(tool.parameters),
                    metadata={MARK: tool.tool_id},
                ),
                max_retries=RETRIES,
                args_validator=ANY_OBJECT,
            )
            for name, tool in self._core.tools.items()
        }

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:
        call = FrameworkCall(name, tool_args, ctx.tool_call_id)
        with _span_of(ctx, call, self._core.tools.get(name)) as span:
            headers: dict[str, str] = {}
            # Writ's spans are in the trace of the caller.
            TraceContextTextMapPropagator().inject(headers)
            answer = await self._core.run(replace(call, headers=headers))
            _describe(span, answer)
        if isinstance(answer, Done):
            return answer.value
        if isinstance(answer, Held):
            # The framework's own pause. Its "approved" comes here again, and asks Writ again.
            raise ApprovalRequired({"operation_id": answer.operation_id, "approval_id": answer.approval_id})
        if answer.may_have_run:
            raise ToolFailed(answer.text)
        return ToolDenied(answer.text)


@contextmanager
def _span_of(ctx: RunContext[Any], call: FrameworkCall, tool: GovernedTool | None) -> Iterator[Span]:
    """The span of a call, by the conventions for generative AI: that of the framework, where the agent has any."""
    tool_id = call.name if tool is None else tool.tool_id
    if not isinstance(ctx.tracer, NoOpTracer):
        span = get_current_span()
        span.set_attribute("writ.tool_id", tool_id)
        yield span
        return
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": call.name,
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": call.call_id or "",
        "writ.tool_id": tool_id,
    }
    with get_tracer("writ-client").start_as_current_span(f"execute_tool {call.name}", attributes=attributes) as span:
        yield span


def _describe(span: Span, answer: Answer) -> None:
    """What came of a call."""
    span.set_attribute("writ.outcome", answer.outcome)
    if answer.operation_id is not None:
        span.set_attribute("writ.operation_id", answer.operation_id)
    if answer.outcome == "denied":
        span.set_attribute("error.type", answer.code)
        span.set_status(Status(StatusCode.ERROR))
