// SPDX-License-Identifier: Apache-2.0
import type { Caller, ErasureView, KernelRequest, OperationView, ProposedCall, TextsTold } from '@writ/contract';
import { ReadOutput } from '../../management/operations/index.ts';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { askedBy, callerOf, pagesOf, type TestManagement } from '../../specs/test-management.ts';
import { reportOf, speakerOf, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { asks, AUTOPILOT } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { newId } from '@writ/nest-kit';
import type { ErasureRow } from '../../foundation/rows/erasure-row.ts';
import { BATCH_ROWS } from './erase-batches.ts';
import { erasureDigest, textsDigest } from './erasure-record.ts';

const MARKER = 'marker-of-a-person';
const SHOWN = { exit_code: 0, signal: null, output: `hello ${MARKER}`, truncated_bytes: 0, wall_ms: 1 };

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
  kernel.policy.says = () => AUTOPILOT;
});

type Selectors = Partial<
  Pick<KernelRequest<'erasure.begin'>, 'operation_id' | 'session_id' | 'subject' | 'before' | 'texts'>
>;
const NONE = { operation_id: null, session_id: null, before: null };
const as = (role: Caller['role'] = 'admin', of = tenant): Caller =>
  callerOf(of.tenantId, role, role === 'agent' ? of.agentId : null);
const erase = (selectors: Selectors, caller = as()): Promise<ErasureView> =>
  manage.beginErasure.run({ ...askedBy(caller), ...NONE, ...selectors, reason_code: 'gdpr-art-17' });
const plan = (selectors: Selectors, caller = as()) =>
  manage.beginErasure.plan({ ...askedBy(caller), ...NONE, ...selectors });
const command = (more: Partial<ProposedCall> = {}): ProposedCall =>
  tenant.writeCall(token, { tool_id: 'shell.run', args: { command: `echo ${MARKER}` }, ...more });
async function ended(more: Partial<ProposedCall> = {}): Promise<ProposedCall> {
  const call = command(more);
  const { attempt } = await run.perform(tenant, call);
  await run.commit.run(reportOf(attempt, null, { exit_code: 0, result: SHOWN }));
  return call;
}
const read = (operation_id: string, of = tenant): Promise<OperationView> =>
  manage.readOperation.run({ ...askedBy(as('auditor', of)), operation_id });
const records = async () => (await tenant.records()).filter(({ kind }) => kind === 'erasure');
const payloadOf = async (id: string) =>
  (
    await kernel.admin.query(
      'SELECT args, args_ref, salt, result, staged, requests, announced FROM kernel.payload WHERE operation_id = $1',
      [id],
    )
  ).rows[0] as Record<string, unknown>;
const EMPTY = { args: null, args_ref: null, salt: null, result: null, staged: null, requests: null, announced: [] };
const saidGone = ({ erasure_id }: { readonly erasure_id: string }) =>
  manage.erasedTexts.gone({ v: 1, tenant_id: tenant.tenantId, erasure_id: erasure_id as TextsTold['erasure_id'] });
const orders = async () =>
  (await manage.erasedTexts.orders({ v: 1, limit: 100 })).orders.filter(
    ({ tenant_id }) => tenant_id === tenant.tenantId,
  );
/** Every row of the tenant, in every table of the kernel, as text. */
async function everything(): Promise<string> {
  const { rows: tables } = await kernel.admin.query<{
    name: string;
  }>(`SELECT c.relname AS name FROM pg_class c WHERE c.relnamespace = 'kernel'::regnamespace AND c.relkind = 'r'
    AND EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id')`);
  const texts = await Promise.all(
    tables.map(async ({ name }) =>
      (
        await kernel.admin.query<{ t: string }>(
          `SELECT to_jsonb(t)::text AS t FROM kernel.${name} t WHERE tenant_id = $1`,
          [tenant.tenantId],
        )
      ).rows.map(({ t }) => t),
    ),
  );
  return texts.flat().join('\n');
}
const makeOlder = (id: string, days: number) =>
  tenant.query('UPDATE kernel.operation SET created_at = created_at - $2 WHERE operation_id = $1', [
    id,
    days * 86_400_000,
  ]);

