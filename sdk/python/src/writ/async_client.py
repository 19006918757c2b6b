# SPDX-License-Identifier: Apache-2.0
"""The client for programs that await. `client.py` is the same for programs that block."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from functools import cached_property
from types import TracebackType
from typing import Any

import httpx

from . import _approvals, _calls, _functions, models
from ._async_shell import AsyncShell
from ._calls import CallView
from ._flow import Settings
from ._functions import OwnFunction
from ._generated.async_groups import AsyncApiGroups, AsyncApprovalsApi
from ._model import parse
from ._options import RETRIES, TIMEOUT_S, RequestOptions
from ._paths import address_of, key_of
from ._receipts import CallReceipt


class AsyncCall(CallView):
    """A call as it was when it was read, with what a program may ask about it."""

    _shell: AsyncShell

    async def result(self, *, timeout: float | None = None, options: RequestOptions | None = None) -> Any:
        """The result of the tool, when the call has ended. Raises CallRefusedError, CallFailedError, TimeoutError."""
        return _calls.result_of(await self.settled(timeout=timeout, options=options))

    async def settled(self, *, timeout: float | None = None, options: RequestOptions | None = None) -> AsyncCall:
        """The call when it has ended. Without `timeout` it waits for as long as the approval may take."""
        view = await self._shell.run(_calls.settle(self._shell.settings, self, timeout, options))
        return _of(self._shell, view)

    async def decided(self, *, timeout: float | None = None, options: RequestOptions | None = None) -> AsyncCall:
        """The call when no person is waited for any more: it has ended, or runs, or waits for its caller to run it."""
        view = await self._shell.run(_calls.decided(self._shell.settings, self, timeout, options))
        return _of(self._shell, view)

    async def receipt(self, *, options: RequestOptions | None = None) -> CallReceipt:
        """The receipt of its outcome, else of its decision: it waits until the record is in the log."""
        return await self._shell.run(_calls.receipt(self._shell.settings, self, options))

    async def operation(self, *, options: RequestOptions | None = None) -> models.Operation:
        """The operation as it is now."""
        flow = _calls.read(self._shell.settings, self.operation_id, 0, options)
        operation: models.Operation = parse(models.Operation, await self._shell.run(flow))
        return operation

    async def cancel(self, *, options: RequestOptions | None = None) -> models.Operation:
        """Cancels the call, unless it has ended."""
        flow = _calls.cancel(self._shell.settings, self.operation_id, options)
        operation: models.Operation = parse(models.Operation, await self._shell.run(flow))
        return operation


def _of(shell: AsyncShell, view: CallView) -> AsyncCall:
    call = AsyncCall(**_calls.fields_of(view))
    # The view is frozen, and this is no part of it.
    object.__setattr__(call, "_shell", shell)
    return call


class AsyncApprovals(AsyncApprovalsApi):
    """Approvals, with what the API's own routes do."""

    def pending(self) -> AsyncIterator[models.Approval]:
        """Approvals that wait, those of now and then those that come, each once it can be decided.

        It goes on until you leave it. An approval comes again where its effect was previewed anew, because that is
        another decision.
        """
        return self._shell.iterate(_approvals.pending(self._shell.settings))

    async def approve(
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
        return await super().approve(*_approvals.decided(approval_id, body), options=options)

    async def deny(
        self,
        approval_id: models.Approval | str,
        body: models.DenyRequest | Mapping[str, Any] | None = None,
        /,
        *,
        options: RequestOptions | None = None,
    ) -> models.Operation:
        """Denies a call."""
        return await super().deny(_approvals.id_of(approval_id), body, options=options)


class AsyncClient(AsyncApiGroups):
    """A client of Writ with one key. Each group of the API's routes is a member, such as `agents` and `workspaces`."""

    def __init__(
        self,
        url: str | None,
        api_key: str | None,
        *,
        timeout: float = TIMEOUT_S,
        retries: int = RETRIES,
        headers: Mapping[str, str] | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """`url` is the address of the API, such as `http://127.0.0.1:7480`. `api_key` is an API key or an access token;
        None for the routes that need none. `transport` is instead of that of httpx. Raises UsageError.
        """
        settings = Settings(address_of(url), key_of(api_key), timeout, retries, dict(headers or {}))
        super().__init__(AsyncShell(settings, httpx.AsyncClient(transport=transport)))

    @cached_property
    def approvals(self) -> AsyncApprovals:
        return AsyncApprovals(self._shell)

    async def call(
        self,
        tool_id: str,
        args: Mapping[str, Any] | None = None,
        *,
        wait: float = 30.0,
        idempotency_key: str | None = None,
        fields: Mapping[str, Any] | None = None,
        options: RequestOptions | None = None,
    ) -> AsyncCall:
        """Proposes a call and waits for its end, up to `wait` seconds, at most 55. A refusal is an outcome, no error.

        `fields` are further members of the call, such as `workspace_id`, `dry_run` or `session_id`. Every attempt has
        the same idempotency key, so the call happens once. Raises ProblemError, ConnectionError, TimeoutError where
        there is no outcome.
        """
        given = _calls.keyed(options, idempotency_key)
        flow = _calls.propose(self._shell.settings, tool_id, args or {}, wait=wait, more=fields or {}, options=given)
        return _of(self._shell, await self._shell.run(flow))

    async def read_call(self, operation_id: str, *, options: RequestOptions | None = None) -> AsyncCall:
        """A call by its operation alone, as it is now: for a program that began it in another process."""
        operation = await self._shell.run(_calls.read(self._shell.settings, operation_id, 0, options))
        return _of(self._shell, _calls.view_of(operation))

    async def perform(
        self,
        tool_id: str,
        args: Mapping[str, Any],
        run: OwnFunction,
        *,
        wait: float = 30.0,
        idempotency_key: str | None = None,
        fields: Mapping[str, Any] | None = None,
        options: RequestOptions | None = None,
    ) -> AsyncCall:
        """Makes a call of a function that this process runs itself, declared with `mode: caller`.

        It runs where the call is admitted, and nowhere else: a refused or held call is returned as it is. Resume a held
        one with `resume`. `run` may be a coroutine function. A plain one holds up the event loop, and its lease.
        """
        given = _calls.keyed(options, idempotency_key)
        flow = _calls.propose(self._shell.settings, tool_id, args, wait=wait, more=fields or {}, options=given)
        return await self._run(await self._shell.run(flow), run, options)

    async def resume(self, operation_id: str, run: OwnFunction, *, options: RequestOptions | None = None) -> AsyncCall:
        """Goes on with a call of `perform` by its operation alone, also in another process: where a person has approved
        it, the function runs. Otherwise the call is returned as it is now.
        """
        operation = await self._shell.run(_calls.read(self._shell.settings, operation_id, 0, options))
        return await self._run(_calls.view_of(operation), run, options)

    async def _run(self, call: CallView, run: OwnFunction, options: RequestOptions | None) -> AsyncCall:
        flow = _functions.run_own(self._shell.settings, call, run, options)
        return _of(self._shell, await self._shell.run(flow))

    async def aclose(self) -> None:
        """Closes its connections."""
        await self._shell.http.aclose()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
