# SPDX-License-Identifier: Apache-2.0
"""Receipts of a log of the tests' own, so that everything but one thing is genuine."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass, replace
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from vectors import vectors

from writ import CallReceipt, Expected, ReceiptVerificationError, verify_receipt
from writ._checkpoints import MerkleError, verify_inclusion
from writ._keys import SignatureError, Verifier, decode_base64
from writ._receipts import ACTION
from writ._schema import fault_of
from writ._strict_json import JsonError, parse_strictly

GOOD = next(one for one in vectors("receipts")["receipts"] if one["fails"] is None)
KEYS: str = vectors("receipts")["keys"]
PLACE: dict[str, Any] = json.loads(GOOD["file"])["inclusion"]
PAYLOAD_TYPE = "application/vnd.in-toto+json"


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def public(key: Ed25519PrivateKey) -> bytes:
    return key.public_key().public_bytes_raw()


RECORD_KEY = Ed25519PrivateKey.from_private_bytes(b"r" * 32)
LOG_KEY = Ed25519PrivateKey.from_private_bytes(b"l" * 32)
KEYID = Verifier(public(RECORD_KEY)).keyid


def keys(**more: Any) -> str:
    jwk = {"kty": "OKP", "crv": "Ed25519", "x": base64.urlsafe_b64encode(public(RECORD_KEY)).rstrip(b"=").decode()}
    return json.dumps(
        {"record_keys": [{"keyid": KEYID, "jwk": jwk, **more}], "log_keys": [f"test+{log_hash()}+{log()}"]}
    )


def log() -> str:
    return b64(b"\x01" + public(LOG_KEY))


def log_hash() -> str:
    return hashlib.sha256(b"test\n\x01" + public(LOG_KEY)).hexdigest()[:8]


@dataclass(frozen=True)
class Made:
    """What goes into a receipt. A part that is given replaces the genuine one, and is signed as it is."""

    record: dict[str, Any]
    statement: dict[str, Any] | None = None
    origin: str | None = None

    def file(self) -> str:
        payload = json.dumps(self.statement or statement_of(self.record)).encode()
        signature = RECORD_KEY.sign(f"DSSEv1 {len(PAYLOAD_TYPE)} {PAYLOAD_TYPE} {len(payload)} ".encode() + payload)
        envelope = {
            "payloadType": PAYLOAD_TYPE,
            "payload": b64(payload),
            "signatures": [{"keyid": KEYID, "sig": b64(signature)}],
        }
        root = hashlib.sha256(b"\0" + payload).digest()
        text = f"{self.origin or 'test/' + self.record['log_id']}\n1\n{b64(root)}\n"
        line = b64(bytes.fromhex(log_hash()) + LOG_KEY.sign(text.encode()))
        inclusion = {"leaf_index": 0, "tree_size": 1, "hashes": [], "checkpoint": f"{text}\n\u2014 test {line}\n"}
        media_type = "application/vnd.writ.receipt.v1+json"
        return json.dumps({"media_type": media_type, "envelope": envelope, "inclusion": inclusion})


def record(**changes: Any) -> dict[str, Any]:
    payload = base64.b64decode(json.loads(GOOD["file"])["envelope"]["payload"])
    return {**json.loads(payload)["predicate"], "kernel_key_id": KEYID, **changes}


def statement_of(of: dict[str, Any], **changes: Any) -> dict[str, Any]:
    action = json.dumps({"v": 1, **{name: of[name] for name in ACTION}}, sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(action.encode()).hexdigest()
    subject = [{"name": of["operation_id"] or of["record_id"], "digest": {"sha256": digest}}]
    if of["tx_outcome"] == "committed" and of["new_snapshot_id"] is not None:
        subject.append({"name": of["new_snapshot_id"], "digest": {"sha256": of["new_snapshot_id"][5:]}})
    kind = f"https://writ.dev/record/{of['kind']}/v1"
    made = {"_type": "https://in-toto.io/Statement/v1", "subject": subject, "predicateType": kind, "predicate": of}
    return {**made, **changes}


def failed(file: str | bytes, trusted: str | bytes | None = None, **expected: str) -> str | None:
    try:
        verify_receipt(file, keys() if trusted is None else trusted, Expected(**expected))
    except ReceiptVerificationError as error:
        return error.check
    return None


def test_a_receipt_verifies_and_says_what_was_checked() -> None:
    verified = verify_receipt(Made(record()).file(), keys(), Expected(deployment="test", log_id=record()["log_id"]))
    assert (verified.deployment, verified.tree_size, verified.record.tool_id) == ("test", 1, "shell.run")
    assert [name for name, _finding in verified.checks] == [
        "format", "payload_type", "signature", "statement", "record", "predicate_type", "subject", "record_key",
        "key_validity", "checkpoint", "origin", "tree_size", "inclusion", "expectation", "expectation",
    ]  # fmt: skip


def test_a_receipt_in_another_formatting_verifies() -> None:
    assert failed(json.dumps(json.loads(GOOD["file"]), indent=2, sort_keys=True), KEYS) is None
    size = PLACE["tree_size"]
    respelt = GOOD["file"].replace(f'"tree_size":{size}', f'"tree_size":{size * 10}e-1')
    assert respelt != GOOD["file"] and failed(respelt, KEYS) is None


@pytest.mark.parametrize(
    ("made", "check"),
    [
        (Made(record(more=1)), "record"),
        (Made({**record(), "v": True}), "record"),
        (Made(record(operation_id=record()["operation_id"] + "\n")), "record"),
        (Made(record(tenant_id="ten_01m8t71ja6ecps775k6ynsnpkh")), "record"),
        (Made(record(recorded_at=-1)), "record"),
        (Made(record(decision_hash=None)), "record"),
        (Made(record(phase=None)), "record"),
        (Made(record(usage_counted_by="host", budget_delta=None)), "record"),
        (
            Made(record(phase="decision", execution={"contained": False, "result": "claimed", "executor": None})),
            "record",
        ),
        (Made(record(redactions=[])), "record"),
        (Made(record(kernel_key_id="other")), "record_key"),
        (Made(record(), statement_of(record(), _type="other")), "statement"),
        (Made(record(), statement_of(record(), more=1)), "statement"),
        (Made(record(), statement_of(record(), predicateType="https://writ.dev/record/key/v1")), "predicate_type"),
        (Made(record(), statement_of(record(), predicate=record(tool_id="fs.read"))), "subject"),
        (Made(record(), statement_of(record(), subject=statement_of(record())["subject"][:1])), "subject"),
        (Made(record(), origin="test/log_01m8t71ja6ecps775k6ynsnpkh"), "origin"),
        (Made(record(), origin="other/" + record()["log_id"]), "origin"),
    ],
)
def test_a_signed_record_that_contradicts_itself_fails_by_its_check(made: Made, check: str) -> None:
    assert failed(made.file()) == check


@pytest.mark.parametrize(
    ("part", "check"),
    [
        (("envelope", "payloadType", "application/json"), "payload_type"),
        (("inclusion", "tree_size", PLACE["tree_size"] + 1), "tree_size"),
        (("inclusion", "leaf_index", PLACE["leaf_index"] - 1), "inclusion"),
        (("inclusion", "hashes", ["AAAA"]), "inclusion"),
        (("inclusion", "checkpoint", "x"), "checkpoint"),
        (("envelope", "signatures", []), "format"),
        (("envelope", "more", 1), "format"),
        (("media_type", "text/plain", None), "format"),
    ],
)
def test_a_receipt_with_another_part_fails_by_the_check_of_that_part(part: tuple[str, str, Any], check: str) -> None:
    receipt = json.loads(GOOD["file"])
    whole, name, value = part
    if isinstance(receipt[whole], str):
        receipt[whole] = name
    else:
        receipt[whole][name] = value
    assert failed(json.dumps(receipt), KEYS) == check


@pytest.mark.parametrize(
    ("more", "check"),
    [
        ({"not_after": record()["recorded_at"] - 1}, "key_validity"),
        ({"not_before": record()["recorded_at"] + 1}, "key_validity"),
        ({"not_before": record()["recorded_at"], "not_after": record()["recorded_at"]}, None),
        ({"revoked_from": record()["recorded_at"] + 1}, "key_validity"),
        ({"revoked_from": None}, "keys"),
        ({"more": 1}, "keys"),
        ({"keyid": "other"}, "keys"),
        ({"not_before": True}, "keys"),
    ],
)
def test_a_key_counts_as_its_times_say(more: dict[str, Any], check: str | None) -> None:
    assert failed(Made(record()).file(), keys(**more)) == check


@pytest.mark.parametrize("trusted", ["", "null", "{}", '{"record_keys":[],"log_keys":["x"]}', '{"deployments":[]}'])
def test_keys_that_are_none_are_refused(trusted: str) -> None:
    assert failed(GOOD["file"], trusted) == "keys"


def test_a_log_key_that_is_revoked_is_not_trusted() -> None:
    trusted = json.loads(keys())
    [key] = trusted["log_keys"]
    assert failed(Made(record()).file(), json.dumps({**trusted, "revoked_log_keys": [key]})) == "keys"
    assert (
        failed(Made(record()).file(), json.dumps({**trusted, "log_keys": [], "revoked_log_keys": [key]}))
        == "checkpoint"
    )
    other = json.dumps({**trusted, "log_keys": [key.replace(log_hash(), "00000000")]})
    assert failed(Made(record()).file(), other) == "keys"


SENT = Expected(
    tool_id="shell.run",
    agent_id=record()["agent_id"],
    capability_token_id=record()["capability_token_id"],
    workspace_id=record()["workspace_id"],
)


def test_a_receipt_of_what_was_sent_verifies_with_each_part_of_it_as_a_check() -> None:
    verified = CallReceipt(GOOD["file"], record()["operation_id"], SENT).verify(KEYS)
    assert [name for name, _finding in verified.checks].count("expectation") == 5


@pytest.mark.parametrize("name", ["tool_id", "agent_id", "capability_token_id", "workspace_id"])
def test_a_genuine_receipt_of_another_call_than_was_sent_fails(name: str) -> None:
    other = CallReceipt(GOOD["file"], record()["operation_id"], replace(SENT, **{name: "another"}))
    # Whoever verifies can't take back what was sent, and can expect what was not.
    bare = CallReceipt(GOOD["file"], other.operation_id)
    for receipt, expected in ((other, None), (other, SENT), (bare, Expected(**{name: "another"}))):
        with pytest.raises(ReceiptVerificationError, match="genuine but not of the") as caught:
            receipt.verify(KEYS, expected)
        assert caught.value.check == "expectation"


@pytest.mark.parametrize(
    "text",
    [
        '{"a":1,"a":1}', '{"a":1,"\\u0061":1}', "\ufeff1", '"\\ud800"', '"\\u0000"', "9007199254740992", "1e999", "NaN",
        "-Infinity", "[1,]", "1 2", "'a'", "", "[[1]]", "1" * 5_000, b"\xff", b'"\xed\xa0\x80"',
    ],
)  # fmt: skip
def test_json_with_two_meanings_is_refused(text: str | bytes) -> None:
    with pytest.raises(JsonError):
        parse_strictly(text, depth_max=1, bytes_max=4_000)


def test_json_that_is_nested_very_deep_is_refused() -> None:
    with pytest.raises(JsonError):
        parse_strictly("[" * 200_000, depth_max=16, bytes_max=1_000_000)


def test_numbers_of_json_are_what_they_are_in_other_languages() -> None:
    assert parse_strictly("[1.0,-0,1e3,0.5,9007199254740991]", depth_max=1, bytes_max=100) == [
        1,
        0,
        1000,
        0.5,
        2**53 - 1,
    ]
    assert all(type(one) is int for one in parse_strictly("[1.0,-0.0,1e3]", depth_max=1, bytes_max=100))


@pytest.mark.parametrize("text", ["AA", "AAA", "AB==", "A A=", "AAAA\n", "-_-_", "é", "AAAA===="])
def test_another_spelling_of_base64_is_refused(text: str) -> None:
    with pytest.raises(SignatureError):
        decode_base64(text)


@pytest.mark.parametrize(
    "key", [b"\0" * 32, b"\1" + b"\0" * 30 + b"\x80", b"\xee" + b"\xff" * 31, b"\xf0" + b"\xff" * 30 + b"\x7f", b"x"]
)
def test_a_key_under_which_many_messages_verify_is_refused(key: bytes) -> None:
    with pytest.raises(SignatureError):
        Verifier(key)


def test_a_signature_verifies_for_its_bytes_alone() -> None:
    verifier, signature = Verifier(public(RECORD_KEY)), RECORD_KEY.sign(b"a")
    verifier.verify(b"a", signature)
    for data, other in ((b"b", signature), (b"a", signature[:-1]), (b"a", b"\1" + b"\0" * 63), (b"a", bytes(64))):
        with pytest.raises(SignatureError):
            verifier.verify(data, other)


def test_a_signature_of_small_order_is_refused_though_it_verifies() -> None:
    order = 2**252 + 27742317777372353535851937790883648493
    scalar = int.from_bytes(hashlib.sha512(b"r" * 32).digest()[:32], "little") & (1 << 254) - 8 | 1 << 254
    point = b"\1" + bytes(31)
    digest = int.from_bytes(hashlib.sha512(point + public(RECORD_KEY) + b"a").digest(), "little")
    signature = point + (digest * scalar % order).to_bytes(32, "little")
    RECORD_KEY.public_key().verify(signature, b"a")
    with pytest.raises(SignatureError):
        Verifier(public(RECORD_KEY)).verify(b"a", signature)


def node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\1" + left + right).digest()


def proof(leaves: list[bytes], at: int) -> tuple[bytes, list[bytes]]:
    """The root over leaves, and the path of one, by the recursive definition of RFC 9162 §2.1."""
    if len(leaves) == 1:
        return hashlib.sha256(b"\0" + leaves[0]).digest(), []
    split = 1 << (len(leaves) - 1).bit_length() - 1
    if at < split:
        (left, path), (right, _) = proof(leaves[:split], at), proof(leaves[split:], 0)
        return node(left, right), [*path, right]
    (left, _), (right, path) = proof(leaves[:split], 0), proof(leaves[split:], at - split)
    return node(left, right), [*path, left]


def test_each_leaf_of_each_tree_is_proved_at_its_place_and_at_no_other() -> None:
    for size in range(1, 18):
        leaves = [bytes([one]) for one in range(size)]
        for at in range(size):
            root, path = proof(leaves, at)
            verify_inclusion(leaves[at], at, size, path, root)
            wrong = [(leaves[at] + b"!", at, path), (leaves[at], at, [*path, root]), (leaves[at], size, path)]
            wrong += [(leaves[at], (at + 1) % size, path)] if size > 1 else []
            wrong += [(leaves[at], at, path[:-1])] if path else []
            for leaf, place, given in wrong:
                with pytest.raises(MerkleError):
                    verify_inclusion(leaf, place, size, given, root)


def test_a_leaf_is_not_proved_in_a_larger_tree_by_the_root_of_a_smaller_one() -> None:
    root, path = proof([b"a"], 0)
    with pytest.raises(MerkleError, match="too short"):
        verify_inclusion(b"a", 0, 2, path, root)


def test_true_is_no_number_and_one_is_not_true() -> None:
    for schema, value in (
        ({"const": 1}, True),
        ({"enum": [0]}, False),
        ({"const": True}, 1),
        ({"type": "integer"}, True),
    ):
        assert fault_of(schema, value) == ""
    assert fault_of({"enum": [0, True]}, True) is None


def test_a_keyword_that_nobody_checks_is_a_bug_and_no_pass() -> None:
    with pytest.raises(RuntimeError, match="not"):
        fault_of({"type": "string", "format": "date"}, "x")