describe('an erased call', () => {
  it('has no content any more, and says when and by which record it went', async () => {
    const call = await ended();
    const before = await tenant.row(call.operation_id);
    const caller = as();
    const erasure = await erase({ operation_id: call.operation_id }, caller);
    expect(erasure).toMatchObject({
      selector: 'operation',
      operation_id: call.operation_id,
      state: 'done',
      operations: 1,
      unfinished: 0,
      records: 1,
      requested_by: caller.api_key_id,
      reason_code: 'gdpr-art-17',
    });
    expect(await payloadOf(call.operation_id)).toEqual(EMPTY);
    const { erased, result } = await read(call.operation_id);
    expect(erased).toEqual({ at: expect.any(Number), erasure_id: erasure.erasure_id, record_id: erasure.record_id });
    expect(result).toMatchObject({ result: null, result_hash: before.result_hash, tx_outcome: 'no_op' });
    expect(await tenant.row(call.operation_id)).toMatchObject({
      args_hash: before.args_hash,
      action_digest: before.action_digest,
      outcome_record_id: before.outcome_record_id,
      updated_at: before.updated_at,
    });
  });

  it('is told of by a record with ids and a digest, in the transaction that erases', async () => {
    const call = await ended();
    const caller = as();
    const { erasure_id, record_id } = await erase({ operation_id: call.operation_id }, caller);
    const row = (
      await kernel.admin.query<{ e: ErasureRow }>(
        'SELECT to_jsonb(e) AS e FROM kernel.erasure e WHERE erasure_id = $1',
        [erasure_id],
      )
    ).rows[0]!.e;
    expect(await records()).toMatchObject([
      {
        record_id,
        operation_id: call.operation_id,
        actor: caller.api_key_id,
        phase: null,
        change: {
          verb: 'content_erased',
          subject: erasure_id,
          digest: erasureDigest({ operation_ids: [call.operation_id], erasure: row }),
        },
      },
    ]);
    expect(kernel.outbox.handed.at(-1)?.record_id).toBe(record_id);
    expect(JSON.stringify(await records())).not.toContain(MARKER);
  });

  it("erases nothing where its record can't be written", async () => {
    const call = await ended();
    await kernel.admin.query(
      `ALTER TABLE kernel.outbox ADD CONSTRAINT none_of_it CHECK (tenant_id <> '${tenant.tenantId}') NOT VALID`,
    );
    try {
      await expect(erase({ operation_id: call.operation_id })).rejects.toThrow();
    } finally {
      await kernel.admin.query('ALTER TABLE kernel.outbox DROP CONSTRAINT none_of_it');
    }
    expect((await payloadOf(call.operation_id))['args']).not.toBeNull();
    expect((await read(call.operation_id)).erased).toBeUndefined();
    expect(await manage.erasures.list({ ...askedBy(as()), page: { cursor: null, limit: 10 } })).toEqual({
      items: [],
      next_cursor: null,
    });
  });

  it('leaves a tombstone: its key is good for nothing any more', async () => {
    const call = await ended();
    expect(await kernel.admit.run({ ...call, operation_id: newId('operation') }, null)).toMatchObject({
      operation_id: call.operation_id,
      replayed: true,
    });
    await erase({ operation_id: call.operation_id });
    for (const args of [call.args, { command: 'ls' }]) {
      expect(await kernel.admit.run({ ...call, args, operation_id: newId('operation') }, null)).toMatchObject({
        state: 'refused',
        result: { error: { code: 'idempotency.expired' } },
      });
    }
    await expect(kernel.admit.run(call, null)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('keeps no word about it either, of those who decided it, nor what it was refused for', async () => {
    kernel.policy.says = asks('soft_gate');
    const held = command();
    const { approval_id } = await kernel.admit.run(held, null);
    await kernel.decide.run({
      ...askedBy(as('operator')),
      approval_id: approval_id ?? '',
      decision: 'deny',
      comment: `not ${MARKER}`,
    });
    kernel.policy.says = () => AUTOPILOT;
    const refused = tenant.writeCall(token, {
      args: { path: `../${MARKER}`, content: 'x' },
      precondition_refs: [{ kind: 'path', ref: MARKER, version: '0'.repeat(64) }],
    });
    expect((await kernel.admit.run(refused, null)).state).toBe('refused');
    await tenant.query(
      `UPDATE kernel.operation SET fault_message = $2, fault_hint = $2, reasons = jsonb_build_array(jsonb_build_object('code', 'path.escape', 'message', $2::text)) WHERE operation_id = $1`,
      [refused.operation_id, MARKER],
    );
    expect(await everything()).toContain(MARKER);
    for (const { operation_id } of [held, refused]) await erase({ operation_id });
    expect(await everything()).not.toContain(MARKER);
    expect(await read(refused.operation_id)).toMatchObject({
      reasons: [{ code: 'path.escape', message: 'erased' }],
      result: { error: { message: expect.any(String), hint: null } },
    });
    expect(await kernel.approvals.read({ ...askedBy(as('operator')), approval_id: approval_id ?? '' })).toMatchObject({
      args: null,
      comment: null,
      state: 'denied',
    });
  });

  it('names no content by reference and no whole output', async () => {
    const put = async (text: string) => await kernel.blobs.put(tenant.tenantId, Buffer.from(text));
    const call = await ended();
    const ref = { ...(await put('said')), cut: false };
    await tenant.query(
      'INSERT INTO kernel.kept_output (operation_id, tenant_id, attempt, stdout_ref, stderr_ref, expires_at) VALUES ($1, $2, 1, $3, $3, kernel.now_ms() + 100000)',
      [call.operation_id, tenant.tenantId, JSON.stringify(ref)],
    );
    await tenant.query('UPDATE kernel.operation SET result_ref = $2, whole_output = $3 WHERE operation_id = $1', [
      call.operation_id,
      JSON.stringify(ref),
      JSON.stringify({
        attempt: 1,
        expires_at: Date.now() + 100_000,
        stdout: { bytes: 4, cut: false },
        stderr: { bytes: 4, cut: false },
      }),
    ]);
    await tenant.query('UPDATE kernel.payload SET args_ref = $2 WHERE operation_id = $1', [
      call.operation_id,
      JSON.stringify(ref),
    ]);
    await erase({ operation_id: call.operation_id });
    expect(await everything()).not.toContain(ref.sha256);
    await expect(
      new ReadOutput(kernel.tenants, kernel.vault.calls).run({
        ...askedBy(as()),
        operation_id: call.operation_id,
        stream: 'stdout',
      }),
    ).rejects.toMatchObject({ code: 'output.not_kept' });
  });

  it('is erased once, however often and by however many it is asked for', async () => {
    const { operation_id } = await ended();
    const all = await Promise.all(Array.from({ length: 6 }, () => erase({ operation_id })));
    const [again] = [await erase({ operation_id })];
    expect(await records()).toHaveLength(1);
    expect(all.reduce((sum, { operations }) => sum + operations, 0)).toBeGreaterThanOrEqual(1);
    expect(again).toMatchObject({ erasure_id: (await read(operation_id)).erased?.erasure_id, operations: 1 });
  });
});

describe('what has not ended', () => {
  it('is not erased: held, admitted, running or in doubt', async () => {
    kernel.policy.says = asks('soft_gate');
    const held = command({ session_id: 'ses-1' });
    await kernel.admit.run(held, null);
    kernel.policy.says = () => AUTOPILOT;
    await expect(erase({ operation_id: held.operation_id })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('`held`'),
    });
    await expect(erase({ session_id: 'ses-1' })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(held.operation_id),
    });
    const { attempt } = await run.perform(tenant, tenant.writeCall(token));
    await expect(erase({ operation_id: attempt.operation_id })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('`performing`'),
    });
    await run.renew.effectStarted(speakerOf(attempt));
    await tenant.query('UPDATE kernel.operation SET lease_until = 1 WHERE operation_id = $1', [attempt.operation_id]);
    await run.sweeper.sweep();
    await expect(erase({ operation_id: attempt.operation_id })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('resolve it'),
    });
    await kernel.resolve.run({
      v: 1,
      caller: as('operator'),
      operation_id: attempt.operation_id,
      outcome: 'committed',
      note: MARKER,
    });
    await erase({ operation_id: attempt.operation_id });
    expect(await everything()).not.toContain(MARKER.repeat(2));
    expect((await read(attempt.operation_id)).resolution).toMatchObject({ outcome: 'committed', note: 'erased' });
    expect(await records()).toHaveLength(1);
  });

  it('is passed over by an erasure of everything before a moment, and counted', async () => {
    kernel.policy.says = asks('soft_gate');
    const held = command();
    await kernel.admit.run(held, null);
    kernel.policy.says = () => AUTOPILOT;
    const done = await ended();
    const before = Date.now() - 1;
    for (const { operation_id } of [held, done]) await makeOlder(operation_id, 1);
    expect(await plan({ before })).toEqual({ dry_run: true, operations: 1, unfinished: 1, more: false });
    expect(await saidGone(await erase({ before }))).toMatchObject({
      state: 'done',
      operations: 1,
      unfinished: 1,
      before,
    });
    expect((await payloadOf(held.operation_id))['args']).not.toBeNull();
  });
});

