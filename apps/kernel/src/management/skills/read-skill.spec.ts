// SPDX-License-Identifier: Apache-2.0
import { LIMITS, SKILL_PATH_CHARS_MAX } from '@writ/contract';
import fc from 'fast-check';
import { folderProblems, manifestOf, pathProblem, readSkillFile, skillFileOf, type SentFile } from './read-skill.ts';

const file = (path: string, size = 1): SentFile => ({ path, ref: { sha256: '0'.repeat(64), size } });
const messagesOf = (...files: SentFile[]): string[] =>
  folderProblems(files).map(({ pointer, message }) => `${pointer} ${message}`);

test.each(['SKILL.md', 'scripts/run.sh', 'a/b/c/d/e/f/g/h', '__init__.py', 'A-1_2.3', 'x'.repeat(128)])(
  '%s is a path in a skill',
  (path) => {
    expect(pathProblem(path)).toBeNull();
  },
);

test.each([
  '',
  '/SKILL.md',
  '../SKILL.md',
  'a/../b',
  '..',
  '.',
  './SKILL.md',
  'a//b',
  'a/',
  '.git/config',
  '.hidden',
  'a/.b',
  '-rf',
  'a\\b',
  'C:\\x',
  'a b',
  'a\0b',
  'a\nb',
  'ä.md',
  'a\u0308',
  '\u202egnp',
  'a:b',
  'a|b',
  '~/x',
  '$HOME',
  'a*',
  'a/b/c/d/e/f/g/h/i',
  'x'.repeat(129),
  'a/'.repeat(200),
])('%j is no path in a skill, and the message has advice', (path) => {
  expect(pathProblem(path)).toMatch(/: /);
});

test('no accepted path leads out of the folder, for random paths', () => {
  const hostile = fc
    .array(
      fc.constantFrom('.', '..', '/', '\\', '\0', 'a', 'B', '-', '_', ' ', 'é', '%2e', '~', ':', '\u2215', '\uff0e'),
      { maxLength: 12 },
    )
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.oneof(hostile, fc.string({ unit: 'binary', maxLength: 40 })), (path) => {
      if (pathProblem(path) !== null) return;
      expect(path).toMatch(/^[A-Za-z0-9._/-]+$/);
      expect(path.length).toBeLessThanOrEqual(SKILL_PATH_CHARS_MAX);
      const { pathname } = new URL(path, 'https://skill.example/folder/');
      expect(pathname).toBe(`/folder/${path}`);
    }),
    { numRuns: 2_000 },
  );
});

test('no two files of an accepted folder have the same path, on any file system', () => {
  const name = fc.constantFrom('a', 'A', 'b', 'a/b', 'A/b', 'a/B', 'SKILL.md', 'skill.MD', 'a/b/c');
  fc.assert(
    fc.property(fc.array(name, { maxLength: 5 }), (paths) => {
      const isTaken = folderProblems(paths.map((path) => file(path))).length === 0;
      const places = paths.map((path) => path.toLowerCase());
      const clash = places.some((place, n) =>
        places.some((other, m) => n !== m && (other === place || other.startsWith(`${place}/`))),
      );
      expect(isTaken).toBe(!clash);
    }),
  );
});

test('all problems of a folder are reported, each with its pointer', () => {
  expect(
    messagesOf(
      file('SKILL.md'),
      file('../x'),
      file('skill.md'),
      file('big', LIMITS.skillFileBytes.max + 1),
      file('a'),
      file('a/b'),
    ),
  ).toEqual([
    expect.stringMatching(/^\/files\/1\/path .*leads out of the folder/),
    expect.stringMatching(/^\/files\/3\/content .*longer than/),
    expect.stringMatching(/^\/files\/2\/path `skill.md` and `SKILL.md` are in one place/),
    expect.stringMatching(/^\/files\/4\/path `a` and `a\/b`/),
  ]);
  expect(messagesOf(...Array.from({ length: LIMITS.skillFiles.max + 1 }, (_, n) => file(`f${n}`)))).toEqual([
    expect.stringMatching(/^\/files a skill has at most 64 files/),
  ]);
  expect(messagesOf(...Array.from({ length: 9 }, (_, n) => file(`f${n}`, LIMITS.skillFileBytes.max)))).toEqual([
    expect.stringMatching(/^\/files a skill has at most 1048576 bytes/),
  ]);
  expect(messagesOf(...Array.from({ length: 8 }, (_, n) => file(`f${n}`, LIMITS.skillFileBytes.max)))).toEqual([]);
});

test('a skill has its SKILL.md at its top, and the problems of that file have pointers to it', () => {
  expect(skillFileOf([file('docs/SKILL.md'), file('skill.md')])).toMatchObject({
    pointer: '/files',
    message: expect.stringContaining('no `SKILL.md`'),
  });
  expect(skillFileOf([file('a'), file('SKILL.md')])).toMatchObject({ index: 1 });
  expect(readSkillFile({ bytes: Buffer.from('# no'), index: 1 })).toEqual([
    { pointer: '/files/1/content', message: expect.stringMatching(/^SKILL.md:1:1: /) },
  ]);
});

test('a version is the same for any order of its files', () => {
  const files = ['b', 'SKILL.md', 'a/c'].map((path, n) => ({ path, ref: { sha256: String(n).repeat(64), size: n } }));
  const said = { name: 'n', description: 'd' };
  expect(manifestOf(files, said)).toEqual(manifestOf(files.toReversed(), said));
  expect(manifestOf(files, said).files.map(({ path }) => path)).toEqual(['SKILL.md', 'a/c', 'b']);
});
