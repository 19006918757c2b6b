// SPDX-License-Identifier: Apache-2.0
// The content of a file as lines. The bytes are attacker-controlled.

/** Lines that the browser lays out together. Those out of view cost nothing. */
const LINES_OF_CHUNK = 200;
/** Characters of a line that are shown: a browser takes seconds to lay out a line of a megabyte. */
const LINE_CHARACTERS_MAX = 4_000;

/** Lines of a text, some at a time. */
export interface TextChunk {
  /** the number of its first line, from 1 */
  readonly first: number;
  readonly lines: readonly string[];
}

export interface FileText {
  readonly chunks: readonly TextChunk[];
  readonly lines: number;
  /** lines that are shown in part */
  readonly cut: number;
  /** how lines end; `mixed` shows each carriage return */
  readonly ends: 'lf' | 'crlf' | 'mixed';
}

/** The text of a file; null where it is none: bytes that are no UTF-8, or a zero byte, as other programs judge it. */
export function textOf(bytes: Uint8Array): FileText | null {
  if (bytes.includes(0)) return null;
  try {
    return linesOf(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return null;
  }
}

function linesOf(text: string): FileText {
  const raw = text.split('\n');
  // What ends with a line break has no further line.
  if (raw.at(-1) === '') raw.pop();
  const ends = endsOf(text);
  let cut = 0;
  const lines = raw.map((line) => {
    const plain = ends === 'crlf' && line.endsWith('\r') ? line.slice(0, -1) : line;
    if (plain.length <= LINE_CHARACTERS_MAX) return plain;
    cut += 1;
    return `${plain.slice(0, LINE_CHARACTERS_MAX)}…`;
  });
  const chunks: TextChunk[] = [];
  for (let at = 0; at < lines.length; at += LINES_OF_CHUNK)
    chunks.push({ first: at + 1, lines: lines.slice(at, at + LINES_OF_CHUNK) });
  return { chunks, lines: lines.length, cut, ends };
}

function endsOf(text: string): FileText['ends'] {
  const returns = text.split('\r').length - 1;
  if (returns === 0) return 'lf';
  const breaks = text.split('\n').length - 1;
  const both = text.split('\r\n').length - 1;
  return returns === both && breaks === both ? 'crlf' : 'mixed';
}
