# SPDX-License-Identifier: Apache-2.0
"""Pydantic AI: `python main.py 'refund 500'`, and `python main.py --resume` after a held call."""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ModelMessagesTypeAdapter
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from writ import AsyncClient, FunctionContext, GovernedTool
from writ.pydantic_ai import govern_tools

PROMPT = sys.argv[1] if len(sys.argv) > 1 else "refund 500"
STATE = Path("state.json")


def schema_of(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object", "properties": properties, "required": [*properties], "additionalProperties": False,
    }  # fmt: skip


def note(line: str) -> None:
    with Path("refunds.txt").open("a") as file:
        file.write(f"{line}\n")


def refund(args: dict[str, Any], _context: FunctionContext) -> dict[str, Any]:
    note(args["cents"])
    return {"refunded": args["cents"]}


async def close_account(args: dict[str, Any], _context: FunctionContext) -> dict[str, Any]:
    note(f"closed {args['customer']}")
    return {"closed": args["customer"]}


#: Your functions, by the names that the model calls them by.
TOOLS = {
    "refund": GovernedTool(
        "billing.refund", "Refunds a customer.", schema_of(cents={"type": "integer", "minimum": 1}), refund
    ),
    "close_account": GovernedTool(
        "billing.close", "Closes a customer's account.", schema_of(customer={"type": "string"}), close_account
    ),
}


async def main() -> None:
    async with AsyncClient(os.environ["WRIT_URL"], os.environ["WRIT_AGENT_KEY"]) as writ:
        # `WRIT_TOKEN` names a capability token of several. `WRIT_MAX_AUTONOMY=soft_gate` holds each call for a person.
        fields = {
            "capability_token_id": os.environ.get("WRIT_TOKEN"),
            "max_autonomy": os.environ.get("WRIT_MAX_AUTONOMY"),
        }
        governed = govern_tools(writ, TOOLS, fields=fields)
        model = OpenAIChatModel("local", provider=OpenAIProvider(base_url=os.environ["MODEL_URL"], api_key="local"))
        agent = Agent(model, capabilities=[governed], output_type=[str, DeferredToolRequests])
        if PROMPT != "--resume":
            result = await agent.run(PROMPT)
        else:
            kept = json.loads(STATE.read_text())
            for operation in kept["held"].values():
                await governed.until_decided(operation)
            # This approves nothing: it makes the agent run the tool, which asks Writ again.
            approvals: dict[str, bool] = dict.fromkeys(kept["held"], True)
            result = await agent.run(
                message_history=ModelMessagesTypeAdapter.validate_json(kept["messages"]),
                deferred_tool_results=DeferredToolResults(approvals={**approvals}),
            )
        if isinstance(result.output, DeferredToolRequests):
            held = governed.operations_of(result.output)
            STATE.write_text(json.dumps({"messages": result.all_messages_json().decode(), "held": held}))
            print(json.dumps({"held": next(iter(held.values()))}))
        else:
            print(json.dumps({"text": result.output}))


asyncio.run(main())
