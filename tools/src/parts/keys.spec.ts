// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newKey } from '@writ/nest-kit/keys';
import { parseNoteKey, parseRing, parseVerifier, type Signer } from '@writ/signing';
import { makeSetup, type Setup } from '../setup.ts';
import { ensureKeys } from './keys.ts';

let dir: string;
let setup: Setup;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'writ-keys-'));
  setup = makeSetup(join(dir, 'state'), join(dir, 'cache'), {}, () => undefined);
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

const readJson = (path: string): Record<string, never[]> =>
  JSON.parse(readFileSync(path, 'utf8')) as Record<string, never[]>;

const signerIn = (path: string): Signer => parseRing(readFileSync(path, 'utf8')).keys[0]?.signer as Signer;

test('a later start reads the same keys', () => {
  const first = ensureKeys(setup, 'writ.test');
  const before = readFileSync(first.permitKeyFile, 'utf8');
  expect(ensureKeys(setup, 'writ.test')).toEqual(first);
  expect(readFileSync(first.permitKeyFile, 'utf8')).toBe(before);
});

test('a key of an earlier version stays the key', () => {
  const { pem, signer } = newKey();
  mkdirSync(join(setup.stateDir, 'keys'), { recursive: true, mode: 0o700 });
  writeFileSync(join(setup.stateDir, 'keys', 'record.pem'), pem, { mode: 0o600 });
  const { recordKeyFile, publicKeysFile } = ensureKeys(setup, 'writ.test');
  expect(signerIn(recordKeyFile).keyid).toBe(signer.keyid);
  expect(readJson(publicKeysFile)['record_keys']).toEqual([{ keyid: signer.keyid, jwk: signer.publicJwk }]);
});

test('only the owner can read secrets and list their names', () => {
  ensureKeys(setup, 'writ.test');
  const keys = join(setup.stateDir, 'keys');
  expect(statSync(keys).mode & 0o777).toBe(0o700);
  expect(readdirSync(keys)).toContain('master.key');
  for (const name of readdirSync(keys)) expect(statSync(join(keys, name)).mode & 0o777).toBe(0o600);
});

test('the published keys verify signatures of their own private keys only', () => {
  const keys = ensureKeys(setup, 'writ.test');
  const published = readJson(keys.publicKeysFile);
  const bytes = Buffer.from('record');
  const record = signerIn(keys.recordKeyFile);
  const [{ keyid, jwk }] = published['record_keys'] as unknown as [{ keyid: string; jwk: unknown }];
  expect(keyid).toBe(record.keyid);
  expect(() => parseVerifier(jwk).verify(bytes, record.sign(bytes))).not.toThrow();
  const checkpoint = signerIn(keys.checkpointKeyFile);
  const note = parseNoteKey((published['log_keys'] as unknown as [string])[0]);
  expect(note.name).toBe('writ.test');
  expect(() => note.verifier.verify(bytes, checkpoint.sign(bytes))).not.toThrow();
  expect(() => note.verifier.verify(bytes, record.sign(bytes))).toThrow('signature');
});

test('the platform key is published as its hash only', () => {
  const keys = ensureKeys(setup, 'writ.test');
  expect(readFileSync(keys.platformKeyHashFile, 'utf8').trim()).toBe(
    createHash('sha256').update(keys.platformKey).digest('hex'),
  );
});

test('encryption keys have 32 bytes and are distinct', () => {
  const { masterKeyFile, webhookKeyFile } = ensureKeys(setup, 'writ.test');
  const [master, webhook] = [masterKeyFile, webhookKeyFile].map((path) =>
    Buffer.from(readFileSync(path, 'utf8'), 'base64'),
  );
  expect([master?.length, webhook?.length, master?.equals(webhook ?? Buffer.alloc(0))]).toEqual([32, 32, false]);
});

describe('a start while the rings change', () => {
  const lock = (): string => join(setup.stateDir, 'keys', '.changing');
  const fileOf = (): string => join(setup.stateDir, 'public', 'record-keys.json');

  test('publishes nothing over the key that is being published', () => {
    ensureKeys(setup, 'writ.test');
    const before = readJson(fileOf())['keys'] ?? [];
    // The order of `writ signing-keys rotate`: the lock, the public key, and then the ring.
    writeFileSync(lock(), '1\n');
    writeFileSync(fileOf(), JSON.stringify({ keys: [...before, { keyid: 'made-just-now' }] }));
    expect(() => ensureKeys(setup, 'writ.test')).toThrow(/somebody changes these keys.*remove it/);
    expect(readFileSync(fileOf(), 'utf8')).toContain('made-just-now');
    rmSync(lock());
    ensureKeys(setup, 'writ.test');
    expect(readJson(fileOf())['keys']).toEqual(before);
  });

  test('continues where there is nothing to publish, also with a stale lock', () => {
    const first = ensureKeys(setup, 'writ.test');
    writeFileSync(lock(), '1\n');
    expect(ensureKeys(setup, 'writ.test')).toEqual(first);
  });
});
