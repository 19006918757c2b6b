# SPDX-License-Identifier: Apache-2.0
"""Recorded runs and receipts of a real Writ: sdk/vectors/README.md."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import httpx
import pytest
from replay import KINDS, URL, Program, client_of, run
from vectors import vectors

from writ import CallError, Expected, ProblemError, ReceiptVerificationError, verify_receipt

RECORDED = vectors("scenarios")
RECEIPTS = vectors("receipts")


class Replay:
    """Two clients that get the recorded answers, in their order, for the recorded requests alone."""

    def __init__(self, kind: str) -> None:
        self.left: list[dict[str, Any]] = []
        self.calls: dict[str, Any] = {}
        self.agent: Any = client_of(kind, lambda request: self._answer("agent", request), "agent")
        self.operator: Any = client_of(kind, lambda request: self._answer("operator", request), "operator")

    def _answer(self, by: str, request: httpx.Request) -> httpx.Response:
        recorded = self.left.pop(0)
        body = request.read()
        assert {
            "by": by,
            "method": request.method,
            "path": str(request.url)[len(URL) :],
            "idempotency_key": request.headers.get("idempotency-key"),
            "body": json.loads(body) if body else None,
        } == {name: recorded[name] for name in ("by", "method", "path", "idempotency_key", "body")}
        assert request.headers["authorization"] == f"Bearer {by}"
        answer = recorded["answer"]
        return httpx.Response(answer["status"], headers=answer["headers"], content=answer["body"].encode())

    async def step(self, step: dict[str, Any]) -> Any:
        """What a program gets from a step, as JSON."""
        try:
            return await getattr(self, f"_{step['do']}")(step)
        except CallError as error:
            return {"error": type(error).__name__, "code": error.code}
        except ProblemError as error:
            return {"error": type(error).__name__, "code": error.code, "status": error.status}

    async def _call(self, step: dict[str, Any]) -> Any:
        more = {"wait": step["wait_ms"] / 1_000} if "wait_ms" in step else {}
        call = await Program.value(self.agent.call(step["tool"], step["args"], idempotency_key=step["key"], **more))
        self.calls[step["as"]] = call
        code = {} if call.code is None else {"code": call.code}
        return {"outcome": call.outcome, "replayed": call.replayed, **code}

    async def _result(self, step: dict[str, Any]) -> Any:
        return {"result": await Program.value(self.calls[step["of"]].result())}

    async def _cancel(self, step: dict[str, Any]) -> Any:
        return {"state": (await Program.value(self.calls[step["of"]].cancel())).state}

    async def _receipt(self, step: dict[str, Any]) -> Any:
        receipt = await Program.value(self.calls[step["of"]].receipt())
        record = receipt.verify(RECORDED["keys"]).record
        return {"verified": {"phase": record.phase, "tx_outcome": record.tx_outcome}}

    async def _approve(self, step: dict[str, Any]) -> Any:
        return await self._decide(step, self.operator.approvals.approve)

    async def _deny(self, step: dict[str, Any]) -> Any:
        return await self._decide(step, self.operator.approvals.deny)

    async def _decide(self, step: dict[str, Any], decide: Any) -> Any:
        call = self.calls[step["of"]]
        assert call.outcome == "held"
        approval = await Program.value(self.operator.approvals.get(call.approval_id))
        await Program.value(decide(approval, {"comment": step["comment"]}))
        return {"tool": approval.tool_id, "of": approval.of}

    async def _list(self, step: dict[str, Any]) -> Any:
        operations = await Program.items(self.agent.operations.list(limit=step["limit"]))
        return {"tools": [operation.tool_id for operation in operations]}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scenario", RECORDED["scenarios"], ids=lambda one: one["name"])
def test_a_program_sends_the_same_requests_and_gets_the_same_outcomes(scenario: dict[str, Any], kind: str) -> None:
    replay = Replay(kind)

    async def program() -> None:
        for recorded in scenario["steps"]:
            replay.left.extend(recorded["exchanges"])
            assert (recorded["step"], await replay.step(recorded["step"])) == (recorded["step"], recorded["gives"])
            assert replay.left == []

    run(program)


@pytest.mark.parametrize("vector", RECEIPTS["receipts"], ids=lambda one: one["name"])
def test_a_receipt_verifies_or_fails_by_the_check_of_the_vector(vector: dict[str, Any]) -> None:
    given = Expected(**{one.name: vector[one.name] for one in fields(Expected) if one.name in vector})
    if vector["fails"] is None:
        verified = verify_receipt(vector["file"], RECEIPTS["keys"], given)
        assert str(verified.record.operation_id).startswith("op_")
        return
    with pytest.raises(ReceiptVerificationError) as caught:
        verify_receipt(vector["file"], RECEIPTS["keys"], given)
    assert caught.value.check == vector["fails"]
