// SPDX-License-Identifier: Apache-2.0
import { decodeEscapes } from '../shell/escapes.ts';

/** Code without its strings: `bare` has its calls, with `""` in place of each string, and `strings` has the strings. */
export interface CodeText {
  readonly bare: string;
  readonly strings: readonly string[];
}

type Piece = { readonly kind: 'code' | 'string'; readonly text: string };

/** Line comments by language; the others use `#`. */
const SLASHES = new Set(['node', 'nodejs', 'deno', 'bun', 'tsx', 'ts-node', 'php', 'go', 'swift', 'kotlin', 'groovy']);
/**
 * Removes the strings from code of a scripting language, so that a word in a string doesn't count as a call. Joins
 * names in pieces: `'rm' + 'Sync'` is one string, `fs['rmSync']` a member. Backquotes stay, since they are commands in
 * some languages.
 */
export function codeTextOf(language: string, code: string): CodeText {
  const pieces = joinedPieces(piecesOf(SLASHES.has(language), code));
  const bare = pieces.map(({ kind, text }) => (kind === 'string' ? '""' : text)).join('');
  const members = pieces.flatMap(({ kind, text }, at) => (kind === 'string' && isMember(pieces, at) ? [text] : []));
  const modules = pieces.flatMap(({ kind, text }, at) => (kind === 'string' && isModule(pieces, at) ? [text] : []));
  const named = eachInTurn(bare, /\[\s*""\s*\]/g, members, (name) => `.${name}`);
  return {
    bare: eachInTurn(named, MODULE, modules, (name) => name.replace(/^.*[:/]/, '').replaceAll('-', '_'))
      .replace(/[^\S\n]+/g, ' ')
      .replace(/\n\s+/g, '\n'),
    strings: pieces.filter(({ kind }) => kind === 'string').map(({ text }) => text),
  };
}

/** The text with the names at the matches of the pattern, in order. */
function eachInTurn(text: string, pattern: RegExp, names: readonly string[], spell: (name: string) => string): string {
  let next = 0;
  return text.replace(pattern, (found) => {
    const name = names[next];
    next += 1;
    return name === undefined ? found : spell(name);
  });
}

/**
 * The beginnings of strings and comments, the longest first, and their ends. A backslash escapes the end of a
 * single-line quote.
 */
const STRINGS: readonly (readonly [string, string])[] = [
  ['"""', '"""'],
  ["'''", "'''"],
  ['"', '"'],
  ["'", "'"],
];
const SLASHED: readonly (readonly [string, string])[] = [
  ['//', '\n'],
  ['/*', '*/'],
];
const HASHED: readonly (readonly [string, string])[] = [['#', '\n']];

function piecesOf(slashes: boolean, code: string): Piece[] {
  const pieces: Piece[] = [];
  // A quote that is unclosed once has no end later either, so the search isn't repeated.
  const unclosed = new Set<string>();
  const put = (start: number, end: number): void => {
    if (end > start) pieces.push({ kind: 'code', text: code.slice(start, end) });
  };
  let start = 0;
  for (let at = 0; at < code.length;) {
    const string = partAt(code, at, STRINGS, unclosed);
    // `#` within a word begins no comment: `$#array`, `#{…}`.
    const part =
      string ??
      (/[\w${]/.test(code.charAt(at - 1)) ? undefined : partAt(code, at, slashes ? SLASHED : HASHED, unclosed));
    if (part === undefined) {
      at += 1;
      continue;
    }
    put(start, at);
    if (string) pieces.push({ kind: 'string', text: decodeEscapes(string.within) });
    at = part.end;
    start = at;
  }
  put(start, code.length);
  return pieces;
}

interface Part {
  readonly within: string;
  /** the end of the part; a comment excludes the end of its line */
  readonly end: number;
}

function partAt(
  code: string,
  at: number,
  kinds: readonly (readonly [string, string])[],
  unclosed: Set<string>,
): Part | undefined {
  for (const [open, close] of kinds) {
    if (unclosed.has(open) || !code.startsWith(open, at)) continue;
    const from = at + open.length;
    const end = open.length === 1 && close !== '\n' ? quoteEnd(code, from, close) : code.indexOf(close, from);
    if (close === '\n') return { within: '', end: end < 0 ? code.length : end };
    if (end >= 0) return { within: code.slice(from, end), end: end + close.length };
    unclosed.add(open);
  }
  return undefined;
}

function quoteEnd(code: string, from: number, quote: string): number {
  for (let at = from; at < code.length; at += 1) {
    if (code.charAt(at) === '\\') at += 1;
    else if (code.charAt(at) === quote) return at;
  }
  return -1;
}

/** The texts between double quotes, as they are written. */
export function quotedTexts(code: string): readonly string[] {
  const texts: string[] = [];
  for (let open = code.indexOf('"'); open >= 0;) {
    const end = quoteEnd(code, open + 1, '"');
    if (end < 0) break;
    texts.push(code.slice(open + 1, end));
    open = code.indexOf('"', end + 1);
  }
  return texts;
}

/** `'a' + 'b'`, `'a' . 'b'` and `'a' 'b'` are one string. */
function joinedPieces(pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = [];
  for (let at = 0; at < pieces.length; at += 1) {
    const piece = pieces[at];
    const before = joined.at(-1);
    const operator =
      joined.length > 1 && before?.kind === 'code' && /^[+.]?$/.test(before.text.trim()) ? joined.at(-2) : undefined;
    if (piece?.kind === 'string' && operator?.kind === 'string')
      joined.splice(-2, 2, { kind: 'string', text: operator.text + piece.text });
    else if (piece?.kind === 'string' && before?.kind === 'string')
      joined.splice(-1, 1, { kind: 'string', text: before.text + piece.text });
    else if (piece) joined.push(piece);
  }
  return joined;
}

/** `require('fs')` becomes the module's own name. */
const MODULE = /\brequire\(\s*""\s*\)/g;
const isModule = (pieces: readonly Piece[], at: number): boolean =>
  /\brequire\(\s*$/.test(pieces[at - 1]?.text ?? '') && /^\s*\)/.test(pieces[at + 1]?.text ?? '');

const isMember = (pieces: readonly Piece[], at: number): boolean =>
  /\[\s*$/.test(pieces[at - 1]?.text ?? '') && /^\s*\]/.test(pieces[at + 1]?.text ?? '');
