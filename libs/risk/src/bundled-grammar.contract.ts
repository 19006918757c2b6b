// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { loadCommandGrammar } from './command-grammar.ts';
import type { ShellGrammar } from './shell/grammar.ts';

const { resolve } = createRequire(import.meta.url);
const bytesOf = (module: string): Uint8Array => new Uint8Array(readFileSync(resolve(module)));

/** The grammar as the assessing process loads it; the library itself reads no file. */
export const bundledGrammar = (): Promise<ShellGrammar> =>
  loadCommandGrammar({ bytes: bytesOf, load: createRequire(import.meta.url) });
