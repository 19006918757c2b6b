// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readModelsFile } from './models-file.ts';

const KEY = 'sk-of-this-spec-0123456789';
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'writ-models-'));
  writeFileSync(join(folder, 'key'), `${KEY}\n`, { mode: 0o600 });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const given = (file: unknown): string => {
  const path = join(folder, 'models.json');
  writeFileSync(path, typeof file === 'string' ? file : JSON.stringify(file));
  return path;
};
const row = (over: object = {}): object => ({
  name: 'main',
  provider: 'openai',
  model: 'm-1',
  key_file: 'key',
  ...over,
});

test('a model is read with its key from a file beside it, and missing members are null', () => {
  expect(readModelsFile(given({ models: [row()] }))).toEqual([
    {
      name: 'main',
      provider: 'openai',
      model: 'm-1',
      base_url: undefined,
      apiKey: KEY,
      reply_tokens_max: undefined,
      idle_ms: undefined,
      prices: null,
      currency: null,
      context_tokens_max: null,
    },
  ]);
});

test('a recorded model has the name from its recording', () => {
  writeFileSync(
    join(folder, 'run.json'),
    JSON.stringify({ v: 1, model: 'once', prompt: 'p', turns: [{ text: 'done', calls: [], stop: 'end' }] }),
  );
  expect(
    readModelsFile(given({ models: [{ name: 'told', provider: 'transcript', transcript_file: 'run.json' }] })),
  ).toMatchObject([{ name: 'told', provider: 'transcript', model: 'once' }]);
});

test.each([
  ['a name that is there twice', { models: [row(), row()] }, /`main` is there twice/],
  ['a provider that nobody knows', { models: [row({ provider: 'other' })] }, /can't be read/],
  ['a field that nobody knows', { models: [row({ api_key: KEY })] }, /can't be read/],
  ['a misspelt field', { models: [row({ key_fiel: 'key' })] }, /is not known here; did you mean `key_file`\?/],
  ['a base URL that is none', { models: [row({ base_url: 'file:///etc/passwd' })] }, /can't be read/],
  ["a key that isn't there", { models: [row({ key_file: 'none' })] }, /the key of `main`/],
  [
    "a transcript that isn't there",
    { models: [{ name: 'told', provider: 'transcript', transcript_file: 'none' }] },
    /the transcript of `told`.*ENOENT/,
  ],
  ['no JSON', `{"models": [${KEY}`, /can't be read: it is no JSON/],
] as const)('a file with %s is refused by name, and nothing of it is said', (_what, file, words) => {
  const read = (): unknown => readModelsFile(given(file));
  expect(read).toThrow(words);
  try {
    read();
  } catch (error) {
    expect(String(error)).not.toContain(KEY);
  }
});
