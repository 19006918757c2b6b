// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { loadShellGrammar, type ShellGrammar } from '@writ/risk';

const { resolve } = createRequire(import.meta.url);
const bytesOf = async (module: string): Promise<Uint8Array> => new Uint8Array(await readFile(resolve(module)));

let grammar: Promise<ShellGrammar> | undefined;

/** The grammar of bash, loaded when the first command names a secret: on most executors, many commands name none. */
export async function shellGrammar(): Promise<ShellGrammar> {
  grammar ??= Promise.all([
    bytesOf('web-tree-sitter/web-tree-sitter.wasm'),
    bytesOf('tree-sitter-bash/tree-sitter-bash.wasm'),
  ]).then(([runtime, bash]) => loadShellGrammar({ runtime, bash }));
  return await grammar;
}
