// SPDX-License-Identifier: Apache-2.0
// Images of tenants: what administrators register, and how executors claim and end them.
import { LIMITS, type ImageClaim } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { callerOf, pagesOf, refusalOf, requestBy, type TestManagement } from '../../specs/test-management.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

const digestOf = (digit: string): string => `sha256:${digit.repeat(64)}`;
const BY_DIGEST = { digest: digestOf('a') };
/** The lease of a claim, past which another executor may have it. */
const LEASE_MS = 30_000;

let kernel: TestKernel;
let manage: TestManagement;
let tenant: TestTenant;
openKernelSpec((on) => {
  ({ kernel, manage } = on);
});
beforeEach(async () => {
  // Claims cross tenants: what other tests left would be claimed here.
  await kernel.admin.query('UPDATE kernel.image SET removed_at = 0 WHERE removed_at IS NULL');
  tenant = await kernel.newTenant();
});

const admin = (of = tenant) => callerOf(of.tenantId);
const create = (name: string, source: unknown = BY_DIGEST, tools: string[] = [], caller = admin()) =>
  manage.images.create({ ...requestBy(caller), name, source, tools });
const remove = (name: string, caller = admin()) => manage.images.remove({ ...requestBy(caller), name });
const read = (name: string, caller = admin()) => manage.images.read({ ...requestBy(caller), name });
const changes = async (): Promise<unknown[]> =>
  (await tenant.records())
    .filter(({ kind }) => kind === 'change')
    .map(({ change }) => [change?.verb, change?.subject, change?.digest]);

const claimBy = (executor_id: string) => manage.imageBuilds.claim({ v: 1, executor_id });
async function claimed(executor: string): Promise<ImageClaim> {
  const claim = await claimBy(executor);
  if (claim === null) throw new Error('no image waits');
  return claim;
}
const holdOf = ({ tenant_id, image_id, claim }: ImageClaim, executor_id: string) => ({
  v: 1 as const,
  tenant_id,
  image_id,
  executor_id,
  claim,
});
const renew = (claim: ImageClaim, executor: string, log = '') =>
  manage.imageBuilds.renew({ ...holdOf(claim, executor), log });
const finish = (claim: ImageClaim, executor: string, end: { image_digest: string | null; problem: string | null }) =>
  manage.imageBuilds.finish({ ...holdOf(claim, executor), log: 'the end', ...end });
const release = (claim: ImageClaim, executor: string, stopping: boolean) =>
  manage.imageBuilds.release({ ...holdOf(claim, executor), stopping, log: 'the engine is gone\0' });
const READY = { image_digest: digestOf('b'), problem: null };
const expire = async (claim: ImageClaim): Promise<void> => {
  await kernel.admin.query('UPDATE kernel.image SET claim_until = claim_until - $1 WHERE image_id = $2', [
    LEASE_MS + 1,
    claim.image_id,
  ]);
};

describe('an image', () => {
  it('is registered, made ready and removed, each with a record in the same transaction', async () => {
    const executor = newId('executor');
    const image = await create('tools');
    expect(image).toMatchObject({ name: 'tools', state: 'waiting', source: BY_DIGEST, image_digest: null });
    expect(await create('tools')).toEqual(image);
    const claim = await claimed(executor);
    expect(await renew(claim, executor, 'half\0way')).toBe(true);
    expect(await manage.images.log({ ...requestBy(admin()), name: 'tools' })).toEqual({
      state: 'building',
      log: 'halfway',
    });
    expect(await finish(claim, executor, READY)).toBe(true);
    expect(await read('tools')).toMatchObject({ state: 'ready', image_digest: READY.image_digest, problem: null });
    expect(await remove('tools')).toEqual({ removed: 'tools' });
    expect([await refusalOf(read('tools')), await refusalOf(remove('tools'))]).toMatchObject([
      { code: 'not_found' },
      { code: 'not_found' },
    ]);
    expect(await changes()).toEqual([
      ['image_created', 'tools', image.digest],
      ['image_ready', 'tools', 'b'.repeat(64)],
      ['image_removed', 'tools', image.digest],
    ]);
  });

  it('never changes under its name, and a tool has one image', async () => {
    await create('tools', BY_DIGEST, ['shell.run']);
    expect(await refusalOf(create('tools', { digest: digestOf('c') }, ['shell.run']))).toMatchObject({
      code: 'conflict',
    });
    expect(await refusalOf(create('tools', BY_DIGEST, []))).toMatchObject({ code: 'conflict' });
    expect(await refusalOf(create('others', BY_DIGEST, ['mk8.run', 'shell.run']))).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('`tools`'),
    });
    expect(await read('tools')).toMatchObject({ source: BY_DIGEST, tools: ['shell.run'] });
  });

  it.each([
    [{ reference: `registry.example.org/else/x@${digestOf('a')}` }, 'image.not_allowed', '/source/reference'],
    [{ reference: 'registry.example.org/acme/x:latest' }, 'request.malformed', '/source/reference'],
    [
      { recipe: { base: `else.example/x@${digestOf('a')}`, debian: [{ name: 'hello', version: '1' }] } },
      'image.not_allowed',
      '/source/recipe/base',
    ],
  ])('from %j is refused as %s, and nothing is written', async (source, code, pointer) => {
    expect(await refusalOf(create('x', source))).toMatchObject({ code, pointer });
    expect(await changes()).toEqual([]);
  });

  it('is registered by administrators alone, and seen by nobody of another tenant', async () => {
    const other = await kernel.newTenant();
    for (const role of ['operator', 'auditor', 'agent'] as const)
      expect(await refusalOf(create('x', BY_DIGEST, [], callerOf(tenant.tenantId, role)))).toMatchObject({
        code: 'auth.role',
      });
    await create('x');
    expect(await refusalOf(read('x', admin(other)))).toMatchObject({ code: 'not_found' });
    expect(await refusalOf(remove('x', admin(other)))).toMatchObject({ code: 'not_found' });
  });

  it('is one of as many as a tenant may have, which are listed by name', async () => {
    const { max } = LIMITS.images;
    for (let n = 0; n < max; n++) await create(`i${String(n).padStart(3, '0')}`);
    expect(await refusalOf(create('more'))).toMatchObject({ code: 'limit.exceeded' });
    const pages = await pagesOf(60, (page) => manage.images.list({ ...requestBy(admin()), page }));
    expect(pages.map((page) => page.length)).toEqual([60, max - 60]);
    expect(pages.flat().map(({ name }) => name)).toEqual(
      Array.from({ length: max }, (_, n) => `i${String(n).padStart(3, '0')}`),
    );
    await remove('i000');
    expect(await create('more')).toMatchObject({ state: 'waiting' });
  });
});

