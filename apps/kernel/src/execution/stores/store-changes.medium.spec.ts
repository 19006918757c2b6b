// SPDX-License-Identifier: Apache-2.0
//
// Changes of information stores: published with the outcome of their call and its record, or not at all.
import type { OperationView, ProposedCall, TenantId } from '@writ/contract';
import { createPool, type Pool } from '@writ/database';
import { changeOfCall, prepareChange, type Hit } from '@writ/info-store';
import { PgInfoStore } from '@writ/info-store-pg';
import { newId } from '@writ/nest-kit';
import { CollectStores } from '../../management/garbage-collection/collect-stores.ts';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { reportOf, type Attempt, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { callerOf, requestBy, type TestManagement } from '../../specs/test-management.ts';
import { AUTOPILOT } from '../../specs/test-ports.ts';
import { changeSettings, grantResource, putResource } from '../../specs/test-resources.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: TestKernel;
let run: TestExecution;
let manage: TestManagement;
let tenant: TestTenant;
let token: string;
let store: string;
let pool: Pool;
let stores: PgInfoStore;
openKernelSpec((on) => {
  ({ kernel, run, manage } = on);
  pool = createPool({ url: kernel.executorUrl, applicationName: 'spec', max: 4 });
  stores = new PgInfoStore(pool);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  token = await tenant.token({ resources: ['info_store:*'] });
  kernel.policy.answer = () => AUTOPILOT;
  store = await putResource(tenant, NOTES);
  await grantResource(tenant, 'info_store');
});
afterAll(async () => {
  await stores.close();
  await pool.end();
});

const NOTES = {
  kind: 'info_store' as const,
  name: 'notes',
  settings: { backend: { kind: 'local' }, label: 'private_data' },
};
const DAY_MS = 24 * 60 * 60 * 1000;
const documentsOf = (...texts: readonly string[]) => texts.map((text, n) => ({ document_id: `d${String(n)}`, text }));
const call = (tool_id: string, args: Record<string, unknown>): ProposedCall =>
  tenant.call(token, { tool_id, args: { store: 'notes', ...args }, idempotency_key: newId('request') });
const upsert = (...texts: readonly string[]): ProposedCall =>
  call('vecdb.upsert', { documents: documentsOf(...texts) });
const found = async (text: string): Promise<readonly Hit[]> =>
  (await stores.query(tenant.tenantId as TenantId, store, { mode: 'text', k: 10, text })).hits;
const viewOf = (proposed: ProposedCall): Promise<OperationView> => kernel.admit.run(proposed, null);
const RESULT = {
  store: { resource_id: `res_${'0'.repeat(26)}`, name: 'notes' },
  digest: null,
  upserts: 0,
  deletes: 0,
  chunks: 0,
};

/** Stages what the arguments say, as an executor does. */
async function stage(attempt: Attempt, proposed: Pick<ProposedCall, 'tool_id' | 'args'>): Promise<string> {
  const change = changeOfCall(proposed.tool_id, store, proposed.args as Record<string, unknown>);
  const prepared = await prepareChange(change, { embedder: null });
  return (await stores.stage(tenant.tenantId as TenantId, attempt.operation_id, prepared)).change_id;
}
const commit = (attempt: Attempt, change_id?: string) =>
  run.commit.run(
    reportOf(attempt, null, { result: RESULT, ...(change_id === undefined ? {} : { store_change: { change_id } }) }),
  );
/** Runs a call to its end; its executor does what it should. */
async function done(proposed: ProposedCall): Promise<OperationView> {
  const { attempt } = await run.perform(tenant, proposed);
  await commit(attempt, await stage(attempt, proposed));
  return await viewOf(proposed);
}
const collect = (since: number) => new CollectStores(manage.changes).run(tenant.tenantId as TenantId, since);
const rowsIn = async (table: string): Promise<number> => {
  const sql = `SELECT count(*)::integer AS n FROM info_store.${table} WHERE tenant_id = $1`;
  return (await kernel.admin.query<{ n: number }>(sql, [tenant.tenantId])).rows[0]?.n ?? -1;
};

describe('a change of a store', () => {
  it('is published with the outcome of its call, and the record names the version and the digest', async () => {
    const proposed = upsert('green tea');
    expect(await done(proposed)).toMatchObject({ result: { tx_outcome: 'committed', new_snapshot_id: null } });
    expect(await found('tea')).toMatchObject([{ document_id: 'd0' }]);
    const outcome = (await tenant.records()).at(-1);
    expect(outcome).toMatchObject({ phase: 'outcome', tx_outcome: 'committed' });
    expect(outcome?.change).toMatchObject({ verb: 'store_changed', subject: `info_store:${store}@1` });
    await done(upsert('black tea'));
    expect((await tenant.records()).at(-1)?.change?.subject).toBe(`info_store:${store}@2`);
  });

  it('shows nothing before its call has ended, and nothing of a call that fails', async () => {
    const proposed = upsert('never seen');
    const { attempt } = await run.perform(tenant, proposed);
    const change_id = await stage(attempt, proposed);
    expect(await found('seen')).toEqual([]);
    await run.commit.run(
      reportOf(attempt, null, {
        ended: 'failed',
        error: { code: 'store.unavailable', message: 'no model', hint: null },
        result: null,
        store_change: { change_id },
      }),
    );
    expect(await viewOf(proposed)).toMatchObject({
      result: { tx_outcome: 'rolled_back', error: { code: 'store.unavailable' } },
    });
    expect(await found('seen')).toEqual([]);
  });

  it.each([
    ['is of other documents', () => upsert('another text')],
    ['removes what was not to be removed', () => call('vecdb.delete', { document_ids: ['d0'] })],
  ])('that %s is not published: the call ends as `effect.invalid`', async (_what, other) => {
    const proposed = upsert('the decided text');
    const { attempt } = await run.perform(tenant, proposed);
    await commit(attempt, await stage(attempt, other()));
    expect(await viewOf(proposed)).toMatchObject({
      result: { tx_outcome: 'rolled_back', error: { code: 'effect.invalid' } },
    });
    expect(await found('text')).toEqual([]);
    expect((await tenant.records()).at(-1)?.change).toBeNull();
  });

  it('of another operation, of another tenant, and none at all are not published', async () => {
    const [mine, other] = [upsert('the same text'), upsert('the same text')];
    const [{ attempt }, { attempt: otherAttempt }] = [
      await run.perform(tenant, mine),
      await run.perform(tenant, other),
    ];
    await commit(attempt, await stage(otherAttempt, other));
    await commit(otherAttempt);
    for (const each of [mine, other])
      expect(await viewOf(each)).toMatchObject({
        result: { tx_outcome: 'rolled_back', error: { code: 'effect.invalid' } },
      });
    const read = tenant.call(token, {
      tool_id: 'vecdb.query',
      args: { store: 'notes', text: 'x' },
      idempotency_key: null,
    });
    const { attempt: reading } = await run.perform(tenant, read);
    await run.commit.run(
      reportOf(reading, null, {
        result: { store: RESULT.store, mode: 'text', version: 0, hits: [], notice: null },
        store_change: { change_id: 'f'.repeat(32) },
      }),
    );
    expect(await viewOf(read)).toMatchObject({ result: { error: { code: 'effect.invalid' } } });
  });

  it('of a store that was removed or changed since is not published', async () => {
    const [removed, changed] = [upsert('one'), upsert('two')];
    const [{ attempt: first }, { attempt: second }] = [
      await run.perform(tenant, removed),
      await run.perform(tenant, changed),
    ];
    const [firstChange, secondChange] = [await stage(first, removed), await stage(second, changed)];
    await changeSettings(tenant, store, { ...NOTES, settings: { ...NOTES.settings, label: 'untrusted_content' } });
    await commit(second, secondChange);
    expect(await viewOf(changed)).toMatchObject({ result: { error: { code: 'tool.changed' } } });
    await manage.resources.remove({ ...requestBy(callerOf(tenant.tenantId)), resource_id: store });
    await commit(first, firstChange);
    expect(await viewOf(removed)).toMatchObject({ result: { error: { code: 'resource.unknown' } } });
    expect(await rowsIn('document')).toBe(0);
  });

  it('of two calls at once is published twice, each as a version of its own', async () => {
    const proposed = Array.from({ length: 4 }, (_, n) => upsert(`text ${String(n)}`));
    const attempts = [];
    for (const each of proposed) attempts.push((await run.perform(tenant, each)).attempt);
    const changes = await Promise.all(attempts.map((attempt, n) => stage(attempt, proposed[n] as ProposedCall)));
    await Promise.all(
      attempts.map(async (attempt, n) => {
        // An executor repeats a report that finds the store moved too often.
        for (;;) {
          const answer = await commit(attempt, changes[n]).catch((error: { code?: string }) => error.code);
          if (answer !== 'overloaded') return answer;
        }
      }),
    );
    const subjects = (await tenant.records()).flatMap(({ change }) => (change === null ? [] : [change.subject]));
    expect(subjects.sort()).toEqual([1, 2, 3, 4].map((n) => `info_store:${store}@${String(n)}`));
  });
});

describe('a store in use', () => {
  it('keeps its language and its model', async () => {
    await done(upsert('green tea'));
    const update = (settings: object) =>
      manage.resources.update({
        ...requestBy(callerOf(tenant.tenantId)),
        resource_id: store,
        settings: { ...NOTES.settings, ...settings },
        expected_version: 1,
      });
    await expect(update({ text_config: 'english' })).rejects.toMatchObject({ code: 'conflict' });
    await expect(update({ label: 'untrusted_content' })).resolves.toMatchObject({ version: 2 });
    // Written past the API, as an import would.
    await changeSettings(tenant, store, { ...NOTES, settings: { ...NOTES.settings, text_config: 'english' } });
    await expect(run.perform(tenant, upsert('x'))).rejects.toMatchObject({ code: 'store.mismatch' });
  });
});

describe('the collection', () => {
  it('takes what is replaced, what nobody published, and what belongs to removed stores', async () => {
    await done(upsert('first', 'kept'));
    await done(upsert('second'));
    const lost = upsert('lost');
    const { attempt } = await run.perform(tenant, lost);
    await stage(attempt, lost);
    // Its call runs, so that its change may be published.
    expect(await collect(Date.now() + DAY_MS)).toBe(1);
    await kernel.cancel.run({ ...requestBy(callerOf(tenant.tenantId)), operation_id: lost.operation_id } as never);
    await tenant.query('UPDATE kernel.operation SET lease_until = 0 WHERE operation_id = $1', [lost.operation_id]);
    await run.sweeper.sweep();
    expect(await collect(Date.now() - DAY_MS)).toBe(0);
    expect(await collect(Date.now() + DAY_MS)).toBe(1);
    expect((await found('kept')).length + (await found('second')).length).toBe(2);
    expect((await tenant.records()).at(-1)).toMatchObject({ kind: 'change', change: { verb: 'stores_collected' } });
    await manage.resources.remove({ ...requestBy(callerOf(tenant.tenantId)), resource_id: store });
    expect(await collect(Date.now() - DAY_MS)).toBe(0);
    expect(await collect(Date.now() + DAY_MS)).toBe(2);
    for (const table of ['store', 'change', 'document_version', 'chunk', 'document'])
      expect(await rowsIn(table)).toBe(0);
  });
});
