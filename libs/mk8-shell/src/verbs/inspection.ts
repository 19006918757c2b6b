// SPDX-License-Identifier: Apache-2.0
import { createTwoFilesPatch } from 'diff';
import { VERB_LIMITS } from '../limits.ts';
import { algorithm, choice, glob, int, optional, path, regex, text, ALGORITHMS } from '../registry/arguments.ts';
import { verbsOf, type Verb } from '../registry/verb.ts';
import type { StepContext } from '../run/step-context.ts';
import { StepError } from '../run/step-error.ts';
import { encodingOf, mimeTypeOf } from './file-kinds.ts';
import { globTest } from './glob.ts';
import { digestOf } from './hash.ts';
import { capped, linesOf, listed, yesOrNo } from './lines.ts';
import { finder } from './regex.ts';

const verb = verbsOf('inspection');
const LINES_DEFAULT = '10';
const count = () => optional(int('lines', 1, 1000));
/** A diff takes time with the square of the number of edits. */
const DIFF_EDITS_MAX = 2000;
/** Enough for every signature. */
const SNIFFED_BYTES = 4096;

const ageSeconds = async (file: string, { files, clock }: StepContext): Promise<number> =>
  Math.max(0, Math.floor((clock.now() - (await files.need(file, 'file')).modifiedMs) / 1000));

async function search(file: string, { files }: StepContext, fits: (line: string) => boolean): Promise<string> {
  const found: string[] = [];
  for (const [n, line] of linesOf(await files.text(file)).entries()) {
    if (found.length > VERB_LIMITS.searchMatches) break;
    if (fits(line)) found.push(`${n + 1}: ${line}`);
  }
  return capped(found, VERB_LIMITS.searchMatches);
}

async function globbed(folder: string, pattern: string, depth: number, { files }: StepContext): Promise<string> {
  const fits = globTest(pattern);
  const from = folder === '' ? 0 : folder.length + 1;
  const found: string[] = [];
  for await (const { path: file, kind } of files.tree(folder, depth)) {
    if (kind === 'file' && fits(file.slice(from))) found.push(files.shown(file));
    if (found.length > VERB_LIMITS.globMatches) break;
  }
  return capped(found, VERB_LIMITS.globMatches);
}

async function difference([one = '', two = '']: readonly string[], { files }: StepContext): Promise<string> {
  const [a, b] = [await files.text(one), await files.text(two)];
  if (a === b) return '';
  const patch = createTwoFilesPatch(files.shown(one), files.shown(two), a, b, undefined, undefined, {
    context: 3,
    maxEditLength: DIFF_EDITS_MAX,
  });
  if (patch === undefined) throw new StepError(`the files differ in more than ${DIFF_EDITS_MAX} lines`);
  return patch.split('\n').slice(1).join('\n').trimEnd();
}

