// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync } from 'node:crypto';
import type { AuditRecord } from '@writ/contract';
import { keyEventOf } from '@writ/receipt';
import { FixedKeys, parseSigner, ringOf, withNext, withRevoked, type KeyRing, type Signer } from '@writ/signing';
import { Changes } from '../changes/index.ts';
import { RecordSealer, SignedSeal } from '../records/index.ts';
import { openManagement, type TestManagement } from '../../specs/test-management.ts';
import { openTestKernel, type TestKernel } from '../../specs/test-kernel.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { KernelKeys } from './kernel-keys.ts';
import { CLOSED_MS } from './due-events.ts';
import { RecordKeys } from './record-keys.ts';

const newSigner = (): Signer =>
  parseSigner(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
const SETTLE_MS = 30_000;
const AFTER_MS = SETTLE_MS + CLOSED_MS;
let kernel: TestKernel;
let manage: TestManagement;
let tenants: TestTenant[];
let start: number;
const reported: unknown[] = [];
beforeEach(async () => {
  kernel = await openTestKernel();
  manage = openManagement(kernel);
  tenants = [await kernel.newTenant(), await kernel.newTenant(), await kernel.newTenant()];
  // A second after the database's clock, so that the tenants are older than all events of keys.
  start =
    Math.max(
      ...(await kernel.admin.query<{ created_at: number }>('SELECT created_at FROM kernel.tenant')).rows.map(
        ({ created_at }) => Number(created_at),
      ),
    ) + 1_000;
  reported.length = 0;
}, 120_000);
afterEach(async () => {
  await kernel.close();
});

/** A replica with these keys at that time. */
function replica(
  ring: KeyRing,
  now: number,
  changes: (sealer: RecordSealer) => Changes = (sealer) => new Changes(manage.tenancy, sealer, kernel.outbox),
  checkpoints: KeyRing | null = null,
): RecordKeys {
  const keys = new KernelKeys(
    {
      permitKeys: FixedKeys.of(kernel.signer),
      recordKeys: new FixedKeys(ring),
      checkpointKeys: checkpoints === null ? null : new FixedKeys(checkpoints),
    },
    now,
  );
  return new RecordKeys(kernel.workers, changes(new RecordSealer(new SignedSeal(keys.record))), keys, {
    now: () => now,
    report: (error) => reported.push(error),
  });
}

const eventsIn = async (tenant: TestTenant): Promise<unknown[][]> =>
  ((await tenant.records()) as AuditRecord[])
    .filter(({ kind }) => kind === 'key')
    .map((record) => [keyEventOf(record)?.event, keyEventOf(record)?.keyid, record.kernel_key_id]);
const [one, two, three] = [newSigner(), newSigner(), newSigner()];
const rotated = (): KeyRing => withNext(ringOf(one), { signer: two, now: start, overlapMs: 5_000 });
const revokedOne = (): KeyRing =>
  withRevoked(rotated(), { keyid: one.keyid, now: start + 10_000, from: start + 10_000, settleMs: SETTLE_MS });

it("events of keys are in every tenant's log once, under the key that signed then, however many replicas record them", async () => {
  expect(await replica(ringOf(one), start).run()).toBe(0);
  expect(await replica(rotated(), start + 1).run()).toBe(3);
  await Promise.all(Array.from({ length: 4 }, () => replica(rotated(), start + 6_000).run()));
  for (const tenant of tenants)
    expect(await eventsIn(tenant)).toEqual([
      ['introduced', two.keyid, one.keyid],
      ['retired', one.keyid, two.keyid],
    ]);
  expect(await replica(rotated(), start + 6_000).run()).toBe(0);
  expect(reported).toEqual([]);
});

it('a revocation is recorded only once its key was closed for long enough, under another key', async () => {
  const due = start + 10_000 + AFTER_MS;
  await replica(revokedOne(), due - 1).run();
  for (const tenant of tenants) expect(await eventsIn(tenant)).toEqual([['introduced', two.keyid, two.keyid]]);
  await replica(revokedOne(), due).run();
  for (const tenant of tenants) expect(await eventsIn(tenant)).toContainEqual(['revoked', one.keyid, two.keyid]);
});

it('a revocation is recorded anew once the key that signed its record was revoked itself', async () => {
  const then = start + 10_000 + AFTER_MS;
  await replica(revokedOne(), then).run();
  const ring = withRevoked(withNext(revokedOne(), { signer: three, now: then, overlapMs: 5_000 }), {
    keyid: two.keyid,
    now: then + 6_000,
    from: then,
    settleMs: SETTLE_MS,
  });
  await replica(ring, then + 6_000 + AFTER_MS).run();
  for (const tenant of tenants) {
    expect((await eventsIn(tenant)).filter(([event]) => event === 'revoked')).toEqual([
      ['revoked', one.keyid, two.keyid],
      ['revoked', one.keyid, three.keyid],
      ['revoked', two.keyid, three.keyid],
    ]);
  }
});

it('events of checkpoint keys are in the log too, under a record key, and anew once that one was revoked', async () => {
  const own = (sealer: RecordSealer): Changes => new Changes(manage.tenancy, sealer, kernel.outbox);
  const [old, next] = [newSigner(), newSigner()];
  const turned = withNext(ringOf(old), { signer: next, now: start, overlapMs: 5_000 });
  const revoked = withRevoked(turned, {
    keyid: old.keyid,
    now: start + 10_000,
    from: start + 9_000,
    settleMs: SETTLE_MS,
  });
  await replica(ringOf(one), start + 6_000, own, turned).run();
  await replica(ringOf(one), start + 10_000 + AFTER_MS, own, revoked).run();
  const [tenant] = tenants as [TestTenant];
  const first = [
    ['introduced', next.keyid, one.keyid],
    ['retired', old.keyid, one.keyid],
    ['revoked', old.keyid, one.keyid],
  ];
  expect(await eventsIn(tenant)).toEqual(first);
  expect(((await tenant.records()) as AuditRecord[]).map((record) => keyEventOf(record)?.purpose)).toEqual([
    'checkpoint',
    'checkpoint',
    'checkpoint',
  ]);
  expect(await replica(ringOf(one), start + 10_000 + AFTER_MS, own, revoked).run()).toBe(0);
  await replica(revokedOne(), start + 10_000 + AFTER_MS, own, revoked).run();
  expect(await eventsIn(tenant)).toEqual([
    ...first,
    ['introduced', two.keyid, two.keyid],
    ['revoked', one.keyid, two.keyid],
    ['revoked', old.keyid, two.keyid],
  ]);
});

it('a tenant that was created later has no earlier events', async () => {
  await replica(rotated(), start + 6_000).run();
  const late = await kernel.newTenant();
  await kernel.admin.query('UPDATE kernel.tenant SET created_at = $1 WHERE tenant_id = $2', [
    start + 5_500,
    late.tenantId,
  ]);
  expect(await replica(rotated(), start + 6_000).run()).toBe(0);
  expect(await eventsIn(late)).toEqual([]);
});

it('a tenant whose record fails holds up no other, and is tried again', async () => {
  const broken = (sealer: RecordSealer): Changes => {
    const changes = new Changes(manage.tenancy, sealer, kernel.outbox);
    return {
      upkeep: async (...args: Parameters<Changes['upkeep']>) =>
        args[0] === tenants[0]?.tenantId ? Promise.reject(new Error('no')) : changes.upkeep(...args),
    } as unknown as Changes;
  };
  const failing = replica(rotated(), start + 1, broken);
  expect(await failing.run()).toBe(2);
  expect(reported).toHaveLength(1);
  expect(await failing.run()).toBe(0);
  expect(reported).toHaveLength(2);
  expect(await replica(rotated(), start + 1).run()).toBe(1);
});

it('once all tenants have the events, nothing is queried until the keys change', async () => {
  const ring = rotated();
  const settled = replica(ring, start + 5_000 + 60_000);
  expect(await settled.run()).toBe(3);
  expect(await settled.run()).toBe(0);
  await kernel.admin.query("UPDATE kernel.tenant SET keys_recorded = '{}'");
  expect(await settled.run()).toBe(0);
  expect(await replica(ring, start + 5_000 + 60_000).run()).toBe(3);
});
