# SPDX-License-Identifier: Apache-2.0
"""Does what flows say, and blocks meanwhile. `_async_shell.py` is the same for programs that await."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Generic, TypeVar

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
class OpenStream:
    """The body of an answer that is read as it comes."""

    response: httpx.Response
    chunks: Iterator[bytes] = field(init=False)

    def __post_init__(self) -> None:
        self.chunks = self.response.iter_bytes()


class Shell:
    """Performs the effects of flows with a client of httpx."""

    def __init__(self, settings: Settings, http: httpx.Client, sleep: Callable[[float], None] = time.sleep) -> None:
        self.settings = settings
        self.http = http
        self._sleep = sleep

    def run(self, flow: Flow[T]) -> T:
        """Runs a flow that emits nothing, and returns what it returns."""
        result: Any = None
        throw: BaseException | None = None
        try:
            while True:
                effect = flow.send(result) if throw is None else flow.throw(throw)
                result, throw = self._try(effect)
        except StopIteration as end:
            value: T = end.value
            return value

    def iterate(self, flow: Flow[None]) -> Iterator[Any]:
        """What a flow emits. It reads one stream at a time, and one that it leaves open is closed."""
        stream: OpenStream | None = None
        result: Any = None
        throw: BaseException | None = None
        try:
            while True:
                effect = flow.send(result) if throw is None else flow.throw(throw)
                if isinstance(effect, Emit):
                    yield effect.value
                    result, throw = None, None
                else:
                    result, throw = self._try(effect)
                    if isinstance(result, Answer) and isinstance(result.stream, OpenStream):
                        stream = result.stream
        except StopIteration:
            return
        finally:
            if stream is not None:
                stream.response.close()

    def _try(self, effect: Effect) -> tuple[Any, BaseException | None]:
        try:
            return self._perform(effect), None
        except Exception as error:
            return None, error

    def _perform(self, effect: Effect) -> Any:
        if isinstance(effect, Attempt):
            return self._attempt(effect)
        if isinstance(effect, Pause):
            return self._sleep(effect.seconds)
        if isinstance(effect, (Read, Close)) and isinstance(effect.stream, OpenStream):
            return effect.stream.response.close() if isinstance(effect, Close) else read(effect.stream)
        if isinstance(effect, Shielded):
            return self.run(effect.flow())
        if isinstance(effect, Run):
            return self._run(effect)
        raise TypeError(f"a flow has the effect {effect!r}")

    def _run(self, effect: Run) -> Ended:
        """The function runs in the thread of its caller, and the flow beside it in one of its own."""
        beside = _Beside(self, effect.beside)
        try:
            return Ended(result=effect.function())
        except Exception as error:
            return Ended(error=error)
        except BaseException as interrupt:
            return Ended(error=interrupt, interrupt=interrupt)
        finally:
            beside.end()

    def _attempt(self, attempt: Attempt) -> Answer | NoAnswer:
        request = attempt.request
        limit = attempt.limit_s
        # httpx limits each step. So an attempt whose bytes trickle in may take longer than `limit`, and no read does.
        timeout = httpx.Timeout(limit, read=attempt.silence_s or limit)
        try:
            # INVARIANT (one address): the key is sent nowhere else.
            made = self.http.build_request(
                request.method, attempt.url, headers=dict(attempt.headers), content=request.body, timeout=timeout
            )
            response = self.http.send(made, stream=True, follow_redirects=False)
            if request.is_stream and response.is_success:
                return Answer(response.status_code, response.headers, stream=OpenStream(response))
            try:
                return Answer(response.status_code, response.headers, response.read())
            finally:
                response.close()
        except httpx.RequestError as error:
            return NoAnswer(error, is_late=isinstance(error, httpx.TimeoutException))


class _End(BaseException):
    """Ends the flow of a thread."""


class _Beside:
    """Runs a flow in a thread until it is ended. A request that is under way then is left to itself."""

    def __init__(self, shell: Shell, flow: Flow[None]) -> None:
        self._ended = threading.Event()
        self._shell = Shell(shell.settings, shell.http, self._sleep)
        # A program that ends doesn't wait for it.
        threading.Thread(target=self._run, args=(flow,), name="writ-lease", daemon=True).start()

    def end(self) -> None:
        self._ended.set()

    def _sleep(self, seconds: float) -> None:
        if self._ended.wait(seconds):
            raise _End

    def _run(self, flow: Flow[None]) -> None:
        with contextlib.suppress(_End):
            self._shell.run(flow)


def read(stream: OpenStream) -> bytes | None:
    """The next bytes of a stream; None at its end. Raises ConnectionError where it broke."""
    try:
        return next(stream.chunks, None)
    except (httpx.RequestError, httpx.StreamError) as error:
        raise ConnectionError(f"the answer broke off: {type(error).__name__}") from error


class Listed(Generic[P, T]):
    """One page by `page()`; all items of all pages when iterated."""

    def __init__(self, load: Callable[[str | None], P]) -> None:
        self._load = load

    def page(self, cursor: str | None = None) -> P:
        """A page: the first one, or the one after a cursor of the one before."""
        return self._load(cursor)

    def __iter__(self) -> Iterator[T]:
        page: Any = self._load(None)
        while True:
            yield from page.items
            if page.next_cursor is None:
                return
            page = self._load(page.next_cursor)


class Events:
    """Events of a stream, over as many connections as needed. Each iteration opens it anew."""

    def __init__(self, iterate: Callable[[], Iterator[ServerEvent]]) -> None:
        self._iterate = iterate

    def __iter__(self) -> Iterator[ServerEvent]:
        return self._iterate()


class Download:
    """Bytes or text that is read as it comes. It can be read once. Use it in a `with`, or read it to its end."""

    def __init__(self, shell: Shell, stream: OpenStream) -> None:
        self._shell = shell
        self._stream = stream

    def header(self, name: str) -> str | None:
        """A header of the answer, such as `etag`."""
        value: str | None = self._stream.response.headers.get(name)
        return value

    def read(self) -> bytes:
        return b"".join(self)

    def text(self) -> str:
        return self.read().decode()

    def events(self) -> Iterator[ServerEvent]:
        """Where the answer is a stream of events, as the output of a command that is followed."""
        return self._shell.iterate(events_of(self._stream))

    def close(self) -> None:
        self._stream.response.close()

    def __iter__(self) -> Iterator[bytes]:
        while (chunk := read(self._stream)) is not None:
            yield chunk

    def __enter__(self) -> Download:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Group:
    """The methods of a group of routes. Generated classes have their names and types."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell

    def _json(
        self,
        route: Route,
        ids: Sequence[Any],
        body: Any,
        query: Mapping[str, Any],
        options: RequestOptions | None,
        kind: Any,
    ) -> Any:
        request = request_of(route, ids, body, query, options)
        answer = self._shell.run(send(self._shell.settings, request, options))
        return None if not answer.body else parse(kind, json_of(answer))

    def _list(
        self,
        route: Route,
        ids: Sequence[Any],
        body: Any,
        query: Mapping[str, Any],
        options: RequestOptions | None,
        kind: Any,
    ) -> Listed[Any, Any]:
        def load(cursor: str | None) -> Any:
            return self._json(route, ids, body, query_after(query, cursor), options, kind)

        return Listed(load)

    def _download(
        self, route: Route, ids: Sequence[Any], body: Any, query: Mapping[str, Any], options: RequestOptions | None
    ) -> Download:
        request = request_of(route, ids, body, query, options)
        answer = self._shell.run(send(self._shell.settings, request, options))
        assert isinstance(answer.stream, OpenStream)
        return Download(self._shell, answer.stream)

    def _events(
        self, route: Route, ids: Sequence[Any], body: Any, query: Mapping[str, Any], options: RequestOptions | None
    ) -> Events:
        request = request_of(route, ids, body, query, options)
        return Events(lambda: self._shell.iterate(follow(self._shell.settings, request, options)))
