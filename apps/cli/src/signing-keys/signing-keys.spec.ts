// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstRing, newKey, publishRings, type NewKey } from '@writ/nest-kit/keys';
import { parsePublicKeys, parseRing, PURPOSES, ringOf, type Purpose } from '@writ/signing';
import { writ, type CliResult } from '../specs/run-cli.ts';

let dir: string;
let first: Record<Purpose, NewKey>;
const keyFile = (purpose: Purpose): string => join(dir, 'keys', `${purpose}.json`);
const publicFile = (name: string): string => join(dir, 'public', name);
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'writ-signing-keys-'));
  for (const name of ['keys', 'public']) mkdirSync(join(dir, name));
  first = { permit: newKey(), record: newKey(), checkpoint: newKey() };
  for (const purpose of PURPOSES) writeFileSync(keyFile(purpose), firstRing(first[purpose]), { mode: 0o600 });
  publishRings(
    {
      permit: ringOf(first.permit.signer),
      record: ringOf(first.record.signer),
      checkpoint: ringOf(first.checkpoint.signer),
    },
    'writ.spec',
    {
      permit: publicFile('permit-keys.json'),
      record: publicFile('record-keys.json'),
      log: publicFile('log-keys.json'),
      checkpoint: publicFile('checkpoint-keys.json'),
      all: join(dir, 'public-keys.json'),
    },
  );
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

const run = (...args: string[]): Promise<CliResult> =>
  writ(['signing-keys', ...args], { env: { WRIT_STATE_DIR: dir } });
const json = <T>(path: string): T => JSON.parse(readFileSync(path, 'utf8')) as T;

test('a rotated key is published and signs later, and both key pairs are kept', async () => {
  const before = Date.now();
  const { exit, out, err } = await run('rotate', 'record', '--overlap', '30s', '--json');
  expect([exit, err]).toEqual([0, '']);
  const made = JSON.parse(out) as { keyid: string; signs_from: number; state: string };
  expect(made).toMatchObject({ purpose: 'record', state: 'next' });
  expect(made.signs_from).toBeGreaterThanOrEqual(before + 30_000);
  const { keys } = parseRing(readFileSync(keyFile('record'), 'utf8'));
  expect(keys.map(({ keyid, signs_until, signer }) => [keyid, signs_until, signer?.keyid])).toEqual([
    [first.record.signer.keyid, made.signs_from, first.record.signer.keyid],
    [made.keyid, null, made.keyid],
  ]);
  expect([...parsePublicKeys(readFileSync(publicFile('record-keys.json'), 'utf8')).keys()]).toEqual(
    keys.map(({ keyid }) => keyid),
  );
  expect(json<{ record_keys: unknown[] }>(join(dir, 'public-keys.json')).record_keys).toHaveLength(2);
  expect((await run('list')).out).toContain(made.keyid);
});

test('private keys are readable by their owner alone, and are in no other or temporary file', async () => {
  for (const purpose of PURPOSES) expect(await run('rotate', purpose)).toMatchObject({ exit: 0 });
  for (const purpose of PURPOSES) expect(statSync(keyFile(purpose)).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(dir, 'keys')).toSorted()).toEqual(['checkpoint.json', 'permit.json', 'record.json']);
  for (const path of [
    publicFile('permit-keys.json'),
    publicFile('record-keys.json'),
    publicFile('log-keys.json'),
    publicFile('checkpoint-keys.json'),
    join(dir, 'public-keys.json'),
  ]) {
    expect(readFileSync(path, 'utf8')).not.toContain('PRIVATE');
  }
  expect((await run('list', '--json')).out).not.toContain('PRIVATE');
});

test('a ring has one pending key at a time, and an overlap shorter than the reading interval is refused', async () => {
  await run('rotate', 'permit');
  expect(await run('rotate', 'permit')).toMatchObject({
    exit: 1,
    err: expect.stringContaining('error keys: ') as string,
  });
  expect(await run('rotate', 'record', '--overlap', '4s')).toMatchObject({
    exit: 2,
    err: expect.stringContaining('too short') as string,
  });
  expect(await run('rotate', 'master')).toMatchObject({
    exit: 2,
    err: expect.stringContaining('none of permit, record, checkpoint') as string,
  });
});

