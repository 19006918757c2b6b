// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { loadCommandGrammar, type ShellGrammar } from '@writ/risk';

const require = createRequire(import.meta.url);
const bytesOf = (module: string): Uint8Array => new Uint8Array(readFileSync(require.resolve(module)));

let grammar: Promise<ShellGrammar> | undefined;

/** The grammars of bash and of the languages that its commands carry, loaded once in each thread. */
export function shellGrammar(): Promise<ShellGrammar> {
  return (grammar ??= loadCommandGrammar({ bytes: bytesOf, load: require }));
}
