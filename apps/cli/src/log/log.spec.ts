// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeBase64 } from '@writ/signing';
import {
  fakeLogServer,
  kernel,
  keysOf,
  LOG_KEYS,
  logOf,
  newSigner,
  noteOf,
  ORIGIN,
  recordOf,
  RECORDED_AT,
  recordsOf,
  revocationOf,
  rootOfRecords,
  signatureOf,
  signedWithNextKey,
  type FakeLog,
} from '../specs/fake-log.ts';
import { KEY_FILE, RECEIPT_FILE } from '../specs/pinned-receipt.ts';
import { fakeApi, writ, type FakeApi, type CliResult } from '../specs/run-cli.ts';

const RECORDS = recordsOf(600);

let dir: string;
let api: FakeApi;
const state: { log: FakeLog } = { log: logOf(RECORDS) };
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'writ-log-'));
  api = await fakeLogServer(state);
  writeFileSync(join(dir, 'keys.json'), LOG_KEYS);
});
afterAll(async () => {
  await api.close();
  rmSync(dir, { recursive: true });
});
beforeEach(() => {
  state.log = logOf(RECORDS);
});

const savedCheckpoint = (note: string): string => {
  writeFileSync(join(dir, 'kept.txt'), note);
  return join(dir, 'kept.txt');
};
const verify = (...args: string[]): Promise<CliResult> =>
  writ(['log', 'verify', '--keys', join(dir, 'keys.json'), ...args], { env: api.env });

test('`writ log checkpoint` prints the signed note unchanged', async () => {
  expect(await writ(['log', 'checkpoint'], { env: api.env })).toEqual({ exit: 0, out: state.log.note, err: '' });
});

test('a log verifies if its records hash to the signed root and it extends the kept checkpoint', async () => {
  expect(await verify()).toMatchObject({ exit: 0, err: '' });
  const { exit, out } = await verify('--since', savedCheckpoint(noteOf(RECORDS.slice(0, 257))), '--json');
  expect([exit, JSON.parse(out)]).toEqual([
    0,
    {
      ok: true,
      origin: ORIGIN,
      tree_size: 600,
      root: encodeBase64(rootOfRecords(RECORDS)),
      since: 257,
      read: 600,
      signatures: { verified: 600, by_keys_revoked_since: 0, before_revocation: 0 },
    },
  ]);
});

test('with --no-signatures, no signature is requested', async () => {
  api.requests.length = 0;
  state.log.signed = () => ({ keyid: 'nobody', sig: '' });
  const { exit, out } = await verify('--no-signatures', '--json');
  expect([exit, JSON.parse(out)]).toEqual([0, expect.objectContaining({ ok: true, read: 600, signatures: null })]);
  expect(api.requests.filter(({ url }) => url.includes('signatures'))).toEqual([]);
});

const OTHER = recordOf(7, { attempt: 1_000 });

test.each([
  [
    'a record that was changed',
    () => {
      state.log.records = RECORDS.with(300, OTHER);
    },
    300,
  ],
  [
    'two records in another order',
    () => {
      state.log.records = RECORDS.with(1, RECORDS[2] as Buffer).with(2, RECORDS[1] as Buffer);
    },
    1,
  ],
  [
    'a record that is left out',
    () => {
      state.log.records = RECORDS.toSpliced(5, 1);
    },
    5,
  ],
] as const)('%s is detected, by its signature and by the root', async (_what, change, index) => {
  change();
  expect(await verify()).toMatchObject({
    exit: 1,
    out: '',
    err: expect.stringContaining(`error verify.signature: record ${String(index)}: `) as string,
  });
  expect(await verify('--no-signatures')).toMatchObject({
    exit: 1,
    out: '',
    err: expect.stringContaining('error verify.root: ') as string,
  });
});

test.each([
  [
    'a checkpoint by another key',
    () => {
      state.log.note = noteOf(RECORDS, { by: newSigner() });
    },
  ],
  [
    "a checkpoint of another deployment's log",
    () => {
      state.log.note = noteOf(RECORDS, { origin: 'other.spec/log_01kdvq8qfwe9gr4v9m1h7e3x2z' });
    },
  ],
] as const)('%s is detected', async (_what, change) => {
  change();
  expect(await verify()).toMatchObject({
    exit: 1,
    out: '',
    err: expect.stringContaining('error verify.checkpoint: ') as string,
  });
});

const stranger = newSigner();
const elsewhere = recordOf(9, {
  tenant_id: 'ten_01kdvq8qfwe9gr4v9m1h7e3x2y',
  log_id: 'log_01kdvq8qfwe9gr4v9m1h7e3x2y',
});
const signedOver = (records: readonly Uint8Array[], changes: Partial<FakeLog> = {}): FakeLog => ({
  ...logOf(records),
  ...changes,
});

test.each<[string, FakeLog, string]>([
  [
    'a record that a key signed which is not trusted',
    signedOver(RECORDS, { signed: (i) => signatureOf(RECORDS[i] as Uint8Array, i === 299 ? stranger : undefined) }),
    `verify.signature: record 299: it is signed by \`${stranger.keyid}\`, which is no record key`,
  ],
  [
    'a record that no kernel signed',
    signedOver(RECORDS.with(299, Buffer.from('{"record":1}'))),
    'verify.statement: record 299: ',
  ],
  ['a record that was signed for another log', signedOver(RECORDS.with(299, elsewhere)), 'verify.origin: record 299: '],
  [
    'the signature of another record',
    signedOver(RECORDS, { signed: (i) => signatureOf(RECORDS[i === 299 ? 298 : i] as Uint8Array) }),
    'verify.signature: record 299: ',
  ],
  [
    'signatures that are none',
    signedOver(RECORDS, { signed: () => null as never }),
    'verify.signature: `signatures/000` ',
  ],
])('%s fails, although the root matches', async (_what, log, said) => {
  state.log = log;
  expect(await verify()).toMatchObject({ exit: 1, out: '', err: expect.stringContaining(`error ${said}`) as string });
  expect(await verify('--no-signatures')).toMatchObject({ exit: 0 });
});

