// SPDX-License-Identifier: Apache-2.0
// Parses the text of a configuration as git does (`config.c`), byte by byte. Any other reading could be used to evade
// the rules on it.

/** One variable. Section and name are in lower case, as git compares them. */
export interface Entry {
  readonly kind: 'entry';
  readonly section: string;
  /** null where the header has none; in the old spelling `[a.b]` it is part of the section */
  readonly subsection: string | null;
  readonly name: string;
  /** without quotes, escapes and comments; null where the name has no value */
  readonly value: string | null;
}

/** The position at which git stops with an error, and the following text. */
export interface Unreadable {
  readonly kind: 'unreadable';
  readonly rest: string;
}

/**
 * The variables in their order, up to the first position that git can't parse. Takes time in proportion to the text.
 */
export function entriesOf(text: string): readonly (Entry | Unreadable)[] {
  const found: (Entry | Unreadable)[] = [];
  const body = text.startsWith(BOM) ? text.slice(BOM.length) : text;
  const source = new Source(body);
  let header: Header | null = null;
  for (let at = 0; !source.isAtEnd; at = source.at) {
    const character = source.next();
    if (isSpace(character)) continue;
    if (isComment(character)) {
      source.skipLine();
      continue;
    }
    const read: Header | Entry | null = character === '[' ? headerFrom(source) : entryFrom(source, character, header);
    if (read === null) return [...found, { kind: 'unreadable', rest: body.slice(at).trim() }];
    if (read.kind === 'entry') found.push(read);
    else header = read;
  }
  return found;
}

interface Header {
  readonly kind: 'header';
  readonly section: string;
  readonly subsection: string | null;
}

/** The UTF-8 byte order mark, each byte as one character. */
const BOM = '\u00ef\u00bb\u00bf';
/** Git's own `isspace`: no other character of the C locale counts. */
const isSpace = (character: string): boolean =>
  character === ' ' || character === '\t' || character === '\n' || character === '\r';
const isComment = (character: string): boolean => character === '#' || character === ';';
const isLetter = (character: string): boolean => /^[A-Za-z]$/.test(character);
const isKeyCharacter = (character: string): boolean => /^[A-Za-z0-9-]$/.test(character);

class Source {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get at(): number {
    return this.#at;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** The next character. The end of the text ends a line, and so does a carriage return before a line's end. */
  next(): string {
    if (this.#text.startsWith('\r\n', this.#at)) this.#at += 1;
    const character = this.#text[this.#at] ?? '\n';
    this.#at += 1;
    return character;
  }

  skipLine(): void {
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = end < 0 ? this.#text.length : end + 1;
  }
}

/** Parses the text after `[`; null where git can't parse it. */
function headerFrom(source: Source): Header | null {
  let section = '';
  for (;;) {
    if (source.isAtEnd) return null;
    const character = source.next();
    if (character === ']')
      return section === '' ? null : { kind: 'header', section: section.toLowerCase(), subsection: null };
    if (isSpace(character)) {
      const subsection = subsectionFrom(source, character);
      return subsection === null ? null : { kind: 'header', section: section.toLowerCase(), subsection };
    }
    if (!isKeyCharacter(character) && character !== '.') return null;
    section += character;
  }
}

/** @param first the space after the section's name */
function subsectionFrom(source: Source, first: string): string | null {
  let character = first;
  while (isSpace(character)) {
    if (character === '\n') return null;
    character = source.next();
  }
  if (character !== '"') return null;
  let subsection = '';
  for (;;) {
    character = source.next();
    if (character === '"') return source.next() === ']' ? subsection : null;
    if (character === '\\') character = source.next();
    if (character === '\n' || character === NUL) return null;
    subsection += character;
  }
}

/** Parses a text that begins with a letter; null where git can't parse it, or finds no variable of a section. */
function entryFrom(source: Source, first: string, header: Header | null): Entry | null {
  if (header === null || !isLetter(first)) return null;
  let name = first;
  let character = source.next();
  while (isKeyCharacter(character)) {
    name += character;
    character = source.next();
  }
  while (character === ' ' || character === '\t') character = source.next();
  const entry = {
    kind: 'entry',
    section: header.section,
    subsection: header.subsection,
    name: name.toLowerCase(),
  } as const;
  if (character === '\n') return { ...entry, value: null };
  const value = character === '=' ? valueFrom(source) : null;
  return value === null ? null : { ...entry, value };
}

/** Git's strings end at a zero byte; those of other readers don't. */
const NUL = '\0';
const ESCAPED: Readonly<Record<string, string>> = { '\n': '', t: '\t', b: '\b', n: '\n', '\\': '\\', '"': '"' };

/** Parses the text after `=`. A comment ends with its line, also after a backslash; only a value is continued. */
function valueFrom(source: Source): string | null {
  let [value, spaces, isQuoted] = ['', 0, false];
  for (;;) {
    const character = source.next();
    if (character === '\n') return isQuoted ? null : value;
    if (character === NUL) return null;
    if (isSpace(character) && !isQuoted) {
      if (value !== '') spaces += 1;
      continue;
    }
    if (isComment(character) && !isQuoted) {
      source.skipLine();
      return value;
    }
    value += ' '.repeat(spaces);
    spaces = 0;
    if (character === '"') isQuoted = !isQuoted;
    else {
      const read = character === '\\' ? ESCAPED[source.next()] : character;
      if (read === undefined) return null;
      value += read;
    }
  }
}
