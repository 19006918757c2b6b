# SPDX-License-Identifier: Apache-2.0
"""Functions of this process that run as calls, under a permit.

INVARIANT (no permit, no run): a function runs only after its permit was redeemed, once, and with the arguments that
were decided on.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from . import _calls
from ._calls import CallView
from ._errors import NoEffectError, ProblemError, UsageError, WritError
from ._flow import Flow, Pause, Run, Settings, Shielded, json_of, send
from ._generated import routes
from ._model import plain
from ._options import RequestOptions
from ._requests import Route, json_bytes, request_of

#: Characters of the message of an error that are reported: the API takes no more.
MESSAGE_CHARACTERS_MAX = 2_048
NONCE_BYTES = 16
#: A report that is lost makes a call ambiguous that was not: it is worth more attempts than other requests.
REPORT_S = 120.0
REPORT_RETRIES = 50
#: The same where the program ends: a call without a report ends as ambiguous, which is what would be reported.
LAST_REPORT_S = 5.0


@dataclass
class FunctionContext:
    """What a function of yours gets beside the arguments."""

    operation_id: str
    attempt: int
    #: why the function should end: the call was stopped, or its lease is lost; None while neither is so
    stop_reason: str | None = field(default=None, init=False)

    @property
    def is_stopped(self) -> bool:
        return self.stop_reason is not None


#: A function of your process that runs as a call. It gets the arguments that were decided on, which a person may have
#: edited: use no others. Its result is JSON. Raise `NoEffectError` where nothing took effect; any other error means
#: that something may have.
OwnFunction = Callable[[dict[str, Any], FunctionContext], Any]


def run_own(settings: Settings, call: CallView, run: OwnFunction, options: RequestOptions | None) -> Flow[CallView]:
    """Runs the function of an admitted call under its permit. A call that doesn't wait for it is returned as it is."""
    if call.outcome != "running" or call.awaits != "caller":
        return call
    body = {"operation_id": call.operation_id}
    permit = (yield from _ask(settings, routes.PERMITS__TAKE_OWN, body, options))["permit"]
    # Without one, another process of this agent has it.
    if permit is not None:
        yield from _under(settings, {"permit": permit, "nonce": secrets.token_hex(NONCE_BYTES)}, run, options)
    operation = yield from _calls.read(settings, call.operation_id, 0, options)
    return replace(_calls.view_of(operation), replayed=call.replayed, sent=call.sent)


def _under(settings: Settings, proof: dict[str, Any], run: OwnFunction, options: RequestOptions | None) -> Flow[None]:
    # The lease began no earlier than this, however often the request was repeated.
    began = settings.clock()
    redeemed = yield from _ask(settings, routes.PERMITS__REDEEM, proof, options)
    lease_s = redeemed["lease_ms"] / 1_000
    context = FunctionContext(redeemed["operation_id"], redeemed["attempt"])
    renewal = _renew(settings, proof, context, began, lease_s)
    ended = yield Run(lambda: run(redeemed["args"], context), renewal)
    # Whoever cancels the program no longer counts: what happened must be reported, for as long as the lease can last.
    limit = max(lease_s, REPORT_S) if ended.interrupt is None else LAST_REPORT_S
    patient = RequestOptions(timeout=limit, retries=REPORT_RETRIES)
    report = {**proof, "outcome": outcome_of(ended.result, ended.error)}
    try:
        yield Shielded(lambda: _ask(settings, routes.PERMITS__REPORT_FUNCTION, report, patient))
    except WritError:
        if ended.interrupt is None:
            raise
    if ended.interrupt is not None:
        raise ended.interrupt


def outcome_of(result: Any, error: BaseException | None) -> dict[str, Any]:
    """What is reported of a function that ended."""
    if error is None:
        try:
            value = plain(result)
            json_bytes(value)
            return {"outcome": "succeeded", "result": value}
        except UsageError as unsendable:
            error = unsendable
    # Unless the function says otherwise, something may have taken effect.
    outcome = "failed" if isinstance(error, NoEffectError) else "unknown"
    text = str(error) or "the function failed"
    # No text of the API has an unpaired surrogate.
    return {"outcome": outcome, "message": text.encode("utf-8", "replace").decode()[:MESSAGE_CHARACTERS_MAX]}


def _renew(
    settings: Settings, proof: dict[str, Any], context: FunctionContext, began: float, lease_s: float
) -> Flow[None]:
    """Renews the lease until the shell ends it, and stops the function where the call was stopped or the lease is lost.

    One renewal that fails is no lost lease: that ends `lease_s` after the last one that succeeded.
    """
    last, following = began, began + lease_s / 3
    while True:
        yield Pause(max(0.0, following - settings.clock()))
        asked = settings.clock()
        left = last + lease_s - asked
        if left <= 0:
            context.stop_reason = "the lease was lost: no renewal has succeeded in time"
            return
        try:
            options = RequestOptions(timeout=min(left, lease_s / 3))
            renewed = yield from _ask(settings, routes.PERMITS__RENEW_LEASE, proof, options)
        except ProblemError as error:
            if error.problem is not None and error.problem["retry"] == "never":
                context.stop_reason = "the lease was lost: the call is no longer ours"
                return
            following = settings.clock() + lease_s / 30
        except Exception:
            # No answer, or the program has closed its client: the lease goes on for a while.
            following = settings.clock() + lease_s / 30
        else:
            if renewed["stop"]:
                context.stop_reason = "the call was stopped"
                return
            last, following = asked, asked + lease_s / 3


def _ask(settings: Settings, route: Route, body: dict[str, Any], options: RequestOptions | None) -> Flow[Any]:
    answer = yield from send(settings, request_of(route, (), body, {}, None), options)
    value = json_of(answer)
    if not isinstance(value, dict):
        raise WritError("the answer is no object: `url` may not be the address of Writ")
    return value
