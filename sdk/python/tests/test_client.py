# SPDX-License-Identifier: Apache-2.0
"""Requests, retries and calls, each by the client that blocks and by the one that awaits."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from pydantic import TypeAdapter, ValidationError
from replay import KINDS, Program, answer, client_of, problem, run

from writ import (
    CallFailedError,
    CallRefusedError,
    Client,
    ConnectionError,
    Expected,
    ProblemError,
    RequestOptions,
    TimeoutError,
    UsageError,
    WritError,
    models,
)
from writ._model import plain

Reply = httpx.Response | Exception
RESULT: dict[str, Any] = {"operation_id": "op_1", "status": "ok", "tx_outcome": "no_op", "error": None}
OK = {**RESULT, "result": {"text": "one"}}
FAILED = {**RESULT, "status": "error", "result": None, "error": {"code": "token.scope", "message": "no", "hint": "ask"}}


def operation(state: str = "held", result: Any = None) -> dict[str, Any]:
    return {"operation_id": "op_1", "state": state, "approval_id": "apr_1", "result": result}


class Server:
    """Answers one request after another as a test says, and keeps what arrived."""

    def __init__(self, kind: str, *replies: Reply, **more: Any) -> None:
        self.replies = list(replies)
        self.arrived: list[httpx.Request] = []
        self.client: Any = client_of(kind, self._reply, **more)

    def _reply(self, request: httpx.Request) -> httpx.Response:
        request.read()
        self.arrived.append(request)
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        # A new one: the same may be sent twice.
        return httpx.Response(reply.status_code, headers=reply.headers, content=reply.content)

    def run(self, program: Callable[[Any], Any]) -> Any:
        async def awaited() -> Any:
            return await Program.value(program(self.client))

        return run(awaited)


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_a_request_has_the_key_of_the_client_whatever_headers_say(kind: str) -> None:
    server = Server(kind, answer({"agent_id": "a", "name": "n"}), headers={"Authorization": "Bearer other", "x-a": "1"})
    options = RequestOptions(headers={"AUTHORIZATION": "Bearer third", "traceparent": "x"})
    made = server.run(lambda client: client.agents.create({"name": "n"}, options=options))
    assert isinstance(made, models.Agent) and made.agent_id == "a"
    [request] = server.arrived
    assert request.headers.get_list("authorization") == ["Bearer k"]
    assert (request.headers["x-a"], request.headers["traceparent"]) == ("1", "x")
    assert (request.method, request.url.path, request.content) == ("POST", "/v1/agents", b'{"name":"n"}')


def test_without_a_key_a_request_has_no_authorization(kind: str) -> None:
    server = Server(kind, answer({}), api_key=None)
    server.run(lambda client: client.agents.get("agt_1"))
    assert "authorization" not in server.arrived[0].headers


@pytest.mark.parametrize("url, key", [(None, "k"), ("http://writ", ""), ("http://writ", "k\n"), ("http://writ", "ü")])
def test_a_missing_setting_is_an_error_at_once(url: str | None, key: str) -> None:
    with pytest.raises(UsageError, match=r"`url` is missing|`api_key` (is empty|has a blank)"):
        Client(url, key)


def test_a_request_that_did_nothing_is_repeated_as_it_is(kind: str) -> None:
    limited = problem(429, "rate.limited", "later", retry_after="2")
    server = Server(kind, limited, problem(503, "overloaded", "later"), answer({}))
    server.run(lambda client: client.agents.create({"name": "n"}))
    assert len({(one.url, one.content, tuple(one.headers.items())) for one in server.arrived}) == 1
    assert len(server.arrived) == 3


@pytest.mark.parametrize(
    "failed",
    [problem(504, "deadline", "same-key"), httpx.Response(502, text="<html>"), httpx.ReadError("broke off")],
    ids=["same-key", "a proxy's 502", "no answer"],
)
def test_a_request_that_may_have_happened_is_repeated_with_its_key_and_never_without(kind: str, failed: Reply) -> None:
    keyed = Server(kind, failed, answer(OK))
    assert keyed.run(lambda client: client.call("fs.write")).outcome == "ok"
    assert len({one.headers["idempotency-key"] for one in keyed.arrived}) == 1 and len(keyed.arrived) == 2
    bare = Server(kind, failed, answer({}))
    with pytest.raises((ProblemError, ConnectionError)):
        bare.run(lambda client: client.agents.create({"name": "n"}))
    assert len(bare.arrived) == 1


@pytest.mark.parametrize(
    ("replies", "retry"),
    [
        ([problem(503, "overloaded", "later")] * 2, "later"),
        ([problem(504, "deadline", "same-key"), problem(503, "overloaded", "later")], "same-key"),
        ([httpx.ReadError("broke off"), problem(503, "overloaded", "later")], "same-key"),
        ([problem(503, "overloaded", "later"), httpx.Response(502, text="<html>")], "same-key"),
        ([httpx.ReadError("broke off"), problem(409, "conflict", "never")], "never"),
    ],
)
def test_an_error_never_says_that_nothing_happened_where_an_attempt_may_have(
    kind: str, replies: list[Reply], retry: str
) -> None:
    with pytest.raises(ProblemError) as caught:
        Server(kind, *replies).run(lambda client: client.call("fs.write", options=RequestOptions(retries=1)))
    assert caught.value.retry == retry
    if isinstance(replies[0], httpx.Response):
        # To read is to change nothing.
        with pytest.raises(ProblemError) as caught:
            Server(kind, *replies).run(lambda client: client.agents.get("a", options=RequestOptions(retries=1)))
        assert caught.value.retry == ("never" if caught.value.problem is None else caught.value.problem["retry"])


def test_what_was_sent_is_kept_with_a_call_for_its_receipt(kind: str) -> None:
    fields = {"capability_token_id": "cap_1", "dry_run": True}
    server = Server(kind, answer(operation(), 202), answer(operation("committed", OK)))

    async def program() -> Any:
        call = await Program.value(server.client.call("fs.write", fields=fields))
        return await Program.value(call.settled())

    assert run(program).sent == Expected(tool_id="fs.write", capability_token_id="cap_1")


def test_a_problem_is_raised_with_its_code_its_place_and_its_operation(kind: str) -> None:
    server = Server(kind, problem(409, "conflict", "never", writ_operation_id="op_1"))
    with pytest.raises(ProblemError) as caught:
        server.run(lambda client: client.agents.create({"name": "n"}))
    error = caught.value
    assert (error.status, error.code, error.retry, error.operation_id) == (409, "conflict", "never", "op_1")
    assert str(error) == "it failed [conflict] (POST /v1/agents)"


def test_no_answer_names_the_operation_that_an_attempt_learned(kind: str) -> None:
    server = Server(kind, problem(504, "deadline", "same-key", writ_operation_id="op_1"), httpx.ConnectError("no"))
    with pytest.raises(ConnectionError) as caught:
        server.run(lambda client: client.call("fs.read", options=RequestOptions(retries=1)))
    assert caught.value.operation_id == "op_1"
    assert str(caught.value) == "http://writ.example does not answer (POST /v1/tool-calls)"


def test_the_key_follows_no_redirect(kind: str) -> None:
    server = Server(kind, httpx.Response(307, headers={"location": "http://other/v1/agents/agt_1"}), answer({}))
    with pytest.raises(ProblemError, match="redirect"):
        server.run(lambda client: client.agents.get("agt_1"))
    assert [one.url.host for one in server.arrived] == ["writ.example"]


def test_a_time_limit_ends_all_attempts(kind: str) -> None:
    server = Server(kind, *[problem(503, "overloaded", "later", retry_after="9")] * 9)
    with pytest.raises(ProblemError, match="overloaded"):
        server.run(lambda client: client.agents.get("agt_1", options=RequestOptions(timeout=5)))
    with pytest.raises(TimeoutError):
        server.run(lambda client: client.agents.get("agt_1", options=RequestOptions(timeout=0)))
    assert len(server.arrived) == 1


def test_an_answer_that_is_no_json_is_an_error_of_the_client(kind: str) -> None:
    server = Server(kind, httpx.Response(200, text="<html>"), httpx.Response(200, text="<html>"))
    with pytest.raises(WritError, match="no JSON"):
        server.run(lambda client: client.agents.get("agt_1"))
    with pytest.raises(WritError, match="no JSON"):
        server.run(lambda client: client.call("fs.read"))


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, "\ud800"])
def test_what_json_does_not_have_is_refused_before_anything_is_sent(kind: str, value: Any) -> None:
    server = Server(kind)
    with pytest.raises(UsageError, match="can't be sent as JSON"):
        server.run(lambda client: client.call("fs.read", {"path": value}))
    assert server.arrived == []


def test_an_id_that_would_lead_to_another_route_is_refused_before_anything_is_sent(kind: str) -> None:
    server = Server(kind, answer({}))
    with pytest.raises(UsageError):
        server.run(lambda client: client.workspaces.download_file("wsp_1", "../../tenants"))
    assert server.arrived == []
    server.run(lambda client: client.agents.get("../tenants"))
    assert server.arrived[0].url.raw_path == b"/v1/agents/..%2Ftenants"


def test_bytes_are_sent_and_read_as_they_are(kind: str) -> None:
    server = Server(kind, answer({}), httpx.Response(200, content=b"file", headers={"etag": '"e"'}))

    async def program() -> tuple[str | None, bytes]:
        await Program.value(server.client.workspaces.upload_file("wsp_1", "src/ü.txt", b"one"))
        download = await Program.value(server.client.workspaces.download_file("wsp_1", "a.txt"))
        return download.header("ETag"), await Program.value(download.read())

    assert run(program) == ('"e"', b"file")
    assert server.arrived[0].url.raw_path == b"/v1/workspaces/wsp_1/files/src/%C3%BC.txt"
    assert (server.arrived[0].content, server.arrived[0].headers["content-type"]) == (
        b"one",
        "application/octet-stream",
    )


def test_a_list_is_a_page_or_all_items(kind: str) -> None:
    pages = [
        answer({"items": [{"agent_id": one, "name": "n"}], "next_cursor": cursor})
        for one, cursor in (("a", "n"), ("b", None), ("a", "n"))
    ]
    server = Server(kind, *pages)

    async def program() -> tuple[list[str], Any]:
        agents = server.client.agents.list(limit=1)
        return [one.agent_id for one in await Program.items(agents)], await Program.value(agents.page())

    ids, page = run(program)
    assert (ids, page.next_cursor, page.items[0].agent_id) == (["a", "b"], "n", "a")
    assert [str(one.url.query, "ascii") for one in server.arrived] == ["limit=1", "limit=1&cursor=n", "limit=1"]


def test_what_a_newer_server_says_is_no_error(kind: str) -> None:
    key = {"api_key_id": "key_1", "role": "a new role", "new_member": 1}
    listed = {"items": [key], "next_cursor": None}
    [found] = run(lambda: Program.items(Server(kind, answer(listed)).client.api_keys.list()))
    assert (found["role"] if isinstance(found, dict) else found.role) == "a new role"
    agent = Server(kind, answer({"agent_id": 5, "new_member": 1})).run(lambda client: client.agents.get("agt_1"))
    assert (agent.agent_id, agent.new_member) == (5, 1)


@pytest.mark.parametrize(("value", "is_one"), [("refused", True), ("a new one", True), (5, False)])
def test_one_of_several_texts_may_be_a_new_one_and_is_always_a_text(value: Any, is_one: bool) -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(models.Verdict)
    if is_one:
        assert adapter.validate_python(value) == value
    else:
        with pytest.raises(ValidationError):
            adapter.validate_python(value)


def test_a_model_is_sent_by_the_names_of_the_api_and_without_what_was_not_set(kind: str) -> None:
    server = Server(kind, answer({}))
    server.run(lambda client: client.agents.create(models.NewName(name="n")))
    assert json.loads(server.arrived[0].content) == {"name": "n"}
    assert plain([models.ApproveRequest(comment="x")]) == [{"comment": "x"}]
    read = models.Usage.model_validate({"from": 1, "to": 2, "by": "day", "items": []})
    assert (read.from_, plain(read)["from"]) == (1, 1)


def test_a_route_that_takes_a_key_gets_a_new_one_for_each_request_unless_it_is_given(kind: str) -> None:
    lost = httpx.ReadError("broke off")
    server = Server(kind, lost, answer({}), answer({}), answer({}), answer({}))
    mine = RequestOptions(idempotency_key="mine")

    async def program() -> None:
        for body, options in (({}, None), ({}, None), ({}, mine), ({"idempotency_key": "in the body"}, None)):
            await Program.value(server.client.jobs.run("job_1", body, options=options))

    run(program)
    keys = [
        (one.headers.get("idempotency-key"), json.loads(one.content).get("idempotency_key")) for one in server.arrived
    ]
    found = [header or body for header, body in keys]
    assert found[0] == found[1] != found[2]
    assert all(str(one).startswith("client:") for one in found[:3])
    assert found[3:] == ["mine", "in the body"]


def test_a_call_that_succeeds_has_its_result_and_a_new_key(kind: str) -> None:
    server = Server(kind, answer(OK), answer(OK, idempotent_replayed="true"))

    async def program() -> list[Any]:
        calls = [await Program.value(server.client.call("fs.read", {"path": "a"})) for _ in range(2)]
        return [(one.outcome, one.operation_id, one.replayed, await Program.value(one.result())) for one in calls]

    assert run(program) == [("ok", "op_1", False, {"text": "one"}), ("ok", "op_1", True, {"text": "one"})]
    first, second = server.arrived
    assert first.url.raw_path == b"/v1/tool-calls?wait=30000"
    assert json.loads(first.content) == {"tool_id": "fs.read", "args": {"path": "a"}}
    assert re.fullmatch(r"client:[0-9a-f-]{36}", first.headers["idempotency-key"])
    assert second.headers["idempotency-key"] != first.headers["idempotency-key"]


@pytest.mark.parametrize("outcome", ["refused", "failed"])
def test_an_error_is_refused_or_failed_as_the_header_says(kind: str, outcome: str) -> None:
    server = Server(kind, answer(FAILED, writ_outcome=outcome))
    call = server.run(lambda client: client.call("fs.read"))
    assert (call.outcome, call.code, call.hint) == (outcome, "token.scope", "ask")
    assert len(server.arrived) == 1


@pytest.mark.parametrize(
    ("state", "outcome", "error"),
    [("refused", "refused", CallRefusedError), ("rolled_back", "failed", CallFailedError)],
)
def test_an_error_is_told_by_its_operation_otherwise(kind: str, state: str, outcome: str, error: type) -> None:
    server = Server(kind, answer(FAILED), answer(operation(state, FAILED)))
    call = server.run(lambda client: client.call("fs.read"))
    assert (call.outcome, call.code) == (outcome, "token.scope")
    with pytest.raises(error, match=r"no \[token.scope\]: ask") as caught:
        run(lambda: Program.value(call.result()))
    assert (caught.value.code, caught.value.operation_id) == ("token.scope", "op_1")  # type: ignore[attr-defined]


def test_a_call_that_nobody_knows_the_effect_of_has_the_code_of_that(kind: str) -> None:
    call = Server(kind, answer(operation("ambiguous"), 202)).run(lambda client: client.call("fs.read"))
    assert (call.outcome, call.code) == ("failed", "effect.ambiguous")


def test_a_held_call_waits_for_its_end_and_says_why_it_was_denied(kind: str) -> None:
    ends = [answer(operation()), answer(operation("performing")), answer(operation("committed", OK))]
    server = Server(kind, answer(operation(), 202), *ends, answer(operation("refused", FAILED)))
    call = server.run(lambda client: client.call("shell.run"))
    assert (call.outcome, call.approval_id) == ("held", "apr_1")
    assert run(lambda: Program.value(call.result())) == {"text": "one"}
    with pytest.raises(CallRefusedError, match=r"token\.scope"):
        run(lambda: Program.value(call.result()))
    assert all(one.url.raw_path == b"/v1/operations/op_1?wait=25000" for one in server.arrived[1:])
    with pytest.raises(TimeoutError, match="has not ended"):
        run(lambda: Program.value(call.settled(timeout=0)))


def test_what_an_answer_of_an_unknown_shape_says_of_a_call_is_not_lost(kind: str) -> None:
    call = Server(kind, answer({**OK, "risk_score": "high"})).run(lambda client: client.call("fs.read"))
    assert run(lambda: Program.value(call.result())) == {"text": "one"}
