// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { growTiles, hashAtFromTiles, leafHash, proveConsistency } from '@writ/merkle';
import { formatCosignerKey, parseCosignerKey, parseNoteKey, verifyCosignatures, type NoteKey } from '@writ/signing';
import { LOG_KEYS, newSigner, noteOf, ORIGIN, recordsOf } from '../specs/fake-log.ts';
import { writ, type CliResult } from '../specs/run-cli.ts';
import { addCheckpoint, type Witness } from './serve-witness.ts';
import { WitnessFolder } from './witness-folder.ts';

const RECORDS = recordsOf(20);
const OTHER = RECORDS.with(3, Buffer.from('{"record":"another history"}'));
const LOG_KEY = parseNoteKey((JSON.parse(LOG_KEYS) as { log_keys: [string] }).log_keys[0]);
const NOW = 1_767_225_600_000;

let dir: string;
let witness: Witness;
let key: NoteKey;
let told: string[];
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'writ-witness-'));
  const { out } = await run('key', '--name', 'witness.spec/w1');
  key = parseCosignerKey(out.trimEnd());
  told = [];
  const folder = new WitnessFolder(dir);
  witness = { folder, signer: folder.signer(), logs: [LOG_KEY], onEvidence: (origin) => told.push(origin) };
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

const run = (verb: string, ...args: string[]): Promise<CliResult> => writ(['witness', verb, '--dir', dir, ...args]);
const proof = (records: readonly Uint8Array[], from: number, to: number): Uint8Array[] => {
  const tiles = new Map(
    growTiles(0, records.map(leafHash), () => []).map(({ level, index, hashes }) => [
      `${String(level)}/${String(index)}`,
      hashes,
    ]),
  );
  return proveConsistency(
    from,
    to,
    hashAtFromTiles((level, index) => tiles.get(`${String(level)}/${String(index)}`) ?? []),
  );
};
/** Requests a cosignature of the log's first records, which grew from the given size. */
const ask = (records: readonly Uint8Array[], to: number, from: number, note = noteOf(records.slice(0, to))) =>
  addCheckpoint(witness, { oldSize: from, hashes: proof(records, from, to), note }, NOW);
const evidence = async (): Promise<{ kind: string; kept: string; shown: string; found_at: number }[]> =>
  (
    JSON.parse((await run('evidence', '--json')).out) as {
      evidence: { kind: string; kept: string; shown: string; found_at: number }[];
    }
  ).evidence;

