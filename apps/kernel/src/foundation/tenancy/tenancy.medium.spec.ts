// SPDX-License-Identifier: Apache-2.0
import { createPool } from '@writ/database';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { newId } from '@writ/nest-kit';
import { Tenancy } from './tenancy.ts';

let kernel: TestKernel;
let tenancy: Tenancy;
openKernelSpec((on) => {
  ({ kernel } = on);
  tenancy = new Tenancy(kernel.tenants);
});

const agentOf = (tenant_id: string) => ({ agent_id: newId('agent'), tenant_id, name: 'a' });

describe('a transaction of a tenant', () => {
  it('shows its rows and no others, and leaves nothing set on the connection', async () => {
    const [a, b] = [await kernel.newTenant(), await kernel.newTenant()];
    const seen = await tenancy.within(a.tenantId, (rows) => rows.agent.findMany());
    expect(seen.map((agent) => agent.agent_id)).toEqual([a.agentId]);
    expect(
      await tenancy.within(b.tenantId, (rows) => rows.agent.findFirst({ where: { agent_id: a.agentId } })),
    ).toBeNull();
    expect(await tenancy.within('', (rows) => rows.agent.count())).toBe(0);
    expect((await kernel.tenants.pool.query('SELECT 1 FROM kernel.agent')).rowCount).toBe(0);
  });

  it('writes no row of another', async () => {
    const [a, b] = [await kernel.newTenant(), await kernel.newTenant()];
    await expect(
      tenancy.within(a.tenantId, (rows) => rows.agent.createMany({ data: [agentOf(b.tenantId)] })),
    ).rejects.toMatchObject({ code: '42501' });
  });

  it("has the database's clock", async () => {
    const {
      rows: [before],
    } = await kernel.admin.query<{ now: number }>('SELECT kernel.now_ms() AS now');
    const now = await tenancy.within(newId('tenant'), (_rows, at) => Promise.resolve(at));
    expect(now).toBeGreaterThanOrEqual(before?.now ?? Infinity);
    expect(now - (before?.now ?? 0)).toBeLessThan(5_000);
  });

  it('is rolled back whole by a throw', async () => {
    const { tenantId } = await kernel.newTenant();
    const broken = tenancy.within(tenantId, async (rows) => {
      await rows.agent.createMany({ data: [agentOf(tenantId)] });
      throw new Error('half-way');
    });
    await expect(broken).rejects.toThrow('half-way');
    expect(await tenancy.within(tenantId, (rows) => rows.agent.count())).toBe(1);
  });

  it('fails with the SQLSTATE of what the database refused', async () => {
    const { tenantId, agentId } = await kernel.newTenant();
    await expect(
      tenancy.within(tenantId, (rows) =>
        rows.agent.createMany({ data: [{ ...agentOf(tenantId), agent_id: agentId }] }),
      ),
    ).rejects.toMatchObject({ code: '23505' });
    await expect(tenancy.within(tenantId, (rows) => rows.$queryRaw`SELECT 1 / 0`)).rejects.toMatchObject({
      code: '22012',
    });
  });

  it('runs again after a deadlock, and both transactions commit', async () => {
    const { tenantId } = await kernel.newTenant();
    const [a, b] = [agentOf(tenantId), agentOf(tenantId)];
    const workspaces = [a, b].map((_, at) => ({
      workspace_id: newId('workspace'),
      tenant_id: tenantId,
      name: `w${at}`,
      head_snapshot_id: 's',
    }));
    await tenancy.within(tenantId, (rows) => rows.workspace.createMany({ data: workspaces }));
    let met = 0;
    let runs = 0;
    let release = (): void => undefined;
    const both = new Promise<void>((resolve) => {
      release = resolve;
    });
    const touch = (order: readonly number[]) =>
      tenancy.within(tenantId, async (rows) => {
        runs += 1;
        for (const at of order) {
          await rows.workspace.updateMany({
            where: { workspace_id: workspaces[at]?.workspace_id },
            data: { head_seq: { increment: 1 } },
          });
          // Each holds its first row before either requests its second.
          if (at === order[0] && (met += 1) >= 2) release();
          await both;
        }
      });
    await Promise.all([touch([0, 1]), touch([1, 0])]);
    expect(runs).toBe(3);
    const after = await tenancy.within(tenantId, (rows) =>
      rows.workspace.findMany({ where: { name: { startsWith: 'w' } } }),
    );
    expect(after.map((row) => row.head_seq)).toEqual([2n, 2n]);
  });

  it('is `database.unavailable` where there is no database', async () => {
    const pool = createPool({ url: 'postgres://nobody@127.0.0.1:1/none', applicationName: 'writ-kernel-spec' });
    const away = new Tenancy({ pool });
    await expect(away.within(newId('tenant'), (rows) => rows.agent.count())).rejects.toMatchObject({
      code: 'database.unavailable',
    });
    await away.close();
    await pool.end();
  });

  it('is `database.unavailable` where the connection dies half-way', async () => {
    const { tenantId } = await kernel.newTenant();
    const cut = tenancy.within(tenantId, async (rows) => {
      const [own] = await rows.$queryRaw<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
      await kernel.admin.query('SELECT pg_terminate_backend($1)', [own?.pid]);
      await rows.agent.createMany({ data: [agentOf(tenantId)] });
    });
    await expect(cut).rejects.toMatchObject({ code: 'database.unavailable' });
    expect(await tenancy.within(tenantId, (rows) => rows.agent.count())).toBe(1);
  });
});
