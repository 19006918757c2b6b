// SPDX-License-Identifier: Apache-2.0
import { decodeEscapes } from '../shell/escapes.ts';

/** Code with its strings taken out: what it calls stands in `bare`, where each string is `""`, and what it says in `strings`. */
export interface CodeText {
  readonly bare: string;
  readonly strings: readonly string[];
}

type Piece = { readonly kind: 'code' | 'string'; readonly text: string };

/** Line comments by language; the others use `#`. */
const SLASHES = new Set(['node', 'nodejs', 'deno', 'bun', 'tsx', 'ts-node', 'php', 'go', 'swift', 'kotlin', 'groovy']);
const PIECE = /("""|''')([\s\S]*?)\1|"((?:[^"\\]|\\[\s\S])*)"|'((?:[^'\\]|\\[\s\S])*)'/y;

/**
 * Takes the strings out of code of a language of scripts, so that a word in a text isn't a call, and puts together what is spelled in
 * pieces: `'rm' + 'Sync'` is one string, `fs['rmSync']` a member. Backquotes stay where they are: they are commands in some languages.
 */
export function codeTextOf(language: string, code: string): CodeText {
  const pieces = joinedPieces(piecesOf(SLASHES.has(language) ? /\/\/[^\n]*|\/\*[\s\S]*?\*\//y : /#[^\n]*/y, code));
  const bare = pieces.map(({ kind, text }) => (kind === 'string' ? '""' : text)).join('');
  const members = pieces.flatMap(({ kind, text }, at) => (kind === 'string' && isMember(pieces, at) ? [text] : []));
  const modules = pieces.flatMap(({ kind, text }, at) => (kind === 'string' && isModule(pieces, at) ? [text] : []));
  const named = members.reduce((text, name) => text.replace(/\[\s*""\s*\]/, () => `.${name}`), bare);
  return { bare: modules.reduce((text, name) => text.replace(MODULE, () => name.replace(/^.*[:/]/, '').replaceAll('-', '_')), named), strings: pieces.filter(({ kind }) => kind === 'string').map(({ text }) => text) };
}

function piecesOf(comment: RegExp, code: string): Piece[] {
  const pieces: Piece[] = [];
  let start = 0;
  const put = (end: number): void => {
    if (end > start) pieces.push({ kind: 'code', text: code.slice(start, end) });
  };
  for (let at = 0; at < code.length;) {
    const string = matchAt(PIECE, code, at);
    // `#` within a word is none of a comment's: `$#array`, `#{…}`.
    const skipped = string ? null : /[\w${]/.test(code.charAt(at - 1)) ? null : matchAt(comment, code, at);
    const length = (string ?? skipped)?.[0].length ?? 0;
    if (length === 0) {
      at += 1;
      continue;
    }
    put(at);
    if (string) pieces.push({ kind: 'string', text: decodeEscapes(string[2] ?? string[3] ?? string[4] ?? '') });
    at += length;
    start = at;
  }
  put(code.length);
  return pieces;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** `'a' + 'b'`, `'a' . 'b'` and `'a' 'b'` are one string. */
function joinedPieces(pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = [];
  for (let at = 0; at < pieces.length; at += 1) {
    const piece = pieces[at];
    const before = joined.at(-1);
    const operator = joined.length > 1 && before?.kind === 'code' && /^\s*[+.]?\s*$/.test(before.text) ? joined.at(-2) : undefined;
    if (piece?.kind === 'string' && operator?.kind === 'string') joined.splice(-2, 2, { kind: 'string', text: operator.text + piece.text });
    else if (piece?.kind === 'string' && before?.kind === 'string') joined.splice(-1, 1, { kind: 'string', text: before.text + piece.text });
    else if (piece) joined.push(piece);
  }
  return joined;
}

/** `require('fs')` stands for the module's own name. */
const MODULE = /\brequire\(\s*""\s*\)/;
const isModule = (pieces: readonly Piece[], at: number): boolean =>
  /\brequire\(\s*$/.test(pieces[at - 1]?.text ?? '') && /^\s*\)/.test(pieces[at + 1]?.text ?? '');

const isMember = (pieces: readonly Piece[], at: number): boolean =>
  /\[\s*$/.test(pieces[at - 1]?.text ?? '') && /^\s*\]/.test(pieces[at + 1]?.text ?? '');
