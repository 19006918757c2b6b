// SPDX-License-Identifier: Apache-2.0
import { DEPLOYMENT_LOG, type AuditRecord, type FreezeScope, type FreezeView } from '@writ/contract';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { requestBy, callerOf, pagesOf, type TestManagement } from '../../specs/test-management.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { newId } from '@writ/nest-kit';

let kernel: TestKernel;
let manage: TestManagement;
let tenant: TestTenant;
openKernelSpec((on) => {
  ({ kernel, manage } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
});

const PLATFORM = { v: 1 as const, caller: null };
const as = (role: 'admin' | 'operator' | 'agent' | 'auditor' = 'admin') =>
  requestBy(callerOf(tenant.tenantId, role, role === 'agent' ? tenant.agentId : null));
const place = (
  scope: FreezeScope = 'tenant',
  id: string | null = null,
  more: { expires_at?: number; by?: ReturnType<typeof as> | typeof PLATFORM; reason?: string } = {},
): Promise<FreezeView> =>
  manage.placeFreeze.run({
    ...(more.by ?? as()),
    scope,
    id,
    reason: more.reason ?? 'an agent runs wild',
    expires_at: more.expires_at ?? null,
  });
const lift = (freeze_id: string, by: ReturnType<typeof as> | typeof PLATFORM = as()): Promise<FreezeView> =>
  manage.liftFreeze.run({ ...by, freeze_id });
const read = (freeze_id: string, by: ReturnType<typeof as> | typeof PLATFORM = as()): Promise<FreezeView> =>
  manage.freezes.read({ ...by, freeze_id });
const changesOf = async (tenantId: string): Promise<AuditRecord[]> => {
  const { rows } = await kernel.admin.query<{ payload: Buffer }>(
    'SELECT payload FROM kernel.outbox WHERE tenant_id = $1 ORDER BY record_id',
    [tenantId],
  );
  return rows
    .map(({ payload }) => (JSON.parse(payload.toString()) as { predicate: AuditRecord }).predicate)
    .filter(({ change }) => change?.verb.startsWith('freeze_'));
};
const isOver = (freezeId: string) =>
  tenant.query('UPDATE kernel.freeze SET expires_at = 1 WHERE freeze_id = $1', [freezeId]);

describe('a freeze', () => {
  it('is recorded when it is placed and lifted, with the actor, and with its reason only as a digest', async () => {
    const [operator, admin] = [as('operator'), as()];
    const placed = await place('agent', tenant.agentId, { by: operator, reason: 'it deletes what it finds' });
    expect(placed).toMatchObject({
      scope: 'agent',
      id: tenant.agentId,
      state: 'standing',
      placed_by: operator.caller.api_key_id,
      lifted_at: null,
    });
    const lifted = await lift(placed.freeze_id, admin);
    expect(lifted).toMatchObject({ freeze_id: placed.freeze_id, state: 'lifted', lifted_by: admin.caller.api_key_id });
    const records = await changesOf(tenant.tenantId);
    expect(records).toMatchObject([
      {
        kind: 'change',
        actor: operator.caller.api_key_id,
        agent_id: tenant.agentId,
        change: { verb: 'freeze_placed', subject: placed.freeze_id, digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
      },
      {
        kind: 'change',
        actor: admin.caller.api_key_id,
        agent_id: tenant.agentId,
        change: { verb: 'freeze_lifted', subject: placed.freeze_id },
      },
    ]);
    expect(JSON.stringify(records)).not.toContain('deletes');
    expect(kernel.outbox.records.slice(-2).map(({ record_id }) => record_id)).toEqual(
      records.map(({ record_id }) => record_id),
    );
  });

  it('placed many times concurrently is one freeze with one record', async () => {
    const placed = await Promise.all(Array.from({ length: 16 }, () => place()));
    expect(new Set(placed.map(({ freeze_id }) => freeze_id)).size).toBe(1);
    expect(await changesOf(tenant.tenantId)).toHaveLength(1);
  });

  it('placed again lasts until the later end of both, never shorter', async () => {
    const soon = Date.now() + 60_000;
    const first = await place('tenant', null, { expires_at: soon });
    expect(await place('tenant', null, { expires_at: soon - 30_000 })).toMatchObject({
      freeze_id: first.freeze_id,
      expires_at: soon,
    });
    expect(await place('tenant', null, { expires_at: soon + 30_000 })).toMatchObject({
      freeze_id: first.freeze_id,
      expires_at: soon + 30_000,
    });
    expect(await place()).toMatchObject({ freeze_id: first.freeze_id, expires_at: null });
    expect(await place('tenant', null, { expires_at: soon })).toMatchObject({ expires_at: null });
    expect((await changesOf(tenant.tenantId)).map(({ change }) => change?.verb)).toEqual([
      'freeze_placed',
      'freeze_extended',
      'freeze_extended',
    ]);
  });

  it('lifted many times concurrently is lifted once', async () => {
    const { freeze_id } = await place();
    const lifted = await Promise.all(Array.from({ length: 8 }, () => lift(freeze_id)));
    expect(new Set(lifted.map(({ lifted_by }) => lifted_by)).size).toBe(1);
    expect((await changesOf(tenant.tenantId)).map(({ change }) => change?.verb)).toEqual([
      'freeze_placed',
      'freeze_lifted',
    ]);
  });

  it('that has ended is followed by another, and lifting it changes nothing', async () => {
    const first = await place('tenant', null, { expires_at: Date.now() + 60_000 });
    await isOver(first.freeze_id);
    expect(await read(first.freeze_id)).toMatchObject({ state: 'expired' });
    expect(await lift(first.freeze_id)).toMatchObject({ state: 'expired', lifted_at: null });
    expect((await place()).freeze_id).not.toBe(first.freeze_id);
  });

  it.each([
    ['an end in the past', 'tenant', null, { expires_at: 1 }, 'request.malformed'],
    ['an agent without its id', 'agent', null, {}, 'request.malformed'],
    ['an unknown agent', 'agent', newId('agent'), {}, 'not_found'],
    ['an invalid id', 'agent', 'banana', {}, 'not_found'],
    ['an unknown tool', 'tool', 'fs.explode', {}, 'tool.unknown'],
    ['another tenant', 'tenant', newId('tenant'), {}, 'not_found'],
    ['the deployment by a key of a tenant', 'all', null, {}, 'auth.role'],
    ['a tenant by the platform key', 'tenant', null, { by: PLATFORM }, 'auth.role'],
  ] as const)('is not placed on %s', async (_what, scope, id, more, code) => {
    await expect(place(scope, id, more)).rejects.toMatchObject({ code });
    expect(await changesOf(tenant.tenantId)).toEqual([]);
  });

  it('is placed by administrators and operators, lifted by administrators, seen by auditors too', async () => {
    for (const role of ['agent', 'auditor'] as const)
      await expect(place('tenant', null, { by: as(role) })).rejects.toMatchObject({ code: 'auth.role' });
    const { freeze_id } = await place('tenant', null, { by: as('operator') });
    for (const role of ['operator', 'agent', 'auditor'] as const)
      await expect(lift(freeze_id, as(role))).rejects.toMatchObject({ code: 'auth.role' });
    expect(await read(freeze_id, as('auditor'))).toMatchObject({ state: 'standing' });
    await expect(read(freeze_id, as('agent'))).rejects.toMatchObject({ code: 'auth.role' });
  });

  it('of another tenant gets not_found', async () => {
    const { freeze_id } = await place();
    const theirs = requestBy(callerOf((await kernel.newTenant()).tenantId));
    for (const asks of [() => read(freeze_id, theirs), () => lift(freeze_id, theirs), () => lift(freeze_id, PLATFORM)])
      await expect(asks()).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a freeze of everything', () => {
  it("belongs to the platform, is visible to every tenant, and is recorded in the deployment's log", async () => {
    const { freeze_id } = await place('all', null, { by: PLATFORM });
    try {
      expect(await read(freeze_id)).toMatchObject({ scope: 'all', id: null, placed_by: 'platform' });
      await expect(lift(freeze_id)).rejects.toMatchObject({ code: 'auth.role' });
    } finally {
      await lift(freeze_id, PLATFORM);
    }
    expect(await changesOf(tenant.tenantId)).toEqual([]);
    const records = (await changesOf(DEPLOYMENT_LOG)).filter(({ change }) => change?.subject === freeze_id);
    expect(records).toMatchObject([
      { actor: 'platform', change: { verb: 'freeze_placed' } },
      { actor: 'platform', change: { verb: 'freeze_lifted' } },
    ]);
  });
});

it("a list of freezes is sorted newest first, with the deployment's, and optionally only active ones", async () => {
  const ids: string[] = [];
  for (const tool of ['fs.read', 'fs.write']) ids.unshift((await place('tool', tool)).freeze_id);
  const all = await place('all', null, { by: PLATFORM });
  await lift(all.freeze_id, PLATFORM);
  ids.unshift(all.freeze_id);
  ids.unshift((await place('tool', 'shell.run')).freeze_id);
  await lift(ids[2] ?? '');
  const list = (standing: boolean) => pagesOf(2, (page) => manage.freezes.list({ ...as('auditor'), page, standing }));
  const pages = await list(false);
  expect(pages[0]).toHaveLength(2);
  // The freezes of everything, from earlier tests, come after the tenant's own.
  expect(
    pages
      .flat()
      .map(({ freeze_id }) => freeze_id)
      .slice(0, 4),
  ).toEqual(ids);
  expect((await list(true)).flat().map(({ freeze_id }) => freeze_id)).toEqual([ids[0], ids[3]]);
});
