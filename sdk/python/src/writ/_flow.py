# SPDX-License-Identifier: Apache-2.0
"""What the client does, without doing it.

A flow is a generator. It yields effects, which a shell performs, and gets what came of them. So the shell that blocks
and the one that awaits share every decision.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias, TypeVar

from ._errors import ConnectionError, ProblemError, TimeoutError, WritError
from ._options import RETRIES, TIMEOUT_S, RequestOptions
from ._problems import parse_problem, problem_error
from ._requests import Request
from ._retry import FailedAttempt, decide_retry, may_have_happened

#: An attempt is given up after this: more than the longest wait that the API allows, which is 55 s.
ATTEMPT_S = 75.0


class Stream(Protocol):
    """The body of an answer that is read as it comes. Only the shell that made it can read it."""


@dataclass(frozen=True)
class Attempt:
    """Sends a request. Gives an Answer, or NoAnswer."""

    url: str
    request: Request
    headers: Mapping[str, str]
    limit_s: float
    #: seconds without a byte after which a stream counts as broken
    silence_s: float | None = None


@dataclass(frozen=True)
class Pause:
    """Waits."""

    seconds: float


@dataclass(frozen=True)
class Read:
    """Reads from a stream. Gives bytes, or None at its end. Raises ConnectionError where it broke."""

    stream: Stream


@dataclass(frozen=True)
class Close:
    """Closes a stream."""

    stream: Stream


@dataclass(frozen=True)
class Emit:
    """Hands a value to whoever iterates."""

    value: Any


@dataclass(frozen=True)
class Run:
    """Runs a function of the program, and a flow beside it that ends with it. Gives Ended."""

    function: Callable[[], Any]
    beside: Flow[None]


@dataclass(frozen=True)
class Ended:
    """How a function of the program ended."""

    result: Any = None
    error: BaseException | None = None
    #: what ends the program or its task, as a cancellation does: it is raised again
    interrupt: BaseException | None = None


@dataclass(frozen=True)
class Shielded:
    """Runs a flow to its end, also where the task is cancelled meanwhile. Gives what it returns.

    It may run twice. The second time it must do the same.
    """

    flow: Callable[[], Flow[Any]]


@dataclass(frozen=True)
class Answer:
    status: int
    #: their names in lower case
    headers: Mapping[str, str]
    #: all of it, unless it is a stream
    body: bytes = b""
    stream: Stream | None = None


@dataclass(frozen=True)
class NoAnswer:
    """No answer came, or it broke off."""

    cause: Exception
    is_late: bool = False


Effect: TypeAlias = "Attempt | Pause | Read | Close | Emit | Run | Shielded"
T = TypeVar("T")
Flow = Generator[Effect, Any, T]


@dataclass(frozen=True)
class Settings:
    """What all requests of a client have in common."""

    url: str
    api_key: str | None
    timeout: float = TIMEOUT_S
    retries: int = RETRIES
    headers: Mapping[str, str] = field(default_factory=dict)
    #: seconds that only grow
    clock: Callable[[], float] = time.monotonic
    #: seconds since the epoch
    now: Callable[[], float] = time.time
    #: from 0 to 1
    chance: Callable[[], float] = random.random


def send(
    settings: Settings, request: Request, options: RequestOptions | None = None, silence_s: float | None = None
) -> Flow[Answer]:
    """Sends a request. It retries as the answers say, and repeats nothing that may have happened.

    Raises ProblemError, ConnectionError, TimeoutError.
    """
    given = options or RequestOptions()
    timeout = settings.timeout if given.timeout is None else given.timeout
    retries = settings.retries if given.retries is None else given.retries
    headers = _headers_of(settings, given, request)
    end = settings.clock() + timeout
    operation_id: str | None = None
    is_open = False
    attempt = 0
    while True:
        left = end - settings.clock()
        if left <= 0:
            raise TimeoutError(f"the request took longer than `timeout`, {timeout:g} s ({_name_of(request)})")
        limit = min(left, ATTEMPT_S)
        answer = yield Attempt(settings.url + request.path, request, headers, limit, silence_s)
        if isinstance(answer, Answer) and 200 <= answer.status < 300:
            return answer
        error, failed = _failure_of(answer, request, settings, operation_id, limit)
        operation_id = error.operation_id
        is_open = is_open or (request.method != "GET" and may_have_happened(failed["status"], failed["retry"]))
        wait = decide_retry(
            FailedAttempt(
                **failed,
                can_repeat=request.can_repeat,
                attempt=attempt,
                retries=retries,
                left_ms=(end - settings.clock()) * 1_000,
                chance=settings.chance(),
                now=settings.now() * 1_000,
            )
        )
        if wait is None:
            if is_open:
                _leave_open(error)
            raise error from (answer.cause if isinstance(answer, NoAnswer) else None)
        yield Pause(wait / 1_000)
        attempt += 1


def _leave_open(error: ProblemError | ConnectionError) -> None:
    """INVARIANT (never twice): an error whose request may have happened in an earlier attempt never says that nothing
    happened, since its caller may repeat it with another key.
    """
    if isinstance(error, ProblemError) and (error.retry == "later" or error.problem is None):
        error.retry = "same-key"


def _headers_of(settings: Settings, given: RequestOptions, request: Request) -> dict[str, str]:
    """Later ones count. INVARIANT (one key): no header of a program replaces the client's key."""
    merged: dict[str, str] = {}
    for headers in (settings.headers, given.headers, request.headers):
        merged.update({name.lower(): value for name, value in headers.items()})
    if settings.api_key is not None:
        merged["authorization"] = f"Bearer {settings.api_key}"
    return merged


def _failure_of(
    answer: Answer | NoAnswer, request: Request, settings: Settings, operation_id: str | None, limit: float
) -> tuple[ProblemError | ConnectionError, dict[str, Any]]:
    name = _name_of(request)
    if isinstance(answer, NoAnswer):
        why = f"gave no answer within {limit:g} s" if answer.is_late else "does not answer"
        error = ConnectionError(f"{settings.url} {why} ({name})", operation_id)
        return error, {"status": None, "retry": None, "retry_after": None}
    problem = parse_problem(answer.headers.get("content-type", ""), answer.body)
    known = answer.headers.get("writ-operation-id", operation_id)
    retry = None if problem is None else problem["retry"]
    failed = {"status": answer.status, "retry": retry, "retry_after": answer.headers.get("retry-after")}
    return problem_error(answer.status, problem, name, known), failed


def _name_of(request: Request) -> str:
    return f"{request.method} {request.path.split('?', 1)[0]}"


def json_of(answer: Answer) -> Any:
    """The JSON of an answer; None without a body. Raises WritError where somebody else answered."""
    try:
        return json.loads(answer.body) if answer.body else None
    except ValueError:
        raise WritError("the answer is no JSON: `url` may not be the address of Writ") from None
