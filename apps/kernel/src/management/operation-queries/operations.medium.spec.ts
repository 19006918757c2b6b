// SPDX-License-Identifier: Apache-2.0
import { isFinal, OperationView, parseMessage } from '@writ/contract';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { deltaFor, reportOf, WRITTEN, type TestExecution } from '../../specs/test-executor.ts';
import { requestBy, callerOf, pagesOf, refusalOf, type TestManagement } from '../../specs/test-management.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { newId } from '@writ/nest-kit';

let kernel: TestKernel;
let manage: TestManagement;
let execution: TestExecution;
openKernelSpec((on) => {
  ({ kernel, manage, run: execution } = on);
});

const NOT_FOUND = { code: 'not_found', message: 'there is no such thing here' };
const NO_FILTER = { state: null, tool_id: null, agent_id: null, workspace_id: null, session_id: null };
const FIRST = { cursor: null, limit: 200 };

async function withFile(): Promise<{ tenant: TestTenant; token: string }> {
  const tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'a' });
  return { tenant, token: await tenant.token() };
}
const read = (tenant: TestTenant, operation_id: string, role: 'admin' | 'auditor' = 'admin') =>
  manage.readOperation.run({ ...requestBy(callerOf(tenant.tenantId, role)), operation_id });
const list = (tenant: TestTenant, filters: Partial<Record<keyof typeof NO_FILTER, string>> = {}) =>
  manage.listOperations.run({
    ...requestBy(callerOf(tenant.tenantId, 'operator')),
    page: FIRST,
    ...NO_FILTER,
    ...filters,
  });

describe('an operation', () => {
  it('is shown in its current state, from the decision to the end with its result', async () => {
    const { tenant, token } = await withFile();
    const call = tenant.writeCall(token);
    const { attempt } = await execution.perform(tenant, call);
    const running = await read(tenant, call.operation_id, 'auditor');
    expect(parseMessage(OperationView, running)).toMatchObject({ state: 'performing', attempt: 1, result: null });
    await execution.commit.run(reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'x' })));
    const ended = parseMessage(OperationView, await read(tenant, call.operation_id));
    const { outcome_record_id } = await tenant.row(call.operation_id);
    expect(ended).toMatchObject({
      state: 'committed',
      result: {
        status: 'ok',
        tx_outcome: 'committed',
        result: WRITTEN,
        receipt: { state: 'pending', record_id: outcome_record_id },
      },
    });
  });

  it('whose result was erased shows that there was one, and no content', async () => {
    const { tenant, token } = await withFile();
    const call = tenant.writeCall(token);
    const { attempt } = await execution.perform(tenant, call);
    await execution.commit.run(reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'x' })));
    await tenant.query('UPDATE kernel.payload SET result = NULL, erased_at = 1 WHERE operation_id = $1', [
      call.operation_id,
    ]);
    expect((await read(tenant, call.operation_id)).result).toMatchObject({
      result: null,
      result_hash: expect.any(String),
    });
  });

  it('of another tenant or agent, an unknown one and an invalid id get the same answer', async () => {
    const [mine, theirs] = [await withFile(), await withFile()];
    const second = await manage.agents.create({ ...requestBy(callerOf(mine.tenant.tenantId)), name: 'second' });
    const [own, foreign] = await Promise.all(
      [mine, theirs].map(({ tenant, token }) => kernel.admit.run(tenant.call(token), null)),
    );
    const key = requestBy(callerOf(mine.tenant.tenantId, 'agent', second.agent_id));
    const answers = await Promise.all(
      [own?.operation_id, foreign?.operation_id, newId('operation'), 'x', '\0'].map((operation_id = '') =>
        refusalOf(manage.readOperation.run({ ...key, operation_id })),
      ),
    );
    expect(answers).toEqual(Array(5).fill(NOT_FOUND));
    expect(await refusalOf(read(mine.tenant, foreign?.operation_id ?? ''))).toEqual(NOT_FOUND);
    expect(
      await manage.readOperation.run({
        ...requestBy(callerOf(mine.tenant.tenantId, 'agent', mine.tenant.agentId)),
        operation_id: own?.operation_id ?? '',
      }),
    ).toMatchObject({ state: 'admitted' });
  });
});

