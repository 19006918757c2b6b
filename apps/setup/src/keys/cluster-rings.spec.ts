// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseRing, stateAt, type KeyRing } from '@writ/signing';
import { Failure } from '../failure.ts';
import { ClusterStore, inClusterTarget } from './cluster-store.ts';
import { keySets } from './layout.ts';
import { makeKeys } from './make-keys.ts';
import { fakeApiServer, type FakeApiServer } from '../specs/fake-api-server.ts';
import { describeKeys, revoke, rotate } from './change-rings.ts';
import { ClusterRings } from './cluster-rings.ts';

const NOW = Date.parse('2026-05-01T12:00:00Z');
const OPTIONS = { now: NOW, overlapMs: 900_000 };
const SETS = keySets({ deployment: 'writ.spec', natsHosts: [], postgresHosts: [], now: () => new Date(NOW) });

let root: string;
let server: FakeApiServer;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'writ-rings-'));
  server = await fakeApiServer();
});
afterAll(async () => {
  await server.close();
  rmSync(root, { recursive: true });
});

let releases = 0;
/** A release with keys, and functions that read them. */
async function release() {
  for (const [name, value] of Object.entries(server.mount(root))) vi.stubEnv(name, value);
  const prefix = `ring${String((releases += 1))}`;
  const target = inClusterTarget(prefix, root);
  await makeKeys(SETS, new ClusterStore(target), () => undefined);
  const secret = (name: string, entry: string): string =>
    Buffer.from(server.objects.get(`secrets/${prefix}-${name}`)?.data?.[entry] ?? '', 'base64').toString();
  return {
    prefix,
    rings: new ClusterRings(target, 'writ.spec'),
    record: (): KeyRing => parseRing(secret('kernel', 'record.json')),
    master: () => secret('kernel', 'master.key'),
    published: (): string => server.objects.get(`configmaps/${prefix}-public-keys`)?.data?.['record-keys.json'] ?? '',
  };
}

it('a rotated key is published at once and signs after the overlap, and no other key of the release changes', async () => {
  const { rings, record, master, published } = await release();
  const [before, sealing] = [record(), master()];
  await rings.change((texts) => rotate(texts, 'record', OPTIONS));
  const [old, next, ...others] = record().keys;
  expect(others).toEqual([]);
  expect(old).toMatchObject({ keyid: before.keys[0]?.keyid, signs_until: NOW + OPTIONS.overlapMs });
  expect(next).toMatchObject({ signs_from: NOW + OPTIONS.overlapMs });
  expect(next?.signer).not.toBeNull();
  expect(published()).toContain(next?.keyid);
  expect(master()).toBe(sealing);
});

it('every key is listed with its purpose, id and state, and without its private part', async () => {
  const { rings, record } = await release();
  await rings.change((texts) => rotate(texts, 'record', OPTIONS));
  const [old, next] = record().keys.map(({ keyid }) => keyid);
  const lines = describeKeys(await rings.read(), NOW);
  expect(lines.map((line) => line.split(' ')[0])).toEqual(['permit', 'record', 'record', 'checkpoint']);
  expect(lines.slice(1, 3)).toEqual([
    `record ${String(old)} current`,
    `record ${String(next)} next (signs from 2026-05-01T12:15:00.000Z)`,
  ]);
  expect(lines.join('\n')).not.toContain('PRIVATE');
});

it('a revoked key gets a successor and is published as revoked', async () => {
  const { rings, record, published } = await release();
  const [lost] = record().keys;
  await rings.change((texts) => revoke(texts, 'record', { ...OPTIONS, keyid: lost?.keyid ?? '', from: NOW - 60_000 }));
  const [old, next] = record().keys;
  expect(old?.revoked).toMatchObject({ from: NOW - 60_000 });
  expect(next === undefined ? null : stateAt(next, NOW + OPTIONS.overlapMs)).toBe('current');
  expect(published()).toContain('revoked');
});

it('the public key is published before the ring is written, also when a run ends in between', async () => {
  const { prefix, rings, record, published } = await release();
  const before = record().keys.length;
  server.refuse(new RegExp(`^PUT secrets/${prefix}-kernel$`), 500);
  await expect(rings.change((texts) => rotate(texts, 'record', OPTIONS))).rejects.toThrow('run this again');
  expect(record().keys).toHaveLength(before);
  expect((JSON.parse(published()) as { keys: unknown[] }).keys).toHaveLength(before + 1);
});

it('entries that another run publishes meanwhile, and foreign entries, are kept', async () => {
  const { prefix, rings, published } = await release();
  const id = `configmaps/${prefix}-public-keys`;
  const { keys } = JSON.parse(published()) as { keys: { keyid: string }[] };
  await rings.change((texts) => {
    const found = server.objects.get(id);
    const other = JSON.stringify({ keys: [...keys, { ...keys[0], keyid: 'of-another' }] });
    const metadata = { name: id, ...found?.metadata, resourceVersion: 'another' };
    const data = { ...found?.data, 'permit-keys.json': other, note: 'kept' };
    server.objects.set(id, { kind: 'ConfigMap', ...found, metadata, data });
    return rotate(texts, 'checkpoint', OPTIONS);
  });
  expect(server.objects.get(id)?.data?.['permit-keys.json']).toContain('of-another');
  expect(server.objects.get(id)?.data?.['note']).toBe('kept');
});

it.each(['configmaps/PREFIX-public-keys', 'secrets/PREFIX-kernel'])(
  'a change fails with instructions when something keeps writing %s',
  async (written) => {
    const { prefix, rings } = await release();
    server.refuse(new RegExp(`^PUT ${written.replace('PREFIX', prefix)}$`), 409);
    await expect(rings.change((texts) => rotate(texts, 'record', OPTIONS))).rejects.toThrow(
      /changed by somebody else meanwhile, 20/,
    );
  },
);

it.each([
  ['can not be read', 403, /service account may not read .* get and update/],
  ['does not exist', 404, /is `--prefix` the name of the release/],
])('a Secret that %s is named in a failure with instructions', async (_what, status, words) => {
  const { prefix, rings } = await release();
  server.refuse(new RegExp(`^GET secrets/${prefix}-kernel$`), status);
  const error: unknown = await rings
    .change((texts) => rotate(texts, 'record', OPTIONS))
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Failure);
  expect((error as Failure).message).toMatch(words);
});
