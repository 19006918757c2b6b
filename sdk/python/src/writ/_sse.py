# SPDX-License-Identifier: Apache-2.0
"""Server-Sent Events (WHATWG HTML §9.2)."""

from __future__ import annotations

import codecs
import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ServerEvent:
    """One event of a stream."""

    event: str
    #: the parsed JSON; the text where it is none
    data: Any
    id: str | None


class EventReader:
    """Chunks of bytes as events. An event without its blank line at the end is dropped, as the standard says."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._text = ""
        self._has_cr = False
        self._fields: dict[str, str] = {}
        self._data: list[str] = []

    def read(self, chunk: bytes) -> list[ServerEvent]:
        """The events that this chunk completes."""
        text = self._decoder.decode(chunk)
        # A line may end with CR LF, and the two may come in two chunks.
        if self._has_cr and text.startswith("\n"):
            text = text[1:]
            self._has_cr = False
        if text:
            self._has_cr = text.endswith("\r")
        *lines, self._text = (self._text + text.replace("\r\n", "\n").replace("\r", "\n")).split("\n")
        return [event for line in lines if (event := self._line(line)) is not None]

    def _line(self, line: str) -> ServerEvent | None:
        if line == "":
            return self._ended()
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "data":
            self._data.append(value)
        elif name == "event" or (name == "id" and "\0" not in value):
            self._fields[name] = value
        return None

    def _ended(self) -> ServerEvent | None:
        fields, data = self._fields, self._data
        self._fields, self._data = {}, []
        if not data:
            return None
        return ServerEvent(fields.get("event") or "message", _parsed("\n".join(data)), fields.get("id"))


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
