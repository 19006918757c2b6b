// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { presentStack } from './present.ts';

const stateDir = mkdtempSync(join(tmpdir(), 'writ-present-'));
afterAll(() => rmSync(stateDir, { recursive: true }));
const stack = {
  url: 'http://127.0.0.1:7480',
  publicUrl: 'http://127.0.0.1:7480',
  keys: { platformKey: 'the-platform-key' } as never,
};
const linesOf = (env: Readonly<Record<string, string>> = {}, publicUrl = stack.publicUrl): readonly string[] =>
  stripVTControlCharacters(presentStack({ stateDir, env }, { ...stack, publicUrl }))
    .split('\n')
    .map((line) => line.trim().replaceAll(/\s+/g, ' '));
const keepFacts = (facts: object): void => writeFileSync(join(stateDir, 'cli.json'), JSON.stringify(facts));

test('the console comes first, and then the key that signs in to it', () => {
  keepFacts({ api_key: 'the-key', workspace_id: 'ws' });
  expect(linesOf().slice(1, 5)).toEqual([
    'Writ is up.',
    'console http://127.0.0.1:7480/console/ sign in with the API key below',
    'API key the-key administrator of the demo tenant',
    'API http://127.0.0.1:7480 pages: http://127.0.0.1:7480/docs/api',
  ]);
  expect(linesOf()).toContain('platform key the-platform-key creates tenants, nothing else; it signs nobody in');
});

test('the console is at the public URL, where people may sign in at an identity provider alone', () => {
  const [, , console] = linesOf({ WRIT_KEY_SESSIONS: 'false' }, 'https://writ.example.org');
  expect(console).toBe('console https://writ.example.org/console/ sign in at the identity provider of your tenant');
});

test('a console that is turned off is not named, and its key stays', () => {
  expect(linesOf({ WRIT_CONSOLE: 'false' })[2]).toBe('API key the-key administrator of the demo tenant');
});
