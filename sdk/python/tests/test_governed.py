# SPDX-License-Identifier: Apache-2.0
"""The core of adapters: what it proposes, when a function runs, and what a model is told."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from governing import PARAMETERS, FakeWrit
from replay import run

from writ import FunctionContext, GovernedTool, TimeoutError, declarations_of
from writ._governed import Answer, Denied, Done, FrameworkCall, Governed, Held

CALL = FrameworkCall("refund", {"cents": 5}, "call_1", {"traceparent": "00-1-2-01"})


def asked(writ: FakeWrit, call: FrameworkCall = CALL, tools: Any = None, **more: Any) -> Answer:
    """The answer to a call."""
    core = Governed(writ.client, writ.tools() if tools is None else tools, **more)
    made: Answer = run(lambda: core.run(call))
    return made


def test_a_call_is_proposed_with_the_frameworks_id_as_its_key_and_runs_once() -> None:
    writ = FakeWrit()
    fields = {"capability_token_id": "cap_1", "max_autonomy": None}
    assert asked(writ, fields=fields, scope="thread-1") == Done("op_1", {"refunded": 5})
    assert writ.ran == [{"cents": 5}]
    [(body, headers)] = writ.proposals
    assert body == {"capability_token_id": "cap_1", "tool_id": "billing.refund", "args": {"cents": 5}}
    assert headers["idempotency-key"] == "adapter:thread-1:call_1"
    assert headers["traceparent"] == "00-1-2-01"


def test_a_call_that_ran_before_gives_its_result_and_runs_nothing() -> None:
    writ = FakeWrit()
    assert asked(writ) == asked(writ)
    assert writ.ran == [{"cents": 5}]
    assert writ.keys == ["adapter:call_1", "adapter:call_1"]


@pytest.mark.parametrize(
    ("name", "call_id", "code"),
    [
        ("delete_all", "call_1", "tool.unlisted"),
        ("refund", None, "call.unnamed"),
        ("refund", "", "call.unnamed"),
        ("refund", "call 1", "call.unnamed"),
        ("refund", "call_1\n", "call.unnamed"),
        ("refund", "c" * 300, "call.unnamed"),
    ],
    ids=["unlisted", "no id", "an empty id", "an id that is no key", "an id with a line break", "a long id"],
)
def test_a_call_that_can_not_be_named_is_denied_without_a_question(name: str, call_id: str | None, code: str) -> None:
    writ = FakeWrit()
    made = asked(writ, FrameworkCall(name, {"cents": 5}, call_id))
    assert isinstance(made, Denied) and (made.code, made.may_have_run) == (code, False)
    assert (writ.routes, writ.ran) == ([], [])


def test_a_held_call_runs_nothing_and_names_its_operation() -> None:
    writ = FakeWrit("held")
    assert asked(writ) == Held("op_1", "apr_1")
    assert writ.ran == []


@pytest.mark.parametrize(
    ("state", "may_have_run", "text"),
    [
        ("refused", False, "The call was refused and did not run [policy.denied]: not today. ask Ann. (operation "),
        ("failed", True, "The call failed [policy.denied]: not today. ask Ann. (operation op_1)"),
        ("ambiguous", True, "It is not known whether the call took effect. Do not repeat it [effect.ambiguous]"),
        ("gone", False, "The call did not run here: "),
    ],
)
def test_a_model_is_told_why_a_call_has_no_result(state: str, may_have_run: bool, text: str) -> None:
    writ = FakeWrit(state)
    made = asked(writ)
    assert isinstance(made, Denied) and made.text.startswith(text)
    assert (made.may_have_run, writ.ran) == (may_have_run, [])


def test_an_error_after_the_function_began_says_that_nobody_knows() -> None:
    writ = FakeWrit()
    writ.loses_reports = True
    made = asked(writ)
    assert isinstance(made, Denied) and made.may_have_run
    assert (made.code, writ.ran) == ("attempt.fenced", [{"cents": 5}])
    assert made.text.startswith("It is not known whether the call took effect. Do not repeat it: ")


def test_a_function_that_raises_makes_its_call_ambiguous() -> None:
    def fails(_args: Any, _context: FunctionContext) -> None:
        raise RuntimeError("the line broke")

    writ = FakeWrit()
    made = asked(writ, tools=writ.tools(fails))
    assert isinstance(made, Denied) and (made.code, made.may_have_run) == ("effect.ambiguous", True)


def test_a_plain_function_runs_in_a_thread_and_a_coroutine_function_in_the_loop() -> None:
    def plain(_args: Any, _context: FunctionContext) -> bool:
        return threading.current_thread() is threading.main_thread()

    async def awaited(_args: Any, _context: FunctionContext) -> bool:
        return threading.current_thread() is threading.main_thread()

    made = [asked(writ, tools=writ.tools(one)) for one in (plain, awaited) for writ in [FakeWrit()]]
    assert made == [Done("op_1", False), Done("op_1", True)]


def test_a_wait_for_a_decision_ends_with_it_or_by_its_timeout() -> None:
    writ = FakeWrit()
    core = Governed(writ.client, {})
    run(lambda: core.until_decided("op_1"))
    writ.state = "held"
    with pytest.raises(TimeoutError):
        run(lambda: core.until_decided("op_1", timeout=0.01))


def test_declarations_name_functions_that_their_caller_runs() -> None:
    tools = FakeWrit().tools()
    declared = {"name": "billing.refund", "description": "Refunds.", "mode": "caller", "parameters": PARAMETERS}
    assert declarations_of(tools) == [{**declared, "category": "write"}]
    read = GovernedTool("billing.look", "Looks.", PARAMETERS, tools["refund"].run, {"type": "string"}, "read")
    more = {"name": "billing.look", "description": "Looks.", "category": "read", "result": {"type": "string"}}
    assert declarations_of({"look": read}) == [{**declared, **more}]
