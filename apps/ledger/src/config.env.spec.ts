// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newKey } from '@writ/nest-kit/keys';
import { logKeysOf, ringOf } from '@writ/signing';
import { readConfig } from './config.env.ts';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'writ-ledger-config-'));
});
afterAll(() => {
  rmSync(dir, { recursive: true });
});

const file = (text: string): string => {
  const path = join(dir, 'log-keys.json');
  writeFileSync(path, text);
  return path;
};
const published = (deployment: string): string => file(JSON.stringify(logKeysOf(ringOf(newKey().signer), deployment)));
const environment = (deployment: string, logKeys?: string): Record<string, string> => ({
  WRIT_DEPLOYMENT: deployment,
  WRIT_NATS_URL: 'nats://127.0.0.1:4222',
  WRIT_LEDGER_DATABASE_URL: 'postgres://writ_ledger@127.0.0.1/writ',
  WRIT_RECORD_PUBLIC_KEYS_FILE: '/record-keys.json',
  WRIT_LEDGER_MEMORY_FILE: '/signed-roots',
  ...(logKeys === undefined ? {} : { WRIT_LOG_PUBLIC_KEYS_FILE: logKeys }),
});

describe("the ledger's environment", () => {
  it('is taken where the published log keys have the name of the deployment, and where none are given', () => {
    expect(readConfig(environment('writ.one', published('writ.one'))).WRIT_DEPLOYMENT).toBe('writ.one');
    expect(readConfig(environment('writ.one')).WRIT_LOG_PUBLIC_KEYS_FILE).toBeUndefined();
  });

  it('is refused where the published log keys have another name, with both names and what to set', () => {
    expect(() => readConfig(environment('writ.two', published('writ.one')))).toThrow(
      /WRIT_DEPLOYMENT is `writ\.two`, .* have the name `writ\.one`: .* Set WRIT_DEPLOYMENT .* to `writ\.one`/,
    );
  });

  it.each(['', '{"keys":["x"]}', '{}'])('is refused where that file has `%s`', (text) => {
    expect(() => readConfig(environment('writ.one', file(text)))).toThrow(/WRIT_LOG_PUBLIC_KEYS_FILE .* can't be read as/);
  });
});
