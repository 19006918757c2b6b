// SPDX-License-Identifier: Apache-2.0
import { loadShellGrammar, type ShellGrammar } from './shell/grammar.ts';
import { loadSqlParser, type LoadModule } from './sql/load-parser.ts';

/** How a process loads the grammars; the library itself reads no file. */
export interface GrammarModules {
  /** the bytes of a file of a package, as in `web-tree-sitter/web-tree-sitter.wasm` */
  readonly bytes: (file: string) => Uint8Array;
  readonly load: LoadModule;
}

/** Loads the grammar of bash with those of embedded languages. Rejects where one of them can't be loaded. */
export async function loadCommandGrammar({ bytes, load }: GrammarModules): Promise<ShellGrammar> {
  return await loadShellGrammar({
    runtime: bytes('web-tree-sitter/web-tree-sitter.wasm'),
    bash: bytes('tree-sitter-bash/tree-sitter-bash.wasm'),
    carried: {
      powershell: bytes('tree-sitter-powershell/tree-sitter-powershell.wasm'),
      sql: await loadSqlParser(load),
    },
  });
}
