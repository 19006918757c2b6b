# SPDX-License-Identifier: Apache-2.0
"""What all adapters of agent frameworks do: they propose a call with the framework's own id of it as its idempotency
key, and run it where Writ admits it.

INVARIANT (only Writ decides): no answer of a framework or of its user runs a function. It only makes the adapter ask
Writ again. A tool that is not listed is denied, and so is a call whose question fails.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import anyio.to_thread

from ._calls import CallView
from ._functions import FunctionContext, OwnFunction
from ._options import RequestOptions
from .async_client import AsyncCall, AsyncClient

#: The form of an idempotency key of the API.
KEY = re.compile(r"[\x21-\x7e]{1,255}")
#: A call that another process runs is waited for as long as a request may take.
SETTLED_S = 120.0
#: What a model is told where nobody knows what happened.
UNKNOWN = "It is not known whether the call took effect. Do not repeat it"


@dataclass(frozen=True)
class GovernedTool:
    """A function of your process that a model may call, and Writ decides each call of it.

    A plain function runs in a thread, and a coroutine function in the event loop.
    """

    #: its name in Writ, such as `billing.refund`
    tool_id: str
    description: str
    #: the JSON Schema of its arguments, which is one of an object
    parameters: Mapping[str, Any]
    run: OwnFunction
    #: the JSON Schema of its result; any JSON by default
    result: Mapping[str, Any] | None = None
    #: what a policy knows it by
    category: Literal["read", "write"] = "write"


def declarations_of(tools: Mapping[str, GovernedTool]) -> list[dict[str, Any]]:
    """The declarations of tools. An administrator registers them: `admin.tools.apply({"functions": …})`."""
    return [
        {
            "name": tool.tool_id,
            "description": tool.description,
            "category": tool.category,
            "mode": "caller",
            "parameters": dict(tool.parameters),
            **({} if tool.result is None else {"result": dict(tool.result)}),
        }
        for tool in tools.values()
    ]


@dataclass(frozen=True)
class Done:
    """The call has run, or ran before, and this is its result."""

    operation_id: str
    value: Any
    outcome: Literal["ok"] = "ok"


@dataclass(frozen=True)
class Held:
    """The call waits for a person. Its operation is all that has to be kept."""

    operation_id: str
    approval_id: str
    outcome: Literal["held"] = "held"


@dataclass(frozen=True)
class Denied:
    """The call did not run, or failed."""

    #: None where there is none, since Writ was not asked or has not answered
    operation_id: str | None
    #: a code of Writ's table; `tool.unlisted`, `call.unnamed` or `error` where there is none
    code: str
    #: for the model
    text: str
    #: whether the function may have taken effect
    may_have_run: bool = False
    outcome: Literal["denied"] = "denied"


Answer: TypeAlias = "Done | Held | Denied"


@dataclass(frozen=True)
class FrameworkCall:
    """A call as a framework knows it."""

    #: the name by which the model calls the tool
    name: str
    args: Mapping[str, Any]
    #: the framework's own id of the call
    call_id: str | None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Governed:
    """Decides and runs the calls of a framework by Writ."""

    writ: AsyncClient
    tools: Mapping[str, GovernedTool]
    #: further members of each call; those that are None are left out
    fields: Mapping[str, Any] = field(default_factory=dict)
    scope: str | None = None

    async def run(self, call: FrameworkCall) -> Answer:
        """Asks Writ for its decision, and runs the function where it is admitted, once.

        Raises no error of its own. What ends the task, as a cancellation does, is raised.
        """
        tool = self.tools.get(call.name)
        if tool is None:
            return unlisted(call.name)
        key = f"adapter:{'' if self.scope is None else f'{self.scope}:'}{call.call_id or ''}"
        if not call.call_id or KEY.fullmatch(key) is None:
            return unnamed(call.name)
        function = _Noted(tool.run)
        try:
            made = await self.writ.perform(
                tool.tool_id,
                call.args,
                function,
                idempotency_key=key,
                fields={name: value for name, value in self.fields.items() if value is not None},
                options=RequestOptions(headers=call.headers),
            )
            return await _answer_of(made)
        except Exception as error:
            return error_of(error, function.has_begun)

    async def until_decided(self, operation_id: str, *, timeout: float | None = None) -> None:
        """Waits until a held call has been decided, or its approval expires. Raises TimeoutError."""
        await (await self.writ.read_call(operation_id)).decided(timeout=timeout)


class _Noted:
    """A function that notes that it has begun."""

    def __init__(self, function: OwnFunction) -> None:
        self._function = function
        self.has_begun = False

    async def __call__(self, args: dict[str, Any], context: FunctionContext) -> Any:
        self.has_begun = True
        if inspect.iscoroutinefunction(self._function):
            return await self._function(args, context)
        # In the loop it would hold up the lease of its own call, and every other task.
        value = await anyio.to_thread.run_sync(self._function, args, context)
        return await value if inspect.isawaitable(value) else value


async def _answer_of(made: AsyncCall) -> Answer:
    # Another process of this agent runs it.
    call = await made.settled(timeout=SETTLED_S) if made.outcome == "running" else made
    if call.outcome == "held":
        return Held(call.operation_id, call.approval_id or "")
    if call.outcome == "ok":
        return Done(call.operation_id, None if call.tool_result is None else call.tool_result.result)
    return denial_of(call)


def denial_of(call: CallView) -> Denied:
    """The denial of a call that was refused, or failed: with what Writ says about it, and its hint."""
    code = call.code or "internal"
    is_refused = call.outcome == "refused"
    if code == "effect.ambiguous":
        what = UNKNOWN
    else:
        what = "The call was refused and did not run" if is_refused else "The call failed"
    advice = "" if call.hint is None else f" {call.hint}."
    message = call.message or "no result is stored"
    text = f"{what} [{code}]: {message}.{advice} (operation {call.operation_id})"
    return Denied(call.operation_id, code, text, may_have_run=not is_refused)


def error_of(error: Exception, has_begun: bool) -> Denied:
    """INVARIANT (errors deny): a question without an answer is a denial."""
    what = UNKNOWN if has_begun else "The call did not run here"
    code = getattr(error, "code", None)
    operation = getattr(error, "operation_id", None)
    return Denied(
        operation if isinstance(operation, str) else None,
        code if isinstance(code, str) else "error",
        f"{what}: {error or 'the call could not be decided'}",
        may_have_run=has_begun,
    )


def unlisted(name: str) -> Denied:
    text = f"The tool `{name}` is not one of those that Writ governs here, and did not run."
    return Denied(None, "tool.unlisted", text)


def unnamed(name: str) -> Denied:
    text = f"The call of `{name}` has no id that can name it, of at most 240 printable characters, and did not run."
    return Denied(None, "call.unnamed", text)
