// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EnvironmentError } from '@writ/nest-kit';
import { newKey } from '@writ/nest-kit/keys';
import { textsWithMeaning, WRONG_COMMON_TEXTS, WRONG_OUTBOUND_TEXTS } from '@writ/testing';
import { logKeysOf, ringOf } from '@writ/signing';
import { Environment, readConfig } from './config.env.ts';

const dir = mkdtempSync(join(tmpdir(), 'writ-config-'));
afterAll(() => rmSync(dir, { recursive: true }));
const file = (name: string, text: string): string => {
  writeFileSync(join(dir, name), text, { mode: 0o600 });
  return join(dir, name);
};
const {
  pem,
  signer: { keyid, publicJwk: jwk },
} = newKey();
const env = {
  WRIT_NATS_URL: 'tls://127.0.0.1:1',
  WRIT_LEDGER_DATABASE_URL: 'postgres://a@127.0.0.1:1/writ',
  WRIT_CHECKPOINT_KEY_FILE: file('checkpoint', pem),
  WRIT_RECORD_PUBLIC_KEYS_FILE: file('record.json', JSON.stringify({ keys: [{ keyid, jwk }] })),
  WRIT_LEDGER_MEMORY_FILE: join(dir, 'memory'),
};

const WRONG: Readonly<Record<string, string>> = {
  ...WRONG_COMMON_TEXTS,
  ...WRONG_OUTBOUND_TEXTS,
  WRIT_LEDGER_DATABASE_URL: 'postgres://u:pa#ss@',
  WRIT_CHECKPOINT_KEY_FILE: '/nowhere',
  WRIT_CHECKPOINT_KEY: 'no key',
  WRIT_KEY_WRAP_FILE: '/nowhere',
  WRIT_RECORD_PUBLIC_KEYS_FILE: '/nowhere',
  WRIT_LOG_PUBLIC_KEYS_FILE: '/nowhere',
  WRIT_WITNESSES_FILE: '/nowhere',
  WRIT_RECORD_INDEX: 'maybe',
};

describe('the configuration of a ledger', () => {
  it('has the contents of the files', () => {
    expect(readConfig(env)).toMatchObject({ witnesses: [], natsPassword: undefined });
    expect([...readConfig(env).recordKeys.byKeyid.keys()]).toEqual([keyid]);
  });

  it('has an invalid example in this spec for each variable with a parsed text', () => {
    expect(Object.keys(WRONG).sort()).toEqual(textsWithMeaning(Environment));
  });

  it.each(Object.entries(WRONG))('with a wrong %s (`%s`) throws an EnvironmentError that names it', (name, text) => {
    const attempt = (): unknown => readConfig({ ...env, [name]: text });
    expect(attempt).toThrow(EnvironmentError);
    expect(attempt).toThrow(name);
  });

  const published = (deployment: string): string =>
    file('log-keys.json', JSON.stringify(logKeysOf(ringOf(newKey().signer), deployment)));

  it("is accepted when the published log keys have the deployment's name, and without published keys", () => {
    expect(
      readConfig({ ...env, WRIT_DEPLOYMENT: 'writ.one', WRIT_LOG_PUBLIC_KEYS_FILE: published('writ.one') })
        .WRIT_DEPLOYMENT,
    ).toBe('writ.one');
    expect(readConfig(env).WRIT_LOG_PUBLIC_KEYS_FILE).toBeUndefined();
  });

  it('is refused when the published log keys have another name, with both names and the setting to change', () => {
    expect(() =>
      readConfig({ ...env, WRIT_DEPLOYMENT: 'writ.two', WRIT_LOG_PUBLIC_KEYS_FILE: published('writ.one') }),
    ).toThrow(/WRIT_DEPLOYMENT is `writ\.two`, .* have the name `writ\.one`: .* Set WRIT_DEPLOYMENT .* to `writ\.one`/);
  });

  it.each(['', '{"keys":["x"]}', '{}'])('is refused when the file of log keys contains `%s`', (text) => {
    expect(() => readConfig({ ...env, WRIT_LOG_PUBLIC_KEYS_FILE: file('log-keys.json', text) })).toThrow(
      /WRIT_LOG_PUBLIC_KEYS_FILE .* can't be read as/,
    );
  });
});
