// SPDX-License-Identifier: Apache-2.0
import type { LexicalRules } from './dialects.ts';

/** A text of statements as its client splits it. */
export interface SqlText {
  /** the statements, with their strings and without their comments */
  readonly statements: readonly string[];
  /** the same statements with every string and quoted name as `''`, so that words in them don't count */
  readonly words: readonly string[];
  /** commands of the client itself, without their marker: `! ls` of `\! ls` */
  readonly commands: readonly string[];
}

/** Splits the text in one pass, whatever its content: an unclosed part extends to its end. */
export function splitStatements(text: string, lexis: LexicalRules): SqlText {
  return new SqlScanner(text, lexis).run();
}

const LINE_END = /\r?\n|$/g;
const PLAIN = /[A-Za-z0-9_]+/y;

class SqlScanner {
  readonly #text: string;
  readonly #lexis: LexicalRules;
  readonly #statements: string[] = [];
  readonly #words: string[] = [];
  readonly #commands: string[] = [];
  #at = 0;
  #statement = '';
  #word = '';
  /** whether the statement so far has only white space */
  #isBlank = true;
  #line = -1;
  /** the number of open executable comments */
  #executed = 0;

  constructor(text: string, lexis: LexicalRules) {
    this.#text = text;
    this.#lexis = lexis;
  }

  run(): SqlText {
    while (this.#at < this.#text.length) this.#step();
    this.#end();
    return { statements: this.#statements, words: this.#words, commands: this.#commands };
  }

  #step(): void {
    const char = this.#text.charAt(this.#at);
    if (char === "'" || char === '"' || char === '`') this.#quoted(char, char);
    else if (char === '[' && this.#lexis.brackets) this.#quoted(char, ']');
    else if (char === '$' && this.#lexis.dollars && this.#dollarQuoted()) return;
    else if (this.#beginsComment()) this.#lineComment();
    else if (this.#text.startsWith('/*', this.#at)) this.#comment();
    else if (this.#executed > 0 && this.#text.startsWith('*/', this.#at)) this.#endExecuted();
    else if (this.#beginsCommand(char)) this.#command(char);
    else if (char === ';') this.#end(1);
    else this.#consume(this.#plainLength());
  }

  #consume(length: number, word?: string): void {
    const part = this.#text.slice(this.#at, this.#at + length);
    this.#statement += part;
    this.#word += word ?? part;
    this.#at += length;
    this.#isBlank &&= /^\s*$/.test(part);
  }

  /** The length of a whole name or number. */
  #plainLength(): number {
    PLAIN.lastIndex = this.#at;
    return PLAIN.exec(this.#text)?.[0].length ?? 1;
  }

  #end(skip = 0): void {
    if (!this.#isBlank) {
      this.#statements.push(this.#statement.trim());
      this.#words.push(this.#word.trim());
    }
    this.#statement = '';
    this.#word = '';
    this.#isBlank = true;
    this.#at += skip;
  }

  #quoted(open: string, close: string): void {
    const { backslash } = this.#lexis;
    const afterE = open === "'" && /(?:^|\W)e$/i.test(this.#text.slice(Math.max(0, this.#at - 2), this.#at));
    const escapes = open !== '`' && open !== '[' && (backslash === 'always' || (backslash === 'after_e' && afterE));
    let at = this.#at + 1;
    for (; at < this.#text.length; at += 1) {
      const char = this.#text.charAt(at);
      if (char === '\\' && escapes) at += 1;
      else if (char === close && this.#text.charAt(at + 1) === close) at += 1;
      else if (char === close) break;
    }
    this.#consume(Math.min(at + 1, this.#text.length) - this.#at, "''");
  }

  #dollarQuoted(): boolean {
    const tag = /^\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/.exec(
      this.#text.slice(this.#at, this.#at + 66),
    )?.[0];
    // Within a name, a dollar is an ordinary character.
    if (tag === undefined || /[\w$]/.test(this.#text.charAt(this.#at - 1))) return false;
    const end = this.#text.indexOf(tag, this.#at + tag.length);
    this.#consume((end < 0 ? this.#text.length : end + tag.length) - this.#at, "''");
    return true;
  }

  #beginsComment(): boolean {
    const { hash, dashesNeedSpace } = this.#lexis;
    if (hash && this.#text.startsWith('#', this.#at)) return true;
    if (!this.#text.startsWith('--', this.#at)) return false;
    const next = this.#text.charAt(this.#at + 2);
    return !dashesNeedSpace || next === '' || /\s/.test(next);
  }

  #lineComment(): void {
    this.#space(this.#lineEnd());
  }

  #comment(): void {
    const marked = /^\/\*M?!\d*/.exec(this.#text.slice(this.#at, this.#at + 12))?.[0];
    if (marked !== undefined && this.#lexis.executableComments) {
      this.#executed += 1;
      this.#space(this.#at + marked.length);
      return;
    }
    let depth = 1;
    let at = this.#at + 2;
    while (at < this.#text.length && depth > 0) {
      if (this.#text.startsWith('*/', at)) depth -= 1;
      else if (this.#lexis.nested && this.#text.startsWith('/*', at)) depth += 1;
      else {
        at += 1;
        continue;
      }
      at += 2;
    }
    this.#space(at);
  }

  #endExecuted(): void {
    this.#executed -= 1;
    this.#space(this.#at + 2);
  }

  /** A comment is a space. */
  #space(to: number): void {
    this.#statement += ' ';
    this.#word += ' ';
    this.#at = Math.min(to, this.#text.length);
  }

  #beginsCommand(char: string): boolean {
    const { client } = this.#lexis;
    if (client === 'backslash' && char === '\\') return true;
    if (!this.#isBlank || !this.#atLineStart()) return false;
    if (client === 'dot' && char === '.') return true;
    return CLIENT_WORDS.test(this.#text.slice(this.#at, this.#at + 12));
  }

  #atLineStart(): boolean {
    const before = this.#text.slice(Math.max(0, this.#at - 200), this.#at);
    return /(?:^|[\n;])[ \t]*$/.test(before);
  }

  /** Up to the end of the line, or to the next command on it. */
  #command(char: string): void {
    const marks = char === '\\' || char === '.' ? 1 : 0;
    const line = this.#text.slice(this.#at + marks, this.#lineEnd());
    const end = char === '\\' ? line.search(/\\\\/) : -1;
    this.#commands.push((end < 0 ? line : line.slice(0, end)).trim());
    this.#space(this.#at + marks + (end < 0 ? line.length : end + 2));
    // `\g` and similar commands end the statement that they send.
    if (/^(?:g|gx|gexec|gset|gdesc|crosstabview|watch|G)\b/.test(line)) this.#end();
  }

  #lineEnd(): number {
    if (this.#line >= this.#at) return this.#line;
    LINE_END.lastIndex = this.#at;
    this.#line = LINE_END.exec(this.#text)?.index ?? this.#text.length;
    return this.#line;
  }
}

/** Commands of clients that are words: `system ls`, `host ls`, `!ls`, `source file`. */
const CLIENT_WORDS = /^(?:!|:!!|(?:system|host|source|pager|tee|delimiter|go)(?:\s|$)|@)/i;
