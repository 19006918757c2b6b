// SPDX-License-Identifier: Apache-2.0
import type { TenantId } from '@writ/contract';
import { formatKeyEvent, keySetOf, type KeySet } from '@writ/receipt';
import { formatCheckpoint, formatNoteKey, signNote, type Checkpoint, type Signer } from '@writ/signing';
import { checkLog } from './check-log.ts';
import type { LogReport } from './findings.ts';
import type { Connection } from './rows.ts';
import {
  DEPLOYMENT,
  HEIR,
  insertLeaf,
  KEYS,
  LOG_HEIR,
  LOG_SIGNER,
  PUBLISHED,
  RECORD_SIGNER,
  recordOf,
  RECORDED_AT,
} from './specs/write-log.ts';
import { BATCHES, WrittenDatabase } from './specs/written-database.ts';

let written: WrittenDatabase;
let client: Connection;
let logId: string;
beforeAll(async () => {
  written = await WrittenDatabase.open();
  ({ client, logId } = written);
}, 120_000);
afterAll(() => written.close());

const found = (write: (tenant: TenantId) => Promise<unknown>, keys = KEYS): Promise<string[]> =>
  written.foundIn(write, keys);

describe('a log in which a key was revoked', () => {
  const lost = RECORD_SIGNER;
  const revoked = keySetOf({
    ...PUBLISHED,
    record_keys: PUBLISHED.record_keys.map((key) =>
      key.keyid === lost.keyid ? { ...key, revoked_from: RECORDED_AT } : key,
    ),
  });
  const output = (
    tenant: TenantId,
    change = formatKeyEvent({
      event: 'revoked',
      purpose: 'record',
      keyid: lost.keyid,
      x: lost.publicJwk.x,
      from: RECORDED_AT,
    }),
  ) => recordOf(tenant, 2, null, { kind: 'key', operation_id: null, phase: null, kernel_key_id: HEIR.keyid, change });

  it('has records by that key only before the revocation', async () => {
    const behind = (isBehind: boolean) =>
      found(async (tenant) => {
        const decision = await insertLeaf(client, 0, recordOf(tenant, 0, null));
        await insertLeaf(client, 1, output(tenant), HEIR);
        if (isBehind) await insertLeaf(client, 2, recordOf(tenant, 1, decision));
      }, revoked);
    expect((await behind(false)).filter((what) => what.includes('revocation'))).toEqual([]);
    expect(await behind(true)).toContain('is signed by a key whose revocation stands before it (leaf 1)');
  });

  it('has no invalid record of a key', async () => {
    expect(
      await found(
        (tenant) =>
          insertLeaf(client, 0, output(tenant, { verb: 'key_revoked', subject: 'record', digest: null }), HEIR),
        revoked,
      ),
    ).toContain('is a record of a key and says nothing of one');
  });
});

describe('a log whose checkpoints a key signed that was revoked since', () => {
  const HEIR_KEY = formatNoteKey(DEPLOYMENT, LOG_HEIR.publicKey);
  const REVOKED = keySetOf({ ...PUBLISHED, log_keys: [HEIR_KEY], revoked_log_keys: PUBLISHED.log_keys });
  /** The log after changes by a superuser. */
  const reportAfter = async (keys: KeySet, note: string | null): Promise<LogReport> => {
    await client.query('BEGIN');
    try {
      await client.query('SET LOCAL session_replication_role = replica');
      if (note !== null)
        await client.query('UPDATE ledger.checkpoint SET note = $2 WHERE log_id = $1 AND tree_size = 4', [logId, note]);
      return await checkLog(client, logId, keys);
    } finally {
      await client.query('ROLLBACK');
    }
  };
  const found = async (keys: KeySet, note: string | null): Promise<string[]> =>
    (await reportAfter(keys, note)).findings.map(({ where, what }) => `${where}: ${what}`);
  const signed = (signer: Signer, over: Partial<Checkpoint> = {}) =>
    signNote(formatCheckpoint({ origin: `${DEPLOYMENT}/${logId}`, treeSize: 4, root: new Uint8Array(32), ...over }), {
      name: DEPLOYMENT,
      signer,
    });
  const rootOf4 = async (): Promise<Uint8Array> =>
    (await client.query<{ root: Buffer }>('SELECT root FROM ledger.root WHERE log_id = $1 AND tree_size = 4', [logId]))
      .rows[0]!.root;

  it('has no finding, and their number is reported', async () => {
    expect(await reportAfter(REVOKED, null)).toMatchObject({
      findings: [],
      checkpoints: BATCHES.length,
      checkpointsByRevoked: BATCHES.length,
    });
    expect(await reportAfter(KEYS, null)).toMatchObject({ findings: [], checkpointsByRevoked: 0 });
    const anew = await reportAfter(REVOKED, signed(LOG_HEIR, { root: await rootOf4() }));
    expect(anew).toMatchObject({ findings: [], checkpointsByRevoked: BATCHES.length - 1 });
  });

  it('has a finding where that key signed another root or size than that of the leaves', async () => {
    expect(await found(REVOKED, signed(LOG_SIGNER))).toContain(
      'checkpoint 4: signs another root than that of the leaves, by a key revoked since',
    );
    expect(await found(REVOKED, signed(LOG_SIGNER, { root: await rootOf4(), treeSize: 5 }))).toContain(
      'checkpoint 4: signs a tree of 5 leaves, by a key revoked since',
    );
    expect((await reportAfter(REVOKED, signed(LOG_SIGNER))).checkpointsByRevoked).toBe(BATCHES.length - 1);
  });

  it('has a finding where the key is neither trusted nor revoked, with any root', async () => {
    expect(await found(REVOKED, signed(HEIR, { root: await rootOf4() }))).toContainEqual(
      expect.stringMatching(/^checkpoint 4: is signed by no known key/),
    );
    expect(await found(keySetOf({ ...PUBLISHED, log_keys: [HEIR_KEY] }), null)).toContainEqual(
      expect.stringMatching(/^checkpoint 304: is signed by no known key/),
    );
  });
});