describe('a claim', () => {
  const [first, second] = [newId('executor'), newId('executor')];

  it('is had by one executor at a time, until its lease expires', async () => {
    await create('x');
    const claim = await claimed(first);
    expect(claim).toMatchObject({ tenant_id: tenant.tenantId, claim: 1 });
    expect(await claimBy(second)).toBeNull();
    await expire(claim);
    expect(await claimed(second)).toMatchObject({ image_id: claim.image_id, claim: 2 });
  });

  it('that another executor has by now renews nothing and ends nothing', async () => {
    await create('x');
    const lost = await claimed(first);
    await expire(lost);
    const now = await claimed(second);
    expect([await renew(lost, first), await finish(lost, first, READY), await renew(now, first)]).toEqual([
      false,
      false,
      false,
    ]);
    expect(await read('x')).toMatchObject({ state: 'building', image_digest: null });
    expect(await finish(now, second, { image_digest: null, problem: 'it broke\0' })).toBe(true);
    expect(await finish(now, second, READY)).toBe(false);
    expect(await read('x')).toMatchObject({ state: 'failed', problem: 'it broke', image_digest: null });
    expect(await changes()).toEqual([
      ['image_created', 'x', expect.any(String)],
      ['image_failed', 'x', expect.any(String)],
    ]);
  });

  it('ends with the removal of its image', async () => {
    await create('x');
    const claim = await claimed(first);
    await remove('x');
    expect([await renew(claim, first), await finish(claim, first, READY)]).toEqual([false, false]);
    expect(await claimBy(second)).toBeNull();
  });

  it('that is the fourth fails the image: three executors were lost over it', async () => {
    await create('x');
    for (let n = 1; n <= 3; n++) await expire(await claimed(first));
    expect(await claimBy(second)).toBeNull();
    expect(await read('x')).toMatchObject({ state: 'failed', problem: expect.stringContaining('3 executors') });
    expect(await claimBy(first)).toBeNull();
  });

  it('that is given back after a failure of the engine costs the image nothing but a pause', async () => {
    await create('x');
    for (let n = 1; n <= 5; n++) {
      const claim = await claimed(first);
      expect(claim).toMatchObject({ claim: n });
      expect(await release(claim, first, false)).toBe(true);
      expect([
        await renew(claim, first),
        await release(claim, first, false),
        await finish(claim, first, READY),
      ]).toEqual([false, false, false]);
      expect(await read('x')).toMatchObject({ state: 'waiting', problem: null });
      expect(await claimBy(second)).toBeNull();
      await expire(claim);
    }
    expect(await manage.images.log({ ...requestBy(admin()), name: 'x' })).toMatchObject({ log: 'the engine is gone' });
    const claim = await claimed(second);
    expect(await finish(claim, second, READY)).toBe(true);
    expect(await read('x')).toMatchObject({ state: 'ready' });
  });

  it('that an executor gives back because it stops is had by another at once', async () => {
    await create('x');
    expect(await release(await claimed(first), first, true)).toBe(true);
    await kernel.admin.query('UPDATE kernel.image SET claim_until = claim_until - 1');
    expect(await claimed(second)).toMatchObject({ claim: 2 });
  });

  it('is of the image that has waited longest: one that is given back lets the others go first', async () => {
    await create('x');
    const other = await kernel.newTenant();
    await create('y', BY_DIGEST, [], admin(other));
    const poisoned = await claimed(first);
    await release(poisoned, first, true);
    expect((await claimed(first)).tenant_id).toBe(other.tenantId);
  });

  it('is of one image of a tenant at a time, however many executors ask at once', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await create(name);
    const other = await kernel.newTenant();
    await create('e', BY_DIGEST, [], admin(other));
    for (let round = 0; round < 5; round++) {
      const had = (await Promise.all(Array.from({ length: 8 }, () => claimBy(first)))).filter((one) => one !== null);
      expect(had.map(({ tenant_id }) => tenant_id).toSorted()).toEqual([tenant.tenantId, other.tenantId].toSorted());
      await kernel.admin.query(
        `UPDATE kernel.image SET state = 'waiting', claim = 0, claim_until = NULL WHERE removed_at IS NULL`,
      );
    }
  });
});
