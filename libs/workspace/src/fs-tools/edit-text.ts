// SPDX-License-Identifier: Apache-2.0
import { Fault, LIMITS } from '@writ/contract';
import { sha256Hex } from '@writ/digest';
import { quote } from '../quote.ts';
import { decodeText } from '../text.ts';
import { replaced, TextFinder } from './find-text.ts';
import { hasCrlfOnly, linesAt } from './lines.ts';
import { nearMiss } from './near-miss.ts';
import { ToolFault } from './tool-fault.ts';

export interface Edit {
  readonly find: string;
  readonly replace: string;
  readonly count?: number | 'all';
}
export interface EditArgs {
  readonly path: string;
  readonly edits: readonly Edit[];
}

/** A file's bytes and what is to be replaced in them. `path` is for messages. */
export interface EditWork extends EditArgs {
  readonly bytes: Uint8Array;
}

/** The bytes as the edits leave them. */
export interface EditedText {
  readonly bytes: Uint8Array;
  readonly sha256: string;
  readonly replacements: number;
}

/** Lines that a message names. */
const NAMED_MAX = 8;
/** An edit of nothing but line ends changes them on purpose. */
const LINE_ENDS = /^[\r\n]+$/;

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/**
 * Replaces text exactly, edit by edit, each on what the one before left. Every `find` must stand in the text as often
 * as its `count` says (once unless said; `all`: once or more often). Takes time that grows with the text, times the
 * edits.
 *
 * Places that overlap (`aa` in `aaa`) are ambiguous, since to replace one destroys the other. `all` takes them from the
 * left, as editors do. Where each line of a file ends in CRLF, line feeds in `find` and `replace` mean that too: the
 * file keeps one kind of line end.
 *
 * @throws ToolFault `file.kind`, `edit.no_match`, `edit.ambiguous`; Fault `file.too_large`
 */
export function editText({ bytes, path, edits }: EditWork): EditedText {
  if (decodeText(bytes) === null)
    throw new ToolFault('file.kind', `${quote(path)} is no text file`, 'write the file as a whole instead');
  let [text, replacements] = [bytes, 0];
  edits.forEach((edit, index) => {
    const { find, replace } = inLineEndsOf(text, edit);
    const which = `edit ${index + 1} of ${edits.length}`;
    const finder = new TextFinder(encode(find));
    const count = countOf(text, finder, edit, which);
    const replacement = encode(replace);
    // Refused before it is built: a short pattern with a long replacement multiplies.
    if (text.length + count * (replacement.length - finder.length) > LIMITS.fileToolBytes.max) {
      throw new Fault('file.too_large', `${which} makes ${quote(path)} longer than ${LIMITS.fileToolBytes.max} bytes`);
    }
    text = replaced(text, finder, replacement, count);
    replacements += count;
  });
  return { bytes: text, sha256: sha256Hex(text), replacements };
}

/** The text as the edits leave it. Throws what `editText` throws. */
export function editedText(before: string, args: EditArgs): { readonly text: string; readonly replacements: number } {
  const { bytes, replacements } = editText({ ...args, bytes: encode(before) });
  return { text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), replacements };
}

function inLineEndsOf(text: Uint8Array, { find, replace }: Edit): Pick<Edit, 'find' | 'replace'> {
  if (!`${find}${replace}`.includes('\n') || LINE_ENDS.test(find) || !hasCrlfOnly(text)) return { find, replace };
  const crlf = (part: string): string => part.replace(/\r?\n/g, '\r\n');
  return { find: crlf(find), replace: crlf(replace) };
}

/** How many places are to be replaced. */
function countOf(text: Uint8Array, finder: TextFinder, { find, count: wanted = 1 }: Edit, which: string): number {
  let count = 0;
  if (wanted === 'all') {
    finder.each(text, false, () => {
      count += 1;
    });
    if (count === 0) throw noMatch(text, find, which);
    return count;
  }
  const first: number[] = [];
  let [before, isOverlapping] = [-Infinity, false];
  finder.each(text, true, (at) => {
    count += 1;
    if (first.length < NAMED_MAX) first.push(at);
    isOverlapping ||= at - before < finder.length;
    before = at;
  });
  if (count === 0) throw noMatch(text, find, which);
  if (count === wanted && !isOverlapping) return count;
  const lines = `in line ${linesAt(text, first).join(', ')}${count > first.length ? ', …' : ''}`;
  if (isOverlapping) {
    throw new ToolFault(
      'edit.ambiguous',
      `${which}: the text to find stands in the file ${count} times, in places that overlap: ${lines}`,
      'find more of the text around it, or replace from the left with `count`: `"all"`',
    );
  }
  throw new ToolFault(
    'edit.ambiguous',
    `${which}: the text to find stands in the file ${count} times, not ${wanted}: ${lines}`,
    'find more of the text around it, or say how often with `count`',
  );
}

function noMatch(text: Uint8Array, find: string, which: string): ToolFault {
  return new ToolFault(
    'edit.no_match',
    `${which}: the text to find is not in the file`,
    nearMiss(decodeText(text) ?? '', find),
  );
}