describe('a witness', () => {
  it('cosigns a checkpoint that extends the last one, with its published key', () => {
    for (const [from, to] of [
      [0, 5],
      [5, 5],
      [5, 12],
      [12, 20],
    ] as const) {
      const { status, body = '' } = ask(RECORDS, to, from);
      expect([status, verifyCosignatures(noteOf(RECORDS.slice(0, to)) + body, [key])]).toEqual([
        200,
        [{ key, time: NOW / 1000 }],
      ]);
    }
  });

  it('returns the size that it cosigned if the log states another, and cosigns no smaller log', () => {
    ask(RECORDS, 12, 0);
    for (const [from, to] of [
      [0, 20],
      [5, 20],
      [0, 5],
      [5, 5],
    ] as const)
      expect(ask(RECORDS, to, from)).toEqual({ status: 409, body: '12\n', type: 'text/x.tlog.size' });
    expect(ask(RECORDS, 20, 12).status).toBe(200);
  });

  it('remembers the last checkpoint after a restart', () => {
    ask(RECORDS, 12, 0);
    witness = { ...witness, folder: new WitnessFolder(dir) };
    expect(ask(RECORDS, 5, 0)).toMatchObject({ status: 409, body: '12\n' });
  });

  it("cosigns nothing if it can't store its state", () => {
    ask(RECORDS, 5, 0);
    const logs = join(dir, 'logs');
    rmSync(logs, { recursive: true });
    writeFileSync(logs, 'in the way');
    expect(() => ask(RECORDS, 12, 0)).toThrow();
  });

  it('keeps both checkpoints of a fork as evidence, and cosigns neither', async () => {
    ask(RECORDS, 12, 0);
    for (const from of [0, 12]) expect(ask(OTHER, 12, from)).toMatchObject({ status: 409, body: '12\n' });
    expect(await evidence()).toEqual([
      {
        v: 1,
        kind: 'fork',
        origin: ORIGIN,
        found_at: NOW,
        kept: noteOf(RECORDS.slice(0, 12)),
        shown: noteOf(OTHER.slice(0, 12)),
      },
    ]);
    expect(told).toEqual([ORIGIN, ORIGIN]);
    expect(await run('evidence')).toMatchObject({
      exit: 1,
      out: expect.stringContaining('showed two histories') as string,
    });
    expect(ask(RECORDS, 20, 12).status).toBe(200);
  });

  it('refuses growth without a valid proof, and keeps the evidence', async () => {
    ask(RECORDS, 12, 0);
    expect(ask(OTHER, 20, 12).status).toBe(422);
    expect((await evidence()).map(({ kind, shown }) => [kind, shown])).toEqual([['unproven', noteOf(OTHER)]]);
    expect(ask(RECORDS, 20, 12).status).toBe(200);
  });

  it('has no evidence against a correct log', async () => {
    ask(RECORDS, 12, 0);
    expect(await run('evidence')).toEqual({ exit: 0, out: 'none\n', err: '' });
  });

  it.each<[string, string, number]>([
    ['of a log that it does not watch', noteOf(RECORDS, { origin: 'other.spec/log' }), 404],
    ["by another key of the log's name", noteOf(RECORDS, { by: newSigner() }), 403],
    ['with a signature that does not hold', noteOf(RECORDS).replace('\n20\n', '\n21\n'), 403],
    ['that is none', 'hello\n\n— writ.spec AAAAAAAA\n', 400],
    ['smaller than the size before it', noteOf(RECORDS.slice(0, 3)), 400],
  ])('does not cosign a checkpoint %s', (_what, note, status) => {
    expect(addCheckpoint(witness, { oldSize: 4, hashes: [], note }, NOW).status).toBe(status);
    expect(witness.folder.lastCosigned(ORIGIN)).toBeNull();
  });

  it('refuses a proof for a log without an earlier checkpoint', () => {
    expect(
      addCheckpoint(witness, { oldSize: 0, hashes: [new Uint8Array(32)], note: noteOf(RECORDS) }, NOW).status,
    ).toBe(400);
  });
});

describe('the key of a witness', () => {
  it('is generated once, is readable by its owner alone, and keeps its name', async () => {
    expect((await run('key')).out.trimEnd()).toBe(formatCosignerKey(key.name, witness.signer.signer.publicKey));
    expect(statSync(join(dir, 'key.pem')).mode & 0o077).toBe(0);
    expect(await run('key', '--name', 'another')).toMatchObject({ exit: 2 });
    expect(readFileSync(join(dir, 'name'), 'utf8')).toBe('witness.spec/w1\n');
  });

  it('needs a valid name, and `serve` needs a folder with a key', async () => {
    const empty = join(dir, 'empty');
    expect(await writ(['witness', 'key', '--dir', empty, '--name', 'a b'])).toMatchObject({ exit: 2 });
    expect(await writ(['witness', 'serve', '--dir', empty, '--log', 'x'])).toMatchObject({
      exit: 2,
      err: expect.stringContaining('writ witness key') as string,
    });
    expect(await run('serve', '--log', 'x')).toMatchObject({
      exit: 2,
      err: expect.stringContaining('no key of a log') as string,
    });
    expect(
      await run('serve', '--log', (JSON.parse(LOG_KEYS) as { log_keys: [string] }).log_keys[0], '--port', '70000'),
    ).toMatchObject({ exit: 2 });
  });
});
