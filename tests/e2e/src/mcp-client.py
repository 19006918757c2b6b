# SPDX-License-Identifier: Apache-2.0
# The official Python client of MCP, unmodified: `mcp-client.py URL MODE`, with the key in WRIT_API_KEY. Each line of
# standard input is a call `{"tool", "arguments"}` or a read `{"uri"}`; its result is a line of standard output.
import asyncio
import json
import os
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitResult


async def accept(_context, params):
    """A user who accepts everything."""
    print(json.dumps({"asked": params.message}), flush=True)
    return ElicitResult(action="accept", content={"approve": True})


async def main(url: str, mode: str) -> None:
    headers = {"Authorization": f"Bearer {os.environ['WRIT_API_KEY']}"}
    async with httpx2.AsyncClient(headers=headers, timeout=90) as http:
        transport = streamable_http_client(url, http_client=http)
        async with Client(transport, mode=mode, elicitation_callback=accept) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            print(json.dumps({"revision": client.protocol_version, "tools": tools}), flush=True)
            for line in sys.stdin:
                asked = json.loads(line)
                if "uri" in asked:
                    got = await client.read_resource(asked["uri"])
                else:
                    got = await client.call_tool(asked["tool"], asked["arguments"])
                print(got.model_dump_json(by_alias=True), flush=True)


asyncio.run(main(*sys.argv[1:]))