test("a revoked key has a successor at once, is published as revoked, and can't be revoked twice", async () => {
  const kid = first.checkpoint.signer.keyid;
  const { exit, out } = await run('revoke', 'checkpoint', `--kid=${kid}`, '--from', '2026-05-01T12:00Z', '--json');
  expect(exit).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ keyid: kid, revoked: { from: Date.parse('2026-05-01T12:00Z') } });
  const log = json<{ keys: string[]; revoked: string[] }>(publicFile('log-keys.json'));
  expect([log.keys.length, log.revoked.length]).toEqual([1, 1]);
  expect(log.keys).not.toContain(log.revoked[0]);
  expect(await run('revoke', 'checkpoint', `--kid=${kid}`)).toMatchObject({
    exit: 1,
    err: expect.stringContaining('was revoked on') as string,
  });
});

test('an id that begins with a dash, or is unknown, is parsed as an id', async () => {
  expect(await run('revoke', 'record', '--kid=-nobody')).toMatchObject({
    exit: 1,
    err: expect.stringContaining('there is no key `-nobody`') as string,
  });
  for (const from of ['yesterday', '2026-05-01', '9999-01-01T00:00Z']) {
    expect((await run('revoke', 'record', `--kid=${first.record.signer.keyid}`, '--from', from)).exit).toBeGreaterThan(
      0,
    );
  }
  expect(readFileSync(keyFile('record'), 'utf8')).toBe(firstRing(first.record));
});

test('unreadable key files are left unchanged', async () => {
  writeFileSync(keyFile('record'), '{"v":1', { mode: 0o600 });
  expect(await run('rotate', 'record')).toMatchObject({
    exit: 1,
    err: expect.stringContaining('record.json') as string,
  });
  expect(readFileSync(keyFile('record'), 'utf8')).toBe('{"v":1');
});

test('of two concurrent changes of keys, one is refused and changes nothing', async () => {
  const lock = join(dir, 'keys', '.changing');
  writeFileSync(lock, '1\n');
  const before = readFileSync(keyFile('record'), 'utf8');
  for (const args of [
    ['rotate', 'record'],
    ['revoke', 'record', `--kid=${first.record.signer.keyid}`],
  ])
    expect(await run(...args)).toMatchObject({
      exit: 1,
      err: expect.stringContaining('somebody changes these keys') as string,
    });
  expect(readFileSync(keyFile('record'), 'utf8')).toBe(before);
  rmSync(lock);
  expect(await run('rotate', 'record')).toMatchObject({ exit: 0 });
  expect(await run('rotate', 'record')).toMatchObject({
    exit: 1,
    err: expect.not.stringContaining('somebody changes') as string,
  });
});

test.each([
  ['rotate', ['rotate', 'record']],
  ['revoke', ['revoke', 'record']],
] as const)(
  'a %s that dies before it writes the ring leaves the signing key published as valid',
  async (_what, args) => {
    const kid = first.record.signer.keyid;
    // A folder at the path of the temporary file of the ring ends the command between its two writes.
    mkdirSync(`${keyFile('record')}.next`);
    expect(await run(...args, ...(args[0] === 'revoke' ? [`--kid=${kid}`] : []))).toMatchObject({ exit: 1 });
    const published = parsePublicKeys(readFileSync(publicFile('record-keys.json'), 'utf8'));
    expect(published.size).toBe(2);
    expect(published.get(kid)).toMatchObject({ notAfter: null, closesAt: null });
    rmSync(`${keyFile('record')}.next`, { recursive: true });
    expect(await run('rotate', 'record')).toMatchObject({ exit: 0 });
    const { keys } = parseRing(readFileSync(keyFile('record'), 'utf8'));
    const after = parsePublicKeys(readFileSync(publicFile('record-keys.json'), 'utf8'));
    expect([...after.values()].map(({ keyid, notAfter }) => [keyid, notAfter])).toEqual(
      keys.map(({ keyid, not_after }) => [keyid, not_after]),
    );
  },
);

test("rings are not wrapped without --wrap, nor by a device that doesn't answer", async () => {
  expect(await run('wrap')).toMatchObject({ exit: 2, err: expect.stringContaining('--wrap') as string });
  const device = join(dir, 'device.json');
  const before = readFileSync(keyFile('permit'), 'utf8');
  writeFileSync(
    device,
    JSON.stringify({
      pkcs11: { module: '/nowhere.so', token: 't', key_id: '01', pin_file: '/nowhere', program: '/nowhere' },
    }),
  );
  expect(await run('wrap', '--wrap', device)).toMatchObject({
    exit: 1,
    err: expect.stringContaining("can't be used") as string,
  });
  expect(readFileSync(keyFile('permit'), 'utf8')).toBe(before);
  expect(await run('list', '--wrap', join(dir, 'none.json'))).toMatchObject({
    exit: 1,
    err: expect.stringContaining('none.json') as string,
  });
});
