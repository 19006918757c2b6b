# SPDX-License-Identifier: Apache-2.0
"""Calls: how they are proposed, what came of them, and how one waits for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal
from urllib.parse import quote

from . import models
from ._errors import CallFailedError, CallRefusedError, TimeoutError, WritError
from ._flow import Answer, Flow, Pause, Settings, json_of, send
from ._model import parse
from ._options import RequestOptions
from ._receipts import CallReceipt, Expected
from ._requests import Request, json_bytes, new_idempotency_key

#: One long poll while a call runs: below the longest that the API allows.
POLL_S = 25.0
#: Pauses between looks at a held call, for which the API doesn't wait: soon at first, and then seldom.
PAUSE_FIRST_S = 0.25
PAUSE_MAX_S = 2.0
#: A record is in the log within a second or so. The time limit of the request ends the retries before.
RECEIPT_RETRIES = 100

#: States in which nothing more happens by itself.
FINAL = ("refused", "committed", "rolled_back", "no_op", "ambiguous")

Outcome = Literal["ok", "refused", "failed", "held", "running"]


@dataclass(frozen=True)
class CallView:
    """A call as it was when it was read."""

    operation_id: str
    #: `ok`: it ran, and what it changed is committed; `refused`: it did not run; `failed`: it ran, and nothing was
    #: committed; `held`: it waits for a person; `running`: it has not ended within `wait`
    outcome: Outcome
    #: whether this is the outcome of an earlier request with the same idempotency key
    replayed: bool = False
    #: of a refused or failed call: a code of the closed table, such as `policy.denied`
    code: str | None = None
    hint: str | None = None
    #: the same for people
    message: str | None = None
    tool_result: models.ToolResult | None = None
    #: of a held call
    approval_id: str | None = None
    #: of a running call: `caller` where its proposer is to run it, under a permit
    awaits: str | None = None
    #: what its receipt must agree with; empty where this program did not propose it
    sent: Expected = field(default_factory=Expected)

    @property
    def is_settled(self) -> bool:
        return self.outcome not in ("held", "running")


def fields_of(call: CallView) -> dict[str, Any]:
    """The members of a view, without those of a call."""
    return {one.name: getattr(call, one.name) for one in fields(CallView)}


def keyed(options: RequestOptions | None, key: str | None) -> RequestOptions:
    given = options or RequestOptions()
    return given if key is None else replace(given, idempotency_key=key)


def propose(
    settings: Settings,
    tool_id: str,
    args: Mapping[str, Any],
    *,
    wait: float,
    more: Mapping[str, Any],
    options: RequestOptions | None,
) -> Flow[CallView]:
    """Proposes a call and waits for its end, up to `wait` seconds. Every attempt has the same idempotency key."""
    key = (options or RequestOptions()).idempotency_key or new_idempotency_key()
    request = Request(
        method="POST",
        path=f"/v1/tool-calls?wait={int(wait * 1_000)}",
        headers={"content-type": "application/json", "idempotency-key": key},
        body=json_bytes({**more, "tool_id": tool_id, "args": args}),
        can_repeat=True,
    )
    answer = yield from send(settings, request, options)
    named = {name: more[name] for name in ("agent_id", "capability_token_id", "workspace_id") if name in more}
    sent = Expected(tool_id=tool_id, **named)
    made: dict[str, Any] = {"replayed": answer.headers.get("idempotent-replayed") == "true", "sent": sent}
    body = _object_of(answer)
    if "state" in body:
        return replace(view_of(body), **made)
    # An error alone doesn't say whether the call ran. The header does, where the server sends it.
    said = answer.headers.get("writ-outcome")
    if body["status"] == "ok":
        view = CallView(body["operation_id"], "ok", tool_result=_result_of(body))
    elif said == "refused":
        view = CallView(body["operation_id"], "refused", **_why_of(body))
    elif said == "failed":
        view = CallView(body["operation_id"], "failed", **_why_of(body))
    else:
        view = view_of((yield from read(settings, body["operation_id"], 0, options)))
    return replace(view, **made)


def view_of(operation: Mapping[str, Any]) -> CallView:
    """A call by its operation."""
    operation_id, state, result = operation["operation_id"], operation["state"], operation["result"]
    if state == "held":
        return CallView(operation_id, "held", approval_id=operation["approval_id"])
    if state not in FINAL:
        return CallView(operation_id, "running", awaits=operation.get("awaits"))
    if state == "refused":
        return CallView(operation_id, "refused", **_why_of(result))
    if result is not None and result["status"] == "ok":
        return CallView(operation_id, "ok", tool_result=_result_of(result))
    why = _why_of(result)
    return CallView(operation_id, "failed", **({**why, "code": "effect.ambiguous"} if state == "ambiguous" else why))


def _result_of(result: Any) -> models.ToolResult | None:
    made: models.ToolResult | None = None if result is None else parse(models.ToolResult, result)
    return made


def _why_of(result: Mapping[str, Any] | None) -> dict[str, Any]:
    error = (result or {}).get("error") or {}
    return {
        "code": error.get("code") or "internal",
        "hint": error.get("hint"),
        "message": error.get("message"),
        "tool_result": _result_of(result),
    }


def settle(settings: Settings, call: CallView, timeout: float | None, options: RequestOptions | None) -> Flow[CallView]:
    """The call when it has ended. Raises TimeoutError after `timeout` seconds."""
    end = None if timeout is None else settings.clock() + timeout
    pause = PAUSE_FIRST_S
    while not call.is_settled:
        left = POLL_S if end is None else end - settings.clock()
        if left <= 0:
            raise TimeoutError(f"`{call.operation_id}` has not ended within {timeout:g} s")
        operation = yield from read(settings, call.operation_id, min(POLL_S, left), options)
        call = replace(view_of(operation), replayed=call.replayed, sent=call.sent)
        if not call.is_settled:
            # A call that its proposer runs itself, and a held one, are answered at once.
            yield Pause(pause if end is None else min(pause, max(0.0, end - settings.clock())))
            pause = min(pause * 2, PAUSE_MAX_S)
    return call


def decided(
    settings: Settings, call: CallView, timeout: float | None, options: RequestOptions | None
) -> Flow[CallView]:
    """The call when no person is waited for any more. Raises TimeoutError after `timeout` seconds."""
    end = None if timeout is None else settings.clock() + timeout
    pause = PAUSE_FIRST_S
    while call.outcome == "held":
        left = PAUSE_MAX_S if end is None else end - settings.clock()
        if left <= 0:
            raise TimeoutError(f"nobody has decided `{call.operation_id}` within {timeout:g} s")
        yield Pause(min(pause, left))
        pause = min(pause * 2, PAUSE_MAX_S)
        operation = yield from read(settings, call.operation_id, 0, options)
        call = replace(view_of(operation), replayed=call.replayed, sent=call.sent)
    return call


def read(settings: Settings, operation_id: str, wait: float, options: RequestOptions | None) -> Flow[dict[str, Any]]:
    """The operation, after waiting for its end up to `wait` seconds."""
    path = f"/v1/operations/{quote(operation_id, safe='')}?wait={int(wait * 1_000)}"
    return (yield from _json(settings, Request("GET", path, can_repeat=True), options))


def cancel(settings: Settings, operation_id: str, options: RequestOptions | None) -> Flow[dict[str, Any]]:
    """Cancels a call, unless it has ended."""
    path = f"/v1/operations/{quote(operation_id, safe='')}/cancel"
    headers = {"content-type": "application/json"}
    # To cancel twice is to cancel once.
    return (yield from _json(settings, Request("POST", path, True, headers, b"{}"), options))


def receipt(settings: Settings, call: CallView, options: RequestOptions | None) -> Flow[CallReceipt]:
    """The receipt of a call's outcome, else of its decision: it waits until the record is in the log."""
    path = f"/v1/operations/{quote(call.operation_id, safe='')}/receipt"
    given = options or RequestOptions()
    patient = given if given.retries is not None else replace(given, retries=RECEIPT_RETRIES)
    answer = yield from send(settings, Request("GET", path, can_repeat=True), patient)
    return CallReceipt(answer.body.decode("utf-8", "replace"), call.operation_id, call.sent)


def _json(settings: Settings, request: Request, options: RequestOptions | None) -> Flow[dict[str, Any]]:
    answer = yield from send(settings, request, options)
    return _object_of(answer)


def _object_of(answer: Answer) -> dict[str, Any]:
    """The operation or the result in an answer. Raises WritError where somebody else answered."""
    value = json_of(answer)
    if not isinstance(value, dict) or not isinstance(value.get("operation_id"), str):
        raise WritError("the answer is about no operation: `url` may not be the address of Writ")
    return value


def result_of(call: CallView) -> Any:
    """What the tool gave. Raises CallRefusedError, CallFailedError."""
    if call.outcome == "ok" and call.tool_result is not None:
        return call.tool_result.result
    why = f"{call.message or 'no result is stored'} [{call.code}]{'' if call.hint is None else f': {call.hint}'}"
    kind, verb = (CallRefusedError, "was refused") if call.outcome == "refused" else (CallFailedError, "failed")
    raise kind(
        f"the call {verb}: {why}",
        operation_id=call.operation_id,
        code=call.code or "internal",
        hint=call.hint,
        tool_result=call.tool_result,
    )
