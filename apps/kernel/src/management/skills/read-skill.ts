// SPDX-License-Identifier: Apache-2.0
//
// Validates an uploaded skill: it is accepted, or refused with all of its problems. Attacker-controlled: the folder
// often comes from a third party. INVARIANT (one place a file): no path leads out of the folder, and no two paths are
// the same file on any file system.
import { LIMITS, SKILL_FILE, SKILL_PATH_CHARS_MAX, type BlobRef, type SkillManifest } from '@writ/contract';
import { quote } from '@writ/workspace';
import { readFrontMatter, type FrontMatter } from './front-matter.ts';

export interface SentFile {
  readonly path: string;
  readonly ref: BlobRef;
}

export interface Problem {
  readonly pointer: string;
  readonly message: string;
}

/** Characters of a name: no hidden file, and nothing that a shell, a URL or a person reads as something else. */
const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;
/** Maximum depth of a path, deeper than any real skill. */
const DEPTH_MAX = 8;

/** The problem of a file's path, in words; null where there is none. */
export function pathProblem(path: string): string | null {
  if (path === '') return 'the file has no name: give its path in the folder';
  if (path.length > SKILL_PATH_CHARS_MAX)
    return `the path is longer than ${SKILL_PATH_CHARS_MAX} characters: shorten it`;
  const segments = path.split('/');
  if (path.startsWith('/') || segments.includes('..'))
    return `the path ${quote(path)} leads out of the folder: name files from the folder down`;
  if (segments.length > DEPTH_MAX)
    return `the path ${quote(path)} is deeper than ${DEPTH_MAX} levels: move the file up`;
  if (!segments.every((segment) => SEGMENT.test(segment)))
    return `the path ${quote(path)} has a name that no file of a skill can have: use letters, digits, \`_\`, \`-\` and \`.\`, and begin with none of the last two`;
  return null;
}

/**
 * The problems of the files as a folder: too many, too long, invalid names, or two files at one path. Pointers refer to
 * the request.
 */
export function folderProblems(files: readonly SentFile[]): Problem[] {
  const { skillFiles, skillFileBytes, skillBytes } = LIMITS;
  const problems = files.flatMap(({ path, ref }, index) => {
    const wrong = pathProblem(path);
    return [
      ...(wrong === null ? [] : [{ pointer: `/files/${index}/path`, message: wrong }]),
      ...(ref.size > skillFileBytes.max
        ? [
            {
              pointer: `/files/${index}/content`,
              message: `the file is longer than ${skillFileBytes.max} bytes: split it, or leave it out`,
            },
          ]
        : []),
    ];
  });
  if (files.length > skillFiles.max)
    problems.push({
      pointer: '/files',
      message: `a skill has at most ${skillFiles.max} files, and these are ${files.length}: leave some out`,
    });
  const bytes = files.reduce((sum, { ref }) => sum + ref.size, 0);
  if (bytes > skillBytes.max)
    problems.push({
      pointer: '/files',
      message: `a skill has at most ${skillBytes.max} bytes, and these are ${bytes}: leave files out`,
    });
  return [...problems, ...collisionProblems(files)];
}

/** Finds paths that collide on case-insensitive file systems, and a name that is both a file and a directory. */
function collisionProblems(files: readonly SentFile[]): Problem[] {
  const paths = new Map<string, string>();
  const directories = new Map<string, string>();
  for (const { path } of files)
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1))
      directories.set(path.slice(0, at).toLowerCase(), path);
  return files.flatMap(({ path }, index) => {
    const key = path.toLowerCase();
    const other = paths.get(key) ?? directories.get(key);
    if (!paths.has(key)) paths.set(key, path);
    return other === undefined
      ? []
      : [
          {
            pointer: `/files/${index}/path`,
            message: `${quote(path)} and ${quote(other)} are in one place where capitals and small letters are the same: rename one`,
          },
        ];
  });
}

/** The version of the files, with the name and description of their front matter. */
export function manifestOf(files: readonly SentFile[], { name, description }: FrontMatter): SkillManifest {
  const byPath = files
    .map(({ path, ref: { sha256, size } }) => ({ path, sha256, size }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  return { v: 1, name, description, files: byPath };
}

/** The SKILL.md of the folder; or the problem where there is none. */
export function skillFileOf(files: readonly SentFile[]): { readonly index: number; readonly file: SentFile } | Problem {
  const index = files.findIndex(({ path }) => path === SKILL_FILE);
  const file = files[index];
  if (file !== undefined) return { index, file };
  return {
    pointer: '/files',
    message: `there is no \`${SKILL_FILE}\` at the top of the folder: write one that begins with \`---\`, \`name: …\`, \`description: …\`, \`---\``,
  };
}

/** The front matter of the file, or its problems, with pointers into the request. */
export function readSkillFile({
  bytes,
  index,
}: {
  readonly bytes: Uint8Array;
  readonly index: number;
}): FrontMatter | Problem[] {
  const read = readFrontMatter(bytes);
  return 'problems' in read
    ? read.problems.map((message) => ({ pointer: `/files/${index}/content`, message: `${SKILL_FILE}${message}` }))
    : read.frontMatter;
}
