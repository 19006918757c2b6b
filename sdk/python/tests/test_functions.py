# SPDX-License-Identifier: Apache-2.0
"""Functions that run as calls under a permit, each by the client that blocks and by the one that awaits."""

from __future__ import annotations

import inspect
import json
import time
from collections.abc import Callable
from typing import Any

import anyio
import httpx
import pytest
from replay import KINDS, Program, answer, client_of, problem, run

from writ import CallView, FunctionContext, NoEffectError, ProblemError

WAITS = {"operation_id": "op_1", "state": "admitted", "approval_id": None, "result": None, "awaits": "caller"}
RESULT = {"operation_id": "op_1", "status": "ok", "tx_outcome": "no_op", "error": None, "result": {"refund": "r"}}
DONE = {**WAITS, "state": "committed", "awaits": None, "result": RESULT}


class Permits:
    """The routes of permits in memory. Keeps what was asked, in order."""

    def __init__(self, kind: str, call: dict[str, Any] = WAITS) -> None:
        self.asked: list[tuple[str, Any]] = []
        self.operation = call
        self.permit: Any = {"payload": "p"}
        #: what requests of a route are answered with, in order; then they succeed
        self.replies: dict[str, list[httpx.Response | Exception]] = {}
        self.is_stopped = False
        #: long, so that a slow machine renews no lease in tests of other things
        self.lease_ms = 60_000
        self.kind = kind
        self.client: Any = client_of(kind, self._reply)
        if kind == "awaiting":
            # The lease is about time.
            self.client._shell._sleep = anyio.sleep

    def _reply(self, request: httpx.Request) -> httpx.Response:
        route = request.url.path.rpartition("/")[2]
        self.asked.append((route, json.loads(request.read() or b"null")))
        if self.replies.get(route):
            reply = self.replies[route].pop(0)
            if isinstance(reply, Exception):
                raise reply
            # A new one: an answer can be read once.
            return httpx.Response(reply.status_code, headers=reply.headers, content=reply.content)
        if route == "reports":
            self.operation = DONE
            return answer({"state": "committed", "tx_outcome": "committed"})
        if route == "redemptions":
            return answer({"operation_id": "op_1", "attempt": 1, "args": {"cents": 4}, "lease_ms": self.lease_ms})
        if route == "renewals":
            return answer({"lease_until": 0, "stop": self.is_stopped})
        return answer({"permit": self.permit} if route == "own" else self.operation)

    def perform(self, function: Callable[..., Any]) -> CallView:
        async def program() -> CallView:
            view: CallView = await Program.value(self.client.perform("billing.refund", {"cents": 5}, function))
            return view

        result: CallView = run(program)
        return result

    @property
    def routes(self) -> list[str]:
        return [route for route, _ in self.asked]

    @property
    def outcome(self) -> Any:
        return next((body["outcome"] for route, body in self.asked if route == "reports"), None)

    def during(self, until: Callable[[FunctionContext], bool]) -> Callable[..., Any]:
        """A function that ends once something is so, and whose lease lasts 60 ms."""
        self.lease_ms = 60

        def blocking(_args: Any, context: FunctionContext) -> str:
            end = time.monotonic() + 5
            while not until(context) and time.monotonic() < end:
                time.sleep(0.002)
            return str(context.stop_reason)

        async def awaiting(_args: Any, context: FunctionContext) -> str:
            with anyio.fail_after(5):
                while not until(context):
                    await anyio.sleep(0.002)
            return str(context.stop_reason)

        return blocking if self.kind == "blocking" else awaiting


@pytest.fixture(params=KINDS)
def permits(request: pytest.FixtureRequest) -> Permits:
    return Permits(str(request.param))


def test_a_function_runs_after_its_permit_was_redeemed_with_the_decided_arguments(
    permits: Permits,
) -> None:
    def refund(args: dict[str, Any], context: FunctionContext) -> dict[str, str]:
        permits.asked.append(("run", (args, context.operation_id, context.attempt, context.is_stopped)))
        return {"refund": "r"}

    call = permits.perform(refund)
    assert permits.routes == ["tool-calls", "own", "redemptions", "run", "reports", "op_1"]
    assert permits.asked[3][1] == ({"cents": 4}, "op_1", 1, False)
    nonce = permits.asked[2][1]["nonce"]
    assert len(nonce) == 32 and int(nonce, 16) >= 0
    assert permits.asked[4][1] == {
        "permit": {"payload": "p"}, "nonce": nonce, "outcome": {"outcome": "succeeded", "result": {"refund": "r"}},
    }  # fmt: skip
    assert call.outcome == "ok" and call.sent.tool_id == "billing.refund"


