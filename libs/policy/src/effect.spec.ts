// SPDX-License-Identifier: Apache-2.0
import { effectFacts } from './effect.ts';

const file = { kind: 'file', mode: '644', sha256: 'a'.repeat(64), size: 1 } as const;
const other = { ...file, size: 2 };

describe('the facts about an effect for policy', () => {
  test('files are counted by kind of change', () => {
    expect(
      effectFacts([
        { path: 'a', before: null, after: file },
        { path: 'b', before: file, after: other },
        { path: 'c', before: file, after: null },
        { path: 'd', before: file, after: null },
      ]),
    ).toEqual({ created: 1, modified: 1, deleted: 2, areas: [] });
  });

  test.each([
    ['.git/config', ['git']],
    ['.git/hooks/pre-commit', ['git', 'runs_later']],
    ['.git/hooks/pre-commit.sample', ['git']],
    ['.git/modules/x/hooks/post-merge', ['git', 'runs_later']],
    ['sub/.husky/pre-push', ['runs_later']],
    ['.envrc', ['runs_later']],
    ['.github/workflows/ci.yml', ['pipelines']],
    ['.env', ['secrets']],
    ['config/.env.local', ['secrets']],
    ['keys/server.pem', ['secrets']],
    ['src/environment.ts', []],
    ['src/git/hooks/a', []],
  ])('%s lies in %j', (path, areas) => {
    expect(effectFacts([{ path, before: null, after: file }]).areas).toEqual(areas);
  });

  test('a deleted file cannot run later', () => {
    expect(effectFacts([{ path: '.git/hooks/pre-commit', before: file, after: null }]).areas).toEqual(['git']);
  });
});
