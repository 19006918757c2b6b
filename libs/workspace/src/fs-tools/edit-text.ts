// SPDX-License-Identifier: Apache-2.0
import { Fault, LIMITS } from '@writ/contract';
import { sha256Hex } from '@writ/digest';
import { quote } from '../quote.ts';
import { decodeText } from '../text.ts';
import { replaceMatches, TextFinder } from './find-text.ts';
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

/** A file's bytes and the edits. `path` is for messages. */
export interface EditWork extends EditArgs {
  readonly bytes: Uint8Array;
}

/** The bytes after the edits. */
export interface EditedText {
  readonly bytes: Uint8Array;
  readonly sha256: string;
  readonly replacements: number;
}

/** Limit on the lines in a message. */
const NAMED_MAX = 8;
/** An edit of line ends only changes them on purpose. */
const LINE_ENDS = /^[\r\n]+$/;

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/**
 * Replaces text exactly, edit by edit, each on the result of the previous one. Every `find` must occur in the text as
 * often as its `count` (1 by default; `all`: at least once). Takes time proportional to the text times the edits.
 *
 * Overlapping matches (`aa` in `aaa`) are ambiguous, since replacing one destroys the other. `all` replaces from the
 * left, as editors do. If each line of a file ends in CRLF, line feeds in `find` and `replace` mean CRLF too, so the
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
    // Refused before it is built: a short pattern with a long replacement multiplies the size.
    if (text.length + count * (replacement.length - finder.length) > LIMITS.fileToolBytes.max) {
      throw new Fault('file.too_large', `${which} makes ${quote(path)} longer than ${LIMITS.fileToolBytes.max} bytes`);
    }
    text = replaceMatches(text, finder, replacement, count);
    replacements += count;
  });
  return { bytes: text, sha256: sha256Hex(text), replacements };
}

/** The text after the edits. Throws the errors of `editText`. */
export function editedText(before: string, args: EditArgs): { readonly text: string; readonly replacements: number } {
  const { bytes, replacements } = editText({ ...args, bytes: encode(before) });
  return { text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), replacements };
}

function inLineEndsOf(text: Uint8Array, { find, replace }: Edit): Pick<Edit, 'find' | 'replace'> {
  if (!`${find}${replace}`.includes('\n') || LINE_ENDS.test(find) || !hasCrlfOnly(text)) return { find, replace };
  const crlf = (part: string): string => part.replace(/\r?\n/g, '\r\n');
  return { find: crlf(find), replace: crlf(replace) };
}

/** Counts the matches to replace. */
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
      `${which}: the text to find occurs in the file ${count} times, in overlapping places: ${lines}`,
      'find more of the text around it, or replace from the left with `count`: `"all"`',
    );
  }
  throw new ToolFault(
    'edit.ambiguous',
    `${which}: the text to find occurs in the file ${count} times, not ${wanted}: ${lines}`,
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
