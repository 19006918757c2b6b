// SPDX-License-Identifier: Apache-2.0
import { DEFAULT_RESOURCE_GRANTS } from '@writ/contract';
import { isSqlError } from '@writ/database';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import { newId } from '@writ/nest-kit';
import { openKernelSpec } from '../../../specs/kernel-spec.ts';
import type { TestKernel } from '../../../specs/test-kernel.ts';
import type { TestTenant } from '../../../specs/test-tenant.ts';
import { kernelSql } from '../functions/index.ts';

let kernel: TestKernel;
let tenant: TestTenant;
openKernelSpec((on) => {
  ({ kernel } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
});

interface Mirror {
  readonly resource_id: string;
  readonly name: string;
  readonly digest: string;
  readonly removed_at: number | null;
}
const mirrors = async (kind: string): Promise<Mirror[]> =>
  (
    await kernel.admin.query<Mirror>(
      'SELECT resource_id, name, digest, removed_at FROM kernel.resource WHERE tenant_id = $1 AND kind = $2 ORDER BY created_at, resource_id',
      [tenant.tenantId, kind],
    )
  ).rows;
const live = async (kind: string): Promise<string[]> =>
  (await mirrors(kind)).filter(({ removed_at }) => removed_at === null).map(({ name }) => name);
const sql = async (text: string, ...values: unknown[]): Promise<void> => {
  await kernel.admin.query(text, [tenant.tenantId, ...values]);
};

describe('a new tenant', () => {
  it('has the default grants of the contract', async () => {
    const { rows } = await kernel.admin.query(
      'SELECT kind, resource_id, "right", agent_id, clearance FROM kernel.resource_grant WHERE tenant_id = $1 ORDER BY "right", kind',
      [tenant.tenantId],
    );
    expect(rows).toEqual(DEFAULT_RESOURCE_GRANTS);
  });

  it('has one grant for each key, also where parts of the key are null', async () => {
    await expect(
      sql(
        `INSERT INTO kernel.resource_grant (resource_grant_id, tenant_id, kind, "right", clearance, created_by) VALUES ($2, $1, 'skill', 'use', 'escalated', 'key')`,
        newId('resourceGrant'),
      ),
    ).rejects.toMatchObject({ code: '23505' });
  });
});

describe('the resource of something that is stored elsewhere', () => {
  it('is there with its digest for an agent, named by the id', async () => {
    expect(await mirrors('agent')).toMatchObject([
      {
        name: tenant.agentId,
        digest: sha256Hex(canonicalBytes({ kind: 'agent', name: tenant.agentId, settings: {} })),
      },
    ]);
  });

  it('is there as long as a version of the skill is, with one id', async () => {
    const put = (digest: string, seq: number) =>
      sql(
        `INSERT INTO kernel.skill (tenant_id, name, digest, seq, contents, bytes, created_by) VALUES ($1, 'tidy', $2, $3, '', 0, 'key')`,
        digest.repeat(64),
        seq,
      );
    await put('a', 1);
    const [first] = await mirrors('skill');
    await put('b', 2);
    await sql(`DELETE FROM kernel.skill WHERE tenant_id = $1 AND seq = 1`);
    expect(await mirrors('skill')).toEqual([first]);
    await sql(`DELETE FROM kernel.skill WHERE tenant_id = $1`);
    expect(await live('skill')).toEqual([]);
    await put('c', 1);
    expect(await live('skill')).toEqual(['tidy']);
    expect(new Set((await mirrors('skill')).map(({ resource_id }) => resource_id)).size).toBe(2);
  });

  it('comes and goes with a profile, and its grants go with it', async () => {
    await sql(
      `INSERT INTO kernel.execution_profile (tenant_id, name, definition, digest, created_by) VALUES ($1, 'ops', '', $2, 'key')`,
      'a'.repeat(64),
    );
    expect(await live('profile')).toEqual(['ops']);
    await sql(
      `INSERT INTO kernel.resource_grant (resource_grant_id, tenant_id, kind, resource_id, "right", clearance, created_by)
       SELECT $2, $1, 'profile', resource_id, 'use', 'escalated', 'key' FROM kernel.resource WHERE tenant_id = $1 AND kind = 'profile'`,
      newId('resourceGrant'),
    );
    await sql(`DELETE FROM kernel.execution_profile WHERE tenant_id = $1`);
    expect(await live('profile')).toEqual([]);
    const { rowCount } = await kernel.admin.query(
      'SELECT FROM kernel.resource_grant WHERE tenant_id = $1 AND resource_id IS NOT NULL',
      [tenant.tenantId],
    );
    expect(rowCount).toBe(0);
  });

  it('goes with the definition of a sandbox, whose row stays', async () => {
    await sql(
      `INSERT INTO kernel.sandbox (tenant_id, name, workspace_id, definition, definition_digest, updated_by) VALUES ($1, 'ci', $2, '', $3, 'key')`,
      tenant.workspaceId,
      'a'.repeat(64),
    );
    expect(await live('sandbox')).toEqual(['ci']);
    await sql(`UPDATE kernel.sandbox SET definition = NULL, definition_digest = NULL WHERE tenant_id = $1`);
    expect(await live('sandbox')).toEqual([]);
    await sql(`UPDATE kernel.sandbox SET definition = '', definition_digest = $2 WHERE tenant_id = $1`, 'b'.repeat(64));
    expect(await live('sandbox')).toEqual(['ci']);
  });
});

describe('a resource that a call registers', () => {
  const registered = (name: string) => ({
    resource_id: newId('resource'),
    kind: 'container' as const,
    name,
    owner_agent_id: tenant.agentId,
    settings: { workspace_id: null },
    digest: 'a'.repeat(64),
    created_by: tenant.agentId,
  });
  const register = (p: ReturnType<typeof registered>, max = 10) =>
    kernelSql.registerResource(kernel.tenants.pool, { tenant: tenant.tenantId, p, max });

  it('belongs to its agent, which uses it at once', async () => {
    const one = registered('box');
    await register(one);
    const refs = [{ kind: 'container' as const, ref: 'box', right: 'use' as const }];
    expect(
      await kernelSql.resourcesFor(kernel.tenants.pool, { tenant: tenant.tenantId, agent: tenant.agentId, refs }),
    ).toMatchObject([{ resource_id: one.resource_id, owner_agent_id: tenant.agentId, clearance: 'autopilot' }]);
  });

  it('is refused with its own SQLSTATE where the name is taken, until the other one is removed', async () => {
    await register(registered('box'));
    const error = await register(registered('box')).catch((thrown: unknown) => thrown);
    expect(isSqlError(error, 'resource_exists')).toBe(true);
    await sql(`UPDATE kernel.resource SET removed_at = 1 WHERE tenant_id = $1 AND kind = 'container'`);
    await register(registered('box'));
  });

  it('is refused beyond the limit, which mirrored resources do not count for', async () => {
    await register(registered('a'), 2);
    await register(registered('b'), 2);
    const error = await register(registered('c'), 2).catch((thrown: unknown) => thrown);
    expect(isSqlError(error, 'program_limit_exceeded')).toBe(true);
  });
});
