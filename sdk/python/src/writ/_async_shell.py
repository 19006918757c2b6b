# SPDX-License-Identifier: Apache-2.0
"""Does what flows say, and awaits meanwhile. `_shell.py` is the same for programs that block."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, Generic, TypeVar

import anyio
import httpx

from ._errors import ConnectionError
from ._flow import (
    Answer,
    Attempt,
    Close,
    Effect,
    Emit,
    Ended,
    Flow,
    NoAnswer,
    Pause,
    Read,
    Run,
    Settings,
    Shielded,
    json_of,
    send,
)  # fmt: skip
from ._follow import events_of, follow
from ._model import parse
from ._options import RequestOptions
from ._requests import Route, query_after, request_of
from ._sse import ServerEvent

T = TypeVar("T")
P = TypeVar("P")


@dataclass
class AsyncOpenStream:
    """The body of an answer that is read as it comes."""

    response: httpx.Response
    chunks: AsyncIterator[bytes] = field(init=False)

    def __post_init__(self) -> None:
        self.chunks = self.response.aiter_bytes()


class AsyncShell:
    """Performs the effects of flows with a client of httpx."""

    def __init__(
        self, settings: Settings, http: httpx.AsyncClient, sleep: Callable[[float], Awaitable[None]] = anyio.sleep
    ) -> None:
        self.settings = settings
        self.http = http
        self._sleep = sleep

    async def run(self, flow: Flow[T]) -> T:
        """Runs a flow that emits nothing, and returns what it returns."""
        result: Any = None
        throw: BaseException | None = None
        try:
            while True:
                effect = flow.send(result) if throw is None else flow.throw(throw)
                result, throw = await self._try(effect)
        except StopIteration as end:
            value: T = end.value
            return value

    async def iterate(self, flow: Flow[None]) -> AsyncIterator[Any]:
        """What a flow emits. It reads one stream at a time, and one that it leaves open is closed."""
        stream: AsyncOpenStream | None = None
        result: Any = None
        throw: BaseException | None = None
        try:
            while True:
                effect = flow.send(result) if throw is None else flow.throw(throw)
                if isinstance(effect, Emit):
                    yield effect.value
                    result, throw = None, None
                else:
                    result, throw = await self._try(effect)
                    if isinstance(result, Answer) and isinstance(result.stream, AsyncOpenStream):
                        stream = result.stream
        except StopIteration:
            return
        finally:
            # Also where the task was cancelled: a connection that is left open counts against the tenant's streams.
            if stream is not None:
                with anyio.CancelScope(shield=True):
                    await stream.response.aclose()

    async def _try(self, effect: Effect) -> tuple[Any, BaseException | None]:
        try:
            return await self._perform(effect), None
        except Exception as error:
            return None, error

    async def _perform(self, effect: Effect) -> Any:
        if isinstance(effect, Attempt):
            return await self._attempt(effect)
        if isinstance(effect, Pause):
            return await self._sleep(effect.seconds)
        if isinstance(effect, Close) and isinstance(effect.stream, AsyncOpenStream):
            return await effect.stream.response.aclose()
        if isinstance(effect, Read) and isinstance(effect.stream, AsyncOpenStream):
            return await read(effect.stream)
        if isinstance(effect, Shielded):
            return await self._shielded(effect)
        if isinstance(effect, Run):
            return await self._run(effect)
        raise TypeError(f"a flow has the effect {effect!r}")

    async def _run(self, effect: Run) -> Ended:
        """The function runs in this task, and the flow beside it in one of its own."""
        ended: Ended | None = None
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self.run, effect.beside)
                try:
                    result = effect.function()
                    ended = Ended(result=(await result) if inspect.isawaitable(result) else result)
                except Exception as error:
                    ended = Ended(error=error)
                finally:
                    tasks.cancel_scope.cancel()
        except BaseException as interrupt:
            return Ended(error=interrupt, interrupt=interrupt) if ended is None else replace(ended, interrupt=interrupt)
        assert ended is not None
        return ended

    async def _shielded(self, effect: Shielded) -> Any:
        cancelled: BaseException | None = None
        while True:
            try:
                with anyio.CancelScope(shield=True):
                    value = await self.run(effect.flow())
            except anyio.get_cancelled_exc_class() as error:
                # asyncio cancels a task whatever its scopes say. The flow is one that may run again; once is enough.
                if cancelled is not None:
                    raise
                cancelled = error
            else:
                if cancelled is not None:
                    raise cancelled
                return value

    async def _attempt(self, attempt: Attempt) -> Answer | NoAnswer:
        try:
            with anyio.fail_after(attempt.limit_s):
                return await self._send(attempt)
        except httpx.RequestError as error:
            return NoAnswer(error, is_late=isinstance(error, httpx.TimeoutException))
        except TimeoutError as error:
            return NoAnswer(error, is_late=True)

    async def _send(self, attempt: Attempt) -> Answer:
        request = attempt.request
        timeout = httpx.Timeout(attempt.limit_s, read=attempt.silence_s or attempt.limit_s)
        # INVARIANT (one address): the key is sent nowhere else.
        made = self.http.build_request(
            request.method, attempt.url, headers=dict(attempt.headers), content=request.body, timeout=timeout
        )
        response = await self.http.send(made, stream=True, follow_redirects=False)
        if request.is_stream and response.is_success:
            return Answer(response.status_code, response.headers, stream=AsyncOpenStream(response))
        try:
            return Answer(response.status_code, response.headers, await response.aread())
        finally:
            with anyio.CancelScope(shield=True):
                await response.aclose()


async def read(stream: AsyncOpenStream) -> bytes | None:
    """The next bytes of a stream; None at its end. Raises ConnectionError where it broke."""
    try:
        return await stream.chunks.__anext__()
    except StopAsyncIteration:
        return None
    except (httpx.RequestError, httpx.StreamError) as error:
        raise ConnectionError(f"the answer broke off: {type(error).__name__}") from error


class AsyncListed(Generic[P, T]):
    """One page by `await page()`; all items of all pages by `async for`."""

    def __init__(self, load: Callable[[str | None], Awaitable[P]]) -> None:
        self._load = load

    async def page(self, cursor: str | None = None) -> P:
        """A page: the first one, or the one after a cursor of the one before."""
        return await self._load(cursor)

    async def __aiter__(self) -> AsyncIterator[T]:
        page: Any = await self._load(None)
        while True:
            for item in page.items:
                yield item
            if page.next_cursor is None:
                return
            page = await self._load(page.next_cursor)


class AsyncEvents:
    """Events of a stream, over as many connections as needed. Each iteration opens it anew."""

    def __init__(self, iterate: Callable[[], AsyncIterator[ServerEvent]]) -> None:
        self._iterate = iterate

    def __aiter__(self) -> AsyncIterator[ServerEvent]:
        return self._iterate()


class AsyncDownload:
    """Bytes or text that is read as it comes. It can be read once. Use it in a `with`, or read it to its end."""

    def __init__(self, shell: AsyncShell, stream: AsyncOpenStream) -> None:
        self._shell = shell
        self._stream = stream

    def header(self, name: str) -> str | None:
        """A header of the answer, such as `etag`."""
        value: str | None = self._stream.response.headers.get(name)
        return value

    async def read(self) -> bytes:
        return b"".join([chunk async for chunk in self])

    async def text(self) -> str:
        return (await self.read()).decode()

    def events(self) -> AsyncIterator[ServerEvent]:
        """Where the answer is a stream of events, as the output of a command that is followed."""
        return self._shell.iterate(events_of(self._stream))

    async def close(self) -> None:
        await self._stream.response.aclose()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while (chunk := await read(self._stream)) is not None:
            yield chunk

    async def __aenter__(self) -> AsyncDownload:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


class AsyncGroup:
    """The methods of a group of routes. Generated classes have their names and types."""

    def __init__(self, shell: AsyncShell) -> None:
        self._shell = shell

    async def _json(
        self,
        route: Route,
        ids: Sequence[Any],
        body: Any,
        query: Mapping[str, Any],
        options: RequestOptions | None,
        kind: Any,
    ) -> Any:
        request = request_of(route, ids, body, query, options)
        answer = await self._shell.run(send(self._shell.settings, request, options))
        return None if not answer.body else parse(kind, json_of(answer))

    def _list(
        self,
        route: Route,
        ids: Sequence[Any],
        body: Any,
        query: Mapping[str, Any],
        options: RequestOptions | None,
        kind: Any,
    ) -> AsyncListed[Any, Any]:
        async def load(cursor: str | None) -> Any:
            return await self._json(route, ids, body, query_after(query, cursor), options, kind)

        return AsyncListed(load)

    async def _download(
        self, route: Route, ids: Sequence[Any], body: Any, query: Mapping[str, Any], options: RequestOptions | None
    ) -> AsyncDownload:
        request = request_of(route, ids, body, query, options)
        answer = await self._shell.run(send(self._shell.settings, request, options))
        assert isinstance(answer.stream, AsyncOpenStream)
        return AsyncDownload(self._shell, answer.stream)

    def _events(
        self, route: Route, ids: Sequence[Any], body: Any, query: Mapping[str, Any], options: RequestOptions | None
    ) -> AsyncEvents:
        request = request_of(route, ids, body, query, options)
        return AsyncEvents(lambda: self._shell.iterate(follow(self._shell.settings, request, options)))
