# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import re
from typing import Any

from ._errors import ProblemError

#: More than any problem has: an answer of a proxy may be a whole page.
PROBLEM_BYTES_MAX = 256 * 1024
RETRIES = ("never", "later", "same-key")


def parse_problem(media_type: str, body: bytes) -> dict[str, Any] | None:
    """The problem in an answer; None where there is none, or where it has another shape."""
    if not re.match(r"application/problem\+json\b", media_type) or len(body) > PROBLEM_BYTES_MAX:
        return None
    try:
        value = json.loads(body)
    except ValueError:
        return None
    if not isinstance(value, dict):
        return None
    is_problem = (
        isinstance(value.get("code"), str)
        and isinstance(value.get("detail"), str)
        and isinstance(value.get("status"), int)
        and value.get("retry") in RETRIES
    )
    return value if is_problem else None


def problem_error(status: int, problem: dict[str, Any] | None, request: str, operation_id: str | None) -> ProblemError:
    message = f"{_message_of(status, problem)} ({request})"
    return ProblemError(message, status=status, problem=problem, operation_id=operation_id)


def _message_of(status: int, problem: dict[str, Any] | None) -> str:
    if problem is not None:
        place = f", at `{problem['pointer']}`" if "pointer" in problem else ""
        return f"{problem['detail']}{place} [{problem['code']}]"
    if 300 <= status < 400:
        return "the answer is a redirect, which is not followed: pass the final address as `url`"
    return f"the answer has the status {status} and is no answer of Writ"
