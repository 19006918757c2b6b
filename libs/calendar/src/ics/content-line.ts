// SPDX-License-Identifier: Apache-2.0
//
// Content lines of RFC 5545, 3.1. All of it is attacker-controlled, and read in one pass: a caller's bytes bound it.

export interface Property {
  readonly name: string;
  readonly value: string;
  /** by upper-case name; of a parameter with several values, the first */
  readonly parameters: ReadonlyMap<string, string>;
}

/** The lines of a text, unfolded. A line that begins with a space or a tab continues the one before it. */
export function* contentLines(text: string): Generator<string> {
  let pieces: string[] = [];
  for (let at = 0; at < text.length;) {
    const feed = text.indexOf('\n', at);
    const next = feed === -1 ? text.length : feed + 1;
    const until = feed === -1 ? text.length : feed;
    const line = text.slice(at, text[until - 1] === '\r' && until > at ? until - 1 : until);
    at = next;
    if (line.startsWith(' ') || line.startsWith('\t')) {
      pieces.push(line.slice(1));
      continue;
    }
    if (pieces.length > 0) yield pieces.join('');
    pieces = [line];
  }
  if (pieces.length > 0) yield pieces.join('');
}

const NAME = /^[A-Za-z0-9-]{1,64}/;

/** The upper-case name that a line begins with, or null for a line that has none. */
export const nameOfLine = (line: string): string | null => NAME.exec(line)?.[0].toUpperCase() ?? null;

/** Reads one line, or returns null for one that is no content line. */
export function parseContentLine(line: string): Property | null {
  const name = nameOfLine(line);
  if (name === null) return null;
  const parameters = new Map<string, string>();
  let at = name.length;
  while (line[at] === ';') {
    const equals = line.indexOf('=', at);
    if (equals === -1) return null;
    const parameter = line.slice(at + 1, equals).toUpperCase();
    if (nameOfLine(parameter) !== parameter) return null;
    const read = parameterValues(line, equals + 1);
    if (read === null) return null;
    if (!parameters.has(parameter)) parameters.set(parameter, read.first);
    at = read.end;
  }
  return line[at] === ':' ? { name, value: line.slice(at + 1), parameters } : null;
}

/** The first of the values from `start` on, and where the last of them ends. */
function parameterValues(line: string, start: number): { first: string; end: number } | null {
  let first: string | null = null;
  for (let at = start; ; at += 1) {
    let end: number;
    if (line[at] === '"') {
      end = line.indexOf('"', at + 1);
      if (end === -1) return null;
      first ??= decodeCarets(line.slice(at + 1, end));
      end += 1;
    } else {
      end = at;
      while (end < line.length && !',;:"'.includes(line.charAt(end))) end += 1;
      first ??= decodeCarets(line.slice(at, end));
    }
    if (line[end] !== ',') return { first, end };
    at = end;
  }
}

/** RFC 6868: how a parameter writes quotes and line breaks. */
const decodeCarets = (text: string): string =>
  text.replace(/\^[n^']/g, (pair) => (pair === '^n' ? '\n' : pair === '^^' ? '^' : '"'));

/** The text of a value of type TEXT (3.3.11). */
export const decodeText = (value: string): string =>
  value.replace(/\\([\\;,Nn])/g, (_, sign: string) => (sign === 'n' || sign === 'N' ? '\n' : sign));