test('a record of a revoked key is judged by its time, and records older only by their own time are reported', async () => {
  const revokedFrom = async (revoked_from: number): Promise<CliResult> => {
    writeFileSync(join(dir, 'revoked.json'), keysOf({ revoked_from }));
    return await writ(['log', 'verify', '--keys', join(dir, 'revoked.json'), '--json'], { env: api.env });
  };
  expect(await revokedFrom(RECORDED_AT)).toMatchObject({
    exit: 1,
    err: expect.stringContaining('error verify.key_validity: record 0: ') as string,
  });
  expect(JSON.parse((await revokedFrom(RECORDED_AT + 1)).out)).toMatchObject({
    ok: true,
    signatures: { verified: 600, by_keys_revoked_since: 600, before_revocation: 0 },
  });
});

describe('a log with the revocation of its key', () => {
  const revoked = (): string => {
    writeFileSync(join(dir, 'revoked.json'), keysOf({ revoked_from: RECORDED_AT }));
    return join(dir, 'revoked.json');
  };
  const readIn = async (
    records: readonly Uint8Array[],
    heirs: readonly number[],
    ...args: string[]
  ): Promise<CliResult> => {
    state.log = { ...logOf(records), signed: signedWithNextKey(records, heirs) };
    return await writ(['log', 'verify', '--keys', revoked(), '--json', ...args], { env: api.env });
  };
  const LATE = recordOf(900);

  it("accepts that key's records before the revocation, whatever their time", async () => {
    const records = [...RECORDS.slice(0, 300), revocationOf()];
    expect(JSON.parse((await readIn(records, [300])).out)).toMatchObject({
      ok: true,
      signatures: { verified: 301, by_keys_revoked_since: 300, before_revocation: 300 },
    });
  });

  it("rejects that key's records after the revocation", async () => {
    expect(await readIn([...RECORDS.slice(0, 300), revocationOf(), LATE], [300])).toMatchObject({
      exit: 1,
      err: expect.stringContaining(
        'error verify.key_validity: record 301: the key was revoked before the record was logged (leaf 301 > 300)',
      ) as string,
    });
  });

  it('ignores a revocation that the key itself signed', async () => {
    const { exit, err } = await readIn([...RECORDS.slice(0, 300), revocationOf(kernel)], []);
    expect([exit, err]).toEqual([
      1,
      expect.stringContaining('record 0: the key was revoked before the record was made'),
    ]);
  });

  it('rejects records after the revocation also if they are read separately, or the revocation becomes known in between', async () => {
    const kept = join(dir, 'keys-state.json');
    const before = [...RECORDS.slice(0, 300), revocationOf()];
    expect((await readIn(before, [300], '--state', kept)).exit).toBe(0);
    expect(await readIn([...before, LATE], [300], '--state', kept)).toMatchObject({
      exit: 1,
      err: expect.stringContaining('leaf 301 > 300') as string,
    });
    rmSync(kept);
    state.log = { ...logOf([...before, LATE]), signed: signedWithNextKey([...before, LATE], [300]) };
    expect((await verify('--state', kept)).exit).toBe(0);
    expect(await readIn([...before, LATE], [300], '--state', kept)).toMatchObject({
      exit: 1,
      err: expect.stringContaining('leaf 301 > 300') as string,
    });
  });
});

test('two contradictory checkpoints are both shown as evidence', async () => {
  const others = RECORDS.with(3, Buffer.from('{"record":"another history"}'));
  for (const before of [others.slice(0, 257), others, [...RECORDS, Buffer.from('{}')]]) {
    const note = noteOf(before);
    const { exit, err } = await verify('--since', savedCheckpoint(note));
    expect(exit).toBe(1);
    expect(err).toContain('error verify.consistency: ');
    for (const line of [...note.split('\n'), ...state.log.note.split('\n')]) expect(err).toContain(line);
  }
});

test("a receipt is refreshed to a checkpoint that verifies, and stays unchanged for one that doesn't", async () => {
  const { inclusion } = JSON.parse(RECEIPT_FILE) as { inclusion: { leaf_index: number; hashes: string[] } };
  const file = join(dir, 'receipt.json');
  writeFileSync(file, RECEIPT_FILE);
  writeFileSync(join(dir, 'pinned.json'), KEY_FILE);
  let answer = inclusion;
  const server = await fakeApi(() => ({ body: answer }));
  const refresh = (): Promise<CliResult> =>
    writ(['log', 'refresh', file, '--keys', join(dir, 'pinned.json')], { env: server.env });
  expect(await refresh()).toMatchObject({ exit: 0 });
  expect(server.requests[0]?.url).toBe(`/v1/log/inclusion?leaf_index=${String(inclusion.leaf_index)}`);
  expect(readFileSync(file, 'utf8')).toBe(RECEIPT_FILE);
  answer = { ...inclusion, hashes: inclusion.hashes.toReversed() };
  expect(await refresh()).toMatchObject({
    exit: 1,
    err: expect.stringContaining('error verify.inclusion: ') as string,
  });
  expect(readFileSync(file, 'utf8')).toBe(RECEIPT_FILE);
  await server.close();
});