def test_a_nonce_is_new_for_each_permit() -> None:
    both = [Permits("blocking"), Permits("blocking")]
    for permits in both:
        permits.perform(lambda _args, _context: None)
    assert len({permits.asked[2][1]["nonce"] for permits in both}) == 2


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "operation",
    [
        {**WAITS, "state": "held", "approval_id": "apr_1", "awaits": None},
        {**WAITS, "state": "refused", "awaits": None, "result": {**RESULT, "status": "error", "error": {"code": "x"}}},
        {**WAITS, "awaits": None},
        DONE,
    ],
    ids=["held", "refused", "running elsewhere", "ended"],
)
def test_a_call_that_is_not_admitted_for_its_caller_runs_nothing(kind: str, operation: dict[str, Any]) -> None:
    permits = Permits(kind, operation)
    permits.perform(lambda _args, _context: pytest.fail("it ran"))
    assert permits.routes == ["tool-calls"]


def test_without_a_permit_nothing_runs(permits: Permits) -> None:
    permits.permit = None
    permits.perform(lambda _args, _context: pytest.fail("it ran"))
    assert permits.routes == ["tool-calls", "own", "op_1"]


def test_a_held_call_is_resumed_by_its_operation_alone(permits: Permits) -> None:
    async def program() -> Any:
        return await Program.value(permits.client.resume("op_1", lambda _args, _context: {"refund": "r"}))

    assert run(program).outcome == "ok"
    assert permits.routes == ["op_1", "own", "redemptions", "reports", "op_1"]


def test_a_decided_call_is_one_that_no_person_is_waited_for(permits: Permits) -> None:
    permits.operation = {**WAITS, "state": "held", "approval_id": "apr_1", "awaits": None}

    async def program() -> Any:
        held = await Program.value(permits.client.read_call("op_1"))
        permits.operation = WAITS
        return held, await Program.value(held.decided())

    held, decided = run(program)
    assert (held.outcome, decided.outcome, decided.awaits) == ("held", "running", "caller")


def test_redeem_and_report_are_sent_again_as_the_same_request_and_take_is_not(permits: Permits) -> None:
    lost = httpx.ReadError("broke off")
    permits.replies = {"redemptions": [lost], "reports": [lost, problem(503, "bus.unreachable", "same-key")]}
    permits.perform(lambda _args, _context: None)
    assert permits.routes == [
        "tool-calls",
        "own",
        "redemptions",
        "redemptions",
        "reports",
        "reports",
        "reports",
        "op_1",
    ]
    assert permits.asked[2] == permits.asked[3] and permits.asked[4] == permits.asked[5] == permits.asked[6]
    silent = Permits(permits.kind)
    silent.replies = {"own": [lost]}
    with pytest.raises(ConnectionError):
        silent.perform(lambda _args, _context: pytest.fail("it ran"))
    assert silent.routes == ["tool-calls", "own"]


def test_a_report_that_is_refused_is_an_error(permits: Permits) -> None:
    permits.replies = {"reports": [problem(409, "attempt.fenced", "never")]}
    with pytest.raises(ProblemError, match=r"attempt\.fenced"):
        permits.perform(lambda _args, _context: None)


def test_the_lease_is_renewed_while_the_function_runs_and_a_stopped_call_says_so(permits: Permits) -> None:
    def until(context: FunctionContext) -> bool:
        permits.is_stopped = permits.routes.count("renewals") > 2
        return context.is_stopped

    permits.perform(permits.during(until))
    assert permits.outcome == {"outcome": "succeeded", "result": "the call was stopped"}


