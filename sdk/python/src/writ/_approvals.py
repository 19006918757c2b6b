# SPDX-License-Identifier: Apache-2.0
"""Approvals that wait for a decision, as they come."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import models
from ._errors import ConnectionError, ProblemError, TimeoutError, WritError
from ._flow import Close, Emit, Flow, Pause, Read, Settings, Stream, json_of, send
from ._generated import routes
from ._model import parse, plain
from ._options import RequestOptions
from ._requests import request_of
from ._sse import EventReader, ServerEvent

#: How long a list is good without an event: what a lost event can cost. The API sends something as often.
LOOK_S = 15.0
#: Seconds without a byte after which the stream of events counts as broken.
SILENCE_S = 20.0
#: The same while a preview runs, whose end has no event.
PREVIEW_S = 0.5
#: Pauses after a stream that broke off or could not be opened.
REOPEN_FIRST_S = 0.5
REOPEN_MAX_S = 8.0
#: Approvals that were shown and are remembered: more than can wait at once.
SHOWN_MAX = 10_000


def decided(approval: models.Approval | str, body: Any) -> tuple[str, dict[str, Any]]:
    """The id of an approval, and the body that approves what it shows: with another effect nothing is approved."""
    given: dict[str, Any] = plain(body or {})
    if isinstance(approval, str):
        return approval, given
    effect = approval.binding.effect_digest
    return approval.approval_id, given if effect is None else {"effect_digest": effect, **given}


def id_of(approval: models.Approval | str) -> str:
    return approval if isinstance(approval, str) else approval.approval_id


def pending(settings: Settings) -> Flow[None]:
    """Emits approvals that wait, those of now and then those that come, each once it can be decided. It has no end.

    INVARIANT (the list decides): events only say that the list should be read again. So a lost event costs time, and no
    approval. An approval comes again where its effect was previewed anew, because that is another decision.
    """
    events = _Events(settings)
    shown: dict[str, None] = {}
    while True:
        # Before the list is read: what happens meanwhile is then in the stream.
        yield from events.open()
        is_waiting = False
        for approval in (yield from _list(settings)):
            if not _is_ready(approval):
                is_waiting = True
            elif _subject_of(approval) not in shown:
                if len(shown) >= SHOWN_MAX:
                    del shown[next(iter(shown))]
                shown[_subject_of(approval)] = None
                yield Emit(parse(models.Approval, approval))
        if is_waiting:
            yield Pause(PREVIEW_S)
        else:
            yield from events.wait()


def _list(settings: Settings) -> Flow[list[dict[str, Any]]]:
    """All pages, so that no approval is missed that moves between two of them while the program decides."""
    found: list[dict[str, Any]] = []
    cursor: str | None = None
    while True:
        request = request_of(routes.APPROVALS__LIST, (), None, {"state": "pending", "cursor": cursor}, None)
        page = json_of((yield from send(settings, request)))
        found.extend(page["items"])
        cursor = page["next_cursor"]
        if cursor is None:
            return found


def _is_ready(approval: Mapping[str, Any]) -> bool:
    """Whether a person can decide: while a preview runs, what is approved changes under their hands."""
    return approval["preview"]["state"] not in ("waiting", "running")


def _subject_of(approval: Mapping[str, Any]) -> str:
    """What a person decides about: the same approval with another effect is another decision."""
    effect = approval["binding"].get("effect_digest") or ""
    return " ".join([approval["approval_id"], approval["of"], effect, str(approval["preview"].get("round"))])


class _Events:
    """The stream of events that says when to look again. Without one, a look every few seconds does."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._stream: Stream | None = None
        self._reader = EventReader()
        self._pause = REOPEN_FIRST_S

    def open(self) -> Flow[None]:
        """Opens the stream, unless it is open. Never raises: the list is read all the same, and its error counts."""
        if self._stream is not None:
            return
        request = request_of(routes.EVENTS__FOLLOW, (), None, {}, None)
        try:
            answer = yield from send(self._settings, request, RequestOptions(retries=0), SILENCE_S)
        except (ProblemError, ConnectionError, TimeoutError):
            return
        self._stream, self._reader = answer.stream, EventReader()

    def wait(self) -> Flow[None]:
        """Waits for an event about an approval, for LOOK_S, or for a pause where there is no stream."""
        end = self._settings.clock() + LOOK_S
        while self._stream is not None and self._settings.clock() < end:
            events = yield from self._read(self._stream)
            if any(_is_about_approval(event) for event in events):
                return
        if self._stream is None:
            yield Pause(self._pause * (0.5 + self._settings.chance() / 2))
            self._pause = min(self._pause * 2, REOPEN_MAX_S)

    def _read(self, stream: Stream) -> Flow[list[ServerEvent]]:
        try:
            chunk = yield Read(stream)
        except WritError:
            chunk = None
        if chunk is None:
            yield Close(stream)
            self._stream = None
            return []
        events = self._reader.read(chunk)
        if events:
            self._pause = REOPEN_FIRST_S
        return events


def _is_about_approval(event: ServerEvent) -> bool:
    # Events before `ready` are lost.
    is_about = isinstance(event.data, dict) and isinstance(event.data.get("approval_id"), str)
    return event.event == "ready" or (event.event == "operation" and is_about)
