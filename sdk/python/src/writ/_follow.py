# SPDX-License-Identifier: Apache-2.0
"""Streams of events, over as many connections as needed."""

from __future__ import annotations

from dataclasses import replace

from ._errors import ConnectionError
from ._flow import Close, Emit, Flow, Pause, Read, Settings, Stream, send
from ._options import RequestOptions
from ._requests import Request
from ._sse import EventReader, ServerEvent

#: Pauses after a stream that broke off or could not be opened.
REOPEN_FIRST_S = 0.5
REOPEN_MAX_S = 8.0
#: Connections in a row that broke without an event: about a minute without the API.
EMPTY_MAX = 10
#: The API sends something every 15 s. After this, a connection is dead.
SILENCE_S = 50.0
#: Why the API ended a stream that can go on over another connection.
PASSING = ("stopping", "unavailable")


def events_of(stream: Stream) -> Flow[None]:
    """The events of one stream, until it ends."""
    reader = EventReader()
    while (chunk := (yield Read(stream))) is not None:
        for event in reader.read(chunk):
            yield Emit(event)


class _Position:
    """What was read of a stream, over its connections."""

    def __init__(self) -> None:
        self.last_id: str | None = None
        self.is_at_end = False
        #: whether the connection that is read gave anything
        self.has_news = False

    def read(self, event: ServerEvent) -> bool:
        """Whether the program is to see it."""
        self.has_news = True
        self.last_id = event.id or self.last_id
        reason = event.data.get("reason") if isinstance(event.data, dict) else None
        if event.event == "cut" or (event.event == "end" and reason in PASSING):
            return False
        self.is_at_end = event.event in ("end", "ended")
        return True


def follow(settings: Settings, request: Request, options: RequestOptions | None) -> Flow[None]:
    """The events of a route. A connection that breaks is resumed after the last event that came.

    Streams whose events have no ids begin anew: `ready` then says that events may have been lost. Raises as `send`, and
    ConnectionError where no connection gives anything any more.
    """
    position = _Position()
    empty = 0
    while True:
        resumed = {} if position.last_id is None else {"last-event-id": position.last_id}
        headers = {**request.headers, "accept": "text/event-stream", **resumed}
        answer = yield from send(settings, replace(request, headers=headers), options, SILENCE_S)
        assert answer.stream is not None
        position.has_news = False
        broke = yield from _connection(answer.stream, position)
        # A stream that ends in order, and had nothing to say, has no more.
        if position.is_at_end or (broke is None and not position.has_news):
            return
        empty = 0 if position.has_news else empty + 1
        if broke is not None and empty > EMPTY_MAX:
            raise broke
        yield Pause(min(REOPEN_FIRST_S * 2.0**empty, REOPEN_MAX_S) * (0.5 + settings.chance() / 2))


def _connection(stream: Stream, position: _Position) -> Flow[ConnectionError | None]:
    """Reads one connection, closes it, and returns why it broke."""
    reader = EventReader()
    broke: ConnectionError | None = None
    try:
        while not position.is_at_end and (chunk := (yield Read(stream))) is not None:
            for event in reader.read(chunk):
                # Nothing is shown that comes after the end.
                if not position.is_at_end and position.read(event):
                    yield Emit(event)
    except ConnectionError as error:
        broke = error
    yield Close(stream)
    return broke
