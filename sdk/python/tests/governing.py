# SPDX-License-Identifier: Apache-2.0
"""A Writ in memory for tests of adapters: one state for all calls, and what was asked."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import anyio
import httpx
from replay import answer, client_of, problem

from writ import AsyncClient, FunctionContext, GovernedTool

PARAMETERS = {"type": "object", "properties": {"cents": {"type": "integer"}}}
OPERATION: dict[str, Any] = {
    "operation_id": "op_1", "state": "admitted", "approval_id": None, "result": None, "awaits": "caller",
}  # fmt: skip
ERROR = {"code": "policy.denied", "message": "not today", "hint": "ask Ann"}
FAILED = {"operation_id": "op_1", "status": "error", "tx_outcome": "rolled_back", "error": ERROR, "result": None}
#: what Writ knows of the call, by the state that a test names
STATES: dict[str, dict[str, Any]] = {
    "admitted": OPERATION,
    "held": {**OPERATION, "state": "held", "approval_id": "apr_1", "awaits": None},
    "refused": {**OPERATION, "state": "refused", "awaits": None, "result": FAILED},
    "failed": {**OPERATION, "state": "rolled_back", "awaits": None, "result": FAILED},
    "ambiguous": {**OPERATION, "state": "ambiguous", "awaits": None},
}


class FakeWrit:
    def __init__(self, state: str = "admitted") -> None:
        self.state = state
        #: the routes that were asked, in order
        self.routes: list[str] = []
        self.proposals: list[tuple[Any, httpx.Headers]] = []
        self.ran: list[Any] = []
        #: whether the report of a call gets no answer but a refusal
        self.loses_reports = False
        self._ended: dict[str, Any] | None = None
        client = client_of("awaiting", self._reply)
        assert isinstance(client, AsyncClient)
        # The lease of a function is about time.
        client._shell._sleep = anyio.sleep
        self.client = client

    def tools(self, run: Callable[..., Any] | None = None) -> dict[str, GovernedTool]:
        def refund(args: dict[str, Any], _context: FunctionContext) -> dict[str, Any]:
            self.ran.append(args)
            return {"refunded": args["cents"]}

        return {"refund": GovernedTool("billing.refund", "Refunds.", PARAMETERS, run or refund)}

    @property
    def keys(self) -> list[str]:
        return [headers["idempotency-key"] for _, headers in self.proposals]

    def _reply(self, request: httpx.Request) -> httpx.Response:
        route = request.url.path.rpartition("/")[2]
        self.routes.append(route)
        if self.state == "gone":
            return problem(503, "overloaded", "never")
        body = json.loads(request.read() or b"null")
        if route == "tool-calls":
            self.proposals.append((body, request.headers))
        if route == "own":
            return answer({"permit": {"payload": "p"}})
        if route == "redemptions":
            args = self.proposals[-1][0]["args"]
            return answer({"operation_id": "op_1", "attempt": 1, "args": args, "lease_ms": 60_000})
        if route == "reports":
            return self._reported(body["outcome"])
        return answer(self._ended or STATES[self.state])

    def _reported(self, outcome: dict[str, Any]) -> httpx.Response:
        if self.loses_reports:
            return problem(409, "attempt.fenced", "never")
        result = {**FAILED, "status": "ok", "tx_outcome": "committed", "error": None, "result": outcome.get("result")}
        ended = {**OPERATION, "state": "committed", "awaits": None, "result": result}
        self._ended = ended if outcome["outcome"] == "succeeded" else STATES["ambiguous"]
        return answer({"state": "committed", "tx_outcome": "committed"})
