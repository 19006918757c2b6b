// SPDX-License-Identifier: Apache-2.0
import { Fault, parseMessage, Signatures } from '@writ/contract';
import { JsonError, parseIJson } from '@writ/digest';
import { CliError } from '../cli-error.ts';

/** The object, the list, an entry. */
const DEPTH = 3;

/**
 * Parses the signatures of a bundle of that width. The bytes are attacker-controlled.
 * @throws CliError `verify.signature`
 */
export function parseSignatures(path: string, bytes: Uint8Array, width: number): Signatures['signatures'] {
  try {
    const { signatures } = parseMessage(Signatures, parseIJson(bytes, { depthMax: DEPTH }));
    if (signatures.length === width) return signatures;
  } catch (error) {
    if (!(error instanceof Fault || error instanceof JsonError)) throw error;
  }
  throw new CliError('verify.signature', `\`${path}\` doesn't hold the signatures of ${String(width)} records`);
}
