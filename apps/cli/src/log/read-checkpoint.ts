// SPDX-License-Identifier: Apache-2.0
import { parseKeySet, ReceiptError, type KeySet } from '@writ/receipt';
import { parseCheckpoint, SignatureError, verifyNote, type Checkpoint } from '@writ/signing';
import { CliError } from '../cli-error.ts';
import { readNamedFile } from '../read-named-file.ts';

/** A checkpoint whose signature holds, with the note that says so. */
export interface SignedCheckpoint extends Checkpoint {
  readonly note: string;
}

/** Reads a note. `where` says whose it is. @throws CliError `verify.checkpoint` */
export function readCheckpoint(note: string, keys: KeySet, where: string): SignedCheckpoint {
  try {
    const { text, signedBy } = verifyNote(note, keys.logKeys);
    const checkpoint = parseCheckpoint(text);
    // A key signs for the logs of its own name; another's signature beside it says nothing of this one.
    if (!signedBy.some(({ name }) => checkpoint.origin.startsWith(`${name}/`))) throw new SignatureError('malformed_checkpoint');
    return { ...checkpoint, note };
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    throw new CliError('verify.checkpoint', `${where} is not signed by a key of the log, or is no checkpoint (${error.message})`);
  }
}

/** Reads `writ-keys.json`. @throws CliError */
export function readKeySet(path: string): KeySet {
  try {
    return parseKeySet(readNamedFile(path, '--keys'));
  } catch (error) {
    if (!(error instanceof ReceiptError)) throw error;
    throw new CliError('verify.keys', `\`${path}\`: ${error.message}`);
  }
}
