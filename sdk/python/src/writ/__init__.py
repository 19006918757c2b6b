# SPDX-License-Identifier: Apache-2.0
"""Governed tool calls, approvals and receipts of Writ."""

from . import models
from ._calls import CallView
from ._errors import (
    CallError,
    CallFailedError,
    CallRefusedError,
    ConnectionError,
    NoEffectError,
    ProblemError,
    ReceiptVerificationError,
    TimeoutError,
    UsageError,
    WritError,
)
from ._functions import FunctionContext, OwnFunction
from ._governed import GovernedTool, declarations_of
from ._options import RequestOptions
from ._receipts import CallReceipt, Expected, VerifiedReceipt, verify_receipt
from ._sse import ServerEvent
from .async_client import AsyncCall, AsyncClient
from .client import Call, Client

__all__ = [
    "AsyncCall",
    "AsyncClient",
    "Call",
    "CallError",
    "CallFailedError",
    "CallReceipt",
    "CallRefusedError",
    "CallView",
    "Client",
    "ConnectionError",
    "Expected",
    "FunctionContext",
    "GovernedTool",
    "NoEffectError",
    "OwnFunction",
    "ProblemError",
    "ReceiptVerificationError",
    "RequestOptions",
    "ServerEvent",
    "TimeoutError",
    "UsageError",
    "VerifiedReceipt",
    "WritError",
    "declarations_of",
    "models",
    "verify_receipt",
]
