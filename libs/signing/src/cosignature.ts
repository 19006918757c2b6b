// SPDX-License-Identifier: Apache-2.0
//
// C2SP cosignatures, version 1 (https://c2sp.org/tlog-cosignature). A witness states that at a time this was the
// largest checkpoint of its log that it had seen, and that it extends all that it had seen before. INVARIANT (each
// witness once): however often a note repeats a cosignature, its key counts once.
import { utf8Bytes } from '@writ/digest';
import { parseCheckpoint } from './checkpoint.ts';
import { SIGNATURE_TYPE, formatNoteKey, isNoteKeyName, noteKeyHash, parseNoteKey } from './note-key.ts';
import type { NoteKey } from './note-key.ts';
import { parseNote, signatureLine } from './note.ts';
import type { NoteSigner } from './note.ts';
import { SignatureError } from './signature-error.ts';

/** Bytes of the big-endian time before the signature, and of the signature. */
const TIME_BYTES = 8;
const SIGNATURE_BYTES = 64;

export interface Cosignature {
  readonly key: NoteKey;
  /** The time of signing by the witness's own clock, in seconds since the epoch. */
  readonly time: number;
}

/**
 * The published form of a witness's key: `<name>+<hash>+<base64(0x04 ‖ public key)>`.
 * @throws SignatureError `malformed_key`
 */
export function formatCosignerKey(name: string, publicKey: Uint8Array): string {
  return formatNoteKey(name, publicKey, SIGNATURE_TYPE.cosignature);
}

/**
 * Parses a witness's key.
 * @throws SignatureError `malformed_key`, also for a key that signs notes and not cosignatures
 */
export function parseCosignerKey(text: string): NoteKey {
  return parseNoteKey(text, SIGNATURE_TYPE.cosignature);
}

/**
 * Cosigns the text of a checkpoint and returns the line to append. `time` is in whole seconds since the epoch. Callers
 * MUST have verified that the checkpoint extends every one that they cosigned before, and MUST have made that durable.
 *
 * @throws SignatureError `malformed_checkpoint`, `malformed_key` for a name that can't be a key's
 */
export function cosign(text: string, { name, signer }: NoteSigner, time: number): string {
  parseCheckpoint(text);
  if (!isNoteKeyName(name)) throw new SignatureError('malformed_key');
  const signature = new Uint8Array(TIME_BYTES + SIGNATURE_BYTES);
  new DataView(signature.buffer).setBigUint64(0, BigInt(time));
  signature.set(signer.sign(cosignedBytes(text, time)), TIME_BYTES);
  return signatureLine(name, noteKeyHash(name, signer.publicKey, SIGNATURE_TYPE.cosignature), signature);
}

/**
 * The cosignatures of an attacker-controlled note by these keys, each key once with its latest time. Signatures by
 * other keys are ignored; one by a known key that doesn't verify refuses the whole note. An empty result is no error:
 * the caller decides how many are enough.
 *
 * @throws SignatureError `malformed_note`, `ambiguous_key` or `bad_signature`
 */
export function verifyCosignatures(note: string, keys: readonly NoteKey[]): Cosignature[] {
  const { text, signatures } = parseNote(note);
  const times = new Map<NoteKey, number>();
  for (const { name, keyHash, signature } of signatures) {
    const [key, another] = keys.filter((known) => known.name === name && known.keyHash === keyHash);
    if (another !== undefined) throw new SignatureError('ambiguous_key');
    if (key === undefined) continue;
    const time = timeOf(signature);
    key.verifier.verify(cosignedBytes(text, time), signature.subarray(TIME_BYTES));
    times.set(key, Math.max(time, times.get(key) ?? 0));
  }
  return [...times].map(([key, time]) => ({ key, time }));
}

function timeOf(signature: Uint8Array): number {
  if (signature.length !== TIME_BYTES + SIGNATURE_BYTES) throw new SignatureError('bad_signature');
  const time = Number(new DataView(signature.buffer, signature.byteOffset).getBigUint64(0));
  // A time that a double can't hold exactly would be signed as another text than it is parsed.
  if (!Number.isSafeInteger(time)) throw new SignatureError('bad_signature');
  return time;
}

/** The signed message of the specification: a header, the time, and the whole text of the checkpoint. */
function cosignedBytes(text: string, time: number): Uint8Array {
  return utf8Bytes(`cosignature/v1\ntime ${String(time)}\n${text}`);
}