def test_renewals_that_get_no_answer_are_made_again_and_the_function_learns_nothing(permits: Permits) -> None:
    lost = httpx.ReadError("broke off")
    permits.replies = {"renewals": [lost, problem(409, "attempt.fenced", "same-key"), lost]}
    permits.perform(permits.during(lambda _context: permits.routes.count("renewals") > 5))
    assert permits.outcome == {"outcome": "succeeded", "result": "None"}


@pytest.mark.parametrize(
    ("replies", "why"),
    [
        ([httpx.ReadError("broke off")] * 10_000, "the lease was lost: no renewal has succeeded in time"),
        ([problem(409, "attempt.fenced", "never")], "the lease was lost: the call is no longer ours"),
    ],
    ids=["no answer for a whole lease", "another attempt"],
)
def test_a_function_is_told_that_its_lease_is_lost(permits: Permits, replies: Any, why: str) -> None:
    permits.replies = {"renewals": list(replies)}
    began = time.monotonic()
    permits.perform(permits.during(lambda context: context.is_stopped))
    assert permits.outcome == {"outcome": "succeeded", "result": why}
    assert time.monotonic() - began >= (0.06 if "in time" in why else 0.02)


@pytest.mark.parametrize(
    ("raised", "outcome"),
    [
        (RuntimeError("it broke"), {"outcome": "unknown", "message": "it broke"}),
        (NoEffectError("gone"), {"outcome": "failed", "message": "gone"}),
        (RuntimeError(), {"outcome": "unknown", "message": "the function failed"}),
        (RuntimeError("x" * 5_000), {"outcome": "unknown", "message": "x" * 2_048}),
        (RuntimeError("\ud800"), {"outcome": "unknown", "message": "?"}),
    ],
    ids=["an error", "an error that says that nothing happened", "no message", "a long message", "no Unicode"],
)
def test_an_error_of_the_function_is_reported(permits: Permits, raised: Exception, outcome: dict[str, Any]) -> None:
    def fails(_args: Any, _context: Any) -> None:
        raise raised

    permits.perform(fails)
    assert permits.outcome == outcome


def test_a_result_that_is_no_json_may_have_taken_effect(permits: Permits) -> None:
    permits.perform(lambda _args, _context: {"at": object()})
    assert permits.outcome["outcome"] == "unknown" and "can't be sent as JSON" in permits.outcome["message"]


def test_the_end_of_a_program_is_reported_as_an_unknown_outcome_and_goes_on() -> None:
    permits = Permits("blocking")

    def interrupted(_args: Any, _context: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        permits.client.perform("billing.refund", {}, interrupted)
    assert permits.outcome == {"outcome": "unknown", "message": "the function failed"}


def test_a_cancelled_task_reports_an_unknown_outcome_and_stays_cancelled() -> None:
    permits = Permits("awaiting")

    async def waits(_args: Any, _context: Any) -> None:
        await anyio.sleep_forever()

    async def program() -> bool:
        with anyio.move_on_after(0.1) as scope:
            await permits.client.perform("billing.refund", {}, waits)
        return scope.cancelled_caught

    assert run(program)
    assert permits.outcome["outcome"] == "unknown"


def test_a_report_is_made_though_its_task_is_cancelled_meanwhile() -> None:
    import asyncio

    permits = Permits("awaiting")
    reports = 0

    async def handler(request: httpx.Request) -> httpx.Response:
        nonlocal reports
        if request.url.path.endswith("reports"):
            reports += 1
            if reports == 1:
                task.cancel()
                await asyncio.sleep(1)
        return permits._reply(request)

    permits.client._shell.http = httpx.AsyncClient(transport=httpx.MockTransport(handler))
    task: asyncio.Task[Any]

    async def program() -> None:
        nonlocal task
        task = asyncio.create_task(
            permits.client.perform("billing.refund", {}, lambda _args, _context: {"refund": "r"})
        )
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(program())
    assert permits.outcome == {"outcome": "succeeded", "result": {"refund": "r"}}


def test_a_function_of_the_client_that_awaits_may_be_plain() -> None:
    permits = Permits("awaiting")
    assert inspect.iscoroutinefunction(permits.client.perform)
    assert permits.perform(lambda args, _context: args).outcome == "ok"
    assert permits.outcome["result"] == {"cents": 4}
