// SPDX-License-Identifier: Apache-2.0
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { readTranscript } from '../job/models/choose.ts';
import { checkout } from '../setup.ts';
import { writeModelsFile } from './models.ts';

let stateDir: string;
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'writ-models-'));
});
afterEach(() => {
  rmSync(stateDir, { recursive: true });
});

interface Row {
  readonly name: string;
  readonly provider: string;
  readonly key_file?: string;
  readonly transcript_file?: string;
}
const write = (env: Readonly<Record<string, string>>): { path: string; models: Row[] } => {
  const path = writeModelsFile({ checkout, stateDir, env });
  return { path, ...(JSON.parse(readFileSync(path, 'utf8')) as { models: Row[] }) };
};
const modeOf = (path: string): number => statSync(path).mode & 0o777;

test('without a key of a provider, sessions have the transcript of the job', () => {
  const { path, models } = write({});
  expect(models).toMatchObject([{ name: 'recorded', provider: 'transcript' }]);
  expect(readTranscript(resolve(dirname(path), models[0]!.transcript_file!)).turns.length).toBeGreaterThan(3);
});

test("with a key, sessions have that provider's model, and the key lies in a file for the owner alone", () => {
  const { path, models } = write({ OPENAI_API_KEY: 'sk-1', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', WRIT_MODEL: 'm' });
  expect(models).toEqual([
    { name: 'default', provider: 'openai', model: 'm', base_url: 'http://127.0.0.1:9/v1', key_file: 'provider.key' },
  ]);
  const keyFile = resolve(dirname(path), models[0]!.key_file!);
  expect(readFileSync(keyFile, 'utf8')).toBe('sk-1');
  expect([modeOf(keyFile), modeOf(path), modeOf(dirname(path))]).toEqual([0o600, 0o600, 0o700]);
});

test('a key that the environment has no more is deleted, and another one replaces it', () => {
  const { path } = write({ ANTHROPIC_API_KEY: 'a' });
  const keyFile = join(dirname(path), 'provider.key');
  write({ GEMINI_API_KEY: 'b' });
  expect(readFileSync(keyFile, 'utf8')).toBe('b');
  write({});
  expect(existsSync(keyFile)).toBe(false);
});
