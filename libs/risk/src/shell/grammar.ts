// SPDX-License-Identifier: Apache-2.0
import { Language, Parser } from 'web-tree-sitter';
import { copyPowerShell, deceives, respelled } from '../powershell/tree.ts';
import type { SqlParser } from '../sql/parser.ts';
import { BudgetSpent, READ_CHARS, type Meter } from './budget.ts';
import { copyTree, type SyntaxNode } from './syntax.ts';

/** WebAssembly modules, as bytes that the process read: `web-tree-sitter.wasm` and `tree-sitter-bash.wasm`. */
export interface ShellGrammarBytes {
  readonly runtime: Uint8Array;
  readonly bash: Uint8Array;
  /** the embedded languages; without them, texts in those languages count as unread */
  readonly carried?: CarriedLanguages;
}

/** Languages in the arguments of commands. */
export interface CarriedLanguages {
  /** `tree-sitter-powershell.wasm` */
  readonly powershell: Uint8Array;
  readonly sql: SqlParser;
}

/** The grammar of bash, ready to parse. It is synchronous and stateless, so one instance serves a whole process. */
export class ShellGrammar {
  readonly #bash: Parser;
  readonly #powershell: Parser | undefined;
  /** the parser of SQL statements, where it is loaded */
  readonly sql: SqlParser | undefined;

  constructor(bash: Parser, powershell?: Parser, sql?: SqlParser) {
    this.#bash = bash;
    this.#powershell = powershell;
    this.sql = sql;
  }

  /**
   * The syntax tree of the text, or undefined if it isn't bash or nests too deep.
   * @throws BudgetSpent where the text takes more than the rest of the budget
   */
  parse(text: string, meter: Meter): SyntaxNode | undefined {
    if (nests(text)) return undefined;
    const tree = this.#parse(this.#bash, text, meter, copyTree);
    if (tree === undefined || !namesReservedWord(tree)) return tree;
    // The grammar supports `!` and `time` only before simple commands; they don't change the effect of a compound one.
    const without = text.replace(BEFORE_COMPOUND, (found) => ' '.repeat(found.length));
    const again = without === text ? undefined : this.#parse(this.#bash, without, meter, copyTree);
    return again === undefined || namesReservedWord(again) ? undefined : again;
  }

  /**
   * The same for a script of PowerShell; also undefined where the grammar isn't loaded, or may parse the script
   * differently from PowerShell.
   * @throws BudgetSpent where the text takes more than the rest of the budget
   */
  parsePowerShell(text: string, meter: Meter): SyntaxNode | undefined {
    const parser = this.#powershell;
    if (parser === undefined || deceives(text) || nests(text)) return undefined;
    const tree = this.#parse(parser, text, meter, copyPowerShell);
    const other = tree ? text : respelled(text);
    return other === text ? tree : this.#parse(parser, other, meter, copyPowerShell);
  }

  #parse(parser: Parser, text: string, meter: Meter, copy: typeof copyTree): SyntaxNode | undefined {
    let spent = false;
    // The runtime stops when the callback returns true, although its type is void.
    const progressCallback = (): boolean => (spent ||= !meter.affords('parserReports'));
    // The scanner of here-documents, patterns and expansions may look ahead to the end of the text at every word,
    // without a report. It has to request each piece on its way, so the pieces are counted. Without a further piece it
    // treats the text as ended.
    const read = (at: number): string | undefined => {
      spent ||= !meter.affords('reads');
      return spent ? undefined : text.slice(at, at + READ_CHARS);
    };
    const tree = parser.parse(read, null, { progressCallback });
    if (!tree) parser.reset();
    const cursor = tree?.walk();
    try {
      if (spent) throw new BudgetSpent();
      return cursor && copy(cursor, text, meter);
    } finally {
      cursor?.delete();
      tree?.delete();
    }
  }
}

const BEFORE_COMPOUND =
  /(?<=^|[\s;&|({])(?:!|time(?:[ \t]+-p)?(?:[ \t]+--)?)(?=[ \t]+(?:(?:!|time|while|until|for|if|case|select|\{|\(\()(?![\w-])|[A-Za-z_]\w*(?:\[[^\]\n]{0,200}\])?\+?=))/g;
/**
 * Words that begin or end a part of a compound command. Where one is the name of a program, the grammar has misparsed
 * the text.
 */
const RESERVED = new Set([
  'if',
  'then',
  'elif',
  'else',
  'fi',
  'do',
  'done',
  'case',
  'esac',
  'while',
  'until',
  'for',
  'select',
  'function',
  '{',
  '}',
  '[[',
  ']]',
  '!',
]);
const namesReservedWord = (node: SyntaxNode): boolean =>
  (node.type === 'command_name' && RESERVED.has(node.text)) || timesMore(node) || node.children.some(namesReservedWord);

/**
 * bash reads any sequence of `time`, its options and `!` before a command. The grammar reads a program `time` with
 * arguments, whose first one may be a program, but neither an assignment nor one more of these words.
 */
function timesMore({ type, children }: SyntaxNode): boolean {
  if (type !== 'command' || children.find(({ field }) => field === 'name')?.text !== 'time') return false;
  const first = children.find(({ field, text }) => field === 'argument' && !text.startsWith('-'));
  return first !== undefined && /^(?:(?:!|time)$|[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=)/.test(first.text);
}

/**
 * Brackets that may be open at once, counted without regard to quotes. The parser's time grows faster than their
 * number.
 */
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

/**
 * There is one runtime for each process: a second initialisation would invalidate the memory of the first one's
 * parsers.
 */
let runtime: Promise<void> | undefined;

/**
 * Creates the grammar from the bytes of its modules. Rejects if they aren't WebAssembly of the versions that this
 * project depends on.
 */
export async function loadShellGrammar(bytes: ShellGrammarBytes): Promise<ShellGrammar> {
  runtime ??= Parser.init({ wasmBinary: bytes.runtime });
  await runtime;
  const bash = await parserOf(bytes.bash);
  return bytes.carried
    ? new ShellGrammar(bash, await parserOf(bytes.carried.powershell), bytes.carried.sql)
    : new ShellGrammar(bash);
}

async function parserOf(language: Uint8Array): Promise<Parser> {
  const parser = new Parser();
  parser.setLanguage(await Language.load(language));
  return parser;
}
