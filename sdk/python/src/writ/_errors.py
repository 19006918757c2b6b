# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import builtins
from typing import Any, Literal

Retry = Literal["never", "later", "same-key"]


class WritError(Exception):
    """Every error that the client raises by itself."""


class UsageError(WritError, ValueError):
    """What the caller must change in its program: a missing setting, or an id that can't be part of a path."""


class ConnectionError(WritError, builtins.ConnectionError):
    """No answer came, after all retries: the request may or may not have arrived."""

    def __init__(self, message: str, operation_id: str | None = None) -> None:
        super().__init__(message)
        #: the operation of a call, where an earlier attempt learned it
        self.operation_id = operation_id


class TimeoutError(WritError, builtins.TimeoutError):
    """The time of `timeout` is over."""


class ProblemError(WritError):
    """The API answered with a problem (RFC 9457), after all retries that make sense."""

    def __init__(
        self, message: str, *, status: int, problem: dict[str, Any] | None = None, operation_id: str | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        #: the whole problem; None where the answer was none
        self.problem = problem
        #: a code of the closed table, such as `not_found`; `http` where a proxy answered and not Writ
        self.code: str = "http" if problem is None else problem["code"]
        #: what a caller may repeat. `later`: nothing happened. `same-key`: it may have happened, perhaps in an earlier
        #: attempt, so repeat it with the same idempotency key alone. `never`: it fails again
        self.retry: Retry = "never" if problem is None else problem["retry"]
        #: the place in the request, as a JSON pointer; None where the problem names none
        self.pointer: str | None = None if problem is None else problem.get("pointer")
        #: the operation of a call, of which the decision may stand
        self.operation_id = operation_id


class CallError(WritError):
    """A call that has no result."""

    def __init__(self, message: str, *, operation_id: str, code: str, hint: str | None, tool_result: Any) -> None:
        super().__init__(message)
        self.operation_id = operation_id
        #: a code of the closed table, such as `policy.denied`
        self.code = code
        self.hint = hint
        self.tool_result = tool_result


class CallRefusedError(CallError):
    """The call was refused, by the policy, its token or a person: it did not run."""


class CallFailedError(CallError):
    """The call ran and failed: nothing of it was committed, unless its code is `effect.ambiguous`."""


class ReceiptVerificationError(WritError):
    """A receipt does not verify."""

    def __init__(self, check: str, message: str) -> None:
        super().__init__(f"{message} [{check}]")
        #: the check that failed, such as `signature` or `inclusion`
        self.check = check


class NoEffectError(WritError):
    """For a function of yours: it failed, and nothing took effect."""
