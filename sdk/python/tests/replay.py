# SPDX-License-Identifier: Apache-2.0
"""Clients that get answers in their order, and programs that run with the client that blocks and with the other."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from typing import Any

import anyio
import httpx

from writ import AsyncClient, Client

URL = "http://writ.example"
Handler = Callable[[httpx.Request], httpx.Response]
#: Both clients: what a test says of one holds for the other.
KINDS = ["blocking", "awaiting"]


def client_of(kind: str, handler: Handler, api_key: str | None = "k", **more: Any) -> Client | AsyncClient:
    """A client whose requests a function answers, and that doesn't sleep."""
    transport = httpx.MockTransport(handler)
    if kind == "blocking":
        client = Client(URL, api_key, transport=transport, **more)
        client._shell._sleep = lambda _seconds: None
        return client

    async def sleep(_seconds: float) -> None:
        await anyio.sleep(0)

    other = AsyncClient(URL, api_key, transport=transport, **more)
    other._shell._sleep = sleep
    return other


class Program:
    """Runs a program that is written once, for the client that blocks and for the one that awaits."""

    @staticmethod
    async def value(given: Any) -> Any:
        return await given if inspect.isawaitable(given) else given

    @staticmethod
    async def items(given: Any, count: int | None = None) -> list[Any]:
        found: list[Any] = []
        if hasattr(given, "__aiter__"):
            iterator = given.__aiter__()
            try:
                while count is None or len(found) < count:
                    found.append(await iterator.__anext__())
            except StopAsyncIteration:
                pass
            await iterator.aclose()
            return found
        for item in given:
            found.append(item)
            if len(found) == count:
                break
        return found


def run(program: Callable[[], Any]) -> Any:
    return anyio.run(program)


def answer(body: Any = None, status: int = 200, **headers: str) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.Response(status, headers={"content-type": "application/json", **named}, content=json.dumps(body))


def problem(status: int, code: str, retry: str, **headers: str) -> httpx.Response:
    """A problem as the API answers it."""
    body = {"type": f"https://writ.dev/errors/{code}", "title": code, "status": status, "detail": "it failed"}
    content = json.dumps({**body, "code": code, "retry": retry, "instance": "urn:x"})
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.Response(status, headers={"content-type": "application/problem+json", **named}, content=content)
