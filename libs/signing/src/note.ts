// SPDX-License-Identifier: Apache-2.0
//
// C2SP signed notes (https://c2sp.org/signed-note): a text, a blank line, and a line for each signature.
import { concatBytes, toHex, utf8Bytes } from '@writ/digest';
import { decodeBase64, encodeBase64 } from './base64/base64.ts';
import type { Signer } from './keys.ts';
import { KEY_HASH_BYTES, isNoteKeyName, noteKeyHash } from './note-key.ts';
import type { NoteKey } from './note-key.ts';
import { SignatureError } from './signature-error.ts';

/** The specification requires at least 16; Go's reader stops at 100 too. It bounds the work on a hostile note. */
const SIGNATURES_MAX = 100;
/** Em dash and space. */
const SIGNATURE_START = '— ';

export interface NoteSigner {
  readonly name: string;
  readonly signer: Signer;
}

export interface VerifiedNote {
  /** With its final newline. */
  readonly text: string;
  /** The known keys that signed it, each once, in the note's order. Never empty. */
  readonly signedBy: readonly NoteKey[];
}

/**
 * Signs a text.
 *
 * @throws SignatureError `malformed_note` for a text that can't be a note's, `malformed_key` for a name that can't be a
 * key's.
 */
export function signNote(text: string, { name, signer }: NoteSigner): string {
  if (!isNoteText(text)) throw new SignatureError('malformed_note');
  if (!isNoteKeyName(name)) throw new SignatureError('malformed_key');
  return `${text}\n${signatureLine(name, noteKeyHash(name, signer.publicKey), signer.sign(utf8Bytes(text)))}`;
}

/**
 * Verifies an attacker-controlled note. Signatures by unknown keys are ignored, as the specification requires; one by a
 * known key that doesn't verify refuses the whole note.
 *
 * @throws SignatureError `malformed_note`, `ambiguous_key`, `bad_signature` or `unknown_key`
 */
export function verifyNote(note: string, keys: readonly NoteKey[]): VerifiedNote {
  const { text, signatures } = parseNote(note);
  const bytes = utf8Bytes(text);
  const signedBy = new Set<NoteKey>();
  for (const { name, keyHash, signature } of signatures) {
    const [key, another] = keys.filter((known) => known.name === name && known.keyHash === keyHash);
    if (another !== undefined) throw new SignatureError('ambiguous_key');
    if (key === undefined) continue;
    key.verifier.verify(bytes, signature);
    signedBy.add(key);
  }
  if (signedBy.size === 0) throw new SignatureError('unknown_key');
  return { text, signedBy: [...signedBy] };
}

/** The line of a signature, with its newline. */
export function signatureLine(name: string, keyHash: Uint8Array, signature: Uint8Array): string {
  return `${SIGNATURE_START}${name} ${encodeBase64(concatBytes([keyHash, signature]))}\n`;
}

/** Answers whether the text can be signed: not empty, ends in a newline, no other control character below U+0020. */
export function isNoteText(text: string): boolean {
  return text.endsWith('\n') && isNoteCharacters(text);
}

function isNoteCharacters(text: string): boolean {
  return text.isWellFormed() && !/[\0-\x09\x0b-\x1f]/.test(text);
}

/** A signature line of a note, not verified. */
export interface NoteSignature {
  readonly name: string;
  readonly keyHash: string;
  readonly signature: Uint8Array;
}

/** Splits a note into text and signatures. @throws SignatureError `malformed_note` */
export function parseNote(note: string): { text: string; signatures: NoteSignature[] } {
  // The last blank line: the text may contain blank lines.
  const split = note.lastIndexOf('\n\n');
  const lines = note.slice(split + 2).split('\n');
  if (
    split === -1 ||
    !isNoteCharacters(note) ||
    lines.pop() !== '' ||
    lines.length === 0 ||
    lines.length > SIGNATURES_MAX
  ) {
    throw new SignatureError('malformed_note');
  }
  return { text: note.slice(0, split + 1), signatures: lines.map(parseSignature) };
}

function parseSignature(line: string): NoteSignature {
  const space = line.indexOf(' ', SIGNATURE_START.length);
  const name = line.slice(SIGNATURE_START.length, space);
  if (!line.startsWith(SIGNATURE_START) || space === -1 || !isNoteKeyName(name))
    throw new SignatureError('malformed_note');
  const bytes = decodeBase64(line.slice(space + 1), 'malformed_note');
  if (bytes.length <= KEY_HASH_BYTES) throw new SignatureError('malformed_note');
  const keyHash = toHex(bytes.subarray(0, KEY_HASH_BYTES));
  return { name, keyHash, signature: bytes.subarray(KEY_HASH_BYTES) };
}
