// SPDX-License-Identifier: Apache-2.0
import { CLEARANCES, everyResource, type ResourceKind } from '@writ/contract';
import { sha256Hex } from '@writ/digest';
import { newId } from '@writ/nest-kit';
import fc from 'fast-check';
import { openKernelSpec } from '../../../specs/kernel-spec.ts';
import type { TestKernel } from '../../../specs/test-kernel.ts';
import type { TestTenant } from '../../../specs/test-tenant.ts';
import { kernelSql } from '../functions/index.ts';
import type { NamedResource, ResourceForCall } from '../functions/resources.ts';
import { rowFor, type ModelGrant, type ModelResource } from './resource-model.contract.ts';

let kernel: TestKernel;
let tenant: TestTenant;
openKernelSpec((on) => {
  ({ kernel } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await kernel.admin.query('DELETE FROM kernel.resource_grant WHERE tenant_id = $1', [tenant.tenantId]);
});

const ask = (refs: readonly NamedResource[], agent = tenant.agentId, of = tenant): Promise<ResourceForCall[]> =>
  kernelSql.resourcesFor(kernel.tenants.pool, { tenant: of.tenantId, agent, refs });
const resource = (name: string, more: Partial<ModelResource> = {}): ModelResource => ({
  resource_id: newId('resource'),
  kind: 'info_store',
  name,
  owner_agent_id: null,
  settings: { of: name },
  digest: sha256Hex(Buffer.from(name)),
  removed: false,
  ...more,
});
async function put(one: ModelResource, of = tenant): Promise<ModelResource> {
  await kernel.admin.query(
    `INSERT INTO kernel.resource (resource_id, tenant_id, kind, name, owner_agent_id, settings, digest, created_by, removed_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, 'key', CASE WHEN $8 THEN 1 END)`,
    [one.resource_id, of.tenantId, one.kind, one.name, one.owner_agent_id, one.settings, one.digest, one.removed],
  );
  return one;
}
async function grant(one: Partial<ModelGrant>, of = tenant): Promise<void> {
  const { kind, resource_id, right, agent_id, clearance } = {
    kind: 'info_store',
    resource_id: null,
    right: 'use',
    agent_id: null,
    clearance: 'autopilot',
    ...one,
  };
  await kernel.admin.query(
    `INSERT INTO kernel.resource_grant (resource_grant_id, tenant_id, kind, resource_id, "right", agent_id, clearance, created_by)
     VALUES ($1, $2, $3, $4, $5, $6, $7, 'key')`,
    [newId('resourceGrant'), of.tenantId, kind, resource_id, right, agent_id, clearance],
  );
}
async function newAgent(): Promise<string> {
  const agentId = newId('agent');
  await kernel.admin.query('INSERT INTO kernel.agent (agent_id, tenant_id, name) VALUES ($1, $2, $3)', [
    agentId,
    tenant.tenantId,
    'another',
  ]);
  return agentId;
}
const use = (ref: string, kind: ResourceKind = 'info_store'): NamedResource => ({ kind, ref, right: 'use' });
const create = (ref: string, kind: ResourceKind = 'info_store'): NamedResource => ({ kind, ref, right: 'create' });
const clearancesOf = async (refs: readonly NamedResource[], agent?: string) =>
  (await ask(refs, agent)).map(({ clearance }) => clearance);

describe('the resources for a call', () => {
  it('are found by name and by id, in the order of the references', async () => {
    const [a, b] = [await put(resource('a')), await put(resource('b'))];
    await grant({ clearance: 'soft_gate' });
    const { removed: _a, ...asA } = a;
    expect(await ask([use('b'), use('nothing'), use(a.resource_id), use('a')])).toEqual([
      expect.objectContaining({ ord: 1, resource_id: b.resource_id }),
      expect.objectContaining({ ord: 2, kind: null, resource_id: null, clearance: null, exists: null }),
      { ord: 3, ...asA, clearance: 'soft_gate', exists: null },
      { ord: 4, ...asA, clearance: 'soft_gate', exists: null },
    ]);
  });

  it('are found by id before a name that looks like the id', async () => {
    const real = await put(resource('real'));
    await put(resource(real.resource_id));
    await grant({});
    expect(await ask([use(real.resource_id)])).toMatchObject([{ name: 'real' }]);
  });

  it('are none of another kind, of another tenant, or removed ones', async () => {
    const other = await kernel.newTenant();
    const theirs = await put(resource('theirs'), other);
    const gone = await put(resource('gone', { removed: true }));
    const model = await put(resource('m', { kind: 'model' }));
    await grant({});
    const refs = [theirs.resource_id, 'theirs', gone.resource_id, 'gone', model.resource_id, 'm'].map((ref) =>
      use(ref),
    );
    expect(await clearancesOf(refs)).toEqual(refs.map(() => null));
  });

  it('give the same row for one that is missing and one that is not granted', async () => {
    await put(resource('kept'));
    const [kept, missing] = await ask([use('kept'), use('missing')]);
    expect({ ...kept, ord: 0 }).toEqual({ ...missing, ord: 0 });
  });

  it('take the most specific grant: agent and resource, resource, agent and kind, kind', async () => {
    const { resource_id } = await put(resource('a'));
    await put(resource('b'));
    const agent_id = tenant.agentId;
    await grant({ clearance: 'escalated' });
    expect(await clearancesOf([use('a'), use('b')])).toEqual(['escalated', 'escalated']);
    await grant({ agent_id, clearance: 'soft_gate' });
    expect(await clearancesOf([use('a'), use('b')])).toEqual(['soft_gate', 'soft_gate']);
    await grant({ resource_id, clearance: 'escalated' });
    expect(await clearancesOf([use('a'), use('b')])).toEqual(['escalated', 'soft_gate']);
    await grant({ resource_id, agent_id, clearance: 'autopilot' });
    expect(await clearancesOf([use('a'), use('b')])).toEqual(['autopilot', 'soft_gate']);
    expect(await clearancesOf([use('a'), use('b')], await newAgent())).toEqual(['escalated', 'escalated']);
  });

  it('are at autopilot for their owner, unless a grant for it and the resource says otherwise', async () => {
    const agent_id = tenant.agentId;
    const { resource_id } = await put(resource('mine', { owner_agent_id: agent_id }));
    expect(await clearancesOf([use('mine')])).toEqual(['autopilot']);
    await grant({ agent_id, clearance: 'escalated' });
    await grant({ resource_id, clearance: 'escalated' });
    expect(await clearancesOf([use('mine')])).toEqual(['autopilot']);
    await grant({ resource_id, agent_id, clearance: 'soft_gate' });
    expect(await clearancesOf([use('mine')])).toEqual(['soft_gate']);
    const other = await newAgent();
    expect(await clearancesOf([use('mine')], other)).toEqual(['escalated']);
  });

  it('can be made under a grant to create of the kind, which says whether the name is taken', async () => {
    await put(resource('taken'));
    await grant({});
    expect(await clearancesOf([create('new'), create('taken')])).toEqual([null, null]);
    await grant({ right: 'create', clearance: 'escalated' });
    const nulls = { resource_id: null, owner_agent_id: null, settings: null, digest: null };
    expect(await ask([create('new'), create('taken')])).toEqual([
      { ord: 1, kind: 'info_store', name: 'new', ...nulls, clearance: 'escalated', exists: false },
      { ord: 2, kind: 'info_store', name: 'taken', ...nulls, clearance: 'escalated', exists: true },
    ]);
    await grant({ right: 'create', agent_id: tenant.agentId, clearance: 'soft_gate' });
    expect(await clearancesOf([create('new')])).toEqual(['soft_gate']);
    expect(await clearancesOf([create('task', 'task')])).toEqual([null]);
    await grant({ kind: 'task', right: 'create' });
    expect(await clearancesOf([create('task', 'task')])).toEqual(['autopilot']);
  });

  it('are found by index, whatever the statistics are', async () => {
    await kernel.admin.query(
      `INSERT INTO kernel.resource (resource_id, tenant_id, kind, name, settings, digest, created_by)
       SELECT 'res_' || i, $1, 'model', 'm' || i, '{}', repeat('0', 64), 'key' FROM generate_series(1, 3000) i`,
      [tenant.tenantId],
    );
    await kernel.admin.query('ANALYZE kernel.resource');
    const scans = async (): Promise<number> => {
      const { rows } = await kernel.admin.query<{ rows: string }>(
        `SELECT pg_stat_force_next_flush()::text, seq_tup_read AS rows FROM pg_stat_user_tables WHERE relid = 'kernel.resource'::regclass`,
      );
      return Number(rows[0]?.rows);
    };
    await grant({ kind: 'model' });
    const before = await scans();
    for (let i = 1; i < 9; i++) expect(await clearancesOf([use(`m${String(i)}`, 'model')])).toEqual(['autopilot']);
    expect((await scans()) - before).toBeLessThan(3000);
  });
});

describe('the resources for any call', () => {
  const KINDS = ['info_store', 'mailbox'] as const;
  const NAMES = ['a', 'b', 'c'] as const;
  const AGENTS = 2;

  it('are those of the plain model', async () => {
    const agents = [tenant.agentId, await newAgent()];
    const resources: ModelResource[] = [];
    for (const kind of KINDS)
      for (const name of NAMES) {
        const owner_agent_id = name === 'b' ? (agents[1] ?? null) : null;
        resources.push(await put(resource(name, { kind, removed: true })));
        if (name !== 'c') resources.push(await put(resource(name, { kind, owner_agent_id })));
      }
    const anyGrant = fc.record({
      kind: fc.constantFrom(...KINDS),
      at: fc.option(fc.nat(resources.length - 1)),
      create: fc.boolean(),
      agent: fc.option(fc.nat(AGENTS - 1)),
      clearance: fc.constantFrom(...CLEARANCES),
    });
    const anyRef = fc.oneof(
      fc.record({
        kind: fc.constantFrom(...KINDS),
        ref: fc.constantFrom(...NAMES, ...resources.map(({ resource_id }) => resource_id), '', 'x', '*'),
        right: fc.constantFrom('use' as const, 'create' as const),
      }),
      fc.constantFrom(...KINDS).map((kind) => everyResource(kind, '')),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyGrant, { maxLength: 12 }),
        fc.array(anyRef, { maxLength: 8 }),
        fc.nat(AGENTS - 1),
        async (drawn, refs, who) => {
          await kernel.admin.query('DELETE FROM kernel.resource_grant WHERE tenant_id = $1', [tenant.tenantId]);
          const grants = new Map<string, ModelGrant>();
          for (const { kind, at, create: makes, agent, clearance } of drawn) {
            const one = at === null || makes ? undefined : resources[at];
            const granted: ModelGrant = {
              kind: one?.kind ?? kind,
              resource_id: one?.resource_id ?? null,
              right: makes ? 'create' : 'use',
              agent_id: agent === null ? null : (agents[agent] ?? null),
              clearance,
            };
            const key = JSON.stringify([granted.kind, granted.resource_id, granted.right, granted.agent_id]);
            if (grants.has(key)) continue;
            grants.set(key, granted);
            await grant(granted);
          }
          const agent = agents[who] ?? '';
          const expected = refs.map((ref, i) => rowFor(i + 1, agent, ref, resources, [...grants.values()]));
          expect(await ask(refs, agent)).toEqual(expected);
        },
      ),
      { numRuns: 60 },
    );
  }, 60_000);
});