export const INSPECTION_VERBS: readonly Verb[] = [
  verb(
    'FileHash',
    'reads',
    'the digest of a file',
    [path('path'), algorithm()],
    ['$WORKSPACE/a.txt'],
    async ([file = '', name], { files }) => digestOf(await files.bytes(file), name),
  ),
  verb(
    'FileLineCount',
    'reads',
    'how many lines a file has',
    [path('path')],
    ['$WORKSPACE/a.txt'],
    async ([file = ''], { files }) => String(linesOf(await files.text(file)).length),
  ),
  verb(
    'FileHead',
    'reads',
    'its first lines, 10 by default',
    [path('path'), count()],
    ['$WORKSPACE/a.txt', '1'],
    async ([file = '', n = LINES_DEFAULT], { files }) => listed(linesOf(await files.text(file)).slice(0, Number(n))),
  ),
  verb(
    'FileTail',
    'reads',
    'its last lines, 10 by default',
    [path('path'), count()],
    ['$WORKSPACE/a.txt', '1'],
    async ([file = '', n = LINES_DEFAULT], { files }) => listed(linesOf(await files.text(file)).slice(-Number(n))),
  ),
  verb(
    'FileSearch',
    'reads',
    'lines that hold a text, with their numbers; 500 at most',
    [path('path'), text('substring')],
    ['$WORKSPACE/a.txt', 'one'],
    ([file = '', part = ''], context) => search(file, context, (line) => line.includes(part)),
  ),
  verb(
    'FileSearchRegex',
    'reads',
    'lines that match, with their numbers; 500 at most',
    [path('path'), regex('pattern')],
    ['$WORKSPACE/a.txt', 'o.e'],
    ([file = '', pattern = ''], context) => search(file, context, finder(pattern, context.checkRegexTime)),
  ),
  verb(
    'FileGlob',
    'reads',
    'files below a directory whose paths fit; `**` crosses directories; 5 deep by default, 1000 at most',
    [path('path'), glob('pattern'), optional(int('depth', 1, 10))],
    ['$WORKSPACE', '**/*.md'],
    ([folder = '', pattern = '', depth = '5'], context) => globbed(folder, pattern, Number(depth), context),
  ),
  verb(
    'FileDiff',
    'reads',
    'what differs between two files, as a unified diff; nothing where they are the same',
    [path('file1'), path('file2')],
    ['$WORKSPACE/a.txt', '$WORKSPACE/src/readme.md'],
    difference,
  ),
  verb(
    'FileMimeType',
    'reads',
    'the media type, by contents and name',
    [path('path')],
    ['$WORKSPACE/a.txt'],
    async ([file = ''], { files }) => mimeTypeOf(await files.head(file, SNIFFED_BYTES), file),
  ),
  verb(
    'FileEncoding',
    'reads',
    'how its text is encoded, or `binary`',
    [path('path')],
    ['$WORKSPACE/a.txt'],
    async ([file = ''], { files }) => encodingOf(await files.bytes(file)),
  ),
  verb(
    'FileEqual',
    'reads',
    'whether two files hold the same bytes',
    [path('file1'), path('file2')],
    ['$WORKSPACE/a.txt', '$WORKSPACE/a.txt'],
    async ([one = '', two = ''], { files }) =>
      yesOrNo(Buffer.compare(await files.bytes(one), await files.bytes(two)) === 0),
  ),
  verb(
    'FileChecksum',
    'reads',
    'whether a file has a digest',
    [path('path'), text('expected'), algorithm()],
    ['$WORKSPACE/a.txt', '00'],
    async ([file = '', expected = '', name], { files }) =>
      yesOrNo(digestOf(await files.bytes(file), name) === expected.trim().toLowerCase()),
  ),
  verb(
    'FileAge',
    'reads',
    'seconds since it was changed',
    [path('path')],
    ['$WORKSPACE/a.txt'],
    async ([file = ''], context) => String(await ageSeconds(file, context)),
  ),
  verb(
    'FileNewerThan',
    'reads',
    'whether it was changed in the last so many seconds',
    [path('path'), int('seconds', 0, 1_000_000_000)],
    ['$WORKSPACE/a.txt', '60'],
    async ([file = '', seconds = ''], context) => yesOrNo((await ageSeconds(file, context)) < Number(seconds)),
  ),
];

const directory = verbsOf('directories');

async function tree(folder: string, depth: number, { files }: StepContext): Promise<string> {
  const lines: string[] = [];
  for await (const { path: file, kind, depth: at } of files.tree(folder, depth)) {
    if (lines.length > VERB_LIMITS.globMatches) break;
    lines.push(
      `${'  '.repeat(at - 1)}${file.slice(file.lastIndexOf('/') + 1)}${kind === 'directory' ? '/' : kind === 'link' ? '@' : ''}`,
    );
  }
  return capped(lines, VERB_LIMITS.globMatches);
}

/** Deeper than any tree that is read completely. */
const WHOLE = 64;

/** Files below a directory by their paths within it. Links count by their names only, since they are not followed. */
async function filesBelow(folder: string, { files }: StepContext, pattern = '**'): Promise<Map<string, string | null>> {
  const fits = globTest(pattern.includes('/') || pattern === '**' ? pattern : `**/${pattern}`);
  const found = new Map<string, string | null>();
  for await (const { path: file, kind } of files.tree(folder, WHOLE)) {
    const inner = folder === '' ? file : file.slice(folder.length + 1);
    if (kind !== 'directory' && fits(inner)) found.set(inner, kind === 'file' ? file : null);
  }
  return found;
}

