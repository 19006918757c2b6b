// SPDX-License-Identifier: Apache-2.0
import { encodeTile, leafHash, parseEntryBundle, rootOf, verifyConsistency, verifyInclusion } from '@writ/merkle';
import { decodeBase64 } from '@writ/signing';
import { openTestApi, type TestAnswer, type TestApi, type TestTenant } from '../../specs/test-api.ts';

const RECORDS = Array.from({ length: 261 }, (_, i) => Buffer.from(`{"record":${String(i)}}`));
const HASHES = RECORDS.map(leafHash);

let api: TestApi;
let tenant: TestTenant;
beforeAll(async () => {
  api = await openTestApi();
  tenant = await api.newTenant();
  api.ledger.logs.set(tenant.tenantId, RECORDS);
  api.ledger.checkpoints.set(tenant.tenantId, 'note');
});
afterAll(() => api.close());
beforeEach(() => {
  api.ledger.requests.length = 0;
});

const get = (path: string, key = tenant.auditor): Promise<TestAnswer> => api.ask('GET', path, { key });
const bytes = async (path: string): Promise<Buffer> =>
  Buffer.from(
    await (await fetch(`${api.url}${path}`, { headers: { authorization: `Bearer ${tenant.auditor}` } })).arrayBuffer(),
  );

test('a tile is returned as bytes, cacheable for ever in private caches', async () => {
  const { status, headers } = await get('/v1/log/tile/0/000.p/4');
  expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
    200,
    'application/octet-stream',
    'private, max-age=31536000, immutable',
  ]);
  expect(await bytes('/v1/log/tile/0/000.p/4')).toEqual(Buffer.from(encodeTile(HASHES.slice(0, 4))));
  expect(await bytes('/v1/log/tile/0/000')).toEqual(Buffer.from(encodeTile(HASHES.slice(0, 256))));
  expect(await bytes('/v1/log/tile/1/000.p/1')).toEqual(Buffer.from(rootOf(HASHES.slice(0, 256))));
  expect((await get('/v1/log/checkpoint')).headers.get('cache-control')).toBe('private, no-cache');
});

test('a bundle of records is assembled from several replies', async () => {
  expect(parseEntryBundle(await bytes('/v1/log/tile/entries/001.p/5'), 5).map((entry) => Buffer.from(entry))).toEqual(
    RECORDS.slice(256),
  );
  expect(api.ledger.requests.map(({ from }) => from)).toEqual([0, 2, 4]);
});

test('the signatures of a bundle are in the order of its records, and cacheable for ever', async () => {
  const { status, headers, json } = await get('/v1/log/signatures/001.p/5');
  expect([status, headers.get('cache-control')]).toEqual([200, 'private, max-age=31536000, immutable']);
  expect(json['signatures']).toEqual(
    [256, 257, 258, 259, 260].map((i) => ({
      keyid: 'key',
      sig: Buffer.from(`signature ${String(i)}`).toString('base64'),
    })),
  );
});

test('an invalid or non-canonical tile path is not found, without a request to the ledger', async () => {
  for (const path of [
    'tile/0/0',
    'tile/0/000.p/256',
    'tile/0/x000/000',
    'tile/64/000',
    'tile/entries/1',
    'tile/entries/000.p/0',
    'tile/x',
    'tile/0/000%2Fp',
    'tile/',
    'tile/entries/',
    'signatures/0',
    'signatures/000.p/256',
    'signatures/',
  ]) {
    expect([path, (await get(`/v1/log/${path}`)).status]).toEqual([path, 404]);
  }
  expect(api.ledger.requests).toEqual([]);
});

test('a tile beyond the log is not found', async () => {
  for (const path of [
    'tile/0/001.p/6',
    'tile/0/001',
    'tile/1/000.p/2',
    'tile/entries/001.p/6',
    'tile/entries/002.p/1',
    'signatures/001.p/6',
    'signatures/002.p/1',
  ]) {
    expect([path, (await get(`/v1/log/${path}`)).json['code']]).toEqual([path, 'not_found']);
  }
});

test('proofs are returned for valid numbers only', async () => {
  const inclusion = (await get('/v1/log/inclusion?leaf_index=256')).json as unknown as { hashes: string[] };
  verifyInclusion(
    {
      leafHash: HASHES[256] as Uint8Array,
      leafIndex: 256,
      treeSize: 261,
      hashes: inclusion.hashes.map((hash) => decodeBase64(hash)),
    },
    rootOf(HASHES),
  );
  const { from, to, hashes } = (await get('/v1/log/consistency?from=3&to=261')).json as unknown as {
    from: number;
    to: number;
    hashes: string[];
  };
  verifyConsistency({
    oldSize: from,
    newSize: to,
    oldRoot: rootOf(HASHES.slice(0, 3)),
    newRoot: rootOf(HASHES),
    hashes: hashes.map((hash) => decodeBase64(hash)),
  });
  for (const query of ['', '?from=1', '?from=-1&to=2', '?from=a&to=2', '?from=1&to=2&x=1', '?from=1.5&to=2']) {
    expect([query, (await get(`/v1/log/consistency${query}`)).status]).toEqual([query, 400]);
  }
});

test("an agent's key reads hashes, but no records and no signatures", async () => {
  expect((await get('/v1/log/tile/0/000.p/4', tenant.agent)).status).toBe(200);
  for (const path of ['tile/entries/000.p/4', 'signatures/000.p/4'])
    expect((await get(`/v1/log/${path}`, tenant.agent)).json).toMatchObject({ status: 403, code: 'auth.role' });
});
