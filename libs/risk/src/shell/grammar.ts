// SPDX-License-Identifier: Apache-2.0
import { Language, Parser } from 'web-tree-sitter';
import { copyTree, type ShellBudget, type SyntaxNode } from './syntax.ts';

/** The two WebAssembly modules, as bytes that the process read: `web-tree-sitter.wasm` and `tree-sitter-bash.wasm`. */
export interface ShellGrammarBytes {
  readonly runtime: Uint8Array;
  readonly bash: Uint8Array;
}

/** The grammar of bash, ready to parse. Synchronous and without memory of earlier texts, so one serves a whole process. */
export class ShellGrammar {
  readonly #parser: Parser;

  constructor(parser: Parser) {
    this.#parser = parser;
  }

  /** The syntax tree of the text, or undefined if it isn't bash, or is too large or too deep for the budget, which it draws on. */
  parse(text: string, budget: ShellBudget): SyntaxNode | undefined {
    if (nests(text)) return undefined;
    // The runtime stops when the callback answers true, though its type says void.
    const progressCallback = (): boolean => (budget.parserReports -= 1) < 0;
    const tree = this.#parser.parse(text, null, { progressCallback });
    if (!tree) {
      this.#parser.reset();
      return undefined;
    }
    const cursor = tree.walk();
    try {
      return copyTree(cursor, text, budget);
    } finally {
      cursor.delete();
      tree.delete();
    }
  }
}

/** Brackets open at once, counted without regard to quotes. The parser's time grows faster than they do. */
const OPEN_MAX = 400;

function nests(text: string): boolean {
  let open = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '(' || char === '{' || char === '[') open += 1;
    else if ((char === ')' || char === '}' || char === ']') && open > 0) open -= 1;
    if (open > OPEN_MAX) return true;
  }
  return false;
}

/** The runtime is one per process: a second initialisation would pull the memory away from under the parsers of the first. */
let runtime: Promise<void> | undefined;

/** Makes the grammar from the bytes of its modules. Rejects if they aren't WebAssembly of the versions that this project depends on. */
export async function loadShellGrammar(bytes: ShellGrammarBytes): Promise<ShellGrammar> {
  runtime ??= Parser.init({ wasmBinary: bytes.runtime });
  await runtime;
  const parser = new Parser();
  parser.setLanguage(await Language.load(bytes.bash));
  return new ShellGrammar(parser);
}
