// SPDX-License-Identifier: Apache-2.0
import { subjectsOf, type TenantId } from '@writ/contract';
import { limitsOf } from '../../specs/tenant-fixture.ts';
import { newId } from '@writ/nest-kit';
import { CachedTenantLimits } from './tenant-limits.ts';

/** The limits of a replica that gets these answers, one after another. */
function replicaThatLearns(pages: readonly object[][]): CachedTenantLimits {
  const left = [...pages];
  const bus = { request: () => Promise.resolve({ v: 1, now: 1, items: left.shift() ?? [], more: false }) };
  return new CachedTenantLimits(bus as never, subjectsOf('main'), () => 1);
}

test('a tenant stays closed, whatever a kernel of the version before answers', async () => {
  const tenant = newId('tenant') as TenantId;
  const limits = { ...limitsOf(tenant), changed_at: 1 };
  const set = replicaThatLearns([[{ ...limits, closed: true }], [limits]]);
  expect(set.isClosed(tenant)).toBe(false);
  for (let answers = 0; answers < 2; answers++) {
    await set.refresh();
    expect(set.isClosed(tenant)).toBe(true);
    await set.endClosed(() => Promise.resolve());
    expect(set.isClosed(tenant)).toBe(true);
  }
});

test('the end of a closed tenant is completed once, and again after a failure', async () => {
  const tenant = newId('tenant') as TenantId;
  const closed = { ...limitsOf(tenant), changed_at: 1, closed: true };
  const set = replicaThatLearns([[closed], [closed]]);
  await set.refresh();
  await expect(set.endClosed(() => Promise.reject(new Error('no database')))).rejects.toThrow('no database');
  const ended: string[] = [];
  const end = (tenantId: string): Promise<void> => {
    ended.push(tenantId);
    return Promise.resolve();
  };
  await set.endClosed(end);
  await set.refresh();
  await set.endClosed(end);
  expect(ended).toEqual([tenant]);
});
