// SPDX-License-Identifier: Apache-2.0
import { ReceiptError, verifyWitnessed } from '@writ/receipt';
import { parseCheckpoint, SignatureError, verifyNote, type Checkpoint } from '@writ/signing';
import { CliError } from '../cli-error.ts';
import { readTrust, type Trust, type TrustOptions } from '../trust.ts';

/** A checkpoint whose signature holds, with the note that says so. */
export interface SignedCheckpoint extends Checkpoint {
  readonly note: string;
}

/**
 * Reads a note, whose witnesses are as the trust policy asks. `where` says whose it is.
 *
 * @throws CliError `verify.checkpoint`, `verify.witnesses`, `verify.freshness`, or `verify.keys` for a deployment that
 * isn't trusted
 */
export function readCheckpoint(note: string, trust: Trust, where: string): SignedCheckpoint {
  const checkpoint = readKeptCheckpoint(note, trust, where);
  named(where, () => {
    const { witnessing } = trust.termsOf(note);
    if (witnessing !== null) verifyWitnessed(note, witnessing.terms, witnessing.now);
  });
  return checkpoint;
}

/** The same for one that was kept: who kept it is its witness, and it may be as old as it likes. @throws CliError */
export function readKeptCheckpoint(note: string, trust: Trust, where: string): SignedCheckpoint {
  const { keys } = named(where, () => trust.termsOf(note));
  try {
    const { text, signedBy } = verifyNote(note, keys.logKeys);
    const checkpoint = parseCheckpoint(text);
    // A key signs for the logs of its own name; another's signature beside it says nothing of this one.
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

/** Reads whom the options trust. @throws CliError */
export function readTrusted(options: TrustOptions): Trust {
  return named(`\`${options.keys ?? options.trust ?? ''}\``, () => readTrust(options, Date.now()));
}

function named<T>(where: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof ReceiptError)) throw error;
    throw new CliError(`verify.${error.check}`, `${where}: ${error.message}`);
  }
}