describe('an erasure', () => {
  it("of a session takes its calls and no other's", async () => {
    const [one, two] = [await ended({ session_id: 'ses-1' }), await ended({ session_id: 'ses-2' })];
    expect(await plan({ session_id: 'ses-1' })).toMatchObject({ operations: 1 });
    expect(await erase({ session_id: 'ses-1' })).toMatchObject({ state: 'done', operations: 1 });
    expect(await payloadOf(one.operation_id)).toEqual(EMPTY);
    expect((await payloadOf(two.operation_id))['args']).not.toBeNull();
    expect(await erase({ session_id: 'ses-1' })).toMatchObject({ operations: 0, record_id: null });
    expect(await records()).toHaveLength(1);
  });

  it("of a person takes the calls that named them, and forgets the name; an agent's are those that named nobody", async () => {
    const [one, other, nobody] = [
      await ended({ data_subject: 'crm/42' }),
      await ended({ data_subject: 'crm/43' }),
      await ended(),
    ];
    kernel.policy.says = asks('soft_gate');
    const held = command({ data_subject: 'crm/42' });
    const { approval_id } = await kernel.admit.run(held, null);
    kernel.policy.says = () => AUTOPILOT;
    await expect(erase({ subject: 'crm/42' })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(held.operation_id),
    });
    await kernel.decide.run({
      ...askedBy(as('operator')),
      approval_id: approval_id ?? '',
      decision: 'deny',
      comment: null,
    });
    expect(await plan({ subject: 'crm/42' })).toMatchObject({ operations: 2 });
    const erasure = await erase({ subject: 'crm/42' });
    expect(erasure).toMatchObject({ selector: 'subject', subject: 'crm/42', operations: 2, state: 'done' });
    expect(await payloadOf(one.operation_id)).toEqual(EMPTY);
    expect(await tenant.row(one.operation_id)).toMatchObject({ data_subject: null });
    for (const { operation_id } of [other, nobody]) expect((await payloadOf(operation_id))['args']).not.toBeNull();
    expect(await erase({ subject: tenant.agentId })).toMatchObject({ operations: 1 });
    expect(await payloadOf(nobody.operation_id)).toEqual(EMPTY);
    expect((await payloadOf(other.operation_id))['args']).not.toBeNull();
    expect(JSON.stringify(await tenant.records())).not.toContain('crm/4');
  });

  it('of a person takes what an approver made of a call about them', async () => {
    kernel.policy.says = asks('soft_gate');
    const { approval_id } = await kernel.admit.run(command({ data_subject: 'crm/42' }), null);
    const successor = newId('operation');
    await kernel.edit.run({
      ...askedBy(as('operator')),
      approval_id: approval_id ?? '',
      operation_id: successor,
      args: { command: 'echo less' },
      comment: null,
    });
    expect(await tenant.row(successor)).toMatchObject({ data_subject: 'crm/42' });
  });

  it("of another tenant's things finds nothing", async () => {
    const call = await ended({ session_id: 'ses-1' });
    const theirs = as('admin', await kernel.newTenant());
    await expect(erase({ operation_id: call.operation_id }, theirs)).rejects.toMatchObject({ code: 'not_found' });
    await expect(plan({ operation_id: call.operation_id }, theirs)).rejects.toMatchObject({ code: 'not_found' });
    expect(await erase({ session_id: 'ses-1' }, theirs)).toMatchObject({ operations: 0 });
    expect(await erase({ before: Date.now() - 1 }, theirs)).toMatchObject({ operations: 0 });
    const own = await erase({ operation_id: call.operation_id });
    await expect(manage.erasures.read({ ...askedBy(theirs), erasure_id: own.erasure_id })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it("is an administrator's alone; others with eyes see it", async () => {
    const call = await ended();
    for (const role of ['operator', 'agent', 'auditor'] as const) {
      await expect(erase({ operation_id: call.operation_id }, as(role))).rejects.toMatchObject({ code: 'auth.role' });
      await expect(plan({ operation_id: call.operation_id }, as(role))).rejects.toMatchObject({ code: 'auth.role' });
      await expect(
        manage.retention.set({ ...askedBy(as(role)), payload_days: 1, output_days: null }),
      ).rejects.toMatchObject({ code: 'auth.role' });
    }
    const { erasure_id } = await erase({ operation_id: call.operation_id });
    expect(await manage.erasures.read({ ...askedBy(as('auditor')), erasure_id })).toMatchObject({ erasure_id });
    await expect(manage.erasures.read({ ...askedBy(as('agent')), erasure_id })).rejects.toMatchObject({
      code: 'auth.role',
    });
  });

  it.each([
    [{}],
    [{ operation_id: 'x', before: 1 }],
    [{ session_id: 'ses-1', subject: 'crm/42' }],
    [{ before: Number.MAX_SAFE_INTEGER }],
  ])('of %j is refused', async (selectors) => {
    await expect(erase(selectors)).rejects.toMatchObject({ code: 'request.malformed' });
  });

  it('longer than a batch goes on by itself, by whichever replica, with a record a batch, and takes nothing that comes later', async () => {
    const first = await ended({ session_id: 'ses-1' });
    // Copies of a call that has ended: what they were given is in nobody's way.
    const copies = BATCH_ROWS * 2 + 5;
    await tenant.copyOperations(
      `jsonb_build_object('operation_id', 'op_' || lpad(n::text, 26, '0'), 'state', 'refused', 'idempotency_key', NULL)`,
      `kernel.operation o, generate_series(1, ${String(copies)}) n WHERE o.operation_id = $1`,
      [first.operation_id],
    );
    await kernel.admin.query(
      `INSERT INTO kernel.payload (operation_id, tenant_id, args) SELECT operation_id, tenant_id, 'x' FROM kernel.operation WHERE tenant_id = $1 AND operation_id <> $2`,
      [tenant.tenantId, first.operation_id],
    );
    const begun = await erase({ session_id: 'ses-1' });
    expect(begun).toMatchObject({ state: 'running', operations: BATCH_ROWS, records: 1 });
    expect(await erase({ session_id: 'ses-1' })).toMatchObject({ erasure_id: begun.erasure_id });
    const later = await ended({ session_id: 'ses-1' });
    await Promise.all([manage.eraseBatches.run(), manage.eraseBatches.run(), manage.eraseBatches.run()]);
    await manage.eraseBatches.run();
    expect(await manage.erasures.read({ ...askedBy(as()), erasure_id: begun.erasure_id })).toMatchObject({
      state: 'done',
      operations: copies + 1,
      records: 3,
      finished_at: expect.any(Number),
    });
    const left = await kernel.admin.query<{ operation_id: string }>(
      'SELECT operation_id FROM kernel.payload WHERE tenant_id = $1 AND args IS NOT NULL',
      [tenant.tenantId],
    );
    expect(left.rows).toEqual([{ operation_id: later.operation_id }]);
    // Each record's digest is of the calls that name it.
    const row = (
      await kernel.admin.query<{ e: ErasureRow }>(
        'SELECT to_jsonb(e) AS e FROM kernel.erasure e WHERE erasure_id = $1',
        [begun.erasure_id],
      )
    ).rows[0]!.e;
    for (const { record_id, change } of await records()) {
      const { rows } = await kernel.admin.query<{ id: string }>(
        `SELECT operation_id AS id FROM kernel.operation WHERE erased->>'record_id' = $1`,
        [record_id],
      );
      expect(change?.digest).toBe(erasureDigest({ operation_ids: rows.map(({ id }) => id), erasure: row }));
    }
  });

  it('is listed, the newest first', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1)
      ids.unshift((await erase({ operation_id: (await ended()).operation_id })).erasure_id);
    const pages = await pagesOf(2, (page) => manage.erasures.list({ ...askedBy(as('auditor')), page }));
    expect(pages.flat().map(({ erasure_id }) => erasure_id)).toEqual(ids);
  });
});

