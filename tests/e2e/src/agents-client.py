# SPDX-License-Identifier: Apache-2.0
# An agent of the OpenAI Agents SDK with its own MCP client, unmodified: `agents-client.py URL`, with the key in
# WRIT_API_KEY. Its model is this program's caller. Each turn of it is a line of standard output with the names of the
# tools and what the model got last; a line of standard input is the model's answer, `{"tool", "arguments"}` or
# `{"text"}`.
import asyncio
import json
import os
import sys

from agents import Agent, Model, ModelResponse, Runner, Usage, set_tracing_disabled
from agents.mcp import MCPServerStreamableHttp
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText


class Caller(Model):
    """A model whose answers come from the caller."""

    turn = 0

    async def get_response(self, system_instructions, input, model_settings, tools, *_, **__):
        last = input[-1].get("output") if isinstance(input, list) else None
        print(json.dumps({"tools": [tool.name for tool in tools], "last": last}), flush=True)
        answer = json.loads(await asyncio.to_thread(sys.stdin.readline))
        self.turn += 1
        if "text" in answer:
            text = ResponseOutputText(type="output_text", text=answer["text"], annotations=[])
            output = ResponseOutputMessage(
                id=f"m{self.turn}", type="message", role="assistant", status="completed", content=[text]
            )
        else:
            output = ResponseFunctionToolCall(
                type="function_call",
                call_id=f"c{self.turn}",
                name=answer["tool"],
                arguments=json.dumps(answer["arguments"]),
            )
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    def stream_response(self, *_, **__):
        raise NotImplementedError


async def main(url: str) -> None:
    # Traces would go to the maker of the SDK.
    set_tracing_disabled(True)
    headers = {"Authorization": f"Bearer {os.environ['WRIT_API_KEY']}"}
    params = {"url": url, "headers": headers, "timeout": 90}
    options = {"client_session_timeout_seconds": 90, "use_structured_content": True}
    async with MCPServerStreamableHttp(params, **options) as server:
        agent = Agent(name="fixer", model=Caller(), mcp_servers=[server])
        result = await Runner.run(agent, "do it")
        print(json.dumps({"final": result.final_output}), flush=True)


asyncio.run(main(sys.argv[1]))
