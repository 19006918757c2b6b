// SPDX-License-Identifier: Apache-2.0
// Idempotency keys that were claimed before a key named one call of its agent, and kernels of that version beside ours.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OWNER_ROLE } from '@writ/database';
import { newId } from '@writ/nest-kit';
import { Judge } from '../../judging/judgement/index.ts';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { Trees } from '../../foundation/workspace/trees.ts';
import { Admit } from './admit.ts';
import { FactCache } from './fact-cache.ts';

let kernel: TestKernel;
let tenant: TestTenant;
let token: string;
openKernelSpec((on) => {
  ({ kernel } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  token = await tenant.token();
});

const MIGRATIONS = [1, 2, 3, 4].map((n) =>
  readFileSync(
    join(import.meta.dirname, `../../../sql/migrations/0023_idempotency_of_agents_${String(n)}.sql`),
    'utf8',
  ),
);
const migrate = async (sql: string | undefined): Promise<void> => {
  await kernel.admin.query(`BEGIN; SET LOCAL ROLE ${OWNER_ROLE}; ${sql ?? ''}; COMMIT`);
};
const KEY = { idempotency_key: 'k' };
const edit = { ...KEY, tool_id: 'fs.edit', args: { path: 'a.txt', edits: [{ find: 'a', replace: 'b' }] } };
const read = { ...KEY, tool_id: 'fs.read', args: { path: 'a.txt' } };
const write = (more: object = {}) => tenant.writeCall(token, { ...KEY, ...more });
const admit = async (more: object = {}) => await kernel.admit.run(write(more), null);
const claims = async () =>
  (
    await kernel.admin.query<{ tool_id: string; tool_scoped: boolean }>(
      'SELECT tool_id, tool_scoped FROM kernel.idempotency WHERE tenant_id = $1 ORDER BY tool_id',
      [tenant.tenantId],
    )
  ).rows;

/** A kernel of the version before: it knows the claims of a call's own tool alone. */
function kernelBefore(): Admit {
  const connect = async (): Promise<unknown> => {
    const client = await kernel.tenants.pool.connect();
    return Object.assign(Object.create(client) as typeof client, {
      query: (statement: { readonly name?: string; readonly text: string; readonly values?: unknown[] }): unknown =>
        client.query(
          (statement.name === 'kernel.facts_of_call'
            ? {
                ...statement,
                name: 'kernel.facts',
                // It knows no budgets, so it doesn't say on whose behalf the call is.
                text: statement.text.replace('kernel.facts_of_call', 'kernel.facts').replace(/, ?\$13/, ''),
                values: statement.values?.slice(0, 12),
              }
            : statement) as never,
        ),
      on: client.on.bind(client),
      off: client.off.bind(client),
    });
  };
  const pool = Object.assign(Object.create(kernel.tenants.pool) as typeof kernel.tenants.pool, { connect });
  const memory = new FactCache(() => performance.now());
  const judge = new Judge(kernel.policy, new Trees(kernel.blobs));
  return new Admit({ ...kernel.sources, tenants: { pool }, memory }, judge, kernel.decisions, kernel);
}

it('claims of several tools under one key survive the migration: each is replayed, and no other tool gets the key', async () => {
  // The tables of the version before, and what its kernel wrote: one claim for each tool.
  await kernel.admin.query(
    'DROP INDEX kernel.idempotency_of_agent; ALTER TABLE kernel.idempotency DROP COLUMN tool_scoped',
  );
  const other = await kernel.newTenant();
  const claim = async (of: TestTenant, tool: string, key: string, at: number): Promise<string> => {
    const call = of.writeCall(token, { idempotency_key: key, tool_id: tool });
    await kernel.admin.query(
      `INSERT INTO kernel.idempotency (tenant_id, agent_id, tool_id, idempotency_key, operation_id, args_fingerprint, capability_token_id, created_at)
       VALUES ($1, $2, $3, $4, $5, '\\x00', $6, $7)`,
      [of.tenantId, of.agentId, tool, key, call.operation_id, token, at],
    );
    return call.operation_id;
  };
  await claim(tenant, 'fs.edit', 'k', 2);
  await claim(tenant, 'fs.write', 'k', 1);
  await claim(tenant, 'net.egress', 'k', 2);
  await claim(tenant, 'fs.edit', 'another', 3);
  await claim(other, 'fs.edit', 'k', 9);
  const [addColumn, mark, buildIndex, forceSecurity] = MIGRATIONS;
  await migrate(addColumn);
  await migrate(mark);
  // A kernel of the version before goes on: a younger claim, and one that began before another and ended after it.
  await claim(tenant, 'net.egress', 'another', 4);
  await claim(other, 'fs.write', 'k', 8);
  await migrate(buildIndex);
  await migrate(forceSecurity);
  const { rows } = await kernel.admin.query(
    `SELECT tool_id, idempotency_key, tenant_id = $1 AS ours FROM kernel.idempotency
     WHERE NOT tool_scoped AND tenant_id IN ($1, $2) ORDER BY ours, idempotency_key, tool_id`,
    [tenant.tenantId, other.tenantId],
  );
  expect(rows).toEqual([
    { tool_id: 'fs.write', idempotency_key: 'k', ours: false },
    { tool_id: 'fs.edit', idempotency_key: 'another', ours: true },
    { tool_id: 'fs.write', idempotency_key: 'k', ours: true },
  ]);
  const { rows: forced } = await kernel.admin.query(
    `SELECT relforcerowsecurity AS forced FROM pg_class WHERE oid = 'kernel.idempotency'::regclass`,
  );
  expect(forced).toEqual([{ forced: true }]);
});

it('the migration waits for an open claim, and another call claims a key meanwhile', async () => {
  await kernel.admin.query('DROP INDEX kernel.idempotency_of_agent');
  const open = await kernel.tenants.pool.connect();
  try {
    await open.query('BEGIN; LOCK TABLE kernel.idempotency IN ROW EXCLUSIVE MODE');
    let done = false;
    const migrated = migrate(MIGRATIONS[2]).then(() => (done = true));
    expect(await admit()).toMatchObject({ state: 'admitted', replayed: false });
    expect(done).toBe(false);
    await open.query('COMMIT');
    await migrated;
  } finally {
    open.release(true);
  }
});

it('a call whose key its own tool claimed is replayed, also where another tool claimed it first', async () => {
  const first = await admit();
  await kernel.admin.query('UPDATE kernel.idempotency SET tool_scoped = true WHERE tenant_id = $1', [tenant.tenantId]);
  const second = await admit(edit);
  expect(second).toMatchObject({ state: 'admitted', replayed: false });
  expect(await admit()).toMatchObject({ operation_id: first.operation_id, replayed: true });
  expect(await admit(edit)).toMatchObject({ operation_id: second.operation_id, replayed: true });
  expect((await admit(read)).result?.error?.code).toBe('idempotency.mismatch');
  // An erasure clears the fingerprint of the call's own claim alone.
  await kernel.admin.query(
    "UPDATE kernel.idempotency SET args_fingerprint = NULL WHERE tenant_id = $1 AND tool_id = 'fs.write'",
    [tenant.tenantId],
  );
  expect((await admit()).result?.error?.code).toBe('idempotency.expired');
  expect(await admit(edit)).toMatchObject({ operation_id: second.operation_id, replayed: true });
});

describe('a kernel of the version before, beside ours', () => {
  const before = { run: async (more: object = {}) => (await kernelBefore().decide(write(more), null, 0)).row };

  it('admits no call whose key another tool has, and writes nothing for it', async () => {
    const first = await admit();
    await expect(before.run(edit)).rejects.toMatchObject({ code: 'overloaded' });
    expect(await claims()).toEqual([{ tool_id: 'fs.write', tool_scoped: false }]);
    expect(await tenant.countOf('operation')).toBe(1);
    expect((await before.run()).operation_id).toBe(first.operation_id);
  });

  it('claims keys that ours respects, and the other way round', async () => {
    const first = await before.run();
    expect(await admit()).toMatchObject({ operation_id: first.operation_id, replayed: true });
    expect((await admit(edit)).result?.error?.code).toBe('idempotency.mismatch');
    expect((await before.run({ ...edit, idempotency_key: newId('request') })).state).toBe('admitted');
  });
});
