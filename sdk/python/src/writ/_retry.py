# SPDX-License-Identifier: Apache-2.0
"""What may be repeated after a failed attempt, and when. Pure: time and chance are arguments."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timezone
from email.utils import parsedate_to_datetime

#: The first longest pause, which doubles with each attempt, and the longest one of all, in milliseconds.
PAUSE_FIRST_MS = 250
PAUSE_MAX_MS = 8_000
#: Answers of a proxy that stands before Writ: they say nothing about what happened behind it.
OF_PROXIES = frozenset({408, 502, 503, 504})
TOO_MANY_REQUESTS = 429


@dataclass(frozen=True)
class FailedAttempt:
    """What is known after an attempt that did not succeed."""

    #: the status of the answer; None: there was none
    status: int | None
    #: what the problem in the answer says; None: the answer was no problem, or there was none
    retry: str | None
    #: the header `Retry-After`
    retry_after: str | None
    #: whether the same request may arrive twice: it only reads, or has an idempotency key
    can_repeat: bool
    #: attempts before this one
    attempt: int
    #: retries that are allowed in all
    retries: int
    #: milliseconds that are left for the request with all of its attempts; None: no limit
    left_ms: float | None
    #: from 0 to 1
    chance: float
    #: milliseconds since the epoch, for a `Retry-After` that is a date
    now: float


def decide_retry(failed: FailedAttempt) -> int | None:
    """Milliseconds to wait before the next attempt; None: there is none.

    INVARIANT (never twice): a request that may have arrived is repeated only where it may arrive twice.
    """
    if failed.attempt >= failed.retries or not _may_retry(failed):
        return None
    # Full jitter: clients that failed together come back apart. It goes on top of what the server asks for.
    pause = failed.chance * min(PAUSE_MAX_MS, PAUSE_FIRST_MS * 2.0**failed.attempt)
    wait = int((retry_after_ms(failed.retry_after, failed.now) or 0) + pause + 0.5)
    return None if failed.left_ms is not None and wait >= failed.left_ms else wait


def _may_retry(failed: FailedAttempt) -> bool:
    if failed.retry == "later":
        return True
    if failed.retry == "same-key":
        return failed.can_repeat
    if failed.retry == "never":
        return False
    if failed.status is None:
        return failed.can_repeat
    return failed.status == TOO_MANY_REQUESTS or (failed.status in OF_PROXIES and failed.can_repeat)


def may_have_happened(status: int | None, retry: str | None) -> bool:
    """Whether the request may have happened after an attempt with this answer."""
    if retry is not None:
        return retry == "same-key"
    return status is None or status in OF_PROXIES


def retry_after_ms(header: str | None, now: float) -> float | None:
    """The milliseconds of a header `Retry-After`, which has seconds or a date (RFC 9110 §10.2.3)."""
    if header is None:
        return None
    if re.fullmatch(r"[0-9]{1,9}", header):
        return int(header) * 1_000
    try:
        at = parsedate_to_datetime(header)
    except (TypeError, ValueError):
        return None
    # A date of HTTP is one of GMT, also where it doesn't say so.
    if at.tzinfo is None:
        at = at.replace(tzinfo=timezone.utc)
    return max(0.0, at.timestamp() * 1_000 - now)
