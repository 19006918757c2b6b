# SPDX-License-Identifier: Apache-2.0
"""Requests of routes. Pure: the shells send them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Literal
from uuid import uuid4

from ._canonical import canonical_bytes
from ._errors import UsageError
from ._model import plain
from ._options import RequestOptions
from ._paths import path_of


@dataclass(frozen=True)
class Route:
    """What the client must know of a route to send its request. Generated from the API's own document."""

    method: str
    path: str
    #: list: JSON of one page of a list; download: bytes or text; events: Server-Sent Events
    answer: Literal["json", "list", "download", "events"]
    #: parameters that are the rest of the path
    rest: Sequence[str] = ()
    #: `json`, or the media type of bytes; None: no body
    body: str | None = None
    #: where the request takes an idempotency key
    keyed: Literal["header", "body"] | None = None
    #: the same request may arrive twice, also without a key
    repeatable: bool = False


@dataclass(frozen=True)
class Request:
    """A request as the shells send it."""

    method: str
    path: str
    #: whether it may arrive twice: it only reads, or has an idempotency key
    can_repeat: bool
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    #: the answer is read as it comes, for as long as it comes: the time limit ends with its headers
    is_stream: bool = False


def new_idempotency_key() -> str:
    """A key that no other call has. It is made once for a call, and every attempt sends it."""
    return f"client:{uuid4()}"


def json_bytes(value: Any) -> bytes:
    """A value as the body of a request. Raises UsageError for what JSON doesn't have."""
    try:
        return json.dumps(plain(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"it can't be sent as JSON: {error}") from error


def request_of(
    route: Route, ids: Sequence[Any], body: Any, query: Mapping[str, Any], options: RequestOptions | None
) -> Request:
    """The request of a route. All attempts, and all pages of a list but for their cursor, are this one."""
    given = options or RequestOptions()
    headers, data = _body_of(route, body, given.idempotency_key)
    if given.if_match is not None:
        headers = {**headers, "if-match": f'"{tag_of(given.if_match)}"'}
    return Request(
        method=route.method,
        path=path_of(route.path, ids, route.rest, query),
        can_repeat=route.method == "GET" or route.keyed is not None or route.repeatable,
        headers=headers,
        body=data,
        is_stream=route.answer in ("download", "events"),
    )


def tag_of(seen: Any) -> str:
    """The tag of what was read. What a server compares is the hash of what it shows, so the answer itself is enough."""
    return seen if isinstance(seen, str) else sha256(canonical_bytes(plain(seen))).hexdigest()


def query_after(query: Mapping[str, Any], cursor: str | None) -> dict[str, Any]:
    """The query of the page after a cursor; of the first one without."""
    if cursor is None:
        return dict(query)
    return {**{name: value for name, value in query.items() if name != "cursor"}, "cursor": cursor}


def _body_of(route: Route, body: Any, key: str | None) -> tuple[dict[str, str], bytes | None]:
    if route.body is None:
        return {}, None
    if route.body != "json":
        return {"content-type": route.body}, body
    members = plain({} if body is None else body)
    headers = {"content-type": "application/json"}
    if route.keyed is not None and members.get("idempotency_key") is None:
        new_key = key or new_idempotency_key()
        if route.keyed == "body":
            members = {**members, "idempotency_key": new_key}
        else:
            headers["idempotency-key"] = new_key
    return headers, json_bytes(members)
