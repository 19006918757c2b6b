// SPDX-License-Identifier: Apache-2.0
import { Fault, LIMITS } from '@writ/contract';
import { quote } from '../quote.ts';
import type { Resolved } from '../resolve-links.ts';
import { decodeText } from '../text.ts';
import { lineAt } from './lines.ts';
import { ToolFault, type FileToolContext, type FileToolSuccess } from './outcome.ts';
import { requireFile, targetOf } from './target.ts';
import { place } from './write.ts';

export interface Edit { readonly find: string; readonly replace: string; readonly count?: number | 'all' }
export interface EditArgs { readonly path: string; readonly edits: readonly Edit[] }
export interface EditResult { readonly path: string; readonly replacements: number; readonly size: number; readonly sha256: string }

/** Lines that a message names. */
const NAMED_MAX = 8;

/**
 * `fs.edit`: replaces text exactly, edit by edit, each on what the one before left; all of them or none. Every `find` must match as often as its
 * `count` says (once unless said; `all`: once or more often). Matches don't overlap. Faults: `edit.no_match`, `edit.ambiguous`.
 */
export async function editTool(context: FileToolContext, args: EditArgs): Promise<FileToolSuccess<EditResult>> {
  const target = await targetOf(context, args.path, ['read', 'write']);
  const before = await textToEdit(context, target);
  const { text, replacements } = editedText(before, args);
  const bytes = new TextEncoder().encode(text);
  const { sha256, ...written } = await place(context, target, bytes);
  return { ok: true, result: { path: target.path, replacements, size: bytes.length, sha256 }, ...written };
}

/** The text of the file at a resolved path. Faults: of `requireFile`; `file.kind` where it is no text. */
export async function textToEdit(context: FileToolContext, target: Resolved): Promise<string> {
  const text = decodeText(await context.reader(requireFile(target).sha256));
  if (text === null) throw new ToolFault('file.kind', `${quote(target.path)} is no text file`, 'write the file as a whole instead');
  return text;
}

/** The text as the edits leave it. Throws ToolFault `edit.no_match`, `edit.ambiguous`; Fault `file.too_large`. */
export function editedText(before: string, { path, edits }: EditArgs): { readonly text: string; readonly replacements: number } {
  let text = before;
  let replacements = 0;
  edits.forEach((edit, index) => {
    const at = matchesOf(text, edit.find);
    requireCount(edit, at, text, `edit ${index + 1} of ${edits.length}`);
    // Told before it is built: a short pattern with a long replacement multiplies.
    if (text.length + at.length * (edit.replace.length - edit.find.length) > LIMITS.fileToolBytes.max) {
      throw new Fault('file.too_large', `edit ${index + 1} makes ${quote(path)} longer than ${LIMITS.fileToolBytes.max} bytes`);
    }
    text = text.split(edit.find).join(edit.replace);
    replacements += at.length;
  });
  return { text, replacements };
}

/** Where the text stands, from the left, without overlaps. */
function matchesOf(text: string, find: string): number[] {
  const at: number[] = [];
  for (let index = text.indexOf(find); index !== -1; index = text.indexOf(find, index + find.length)) at.push(index);
  return at;
}

function requireCount(edit: Edit, at: readonly number[], text: string, which: string): void {
  const wanted = edit.count ?? 1;
  if (at.length === 0) throw new ToolFault('edit.no_match', `${which}: the text to find is not in the file`, nearMiss(text, edit.find));
  if (wanted === 'all' || at.length === wanted) return;
  const lines = at.slice(0, NAMED_MAX).map((index) => lineAt(text, index)).join(', ');
  const more = at.length > NAMED_MAX ? ', …' : '';
  throw new ToolFault('edit.ambiguous', `${which}: the text to find stands in the file ${at.length} times, not ${wanted}: in line ${lines}${more}`,
    'find more of the text around it, or say how often with `count`');
}

/** Where the first line of the text stands with other white space, which is what most edits that miss got wrong. */
function nearMiss(text: string, find: string): string {
  const squeezed = (line: string): string => line.replace(/\s+/g, ' ').trim();
  const first = squeezed(find.trimStart().split('\n', 1)[0] ?? '');
  const line = first === '' ? -1 : text.split('\n').findIndex((each) => squeezed(each) === first);
  return line === -1 ? 'read the file: it may have changed' : `line ${line + 1} has the same words with other white space or another line after it`;
}
