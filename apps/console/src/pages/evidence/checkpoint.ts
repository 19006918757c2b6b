// SPDX-License-Identifier: Apache-2.0
// Reads a checkpoint (C2SP tlog-checkpoint, signed-note and tlog-cosignature) to show it. It verifies nothing.

/** A signature of a checkpoint, by whom it says it is. */
export interface NoteSignature {
  readonly name: string;
  /** the first four bytes of the key's hash, in hexadecimal, as published keys have them */
  readonly keyHash: string;
  /** of a witness: when it cosigned, in milliseconds since the epoch */
  readonly cosignedAt: number | null;
}

export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  /** base64 */
  readonly root: string;
  readonly signatures: readonly NoteSignature[];
}

const SIGNATURE = /^\u2014 (\S+) (\S+)$/;
const HASH_BYTES = 4;
const TIME_BYTES = 8;
const ED25519_BYTES = 64;
const MS = 1_000;

/** @throws Error for a text that is no checkpoint */
export function readCheckpoint(note: string): Checkpoint {
  const [text = '', signed = ''] = note.split('\n\n', 2);
  const [origin = '', size = '', root = ''] = text.split('\n');
  if (origin === '' || root === '' || !/^(0|[1-9]\d{0,15})$/.test(size))
    throw new Error('the server sent what is no checkpoint');
  const signatures = signed
    .split('\n')
    .map((line) => SIGNATURE.exec(line))
    .flatMap((found) => (found === null ? [] : [signatureOf(found[1] ?? '', found[2] ?? '')]));
  return { origin, size: Number(size), root, signatures: signatures.filter((one) => one !== null) };
}

function signatureOf(name: string, encoded: string): NoteSignature | null {
  const bytes = bytesOf(encoded);
  if (bytes === null || bytes.length < HASH_BYTES) return null;
  const keyHash = [...bytes.subarray(0, HASH_BYTES)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const isCosigned = bytes.length === HASH_BYTES + TIME_BYTES + ED25519_BYTES;
  const seconds = isCosigned ? Number(new DataView(bytes.buffer).getBigUint64(HASH_BYTES)) : null;
  return { name, keyHash, cosignedAt: seconds === null ? null : seconds * MS };
}

function bytesOf(encoded: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

/** Who signed: the log by a key that is published, a witness, or somebody else. */
export function signerOf({ name, keyHash, cosignedAt }: NoteSignature, keys: string): 'log' | 'witness' | 'unknown' {
  if (cosignedAt !== null) return 'witness';
  return logKeysOf(keys).some((key) => key.startsWith(`${name}+${keyHash}+`)) ? 'log' : 'unknown';
}

function logKeysOf(keys: string): readonly string[] {
  try {
    const { log_keys: found } = JSON.parse(keys) as { readonly log_keys?: unknown };
    return Array.isArray(found) ? found.filter((key) => typeof key === 'string') : [];
  } catch {
    return [];
  }
}