describe('retention', () => {
  const set = (payload_days: number | null, output_days: number | null = null) =>
    manage.retention.set({ ...askedBy(as()), payload_days, output_days });
  const look = async (): Promise<void> => {
    await tenant.query('UPDATE kernel.tenant SET retained_at = 0 WHERE tenant_id = $1', [tenant.tenantId]);
    await manage.newRetain(3_600_000).run();
    await manage.eraseBatches.run();
    for (const order of await orders()) await saidGone(order);
  };

  it('is nothing unless it is set; set, it is recorded', async () => {
    expect(await manage.retention.read({ ...askedBy(as('auditor')) })).toEqual({
      payload_days: null,
      output_days: null,
      changed_at: null,
    });
    expect(await set(30, 7)).toEqual({ payload_days: 30, output_days: 7, changed_at: expect.any(Number) });
    expect(await set(30, 7)).toMatchObject({ payload_days: 30 });
    expect((await tenant.records()).filter(({ change }) => change?.verb === 'retention_changed')).toHaveLength(1);
  });

  it("erases what is over age and nothing else, as a record of the kernel's", async () => {
    const [old, young] = [await ended(), await ended()];
    await makeOlder(old.operation_id, 31);
    await look();
    expect((await payloadOf(old.operation_id))['args']).not.toBeNull();
    await set(30);
    await look();
    expect(await payloadOf(old.operation_id)).toEqual(EMPTY);
    expect((await payloadOf(young.operation_id))['args']).not.toBeNull();
    expect(await records()).toMatchObject([{ actor: 'kernel', change: { verb: 'content_erased' } }]);
    const { items } = await manage.erasures.list({ ...askedBy(as()), page: { cursor: null, limit: 10 } });
    expect(items).toMatchObject([{ reason_code: 'retention', requested_by: 'kernel', state: 'done', operations: 1 }]);
    await look();
    expect(await records()).toHaveLength(1);
  });

  it('comes back to a call that ended after its time', async () => {
    kernel.policy.says = asks('soft_gate');
    const held = command();
    const { approval_id } = await kernel.admit.run(held, null);
    kernel.policy.says = () => AUTOPILOT;
    const done = await ended();
    await makeOlder(held.operation_id, 5);
    await makeOlder(done.operation_id, 4);
    await set(2);
    await look();
    expect(await payloadOf(done.operation_id)).toEqual(EMPTY);
    await kernel.decide.run({
      ...askedBy(as('operator')),
      approval_id: approval_id ?? '',
      decision: 'deny',
      comment: null,
    });
    await look();
    expect(await payloadOf(held.operation_id)).toEqual(EMPTY);
    const { rows } = await kernel.admin.query<{ left: number }>(
      'SELECT kernel.now_ms() - erased_until AS left FROM kernel.tenant WHERE tenant_id = $1',
      [tenant.tenantId],
    );
    expect(rows[0]!.left).toBeLessThan(3 * 86_400_000);
  });

  it('looks at a tenant once in its time, by one replica', async () => {
    await set(1);
    await tenant.query('UPDATE kernel.tenant SET retained_at = kernel.now_ms()');
    const old = await ended();
    await makeOlder(old.operation_id, 3);
    expect(await manage.newRetain(3_600_000).run()).toBe(0);
    await tenant.query('UPDATE kernel.tenant SET retained_at = 0 WHERE tenant_id = $1', [tenant.tenantId]);
    const begun = await Promise.all([
      manage.newRetain(3_600_000).run(),
      manage.newRetain(3_600_000).run(),
      manage.newRetain(3_600_000).run(),
    ]);
    expect(begun.reduce((sum, n) => sum + n, 0)).toBe(1);
  });

  it('of outputs shortens how long a whole one is kept, and never lengthens it', async () => {
    const refs = {
      stdout: { ...(await kernel.blobs.put(tenant.tenantId, Buffer.from('said'))), cut: false },
      stderr: { ...(await kernel.blobs.put(tenant.tenantId, Buffer.from('told'))), cut: false },
    };
    const kept = async (): Promise<number> => {
      const { attempt } = await run.perform(tenant, command());
      const { tenant_id, operation_id, executor_id, nonce } = speakerOf(attempt);
      const { rows } = await kernel.admin.query<{ ms: number }>(
        `SELECT kernel.keep_output($1, $2, $3, $4, $5, $6, $7, 864000000), (SELECT 1) AS ms`,
        [
          tenant_id,
          operation_id,
          attempt.attempt,
          executor_id,
          nonce,
          JSON.stringify(refs.stdout),
          JSON.stringify(refs.stderr),
        ],
      );
      expect(rows).toHaveLength(1);
      return (
        await kernel.admin.query<{ days: number }>(
          'SELECT round((expires_at - created_at) / 86400000.0)::integer AS days FROM kernel.kept_output WHERE operation_id = $1',
          [operation_id],
        )
      ).rows[0]!.days;
    };
    expect(await kept()).toBe(10);
    await set(null, 3);
    expect(await kept()).toBe(3);
    await set(null, 300);
    expect(await kept()).toBe(10);
  });
});