describe('a list of operations', () => {
  it('is read to its end, newest first, each once, while calls are added', async () => {
    const { tenant, token } = await withFile();
    const made: string[] = [];
    for (let at = 0; at < 12; at += 1) made.push((await kernel.admit.run(tenant.call(token), null)).operation_id);
    await tenant.query('UPDATE kernel.operation SET created_at = created_at - created_at % 10 WHERE tenant_id = $1', [
      tenant.tenantId,
    ]);
    let added = 0;
    const pages = await pagesOf(5, async (page) => {
      const views = await manage.listOperations.run({ ...requestBy(callerOf(tenant.tenantId)), page, ...NO_FILTER });
      await Promise.all([1, 2, 3].map(() => kernel.admit.run(tenant.call(token), null)));
      added += 3;
      return views;
    });
    const walked = pages.flat();
    expect(walked.map((view) => view.operation_id).toSorted()).toEqual(made.toSorted());
    const order = walked.map(({ created_at, operation_id }) => `${String(created_at)} ${operation_id}`);
    expect(order).toEqual(order.toSorted().toReversed());
    expect((await list(tenant)).items).toHaveLength(12 + added);
  });

  it('shows each like its reading, except for the result of the tool', async () => {
    const { tenant, token } = await withFile();
    const call = tenant.writeCall(token);
    const { attempt } = await execution.perform(tenant, call);
    await execution.commit.run(reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'x' })));
    await kernel.admit.run(tenant.call(token, { tool_id: 'no.such' }), null);
    const { items } = await list(tenant);
    for (const item of items) {
      const whole = await read(tenant, item.operation_id);
      expect(parseMessage(OperationView, item)).toEqual({
        ...whole,
        result: whole.result === null ? null : { ...whole.result, result: null },
      });
      expect(isFinal(item.state)).toBe(item.result !== null);
    }
    expect(items.map((item) => item.state)).toEqual(['refused', 'committed']);
    // A record that the ledger has confirmed is no longer pending.
    await tenant.query('DELETE FROM kernel.outbox WHERE tenant_id = $1', [tenant.tenantId]);
    expect((await list(tenant)).items.map((item) => item.result?.receipt?.state)).toEqual(['logged', 'logged']);
  });

  it('has only operations that match all filters', async () => {
    const { tenant, token } = await withFile();
    const session_id = newId('session');
    const seen = await kernel.admit.run(tenant.call(token, { session_id }), null);
    const refused = await kernel.admit.run(tenant.call(token, { tool_id: 'no.such' }), null);
    const ids = async (filters: Parameters<typeof list>[1]) =>
      (await list(tenant, filters)).items.map((item) => item.operation_id);
    expect(await ids({ state: 'refused' })).toEqual([refused.operation_id]);
    expect(await ids({ tool_id: 'fs.read' })).toEqual([seen.operation_id]);
    expect(await ids({ session_id })).toEqual([seen.operation_id]);
    expect(await ids({ workspace_id: tenant.workspaceId, agent_id: tenant.agentId })).toHaveLength(2);
    expect(await ids({ state: 'refused', session_id })).toEqual([]);
    expect(await ids({ agent_id: newId('agent') })).toEqual([]);
    await expect(list(tenant, { state: 'done' })).rejects.toMatchObject({
      code: 'request.malformed',
      pointer: '/state',
    });
    await expect(list(tenant, { tool_id: 'a\0' })).rejects.toMatchObject({
      code: 'request.malformed',
      pointer: '/tool_id',
    });
  });

  it("has only the agent's own operations for its key, and none of another tenant", async () => {
    const [mine, theirs] = [await withFile(), await withFile()];
    const second = await manage.agents.create({ ...requestBy(callerOf(mine.tenant.tenantId)), name: 'second' });
    const own = await kernel.admit.run(mine.tenant.call(mine.token), null);
    await kernel.admit.run(theirs.tenant.call(theirs.token), null);
    const ask = (agent: string, agent_id: string | null) =>
      manage.listOperations.run({
        ...requestBy(callerOf(mine.tenant.tenantId, 'agent', agent)),
        page: FIRST,
        ...NO_FILTER,
        agent_id,
      });
    expect((await ask(second.agent_id, null)).items).toEqual([]);
    expect((await ask(second.agent_id, mine.tenant.agentId)).items).toEqual([]);
    expect((await ask(mine.tenant.agentId, null)).items.map((item) => item.operation_id)).toEqual([own.operation_id]);
    expect((await list(mine.tenant)).items.map((item) => item.operation_id)).toEqual([own.operation_id]);
  });

  it("starts in an index at its cursor, so its cost doesn't grow with the number of operations", async () => {
    const { tenant, token } = await withFile();
    const { operation_id } = await kernel.admit.run(tenant.call(token), null);
    await kernel.admin.query('BEGIN');
    try {
      await tenant.copyOperations(
        `jsonb_build_object('operation_id', 'op_' || n, 'created_at', n)`,
        'kernel.operation o, generate_series(1, 3000) n WHERE operation_id = $1',
        [operation_id],
      );
      await kernel.admin.query('ANALYZE kernel.operation');
      const { rows } = await kernel.admin.query<{ 'QUERY PLAN': [{ Plan: object }] }>(
        `EXPLAIN (ANALYZE, FORMAT JSON) SELECT * FROM kernel.operation
        WHERE tenant_id = $1 AND created_at <= 2000 AND (created_at < 2000 OR (created_at = 2000 AND operation_id < 'op_x')) ORDER BY created_at DESC, operation_id DESC LIMIT 201`,
        [tenant.tenantId],
      );
      const plan = JSON.stringify(rows[0]?.['QUERY PLAN']);
      expect(plan).toContain('"Index Name":"operation_by_tenant"');
      expect(plan).not.toContain('"Node Type":"Sort"');
      expect(plan).toMatch(/"Rows Removed by Filter":0|^((?!Rows Removed).)*$/);
    } finally {
      await kernel.admin.query('ROLLBACK');
    }
  }, 120_000);
});
