// SPDX-License-Identifier: Apache-2.0
import { ReceiptError, verifyWitnessed } from '@writ/receipt';
import { parseCheckpoint, SignatureError, verifyNote, type Checkpoint } from '@writ/signing';
import { CliError } from '../cli-error.ts';
import { readTrust, type Trust, type TrustOptions } from '../trust.ts';

/** A checkpoint with a verified signature, and its signed note. */
export interface SignedCheckpoint extends Checkpoint {
  readonly note: string;
}

/**
 * Reads a note whose witnesses satisfy the trust policy. `where` names the note in errors.
 *
 * @throws CliError `verify.checkpoint`, `verify.witnesses`, `verify.freshness`, or `verify.keys` for a deployment that
 * isn't trusted
 */
export function readCheckpoint(note: string, trust: Trust, where: string): SignedCheckpoint {
  const checkpoint = readSavedCheckpoint(note, trust, where);
  withSource(where, () => {
    const { witnessing } = trust.termsOf(note);
    if (witnessing !== null) verifyWitnessed(note, witnessing.terms, witnessing.now);
  });
  return checkpoint;
}

/** Reads a note that the caller has kept: it needs no witnesses, and has no maximum age. @throws CliError */
export function readSavedCheckpoint(note: string, trust: Trust, where: string): SignedCheckpoint {
  const { keys } = withSource(where, () => trust.termsOf(note));
  try {
    const { text, signedBy } = verifyNote(note, keys.logKeys);
    const checkpoint = parseCheckpoint(text);
    // A key is trusted for logs of its own name. A signature by a key of another name does not count.
    if (!signedBy.some(({ name }) => checkpoint.origin.startsWith(`${name}/`)))
      throw new SignatureError('malformed_checkpoint');
    return { ...checkpoint, note };
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    throw new CliError(
      'verify.checkpoint',
      `${where} is not signed by a key of the log, or is no checkpoint (${error.message})`,
    );
  }
}

/** Reads the keys or the trust policy that the options name. @throws CliError */
export function readTrusted(options: TrustOptions): Trust {
  return withSource(`\`${options.keys ?? options.trust ?? ''}\``, () => readTrust(options, Date.now()));
}

function withSource<T>(where: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof ReceiptError)) throw error;
    throw new CliError(`verify.${error.check}`, `${where}: ${error.message}`);
  }
}
