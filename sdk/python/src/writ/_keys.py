# SPDX-License-Identifier: Apache-2.0
"""Ed25519 keys of records and of checkpoints, and the set of keys that a program trusts."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
import unicodedata
from dataclasses import dataclass
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from ._errors import ReceiptVerificationError
from ._strict_json import JsonError, parse_strictly

#: Enough for hundreds of keys; bounds the work on a hostile file.
KEYS_BYTES_MAX = 256 * 1024
#: The file, the list, an entry, its JWK, and further members of a JWK.
KEYS_DEPTH = 8
#: C2SP's type of a plain Ed25519 signature of a note.
NOTE_ED25519 = b"\x01"

#: The encodings of points of small order on edwards25519, without the sign: https://eprint.iacr.org/2020/1244, table 1.
SMALL_ORDER = frozenset(
    bytes.fromhex(point)
    for point in (
        "00" * 32,
        "01" + "00" * 31,
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "ec" + "ff" * 30 + "7f",
        "ed" + "ff" * 30 + "7f",
        "ee" + "ff" * 30 + "7f",
    )
)
P = 2**255 - 19


class SignatureError(ValueError):
    """A key, a signature or an encoding that is not good."""


def decode_base64(text: str, *, url: bool = False) -> bytes:
    """Accepts one spelling alone, so changing any byte of an encoding changes its meaning. Raises SignatureError."""
    try:
        data = text.encode("ascii")
        decoded = base64.urlsafe_b64decode(data + b"=" * (-len(data) % 4)) if url else base64.b64decode(data)
    except (UnicodeError, binascii.Error):
        raise SignatureError("it is no base64") from None
    again = base64.urlsafe_b64encode(decoded).rstrip(b"=") if url else base64.b64encode(decoded)
    if again != data:
        raise SignatureError("it is another spelling of base64")
    return decoded


def _is_weak(point: bytes) -> bool:
    """Whether it is a point of small order, under which a signature is valid for many messages, or one that is encoded
    beyond p, which is a second encoding.
    """
    y = point[:31] + bytes([point[31] & 0x7F])
    return y in SMALL_ORDER or int.from_bytes(y, "little") >= P


class Verifier:
    """A public key."""

    def __init__(self, public_key: bytes) -> None:
        if len(public_key) != 32 or _is_weak(public_key):
            raise SignatureError("it is no key of Ed25519")
        self._key = Ed25519PublicKey.from_public_bytes(public_key)
        x = base64.urlsafe_b64encode(public_key).rstrip(b"=").decode()
        # RFC 7638: the required members in lexical order without white space.
        thumbprint = hashlib.sha256(
            json.dumps({"crv": "Ed25519", "kty": "OKP", "x": x}, separators=(",", ":")).encode()
        )
        self.keyid = base64.urlsafe_b64encode(thumbprint.digest()).rstrip(b"=").decode()

    def verify(self, data: bytes, signature: bytes) -> None:
        """Returns if this key signed exactly these bytes. Raises SignatureError."""
        try:
            if len(signature) != 64 or signature[:31] + bytes([signature[31] & 0x7F]) in SMALL_ORDER:
                raise InvalidSignature
            self._key.verify(signature, data)
        except InvalidSignature:
            raise SignatureError("the signature is not good") from None


@dataclass(frozen=True)
class RecordKey:
    verifier: Verifier
    #: first and last millisecond in which the key may have signed; None for no limit
    not_before: int | None
    not_after: int | None
    #: the millisecond from which somebody else may have had the key; None for a key that was not revoked
    revoked_from: int | None


@dataclass(frozen=True)
class NoteKey:
    """A key that may sign checkpoints, identified by name and hash together."""

    name: str
    key_hash: str
    verifier: Verifier


@dataclass(frozen=True)
class KeySet:
    record_keys: dict[str, RecordKey]
    log_keys: list[NoteKey]


def is_note_name(name: str) -> bool:
    """Whether a text can be a key's name: not empty, no space of Unicode, no control character, no plus."""
    return name != "" and not any(
        character in "+\ufeff" or character.isspace() or unicodedata.category(character) in ("Cc", "Cs", "Zs")
        for character in name
    )


