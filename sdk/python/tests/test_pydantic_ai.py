# SPDX-License-Identifier: Apache-2.0
"""The adapter of Pydantic AI, with its real agent, a model in memory and a Writ in memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from governing import FakeWrit
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic import BaseModel
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ToolApproved
from pydantic_ai.capabilities import Instrumentation, PrefixTools
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.run import AgentRunResult
from replay import run

from writ.pydantic_ai import GovernedCapability, govern_tools

SPANS = InMemorySpanExporter()
REFUND = 'refund {"cents": 5}'


@pytest.fixture(scope="module", autouse=True)
def provider() -> None:
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(SPANS))
    trace.set_tracer_provider(provider)


@pytest.fixture
def spans() -> Iterator[InMemorySpanExporter]:
    SPANS.clear()
    yield SPANS


def model(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
    """Calls the tool that it is asked for, and repeats what it is told."""
    last = messages[-1].parts[-1]
    if isinstance(last, ToolReturnPart):
        return ModelResponse([TextPart(f"{last.outcome}: {last.model_response_str(wrap_if_error=False)}")])
    assert isinstance(last, UserPromptPart) and isinstance(last.content, str)
    calls = [line.split(" ", 1) for line in last.content.splitlines()]
    return ModelResponse(
        [ToolCallPart(name, args, tool_call_id=f"call_{at}") for at, (name, args) in enumerate(calls, 1)]
    )


class Conversation:
    """An agent with governed tools, and what it does."""

    def __init__(self, writ: FakeWrit, *more: Any, **options: Any) -> None:
        self.governed = govern_tools(writ.client, writ.tools(), **options)
        self.agent: Agent[None, Any] = Agent(
            FunctionModel(model), capabilities=[self.governed, *more], output_type=[str, DeferredToolRequests]
        )

    def ask(self, prompt: str = REFUND) -> AgentRunResult[Any]:
        result: AgentRunResult[Any] = run(lambda: self.agent.run(prompt))
        return result

    def resume(self, held: AgentRunResult[Any], approval: Any = True) -> Any:
        """Goes on from what a program can keep, as another process does."""
        results = DeferredToolResults(approvals=dict.fromkeys(self.governed.operations_of(held.output), approval))
        return run(
            lambda: self.agent.run(message_history=held.all_messages(), deferred_tool_results=results)
        ).output


def test_an_admitted_call_runs_once_with_the_frameworks_id_as_its_key() -> None:
    writ = FakeWrit()
    assert Conversation(writ, scope="thread-1").ask().output == 'success: {"refunded":5}'
    assert (writ.ran, writ.keys) == ([{"cents": 5}], ["adapter:thread-1:call_1"])


@pytest.mark.parametrize(("state", "outcome"), [("refused", "denied"), ("failed", "failed"), ("gone", "denied")])
def test_a_call_without_a_result_is_the_frameworks_denial_or_failure(state: str, outcome: str) -> None:
    writ = FakeWrit(state)
    assert Conversation(writ).ask().output.startswith(f"{outcome}: The call ")
    assert writ.ran == []


def test_a_held_call_pauses_the_run_until_writ_admits_it_whatever_the_framework_says() -> None:
    writ = FakeWrit("held")
    conversation = Conversation(writ)
    held = conversation.ask()
    assert conversation.governed.operations_of(held.output) == {"call_1": "op_1"}
    # The framework is told that the call is approved. Writ was not.
    assert isinstance(conversation.resume(held), DeferredToolRequests)
    assert writ.ran == []
    writ.state = "refused"
    assert conversation.resume(held).startswith("denied: The call was refused")
    writ.state = "admitted"
    assert conversation.resume(held) == 'success: {"refunded":5}'
    assert (writ.ran, set(writ.keys)) == ([{"cents": 5}], {"adapter:call_1"})


def test_arguments_that_are_changed_with_the_approval_are_asked_about_under_the_same_key() -> None:
    writ = FakeWrit("held")
    conversation = Conversation(writ)
    conversation.resume(conversation.ask(), ToolApproved(override_args={"cents": 9}))
    assert [(body["args"], key) for (body, _), key in zip(writ.proposals, writ.keys, strict=True)] == [
        ({"cents": 5}, "adapter:call_1"),
        ({"cents": 9}, "adapter:call_1"),
    ]
    assert writ.ran == []


def test_each_call_of_one_reply_is_decided_by_itself() -> None:
    writ = FakeWrit("held")
    conversation = Conversation(writ)
    held = conversation.ask(f"{REFUND}\n{REFUND}")
    assert set(conversation.governed.operations_of(held.output)) == {"call_1", "call_2"}
    assert sorted(writ.keys) == ["adapter:call_1", "adapter:call_2"]


def test_every_other_function_tool_of_the_agent_is_denied() -> None:
    writ = FakeWrit()
    conversation = Conversation(writ)

    @conversation.agent.tool_plain
    def other() -> str:
        raise AssertionError("it ran")

    assert conversation.ask("other {}").output.startswith("denied: The tool `other` is not one of those that Writ")
    assert writ.routes == []


def test_a_tool_under_another_name_for_the_model_is_governed_as_before() -> None:
    writ = FakeWrit()
    prefixed: PrefixTools[Any] = PrefixTools(govern_tools(writ.client, writ.tools()), prefix="shop")
    agent: Agent[None, str] = Agent(FunctionModel(model), capabilities=[prefixed])
    assert run(lambda: agent.run("shop_" + REFUND)).output == 'success: {"refunded":5}'
    assert writ.ran == [{"cents": 5}]


def test_an_output_of_the_agent_is_no_call() -> None:
    class Answer(BaseModel):
        cents: int

    governed = GovernedCapability(Conversation(FakeWrit()).governed.core)
    agent: Agent[None, Answer] = Agent(FunctionModel(model), capabilities=[governed], output_type=Answer)
    assert run(lambda: agent.run('final_result {"cents": 5}')).output == Answer(cents=5)


def test_arguments_that_are_no_object_are_asked_for_again_without_a_question() -> None:
    writ = FakeWrit()
    assert Conversation(writ).ask("refund [1]").output.startswith("retried: ")
    assert writ.routes == []


def test_a_call_has_a_span_whose_trace_writ_joins(spans: InMemorySpanExporter) -> None:
    writ = FakeWrit()
    Conversation(writ).ask()
    [span] = spans.get_finished_spans()
    assert span.name == "execute_tool refund"
    assert dict(span.attributes or {}) == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "refund",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": "call_1",
        "writ.tool_id": "billing.refund",
        "writ.outcome": "ok",
        "writ.operation_id": "op_1",
    }
    assert_joined(span, writ)


def test_an_instrumented_agent_has_one_span_of_a_call_with_what_writ_says(spans: InMemorySpanExporter) -> None:
    writ = FakeWrit("refused")
    Conversation(writ, Instrumentation()).ask()
    [span] = [span for span in spans.get_finished_spans() if span.name.startswith("execute_tool")]
    attributes = span.attributes or {}
    assert attributes["writ.outcome"] == "denied" and attributes["error.type"] == "policy.denied"
    assert span.status.status_code is trace.StatusCode.ERROR
    assert_joined(span, writ)


def assert_joined(span: ReadableSpan, writ: FakeWrit) -> None:
    assert span.context is not None
    [(_, headers)] = writ.proposals
    assert headers["traceparent"].startswith(f"00-{span.context.trace_id:032x}-{span.context.span_id:016x}-")


def test_what_a_program_keeps_of_a_held_call_is_json() -> None:
    held = Conversation(FakeWrit("held")).ask()
    assert json.loads(held.all_messages_json())
