// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeEntryBundle, growTiles, hashAtFromTiles, leafHash, proveConsistency, rootOf } from '@writ/merkle';
import { encodeBase64, formatCheckpoint, formatNoteKey, parseSigner, signNote, type Signer } from '@writ/signing';
import { KEY_FILE, RECEIPT_FILE } from '../specs/pinned-receipt.ts';
import { fakeApi, problem, writ, type FakeApi, type Ran } from '../specs/run-cli.ts';

const newSigner = (): Signer => parseSigner(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
const ORIGIN = 'writ.spec/log_01kdvq8qfwe9gr4v9m1h7e3x2z';
const signer = newSigner();
const RECORDS: readonly Uint8Array[] = Array.from({ length: 600 }, (_, i) => Buffer.from(`{"record":${String(i)}}`));
const noteOf = (records: readonly Uint8Array[], { origin = ORIGIN, by = signer } = {}): string =>
  signNote(formatCheckpoint({ origin, treeSize: records.length, root: rootOf(records.map(leafHash)) }), { name: 'writ.spec', signer: by });

let dir: string;
let api: FakeApi;
/** what the server signed, what it gives as records, and what it says that it grew from */
let log: { note: string; records: readonly Uint8Array[]; proved: readonly Uint8Array[] };
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'writ-log-'));
  api = await fakeApi(({ url }) => {
    const asked = new URL(url, 'http://api');
    if (asked.pathname === '/v1/log/checkpoint') return { body: log.note };
    if (asked.pathname === '/v1/log/consistency') {
      const [from, to] = ['from', 'to'].map((name) => Number(asked.searchParams.get(name))) as [number, number];
      const tiles = new Map(growTiles(0, log.proved.map(leafHash), () => []).map((tile) => [`${String(tile.level)}/${String(tile.index)}`, tile.hashes]));
      return { body: { from, to, hashes: proveConsistency(from, to, hashAtFromTiles((level, index) => tiles.get(`${String(level)}/${String(index)}`) ?? [])).map(encodeBase64) } };
    }
    const [, index, width = '256'] = /^\/v1\/log\/tile\/entries\/(\d{3})(?:\.p\/(\d+))?$/.exec(asked.pathname) ?? [];
    if (index === undefined) return problem(404, 'not_found', 'there is no such thing here');
    return { body: encodeEntryBundle(log.records.slice(Number(index) * 256, Number(index) * 256 + Number(width))) };
  });
  writeFileSync(join(dir, 'keys.json'), JSON.stringify({ record_keys: [], log_keys: [formatNoteKey('writ.spec', signer.publicKey)] }));
});
afterAll(async () => {
  await api.close();
  rmSync(dir, { recursive: true });
});
beforeEach(() => { log = { note: noteOf(RECORDS), records: RECORDS, proved: RECORDS }; });

const kept = (note: string): string => {
  writeFileSync(join(dir, 'kept.txt'), note);
  return join(dir, 'kept.txt');
};
const verify = (...args: string[]): Promise<Ran> => writ(['log', 'verify', '--keys', join(dir, 'keys.json'), ...args], { env: api.env });

test('the checkpoint is given as it was signed, to be kept', async () => {
  expect(await writ(['log', 'checkpoint'], { env: api.env })).toEqual({ exit: 0, out: log.note, err: '' });
});

test('a log verifies whose records make the root that was signed, and that grew from what was kept', async () => {
  expect(await verify()).toMatchObject({ exit: 0, err: '' });
  const { exit, out } = await verify('--since', kept(noteOf(RECORDS.slice(0, 257))), '--json');
  expect([exit, JSON.parse(out)]).toEqual([0, { ok: true, origin: ORIGIN, tree_size: 600, root: encodeBase64(rootOf(RECORDS.map(leafHash))), since: 257 }]);
});

test.each([
  ['a record that was changed', () => { log.records = RECORDS.with(300, Buffer.from('{"record":"other"}')); }, 'verify.root'],
  ['two records in another order', () => { log.records = RECORDS.with(1, RECORDS[2] as Buffer).with(2, RECORDS[1] as Buffer); }, 'verify.root'],
  ['a record that is left out', () => { log.records = RECORDS.toSpliced(5, 1); }, 'verify.root'],
  ['a checkpoint by another key', () => { log.note = noteOf(RECORDS, { by: newSigner() }); }, 'verify.checkpoint'],
  ['a checkpoint of another deployment\'s log', () => { log.note = noteOf(RECORDS, { origin: 'other.spec/log_01kdvq8qfwe9gr4v9m1h7e3x2z' }); }, 'verify.checkpoint'],
] as const)('%s is found out', async (_what, change, code) => {
  change();
  expect(await verify()).toMatchObject({ exit: 1, out: '', err: expect.stringContaining(`error ${code}: `) as string });
});

test('two checkpoints that contradict each other are shown, both, as evidence', async () => {
  const others = RECORDS.with(3, Buffer.from('{"record":"another history"}'));
  for (const before of [others.slice(0, 257), others, [...RECORDS, Buffer.from('{}')]]) {
    const note = noteOf(before);
    const { exit, err } = await verify('--since', kept(note));
    expect(exit).toBe(1);
    expect(err).toContain('error verify.consistency: ');
    for (const line of [...note.split('\n'), ...log.note.split('\n')]) expect(err).toContain(line);
  }
});

test('a receipt is brought up to a checkpoint that verifies, and left as it was for one that does not', async () => {
  const { inclusion } = JSON.parse(RECEIPT_FILE) as { inclusion: { leaf_index: number; hashes: string[] } };
  const file = join(dir, 'receipt.json');
  writeFileSync(file, RECEIPT_FILE);
  writeFileSync(join(dir, 'pinned.json'), KEY_FILE);
  let answer = inclusion;
  const server = await fakeApi(() => ({ body: answer }));
  const refresh = (): Promise<Ran> => writ(['log', 'refresh', file, '--keys', join(dir, 'pinned.json')], { env: server.env });
  expect(await refresh()).toMatchObject({ exit: 0 });
  expect(server.heard[0]?.url).toBe(`/v1/log/inclusion?leaf_index=${String(inclusion.leaf_index)}`);
  expect(readFileSync(file, 'utf8')).toBe(RECEIPT_FILE);
  answer = { ...inclusion, hashes: inclusion.hashes.toReversed() };
  expect(await refresh()).toMatchObject({ exit: 1, err: expect.stringContaining('error verify.inclusion: ') as string });
  expect(readFileSync(file, 'utf8')).toBe(RECEIPT_FILE);
  await server.close();
});
