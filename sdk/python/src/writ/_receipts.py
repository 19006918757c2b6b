# SPDX-License-Identifier: Apache-2.0
"""Verifies receipts offline, from public keys and nothing else.

INVARIANT (signed only): every returned value comes from bytes that a trusted key signed, parsed after the signature was
checked. The checks, their names and their order are those of `libs/receipt`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from . import models
from ._checkpoints import Checkpoint, MerkleError, read_checkpoint, verify_inclusion
from ._errors import ReceiptVerificationError
from ._generated.record_schema import RECORD_SCHEMA
from ._keys import KeySet, RecordKey, SignatureError, decode_base64, parse_key_set
from ._model import parse
from ._schema import fault_of
from ._strict_json import JsonError, parse_strictly

MEDIA_TYPE = "application/vnd.writ.receipt.v1+json"
PAYLOAD_TYPE = "application/vnd.in-toto+json"
STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
#: Four times the size of a record of 16 KiB, 53 hashes and a checkpoint; bounds the work on a hostile file.
RECEIPT_BYTES_MAX = 128 * 1024
RECEIPT_DEPTH = 4
#: Deeper than any record, which has lists and objects of scalars only.
STATEMENT_DEPTH = 16
#: The last millisecond that a date of JavaScript can hold: no record is later.
INSTANT_MAX = 8_640_000_000_000_000
#: The members of a record that its action digest is over.
ACTION = (
    "tool_id", "tool_definition_digest", "args_hash", "capability_token_id", "policy_hash", "state_snapshot_id",
    "image_digest",
)  # fmt: skip

#: What each expectation is of, in messages.
NAMES = {
    "operation_id": "operation",
    "log_id": "log",
    "deployment": "deployment",
    "tool_id": "tool",
    "agent_id": "agent",
    "capability_token_id": "capability token",
    "workspace_id": "workspace",
}

_TEXT: dict[str, Any] = {"type": "string"}
_SHA256 = {"type": "string", "pattern": "^[0-9a-f]{64}$"}


def _closed(**members: Any) -> dict[str, Any]:
    return {"type": "object", "required": list(members), "properties": members, "additionalProperties": False}


def _list_of(items: Any, **bounds: int) -> dict[str, Any]:
    return {"type": "array", "items": items, **bounds}


_COUNT = {"type": "integer", "minimum": 0}
RECEIPT_SCHEMA = _closed(
    media_type={"const": MEDIA_TYPE},
    envelope=_closed(
        payloadType=_TEXT, payload=_TEXT, signatures=_list_of(_closed(keyid=_TEXT, sig=_TEXT), minItems=1, maxItems=1)
    ),
    inclusion=_closed(leaf_index=_COUNT, tree_size=_COUNT, hashes=_list_of(_TEXT), checkpoint=_TEXT),
)
_SUBJECT = _closed(name={"type": "string", "minLength": 1, "maxLength": 128}, digest=_closed(sha256=_SHA256))
STATEMENT_SCHEMA = _closed(
    _type={"const": STATEMENT_TYPE},
    subject=_list_of(_SUBJECT, minItems=1, maxItems=2),
    predicateType=_TEXT,
    predicate={},
)


@dataclass(frozen=True)
class Expected:
    """What a program knows of the receipt that it wants. A genuine receipt of another call fails."""

    operation_id: str | None = None
    log_id: str | None = None
    deployment: str | None = None
    tool_id: str | None = None
    agent_id: str | None = None
    capability_token_id: str | None = None
    workspace_id: str | None = None


@dataclass(frozen=True)
class VerifiedReceipt:
    """A receipt that verified: all of it comes from bytes that a trusted key signed."""

    deployment: str
    record: models.AuditRecord
    #: each check that passed, with its finding for people
    checks: tuple[tuple[str, str], ...]
    tree_size: int


@dataclass(frozen=True)
class CallReceipt:
    """The receipt of a call, as the API returned it."""

    text: str
    operation_id: str
    #: what the program sent; empty where it did not propose the call
    sent: Expected = field(default_factory=Expected)

    def verify(self, trusted: str | bytes, expected: Expected | None = None) -> VerifiedReceipt:
        """Verifies it as the receipt of its call: of the operation, and with what this program sent.

        INVARIANT (what was sent): the answer that named the operation is no proof, since whoever answers may name
        another genuine call. What was not sent isn't compared, unless `expected` has it. Raises
        ReceiptVerificationError.
        """
        sent = {name: value for name, value in vars(self.sent).items() if value is not None}
        wanted = replace(expected or Expected(), **{**sent, "operation_id": self.operation_id})
        return verify_receipt(self.text, trusted, wanted)


def verify_receipt(file: str | bytes, trusted: str | bytes, expected: Expected | None = None) -> VerifiedReceipt:
    """Verifies a receipt offline: the signature of its record, and the proof that the record is in the log.

    `trusted` is the `writ-keys.json` that you keep: whoever sends keys could have made the receipt, too. Raises
    ReceiptVerificationError with the check that failed, and nothing else, for any file.
    """
    keys = parse_key_set(trusted)
    checks: list[tuple[str, str]] = []
    with _within("format"):
        receipt = parse_strictly(file, depth_max=RECEIPT_DEPTH, bytes_max=RECEIPT_BYTES_MAX)
    _demand_shape("format", RECEIPT_SCHEMA, receipt)
    checks.append(("format", MEDIA_TYPE))
    payload, keyid = _verify_signature(receipt["envelope"], keys, checks)
    record = _read_record(payload, checks)
    _verify_record_key(record, keyid, keys.record_keys[keyid], checks)
    found = _verify_log(receipt["inclusion"], payload, record, keys, checks)
    for name, wanted in vars(expected or Expected()).items():
        if wanted is not None:
            actual = found if name == "deployment" else record[name]
            _demand("expectation", actual == wanted, f"the receipt is genuine but not of the {NAMES[name]} `{wanted}`")
            checks.append(("expectation", f"{NAMES[name]} `{wanted}`"))
    model: models.AuditRecord = parse(models.AuditRecord, record)
    return VerifiedReceipt(found, model, tuple(checks), receipt["inclusion"]["tree_size"])


def _verify_signature(envelope: dict[str, Any], keys: KeySet, checks: list[tuple[str, str]]) -> tuple[bytes, str]:
    """The payload of a DSSE envelope, and the key that signed it."""
    _demand("payload_type", envelope["payloadType"] == PAYLOAD_TYPE, "the envelope carries another payload type")
    checks.append(("payload_type", PAYLOAD_TYPE))
    [signature] = envelope["signatures"]
    keyid = signature["keyid"]
    with _within("signature"):
        payload = decode_base64(envelope["payload"])
        key = keys.record_keys.get(keyid)
        if key is None:
            raise SignatureError(f"`{keyid}` is no record key that is trusted")
        signed = f"DSSEv1 {len(PAYLOAD_TYPE)} {PAYLOAD_TYPE} {len(payload)} ".encode() + payload
        key.verifier.verify(signed, decode_base64(signature["sig"]))
    checks.append(("signature", f"record key `{keyid}`"))
    return payload, keyid


def _read_record(payload: bytes, checks: list[tuple[str, str]]) -> dict[str, Any]:
    """The record in a payload whose signature was verified."""
    with _within("statement"):
        statement = parse_strictly(payload, depth_max=STATEMENT_DEPTH, bytes_max=RECEIPT_BYTES_MAX)
    _demand_shape("statement", STATEMENT_SCHEMA, statement)
    checks.append(("statement", "in-toto Statement v1"))
    record: dict[str, Any] = statement["predicate"]
    _demand_shape("record", RECORD_SCHEMA, record)
    _require_consistent(record)
    checks.append(("record", f"`{record['record_id']}`"))
    kind = f"https://writ.dev/record/{record['kind']}/v1"
    _demand("predicate_type", statement["predicateType"] == kind, "the predicate type is of another kind")
    checks.append(("predicate_type", kind))
    _require_subjects(statement["subject"], record)
    named = ", ".join(f"`{one['name']}` sha256:{one['digest']['sha256']}" for one in statement["subject"])
    checks.append(("subject", named))
    return record


def _require_consistent(record: dict[str, Any]) -> None:
    is_call, is_outcome = record["kind"] == "tool_call", record["phase"] == "outcome"
    is_decision = record["phase"] == "decision"
    named = record["decision_record_id"] is not None and record["decision_hash"] is not None
    rules = [
        (record["log_id"][4:] == record["tenant_id"][4:], "the record is of another tenant than its log"),
        (0 <= record["recorded_at"] <= INSTANT_MAX, "the record was made at no possible time"),
        (not is_outcome or named, "the outcome names no decision"),
        ("usage_counted_by" not in record or record["budget_delta"] is not None, "it says who counted no usage"),
        ("execution" not in record or (is_call and is_outcome), "it says who executed, and is of no outcome of a call"),
        ("redactions" not in record or (is_call and is_decision), "it says what is redacted, and is of no decision"),
        (not is_call or (record["phase"] and record["operation_id"]), "the call has no phase or operation"),
    ]
    for is_met, otherwise in rules:
        _demand("record", bool(is_met), otherwise)


def _require_subjects(subjects: list[dict[str, Any]], record: dict[str, Any]) -> None:
    """The subjects are exactly the operation, by its action digest, and the root that the record commits."""
    first, *rest = subjects
    name = record["operation_id"] or record["record_id"]
    _demand("subject", first["name"] == name, "the first subject is not the record's operation")
    # Texts and null alone, so this is the text of RFC 8785.
    action = json.dumps(
        {"v": 1, **{member: record[member] for member in ACTION}},
        sort_keys=True, separators=(",", ":"), ensure_ascii=False,
    )  # fmt: skip
    digest = hashlib.sha256(action.encode()).hexdigest()
    is_same = record["kind"] != "tool_call" or first["digest"]["sha256"] == digest
    _demand("subject", is_same, "the subject's digest is not that of the record's action")
    root = record["new_snapshot_id"] if record["tx_outcome"] == "committed" else None
    roots = [] if root is None else [{"name": root, "digest": {"sha256": root[len("snap_") :]}}]
    _demand("subject", rest == roots, "the second subject is not the root that the record commits")


def _verify_record_key(record: dict[str, Any], keyid: str, key: RecordKey, checks: list[tuple[str, str]]) -> None:
    _demand("record_key", record["kernel_key_id"] == keyid, "the record names another key than the one that signed it")
    checks.append(("record_key", f"`{keyid}`"))
    at = record["recorded_at"]
    is_early = key.not_before is not None and at < key.not_before
    is_late = key.not_after is not None and at > key.not_after
    _demand("key_validity", not is_early and not is_late, "the key was not valid when the record was made")
    # INVARIANT (no thief's word): a time that the holder of a record key can write decides nothing.
    unproven = "the key was revoked, and this library can't prove that the record is older: use `writ verify`"
    _demand("key_validity", key.revoked_from is None, unproven)
    checks.append(("key_validity", f"at {at}"))


def _verify_log(
    inclusion: dict[str, Any], payload: bytes, record: dict[str, Any], keys: KeySet, checks: list[tuple[str, str]]
) -> str:
    """Verifies that the log has the record, and returns the deployment whose log it is."""
    with _within("checkpoint"):
        checkpoint = read_checkpoint(inclusion["checkpoint"], keys.log_keys)
    signed = ", ".join(f"`{key.name}+{key.key_hash}`" for key in checkpoint.signed_by)
    checks.append(("checkpoint", f"log key {signed}"))
    deployment = _verify_origin(checkpoint, record["log_id"])
    checks.append(("origin", f"`{checkpoint.origin}`"))
    size, index = inclusion["tree_size"], inclusion["leaf_index"]
    _demand("tree_size", size == checkpoint.tree_size, "the proof is for another tree size than the checkpoint")
    checks.append(("tree_size", str(size)))
    with _within("inclusion"):
        hashes = [decode_base64(one) for one in inclusion["hashes"]]
        verify_inclusion(payload, index, size, hashes, checkpoint.root)
    checks.append(("inclusion", f"leaf {index} of {size}"))
    return deployment


def _verify_origin(checkpoint: Checkpoint, log_id: str) -> str:
    """The log's own key is the one whose name, with the record's log, is the origin."""
    for key in checkpoint.signed_by:
        if checkpoint.origin == f"{key.name}/{log_id}":
            return key.name
    raise ReceiptVerificationError("origin", "the checkpoint is of another log than the record's, or of another key")


def _demand(check: str, is_met: bool, otherwise: str) -> None:
    if not is_met:
        raise ReceiptVerificationError(check, otherwise)


def _demand_shape(check: str, schema: dict[str, Any], value: Any) -> None:
    fault = fault_of(schema, value)
    _demand(check, fault is None, f"it has another shape, at `{fault}`")


@contextmanager
def _within(check: str) -> Iterator[None]:
    try:
        yield
    except (JsonError, SignatureError, MerkleError) as error:
        raise ReceiptVerificationError(check, str(error)) from error