async function compared([one = '', two = '']: readonly string[], context: StepContext): Promise<string> {
  const [a, b] = [await filesBelow(one, context), await filesBelow(two, context)];
  const digest = async (file: string | null | undefined): Promise<string> =>
    file === null || file === undefined ? 'link' : digestOf(await context.files.bytes(file));
  const lines: string[] = [];
  for (const name of [...new Set([...a.keys(), ...b.keys()])].sort()) {
    if (!b.has(name)) lines.push(`only in first: ${name}`);
    else if (!a.has(name)) lines.push(`only in second: ${name}`);
    else if ((await digest(a.get(name))) !== (await digest(b.get(name)))) lines.push(`differs: ${name}`);
  }
  return lines.length === 0 ? 'identical' : listed(lines);
}

async function treeDigest([folder = '', name, pattern]: readonly string[], context: StepContext): Promise<string> {
  const lines: string[] = [];
  for (const [inner, file] of [...(await filesBelow(folder, context, pattern))].sort(([a], [b]) => (a < b ? -1 : 1)))
    lines.push(`${file === null ? 'link' : digestOf(await context.files.bytes(file), name)}  ${inner}`);
  return digestOf(lines.join('\n'), name);
}

export const DIRECTORY_VERBS: readonly Verb[] = [
  directory(
    'DirCreate',
    'writes',
    'makes a directory, and those on the way',
    [path('path', 'write')],
    ['$WORKSPACE/new/folder'],
    async ([folder = ''], { files }) => {
      await files.makeDirectory(folder);
      return `made ${files.shown(folder)}`;
    },
  ),
  directory(
    'DirDelete',
    'writes',
    'deletes a directory and all in it; one that is not there is deleted already',
    [path('path', 'delete')],
    ['$WORKSPACE/src'],
    async ([folder = ''], { files }) => {
      await files.remove(folder, 'directory');
      return `deleted ${files.shown(folder)}`;
    },
  ),
  directory(
    'DirList',
    'reads',
    'names in a directory; those of directories end in a slash',
    [path('path')],
    ['$WORKSPACE'],
    async ([folder = ''], { files }) =>
      listed((await files.list(folder)).map(({ name, kind }) => (kind === 'directory' ? `${name}/` : name))),
  ),
  directory(
    'DirExists',
    'reads',
    'whether there is a directory',
    [path('path')],
    ['$WORKSPACE/src'],
    async ([folder = ''], { files }) => yesOrNo((await files.stat(folder))?.kind === 'directory'),
  ),
  directory(
    'DirTree',
    'reads',
    'what lies below a directory, 3 deep by default',
    [path('path'), optional(int('depth', 1, 5))],
    ['$WORKSPACE', '2'],
    ([folder = '', depth = '3'], context) => tree(folder, Number(depth), context),
  ),
  directory(
    'DirFileCount',
    'reads',
    'how many files lie below a directory; a pattern narrows their names',
    [path('path'), optional(glob('pattern'))],
    ['$WORKSPACE', '*.md'],
    async ([folder = '', pattern], context) => String((await filesBelow(folder, context, pattern)).size),
  ),
  directory(
    'DirEmpty',
    'reads',
    'whether a directory holds nothing',
    [path('path')],
    ['$WORKSPACE/src'],
    async ([folder = ''], { files }) => yesOrNo((await files.list(folder)).length === 0),
  ),
  directory(
    'DirCompare',
    'reads',
    "which files two directories don't share",
    [path('dir1'), path('dir2')],
    ['$WORKSPACE/src', '$WORKSPACE/src'],
    compared,
  ),
  directory(
    'DirHash',
    'reads',
    'one digest over names and contents of all files below a directory',
    [path('path'), optional(choice('algorithm', ...ALGORITHMS)), optional(glob('pattern'))],
    ['$WORKSPACE/src'],
    treeDigest,
  ),
];
