// SPDX-License-Identifier: Apache-2.0
import { LATER_BYTES_MAX, newStarters, type LaterReader } from './later-contents.ts';

const READERS: readonly LaterReader[] = [
  'package',
  'git-config',
  'gitfile',
  'commondir',
  'npmrc',
  'yarnrc',
  'pnpm',
  'cargo',
  'mise',
  'editor',
  'lines',
  'pipeline',
  'composer',
  'bunfig',
  'deploy',
  'heroku',
  'procfile',
];
const CONSTRUCTS = [
  '-',
  ' ',
  '\n',
  'a-version',
  '[a "',
  '\\"',
  '"',
  '{',
  '.git/modules/',
  'gitdir: .git/worktrees/',
  'uses: a/',
  'name: ',
  '# ',
  '- ',
  '\t',
  ': ',
  '[x]\n',
  'a=1\n',
  '\\\n',
  ' #"',
  ' - ',
  ' '.repeat(490) + '-\n',
  'a:\n',
  '\\u0061',
  '/*',
  '"\\"',
  ', ',
  '{"a":',
  '[',
];
/** Reading the maximum takes some ten milliseconds; this allows for a busy processor. */
const SLOW_MS = 1_000;

describe.each(READERS)('the reader of %s', (reader) => {
  it.each(CONSTRUCTS)('reads as many %j as allowed within its time, with the same result twice', (construct) => {
    for (const [before, after] of [
      ['', ''],
      ['[a]\n', '\n'],
      ['gitdir: ', '\nx'],
    ] as const) {
      const content = Buffer.from(
        before + construct.repeat(Math.floor((LATER_BYTES_MAX - 16) / construct.length)) + after,
      );
      const began = performance.now();
      newStarters({ reader, before: null, after: content });
      expect(performance.now() - began).toBeLessThan(SLOW_MS);
      expect(newStarters({ reader, before: content, after: content })).toEqual({
        names: [],
        count: 0,
        removed: { names: [], count: 0 },
      });
    }
  });
});