describe('what was said in sessions', () => {
  const tell = (
    erasure_id: string,
    round: number,
    ids: Partial<Pick<TextsTold, 'session_ids' | 'run_ids' | 'fork_ids'>>,
  ) =>
    manage.erasedTexts.tell({
      v: 1,
      tenant_id: tenant.tenantId,
      erasure_id: erasure_id as TextsTold['erasure_id'],
      round,
      session_ids: [],
      run_ids: [],
      fork_ids: [],
      ...ids,
    });
  const view = async (erasure_id: string) => await manage.erasures.read({ ...askedBy(as('auditor')), erasure_id });
  const rowOf = async (erasure_id: string) =>
    (
      await kernel.admin.query<{ e: ErasureRow }>(
        'SELECT to_jsonb(e) AS e FROM kernel.erasure e WHERE erasure_id = $1',
        [erasure_id],
      )
    ).rows[0]!.e;

  it('is ordered with the calls of its sessions, and the erasure is done when both are gone', async () => {
    const [one, below] = [newId('session'), newId('session')];
    const calls = [
      await ended({ session_id: one }),
      await ended({ session_id: below }),
      await ended({ session_id: newId('session') }),
    ];
    const texts = { session_ids: [one, below], alone: false };
    expect(await plan({ session_id: one, texts })).toMatchObject({ operations: 2 });
    const { erasure_id, ...begun } = await erase({ session_id: one, texts });
    expect(begun).toMatchObject({ state: 'running', operations: 2, sessions: 0, finished_at: null });
    expect((await payloadOf(calls[2]!.operation_id))['args']).not.toBeNull();
    expect(await orders()).toMatchObject([
      { tenant_id: tenant.tenantId, erasure_id, selector: 'session', session_ids: [one, below] },
    ]);
    await manage.eraseBatches.run();
    await tell(erasure_id, 1, { session_ids: [one, below] });
    expect(await orders()).toHaveLength(1);
    expect(await saidGone({ erasure_id })).toMatchObject({
      state: 'done',
      sessions: 2,
      runs: 0,
      records: 2,
      finished_at: expect.any(Number),
    });
    expect(await orders()).toEqual([]);
  });

  it('is on the record, once a round, before anybody is told to go on', async () => {
    const [session_id, caller] = [newId('session'), as()];
    const { erasure_id } = await erase({ session_id, texts: { session_ids: [session_id], alone: true } }, caller);
    expect(await records()).toEqual([]);
    const run_ids = [newId('run'), newId('run')];
    for (let n = 0; n < 3; n += 1) await tell(erasure_id, 1, { session_ids: [session_id] });
    await tell(erasure_id, 2, { run_ids });
    await expect(tell(erasure_id, 4, { run_ids })).rejects.toMatchObject({ code: 'conflict' });
    const erasure = await rowOf(erasure_id);
    const said = (of: { session_ids: string[]; run_ids: string[] }) => ({
      actor: caller.api_key_id,
      operation_id: null,
      change: { verb: 'texts_erased', subject: erasure_id, digest: textsDigest({ fork_ids: [], ...of, erasure }) },
    });
    expect(await records()).toMatchObject([
      said({ session_ids: [session_id], run_ids: [] }),
      said({ session_ids: [], run_ids: [...run_ids].reverse() }),
    ]);
    expect(await saidGone({ erasure_id })).toMatchObject({
      selector: 'conversation',
      state: 'done',
      sessions: 1,
      runs: 2,
      records: 2,
    });
    await tell(erasure_id, 1, { session_ids: [session_id] });
    await expect(tell(erasure_id, 3, { run_ids })).rejects.toMatchObject({ code: 'conflict' });
    expect(await records()).toHaveLength(2);
  });

  it('goes alone where a session is deleted: no call of it', async () => {
    const session_id = newId('session');
    const call = await ended({ session_id });
    await expect(
      erase({ operation_id: call.operation_id, texts: { session_ids: [], alone: true } }),
    ).rejects.toMatchObject({ code: 'request.malformed' });
    expect(await erase({ session_id, texts: { session_ids: [session_id], alone: true } })).toMatchObject({
      state: 'running',
      operations: 0,
    });
    expect((await payloadOf(call.operation_id))['args']).not.toBeNull();
  });

  it('of a call that was erased before there was anybody to ask can be asked for still', async () => {
    const call = await ended();
    const [first, texts] = [
      await erase({ operation_id: call.operation_id }),
      { session_ids: [newId('session')], alone: false },
    ];
    expect(await erase({ operation_id: call.operation_id })).toMatchObject({ erasure_id: first.erasure_id });
    const second = await erase({ operation_id: call.operation_id, texts });
    expect(second).toMatchObject({ state: 'running', operations: 0 });
    expect((await orders()).map(({ erasure_id }) => erasure_id)).toEqual([second.erasure_id]);
  });

  it("of one tenant is no other's to tell of or to end", async () => {
    const session_id = newId('session');
    const { erasure_id } = await erase({ session_id, texts: { session_ids: [session_id], alone: true } });
    const order = { v: 1, tenant_id: (await kernel.newTenant()).tenantId, erasure_id } as const;
    await expect(
      manage.erasedTexts.tell({ ...order, round: 1, session_ids: [session_id], run_ids: [], fork_ids: [] }),
    ).rejects.toMatchObject({ code: 'conflict' });
    await expect(manage.erasedTexts.gone(order)).rejects.toMatchObject({ code: 'not_found' });
    expect(await view(erasure_id)).toMatchObject({ state: 'running', records: 0 });
  });

  it('over age is ordered once a day, also where no call is', async () => {
    await manage.retention.set({ ...askedBy(as()), payload_days: 2, output_days: null });
    const look = async (): Promise<number> => {
      await tenant.query('UPDATE kernel.tenant SET retained_at = 0 WHERE tenant_id = $1', [tenant.tenantId]);
      await manage.newRetain(3_600_000).run();
      return (await orders()).length;
    };
    expect(await look()).toBe(0);
    await tenant.query('UPDATE kernel.tenant SET created_at = created_at - 3 * 86400000::bigint WHERE tenant_id = $1', [
      tenant.tenantId,
    ]);
    expect(await look()).toBe(1);
    await manage.eraseBatches.run();
    for (const order of await orders())
      expect(await saidGone(order)).toMatchObject({ state: 'done', reason_code: 'retention', records: 0 });
    expect(await look()).toBe(0);
  });
});