def parse_note_key(text: str) -> NoteKey:
    """Parses `<name>+<hash>+<base64(type ‖ public key)>`. Raises SignatureError."""
    parts = text.split("+", 2)
    if len(parts) != 3 or not is_note_name(parts[0]):
        raise SignatureError(f"`{text}` is no key of a note")
    name, key_hash, encoded = parts
    key = decode_base64(encoded)
    expected = hashlib.sha256(f"{name}\n".encode() + NOTE_ED25519 + key[1:]).hexdigest()[:8]
    if key[:1] != NOTE_ED25519 or expected != key_hash:
        raise SignatureError(f"`{text}` is no key of a note: its hash or its type is another")
    return NoteKey(name, key_hash, Verifier(key[1:]))


def parse_key_set(trusted: str | bytes) -> KeySet:
    """Parses `writ-keys.json`. Raises ReceiptVerificationError `keys`."""
    try:
        value = parse_strictly(trusted, depth_max=KEYS_DEPTH, bytes_max=KEYS_BYTES_MAX)
        return _key_set_of(value)
    except (JsonError, SignatureError) as error:
        raise ReceiptVerificationError("keys", str(error)) from error


def _key_set_of(value: Any) -> KeySet:
    if isinstance(value, dict) and "deployments" in value:
        raise SignatureError("a trust policy is not supported here yet: pass a `writ-keys.json`")
    members = _members(value, {"record_keys", "log_keys"}, {"revoked_log_keys"})
    record_keys: dict[str, RecordKey] = {}
    for entry in _list(members["record_keys"]):
        record_key = _record_key_of(entry, record_keys)
        record_keys[record_key.verifier.keyid] = record_key
    log_keys = [parse_note_key(_text(text)) for text in _list(members["log_keys"])]
    revoked = {parse_note_key(_text(text)).verifier.keyid for text in _list(members.get("revoked_log_keys", []))}
    for key in log_keys:
        if key.verifier.keyid in revoked:
            raise SignatureError(f"`{key.name}+{key.key_hash}` is trusted and revoked: a checkpoint key is one of them")
    return KeySet(record_keys, log_keys)


def _record_key_of(entry: Any, known: dict[str, RecordKey]) -> RecordKey:
    own = _members(entry, {"keyid", "jwk"}, {"not_before", "not_after", "revoked_from"})
    jwk = own["jwk"]
    if not isinstance(jwk, dict) or "d" in jwk or (jwk.get("kty"), jwk.get("crv")) != ("OKP", "Ed25519"):
        raise SignatureError("a record key is no public JWK of Ed25519")
    verifier = Verifier(decode_base64(_text(jwk.get("x")), url=True))
    if verifier.keyid != own["keyid"]:
        raise SignatureError(f"`{own['keyid']}` is not the thumbprint of its key")
    if verifier.keyid in known:
        raise SignatureError(f"`{verifier.keyid}` comes twice")
    if "revoked_from" in own and own["revoked_from"] is None:
        raise SignatureError("`revoked_from` is left out for a key that was not revoked")
    times = {name: _instant(own.get(name)) for name in ("not_before", "not_after", "revoked_from")}
    return RecordKey(verifier, **times)


def _members(value: Any, required: set[str], optional: set[str]) -> dict[str, Any]:
    if not isinstance(value, dict) or not required <= value.keys() <= required | optional:
        raise SignatureError(f"it has other members than {', '.join(sorted(required | optional))}")
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise SignatureError("a list of keys is no list")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise SignatureError("a key is no text")
    return value


def _instant(value: Any) -> int | None:
    if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
        raise SignatureError("a time of a key is no count of milliseconds")
    return value


#: A line of a note, and what may not be in one.
NOTE_FORBIDDEN = re.compile(r"[\0-\x09\x0b-\x1f\ud800-\udfff]")
