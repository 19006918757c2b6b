// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EnvironmentError } from '@writ/nest-kit';
import { textsWithMeaning, WRONG_COMMON_TEXTS } from '@writ/testing';
import { Environment, readConfig } from './config.env.ts';

const dir = mkdtempSync(join(tmpdir(), 'writ-config-'));
afterAll(() => rmSync(dir, { recursive: true }));
const file = (name: string, content: string): string => {
  writeFileSync(join(dir, name), content, { mode: 0o600 });
  return join(dir, name);
};
const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
const master = randomBytes(32);
const env = {
  WRIT_NATS_URL: 'nats://127.0.0.1:1',
  WRIT_KERNEL_DATABASE_URL: 'postgres://a@127.0.0.1:1/writ',
  WRIT_KERNEL_WORKER_DATABASE_URL: 'postgres://b@127.0.0.1:1/writ',
  WRIT_PERMIT_KEY_FILE: file('permit', pem),
  WRIT_RECORD_KEY_FILE: file('record', pem),
  WRIT_MASTER_KEY_FILE: file('master', `${master.toString('base64')}\n`),
  WRIT_SANDBOX_IMAGE_DIGEST: `sha256:${'0'.repeat(64)}`,
};

describe('the configuration', () => {
  it('holds keys read from files, and defaults', () => {
    expect(readConfig(env)).toMatchObject({
      masterKeys: { current: master, before: null, next: null },
      natsPassword: null,
      WRIT_LEASE_MS: 15_000,
      WRIT_PERMIT_TTL_MS: 30_000,
      WRIT_SWEEP_MS: 2_000,
      WRIT_SHARD: 's0',
    });
  });

  it.each(['WRIT_KERNEL_DATABASE_URL', 'WRIT_PERMIT_KEY_FILE', 'WRIT_SANDBOX_IMAGE_DIGEST', 'WRIT_MASTER_KEY_FILE'])(
    'names %s when it is missing',
    (name) => {
      expect(() => readConfig({ ...env, [name]: undefined })).toThrow(name);
    },
  );

  it('refuses a master key that is damaged or short, and repeats nothing of it', () => {
    for (const bad of ['c2hvcnQ=', `${master.toString('base64').slice(0, -2)}!!`, 'x'.repeat(44)]) {
      const WRIT_MASTER_KEY_FILE = file('bad', bad);
      expect(() => readConfig({ ...env, WRIT_MASTER_KEY_FILE })).toThrow('does not hold 32 bytes');
      expect(() => readConfig({ ...env, WRIT_MASTER_KEY_FILE })).not.toThrow(bad);
    }
  });

  it('accepts the master key from a file or from the environment, and not from both', () => {
    const { WRIT_MASTER_KEY_FILE: _file, ...bare } = env;
    const text = master.toString('base64');
    expect(readConfig({ ...bare, WRIT_MASTER_KEY: text }).masterKeys.current).toEqual(master);
    expect(() => readConfig({ ...env, WRIT_MASTER_KEY: text })).toThrow('set one of them');
    expect(() => readConfig({ ...bare, WRIT_MASTER_KEY: text.slice(1) })).toThrow(
      '`WRIT_MASTER_KEY` does not hold 32 bytes',
    );
  });

  it('accepts a ring of keys, from a file or from the environment, and nothing else', () => {
    const { WRIT_RECORD_KEY_FILE: _file, ...bare } = env;
    expect(readConfig({ ...bare, WRIT_RECORD_KEY: pem }).recordKeys.ring).toMatchObject({
      keys: [{ revoked: null, signs_from: 0 }],
    });
    expect(() => readConfig({ ...env, WRIT_RECORD_KEY: pem })).toThrow('set one of them');
    for (const bad of ['{"v":1,"keys":[]}', pem.slice(0, 60)]) {
      expect(() => readConfig({ ...env, WRIT_RECORD_KEY_FILE: file('ring', bad) })).toThrow('`WRIT_RECORD_KEY_FILE`: ');
      expect(() => readConfig({ ...env, WRIT_RECORD_KEY_FILE: file('ring', bad) })).not.toThrow(bad);
    }
  });

  it('refuses private keys that others may read', () => {
    writeFileSync(join(dir, 'open'), pem, { mode: 0o644 });
    expect(() => readConfig({ ...env, WRIT_PERMIT_KEY_FILE: join(dir, 'open') })).toThrow('others may read it');
  });

  it('reads the previous and the next master key, where there are any', () => {
    const [before, next] = [randomBytes(32), randomBytes(32)];
    const { masterKeys } = readConfig({
      ...env,
      WRIT_MASTER_KEY_BEFORE_FILE: file('before', before.toString('base64')),
      WRIT_MASTER_KEY_NEXT_FILE: file('next', next.toString('base64')),
    });
    expect(masterKeys).toEqual({ current: master, before, next });
  });
});

const WRONG: Readonly<Record<string, string>> = {
  ...WRONG_COMMON_TEXTS,
  WRIT_KERNEL_DATABASE_URL: 'postgres://',
  WRIT_KERNEL_WORKER_DATABASE_URL: 'http://x',
  WRIT_PERMIT_KEY_FILE: '/nowhere',
  WRIT_PERMIT_KEY: 'no key',
  WRIT_RECORD_KEY_FILE: '/nowhere',
  WRIT_RECORD_KEY: 'no key',
  WRIT_KEY_WRAP_FILE: '/nowhere',
  WRIT_CHECKPOINT_PUBLIC_KEYS_FILE: '/nowhere',
  WRIT_MASTER_KEY_FILE: '/nowhere',
  WRIT_MASTER_KEY: 'short',
  WRIT_MASTER_KEY_BEFORE_FILE: '/nowhere',
  WRIT_MASTER_KEY_NEXT_FILE: '/nowhere',
  WRIT_SANDBOX_IMAGE_DIGEST: 'latest',
  WRIT_SANDBOX_IMAGES_FILE: '/nowhere',
  WRIT_IMAGE_SOURCES: 'Registry.Example:latest',
};

describe('each variable of the kernel whose text is validated', () => {
  it('has a wrong text here', () => {
    expect(Object.keys(WRONG).sort()).toEqual(textsWithMeaning(Environment));
  });

  it.each(Object.entries(WRONG))('%s: `%s` is an EnvironmentError that names it', (name, text) => {
    const attempt = (): unknown => readConfig({ ...env, [name]: text });
    expect(attempt).toThrow(EnvironmentError);
    expect(attempt).toThrow(name);
  });
});
