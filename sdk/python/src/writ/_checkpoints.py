# SPDX-License-Identifier: Apache-2.0
"""Checkpoints, which are signed notes (https://c2sp.org/signed-note), and proofs of inclusion (RFC 9162)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ._keys import NOTE_FORBIDDEN, NoteKey, SignatureError, decode_base64, is_note_name
from ._strict_json import SAFE_INTEGER_MAX

#: Bounds the work on a hostile note. Go's reader stops at 100 too.
SIGNATURES_MAX = 100
#: Em dash and space.
SIGNATURE_START = "\u2014 "
HASH_BYTES = 32


class MerkleError(ValueError):
    """A proof that proves nothing."""


@dataclass(frozen=True)
class Checkpoint:
    origin: str
    tree_size: int
    root: bytes
    #: the known keys that signed it, never empty
    signed_by: Sequence[NoteKey]


def read_checkpoint(note: str, keys: Sequence[NoteKey]) -> Checkpoint:
    """Verifies an attacker-controlled checkpoint. Signatures by unknown keys are ignored, as the specification says.
    One by a known key that doesn't verify refuses all of it. Raises SignatureError.
    """
    # The last blank line: the text may contain blank lines.
    split = note.rfind("\n\n")
    *lines, last = note[split + 2 :].split("\n")
    if split == -1 or NOTE_FORBIDDEN.search(note) or last != "" or not 1 <= len(lines) <= SIGNATURES_MAX:
        raise SignatureError("it is no signed note")
    text = note[: split + 1]
    signed_by: dict[str, NoteKey] = {}
    for name, signature in map(_signature_of, lines):
        known = [key for key in keys if key.name == name and key.key_hash == signature[:4].hex()]
        if len(known) > 1:
            raise SignatureError("two known keys have one name and one hash")
        for key in known:
            key.verifier.verify(text.encode(), signature[4:])
            signed_by[f"{key.name}+{key.key_hash}"] = key
    if not signed_by:
        raise SignatureError("no known key signed it")
    return _parsed(text, list(signed_by.values()))


def _signature_of(line: str) -> tuple[str, bytes]:
    name, space, encoded = line[len(SIGNATURE_START) :].partition(" ")
    if not line.startswith(SIGNATURE_START) or space == "" or not is_note_name(name):
        raise SignatureError("a line of a signature is none")
    signature = decode_base64(encoded)
    if len(signature) <= 4:
        raise SignatureError("a line of a signature has none")
    return name, signature


def _parsed(text: str, signed_by: Sequence[NoteKey]) -> Checkpoint:
    lines = text.split("\n")
    # Extension lines, which the specification allows, are refused: no log of Writ writes any.
    if len(lines) != 4 or lines[0] == "" or lines[3] != "" or not re.fullmatch(r"0|[1-9][0-9]{0,15}", lines[1]):
        raise SignatureError("it is no checkpoint")
    root = decode_base64(lines[2])
    if int(lines[1]) > SAFE_INTEGER_MAX or len(root) != HASH_BYTES:
        raise SignatureError("it is no checkpoint")
    return Checkpoint(lines[0], int(lines[1]), root, signed_by)


def verify_inclusion(leaf: bytes, leaf_index: int, tree_size: int, hashes: Sequence[bytes], root: bytes) -> None:
    """Verifies that the leaf is in the tree of that root (RFC 9162 §2.1.3.2, by its names). Raises MerkleError."""
    if not 0 <= leaf_index < tree_size or any(len(one) != HASH_BYTES for one in hashes):
        raise MerkleError("the proof is of no leaf of the tree")
    fn, sn = leaf_index, tree_size - 1
    r = hashlib.sha256(b"\0" + leaf).digest()
    for p in hashes:
        if sn == 0:
            raise MerkleError("the proof is too long")
        if fn % 2 == 1 or fn == sn:
            r = hashlib.sha256(b"\1" + p + r).digest()
            while fn % 2 == 0 and fn != 0:
                fn, sn = fn >> 1, sn >> 1
        else:
            r = hashlib.sha256(b"\1" + r + p).digest()
        fn, sn = fn >> 1, sn >> 1
    if sn != 0:
        raise MerkleError("the proof is too short")
    if r != root:
        raise MerkleError("the proof leads to another root")
