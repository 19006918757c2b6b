// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import type { KernelRequest, ProposedCall } from '@writ/contract';
import { TenantVault } from '../payload/index.ts';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { requestBy, callerOf, type TestManagement } from '../../specs/test-management.ts';
import { reportOf, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { AUTOPILOT } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { WrappedKeyRows } from '../payload/wrapped-key-rows.ts';
import { RewrapKeys } from '../../management/tenants/rewrap-keys.ts';

const TEXT = 'what a person said';
const SHOWN = { exit_code: 0, signal: null, output: TEXT, truncated_bytes: 0, wall_ms: 1 };

let kernel: TestKernel;
let run: TestExecution;
let manage: TestManagement;
let tenant: TestTenant;
let token: string;
openKernelSpec((on) => {
  ({ kernel, run, manage } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello' });
  token = await tenant.token();
  kernel.policy.answer = () => AUTOPILOT;
});

interface Sealed {
  readonly operation_id: string;
  readonly key_id: string | null;
  readonly args: Buffer;
  readonly salt: Buffer;
  readonly result: Buffer | null;
}
interface Key {
  readonly key_id: string;
  readonly sealed: Buffer;
  readonly until: string;
}

const call = (more: Partial<ProposedCall> = {}): ProposedCall =>
  tenant.writeCall(token, { tool_id: 'shell.run', args: { command: `echo ${TEXT}` }, ...more });
async function ended(more: Partial<ProposedCall> = {}): Promise<string> {
  const { attempt } = await run.perform(tenant, call(more));
  await run.commit.run(reportOf(attempt, null, { exit_code: 0, result: SHOWN }));
  return attempt.operation_id;
}
const erase = (selector: Partial<KernelRequest<'erasure.begin'>>) =>
  manage.beginErasure.run({
    ...requestBy(callerOf(tenant.tenantId)),
    operation_id: null,
    session_id: null,
    before: null,
    ...selector,
    reason_code: 'gdpr-art-17',
  });
const payloadOf = async (id: string): Promise<Sealed> =>
  (
    await kernel.admin.query(
      'SELECT operation_id, key_id, args, salt, result FROM kernel.payload WHERE operation_id = $1',
      [id],
    )
  ).rows[0] as Sealed;
const keys = async (): Promise<Key[]> =>
  (
    await kernel.admin.query(
      'SELECT key_id, sealed, until FROM kernel.payload_key WHERE tenant_id = $1 ORDER BY created_at',
      [tenant.tenantId],
    )
  ).rows as Key[];
/** A replica that has just started, with every key that the deployment still has. */
const fresh = (current = kernel.masterKey): TenantVault =>
  new TenantVault({ current, before: null, next: null }, new WrappedKeyRows(kernel.tenants));
/** The content that it reads from a copy, as a backup of that table has it. */
async function readCopy({ operation_id, args, salt, result }: Sealed, vault = fresh()): Promise<(string | null)[]> {
  const opened = await Promise.all(
    [
      ['args', args],
      ['salt', salt],
      ['result', result],
    ].map(([field, sealed]) => vault.calls.open(tenant.tenantId, operation_id, field as 'args', sealed as Buffer)),
  );
  return opened.map((bytes) => bytes?.toString('latin1') ?? null);
}
/** A statement waits for a lock. */
const WAITING = `SELECT 1 FROM pg_stat_clear_snapshot(), pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
const NOTHING = [null, null, null];

describe('the key of a call', () => {
  it('is one for everything stored of it, and for all calls about a person', async () => {
    const ids = [
      await ended({ data_subject: 'anna' }),
      await ended({ data_subject: 'anna', session_id: 'another' }),
      await ended({ data_subject: 'ben' }),
    ];
    const payloads = await Promise.all(ids.map(payloadOf));
    expect(await keys()).toHaveLength(2);
    expect(payloads[0]?.key_id).toBe(payloads[1]?.key_id);
    expect(payloads[0]?.key_id).not.toBe(payloads[2]?.key_id);
    for (const payload of payloads)
      expect((await readCopy(payload)).filter((text) => text?.includes(TEXT))).toHaveLength(2);
    expect(JSON.stringify(await keys())).not.toMatch(/anna|ben/);
  });

  it('is one for all calls of a session that name no person', async () => {
    const ids = [
      await ended({ session_id: 's1' }),
      await ended({ session_id: 's1' }),
      await ended({ session_id: 's2' }),
    ];
    const of = await Promise.all(ids.map(async (id) => (await payloadOf(id)).key_id));
    expect(of[0]).toBe(of[1]);
    expect(new Set(of).size).toBe(2);
  });

  it('is deleted with the erasure of its person, and no copy of the content opens any more; with the earlier key it would', async () => {
    const copies = [
      await payloadOf(await ended({ data_subject: 'anna' })),
      await payloadOf(await ended({ data_subject: 'anna' })),
    ];
    const [key] = await keys();
    await erase({ subject: 'anna' });
    expect(await keys()).toEqual([]);
    for (const copy of copies) expect(await readCopy(copy)).toEqual(NOTHING);
    await tenant.query('INSERT INTO kernel.payload_key (key_id, tenant_id, sealed, until) VALUES ($1, $2, $3, 0)', [
      key?.key_id,
      tenant.tenantId,
      key?.sealed,
    ]);
    expect((await readCopy(copies[0] as Sealed))[0]).toContain(TEXT);
  });

  it('stays while it seals other calls, but admits no further one: it is deleted with the last of them', async () => {
    const [first, second] = [await ended({ data_subject: 'anna' }), await ended({ data_subject: 'anna' })];
    const copy = await payloadOf(first);
    await erase({ operation_id: first });
    expect((await readCopy(await payloadOf(second))).every((text) => text !== null)).toBe(true);
    const third = await ended({ data_subject: 'anna' });
    expect((await payloadOf(third)).key_id).not.toBe(copy.key_id);
    expect((await readCopy(copy))[0]).toContain(TEXT);
    await erase({ operation_id: second });
    expect(await readCopy(copy)).toEqual(NOTHING);
    expect((await keys()).map(({ key_id }) => key_id)).toEqual([(await payloadOf(third)).key_id]);
  });

  it("stays for a call that isn't over, which still commits", async () => {
    const first = await ended({ data_subject: 'anna' });
    const { attempt } = await run.perform(tenant, call({ data_subject: 'anna' }));
    const copy = await payloadOf(first);
    await erase({ operation_id: first });
    expect(await run.newCommit().run(reportOf(attempt, null, { exit_code: 0, result: SHOWN }))).toMatchObject({
      state: 'no_op',
    });
    expect((await readCopy(await payloadOf(attempt.operation_id)))[2]).toContain(TEXT);
    await erase({ subject: 'anna' });
    expect(await keys()).toEqual([]);
    expect(await readCopy(copy)).toEqual(NOTHING);
  });

  it('is not deleted by an erasure before a call that is being admitted under it has committed', async () => {
    const id = await ended({ data_subject: 'anna' });
    const { key_id } = await payloadOf(id);
    const client = await kernel.tenants.pool.connect();
    let erased: Promise<unknown> | null = null;
    try {
      // An admission, between its key and its COMMIT.
      await client.query('BEGIN');
      await client.query(`SELECT set_config('writ.tenant_id', $1, true), kernel.hold_payload_key($1, $2, NULL)`, [
        tenant.tenantId,
        key_id,
      ]);
      await client.query('INSERT INTO kernel.payload (operation_id, tenant_id, key_id) VALUES ($1, $2, $3)', [
        'op_of_the_admission',
        tenant.tenantId,
        key_id,
      ]);
      erased = erase({ subject: 'anna' });
      while ((await kernel.admin.query(WAITING)).rows.length === 0)
        await new Promise((resolve) => {
          setTimeout(resolve, 5);
        });
      await client.query('COMMIT');
    } finally {
      client.release();
    }
    await erased;
    expect((await keys()).map((key) => key.key_id)).toEqual([key_id]);
  });

  it('is another one where another replica deleted it: the call is decided again, and admitted', async () => {
    const [first] = [await ended({ data_subject: 'anna' })];
    await tenant.query('DELETE FROM kernel.payload_key WHERE tenant_id = $1', [tenant.tenantId]);
    const second = await ended({ data_subject: 'anna' });
    expect((await payloadOf(second)).key_id).not.toBe((await payloadOf(first)).key_id);
    expect((await readCopy(await payloadOf(second)))[2]).toContain(TEXT);
  });

  it('admits calls for a day', async () => {
    await ended({ data_subject: 'anna' });
    const [key] = await keys();
    expect(Number(key?.until) - Date.now()).toBeGreaterThan(23 * 3_600_000);
    await tenant.query('UPDATE kernel.payload_key SET until = kernel.now_ms() WHERE tenant_id = $1', [tenant.tenantId]);
    await ended({ data_subject: 'anna' });
    expect(await keys()).toHaveLength(2);
  });

  it('opens under a new master key', async () => {
    const copy = await payloadOf(await ended({ data_subject: 'anna' }));
    const anew = randomBytes(32);
    expect(
      await new RewrapKeys(kernel.workers, manage.changes, {
        current: anew,
        before: kernel.masterKey,
        next: null,
      }).run(),
    ).toMatchObject({ unopened: [] });
    expect((await readCopy(copy, fresh(anew)))[0]).toContain(TEXT);
  });

  it('is none for a call from before calls had keys: it is read, ends and is erased as before', async () => {
    const { attempt } = await run.perform(tenant, call());
    const id = attempt.operation_id;
    const [cipher, payload] = [await kernel.vault.cipherFor(tenant.tenantId), await payloadOf(id)];
    const anew = async (field: 'args' | 'salt') =>
      cipher.seal(id, field, await kernel.vault.calls.openLive(tenant.tenantId, id, field, payload[field]));
    await tenant.query('UPDATE kernel.payload SET key_id = NULL, args = $2, salt = $3 WHERE operation_id = $1', [
      id,
      await anew('args'),
      await anew('salt'),
    ]);
    await tenant.query('UPDATE kernel.operation SET payload_key = NULL WHERE operation_id = $1', [id]);
    // Reported to another replica, which has no facts of the redemption in memory.
    await run.newCommit().run(reportOf(attempt, null, { exit_code: 0, result: SHOWN }));
    expect(cipher.open(id, 'result', (await payloadOf(id)).result as Buffer).toString()).toContain(TEXT);
    expect(await erase({ operation_id: id })).toMatchObject({ operations: 1 });
  });
});
