// SPDX-License-Identifier: Apache-2.0
//
// The signed environment of a sandbox. INVARIANT (signed whole): not one line of it is read before its registrar's signature over all of its bytes verified.
import type { Verifier } from '@writ/signing';

/** It isn't what the registrar signed, or says what no environment can. Nothing runs then. */
export class EnvironmentError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EnvironmentError';
  }
}

const RESERVED: ReadonlySet<string> = new Set(['WORKSPACE', 'CWD', 'USER', 'PREV', 'ITEM', 'INDEX']);
const BYTES_MAX = 64 * 1024;

/** Variables, by names in capitals, of lines `KEY=VALUE`; lines that begin with `#` and empty ones say nothing. @throws EnvironmentError */
export function readEnvironment(bytes: Uint8Array, signature: Uint8Array, registrar: Pick<Verifier, 'verify'>): ReadonlyMap<string, string> {
  if (bytes.length > BYTES_MAX) throw new EnvironmentError(`the environment has more than ${BYTES_MAX} bytes`);
  try {
    registrar.verify(bytes, signature);
  } catch (error) {
    throw new EnvironmentError('the environment is not what its registrar signed: nothing runs until it is signed anew', { cause: error });
  }
  return variablesOf(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
}

function variablesOf(text: string): Map<string, string> {
  const variables = new Map<string, string>();
  for (const [n, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue;
    const [, key, value = ''] = /^\s*([A-Za-z_][A-Za-z0-9_]{0,63})\s*=(.*)$/.exec(line) ?? [];
    if (key === undefined) throw new EnvironmentError(`line ${n + 1} of the environment is no \`KEY=VALUE\``);
    const name = key.toUpperCase();
    if (RESERVED.has(name) || variables.has(name)) throw new EnvironmentError(`line ${n + 1} of the environment sets \`${name}\`, which ${RESERVED.has(name) ? 'has a meaning of its own' : 'is set already'}`);
    variables.set(name, value.trim());
  }
  return variables;
}
