# SPDX-License-Identifier: Apache-2.0
"""Events that are followed over several connections, and approvals as they come."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import anyio
import pytest
from replay import KINDS, Program, run

from writ import AsyncClient, Client, ConnectionError


def sent(event: str, data: Any, id: int | None = None) -> bytes:
    first = "" if id is None else f"id: {id}\n"
    return f"{first}event: {event}\ndata: {json.dumps(data)}\n\n".encode()


class Api:
    """A real server: connections with events, and a list of approvals."""

    def __init__(self) -> None:
        #: what each connection sends, in their order; `break` breaks it off, and `stay` leaves it open
        self.connections: list[list[bytes | str]] = []
        self.waiting: list[dict[str, Any]] = []
        self.resumed: list[str | None] = []
        self.lists = 0
        self.decided: list[Any] = []
        api = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *args: Any) -> None:
                pass

            def do_GET(self) -> None:
                api.list(self) if self.path.startswith("/v1/approvals") else api.stream(self)

            def do_POST(self) -> None:
                api.decided.append((self.path, json.loads(self.rfile.read(int(self.headers["content-length"])))))
                api.json(self, {})

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def json(self, handler: BaseHTTPRequestHandler, body: Any) -> None:
        content = json.dumps(body).encode()
        handler.send_response(200)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    def list(self, handler: BaseHTTPRequestHandler) -> None:
        self.lists += 1
        self.json(handler, {"items": list(self.waiting), "next_cursor": None})

    def stream(self, handler: BaseHTTPRequestHandler) -> None:
        self.resumed.append(handler.headers["last-event-id"])
        if not self.connections:
            handler.send_error(404)
            return
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream")
        handler.send_header("transfer-encoding", "chunked")
        handler.end_headers()
        for part in self.connections.pop(0):
            if part == "break":
                handler.close_connection = True
                return
            while part == "stay" and not handler.wfile.closed:
                time.sleep(0.01)
                part = "" if self.waiting_for is not None and self.waiting_for() else part
            if isinstance(part, bytes):
                handler.wfile.write(f"{len(part):x}\r\n".encode() + part + b"\r\n")
                handler.wfile.flush()
        handler.wfile.write(b"0\r\n\r\n")

    waiting_for: Any = None


@pytest.fixture
def api() -> Iterator[Api]:
    made = Api()
    yield made
    made.waiting_for = lambda: True
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture(params=KINDS)
def client(request: pytest.FixtureRequest, api: Api) -> Any:
    """A client that waits a thousandth of each pause: what is tested is what happens, and not when."""
    if request.param == "blocking":
        blocking = Client(api.url, "k")
        blocking._shell._sleep = lambda seconds: time.sleep(seconds / 1_000)
        return blocking
    awaiting = AsyncClient(api.url, "k")
    awaiting._shell._sleep = lambda seconds: anyio.sleep(seconds / 1_000)
    return awaiting


def events_of(client: Any, count: int | None = None) -> list[Any]:
    async def program() -> list[Any]:
        found = await Program.items(client.runs.follow("run_1"), count)
        return [(one.event, one.data, one.id) for one in found]

    result: list[Any] = run(program)
    return result


def test_a_stream_that_breaks_off_is_resumed_after_its_last_event(client: Any, api: Api) -> None:
    api.connections = [
        [sent("replied", 1, 7), "break"],
        [sent("end", {"reason": "stopping"})],
        [sent("replied", 2, 8), sent("cut", {"reason": "slow"})],
        [sent("ended", {"stopped": "end"}, 9), sent("replied", "never read", 10)],
    ]
    found = events_of(client)
    assert found == [("replied", 1, "7"), ("replied", 2, "8"), ("ended", {"stopped": "end"}, "9")]
    assert api.resumed == [None, "7", "7", "8"]


def test_a_stream_ends_as_the_api_says(client: Any, api: Api) -> None:
    api.connections = [[sent("end", {"reason": "asked"})]]
    assert events_of(client) == [("end", {"reason": "asked"}, None)]
    api.connections = [[b": still here\n\n"]]
    assert events_of(client) == []
    assert api.resumed == [None, None]


def test_a_stream_that_only_breaks_is_an_error_after_a_while(client: Any, api: Api) -> None:
    api.connections = [["break"] for _ in range(20)]
    with pytest.raises(ConnectionError, match="broke off"):
        events_of(client)
    assert len(api.resumed) == 11


def approval(approval_id: str, state: str = "ready", effect: str | None = None, round: int = 1) -> dict[str, Any]:
    preview = {"state": state, "round": round}
    return {"approval_id": approval_id, "of": "effect", "binding": {"effect_digest": effect}, "preview": preview}


def pending(client: Any, count: int, seen: Any = None) -> list[str]:
    async def program() -> list[str]:
        ids: list[str] = []
        iterator = client.approvals.pending()
        while len(ids) < count:
            one = await iterator.__anext__() if hasattr(iterator, "__anext__") else next(iterator)
            ids.append(one.approval_id)
            if seen is not None:
                seen(one)
        await Program.value(iterator.aclose() if hasattr(iterator, "aclose") else iterator.close())
        return ids

    result: list[str] = run(program)
    return result


def test_approvals_that_wait_and_that_come_are_given_once(client: Any, api: Api) -> None:
    api.waiting = [approval("a"), approval("b")]
    # The stream says that something came only once `c` is there.
    api.waiting_for = lambda: len(api.waiting) == 3
    api.connections = [[sent("ready", {}), "stay", sent("operation", {"approval_id": "c"})]]

    def seen(one: Any) -> None:
        if one.approval_id == "b":
            threading.Timer(0.1, lambda: api.waiting.append(approval("c"))).start()

    assert pending(client, 3, seen) == ["a", "b", "c"]
    assert api.resumed == [None]
    # The stream is closed when the loop is left: each tenant has few.
    connections = client._shell.http._transport._pool.connections
    assert all(one.is_idle() or one.is_closed() for one in connections)


def test_an_approval_is_given_when_its_preview_has_ended_and_again_for_another_effect(client: Any, api: Api) -> None:
    api.waiting = [approval("a", "running")]
    threading.Timer(0.1, lambda: api.waiting.__setitem__(0, approval("a", "ready", "one"))).start()

    shown: list[Any] = []

    def seen(one: Any) -> None:
        shown.append((one.preview.state, one.binding.effect_digest))
        api.waiting = [approval("a", "ready", "two", 2)]

    assert pending(client, 2, seen) == ["a", "a"]
    assert shown == [("ready", "one"), ("ready", "two")]


def test_approvals_come_by_lists_alone_while_there_is_no_stream(client: Any, api: Api) -> None:
    threading.Timer(0.1, lambda: api.waiting.append(approval("a"))).start()
    assert pending(client, 1) == ["a"]
    assert len(api.resumed) > 1


def test_an_approval_approves_what_it_shows_and_an_id_what_the_body_says(client: Any, api: Api) -> None:
    api.waiting = [approval("a", "ready", "digest"), approval("b")]

    async def program() -> None:
        shown = await Program.items(client.approvals.pending(), 2)
        for given, body in ((shown[0], {"comment": "well"}), (shown[1], None), ("c", {"comment": "by id"})):
            await Program.value(client.approvals.approve(given, body))
        await Program.value(client.approvals.deny(shown[0], {"comment": "no"}))

    run(program)
    assert api.decided == [
        ("/v1/approvals/a/approve", {"effect_digest": "digest", "comment": "well"}),
        ("/v1/approvals/b/approve", {}),
        ("/v1/approvals/c/approve", {"comment": "by id"}),
        ("/v1/approvals/a/deny", {"comment": "no"}),
    ]
