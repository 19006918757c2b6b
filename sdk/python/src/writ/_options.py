# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

#: A request with all of its retries takes no longer than this, unless the caller says otherwise: two long polls.
TIMEOUT_S = 120.0
RETRIES = 4


@dataclass(frozen=True)
class RequestOptions:
    """Options of one request. What is left out is that of the client."""

    #: seconds for the request with all of its retries; 120 unless the client says otherwise
    timeout: float | None = None
    #: how often a failed attempt is repeated, where that makes sense; 4 unless the client says otherwise
    retries: int | None = None
    #: headers to add, such as `traceparent`
    headers: Mapping[str, str] = field(default_factory=dict)
    #: for changes of what has an `ETag`: the answer that was read, or a tag such as the SHA-256 of a file. In another
    #: state nothing is changed, and the error has the code `precondition.failed`
    if_match: Any = None
    #: for requests that take one; by default a new one, the same for all attempts
    idempotency_key: str | None = None
