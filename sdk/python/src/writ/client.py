# SPDX-License-Identifier: Apache-2.0
"""The client for programs that block. `async_client.py` is the same for programs that await."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from types import TracebackType
from typing import Any

import httpx

from . import _approvals, _calls, _functions, models
from ._calls import CallView
from ._flow import Settings
from ._functions import OwnFunction
from ._generated.groups import ApiGroups, ApprovalsApi
from ._model import parse
from ._options import RETRIES, TIMEOUT_S, RequestOptions
from ._paths import address_of, key_of
from ._receipts import CallReceipt
from ._shell import Shell


class Call(CallView):
    """A call as it was when it was read, with what a program may ask about it."""

    _shell: Shell

    def result(self, *, timeout: float | None = None, options: RequestOptions | None = None) -> Any:
        """The result of the tool, when the call has ended. Raises CallRefusedError, CallFailedError, TimeoutError."""
        return _calls.result_of(self.settled(timeout=timeout, options=options))

    def settled(self, *, timeout: float | None = None, options: RequestOptions | None = None) -> Call:
        """The call when it has ended. Without `timeout` it waits for as long as the approval may take."""
        view = self._shell.run(_calls.settle(self._shell.settings, self, timeout, options))
        return _of(self._shell, view)

    def decided(self, *, timeout: float | None = None, options: RequestOptions | None = None) -> Call:
        """The call when no person is waited for any more: it has ended, or runs, or waits for its caller to run it."""
        view = self._shell.run(_calls.decided(self._shell.settings, self, timeout, options))
        return _of(self._shell, view)

    def receipt(self, *, options: RequestOptions | None = None) -> CallReceipt:
        """The receipt of its outcome, else of its decision: it waits until the record is in the log."""
        return self._shell.run(_calls.receipt(self._shell.settings, self, options))

    def operation(self, *, options: RequestOptions | None = None) -> models.Operation:
        """The operation as it is now."""
        flow = _calls.read(self._shell.settings, self.operation_id, 0, options)
        operation: models.Operation = parse(models.Operation, self._shell.run(flow))
        return operation

    def cancel(self, *, options: RequestOptions | None = None) -> models.Operation:
        """Cancels the call, unless it has ended."""
        flow = _calls.cancel(self._shell.settings, self.operation_id, options)
        operation: models.Operation = parse(models.Operation, self._shell.run(flow))
        return operation


def _of(shell: Shell, view: CallView) -> Call:
    call = Call(**_calls.fields_of(view))
    # The view is frozen, and this is no part of it.
    object.__setattr__(call, "_shell", shell)
    return call


class Approvals(ApprovalsApi):
    """Approvals, with what the API's own routes do."""

    def pending(self) -> Iterator[models.Approval]:
        """Approvals that wait, those of now and then those that come, each once it can be decided.

        It goes on until you leave it. An approval comes again where its effect was previewed anew, because that is
        another decision.
        """
        return self._shell.iterate(_approvals.pending(self._shell.settings))

    def approve(
        self,
        approval_id: models.Approval | str,
        body: models.ApproveRequest | Mapping[str, Any] | None = None,
        /,
        *,
        options: RequestOptions | None = None,
    ) -> models.Operation:
        """Approves what was shown: an approval that you read names its effect, and with another nothing is approved.

        By its id, the body alone says what you approve.
        """
        return super().approve(*_approvals.decided(approval_id, body), options=options)

    def deny(
        self,
        approval_id: models.Approval | str,
        body: models.DenyRequest | Mapping[str, Any] | None = None,
        /,
        *,
        options: RequestOptions | None = None,
    ) -> models.Operation:
        """Denies a call."""
        return super().deny(_approvals.id_of(approval_id), body, options=options)


class Client(ApiGroups):
    """A client of Writ with one key. Each group of the API's routes is a member, such as `agents` and `workspaces`."""

    def __init__(
        self,
        url: str | None,
        api_key: str | None,
        *,
        timeout: float = TIMEOUT_S,
        retries: int = RETRIES,
        headers: Mapping[str, str] | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """`url` is the address of the API, such as `http://127.0.0.1:7480`. `api_key` is an API key or an access token;
        None for the routes that need none. `transport` is instead of that of httpx. Raises UsageError.
        """
        settings = Settings(address_of(url), key_of(api_key), timeout, retries, dict(headers or {}))
        super().__init__(Shell(settings, httpx.Client(transport=transport)))

    @cached_property
    def approvals(self) -> Approvals:
        return Approvals(self._shell)

    def call(
        self,
        tool_id: str,
        args: Mapping[str, Any] | None = None,
        *,
        wait: float = 30.0,
        idempotency_key: str | None = None,
        fields: Mapping[str, Any] | None = None,
        options: RequestOptions | None = None,
    ) -> Call:
        """Proposes a call and waits for its end, up to `wait` seconds, at most 55. A refusal is an outcome, no error.

        `fields` are further members of the call, such as `workspace_id`, `dry_run` or `session_id`. Every attempt has
        the same idempotency key, so the call happens once. Raises ProblemError, ConnectionError, TimeoutError where
        there is no outcome.
        """
        given = _calls.keyed(options, idempotency_key)
        flow = _calls.propose(self._shell.settings, tool_id, args or {}, wait=wait, more=fields or {}, options=given)
        return _of(self._shell, self._shell.run(flow))

    def read_call(self, operation_id: str, *, options: RequestOptions | None = None) -> Call:
        """A call by its operation alone, as it is now: for a program that began it in another process."""
        operation = self._shell.run(_calls.read(self._shell.settings, operation_id, 0, options))
        return _of(self._shell, _calls.view_of(operation))

    def perform(
        self,
        tool_id: str,
        args: Mapping[str, Any],
        run: OwnFunction,
        *,
        wait: float = 30.0,
        idempotency_key: str | None = None,
        fields: Mapping[str, Any] | None = None,
        options: RequestOptions | None = None,
    ) -> Call:
        """Makes a call of a function that this process runs itself, declared with `mode: caller`.

        It runs where the call is admitted, and nowhere else: a refused or held call is returned as it is. Resume a held
        one with `resume`.
        """
        given = _calls.keyed(options, idempotency_key)
        flow = _calls.propose(self._shell.settings, tool_id, args, wait=wait, more=fields or {}, options=given)
        return self._run(self._shell.run(flow), run, options)

    def resume(self, operation_id: str, run: OwnFunction, *, options: RequestOptions | None = None) -> Call:
        """Goes on with a call of `perform` by its operation alone, also in another process: where a person has approved
        it, the function runs. Otherwise the call is returned as it is now.
        """
        operation = self._shell.run(_calls.read(self._shell.settings, operation_id, 0, options))
        return self._run(_calls.view_of(operation), run, options)

    def _run(self, call: CallView, run: OwnFunction, options: RequestOptions | None) -> Call:
        flow = _functions.run_own(self._shell.settings, call, run, options)
        return _of(self._shell, self._shell.run(flow))

    def close(self) -> None:
        """Closes its connections."""
        self._shell.http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
